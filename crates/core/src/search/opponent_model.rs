//! Models that predict the actions of opponents.

use std::sync::Arc;

use crate::game::{ByPlayer, Game, MAX_PLAYERS, Player};

/// A model of a player that predicts actions.
pub trait OpponentModel<G: Game>: Send + Sync {
    /// The predicted actions in a position that is not over, with their probabilities, which sum to 1. Empty if the
    /// model makes no prediction.
    fn predict(&self, game: &G, position: &G::Position) -> Vec<ActionProbability<G>>;
}

/// An action with its predicted probability.
pub type ActionProbability<G> = (<G as Game>::Action, f32);

/// The uniform distribution over these actions.
pub fn uniform<A>(actions: impl IntoIterator<Item = A>) -> Vec<(A, f32)> {
    let mut prediction: Vec<(A, f32)> = actions.into_iter().map(|action| (action, 1.0)).collect();
    let count = prediction.len() as f32;
    for (_, probability) in &mut prediction {
        *probability /= count;
    }
    prediction
}

/// The model of each player. A player without a model is assumed to maximise their own share.
pub struct OpponentModels<G: Game>(ByPlayer<Option<Arc<dyn OpponentModel<G>>>>);

impl<G: Game> OpponentModels<G> {
    /// Calls `model` for each player.
    pub fn from_fn(model: impl FnMut(Player) -> Option<Arc<dyn OpponentModel<G>>>) -> Self {
        OpponentModels(ByPlayer::from_fn(model))
    }

    /// Whether the player has a model.
    #[must_use]
    pub fn has_model(&self, player: Player) -> bool {
        self.0[player].is_some()
    }

    /// The prediction of the model of the mover; empty if there is no model. See [`OpponentModel::predict`].
    pub fn predict(
        &self,
        game: &G,
        position: &G::Position,
        mover: Player,
    ) -> Vec<ActionProbability<G>> {
        let model = self.0[mover].as_ref();
        model.map_or_else(Vec::new, |model| model.predict(game, position))
    }
}

impl<G: Game> Default for OpponentModels<G> {
    /// No models.
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
    /// Whether both have the same models, compared by identity.
    fn eq(&self, other: &Self) -> bool {
        Player::all(MAX_PLAYERS as u8).all(|player| match (&self.0[player], &other.0[player]) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        })
    }
}
