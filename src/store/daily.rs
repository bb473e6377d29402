//! The boards of the days and their scores.

use super::{GameHeader, GameId, GameOrigin, NetworkHash};
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

/// The scored game of a day that a browser has begun.
#[derive(Clone, Debug)]
pub(super) struct DailyAttempt {
    pub browser: SecretHash,
    pub day: Day,
    pub game: GameId,
    /// Unix time in milliseconds.
    pub begun_ms: i64,
    /// The network from which it was begun, until the hashes of the day are deleted.
    pub network: Option<NetworkHash>,
    /// Whether the public counts may take its result: not if that is stored after the hash was deleted.
    pub is_counted: bool,
}

impl DailyAttempt {
    /// The attempt that its creator makes with a new game, if it is a scored one.
    pub(super) fn of_new_game(header: &GameHeader) -> Option<Self> {
        match (&header.origin, header.creator) {
            (Some(GameOrigin::Daily { day }), Some(browser)) => Some(DailyAttempt {
                browser,
                day: *day,
                game: header.id.clone(),
                begun_ms: header.created_ms,
                network: None,
                is_counted: true,
            }),
            _ => None,
        }
    }
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
    /// Whether the public counts take it.
    pub is_counted: bool,
}

/// How many of the counted games of a day ended with a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DailyCount {
    pub hexes: u32,
    pub is_won: bool,
    pub games: u32,
}
