//! The data of browsers in memory.

use async_trait::async_trait;

use super::MemoryStore;
use super::game::MemoryGame;
use crate::day::Day;
use crate::secret::SecretHash;
use crate::store::{BrowserStore, DailyScore, StoreError};

#[async_trait]
impl BrowserStore for MemoryStore {
    async fn move_browser_data(
        &self,
        from: &SecretHash,
        to: Option<&SecretHash>,
    ) -> Result<(), StoreError> {
        let games = &mut *self.lock_games()?;
        games.feeds.remove(from);
        games.pairing_codes.remove(from);
        let answers = games
            .puzzle_answers
            .extract_if(|(browser, _), _| browser == from);
        let answers: Vec<_> = answers.map(|(_, answer)| answer).collect();
        let attempts = games
            .daily_attempts
            .extract_if(|(browser, _), _| browser == from);
        let attempts: Vec<_> = attempts.map(|(_, attempt)| attempt).collect();
        let scores = games
            .daily_scores
            .extract_if(|(browser, _), _| browser == from);
        let scores: Vec<_> = scores.map(|(_, score)| score).collect();
        let Some(to) = to else { return Ok(()) };
        for MemoryGame { stored, .. } in games.by_id.values_mut() {
            let creator = stored.header.creator.as_ref();
            if stored.header.book_of.is_none() {
                stored.seats.move_browser(creator, from, to);
            }
        }
        for (mut answer, network) in answers {
            answer.browser = *to;
            let key = (*to, answer.puzzle.clone());
            games.puzzle_answers.entry(key).or_insert((answer, network));
        }
        for mut attempt in attempts {
            attempt.browser = *to;
            let key = (*to, attempt.day);
            let kept = games.daily_attempts.get(&key);
            if kept.is_none_or(|kept| attempt.begun_ms < kept.begun_ms) {
                games.daily_attempts.insert(key, attempt);
            }
        }
        let attempts = &games.daily_attempts;
        let is_kept = |score: &DailyScore| {
            let kept = attempts.get(&(*to, score.day));
            kept.is_none_or(|kept| kept.game == score.game)
        };
        games
            .daily_scores
            .retain(|(browser, _), score| browser != to || is_kept(score));
        for mut score in scores.into_iter().filter(is_kept) {
            score.browser = *to;
            let key = (*to, score.day);
            games.daily_scores.entry(key).or_insert(score);
        }
        Ok(())
    }

    async fn delete_old_browser_data(&self, before_ms: i64) -> Result<(), StoreError> {
        let games = &mut *self.lock_games()?;
        let first_day = Day::of_ms(before_ms);
        games
            .puzzle_answers
            .retain(|_, (answer, _)| answer.at_ms >= before_ms);
        games.daily_attempts.retain(|(_, day), _| *day >= first_day);
        games.daily_scores.retain(|(_, day), _| *day >= first_day);
        games.feeds.retain(|_, feed| feed.fetched_ms >= before_ms);
        Ok(())
    }
}
