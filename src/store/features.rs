//! What is stored besides the games, one module for each feature with its rows, its statements and its changes.
//!
//! The methods are those of every [`Store`](super::Store). They fail with
//! [`StoreError::Unavailable`](super::StoreError::Unavailable); other errors are named.

mod browser_data;
mod cards;
mod copy;
mod counters;
mod daily;
mod feeds;
pub(super) mod lists;
mod networks;
mod open_tables;
mod pairing;
pub(super) mod programs;
mod puzzles;
pub(super) mod retention;
mod reviews;
mod served;

pub use cards::StoredCard;
pub(super) use daily::DailyAttempt;
pub use daily::{DailyCount, DailyDeal, DailyScore};
pub use feeds::StoredFeed;
pub use lists::{CursorParseError, GameList, GamePage, MAX_OWN_GAMES_SKIPPED, PageCursor};
pub use networks::{COUNTED_PER_NETWORK, NetworkHash, NetworkKey};
pub use open_tables::{ListedSince, ListedTable, MAX_TABLES_PER_NETWORK, OpenTable};
pub use pairing::StoredPairingCode;
pub use programs::{ProgramId, RegisteredProgram};
pub use puzzles::{PuzzleAnswer, PuzzleCount};
pub use retention::RetentionCutoffs;
pub use reviews::{ReviewChange, StoredReview};
pub use served::{MAX_SERVED_PERIODS, ServedPeriod};
