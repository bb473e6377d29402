//! The boards of the days in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::MemoryStore;
use crate::day::Day;
use crate::secret::SecretHash;
use crate::store::{DailyCount, DailyDeal, DailyScore, DailyStore, GameId, GameOrigin, StoreError};

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
        let origin = Some(GameOrigin::Daily { day });
        let found = games
            .by_id
            .values()
            .filter(|game| game.stored.header.origin == origin && game.belongs_to(browser))
            .min_by_key(|game| (game.stored.header.creator != Some(*browser), game.serial));
        Ok(found.map(|game| game.stored.header.id.clone()))
    }

    async fn daily_attempts(
        &self,
        browser: &SecretHash,
        since: Day,
    ) -> Result<Vec<Day>, StoreError> {
        let games = self.lock_games()?;
        let games = games.by_id.values();
        let days = games.filter_map(|game| match game.stored.header.origin {
            Some(GameOrigin::Daily { day }) => game.belongs_to(browser).then_some(day),
            _ => None,
        });
        let mut days: Vec<Day> = days.filter(|day| *day >= since).collect();
        days.sort_unstable();
        days.dedup();
        Ok(days)
    }

    async fn add_daily_score(&self, score: DailyScore, before_ms: i64) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let game = games.by_id.get(&score.game);
        if game.is_some_and(|game| game.stored.last_ms() >= before_ms) {
            return Ok(());
        }
        let key = (score.browser, score.day);
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
            if score.day == day {
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
