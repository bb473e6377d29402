//! Values that are computed again after some time, or after a change.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::tables::Service;

/// A value that is valid for a fixed time after it was stored.
#[derive(Debug)]
pub(crate) struct CachedValue<T> {
    lifetime: Duration,
    stored: Mutex<Option<(Instant, T)>>,
}

impl<T: Clone> CachedValue<T> {
    pub(crate) const fn new(lifetime: Duration) -> Self {
        CachedValue {
            lifetime,
            stored: Mutex::new(None),
        }
    }

    /// The value, if it is still valid.
    pub(crate) fn get(&self) -> Option<T> {
        let stored = self.stored.lock();
        let (at, value) = stored.as_ref()?;
        (at.elapsed() < self.lifetime).then(|| value.clone())
    }

    pub(crate) fn set(&self, value: T) {
        *self.stored.lock() = Some((Instant::now(), value));
    }
}

/// A value read from the store, as it was in the current second, with all changes of this process that concern it. Those
/// of other servers may be missing for a second.
#[derive(Debug)]
pub(in crate::site) struct StoredValue<T>(Mutex<Option<(Moment, T)>>);

/// The number of changes of this process, and the second of the service's clock.
type Moment = (u64, i64);

impl<T> Default for StoredValue<T> {
    fn default() -> Self {
        StoredValue(Mutex::new(None))
    }
}

impl<T: Clone> StoredValue<T> {
    /// The value; read again if `changes` has grown.
    pub(in crate::site) async fn get_or_read<E>(
        &self,
        service: &Service,
        changes: u64,
        read: impl AsyncFnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let now = (changes, service.now_ms().div_euclid(1000));
        if let Some((at, value)) = &*self.0.lock()
            && *at == now
        {
            return Ok(value.clone());
        }
        let value = read().await?;
        *self.0.lock() = Some((now, value.clone()));
        Ok(value)
    }
}
