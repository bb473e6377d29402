//! How a game will end, judged by hand: what each player has, and who is next.

use super::position::Position;
use super::rules::{Action, DiceOfDoom};
use crate::game::{ByPlayer, Player};
use crate::search::{Forecast, Shares};

/// The evaluation by hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByHand;

impl Forecast<DiceOfDoom> for ByHand {
    fn shares(&self, game: &DiceOfDoom, position: &Position) -> Shares {
        let weight = |player: Player| {
            let (hexes, dice) = game.count(position, player);
            let cluster = game.largest_cluster(position, player);
            (0.2 * hexes as f32 + 0.1 * dice as f32 + 0.1 * cluster as f32).exp()
        };
        let sum: f32 = Player::all(game.players()).map(weight).sum();
        ByPlayer::from_fn(|player| {
            if player.number() < game.players() {
                weight(player) / sum
            } else {
                0.0
            }
        })
    }

    fn priors(
        &self,
        game: &DiceOfDoom,
        position: &Position,
        actions: &[Action],
        priors: &mut Vec<f32>,
    ) {
        priors.extend(actions.iter().map(|&action| match action {
            Action::EndTurn => 0.5,
            Action::Attack { from, to } => game.odds(position, from, to).unwrap_or(0.5) as f32,
        }));
    }
}
