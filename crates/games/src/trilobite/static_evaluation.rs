//! Evaluations: what a board is worth where a search stops.

use std::ops::RangeInclusive;

use super::bits::{BoardMasks, line_starts};
use super::board::steps;
use super::position::Position;
use super::rules::Trilobite;
use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::search::StaticEvaluation;

/// The lines a player can still make minus those the other can; a won game is worth more than any
/// of that, and more the earlier it is won.
///
/// A line is `win` neighbouring cells; it is open to a player while the other has no chip in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenLines;

impl StaticEvaluation<Trilobite> for OpenLines {
    fn bounds(&self, game: &Trilobite) -> RangeInclusive<f64> {
        let most = f64::from(win_score(game, 0));
        -most..=most
    }

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

/// The lines a player can still make minus those the other can, nearly complete ones counting most:
/// 1 where three chips are missing, 3 where two are, 9 where it is one.
#[must_use]
pub fn weighted_open_lines(game: &Trilobite, position: &Position, player: Player) -> i32 {
    let worth = |own, other| {
        let [one, two, three] = BoardMasks::for_game(game).open_lines(own, other);
        (9 * one + 3 * two + three) as i32
    };
    let for_mover = worth(position.own, position.other) - worth(position.other, position.own);
    if position.player() == player {
        for_mover
    } else {
        -for_mover
    }
}

/// The lines without any of these chips.
#[inline]
fn open_lines(game: &Trilobite, foreign: u128) -> i32 {
    let free = game.board() & !foreign;
    let of_step = |step| line_starts(free, step, game.win()).count_ones() as i32;
    steps(game.height()).into_iter().map(of_step).sum()
}

/// What a win with so many chips on the board is worth.
#[inline]
fn win_score(game: &Trilobite, chips: u32) -> i32 {
    let cells = i32::from(game.cells());
    // A line begins in a cell and runs in one of four directions.
    4 * cells + 1 + cells - chips as i32
}

/// What a finished game is worth, −1..=1, and nothing else: 0 while it goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FinalResult;

impl StaticEvaluation<Trilobite> for FinalResult {
    fn bounds(&self, _: &Trilobite) -> RangeInclusive<f64> {
        -1.0..=1.0
    }

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
    fn a_chip_in_the_corner_closes_three_lines_of_eight() {
        // . . .
        // . . .
        // 1 . .
        let game = Trilobite::new(3, 3, 3).expect("a possible game");
        let position = game.from_columns("1").expect("a possible position");
        let second = Player::new(1);
        assert_eq!(OpenLines.evaluate(&game, &position, Player::FIRST), 3.0);
        assert_eq!(OpenLines.evaluate(&game, &position, second), -3.0);
        assert_eq!(FinalResult.evaluate(&game, &position, second), 0.0);
    }

    #[test]
    fn an_early_win_is_worth_more_than_a_late_one_and_that_more_than_lines() {
        let game = Trilobite::new(7, 6, 4).expect("a possible game");
        let worth = |columns: &str| {
            let position = game.from_columns(columns).expect("a possible position");
            let worth = OpenLines.evaluate(&game, &position, Player::FIRST);
            assert!(OpenLines.bounds(&game).contains(&worth), "{columns}");
            worth
        };
        // Column 1 four high, with and without a detour.
        let (early, late) = (worth("1212121"), worth("121277121"));
        assert!(early > late && late > worth("444444"));
        assert_eq!(worth("71212121"), -worth("71212121").abs());
    }
}
