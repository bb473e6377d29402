//! The solver over the engine and the command `solve`.

use std::process::Output;

use dice_of_doom::engine::{Engine, RequestLimits};
use dice_of_doom::games::Registry;
use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::common::loops::times;
use crate::common::{assert_contains, program, run_with_input};
use crate::engine_games::ask;

/// The first positions of a set, with their scores.
fn positions(set: &str, first: usize) -> Vec<(String, i64)> {
    let file = format!(
        "{}/tests/golden/solver/{set}.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().take(first).map(|line| {
        let (columns, score) = line.split_once(' ').unwrap();
        (columns.to_owned(), score.parse().unwrap())
    });
    rows.collect()
}

fn position(columns: &str) -> Value {
    json!({"game": "trilobite", "width": 7, "height": 6, "win": 4, "columns": columns})
}

fn engine() -> Engine {
    Engine::new(Registry::builtin(), RequestLimits::default())
}

/// Runs the command with these lines on stdin.
fn solve(arguments: &[&str], lines: &str) -> Output {
    run_with_input(program().arg("solve").args(arguments), lines)
}

#[test]
fn the_engine_proves_the_scores_of_a_position_and_of_its_moves() {
    let mut engine = engine();
    for (columns, score) in positions("7x6n4_middle-easy", 60) {
        let request = json!({"op": "solve", "position": position(&columns)});
        let solved = &ask(&mut engine, &request)["ok"];
        assert_eq!(solved["score"], score, "{columns}: {solved}");
        let request = json!({"op": "solve", "position": position(&columns), "each": true});
        let solved = &ask(&mut engine, &request)["ok"];
        assert_eq!(solved["score"], score, "{columns}: {solved}");
        let scores = solved["scores"].as_array().unwrap();
        assert_eq!(scores.len(), 7, "{columns}: {solved}");
        let found = scores.iter().filter_map(Value::as_i64).max();
        assert_eq!(found, Some(score), "{columns}");
        for (column, score) in (1..).zip(scores) {
            let chips = columns.matches(&column.to_string()).count();
            assert_eq!(score.is_null(), chips == 6, "{columns}, {column}: {solved}");
        }
    }
}

#[test]
fn a_budget_leaves_bounds_and_a_fresh_table_repeats_the_search() {
    let mut engine = engine();
    let request = |more: Value| {
        let mut request = json!({"op": "solve", "position": position("44"), "book": false});
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        request
    };
    let first = ask(&mut engine, &request(json!({"nodes": 1000})));
    let [lower, upper] = [0, 1].map(|end| first["ok"]["score"][end].as_i64().unwrap());
    // Known: −2.
    assert!(lower <= -2 && -2 <= upper && lower < upper, "{first}");
    assert!(first["ok"]["nodes"].as_u64().unwrap() <= 1000, "{first}");
    let fresh = ask(&mut engine, &request(json!({"nodes": 1000, "fresh": true})));
    let nodes = |answer: &Value| (answer["ok"]["nodes"].clone(), answer["ok"]["score"].clone());
    assert_eq!(nodes(&first), nodes(&fresh));
    // The time ends a search that no number ends.
    let timed = ask(
        &mut engine,
        &request(json!({"budget_ms": 20, "each": true})),
    );
    let found = timed["ok"]["scores"].as_array().unwrap().len();
    assert_eq!(found, 7, "{timed}");
    assert!(timed["ok"]["score"].is_array(), "{timed}");
}

#[test]
fn the_opening_book_answers_unless_it_is_switched_off() {
    let mut engine = engine();
    let mut ask = |more: &str| {
        let position = r#""position":{"game":"trilobite","width":7,"height":6,"columns":""}"#;
        let request = format!(r#"{{"op":"solve","each":true,"nodes":1000,{more}{position}}}"#);
        let answer: Value = serde_json::from_str(&engine.answer(request.as_bytes())).unwrap();
        answer["ok"].clone()
    };
    for more in ["", r#""book":true,"#] {
        let solved = ask(more);
        assert_eq!(solved["nodes"], 0, "{solved}");
        assert_eq!(solved["scores"], json!([-2, -1, 0, 1, 0, -1, -2]));
    }
    let searched = ask(r#""book":false,"#);
    assert!(searched["score"].is_array(), "{searched}");
    assert!(searched["nodes"].as_u64() > Some(0), "{searched}");
    for (arguments, nodes) in [
        (&["--nodes", "9"][..], "0"),
        (&["--nodes", "9", "--no-book"], "9"),
    ] {
        let output = solve(arguments, "-\n");
        let line = String::from_utf8(output.stdout).unwrap();
        assert_eq!(line.split(' ').nth(2), Some(nodes), "{line}");
    }
}

#[test]
fn requests_that_cannot_be_solved_are_errors() {
    let mut engine = engine();
    let dice = ask(
        &mut engine,
        &json!({"op": "new", "game": "dice", "seed": 1}),
    )["ok"]
        .clone();
    for (request, code) in [
        (json!({"position": dice["position"]}), "unsupported"),
        (json!({"position": position("1212121")}), "game-over"),
        (json!({}), "bad-request"),
        (json!({"position": position(""), "depth": 3}), "bad-request"),
        (
            json!({"position": position(""), "nodes": 0}),
            "out-of-range",
        ),
        (
            json!({"position": position(""), "nodes": -1}),
            "out-of-range",
        ),
        (
            json!({"position": position(""), "budget_ms": 0}),
            "out-of-range",
        ),
        (json!({"position": position("8")}), "bad-position"),
    ] {
        let mut request = request;
        request["op"] = json!("solve");
        let answer = ask(&mut engine, &request);
        assert_eq!(answer["error"]["code"], code, "{request}: {answer}");
    }
}

/// A position that breaks one rule.
fn impossible_position(rng: &mut ChaCha8Rng) -> Value {
    let (width, height) = *[(7, 6), (8, 7), (9, 7), (2, 63), (1, 127), (3, 3)]
        .choose(rng)
        .unwrap();
    let win = rng.random_range(1..=3);
    let valid = json!({"game": "trilobite", "width": width, "height": height, "win": win});
    let mut position = valid;
    let cells = width * height;
    let mut board = vec![0; cells];
    let with_board = |mut position: Value, board: &[i32], player: i32, last: i32| {
        position["board"] = json!(board);
        position["player"] = json!(player);
        position["last_move"] = json!(last);
        position
    };
    match rng.random_range(0..9) {
        // A chip that floats.
        0 if height > 1 => {
            board[rng.random_range(0..cells - width)] = 1;
            with_board(position, &board, 2, -1)
        }
        // Two chips more than the opponent.
        1 if width > 1 => {
            for cell in &mut board[cells - width..][..2] {
                *cell = 2;
            }
            with_board(position, &board, 1, -1)
        }
        // A cell too few or too many.
        2 => {
            board.resize(if rng.random() { cells - 1 } else { cells + 1 }, 0);
            with_board(position, &board, 1, -1)
        }
        // No such owner.
        3 => {
            board[cells - 1] = *[-1, 3, 256].choose(rng).unwrap();
            with_board(position, &board, 1, -1)
        }
        // No such player, or a last move into an empty cell.
        4 => with_board(position, &board, *[0, 3, -1].choose(rng).unwrap(), -1),
        5 => with_board(position, &board, 1, rng.random_range(0..cells as i32)),
        // No such size.
        6 => {
            position["width"] = json!(*[0, 65, 200, -1].choose(rng).unwrap());
            position["columns"] = json!("");
            position
        }
        7 => {
            position["win"] = json!(*[0, 128, 255, -4].choose(rng).unwrap());
            position["columns"] = json!("");
            position
        }
        // More chips than the board holds, a column that there is not, or letters.
        _ => {
            let mut columns: Vec<char> = "1".repeat(cells).chars().collect();
            columns.push(*['1', '0', 'a', '²', '-'].choose(rng).unwrap());
            columns.shuffle(rng);
            position["win"] = json!(width.max(height));
            position["columns"] = json!(columns.iter().collect::<String>());
            position
        }
    }
}

/// `DOD_POSITIONS=100000 cargo test --release --test program -- solve::impossible` sends more.
#[test]
fn impossible_positions_are_errors() {
    let mut rng = ChaCha8Rng::seed_from_u64(4306);
    let mut engine = engine();
    for number in 0..times("DOD_POSITIONS", 100_000) {
        let position = impossible_position(&mut rng);
        let request = json!({"op": "solve", "nodes": 1_000, "position": position});
        let answer = ask(&mut engine, &request);
        let code = answer["error"]["code"].as_str();
        assert!(
            code == Some("bad-position"),
            "seed 4306, {number}: {request}: {answer}"
        );
    }
}

#[test]
fn the_command_prints_a_line_for_each_position() {
    let rows = positions("7x6n4_end-easy", 20);
    let lines: String = rows
        .iter()
        .map(|(columns, score)| format!("{columns} {score}\n"))
        .collect();
    let output = solve(&["--fresh"], &lines);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.lines().count(), rows.len());
    for ((columns, score), line) in rows.iter().zip(printed.lines()) {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[..2], [columns, &*score.to_string()], "{line}");
        assert!(
            words[2..].iter().all(|word| word.parse::<u64>().is_ok()),
            "{line}"
        );
        assert_eq!(words.len(), 4, "{line}");
    }
}

#[test]
fn the_command_prints_the_scores_of_the_columns() {
    let arguments = ["--each", "--width", "3", "--height", "3", "--win", "3"];
    let output = solve(&arguments, "-\n222\n");
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let scores: Vec<Vec<&str>> = printed
        .lines()
        .map(|line| line.split(' ').collect())
        .collect();
    assert_eq!(scores[0][..4], ["-", "0", "0", "0"], "{printed}");
    assert_eq!(scores[1][2], "x", "{printed}");
}

#[test]
fn a_wrong_line_has_an_empty_answer_and_fails_the_command() {
    let output = solve(&["--nodes", "10"], "4455\n8\n\n1212121\n44556\n");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let empty = printed.lines().map(str::is_empty);
    let found = empty.collect::<Vec<_>>();
    assert_eq!(found, [false, true, true, false], "{printed}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_contains(&errors, &["line 2: ", "line 4: the game is over"]);
}
