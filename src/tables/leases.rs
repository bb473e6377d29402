//! The leases of this instance.
//!
//! A lease is short and is renewed while its table needs it. When an instance dies, hangs or loses its connection, the
//! others take over its games after two seconds, and its own late plies are rejected (fencing).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::metrics;
use crate::store::{FencingToken, GameId, Store};

/// Validity of a lease without renewal.
pub(super) const LEASE_DURATION: Duration = Duration::from_secs(2);

/// The leases of this instance.
pub(super) struct HeldLeases {
    store: Arc<dyn Store>,
    held: Mutex<HashMap<GameId, FencingToken>>,
}

impl HeldLeases {
    pub(super) fn new(store: &Arc<dyn Store>) -> Arc<Self> {
        Arc::new(HeldLeases {
            store: Arc::clone(store),
            held: Mutex::default(),
        })
    }

    pub(super) fn list(&self) -> Vec<(GameId, FencingToken)> {
        let held = self.held.lock();
        held.iter()
            .map(|(id, fence)| (id.clone(), *fence))
            .collect()
    }
}

/// A lease that is renewed until this is dropped. Dropping does not release it.
pub(super) struct HeldLease {
    leases: Arc<HeldLeases>,
    id: GameId,
    fence: FencingToken,
}

impl HeldLease {
    pub(super) fn new(leases: &Arc<HeldLeases>, id: &GameId, fence: FencingToken) -> Self {
        let mut held = leases.held.lock();
        held.insert(id.clone(), fence);
        metrics::LEASES_HELD.set(held.len() as i64);
        drop(held);
        HeldLease {
            leases: Arc::clone(leases),
            id: id.clone(),
            fence,
        }
    }

    pub(super) fn id(&self) -> &GameId {
        &self.id
    }

    pub(super) fn fence(&self) -> FencingToken {
        self.fence
    }

    /// Releases the lease; `due` states after which time the game continues without viewers.
    pub(super) async fn release(self, due: Option<Duration>) {
        let (leases, id, fence) = (Arc::clone(&self.leases), self.id.clone(), self.fence);
        // Stops the renewal before the release.
        drop(self);
        if let Err(error) = leases.store.release(&id, fence, due).await {
            tracing::debug!(%id, %error, "a lease was not released or extended and will expire");
        }
    }

    /// Extends the lease by `time` without further renewal: no instance plays the game until then.
    pub(super) async fn keep_for(self, time: Duration) {
        let (leases, held) = (Arc::clone(&self.leases), [(self.id.clone(), self.fence)]);
        drop(self);
        if let Err(error) = leases.store.renew(&held, time).await {
            tracing::debug!(id = %held[0].0, %error, "a lease was not released or extended and will expire");
        }
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        let mut held = self.leases.held.lock();
        // The map may have a newer lease of the game.
        if held.get(&self.id) == Some(&self.fence) {
            held.remove(&self.id);
            metrics::LEASES_HELD.set(held.len() as i64);
        }
    }
}
