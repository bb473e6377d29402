//! Storage quota for new games: usage is polled every few seconds and cached until the next poll. Existing games can
//! always append plies.

use std::sync::atomic::AtomicBool;

use crate::store::StorageUsage;

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
    pub(super) is_full: AtomicBool,
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
