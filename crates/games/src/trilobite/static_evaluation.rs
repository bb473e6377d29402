//! Static evaluations for the leaves of depth-limited searches.

use super::bits::line_starts;
use super::board::steps;
use super::position::Position;
use super::rules::Trilobite;
use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::search::StaticEvaluation;

/// The number of lines that are open to the player minus those open to the opponent. A win is worth more than
/// any number of lines, and an earlier win more than a later one.
///
/// A line is `win` adjacent cells; it is open to a player if the opponent has no chip in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenLines;

impl StaticEvaluation<Trilobite> for OpenLines {
    #[inline]
    fn evaluate(&self, game: &Trilobite, position: &Position, player: Player) -> f64 {
        let for_mover = if game.mover_has_lost(position) {
            -win_score(game, game.chips(position))
        } else {
            open_lines(game, position.other) - open_lines(game, position.own)
        };
        f64::from(if position.player() == player {
            for_mover
        } else {
            -for_mover
        })
    }
}

/// The difference of open lines, weighted by completeness: 1 for each line that lacks three chips, 3 if it
/// lacks two, 9 if it lacks one.
#[must_use]
pub fn weighted_open_lines(game: &Trilobite, position: &Position, player: Player) -> i32 {
    let score = |own, other| {
        let [one, two, three] = game.masks().open_lines(own, other);
        (9 * one + 3 * two + three) as i32
    };
    let for_mover = score(position.own, position.other) - score(position.other, position.own);
    if position.player() == player {
        for_mover
    } else {
        -for_mover
    }
}

/// The number of lines without any of these chips.
#[inline]
fn open_lines(game: &Trilobite, foreign: u128) -> i32 {
    let free = game.board() & !foreign;
    let line_count = |step| line_starts(free, step, game.win()).count_ones() as i32;
    steps(game.height()).into_iter().map(line_count).sum()
}

/// The value of a win with `chips` chips on the board.
#[inline]
fn win_score(game: &Trilobite, chips: u32) -> i32 {
    let cells = i32::from(game.cells());
    // At most four lines start in each cell, one per direction, so this exceeds any difference of open lines.
    4 * cells + 1 + cells - chips as i32
}

/// The payoff of a finished game, −1..=1, and 0 for an unfinished one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FinalResult;

impl StaticEvaluation<Trilobite> for FinalResult {
    fn evaluate(&self, game: &Trilobite, position: &Position, player: Player) -> f64 {
        match game.status(position) {
            Status::Over(payoffs) => payoffs.payoff(player),
            Status::Turn(_) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_in_the_corner_closes_three_of_eight_lines() {
        // . . .
        // . . .
        // 1 . .
        let game = Trilobite::new(3, 3, 3).expect("valid parameters");
        let position = game.from_columns("1").expect("a valid position");
        let second = Player::new(1);
        assert_eq!(OpenLines.evaluate(&game, &position, Player::FIRST), 3.0);
        assert_eq!(OpenLines.evaluate(&game, &position, second), -3.0);
        assert_eq!(FinalResult.evaluate(&game, &position, second), 0.0);
    }

    #[test]
    fn earlier_wins_are_worth_more_and_any_win_more_than_open_lines() {
        let game = Trilobite::new(7, 6, 4).expect("valid parameters");
        let value = |columns: &str| {
            let position = game.from_columns(columns).expect("a valid position");
            OpenLines.evaluate(&game, &position, Player::FIRST)
        };
        // Four in column 1, without and with a detour.
        let (early, late) = (value("1212121"), value("121277121"));
        assert!(early > late && late > value("444444"));
        assert_eq!(value("71212121"), -value("71212121").abs());
    }
}
