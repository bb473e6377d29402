//! Opponent models: the weaker levels that a strong agent can recognise. In games with a network these levels
//! search so little that a prediction takes only microseconds.

use std::sync::Arc;

use super::agents::{DiceBookAgent, DiceGreedyAgent, blended_nnue};
use super::handcrafted::HandcraftedEvaluator;
use super::nnue::builtin::{NnueEvaluator, nnue_for};
use super::{DiceOfDoom, Position};
use dice_of_doom_core::level::{OnePlyAgent, RandomAgent};
use dice_of_doom_core::search::{ActionProbability, OpponentModel};

/// All models, weakest first: random, book, greedy, steady, advanced and expert.
#[must_use]
pub fn models() -> Vec<Arc<dyn OpponentModel<DiceOfDoom>>> {
    vec![
        Arc::new(NnueCoveredModel(RandomAgent)),
        Arc::new(NnueCoveredModel(DiceBookAgent)),
        Arc::new(NnueCoveredModel(DiceGreedyAgent)),
        Arc::new(NnueCoveredModel(OnePlyAgent(HandcraftedEvaluator))),
        Arc::new(NnueCoveredModel(blended_nnue())),
        Arc::new(NnueCoveredModel(OnePlyAgent(NnueEvaluator))),
    ]
}

/// Restricts a model to games with a network. In other games `advanced` and `expert` search and the book's
/// player looks further ahead, so a prediction would take seconds.
struct NnueCoveredModel<M>(M);

impl<M: OpponentModel<DiceOfDoom>> OpponentModel<DiceOfDoom> for NnueCoveredModel<M> {
    fn predict(
        &self,
        game: &DiceOfDoom,
        position: &Position,
    ) -> Vec<ActionProbability<DiceOfDoom>> {
        match nnue_for(game) {
            Some(_) => self.0.predict(game, position),
            None => Vec::new(),
        }
    }
}
