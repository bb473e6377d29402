//! Snapshots: a game at one moment, which readers hold while the game goes on.

use std::sync::Arc;

use super::Claim;
use crate::archive::GameId;
use crate::faces::Live;
use crate::game::Player;
use crate::level::Level;
use crate::seats::{Pace, Seat, Seats, Sitter};
use crate::secret::SecretHash;

/// A game at one moment. It never changes; a new one is published after each change of the game.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The public id.
    pub id: GameId,
    /// The game itself.
    pub live: Live,
    /// Who sits where.
    pub seats: Arc<Seats>,
    /// Whether computers move by themselves.
    pub pace: Pace,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: i64,
    /// The browser that made it.
    pub creator: Option<SecretHash>,
    /// Whether only its players see it, as all games of the book's page.
    pub private: bool,
    /// After so many seconds without a ply the others may let a computer play.
    pub replace_after_s: Option<u32>,
    /// The newest rematch that was begun while this game is in memory; the archive knows all of them.
    pub rematch: Option<GameId>,
}

impl Snapshot {
    /// The seats that this claim opens, in order of play.
    #[must_use]
    pub fn seats_of(&self, claim: &Claim) -> Vec<Player> {
        Player::all(self.live.players())
            .zip(&self.seats.seats)
            .filter(|(_, seat)| seat.sitter.is_human() && claim.opens(seat.sitter.keys()))
            .map(|(player, _)| player)
            .collect()
    }

    /// Who sits in this player's seat.
    #[must_use]
    pub fn seat(&self, player: Player) -> Option<&Seat> {
        self.seats.seats.get(usize::from(player.number()))
    }

    /// The level whose turn it is, if a computer is to move.
    #[must_use]
    pub fn computer_to_move(&self) -> Option<(Player, Level)> {
        let mover = self.live.mover()?;
        match &self.seat(mover)?.sitter {
            Sitter::Level { level, .. } => Some((mover, level.plays())),
            Sitter::Open { .. } | Sitter::Person { .. } | Sitter::Program { .. } => None,
        }
    }

    /// The version for caches: it changes whenever anything that a page shows does.
    #[must_use]
    pub fn version(&self) -> String {
        let ending = u8::from(self.live.ending().is_some());
        format!("{}.{}.{ending}", self.live.ply(), self.seats.revision)
    }
}
