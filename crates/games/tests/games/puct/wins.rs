//! A win is taken, the quickest one; who is lost holds out longest.

use dice_of_doom_core::game::Player;
use dice_of_doom_core::level::AgentRng;
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::search::puct::{PuctParameters, PuctResult, PuctSearch};
use dice_of_doom_games::trilobite::evaluator::ThreatEvaluator;
use dice_of_doom_games::trilobite::{Column, Trilobite};

use super::{CURIOUS, one_tree, trilobite};

/// What a search of some thousand simulations plays, by its column's letter, and what it found.
fn column(game: &Trilobite, moves: &str, tuning: PuctParameters) -> (String, PuctResult<Column>) {
    let position = game.from_columns(moves).unwrap();
    let mut rng = AgentRng::seed_from_u64(1);
    let mut puct = PuctSearch::new(ThreatEvaluator, tuning);
    let found = puct.search(
        game,
        &position,
        one_tree(200_000),
        &mut rng,
        &StopToken::new(),
    );
    let best = found.best(position.player(), &mut rng);
    (best.action.to_string(), found)
}

const HASTY: PuctParameters = PuctParameters {
    discount: 0.9,
    ..CURIOUS
};

#[test]
fn a_win_at_once_is_taken() {
    // . . . . .
    // 2 . . . .
    // 2 1 1 . .
    let game = trilobite(5, 3, 3);
    let (column, found) = column(&game, "2131", HASTY);
    assert_eq!(column, "d");
    assert!(found.is_solved);
    assert_eq!(found.shares[Player::FIRST], 1.0);
}

#[test]
fn of_several_wins_the_quicker_is_played() {
    // . . . . .
    // . . . . .
    // . . 2 . .
    // . . 1 . .     wherever the first player goes on, there is a win; an open pair needs two turns
    let game = trilobite(5, 4, 3);
    let (column, found) = column(&game, "33", HASTY);
    assert!(found.is_solved);
    assert!(["b", "d"].contains(&column.as_str()), "{column}");
    assert!((found.shares[Player::FIRST] - faded(2)).abs() < 1e-5);
    let slower = found
        .actions
        .iter()
        .filter(|rated| rated.action.number() % 2 == 0);
    for rated in slower {
        assert!(rated.is_solved);
        assert!(
            (0.51..faded(3)).contains(&rated.shares[Player::FIRST]),
            "{rated:?}"
        );
    }
}

#[test]
fn who_is_lost_holds_out() {
    // . . . . .
    // . . . . .
    // . . . . .
    // . . 1 . .     all is lost, and beside the middle latest
    let game = trilobite(5, 4, 3);
    let (column, found) = column(&game, "3", HASTY);
    assert!(found.is_solved);
    assert!(["b", "d"].contains(&column.as_str()), "{column}");
    assert!((found.shares[Player::FIRST] - faded(7)).abs() < 1e-5);
    assert!(found.actions.iter().all(|rated| rated.is_solved));
}

/// What a win so many turns ahead is worth to the hasty.
fn faded(turns: i32) -> f32 {
    0.5 + 0.5 * HASTY.discount.powi(turns)
}
