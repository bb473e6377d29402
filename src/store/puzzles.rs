//! Answers to puzzles.

use crate::secret::SecretHash;

/// The first answer of a browser to a puzzle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleAnswer {
    pub browser: SecretHash,
    pub puzzle: String,
    pub is_right: bool,
    /// Unix time, in milliseconds.
    pub at_ms: i64,
    /// Whether the public counts of the puzzle take it.
    pub is_counted: bool,
}

/// How often a puzzle was answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleCount {
    pub puzzle: String,
    pub answers: u32,
    pub right: u32,
}
