//! A value that is computed again after some time.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

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

    pub(crate) fn clear(&self) {
        *self.stored.lock() = None;
    }
}
