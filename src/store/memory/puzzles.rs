//! Answers to puzzles in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::MemoryStore;
use crate::secret::SecretHash;
use crate::store::{
    COUNTED_PER_NETWORK, NetworkHash, PuzzleAnswer, PuzzleCount, PuzzleStore, StoreError,
};

#[async_trait]
impl PuzzleStore for MemoryStore {
    async fn add_puzzle_answer(
        &self,
        mut answer: PuzzleAnswer,
        network: Option<NetworkHash>,
    ) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let network = network.filter(|network| games.network_keys.contains_key(&network.day));
        let answers = &mut games.puzzle_answers;
        let same = answers.values().filter(|(other, from)| {
            network.is_some() && *from == network && other.puzzle == answer.puzzle
        });
        answer.is_counted &= same.count() < COUNTED_PER_NETWORK as usize;
        let key = (answer.browser, answer.puzzle.clone());
        answers.entry(key).or_insert((answer, network));
        Ok(())
    }

    async fn puzzle_answers(&self, browser: &SecretHash) -> Result<Vec<PuzzleAnswer>, StoreError> {
        let games = self.lock_games()?;
        let answers = games.puzzle_answers.values().map(|(answer, _)| answer);
        let own = answers.filter(|answer| answer.browser == *browser);
        let mut own: Vec<PuzzleAnswer> = own.cloned().collect();
        own.sort_by(|a, b| (a.at_ms, &a.puzzle).cmp(&(b.at_ms, &b.puzzle)));
        Ok(own)
    }

    async fn puzzle_counts(&self) -> Result<Vec<PuzzleCount>, StoreError> {
        let games = self.lock_games()?;
        let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        let answers = games.puzzle_answers.values().map(|(answer, _)| answer);
        for answer in answers.filter(|answer| answer.is_counted) {
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
