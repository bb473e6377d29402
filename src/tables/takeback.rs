//! The rules for takebacks, as functions of a snapshot; the table and the store ensure that each is made once.

use thiserror::Error;

use crate::game::{Player, PlayerSet};
use crate::record::MAX_TAKEBACKS;
use crate::seats::SeatOccupant;
use crate::tables::snapshot::Snapshot;

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

impl Snapshot {
    /// The number of the client's newest ply on the mainline, which a takeback would undo. `None` if the game is over.
    ///
    /// # Errors
    /// The reason why no takeback is possible.
    pub fn takeback(&self, own: &[Player]) -> Result<Option<u32>, TakebackError> {
        if self.live.is_over() {
            return Ok(None);
        }
        if !self.takebacks {
            return Err(TakebackError::Disabled);
        }
        let mut seats = Player::all(self.live.players()).zip(&self.seats.seats);
        let is_other_player = |(player, occupant): (Player, &SeatOccupant)| match occupant {
            SeatOccupant::Level { .. } => false,
            SeatOccupant::Open { .. } => true,
            SeatOccupant::Person { .. } | SeatOccupant::Program { .. } => !own.contains(&player),
        };
        if seats.any(|(player, seat)| is_other_player((player, &seat.occupant))) {
            return Err(TakebackError::OtherPlayersSeated);
        }
        let newest = self
            .live
            .last_ply_of(PlayerSet::from_iter(own.iter().copied()));
        let newest = newest.ok_or(TakebackError::NothingToTakeBack)?;
        if self.live.record_counts().takebacks >= MAX_TAKEBACKS {
            return Err(TakebackError::TooMany);
        }
        Ok(Some(newest))
    }
}
