//! The book's evaluation (Land of Lisp, chapter 18, `score-board` and `threatened`).

use super::super::board::{Hex, iter_hexes};
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use dice_of_doom_core::game::Player;
use dice_of_doom_core::search::StaticEvaluation;

/// Sums over all hexes: 2 for a safe hex of the player, 1 for a threatened one, −1 for a foreign one. A
/// finished game is scored the same way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BookScore;

impl StaticEvaluation<DiceOfDoom> for BookScore {
    #[inline]
    fn evaluate(&self, game: &DiceOfDoom, position: &Position, player: Player) -> f64 {
        f64::from(score(game, position, player))
    }
}

/// [`BookScore`] as an integer.
#[inline]
pub(super) fn score(game: &DiceOfDoom, position: &Position, player: Player) -> i32 {
    let own = position.cells.owned_by(player);
    let threatened = threatened_among(game, position, own).count_ones() as i32;
    let own = own.count_ones() as i32;
    let foreign = i32::from(game.hexes()) - own;
    2 * own - threatened - foreign
}

impl DiceOfDoom {
    /// The player's hexes that touch a foreign hex with strictly more dice, ascending.
    ///
    /// The book uses this definition for all presets, also where dice are rolled.
    #[must_use]
    pub fn threatened(&self, position: &Position, player: Player) -> Vec<Hex> {
        let own = position.cells.owned_by(player);
        iter_hexes(threatened_among(self, position, own)).collect()
    }
}

/// The hexes of `own` that touch a foreign hex with strictly more dice.
#[inline]
fn threatened_among(game: &DiceOfDoom, position: &Position, own: u64) -> u64 {
    let map = game.map();
    let foreign = map.all & !own;
    let thermometer = position.cells.thermometer_sets(game.max_dice());
    thermometer.iter().fold(0, |threatened, &at_least| {
        threatened | own & !at_least & map.adjacent_hexes(foreign & at_least)
    })
}
