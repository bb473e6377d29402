//! Opponents whose choices are foreseen.

use std::sync::Arc;

use crate::game::{ByPlayer, Game, MOST_PLAYERS, Player};

/// A way of choosing actions that can be foretold.
pub trait OpponentModel<G: Game>: Send + Sync {
    /// What whoever plays so does in a position that is not over; `None` where that cannot be foretold.
    fn foretell(&self, game: &G, position: &G::Position) -> Option<G::Action>;
}

/// Who is known to play in which way. Whoever is not is taken to look after the own share.
pub struct Opponents<G: Game>(ByPlayer<Option<Arc<dyn OpponentModel<G>>>>);

impl<G: Game> Opponents<G> {
    /// Says for each player whether a way is known.
    pub fn known(way: impl FnMut(Player) -> Option<Arc<dyn OpponentModel<G>>>) -> Self {
        Opponents(ByPlayer::from_fn(way))
    }

    /// Whether it is known how a player plays.
    #[must_use]
    pub fn is_known(&self, player: Player) -> bool {
        self.0[player].is_some()
    }

    /// What a player is known to do in a position in which that player is on turn.
    pub fn foretell(&self, game: &G, position: &G::Position, mover: Player) -> Option<G::Action> {
        self.0[mover].as_ref()?.foretell(game, position)
    }
}

impl<G: Game> Default for Opponents<G> {
    /// Nobody is known.
    fn default() -> Self {
        Opponents::known(|_| None)
    }
}

impl<G: Game> Clone for Opponents<G> {
    fn clone(&self) -> Self {
        Opponents::known(|player| self.0[player].clone())
    }
}

impl<G: Game> PartialEq for Opponents<G> {
    /// Whether the same model, not only an equal one, is known of everybody.
    fn eq(&self, other: &Self) -> bool {
        Player::all(MOST_PLAYERS as u8).all(|player| match (&self.0[player], &other.0[player]) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        })
    }
}
