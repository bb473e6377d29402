//! The boards of the days and their scores.

use super::GameId;
use crate::day::Day;
use crate::provably_fair::CommittedSeed;
use crate::secret::SecretHash;

/// The secret of a day, from which its deal and its dice are derived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DailyDeal {
    pub day: Day,
    pub secret: CommittedSeed,
    /// Unix time at which the secret was stored and its commitment became public, in milliseconds.
    pub committed_ms: i64,
}

/// The result of a browser's scored game of a day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DailyScore {
    pub day: Day,
    pub browser: SecretHash,
    pub game: GameId,
    /// The hexes at the end.
    pub hexes: u32,
    pub is_won: bool,
}

/// How many games of a day ended with a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DailyCount {
    pub hexes: u32,
    pub is_won: bool,
    pub games: u32,
}
