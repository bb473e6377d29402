//! Opponent models: the weaker levels that a strong agent can recognise. In games with a network these levels
//! search so little that a prediction takes only microseconds.

use std::sync::Arc;

use super::agents::{blended_nnue, greedy_actions};
use super::handcrafted::HandcraftedEvaluator;
use super::nnue::builtin::{NnueEvaluator, nnue_for};
use super::{DiceOfDoom, Position, land_of_lisp};
use dice_of_doom_core::level::{OnePlyAgent, RandomAgent};
use dice_of_doom_core::search::{ActionProbability, OpponentModel, uniform};

type Prediction = Vec<ActionProbability<DiceOfDoom>>;

/// All models, weakest first: random, book, greedy, steady, advanced and expert.
#[must_use]
pub fn models() -> Vec<Arc<dyn OpponentModel<DiceOfDoom>>> {
    let predictors: [fn(&DiceOfDoom, &Position) -> Prediction; 6] = [
        |game, position| RandomAgent.predict(game, position),
        |game, position| uniform([land_of_lisp::choose(game, position)]),
        |game, position| uniform(greedy_actions(game, position)),
        |game, position| OnePlyAgent(HandcraftedEvaluator).predict(game, position),
        |game, position| blended_nnue().predict(game, position),
        |game, position| OnePlyAgent(NnueEvaluator).predict(game, position),
    ];
    let models = predictors.map(|predictor| Arc::new(NnueCoveredModel(predictor)) as _);
    models.to_vec()
}

/// Restricts a model to games with a network. In other games `advanced` and `expert` search and the book's
/// player looks further ahead, so a prediction would take seconds.
struct NnueCoveredModel(fn(&DiceOfDoom, &Position) -> Prediction);

impl OpponentModel<DiceOfDoom> for NnueCoveredModel {
    fn predict(&self, game: &DiceOfDoom, position: &Position) -> Prediction {
        match nnue_for(game) {
            Some(_) => self.0(game, position),
            None => Vec::new(),
        }
    }
}
