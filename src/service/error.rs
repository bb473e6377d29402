//! Why something was not done at a table.

use std::sync::Arc;

use thiserror::Error;

use super::{SeatRefusal, Snapshot};
use crate::archive::ArchiveError;
use crate::faces::{DealError, Refused};

/// Why something was not done. Nothing has changed.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// No such game.
    #[error("there is no such game")]
    NotFound,
    /// No seat of this game is yours.
    #[error("no seat of this game is yours")]
    NotYourSeat {
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// Another ply was played first.
    #[error("another ply was played first; the game is at ply {}", snapshot.live.ply())]
    Stale {
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// The rules refuse.
    #[error("{why}")]
    Refused {
        /// Why.
        why: Refused,
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// No such game can be set up.
    #[error("{0}")]
    Deal(#[from] DealError),
    /// A seat stays as it is.
    #[error("{why}")]
    SeatRefused {
        /// Why.
        why: SeatRefusal,
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// The seats do not fit the game.
    #[error("a game of {players} players needs {players} seats")]
    Seats {
        /// How many the game has.
        players: u8,
    },
    /// More computers are asked to think than may wait.
    #[error("too many computers are thinking; please come back in a moment")]
    Busy,
    /// The archive cannot be used, or the server stops.
    #[error("the games cannot be reached at the moment")]
    Unavailable,
    /// A stored game cannot be read; the log says why.
    #[error("this game's record is damaged")]
    Damaged,
}

impl From<ArchiveError> for ServiceError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::NotFound => ServiceError::NotFound,
            other => {
                tracing::error!(error = %other, "the archive failed");
                ServiceError::Unavailable
            }
        }
    }
}
