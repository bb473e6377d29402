//! The data of browsers in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::secret::SecretHash;
use crate::store::{BrowserStore, StoreError};

#[async_trait]
impl BrowserStore for MemoryStore {
    async fn move_browser_data(
        &self,
        from: &SecretHash,
        to: Option<&SecretHash>,
    ) -> Result<(), StoreError> {
        let games = &mut *self.lock_games()?;
        games.feeds.remove(from);
        let answers = games
            .puzzle_answers
            .extract_if(|(browser, _), _| browser == from);
        let answers: Vec<_> = answers.map(|(_, answer)| answer).collect();
        let scores = games
            .daily_scores
            .extract_if(|(browser, _), _| browser == from);
        let scores: Vec<_> = scores.map(|(_, score)| score).collect();
        let Some(to) = to else { return Ok(()) };
        for mut answer in answers {
            answer.browser = *to;
            let key = (*to, answer.puzzle.clone());
            games.puzzle_answers.entry(key).or_insert(answer);
        }
        for mut score in scores {
            score.browser = *to;
            let key = (*to, score.day);
            games.daily_scores.entry(key).or_insert(score);
        }
        Ok(())
    }
}
