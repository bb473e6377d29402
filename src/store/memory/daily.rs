//! The boards of the days in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::MemoryStore;
use crate::day::Day;
use crate::secret::SecretHash;
use crate::store::{
    COUNTED_PER_NETWORK, DailyAttempt, DailyCount, DailyDeal, DailyScore, DailyStore, GameId,
    NetworkHash, StoreError,
};

#[async_trait]
impl DailyStore for MemoryStore {
    async fn add_daily_deal(&self, deal: DailyDeal) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        games.daily_deals.entry(deal.day).or_insert(deal);
        Ok(())
    }

    async fn daily_deal(&self, day: Day) -> Result<Option<DailyDeal>, StoreError> {
        Ok(self.lock_games()?.daily_deals.get(&day).cloned())
    }

    async fn daily_days(&self, since: Day) -> Result<Vec<Day>, StoreError> {
        let games = self.lock_games()?;
        let days = games.daily_deals.keys();
        let mut days: Vec<Day> = days.filter(|day| **day >= since).copied().collect();
        days.sort_unstable();
        Ok(days)
    }

    async fn daily_game(
        &self,
        day: Day,
        browser: &SecretHash,
    ) -> Result<Option<GameId>, StoreError> {
        let games = self.lock_games()?;
        let attempt = games.daily_attempts.get(&(*browser, day));
        Ok(attempt.map(|attempt| attempt.game.clone()))
    }

    async fn daily_player(&self, game: &GameId) -> Result<Option<SecretHash>, StoreError> {
        let games = self.lock_games()?;
        let mut attempts = games.daily_attempts.values();
        let attempt = attempts.find(|attempt| attempt.game == *game);
        Ok(attempt.map(|attempt| attempt.browser))
    }

    async fn daily_attempts(
        &self,
        browser: &SecretHash,
        since: Day,
    ) -> Result<Vec<Day>, StoreError> {
        let games = self.lock_games()?;
        let own = games
            .daily_attempts
            .keys()
            .filter(|(of, day)| of == browser && *day >= since);
        let mut days: Vec<Day> = own.map(|(_, day)| *day).collect();
        days.sort_unstable();
        Ok(days)
    }

    async fn set_daily_network(
        &self,
        browser: &SecretHash,
        network: NetworkHash,
    ) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let has_key = games.network_keys.contains_key(&network.day);
        if let Some(attempt) = games.daily_attempts.get_mut(&(*browser, network.day)) {
            attempt.network = has_key.then_some(network);
        }
        Ok(())
    }

    async fn add_daily_score(
        &self,
        mut score: DailyScore,
        before_ms: i64,
    ) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let game = games.by_id.get(&score.game);
        if game.is_some_and(|game| game.stored.last_ms() >= before_ms) {
            return Ok(());
        }
        let key = (score.browser, score.day);
        if let Some(attempt) = games.daily_attempts.get(&key) {
            let is_same = |other: &DailyAttempt| {
                attempt.network.is_some() && other.network == attempt.network
            };
            let counted = games.daily_scores.values().filter(|other| {
                let other_attempt = games.daily_attempts.get(&(other.browser, other.day));
                other.is_counted && other_attempt.is_some_and(is_same)
            });
            let has_place = counted.count() < COUNTED_PER_NETWORK as usize;
            score.is_counted &= attempt.is_counted && has_place;
        }
        games.daily_scores.entry(key).or_insert(score);
        Ok(())
    }

    async fn daily_scores(&self, browser: &SecretHash) -> Result<Vec<DailyScore>, StoreError> {
        let games = self.lock_games()?;
        let scores = games.daily_scores.values();
        let mut own: Vec<DailyScore> = scores
            .filter(|score| score.browser == *browser)
            .cloned()
            .collect();
        own.sort_by_key(|score| score.day);
        Ok(own)
    }

    async fn daily_counts(&self, day: Day) -> Result<Vec<DailyCount>, StoreError> {
        let games = self.lock_games()?;
        let mut counts: BTreeMap<(u32, bool), u32> = BTreeMap::new();
        for score in games.daily_scores.values() {
            if score.day == day && score.is_counted {
                *counts.entry((score.hexes, score.is_won)).or_default() += 1;
            }
        }
        let counts = counts.into_iter();
        Ok(counts
            .map(|((hexes, is_won), games)| DailyCount {
                hexes,
                is_won,
                games,
            })
            .collect())
    }
}
