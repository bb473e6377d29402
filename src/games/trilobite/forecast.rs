//! How a game will end, judged by open lines.

use super::board::Column;
use super::evaluate::OpenLines;
use super::position::Position;
use super::rules::Trilobite;
use crate::game::ByPlayer;
use crate::search::{Evaluate, Forecast, Shares};

/// A lead in open lines, as win shares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByLines;

impl Forecast<Trilobite> for ByLines {
    fn shares(&self, game: &Trilobite, position: &Position) -> Shares {
        let lead = |player| OpenLines.evaluate(game, position, player) as f32 / 8.0;
        ByPlayer::from_fn(|player| {
            if player.number() < 2 {
                1.0 / (1.0 + (-lead(player)).exp())
            } else {
                0.0
            }
        })
    }

    fn appeal(&self, _: &Trilobite, _: &Position, _: Column) -> f32 {
        1.0
    }
}
