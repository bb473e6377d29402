//! Keys and hashes of client networks in memory.

use async_trait::async_trait;

use super::{MemoryGames, MemoryStore};
use crate::day::Day;
use crate::store::{NetworkHash, NetworkKey, NetworkStore, StoreError};

#[async_trait]
impl NetworkStore for MemoryStore {
    async fn add_network_key(&self, key: NetworkKey) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        games.network_keys.entry(key.day).or_insert(key);
        Ok(())
    }

    async fn network_key(&self, day: Day) -> Result<Option<NetworkKey>, StoreError> {
        Ok(self.lock_games()?.network_keys.get(&day).cloned())
    }

    async fn forget_networks(&self, before: Day) -> Result<(), StoreError> {
        let games = &mut *self.lock_games()?;
        games.network_keys.retain(|day, _| *day >= before);
        for (key, attempt) in &mut games.daily_attempts {
            let forgotten = attempt.network.take_if(|network| network.day < before);
            attempt.is_counted &= forgotten.is_none() || games.daily_scores.contains_key(key);
        }
        for stored in games.hashed_networks() {
            stored.take_if(|network| network.day < before);
        }
        Ok(())
    }
}

impl MemoryGames {
    /// The hash of each row that has one.
    fn hashed_networks(&mut self) -> impl Iterator<Item = &mut Option<NetworkHash>> {
        let answers = self.puzzle_answers.values_mut();
        answers.map(|(_, network)| network)
    }
}
