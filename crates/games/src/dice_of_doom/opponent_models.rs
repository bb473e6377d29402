//! The ways of playing that a strong player recognises in others: those of the levels that look ahead so little that
//! they are foretold within some microseconds, in games that a network knows.

use std::sync::Arc;

use super::agents::{ByTheBook, Greedy, softened};
use super::handcrafted::ByHand;
use super::nnue::builtin::{ByNet, net_of};
use super::{DiceOfDoom, Position};
use dice_of_doom_core::level::{OnePly, RandomPlayer};
use dice_of_doom_core::search::{Foretold, OpponentModel};

/// All of them, weakest first: random, book, greedy, steady, advanced and expert.
#[must_use]
pub fn models() -> Vec<Arc<dyn OpponentModel<DiceOfDoom>>> {
    vec![
        Arc::new(WhereNetKnows(RandomPlayer)),
        Arc::new(WhereNetKnows(ByTheBook)),
        Arc::new(WhereNetKnows(Greedy)),
        Arc::new(WhereNetKnows(OnePly(ByHand))),
        Arc::new(WhereNetKnows(softened())),
        Arc::new(WhereNetKnows(OnePly(ByNet))),
    ]
}

/// A model in the games that a network knows. Elsewhere `advanced` and `expert` search, the book looks further ahead, and
/// `master` and `champion` have more simulations: to foretell what others do would take them seconds.
struct WhereNetKnows<M>(M);

impl<M: OpponentModel<DiceOfDoom>> OpponentModel<DiceOfDoom> for WhereNetKnows<M> {
    fn foretell(&self, game: &DiceOfDoom, position: &Position) -> Vec<Foretold<DiceOfDoom>> {
        match net_of(game) {
            Some(_) => self.0.foretell(game, position),
            None => Vec::new(),
        }
    }
}
