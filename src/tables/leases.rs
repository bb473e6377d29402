//! The leases of this instance, and the claiming of due games that no instance has leased.
//!
//! A lease is short and is renewed while its table needs it. When an instance dies, hangs or loses its connection, the
//! others take over its games after two seconds, and its own late plies are rejected (fencing).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use parking_lot::Mutex;

use super::table::TableCommand;
use super::{Service, ServiceError, ServiceState};
use crate::store::{FencingToken, GameId, LeaseResult};

/// Metric: leases held by this instance.
pub const METRIC_LEASES_HELD: &str = "leases_held";
/// Metric: computer plies rejected because another instance had taken the game over.
pub const METRIC_PLIES_FENCED: &str = "plies_fenced_total";

/// Validity of a lease without renewal.
pub(super) const LEASE_DURATION: Duration = Duration::from_secs(2);

const RENEWAL_INTERVAL: Duration = Duration::from_millis(500);

/// Interval of claiming due games.
const CLAIM_INTERVAL: Duration = Duration::from_millis(300);

/// Claimed games per compute thread: quick plies mostly wait for the store.
const GAMES_PER_THREAD: usize = 8;

/// How many claimed games are loaded concurrently.
const CONCURRENT_LOADS: usize = 8;

#[derive(Default)]
pub(super) struct HeldLeases(Mutex<HashMap<GameId, FencingToken>>);

/// A lease that is renewed until this is dropped. Dropping does not release it.
pub(super) struct HeldLease {
    shared: Arc<ServiceState>,
    id: GameId,
    fence: FencingToken,
}

impl HeldLease {
    pub(super) fn new(shared: &Arc<ServiceState>, id: &GameId, fence: FencingToken) -> Self {
        let mut held = shared.leases.0.lock();
        held.insert(id.clone(), fence);
        metrics::gauge!(METRIC_LEASES_HELD).set(held.len() as f64);
        drop(held);
        HeldLease {
            shared: Arc::clone(shared),
            id: id.clone(),
            fence,
        }
    }

    pub(super) fn fence(&self) -> FencingToken {
        self.fence
    }

    /// Releases the lease; `due` states after which time the game continues without viewers.
    pub(super) async fn release(self, due: Option<Duration>) {
        let (shared, id, fence) = (Arc::clone(&self.shared), self.id.clone(), self.fence);
        // Stops the renewal before the release.
        drop(self);
        if let Err(error) = shared.store.release(&id, fence, due).await {
            tracing::debug!(%id, %error, "a lease was not released or extended and will expire");
        }
    }

    /// Extends the lease by `time` without further renewal: no instance plays the game until then.
    pub(super) async fn keep_for(self, time: Duration) {
        let (shared, held) = (Arc::clone(&self.shared), [(self.id.clone(), self.fence)]);
        drop(self);
        if let Err(error) = shared.store.renew(&held, time).await {
            tracing::debug!(id = %held[0].0, %error, "a lease was not released or extended and will expire");
        }
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        let mut held = self.shared.leases.0.lock();
        // The map may have a newer lease of the game.
        if held.get(&self.id) == Some(&self.fence) {
            held.remove(&self.id);
            metrics::gauge!(METRIC_LEASES_HELD).set(held.len() as f64);
        }
    }
}

impl Service {
    /// Lets any instance claim the game after this time, unless another instance holds its lease.
    pub(super) async fn set_due(&self, id: &GameId, wait: Duration) -> Result<(), ServiceError> {
        let store = &self.shared.store;
        if let LeaseResult::Granted(fence) = store.lease(id, LEASE_DURATION).await? {
            store.release(id, fence, Some(wait)).await?;
        }
        Ok(())
    }

    /// Renews the leases of this instance periodically.
    pub(super) async fn renew_leases(&self) {
        loop {
            tokio::time::sleep(RENEWAL_INTERVAL).await;
            let held = self.shared.leases.0.lock().clone();
            if held.is_empty() {
                continue;
            }
            let held: Vec<_> = held.into_iter().collect();
            if let Err(error) = self.shared.store.renew(&held, LEASE_DURATION).await {
                tracing::warn!(%error, "leases could not be renewed");
            }
        }
    }

    /// Claims due games without a lease periodically: the longest overdue first, and no more than this instance can
    /// compute.
    pub(super) async fn run_claims(&self) {
        loop {
            tokio::time::sleep(CLAIM_INTERVAL).await;
            while self.claim_batch().await {}
        }
    }

    /// Claims one batch; returns whether there may be more.
    async fn claim_batch(&self) -> bool {
        let held = self.shared.leases.0.lock().len();
        let limit = (self.shared.settings.compute_threads * GAMES_PER_THREAD).saturating_sub(held);
        if limit == 0 {
            return false;
        }
        let max_claims = u32::try_from(limit).unwrap_or(u32::MAX);
        let claimed = match self.shared.store.claim(max_claims, LEASE_DURATION).await {
            Ok(claimed) => claimed,
            Err(error) => {
                tracing::warn!(%error, "due games could not be claimed");
                return false;
            }
        };
        let is_full = claimed.len() == limit;
        let held = claimed
            .into_iter()
            .map(|(id, fence)| HeldLease::new(&self.shared, &id, fence));
        stream::iter(held)
            .for_each_concurrent(CONCURRENT_LOADS, |held| self.open_claimed(held))
            .await;
        is_full
    }

    /// Loads a claimed game and passes the lease to its table.
    async fn open_claimed(&self, held: HeldLease) {
        let id = held.id.clone();
        match self.open(&id).await {
            Ok(handle) => {
                // If the table is busy or is unloaded, the lease expires and the game is claimed again.
                let _ = handle.inbox.try_send(Box::new(TableCommand::Lease(held)));
            }
            // No instance can continue it.
            Err(ServiceError::NotFound | ServiceError::Damaged) => held.release(None).await,
            Err(error) => tracing::debug!(%id, %error, "a due game could not be loaded"),
        }
    }
}
