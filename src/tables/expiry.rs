//! Deletes games that have expired.

use super::retention::RetentionClock;
use super::state::Service;
use super::table_registry::begin_removal;
use crate::store::{RetentionCutoffs, StoreError};

/// Games deleted per step, small enough not to delay plies.
const BATCH_SIZE: u32 = 100;

impl Service {
    /// Starts the retention clock.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn retention_clock(&self, clock_ms: i64) -> Result<RetentionClock, StoreError> {
        let newest_ms = self.shared.store.last_activity_ms().await?;
        Ok(RetentionClock::new(newest_ms, clock_ms))
    }

    /// Deletes expired games, except those in memory; returns their number.
    ///
    /// # Errors
    /// If the store fails; some games may be deleted already.
    pub async fn delete_expired(&self, cutoffs: RetentionCutoffs) -> Result<u64, StoreError> {
        let store = &self.shared.store;
        let mut deleted = 0;
        let mut skipped = 0;
        loop {
            // Games in memory are listed again, so the page is enlarged by their number.
            let expired = store
                .list_expired(&cutoffs, BATCH_SIZE.saturating_add(skipped))
                .await?;
            let listed = expired.len();
            let removing = begin_removal(&self.shared.tables, expired, BATCH_SIZE as usize);
            skipped = u32::try_from(listed - removing.found).unwrap_or(u32::MAX);
            if removing.games.is_empty() {
                return Ok(deleted);
            }
            let batch_deleted = store
                .delete_expired(removing.games.clone(), cutoffs)
                .await?;
            deleted += batch_deleted;
            if batch_deleted == 0 || self.shared.stop.is_cancelled() {
                return Ok(deleted);
            }
        }
    }
}
