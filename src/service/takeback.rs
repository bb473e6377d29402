//! Who may take back what, decided on a snapshot; the table and the archive ensure that it happens once.

use thiserror::Error;

use super::Snapshot;
use crate::game::{Player, PlayerSet};
use crate::record::MAX_TAKEBACKS;
use crate::seats::SeatOccupant;

/// Why nothing is taken back in a game that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum TakebackError {
    /// The table was set up so.
    #[error("at this table no move is taken back")]
    Strict,
    /// Somebody else sits at the table, or may still sit down.
    #[error("moves are taken back only where nobody else plays")]
    Others,
    /// No ply of theirs stands.
    #[error("there is no move of yours to take back")]
    Nothing,
    /// [`MAX_TAKEBACKS`] have been made.
    #[error("{MAX_TAKEBACKS} moves were taken back in this game, and no more can be")]
    TooMany,
}

impl Snapshot {
    /// The number of the ply before which the game would stand again if whoever has these seats took
    /// back: their own newest ply that stands. `None` where the game is over.
    ///
    /// # Errors
    /// Why nothing can be taken back.
    pub fn takeback(&self, own: &[Player]) -> Result<Option<u32>, TakebackError> {
        if self.live.is_over() {
            return Ok(None);
        }
        if !self.takebacks {
            return Err(TakebackError::Strict);
        }
        let mut seats = Player::all(self.live.players()).zip(&self.seats.seats);
        let is_apart = |(player, sitter): (Player, &SeatOccupant)| match sitter {
            SeatOccupant::Level { .. } => false,
            SeatOccupant::Open { .. } => true,
            SeatOccupant::Person { .. } | SeatOccupant::Program { .. } => !own.contains(&player),
        };
        if seats.any(|(player, seat)| is_apart((player, &seat.sitter))) {
            return Err(TakebackError::Others);
        }
        let newest = self
            .live
            .newest_of(PlayerSet::from_iter(own.iter().copied()));
        let newest = newest.ok_or(TakebackError::Nothing)?;
        if self.live.takebacks() >= MAX_TAKEBACKS {
            return Err(TakebackError::TooMany);
        }
        Ok(Some(newest))
    }
}
