//! Tests of the solver on positions with published exact scores (see `golden/README.md`) and on random positions
//! against a plain alpha-beta search, and of its laws: bounds hold at any budget, and mirrored positions have equal
//! scores.
//!
//! A failure prints the board's set and the columns.

use std::path::Path;

use dice_of_doom_core::game::Game;
use dice_of_doom_core::search::StopToken;
use dice_of_doom_games::trilobite::solver::{ScoreBounds, Solution, Solver, plies_to_end};
use dice_of_doom_games::trilobite::{Position, Trilobite};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A budget larger than any position here needs.
const PLENTY: u64 = 100_000_000;

const TABLE_BYTES: usize = 16 << 20;

/// The positions of a set with their scores.
fn set(name: &str) -> (Trilobite, Vec<(String, i32)>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/solver");
    let text = std::fs::read_to_string(file.join(format!("{name}.txt"))).unwrap();
    let sizes = name.split('_').next().unwrap().split(['x', 'n']);
    let sizes: Vec<u8> = sizes.map(|size| size.parse().unwrap()).collect();
    let row = |line: &str| {
        let (columns, score) = line.split_once(' ').unwrap();
        let columns = columns.trim_matches('-').to_owned();
        (columns, score.parse().unwrap())
    };
    let rows: Vec<_> = text.lines().map(row).collect();
    (Trilobite::new(sizes[0], sizes[1], sizes[2]).unwrap(), rows)
}

fn solve(solver: &mut Solver, game: &Trilobite, columns: &str, nodes: u64) -> Solution {
    let position = game.from_columns(columns).unwrap();
    let solution = solver.solve(&position, nodes, &StopToken::new());
    assert!(solution.nodes <= nodes, "{columns}: {solution:?}");
    solution
}

/// Solves the first positions of a set, which must have so many.
#[track_caller]
fn check(name: &str, of: usize, first: usize) {
    let (game, rows) = set(name);
    assert_eq!(rows.len(), of, "{name} has all its rows");
    let mut solver = Solver::new(&game, TABLE_BYTES);
    for (columns, expected) in rows.into_iter().take(first) {
        let found = solve(&mut solver, &game, &columns, PLENTY).bounds;
        let actual = found.score();
        assert_eq!(actual, Some(expected), "{name}: {columns}: {found:?}");
    }
}

#[test]
fn small_boards_are_solved_from_the_start() {
    check("3x3n3_any", 40, 40);
    check("4x4n3_any", 60, 60);
    check("4x4n4_any", 100, 100);
    check("5x4n4_any", 100, 100);
    check("6x5n4_any", 100, 100);
    check("7x6n3_any", 50, 50);
}

/// `cargo bench -p dice-of-doom-games --bench solver -- --alone` solves whole sets.
#[test]
fn the_published_positions_of_standard_boards_are_solved() {
    check("7x6n4_end-easy", 1000, 200);
    check("7x6n4_middle-easy", 1000, 200);
    check("7x6n4_middle-medium", 1000, 40);
    check("7x6n4_begin-easy", 1000, 200);
    check("7x6n5_any", 50, 50);
    check("8x7n4_middle-easy", 100, 100);
    check("8x7n4_middle-medium", 60, 10);
    check("8x7n4_end", 100, 100);
}

#[test]
fn boards_of_more_than_64_bits_are_solved() {
    check("8x8n4_end", 60, 60);
    check("9x7n4_end", 60, 60);
}

/// The score by a plain alpha-beta search of the rules.
fn plain_score(game: &Trilobite, position: &Position, mut lower: i32, upper: i32) -> i32 {
    let left = i32::from(game.cells()) - game.chips(position) as i32;
    if game.mover_has_lost(position) {
        return -1 - left / 2;
    }
    let mut best = None;
    for column in game.legal_actions(position) {
        let score = -plain_score(game, &game.apply(position, column, ()), -upper, -lower);
        best = best.max(Some(score));
        lower = lower.max(score);
        if lower >= upper {
            break;
        }
    }
    best.unwrap_or(0)
}

/// A position after random moves that leave at most so many cells empty, and no line.
fn random_position(game: &Trilobite, most_empty: u32, rng: &mut ChaCha8Rng) -> Option<Position> {
    let mut position = game.empty();
    let empty = |position: &Position| u32::from(game.cells()) - game.chips(position);
    while empty(&position) > most_empty {
        let columns: Vec<_> = game.legal_actions(&position).collect();
        let column = columns.get(rng.random_range(0..columns.len().max(1)))?;
        position = game.apply(&position, *column, ());
    }
    (!game.mover_has_lost(&position)).then_some(position)
}

/// Random positions near the end, on boards of many shapes up to the largest.
#[test]
fn scores_are_those_of_a_plain_alpha_beta_search() {
    let mut rng = ChaCha8Rng::seed_from_u64(43);
    let mut compared = 0;
    for (width, height, win, most_empty) in [
        (3, 3, 2, 9),
        (3, 3, 3, 9),
        (4, 3, 3, 12),
        (4, 4, 4, 11),
        (1, 9, 3, 9),
        (9, 1, 3, 9),
        (7, 6, 4, 12),
        (8, 7, 4, 11),
        (7, 6, 5, 11),
        (2, 31, 3, 14),
        (32, 1, 3, 9),
        (5, 11, 4, 11),
        (11, 10, 5, 10),
        (11, 10, 6, 10),
        (15, 7, 5, 9),
        (16, 7, 6, 9),
        (18, 6, 7, 9),
        (42, 2, 8, 9),
        (2, 63, 9, 14),
        (2, 63, 63, 14),
        (1, 126, 4, 12),
        (1, 127, 5, 12),
        (1, 127, 127, 12),
        (64, 1, 9, 9),
    ] {
        let game = Trilobite::new(width, height, win).unwrap();
        let mut solver = Solver::new(&game, 1 << 16);
        for _ in 0..40 {
            let Some(position) = random_position(&game, most_empty, &mut rng) else {
                continue;
            };
            let found = solver.solve(&position, PLENTY, &StopToken::new()).bounds;
            let expected = plain_score(&game, &position, -100, 100);
            let context = format!("seed 43: {width}×{height}, {win} in a row: {position:?}");
            assert_eq!(found.score(), Some(expected), "{context}");
            for (column, bounds) in solver
                .solve_moves(&position, PLENTY, &StopToken::new())
                .moves
            {
                let after = game.apply(&position, column, ());
                let expected = -plain_score(&game, &after, -100, 100);
                assert_eq!(bounds.score(), Some(expected), "{context}, {column}");
            }
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

/// The bounds of any budget hold, on all boards, also on those of more than 124 cells.
#[test]
fn bounds_of_large_boards_hold() {
    for (width, height, win) in [
        (2, 63, 3),
        (1, 126, 3),
        (1, 127, 2),
        (1, 127, 3),
        (11, 10, 4),
    ] {
        let game = Trilobite::new(width, height, win).unwrap();
        let mut solver = Solver::new(&game, 1 << 20);
        let solution = solver.solve(&game.empty(), 20_000, &StopToken::new());
        let most = i32::from(game.cells()).midpoint(1);
        let ScoreBounds { lower, upper } = solution.bounds;
        assert!(
            -most <= lower && lower <= upper && upper <= most,
            "{width}×{height}: {solution:?}"
        );
    }
    // Nobody can make a line in a single column against a player who blocks it.
    for (height, win) in [(126, 3), (127, 3)] {
        let game = Trilobite::new(1, height, win).unwrap();
        let solution = solve(&mut Solver::new(&game, 1 << 20), &game, "", PLENTY);
        assert_eq!(solution.bounds, ScoreBounds::exact(0), "1×{height}");
    }
}

#[test]
fn bounds_hold_at_any_budget() {
    let (game, rows) = set("7x6n4_middle-easy");
    let mut solver = Solver::new(&game, TABLE_BYTES);
    for (columns, expected) in rows.into_iter().take(200) {
        for nodes in [1, 10, 100, 1_000] {
            solver.clear();
            let solution = solve(&mut solver, &game, &columns, nodes);
            let ScoreBounds { lower, upper } = solution.bounds;
            assert!(
                lower <= expected && expected <= upper,
                "{columns}: {solution:?}"
            );
            solver.clear();
            assert_eq!(
                solution,
                solve(&mut solver, &game, &columns, nodes),
                "the same again"
            );
        }
    }
}

#[test]
fn mirrored_positions_have_equal_scores() {
    let (game, rows) = set("5x4n4_any");
    let mut solver = Solver::new(&game, TABLE_BYTES);
    for (columns, _) in rows {
        let digit = |digit: char| char::from(b'6' - digit as u8 + b'0');
        let mirrored: String = columns.chars().map(digit).collect();
        let [one, other] = [&columns, &mirrored].map(|columns| {
            solver.clear();
            solve(&mut solver, &game, columns, PLENTY).bounds
        });
        assert_eq!(one, other, "{columns}");
    }
}

#[test]
fn finished_games_have_a_score() {
    let game = Trilobite::new(7, 6, 4).unwrap();
    let mut solver = Solver::new(&game, 1 << 16);
    // The fourth chip of column 1: the loser is to move, and the winner has used four chips.
    let solution = solve(&mut solver, &game, "1212121", 1);
    assert_eq!(
        (solution.bounds, solution.nodes),
        (ScoreBounds::exact(-18), 0)
    );
}

#[test]
fn a_score_tells_the_plies_to_the_end() {
    // 7×6, empty: a win on the seventh, on the 41st, and a loss on the 8th chip.
    let plies = [18, 1, -18].map(|score| plies_to_end(42, score));
    assert_eq!(plies, [7, 41, 8]);
    assert_eq!([1, 0, -1].map(|score| plies_to_end(1, score)), [1, 1, 0]);
    let odd = [20, 1, -19].map(|score| plies_to_end(41, score));
    assert_eq!(odd, [3, 41, 4]);
}

#[test]
fn a_stopped_solver_proves_only_what_is_obvious() {
    let game = Trilobite::new(8, 7, 4).unwrap();
    let stop = StopToken::new();
    stop.request_stop();
    let solution = Solver::new(&game, 1 << 20).solve(&game.empty(), PLENTY, &stop);
    let ScoreBounds { lower, upper } = solution.bounds;
    assert!(
        lower < 0 && upper > 0 && solution.nodes < 10_000,
        "{solution:?}"
    );
}

#[test]
fn a_best_move_has_the_score_of_the_position() {
    let (game, rows) = set("7x6n4_middle-easy");
    let mut solver = Solver::new(&game, TABLE_BYTES);
    for (columns, score) in rows.iter().take(200) {
        let position = game.from_columns(columns).unwrap();
        solver.clear();
        let best = solver.solve_best_move(&position, PLENTY, &StopToken::new());
        assert!(best.is_best_move_proven(), "{columns}: {best:?}");
        assert_eq!(best.bounds().score(), Some(*score), "{columns}");
        // Bounds hold at any budget.
        for nodes in [0, 1, 30, 300] {
            solver.clear();
            let found = solver.solve_best_move(&position, nodes, &StopToken::new());
            assert!(found.nodes <= nodes, "{columns}: {found:?}");
            for ((_, bounds), (column, known)) in found.moves.iter().zip(&best.moves) {
                let both = bounds.and(*known);
                assert!(
                    both.lower <= both.upper,
                    "{columns}, {column}: {bounds:?} {known:?}"
                );
            }
        }
    }
}
