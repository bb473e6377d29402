//! Errors of service requests.

use std::sync::Arc;

use thiserror::Error;

use crate::game::Player;
use crate::games::{ActionError, DealError};
use crate::level::MissingLevelError;
use crate::provably_fair::EntropyRejection;
use crate::record::MAX_TAKEBACKS;
use crate::seats::{Credentials, MAX_SIMULATIONS};
use crate::store::StoreError;
use crate::tables::snapshot::Snapshot;

/// Why a seat change was rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SeatChangeError {
    #[error("there is no such seat")]
    NoSuchSeat,
    /// The link is used, withdrawn or unknown.
    #[error("the invitation is invalid or has been used")]
    NoSuchLink,
    /// The client is neither the seat's occupant nor the host, as the change requires.
    #[error("this seat is not yours to change")]
    NotYourSeat,
    /// The seat has been taken meanwhile.
    #[error("this seat is taken")]
    Taken,
    /// The game has started.
    #[error("the game has started")]
    Started,
    /// The player in the seat has moved.
    #[error("this player has moved; only the seat of a player who has not moved can be freed")]
    HasMoved,
    /// The browser or its client network has the maximum of open tables.
    #[error(
        "three of your tables, or of your network, are listed already; take one off the list first"
    )]
    TooManyTables,
    /// The browser or its client network has the maximum of seats at open tables in which it has not moved.
    #[error(
        "you, or others in your network, have three seats at open tables without having moved there; move there first"
    )]
    TooManySeats,
    /// This game has no replacement of slow players.
    #[error("nobody can be replaced in this game")]
    ReplacementDisabled,
    /// Neither a ply nor entropy text of this seat is awaited, or no person or program plays it.
    #[error("nobody is waiting for that seat")]
    NotTheirTurn,
    /// The replacement delay has not passed.
    #[error("a computer can take over in {wait_s} seconds")]
    TooEarly {
        /// The remaining seconds.
        wait_s: u32,
    },
    /// A rematch requires a finished game.
    #[error("the game goes on")]
    GameInProgress,
    /// The game has no such level, or no computer player can be weaker or stronger.
    #[error("there is no such level")]
    NoSuchLevel,
}

/// Why a takeback in a game in progress was rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum TakebackError {
    /// Takebacks are disabled in this game.
    #[error("moves cannot be taken back in this game")]
    Disabled,
    /// Another player has a seat, or a seat is open.
    #[error("moves can be taken back only if nobody else plays")]
    OtherPlayersSeated,
    /// The client has no ply on the mainline.
    #[error("there is no move of yours to take back")]
    NothingToTakeBack,
    /// The game's limit of takebacks is reached.
    #[error("at most {MAX_TAKEBACKS} moves can be taken back in a game")]
    TooMany,
}

/// Why a phrase was not said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PhraseError {
    #[error("you have just said something")]
    TooSoon,
    #[error("nobody else is at this table")]
    Alone,
}

/// Why a request was rejected. Nothing has changed.
#[derive(Debug, Error)]
pub enum ServiceError {
    #[error("there is no such game")]
    NotFound,
    /// The board of this day cannot be begun today.
    #[error("only the board of today can be begun")]
    NotToday,
    /// The client has no seat in this game.
    #[error("no seat of this game is yours")]
    NotYourSeat {
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// The game is not at the expected ply; usually another ply was played first.
    #[error("the game is at another ply, at {}", snapshot.live.entry_count())]
    Stale {
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// The game waits for players.
    #[error("the game has not started: it waits for players")]
    NotStarted {
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// The rules do not allow the action.
    #[error("{why}")]
    ActionRejected {
        why: ActionError,
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// The game cannot be created with these settings.
    #[error("{0}")]
    Deal(#[from] DealError),
    /// The seat change is not allowed.
    #[error("{why}")]
    SeatChangeRejected {
        why: SeatChangeError,
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// The game has not reached the position to play on from.
    #[error("the game has not reached that ply")]
    PlyNotReached {
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// The game is over at the position to play on from.
    #[error("the game is over at that ply; go back a move to continue from there")]
    PositionIsOver {
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// The takeback is not allowed.
    #[error("{why}")]
    TakebackRejected {
        why: TakebackError,
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// Committed entropy text must be revealed first.
    #[error(
        "words are being added to the dice: add yours, or \"-\" for none, before anybody plays"
    )]
    EntropyRevealDue {
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// The entropy text is rejected.
    #[error("{why}")]
    EntropyRejected {
        why: EntropyRejection,
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// The phrase was not said.
    #[error("{why}")]
    PhraseRejected {
        why: PhraseError,
        /// The newest state.
        snapshot: Arc<Snapshot>,
    },
    /// The number of seats is wrong.
    #[error("a game of {players} players needs {players} seats")]
    Seats {
        /// The game's number of players.
        players: u8,
    },
    /// A seat has a level that the game lacks.
    #[error("{0}")]
    Level(#[from] MissingLevelError),
    /// More simulations per decision are requested than allowed.
    #[error("a computer makes at most {MAX_SIMULATIONS} simulations a decision here")]
    Simulations,
    /// The compute queue is full.
    #[error("too many computers are thinking; please come back in a moment")]
    Busy,
    /// The client network's limit of concurrent queries is reached.
    #[error(
        "too many questions of your network are thought about at once; please wait for an answer"
    )]
    TooManyConcurrent,
    /// The browser or its client network has the maximum of open tables.
    #[error(
        "three of your tables, or of your network, are listed already; take one off the list first"
    )]
    TooManyOpenTables,
    /// The storage quota is exceeded; existing games continue.
    #[error("there is no room for new games at the moment; games in progress continue")]
    StorageFull,
    /// The store failed, or the server is stopping.
    #[error("the games cannot be read at the moment")]
    Unavailable,
    /// A stored game cannot be replayed; the log states the reason.
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
                    "a stored game is damaged and is not served: restore a backup of the database, or continue without the game"
                );
                ServiceError::Damaged
            }
            other => {
                tracing::error!(error = %other, "the store failed");
                ServiceError::Unavailable
            }
        }
    }
}

impl Snapshot {
    /// The client's seats, required before any other check of a request to play.
    ///
    /// # Errors
    /// [`ServiceError::NotYourSeat`] if the client has none.
    pub fn check_can_play(
        self: &Arc<Self>,
        credentials: &Credentials,
    ) -> Result<Vec<Player>, ServiceError> {
        let seats = self.seats_of(credentials);
        if seats.is_empty() {
            let snapshot = Arc::clone(self);
            return Err(ServiceError::NotYourSeat { snapshot });
        }
        Ok(seats)
    }

    /// Like [`Snapshot::check_can_play`], for what is possible only once the game has started.
    ///
    /// # Errors
    /// As for [`Snapshot::check_can_play`], and [`ServiceError::NotStarted`] while the game waits for players.
    pub fn check_started(
        self: &Arc<Self>,
        credentials: &Credentials,
    ) -> Result<Vec<Player>, ServiceError> {
        let seats = self.check_can_play(credentials)?;
        match self.is_waiting() {
            true => Err(ServiceError::NotStarted {
                snapshot: Arc::clone(self),
            }),
            false => Ok(seats),
        }
    }
}
