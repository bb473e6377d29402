//! Claims due games that no instance has leased, and renews the leases of this instance.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};

use super::command::TableCommand;
use super::error::ServiceError;
use super::leases::{HeldLease, LEASE_DURATION};
use super::state::Service;
use crate::store::{GameId, LeaseResult};

const RENEWAL_INTERVAL: Duration = Duration::from_millis(500);

/// Interval of claiming due games.
const CLAIM_INTERVAL: Duration = Duration::from_millis(300);

/// Claimed games per compute thread: quick plies mostly wait for the store.
const GAMES_PER_THREAD: usize = 8;

/// How many claimed games are loaded concurrently.
const CONCURRENT_LOADS: usize = 8;

/// Lets any instance claim the game after this time, unless another instance holds its lease.
pub(super) async fn set_due(
    service: &Service,
    id: &GameId,
    wait: Duration,
) -> Result<(), ServiceError> {
    let store = &service.shared.store;
    if let LeaseResult::Granted(fence) = store.lease(id, LEASE_DURATION).await? {
        store.release(id, fence, Some(wait)).await?;
    }
    Ok(())
}

/// Renews the leases of this instance periodically.
pub(super) async fn renew_leases(service: &Service) {
    loop {
        tokio::time::sleep(RENEWAL_INTERVAL).await;
        let held = service.shared.leases.list();
        if held.is_empty() {
            continue;
        }
        if let Err(error) = service.shared.store.renew(&held, LEASE_DURATION).await {
            tracing::warn!(%error, "leases could not be renewed");
        }
    }
}

/// Claims due games without a lease periodically: the longest overdue first, and no more than this instance can
/// compute.
pub(super) async fn run_claims(service: &Service) {
    loop {
        tokio::time::sleep(CLAIM_INTERVAL).await;
        while claim_batch(service).await {}
    }
}

/// Claims one batch; returns whether there may be more.
async fn claim_batch(service: &Service) -> bool {
    let held = service.shared.leases.list().len();
    let limit = (service.shared.settings.compute_threads * GAMES_PER_THREAD).saturating_sub(held);
    if limit == 0 {
        return false;
    }
    let max_claims = u32::try_from(limit).unwrap_or(u32::MAX);
    let claimed = match service.shared.store.claim(max_claims, LEASE_DURATION).await {
        Ok(claimed) => claimed,
        Err(error) => {
            tracing::warn!(%error, "due games could not be claimed");
            return false;
        }
    };
    let is_full = claimed.len() == limit;
    let held = claimed
        .into_iter()
        .map(|(id, fence)| HeldLease::new(&service.shared.leases, &id, fence));
    stream::iter(held)
        .for_each_concurrent(CONCURRENT_LOADS, |held| open_claimed(service, held))
        .await;
    is_full
}

/// Loads a claimed game and passes the lease to its table.
async fn open_claimed(service: &Service, held: HeldLease) {
    let id = held.id().clone();
    match service.open(&id).await {
        Ok(handle) => {
            // If the table is busy or is unloaded, the lease expires and the game is claimed again.
            let _ = handle.inbox.try_send(Box::new(TableCommand::Lease(held)));
        }
        // No instance can continue it.
        Err(ServiceError::NotFound | ServiceError::Damaged) => held.release(None).await,
        Err(error) => tracing::debug!(%id, %error, "a due game could not be loaded"),
    }
}
