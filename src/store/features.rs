//! What is stored besides the games, one module for each feature with its rows, its statements and its changes.
//!
//! The methods are those of every [`Store`](super::Store). They fail with
//! [`StoreError::Unavailable`](super::StoreError::Unavailable); other errors are named.

mod browser;
mod cards;
mod copy;
pub(super) mod lists;
pub(super) mod retention;
mod served;

pub use cards::StoredCard;
pub use lists::{CursorParseError, GameList, GamePage, MAX_OWN_GAMES_SKIPPED, PageCursor};
pub use retention::RetentionCutoffs;
pub use served::{MAX_SERVED_PERIODS, ServedPeriod};
