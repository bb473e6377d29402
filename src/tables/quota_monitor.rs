//! Keeps watch over the [storage quota](super::storage_quota).

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::error::ServiceError;
use super::state::Service;
use crate::store::StorageUsage;

/// The interval in which the storage's usage is queried.
const QUOTA_INTERVAL: Duration = Duration::from_secs(5);

impl Service {
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
