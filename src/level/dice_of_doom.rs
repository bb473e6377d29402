//! Who plays Dice of Doom at each level.

use std::num::NonZeroUsize;

use rand::RngExt;

use super::{
    AnyAction, ByTheBook, Choice, Effort, Level, Levelled, OnePly, SearchRng, Searching, Strategy,
};
use crate::games::dice_of_doom::forecast::ByHand;
use crate::games::dice_of_doom::{Action, DiceOfDoom, Position};
use crate::search::Stop;
use crate::search::puct::Tuning;

/// Found in the arena.
const TUNING: Tuning = Tuning {
    exploration: 0.4,
    thorough_from: 4,
    temperature: 0.03,
    patience: 0.99,
};

impl Levelled for DiceOfDoom {
    fn strategy(level: Level) -> Box<dyn Strategy<Self>> {
        let search = |simulations, trees| {
            let trees = NonZeroUsize::new(trees).expect("written here");
            Box::new(Searching::new(ByHand, TUNING, simulations, trees))
        };
        match level {
            Level::Random => Box::new(AnyAction),
            Level::Book => Box::new(ByTheBook),
            Level::Greedy => Box::new(Greedy),
            Level::Steady => Box::new(OnePly(ByHand)),
            Level::Expert => search(100, 1),
            Level::Master => search(1_000, 1),
            Level::Champion => search(20_000, 2),
        }
    }
}

/// The likeliest attack while it is more likely than not, then the end of the turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Greedy;

impl Strategy<DiceOfDoom> for Greedy {
    fn choose(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        _: Effort,
        rng: &mut SearchRng,
        _: &Stop,
    ) -> Choice<Action> {
        use crate::game::Game;
        let appeal = |action| match action {
            Action::EndTurn => 0.5,
            Action::Attack { from, to } => match game.odds(position, from, to) {
                Some(odds) => odds,
                // Where more dice win, every attack is sure: the most dice are taken.
                None => 1.0 + f64::from(position.dice(to)),
            },
        };
        let best = game.actions(position).map(appeal).fold(0.0, f64::max);
        let equals: Vec<Action> = game
            .actions(position)
            .filter(|&action| appeal(action) >= best)
            .collect();
        Choice {
            action: equals[rng.random_range(0..equals.len())],
            shares: None,
            nodes: equals.len() as u64,
        }
    }
}
