//! Storage quota for new games: usage is polled every few seconds and cached until the next poll. Existing games can
//! always append plies.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{Service, ServiceError};
use crate::store::StorageUsage;

/// Polling interval.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// The limits beyond which new games are rejected.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StorageQuota {
    /// Maximum bytes used by the store; `None` for no limit.
    pub max_bytes: Option<u64>,
    /// Minimum free bytes on the disk; 0 for no limit.
    pub min_free_bytes: u64,
}

impl StorageQuota {
    #[must_use]
    pub fn has_capacity(&self, usage: &StorageUsage) -> bool {
        let is_small = self.max_bytes.is_none_or(|max| usage.used_bytes < max);
        let is_free = usage
            .free_bytes
            .is_none_or(|free| free >= self.min_free_bytes);
        is_small && is_free
    }
}

/// The result of the last poll.
#[derive(Debug, Default)]
pub(super) struct QuotaState {
    is_full: AtomicBool,
}

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

    /// Polls every few seconds, until the service stops.
    pub async fn monitor_quota(&self) {
        let mut interval = tokio::time::interval(POLL_INTERVAL);
        let poll = async {
            loop {
                interval.tick().await;
                self.refresh_quota().await;
            }
        };
        self.shared.stop.run_until_cancelled(poll).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quota_limits_used_and_free_bytes() {
        let usage = |used_bytes, free_bytes| StorageUsage {
            used_bytes,
            free_bytes,
        };
        let any = StorageQuota::default();
        assert!(any.has_capacity(&usage(u64::MAX, Some(0))));
        let quota = StorageQuota {
            max_bytes: Some(100),
            min_free_bytes: 10,
        };
        assert!(quota.has_capacity(&usage(99, None)));
        assert!(!quota.has_capacity(&usage(100, None)));
        assert!(quota.has_capacity(&usage(0, Some(10))));
        assert!(!quota.has_capacity(&usage(0, Some(9))));
    }
}
