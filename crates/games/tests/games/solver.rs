//! Tests of the solver on positions with published exact scores (see `golden/README.md`), and of its laws:
//! results do not change with the budget, and mirrored positions have equal results.
//!
//! A failure prints the board's set and the columns.

use std::path::Path;

use dice_of_doom_core::search::StopToken;
use dice_of_doom_games::trilobite::Trilobite;
use dice_of_doom_games::trilobite::solver::{SolvedValue, Solver};

/// A budget larger than any position here needs.
const PLENTY: u64 = 100_000_000;

/// The positions of a set with their scores; `count` detects a truncated file.
fn set(name: &str, count: usize) -> (Trilobite, Vec<(String, i32)>) {
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
    assert_eq!(rows.len(), count, "{name} has all its rows");
    (Trilobite::new(sizes[0], sizes[1], sizes[2]).unwrap(), rows)
}

fn solved(game: &Trilobite, columns: &str, nodes: u64) -> SolvedValue {
    let position = game.from_columns(columns).unwrap();
    let (verdict, left) =
        Solver::new(game, &position, nodes, &StopToken::new()).solve(&position, nodes);
    assert!(left <= nodes, "{columns}");
    verdict
}

/// The score of a result in the notation of the sets; `None` if undecided.
fn score(game: &Trilobite, columns: &str, verdict: SolvedValue) -> Option<i32> {
    let chips = columns.len() as i32;
    let of = |plies: u32| (i32::from(game.cells()) + 2 - chips - plies as i32) / 2;
    match verdict {
        SolvedValue::Won(plies) => plies.map(of),
        SolvedValue::Lost(plies) => plies.map(|plies| -of(plies)),
        SolvedValue::Drawn => Some(0),
        SolvedValue::Unknown => None,
    }
}

#[track_caller]
fn check(name: &str, count: usize) {
    let (game, rows) = set(name, count);
    for (columns, expected) in rows {
        let verdict = solved(&game, &columns, PLENTY);
        let found = score(&game, &columns, verdict);
        assert_eq!(found, Some(expected), "{name}: {columns}: {verdict:?}");
    }
}

#[test]
fn small_boards_are_solved_from_the_start() {
    check("3x3n3_any", 40);
    check("4x4n3_any", 60);
    check("4x4n4_any", 100);
    check("5x4n4_any", 100);
    check("6x5n4_any", 100);
    check("7x6n3_any", 50);
}

#[test]
fn the_published_positions_of_standard_boards_are_solved() {
    check("7x6n4_end-easy", 200);
    check("7x6n4_middle-easy", 200);
    check("7x6n4_middle-medium", 40);
    check("8x7n4_middle-medium", 20);
    check("8x7n4_end", 100);
}

#[test]
fn boards_of_more_than_64_bits_are_solved() {
    check("8x8n4_end", 60);
    check("9x7n4_end", 60);
}

/// With any budget a result, including its length, is either exact or undecided.
#[test]
fn a_larger_budget_does_not_change_a_result() {
    let (game, rows) = set("7x6n4_middle-easy", 200);
    for (columns, expected) in rows {
        for nodes in [1, 10, 100, 1_000] {
            let verdict = solved(&game, &columns, nodes);
            assert_eq!(verdict, solved(&game, &columns, nodes), "the same again");
            let agrees = match verdict {
                SolvedValue::Won(None) => expected > 0,
                SolvedValue::Lost(None) => expected < 0,
                SolvedValue::Unknown => true,
                sure => score(&game, &columns, sure) == Some(expected),
            };
            assert!(agrees, "{columns}: {verdict:?} by {nodes}");
        }
    }
}

#[test]
fn mirrored_positions_have_equal_results() {
    let (game, rows) = set("5x4n4_any", 100);
    for (columns, _) in rows {
        let digit = |digit: char| char::from(b'6' - digit as u8 + b'0');
        let mirrored: String = columns.chars().map(digit).collect();
        let (one, other) = (&columns, &mirrored);
        assert_eq!(
            solved(&game, one, PLENTY),
            solved(&game, other, PLENTY),
            "{columns}"
        );
    }
}

#[test]
fn a_stopped_solver_returns_no_result() {
    let game = Trilobite::new(8, 7, 4).unwrap();
    let stop = StopToken::new();
    stop.request_stop();
    let mut solver = Solver::new(&game, &game.empty(), PLENTY, &stop);
    assert_eq!(
        solver.solve(&game.empty(), PLENTY),
        (SolvedValue::Unknown, 0)
    );
}
