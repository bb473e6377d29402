//! How a game will end, judged by hand: what each player has, and who is next.
//!
//! Each player's [`features`] are weighed by how far away the player's turn is; a softmax of the sums
//! is the forecast. What to look at was chosen by hand; how much it weighs stands in [`weights`] and
//! was found by `dice-of-doom tune`.

use super::position::Position;
use super::rules::{Action, DiceOfDoom};
use crate::search::{Forecast, Shares};

pub mod features;
pub mod weights;

use weights::Weights;

/// The evaluation by hand, with the weights of the game that is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByHand;

/// The evaluation by hand with weights of one's own.
#[derive(Clone, Copy, Debug)]
pub struct Weighed<'w>(pub &'w Weights);

impl Forecast<DiceOfDoom> for ByHand {
    fn shares(&self, game: &DiceOfDoom, position: &Position) -> Shares {
        Weighed(Weights::of(game)).shares(game, position)
    }

    fn appeal(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        Weighed(Weights::of(game)).appeal(game, position, action)
    }
}

impl Forecast<DiceOfDoom> for Weighed<'_> {
    fn shares(&self, game: &DiceOfDoom, position: &Position) -> Shares {
        let features = features::of(game, position);
        self.0.weigh(&features, position.player(), game.players())
    }

    /// The odds of an attack; the end of the turn is like an attack with even ones.
    fn appeal(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        match action {
            Action::EndTurn => 0.5,
            Action::Attack { from, to } => game.odds(position, from, to).unwrap_or(0.5) as f32,
        }
    }
}
