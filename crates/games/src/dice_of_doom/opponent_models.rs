//! The ways of playing that a strong player recognises in others: those of the levels that look ahead so little that
//! they are foretold within some microseconds, in games that a network knows.

use std::sync::Arc;

use super::agents::{DiceBookAgent, DiceGreedyAgent, blended_nnue};
use super::handcrafted::HandcraftedEvaluator;
use super::nnue::builtin::{NnueEvaluator, nnue_for};
use super::{DiceOfDoom, Position};
use dice_of_doom_core::level::{OnePlyAgent, RandomAgent};
use dice_of_doom_core::search::{ActionProbability, OpponentModel};

/// All of them, weakest first: random, book, greedy, steady, advanced and expert.
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

/// A model in the games that a network knows. Elsewhere `advanced` and `expert` search, the book looks further ahead, and
/// `master` and `champion` have more simulations: to foretell what others do would take them seconds.
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
