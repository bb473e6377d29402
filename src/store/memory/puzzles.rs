//! Answers to puzzles in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::MemoryStore;
use crate::secret::SecretHash;
use crate::store::{PuzzleAnswer, PuzzleCount, PuzzleStore, StoreError};

#[async_trait]
impl PuzzleStore for MemoryStore {
    async fn add_puzzle_answer(&self, answer: PuzzleAnswer) -> Result<(), StoreError> {
        let answers = &mut self.lock_games()?.puzzle_answers;
        let key = (answer.browser, answer.puzzle.clone());
        answers.entry(key).or_insert(answer);
        Ok(())
    }

    async fn puzzle_answers(&self, browser: &SecretHash) -> Result<Vec<PuzzleAnswer>, StoreError> {
        let games = self.lock_games()?;
        let answers = games.puzzle_answers.values();
        let own = answers.filter(|answer| answer.browser == *browser);
        let mut own: Vec<PuzzleAnswer> = own.cloned().collect();
        own.sort_by(|a, b| (a.at_ms, &a.puzzle).cmp(&(b.at_ms, &b.puzzle)));
        Ok(own)
    }

    async fn puzzle_counts(&self) -> Result<Vec<PuzzleCount>, StoreError> {
        let games = self.lock_games()?;
        let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        for answer in games.puzzle_answers.values() {
            let (answers, right) = counts.entry(&answer.puzzle).or_default();
            *answers += 1;
            *right += u32::from(answer.is_right);
        }
        let counts = counts.into_iter();
        Ok(counts
            .map(|(puzzle, (answers, right))| PuzzleCount {
                puzzle: puzzle.to_owned(),
                answers,
                right,
            })
            .collect())
    }
}
