//! Compares the games and the book's players with the original Lisp programs, row by row; see
//! `golden/README.md`.

use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::search::{SearchResult, StaticEvaluation};
use dice_of_doom_games::dice_of_doom::{
    Action, DiceOfDoom, Outcome, Position, Rules, Setup, dice, land_of_lisp,
    land_of_lisp::score::BookScore,
};
use dice_of_doom_games::trilobite::{self, Column, Trilobite};
use serde_json::Value;

use crate::rows::{double, golden};

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
    .expect("golden parameters are valid")
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
    let position = game.position(&setup).expect("golden positions are valid");
    assert_eq!(game.setup(&position), setup, "written as read");
    position
}

fn bare(game: &DiceOfDoom, row: &Value) -> Position {
    game.position(&Setup::start(board(&row["board"])))
        .expect("golden boards are valid")
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
        let listed: Vec<Action> = game.legal_actions(&position).collect();
        let theirs: Vec<Action> = moves.iter().map(|one| path(&game, &one["path"])).collect();
        assert_eq!(listed, theirs, "{file} {index}");
        let found = game.status(&position).is_over();
        assert_eq!(found, listed.is_empty(), "{file} {index}");
        for (&action, expected) in listed.iter().zip(moves) {
            let found = game.check_action(&position, action);
            assert_eq!(found, Ok(()), "{file} {index} {action}");
            let outcomes: Vec<Outcome> = game
                .chance_outcomes(&position, action)
                .map(|(outcome, _)| outcome)
                .collect();
            let after = |outcome| game.apply(&position, action, outcome);
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
            let listed: Vec<Action> = game.legal_actions(&position).collect();
            assert_eq!(listed.len() as u64, step["n_moves"], "{at}");
            let action = listed[step["move"].as_u64().unwrap() as usize];
            assert_eq!(action, path(&game, &step["path"]), "{at}");
            let outcome = match (action, &step["success"]) {
                (Action::EndTurn, _) => Outcome::Certain,
                (_, Value::Bool(false)) => Outcome::Lost,
                _ => Outcome::Won,
            };
            position = game.apply(&position, action, outcome);
            assert_eq!(position, self::position(&game, &step["after"]), "{at}");
        }
        assert_eq!(
            game.setup(&position).board,
            board(&row["final_board"]),
            "{file} {index}"
        );
        let found = position.player().number();
        assert_eq!(found, number(&row["final_player"]), "{file} {index}");
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
        let plain = land_of_lisp::expectimax_f64(&game, &position, depth);
        check_ratings(&plain, row, "ratings", "chosen", index);
        let pruned = land_of_lisp::alpha_beta(&game, &position, depth);
        check_ratings(&pruned, row, "ab_ratings", "ab_chosen", index);
        assert_eq!(
            pruned,
            land_of_lisp::analyse_at_depth(&game, &position, depth)
        );
        assert!(pruned.nodes <= plain.nodes, "{index}");
    }
}

#[test]
fn ratings_v4() {
    for (index, row) in golden("ratings_v4", "positions", 178).iter().enumerate() {
        let game = game(row, Rules::V4);
        let position = position(&game, row);
        let depth = u32::from(number(&row["depth"]));
        let plain = land_of_lisp::expectimax_f64(&game, &position, depth);
        check_ratings(&plain, row, "ratings", "chosen", index);
        let single = land_of_lisp::analyse_at_depth(&game, &position, depth);
        check_ratings(
            &single,
            row,
            "ratings_single_float",
            "chosen_single_float",
            index,
        );
        assert_eq!(
            single,
            land_of_lisp::expectimax_f32(&game, &position, depth)
        );
        // Pruning gives the same best value, but only bounds for the other actions.
        let pruned = land_of_lisp::alpha_beta(&game, &position, depth);
        assert_eq!(pruned.chosen, plain.chosen, "{index}");
        assert_eq!(pruned.value(), plain.value(), "{index}");
    }
}

fn check_ratings(
    found: &SearchResult<Action>,
    row: &Value,
    list: &str,
    chosen: &str,
    index: usize,
) {
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
        let (wins, throws) = dice::win_counts(attack, defend);
        assert_eq!(wins.to_string(), row["wins"], "{attack} against {defend}");
        let found = throws.to_string();
        assert_eq!(found, row["total"], "{attack} against {defend}");
        let found = dice::win_probability(attack, defend);
        assert_eq!(found, double(&row["p"]), "{attack} against {defend}");
    }
}

#[test]
fn trilobite() {
    for (index, row) in golden("trilobite", "positions", 304).iter().enumerate() {
        let game = Trilobite::new(
            number(&row["width"]),
            number(&row["height"]),
            number(&row["win_len"]),
        )
        .unwrap();
        let position = dropped(&game, row);
        let columns: Vec<Column> = game.legal_actions(&position).collect();
        let cells: Vec<u8> = columns
            .iter()
            .map(|&column| game.landing(&position, column).unwrap())
            .collect();
        assert_eq!(serde_json::json!(cells), row["moves"], "{index}");
        let letters: Vec<String> = columns.iter().map(Column::to_string).collect();
        assert_eq!(serde_json::json!(letters), row["column_letters"], "{index}");
        assert_eq!(game.mover_has_lost(&position), row["failp"], "{index}");
        let found = game.line(&position).is_empty();
        assert_eq!(found, !game.mover_has_lost(&position));
        if !row["line_len"].is_null() {
            let longest = longest_line(&game, &position);
            assert_eq!(u64::from(longest), row["line_len"], "{index}");
            let found = game.mover_has_lost(&position);
            assert_eq!(found, longest >= game.win(), "{index}");
        }
        let lost: Vec<bool> = columns
            .iter()
            .map(|&column| game.mover_has_lost(&game.apply(&position, column, ())))
            .collect();
        assert_eq!(serde_json::json!(lost), row["child_failp"], "{index}");
        if !row["ratings"].is_null() {
            check_minimax(&game, &position, row, index);
        }
    }
}

fn dropped(game: &Trilobite, row: &Value) -> trilobite::Position {
    let field = |name: &str| row[name].clone();
    let written = serde_json::json!({
        "board": field("board"), "player": field("player"), "last_move": field("last_move"),
    });
    let setup: trilobite::Setup = serde_json::from_value(written).expect("a setup");
    let position = game.position(&setup).expect("golden positions are valid");
    assert_eq!(game.setup(&position), setup, "written as read");
    position
}

/// The longest line of one player through the last chip.
fn longest_line(game: &Trilobite, position: &trilobite::Position) -> u8 {
    let last = game.last_move(position).unwrap();
    let owner = game.chip(position, last);
    let (width, height) = (i16::from(game.width()), i16::from(game.height()));
    let (x, y) = (i16::from(last) % width, i16::from(last) / width);
    let run = |dx: i16, dy: i16| {
        let cells = (1..).map(|step| (x + step * dx, y + step * dy));
        let same = cells.take_while(|&(x, y)| {
            let is_on = (0..width).contains(&x) && (0..height).contains(&y);
            is_on && game.chip(position, (x + width * y) as u8) == owner
        });
        same.count() as u8
    };
    let directions = [(1, 0), (0, 1), (1, 1), (1, -1)];
    let lengths = directions.map(|(dx, dy)| 1 + run(dx, dy) + run(-dx, -dy));
    lengths.into_iter().max().unwrap()
}

/// The original lists the results of the whole tree for player 1, and chooses their first maximum.
fn check_minimax(game: &Trilobite, position: &trilobite::Position, row: &Value, index: usize) {
    let found = trilobite::land_of_lisp::minimax(game, position, 1_000_000).unwrap();
    let ratings: Vec<f64> = found.ratings.iter().map(|&(_, rating)| rating).collect();
    let expected: Vec<f64> = row["ratings"]
        .as_array()
        .unwrap()
        .iter()
        .map(double)
        .collect();
    assert_eq!(ratings, expected, "{index}");
    let chosen = found.chosen.map(|chosen| chosen as u64);
    assert_eq!(chosen, row["chosen_by_max"].as_u64(), "{index}");
    assert_eq!(found.nodes, row["tree_nodes"], "{index}");
    let exact = trilobite::land_of_lisp::minimax(game, position, found.nodes);
    let actual = exact.as_ref();
    assert_eq!(actual, Ok(&found), "a budget of all positions is enough");
    if found.nodes > 1 {
        let refused = trilobite::land_of_lisp::minimax(game, position, found.nodes - 1);
        let budget = found.nodes - 1;
        assert_eq!(
            refused,
            Err(trilobite::land_of_lisp::TreeTooLargeError { budget })
        );
    }
    // For either side to move, the book's player reaches the value of the tree.
    if !game.status(position).is_over() {
        let column = trilobite::land_of_lisp::choose(game, position);
        let mut rated = found.ratings.iter();
        let rating = rated.find(|&&(rated, _)| rated == column).unwrap().1;
        assert_eq!(rating, double(&row["value"]), "{index}");
    }
}

#[test]
fn trilobite_opens_like_the_original() {
    let small = Trilobite::new(3, 3, 3).unwrap();
    let rate = |position| trilobite::land_of_lisp::minimax(&small, &position, 10_000).unwrap();
    let ratings = |columns| {
        let rated = rate(small.from_columns(columns).unwrap()).ratings;
        rated.iter().map(|&(_, rating)| rating).collect::<Vec<_>>()
    };
    assert_eq!(ratings(""), [0.0, 0.0, 0.0]);
    assert_eq!(
        trilobite::land_of_lisp::choose(&small, &small.empty()).number(),
        0
    );
    assert_eq!(ratings("1"), [1.0, 1.0, 0.0]);
    let large = Trilobite::new(8, 7, 4).unwrap();
    let columns: Vec<Column> = large.legal_actions(&large.empty()).collect();
    assert_eq!(large.landing(&large.empty(), columns[6]), Some(54));
    // Choice 5 of the original's menu, which counts from 1.
    assert_eq!(large.landing(&large.empty(), columns[5 - 1]), Some(52));
}
