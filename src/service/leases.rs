//! Which games this instance goes on with: the leases that it has, and the games that are due and that it claims
//! because nobody goes on with them.
//!
//! A lease is short and is renewed as long as its table wants it. So when an instance dies, is cut off or stands
//! still, the others go on with its games after two seconds, and what it chose is refused when it comes back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};

use super::table::TableCommand;
use super::{Service, ServiceError, ServiceState};
use crate::store::{FencingToken, GameId};

/// Games with which this instance goes on: the leases that it has.
pub const LEASES: &str = "leases_held";
/// Plies of computers that were refused because another instance had taken the game over.
pub const FENCED: &str = "plies_fenced_total";

/// How long a lease lasts that is not renewed.
pub(super) const LEASE: Duration = Duration::from_secs(2);

/// How often the leases are renewed.
const RENEWAL: Duration = Duration::from_millis(500);

/// How often games are looked for that are due.
const SWEEP: Duration = Duration::from_millis(300);

/// How many games are claimed for each thread that thinks: quick plies wait for the archive most of the time.
const GAMES_A_THINKER: usize = 8;

/// How many claimed games are read at the same time.
const READ_TOGETHER: usize = 8;

/// The leases that this instance has.
#[derive(Default)]
pub(super) struct HeldLeases(Mutex<HashMap<GameId, FencingToken>>);

impl HeldLeases {
    fn held(&self) -> MutexGuard<'_, HashMap<GameId, FencingToken>> {
        // Each change is one insertion or removal.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lease that is renewed until this is dropped. Giving it back is another matter.
pub(super) struct HeldLease {
    shared: Arc<ServiceState>,
    id: GameId,
    fence: FencingToken,
}

impl HeldLease {
    pub(super) fn new(shared: &Arc<ServiceState>, id: &GameId, fence: FencingToken) -> Self {
        let mut held = shared.leases.held();
        held.insert(id.clone(), fence);
        metrics::gauge!(LEASES).set(held.len() as f64);
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

    /// Gives it back, and says whether the game goes on by itself.
    pub(super) async fn give_back(self, due: bool) {
        let (shared, id, fence) = (Arc::clone(&self.shared), self.id.clone(), self.fence);
        // It is renewed no more before it is given back.
        drop(self);
        if let Err(error) = shared.archive.release(&id, fence, due).await {
            tracing::debug!(%id, %error, "a lease runs out by itself");
        }
    }

    /// Keeps it for this time from now on without renewing it: nobody goes on with the game until then.
    pub(super) async fn keep_for(self, time: Duration) {
        let (shared, held) = (Arc::clone(&self.shared), [(self.id.clone(), self.fence)]);
        drop(self);
        if let Err(error) = shared.archive.renew(&held, time).await {
            tracing::debug!(id = %held[0].0, %error, "a lease runs out by itself");
        }
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        let mut held = self.shared.leases.held();
        // A newer lease of the game may be known by now.
        if held.get(&self.id) == Some(&self.fence) {
            held.remove(&self.id);
            metrics::gauge!(LEASES).set(held.len() as f64);
        }
    }
}

impl Service {
    /// Renews the leases of this instance, again and again.
    pub(super) async fn renew_leases(&self) {
        loop {
            tokio::time::sleep(RENEWAL).await;
            let held = self.shared.leases.held().clone();
            if held.is_empty() {
                continue;
            }
            let held: Vec<_> = held.into_iter().collect();
            if let Err(error) = self.shared.archive.renew(&held, LEASE).await {
                tracing::warn!(%error, "leases of games could not be renewed");
            }
        }
    }

    /// Goes on with games that are due and that nobody goes on with, again and again: those that have waited
    /// longest first, and no more than can be thought about.
    pub(super) async fn claim_work(&self) {
        loop {
            tokio::time::sleep(SWEEP).await;
            while self.claim_some().await {}
        }
    }

    /// Whether there may be more.
    async fn claim_some(&self) -> bool {
        let held = self.shared.leases.held().len();
        let most = (self.shared.settings.thinkers * GAMES_A_THINKER).saturating_sub(held);
        if most == 0 {
            return false;
        }
        let claimed = u32::try_from(most).unwrap_or(u32::MAX);
        let claimed = match self.shared.archive.claim(claimed, LEASE).await {
            Ok(claimed) => claimed,
            Err(error) => {
                tracing::warn!(%error, "games that are due cannot be claimed");
                return false;
            }
        };
        let is_full = claimed.len() == most;
        let held = claimed
            .into_iter()
            .map(|(id, fence)| HeldLease::new(&self.shared, &id, fence));
        stream::iter(held)
            .for_each_concurrent(READ_TOGETHER, |held| self.take_over(held))
            .await;
        is_full
    }

    /// Gives a claimed game its table, which goes on or gives the lease back.
    async fn take_over(&self, held: HeldLease) {
        let id = held.id.clone();
        match self.open(&id).await {
            Ok(door) => {
                // A table that has too much to do to hear it, or that leaves, is found again when the lease runs out.
                let _ = door.inbox.try_send(Box::new(TableCommand::Lease(held)));
            }
            // Nobody can go on with it.
            Err(ServiceError::NotFound | ServiceError::Damaged) => held.give_back(false).await,
            Err(error) => tracing::debug!(%id, %error, "a game that is due waits"),
        }
    }
}
