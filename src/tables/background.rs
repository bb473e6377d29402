//! What the server does in the background for all games.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::claims::{renew_leases, run_claims};
use super::error::ServiceError;
use super::instance_sync::{poll_versions, receive_notifications};
use super::state::Service;
use crate::store::{StorageUsage, StoreError};

/// The interval in which the storage's usage is queried.
const QUOTA_INTERVAL: Duration = Duration::from_secs(5);

/// The interval in which each server records that it is ready.
const RECORD_INTERVAL: Duration = Duration::from_secs(5);

/// The difference between a server's clock and the database's from which on the server warns.
const MAX_CLOCK_DIFFERENCE_MS: i64 = 60_000;
const CLOCK_COMPARISON_INTERVAL: Duration = Duration::from_secs(60);

impl Service {
    /// Runs the background tasks until the service is closed: renews leases, claims due games, synchronises with peer
    /// instances, compares the clocks and records that the server is ready.
    pub async fn run_background(&self) {
        let all = async {
            tokio::join!(
                renew_leases(self),
                run_claims(self),
                receive_notifications(self),
                poll_versions(self),
                compare_clocks(self),
                run_served_records(self)
            )
        };
        self.shared.stop.run_until_cancelled(all).await;
    }

    /// Records that this server is ready. Must be called once before games are continued.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn record_served(&self) -> Result<(), StoreError> {
        let (store, served) = (&self.shared.store, &self.shared.served);
        served.record(&**store, self.now_ms()).await
    }

    /// # Errors
    /// [`ServiceError::StorageFull`], as of the last poll.
    pub(crate) fn check_quota(&self) -> Result<(), ServiceError> {
        if self.shared.quota.is_full.load(Ordering::Relaxed) {
            Err(ServiceError::StorageFull)
        } else {
            Ok(())
        }
    }

    /// Polls the store's usage.
    pub async fn refresh_quota(&self) {
        let usage = match self.shared.store.storage_usage().await {
            Ok(usage) => usage,
            // The health check reports a failed store.
            Err(error) => return tracing::warn!(%error, "the store's usage could not be queried"),
        };
        let is_full = !self.shared.settings.storage_quota.has_capacity(&usage);
        let was_full = self.shared.quota.is_full.swap(is_full, Ordering::Relaxed);
        let StorageUsage {
            used_bytes,
            free_bytes,
        } = usage;
        match (was_full, is_full) {
            (false, true) => {
                tracing::error!(
                    used_bytes,
                    free_bytes,
                    "the storage quota is exceeded; new games are rejected"
                );
            }
            (true, false) => {
                tracing::info!(
                    used_bytes,
                    free_bytes,
                    "the storage quota is no longer exceeded; new games are accepted"
                )
            }
            (false, false) | (true, true) => {}
        }
    }

    /// Polls every few seconds, until the service is closed.
    pub async fn monitor_quota(&self) {
        let mut interval = tokio::time::interval(QUOTA_INTERVAL);
        let poll = async {
            loop {
                interval.tick().await;
                self.refresh_quota().await;
            }
        };
        self.shared.stop.run_until_cancelled(poll).await;
    }
}

/// Records periodically that this server is ready.
async fn run_served_records(service: &Service) {
    loop {
        tokio::time::sleep(RECORD_INTERVAL).await;
        if let Err(error) = service.record_served().await {
            tracing::warn!(%error, "it could not be stored that this server is ready");
        }
    }
}

/// Warns when this server's clock differs much from that of the database, which decides about days.
async fn compare_clocks(service: &Service) {
    let mut has_warned = false;
    loop {
        let Some(clock) = service.shared.store.clock() else {
            return;
        };
        let ahead_ms = service.now_ms().saturating_sub(clock.now_ms());
        let differs = ahead_ms.abs() > MAX_CLOCK_DIFFERENCE_MS;
        if differs && !has_warned {
            tracing::warn!(
                ahead_s = ahead_ms / 1000,
                "this server's clock differs from the database's by more than a minute: the database's decides when the board of the day changes, this one's is in the records of games"
            );
        }
        has_warned = differs;
        tokio::time::sleep(CLOCK_COMPARISON_INTERVAL).await;
    }
}
