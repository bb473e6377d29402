//! Opponents whose choices are foreseen.

use std::sync::Arc;

use crate::game::{ByPlayer, Game, MAX_PLAYERS, Player};

/// A way of choosing actions that can be foretold.
pub trait OpponentModel<G: Game>: Send + Sync {
    /// What whoever plays so may do in a position that is not over: actions with their probabilities, together 1.
    /// Empty where that cannot be foretold.
    fn foretell(&self, game: &G, position: &G::Position) -> Vec<ActionProbability<G>>;
}

/// An action with the probability that it is chosen.
pub type ActionProbability<G> = (<G as Game>::Action, f32);

/// Each of these actions is as likely as another: the uniform distribution.
pub fn uniform<A>(actions: impl IntoIterator<Item = A>) -> Vec<(A, f32)> {
    let mut foretold: Vec<(A, f32)> = actions.into_iter().map(|action| (action, 1.0)).collect();
    let count = foretold.len() as f32;
    for (_, probability) in &mut foretold {
        *probability /= count;
    }
    foretold
}

/// Who is known to play in which way. Whoever is not is taken to look after the own share.
pub struct OpponentModels<G: Game>(ByPlayer<Option<Arc<dyn OpponentModel<G>>>>);

impl<G: Game> OpponentModels<G> {
    /// Says for each player whether a way is known.
    pub fn from_fn(way: impl FnMut(Player) -> Option<Arc<dyn OpponentModel<G>>>) -> Self {
        OpponentModels(ByPlayer::from_fn(way))
    }

    /// Whether it is known how a player plays.
    #[must_use]
    pub fn has_model(&self, player: Player) -> bool {
        self.0[player].is_some()
    }

    /// What a player is known to do in a position in which that player is on turn, as of
    /// [`OpponentModel::foretell`].
    pub fn foretell(
        &self,
        game: &G,
        position: &G::Position,
        mover: Player,
    ) -> Vec<ActionProbability<G>> {
        let model = self.0[mover].as_ref();
        model.map_or_else(Vec::new, |model| model.foretell(game, position))
    }
}

impl<G: Game> Default for OpponentModels<G> {
    /// Nobody is known.
    fn default() -> Self {
        OpponentModels::from_fn(|_| None)
    }
}

impl<G: Game> Clone for OpponentModels<G> {
    fn clone(&self) -> Self {
        OpponentModels::from_fn(|player| self.0[player].clone())
    }
}

impl<G: Game> PartialEq for OpponentModels<G> {
    /// Whether the same model, not only an equal one, is known of everybody.
    fn eq(&self, other: &Self) -> bool {
        Player::all(MAX_PLAYERS as u8).all(|player| match (&self.0[player], &other.0[player]) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        })
    }
}
