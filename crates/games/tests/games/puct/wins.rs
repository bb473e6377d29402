//! The search plays the quickest win and the slowest loss.

use dice_of_doom_core::game::Player;
use dice_of_doom_core::level::AgentRng;
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::search::puct::{PuctParameters, PuctResult, PuctSearch};
use dice_of_doom_games::trilobite::evaluator::ThreatEvaluator;
use dice_of_doom_games::trilobite::{Column, Trilobite};

use super::{HIGH_EXPLORATION, one_tree, trilobite};

/// The column, as a letter, that a search of some thousand simulations plays, and its result.
fn column(
    game: &Trilobite,
    moves: &str,
    parameters: PuctParameters,
) -> (String, PuctResult<Column>) {
    let position = game.from_columns(moves).unwrap();
    let mut rng = AgentRng::seed_from_u64(1);
    let mut puct = PuctSearch::new(ThreatEvaluator, parameters);
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
    ..HIGH_EXPLORATION
};

#[test]
fn an_immediate_win_is_played() {
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
fn the_quickest_win_is_played() {
    // . . . . .
    // . . . . .
    // . . 2 . .
    // . . 1 . .     every reply wins; an open pair needs two turns
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
fn the_slowest_loss_is_played() {
    // . . . . .
    // . . . . .
    // . . . . .
    // . . 1 . .     every move loses, latest next to the middle
    let game = trilobite(5, 4, 3);
    let (column, found) = column(&game, "3", HASTY);
    assert!(found.is_solved);
    assert!(["b", "d"].contains(&column.as_str()), "{column}");
    assert!((found.shares[Player::FIRST] - faded(7)).abs() < 1e-5);
    assert!(found.actions.iter().all(|rated| rated.is_solved));
}

/// The discounted value of a win in `turns` turns.
fn faded(turns: i32) -> f32 {
    0.5 + 0.5 * HASTY.discount.powi(turns)
}
