//! Why something was not done at a table.

use std::sync::Arc;

use thiserror::Error;

use super::{SeatChangeError, Snapshot, TakebackError};
use crate::game_adapters::{ActionError, DealError};
use crate::provably_fair::EntropyRejection;
use crate::record::MAX_CONTRIBUTIONS;
use crate::seats::MOST_SIMULATIONS;
use crate::store::StoreError;

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
    /// The game is not at the ply at which something was to be played: mostly another ply was played first.
    #[error("the game is at another ply, at {}", snapshot.live.ply())]
    Stale {
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// The rules refuse.
    #[error("{why}")]
    Refused {
        /// Why.
        why: ActionError,
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
        why: SeatChangeError,
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// The game has not come so far, so nothing can be played on from there.
    #[error("the game has not come so far")]
    NotSoFar {
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// The rules end the game at the position that was to be played on from.
    #[error("the game is over there; go back a move to play on")]
    OverThere {
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// Nothing is taken back.
    #[error("{why}")]
    TakebackRefused {
        /// Why.
        why: TakebackError,
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// Words were fixed for the dice and are not told yet.
    #[error(
        "words are being added to the dice: add yours, or \"-\" for none, before anybody plays"
    )]
    WordsAwaited {
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// Words are not added to the dice.
    #[error("{why}")]
    WordsRefused {
        /// Why.
        why: EntropyRejection,
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// The player has given words for the dice as often as anybody may.
    #[error("you have added words to these dice {MAX_CONTRIBUTIONS} times, and that is enough")]
    EnoughWords {
        /// How the game stands.
        snapshot: Arc<Snapshot>,
    },
    /// The seats do not fit the game.
    #[error("a game of {players} players needs {players} seats")]
    Seats {
        /// How many the game has.
        players: u8,
    },
    /// A computer is told to make more simulations than one may.
    #[error("a computer makes at most {MOST_SIMULATIONS} simulations a decision here")]
    Simulations,
    /// More computers are asked to think than may wait.
    #[error("too many computers are thinking; please come back in a moment")]
    Busy,
    /// This network asks for too much at the same time.
    #[error(
        "too many questions of your network are thought about at once; please wait for an answer"
    )]
    TooMuchAtOnce,
    /// The archive is as large as it may be; games that exist go on.
    #[error("there is no room for new games at the moment; games that have begun go on")]
    NoRoom,
    /// The archive cannot be used, or the server stops.
    #[error("the games cannot be reached at the moment")]
    Unavailable,
    /// A stored game cannot be read; the log says why.
    #[error("this game's record is damaged")]
    Damaged,
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => ServiceError::NotFound,
            StoreError::Damaged(what) => {
                tracing::error!(
                    what,
                    "a stored game is damaged and is not served: put back a copy of the database, or go on without the game"
                );
                ServiceError::Damaged
            }
            other => {
                tracing::error!(error = %other, "the archive failed");
                ServiceError::Unavailable
            }
        }
    }
}
