//! Equal to the original Lisp programs, row by row; see `golden/README.md`.

// Clippy's own exception covers only the tests themselves, not their helpers.
#![allow(clippy::unwrap_used)]

use dice_of_doom::game::{Game, Player};
use dice_of_doom::games::dice_of_doom::{
    Action, DiceOfDoom, Outcome, Position, Rules, Setup, book, dice, evaluate::BookScore,
};
use dice_of_doom::search::{Analysis, Evaluate};
use serde_json::Value;

/// The rows of a golden file; `rows` guards against a file that shrank.
fn golden(file: &str, array: &str, rows: usize) -> Vec<Value> {
    let path = format!("{}/tests/golden/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the golden file is there");
    let mut value: Value =
        serde_json::from_str(&with_quoted_fractions(&text)).expect("the golden file is JSON");
    let Value::Array(found) = value[array].take() else {
        panic!("{file} has no {array}")
    };
    assert_eq!(found.len(), rows, "{file} has all its rows");
    found
}

/// Fractions as strings: our JSON reader may miss a double's last bit, std never does.
fn with_quoted_fractions(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for (index, part) in text.split('"').enumerate() {
        let between_strings = index % 2 == 0;
        if index > 0 {
            quoted.push('"');
        }
        for token in part.split_inclusive([',', '[', ']', '{', '}', ':', ' ', '\n']) {
            let number = token.trim_end_matches([',', '[', ']', '{', '}', ':', ' ', '\n']);
            if between_strings && number.contains('.') {
                quoted.extend(["\"", number, "\"", &token[number.len()..]]);
            } else {
                quoted.push_str(token);
            }
        }
    }
    quoted
}

/// A double, bit for bit.
fn double(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse().expect("a double"),
        number => number.as_f64().expect("a number"),
    }
}

fn number(value: &Value) -> u8 {
    value
        .as_u64()
        .and_then(|n| u8::try_from(n).ok())
        .expect("a small number")
}

fn game(row: &Value, rules: Rules) -> DiceOfDoom {
    DiceOfDoom::new(
        rules,
        number(&row["size"]),
        number(&row["players"]),
        number(&row["max_dice"]),
    )
    .expect("golden games are games")
}

fn board(value: &Value) -> Vec<(u8, u8)> {
    serde_json::from_value(value.clone()).expect("a board")
}

fn position(game: &DiceOfDoom, state: &Value) -> Position {
    let field = |name: &str| state[name].clone();
    let written = serde_json::json!({
        "board": field("board"), "player": field("player"),
        "spare": field("spare"), "first_move": field("first_move"),
    });
    let setup: Setup = serde_json::from_value(written).expect("a setup");
    let position = game
        .position(&setup)
        .expect("golden positions are possible");
    assert_eq!(game.setup(&position), setup, "written as read");
    position
}

fn bare(game: &DiceOfDoom, row: &Value) -> Position {
    game.position(&Setup::start(board(&row["board"])))
        .expect("golden boards are possible")
}

fn path(game: &DiceOfDoom, value: &Value) -> Action {
    let hex = |value: &Value| game.hex(number(value)).expect("a hex of the board");
    match value {
        Value::Null => Action::EndTurn,
        pair => Action::Attack {
            from: hex(&pair[0]),
            to: hex(&pair[1]),
        },
    }
}

#[test]
fn neighbours() {
    for row in golden("neighbors", "boards", 6) {
        let game = DiceOfDoom::new(Rules::V4, number(&row["size"]), 2, 5).unwrap();
        let ours: Vec<Vec<u8>> = game
            .all_hexes()
            .map(|hex| {
                game.neighbours(hex)
                    .iter()
                    .map(|hex| hex.number())
                    .collect()
            })
            .collect();
        assert_eq!(serde_json::json!(ours), row["neighbors"]);
    }
}

#[test]
fn moves_v2() {
    check_moves("moves_v2", Rules::V2, 500);
}

#[test]
fn moves_v4() {
    check_moves("moves_v4", Rules::V4, 405);
}

fn check_moves(file: &str, rules: Rules, rows: usize) {
    for (index, row) in golden(file, "positions", rows).iter().enumerate() {
        let game = game(row, rules);
        let position = position(&game, row);
        let moves = row["moves"].as_array().unwrap();
        let listed: Vec<Action> = game.actions(&position).collect();
        let theirs: Vec<Action> = moves.iter().map(|one| path(&game, &one["path"])).collect();
        assert_eq!(listed, theirs, "{file} {index}");
        assert_eq!(
            game.status(&position).is_over(),
            listed.is_empty(),
            "{file} {index}"
        );
        for (&action, expected) in listed.iter().zip(moves) {
            assert_eq!(
                game.judge(&position, action),
                Ok(()),
                "{file} {index} {action}"
            );
            let outcomes: Vec<Outcome> = game
                .lottery(&position, action)
                .map(|(outcome, _)| outcome)
                .collect();
            let after = |outcome| game.play(&position, action, outcome);
            let ok = self::position(&game, &expected["ok"]);
            assert_eq!(after(outcomes[0]), ok, "{file} {index} {action}");
            match &expected["fail"] {
                Value::Null => assert_eq!(outcomes.len(), 1, "{file} {index} {action}"),
                fail => {
                    let fail = self::position(&game, fail);
                    assert_eq!(outcomes.len(), 2, "{file} {index} {action}");
                    assert_eq!(after(outcomes[1]), fail, "{file} {index} {action}");
                }
            }
        }
    }
}

#[test]
fn playouts_v2() {
    check_playouts("playouts_v2", Rules::V2, 70);
}

#[test]
fn playouts_v4() {
    check_playouts("playouts_v4", Rules::V4, 76);
}

fn check_playouts(file: &str, rules: Rules, rows: usize) {
    for (index, row) in golden(file, "games", rows).iter().enumerate() {
        let game = game(row, rules);
        let mut position = position(&game, &row["start"]);
        for (ply, step) in row["steps"].as_array().unwrap().iter().enumerate() {
            let at = format!("{file} {index} ply {ply}");
            let listed: Vec<Action> = game.actions(&position).collect();
            assert_eq!(listed.len() as u64, step["n_moves"], "{at}");
            let action = listed[step["move"].as_u64().unwrap() as usize];
            assert_eq!(action, path(&game, &step["path"]), "{at}");
            let outcome = match (action, &step["success"]) {
                (Action::EndTurn, _) => Outcome::Sure,
                (_, Value::Bool(false)) => Outcome::Lost,
                _ => Outcome::Won,
            };
            position = game.play(&position, action, outcome);
            assert_eq!(position, self::position(&game, &step["after"]), "{at}");
        }
        assert_eq!(
            game.setup(&position).board,
            board(&row["final_board"]),
            "{file} {index}"
        );
        assert_eq!(
            position.player().number(),
            number(&row["final_player"]),
            "{file} {index}"
        );
        let capped = row["capped"].as_bool().unwrap();
        assert_eq!(game.status(&position).is_over(), !capped, "{file} {index}");
        if !capped {
            let winners: Vec<Player> = game.winners(&position);
            assert_eq!(serde_json::json!(winners), row["winners"], "{file} {index}");
        }
    }
}

#[test]
fn clusters() {
    for (index, row) in golden("clusters", "boards", 240).iter().enumerate() {
        let game = game(row, Rules::V4);
        let position = bare(&game, row);
        for player in Player::all(game.players()) {
            let at = usize::from(player.number());
            let size = game.largest_cluster(&position, player);
            assert_eq!(u64::from(size), row["largest_cluster"][at], "{index}");
            assert_eq!(game.cluster(&position, player).len() as u32, size);
            let after = game.reinforce(&position, player, size);
            let expected = board(&row["add_new_dice_v4"][at]);
            assert_eq!(
                game.setup(&after).board,
                expected,
                "{index}, player {player}"
            );
        }
    }
}

#[test]
fn reinforcements() {
    for (index, row) in golden("reinforce_v2", "boards", 110).iter().enumerate() {
        let game = game(row, Rules::V2);
        let player = Player::new(number(&row["player"]));
        let dice = row["dice"].as_u64().unwrap() as u32;
        let after = game.reinforce(&bare(&game, row), player, dice);
        assert_eq!(game.setup(&after).board, board(&row["result"]), "{index}");
    }
}

#[test]
fn scores() {
    for (index, row) in golden("scores", "boards", 220).iter().enumerate() {
        let game = game(row, Rules::V4);
        let position = bare(&game, row);
        let winners = game.winners(&position);
        assert_eq!(serde_json::json!(winners), row["winners"], "{index}");
        let mut threatened = vec![false; usize::from(game.hexes())];
        for player in Player::all(game.players()) {
            let score = BookScore.evaluate(&game, &position, player);
            assert!(BookScore.bounds(&game).contains(&score), "{index}");
            assert_eq!(
                score,
                double(&row["score"][usize::from(player.number())]),
                "{index}"
            );
            for hex in game.threatened(&position, player) {
                threatened[usize::from(hex.number())] = true;
            }
        }
        assert_eq!(serde_json::json!(threatened), row["threatened"], "{index}");
    }
}

#[test]
fn ratings_v2() {
    for (index, row) in golden("ratings_v2", "positions", 228).iter().enumerate() {
        let game = game(row, Rules::V2);
        let position = position(&game, row);
        let depth = u32::from(number(&row["depth"]));
        let plain = book::double_precision(&game, &position, depth);
        check_ratings(&plain, row, "ratings", "chosen", index);
        let pruned = book::pruned(&game, &position, depth);
        check_ratings(&pruned, row, "ab_ratings", "ab_chosen", index);
        assert_eq!(pruned, book::rate(&game, &position, depth));
        assert!(pruned.nodes <= plain.nodes, "{index}");
    }
}

#[test]
fn ratings_v4() {
    for (index, row) in golden("ratings_v4", "positions", 178).iter().enumerate() {
        let game = game(row, Rules::V4);
        let position = position(&game, row);
        let depth = u32::from(number(&row["depth"]));
        let plain = book::double_precision(&game, &position, depth);
        check_ratings(&plain, row, "ratings", "chosen", index);
        let single = book::rate(&game, &position, depth);
        check_ratings(
            &single,
            row,
            "ratings_single_float",
            "chosen_single_float",
            index,
        );
        // Star1 gives the same best value, but bounds for the others.
        let pruned = book::pruned(&game, &position, depth);
        assert_eq!(pruned.chosen, plain.chosen, "{index}");
        assert_eq!(pruned.value(), plain.value(), "{index}");
    }
}

fn check_ratings(found: &Analysis<Action>, row: &Value, list: &str, chosen: &str, index: usize) {
    let ratings: Vec<f64> = found.ratings.iter().map(|&(_, rating)| rating).collect();
    let expected: Vec<f64> = row[list].as_array().unwrap().iter().map(double).collect();
    assert_eq!(ratings, expected, "{list} {index}");
    let expected = row[chosen].as_u64().map(|chosen| chosen as usize);
    assert_eq!(found.chosen, expected, "{chosen} {index}");
}

#[test]
fn dice_probability() {
    for row in golden("dice_probability", "rows", 100) {
        let (attack, defend) = (number(&row["attack"]), number(&row["defend"]));
        let (wins, throws) = dice::counted_odds(attack, defend);
        assert_eq!(wins.to_string(), row["wins"], "{attack} against {defend}");
        assert_eq!(
            throws.to_string(),
            row["total"],
            "{attack} against {defend}"
        );
        assert_eq!(
            dice::exact_odds(attack, defend),
            double(&row["p"]),
            "{attack} against {defend}"
        );
    }
}
