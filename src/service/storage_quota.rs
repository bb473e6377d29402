//! Whether there is room for new games: the archive is looked at every few seconds, and what was seen
//! then counts until the next look. Plies of games that exist go on in any case.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{Service, ServiceError};
use crate::store::StorageUsage;

/// From one look to the next.
const LOOK: Duration = Duration::from_secs(5);

/// How large the archive may become before new games are refused.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StorageQuota {
    /// The most bytes that it may use; `None`: any number.
    pub most_bytes: Option<u64>,
    /// The least bytes that the disk must have left; 0: any number.
    pub least_free_bytes: u64,
}

impl StorageQuota {
    /// Whether a new game fits.
    #[must_use]
    pub fn has_place(&self, space: &StorageUsage) -> bool {
        let is_small = self.most_bytes.is_none_or(|most| space.used_bytes < most);
        let is_free = space
            .free_bytes
            .is_none_or(|free| free >= self.least_free_bytes);
        is_small && is_free
    }
}

/// What the last look saw.
#[derive(Debug, Default)]
pub(super) struct QuotaState {
    is_full: AtomicBool,
}

impl Service {
    /// # Errors
    /// [`ServiceError::NoRoom`], as of the last look.
    pub(super) fn room_for_a_game(&self) -> Result<(), ServiceError> {
        if self.shared.room.is_full.load(Ordering::Relaxed) {
            Err(ServiceError::NoRoom)
        } else {
            Ok(())
        }
    }

    /// Looks whether there is room for new games.
    pub async fn look_for_room(&self) {
        let space = match self.shared.archive.space().await {
            Ok(space) => space,
            // Whether the archive works at all is asked elsewhere.
            Err(error) => return tracing::warn!(%error, "the size of the archive is not known"),
        };
        let is_full = !self.shared.settings.room.has_place(&space);
        let was_full = self.shared.room.is_full.swap(is_full, Ordering::Relaxed);
        let StorageUsage {
            used_bytes,
            free_bytes,
        } = space;
        match (was_full, is_full) {
            (false, true) => {
                tracing::error!(used_bytes, free_bytes, "no room for new games is left");
            }
            (true, false) => {
                tracing::info!(used_bytes, free_bytes, "there is room for games again")
            }
            (false, false) | (true, true) => {}
        }
    }

    /// Looks every few seconds, until the service stops.
    pub async fn watch_room(&self) {
        let mut looks = tokio::time::interval(LOOK);
        let look = async {
            loop {
                looks.tick().await;
                self.look_for_room().await;
            }
        };
        self.shared.stop.run_until_cancelled(look).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_ends_with_the_disk_or_the_limit() {
        let space = |used_bytes, free_bytes| StorageUsage {
            used_bytes,
            free_bytes,
        };
        let any = StorageQuota::default();
        assert!(any.has_place(&space(u64::MAX, Some(0))));
        let room = StorageQuota {
            most_bytes: Some(100),
            least_free_bytes: 10,
        };
        assert!(room.has_place(&space(99, None)));
        assert!(!room.has_place(&space(100, None)));
        assert!(room.has_place(&space(0, Some(10))));
        assert!(!room.has_place(&space(0, Some(9))));
    }
}
