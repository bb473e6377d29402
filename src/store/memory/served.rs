//! Served periods in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::store::{ServedPeriod, ServedStore, StoreError};

#[async_trait]
impl ServedStore for MemoryStore {
    async fn record_served(
        &self,
        now_ms: i64,
        gap_ms: i64,
    ) -> Result<Vec<ServedPeriod>, StoreError> {
        let mut games = self.lock_games()?;
        ServedPeriod::record(&mut games.served, now_ms, gap_ms);
        Ok(games.served.clone())
    }
}
