//! The rules for takebacks, as functions of a snapshot; the table and the store ensure that each is made once.

use crate::game::{Player, PlayerSet};
use crate::record::MAX_TAKEBACKS;
use crate::seats::SeatOccupant;
use crate::tables::error::TakebackError;
use crate::tables::snapshot::Snapshot;

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
