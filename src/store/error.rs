//! Errors of the store.

use std::fmt::Display;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the game has {next} entries")]
    Conflict {
        /// Number of entries of the game, the ending included.
        next: u32,
    },
    /// A newer lease of the game exists.
    #[error("another instance has acquired the lease")]
    Fenced,
    #[error("a game with this id exists")]
    Exists,
    #[error("no such game")]
    NotFound,
    #[error("the seats are at revision {revision}")]
    StaleSeats {
        /// The current revision.
        revision: u32,
    },
    /// The integrity check of the game failed. The text is for the log.
    #[error("a record is damaged: {0}")]
    Damaged(String),
    /// The storage failed. The text is for the log and is not shown to players.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
}

/// The storage failed for this reason.
pub(super) fn unavailable(error: impl Display) -> StoreError {
    StoreError::Unavailable(error.to_string())
}
