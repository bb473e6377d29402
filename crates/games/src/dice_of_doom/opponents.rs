//! The ways of playing that a strong player recognises in others: those of the levels that look ahead so little that
//! they are foretold within some microseconds, in games that a network knows.

use std::sync::Arc;

use super::net::shipped::net_of;
use super::{Action, DiceOfDoom, Position};
use dice_of_doom_core::level::{Effort, Level, Levelled, SearchRng};
use dice_of_doom_core::search::{OpponentModel, Stop};

/// All of them, weakest first. A random player has none.
#[must_use]
pub fn models() -> Vec<Arc<dyn OpponentModel<DiceOfDoom>>> {
    let levels = [
        Level::Book,
        Level::Greedy,
        Level::Steady,
        Level::Advanced,
        Level::Expert,
    ];
    let models = levels.map(|level| Arc::new(OfLevel(level)) as Arc<dyn OpponentModel<DiceOfDoom>>);
    models.into()
}

/// Plays as a level does; where that one draws between equals, this is one of them.
struct OfLevel(Level);

impl OpponentModel<DiceOfDoom> for OfLevel {
    fn foretell(&self, game: &DiceOfDoom, position: &Position) -> Option<Action> {
        // Elsewhere the strong levels search ten times as long, some levels search that are to be recognised, and the
        // book looks further ahead: it would take them seconds.
        net_of(game)?;
        let rng = &mut SearchRng::seed_from_u64(0);
        let mut strategy = DiceOfDoom::strategy(self.0);
        let choice = strategy.choose(game, position, Effort::Usual, rng, &Stop::new());
        Some(choice.action)
    }
}
