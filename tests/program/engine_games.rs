//! Whole games over the engine: single actions, several positions in a request, and the history of a game.

use dice_of_doom::engine::{Engine, RequestLimits};
use dice_of_doom::games::Registry;
use serde_json::{Value, json};

use crate::rows::golden;

fn engine() -> Engine {
    Engine::new(Registry::builtin(), RequestLimits::default())
}

pub(crate) fn ask(engine: &mut Engine, request: &Value) -> Value {
    serde_json::from_str(&engine.answer(request.to_string().as_bytes())).unwrap()
}

#[track_caller]
fn ok(engine: &mut Engine, request: &Value) -> Value {
    let mut answer = ask(engine, request);
    assert!(answer["error"].is_null(), "{answer} to {request}");
    answer["ok"].take()
}

#[track_caller]
fn check_error(request: &Value, code: &str, message: &str) {
    let answer = ask(&mut engine(), request);
    assert_eq!(answer["error"]["code"], code, "{answer} to {request}");
    let actual = answer["error"]["message"].as_str().unwrap();
    assert!(actual.contains(message), "{actual} to {request}");
}

/// The position of a golden row with its game.
fn position(row: &Value, state: &Value) -> Value {
    let mut position = json!({
        "game": "dice", "rules": "v4", "size": row["size"],
        "players": row["players"], "max_dice": row["max_dice"],
    });
    for field in ["board", "player", "spare", "first_move"] {
        position[field] = state[field].clone();
    }
    position
}

#[test]
fn a_step_with_given_dice_leads_to_the_outcome_of_the_dice() {
    let mut engine = engine();
    for row in golden("moves_v4", "positions", 405) {
        for (index, legal) in row["moves"].as_array().unwrap().iter().enumerate() {
            let mut request = json!({"op": "step", "position": position(&row, &row)});
            if index % 2 == 0 {
                request["path"] = legal["path"].clone();
            } else {
                request["index"] = json!(index);
            }
            if legal["fail"].is_null() {
                let played = ok(&mut engine, &request);
                assert_eq!(
                    played["position"],
                    position(&row, &legal["ok"]),
                    "{request}"
                );
                assert!(played["roll"].is_null(), "{request}");
                continue;
            }
            let dice = |end: usize| {
                let hex = legal["path"][end].as_u64().unwrap() as usize;
                row["board"][hex][1].as_u64().unwrap() as usize
            };
            let (attack, defend) = (dice(0), dice(1));
            let won = json!({"attack": vec![6; attack], "defend": vec![1; defend]});
            let lost = json!({"attack": vec![1; attack], "defend": vec![6; defend]});
            for (roll, outcome) in [(won, "ok"), (lost, "fail")] {
                request["roll"] = roll.clone();
                let played = ok(&mut engine, &request);
                let expected = position(&row, &legal[outcome]);
                assert_eq!(played["position"], expected, "{request}");
                assert_eq!(played["roll"], roll, "{request}");
            }
        }
    }
}

/// Plays a game in which all seats are of one level; returns the record without ending, and the list of decisions.
fn play(engine: &mut Engine, level: &str, plies: u32) -> (Value, Value, Vec<Value>) {
    let new = json!({"op": "new", "game": "dice", "size": 5, "players": 4, "seed": 3});
    let start = ok(engine, &new)["position"].clone();
    let (mut record, mut decisions) = (start.clone(), Vec::new());
    let fields = ["board", "player", "spare", "first_move"];
    for field in fields {
        let value = record.as_object_mut().unwrap().remove(field).unwrap();
        record["start"][field] = value;
    }
    record["format"] = json!(2);
    let mut position = start;
    for ply in 0..plies {
        let choose = json!({"op": "choose", "position": position, "level": level, "seed": ply});
        let path = ok(engine, &choose)["path"].clone();
        decisions.push(json!({"position": position, "path": path}));
        let step = json!({"op": "step", "position": position, "path": path, "seed": ply});
        let played = ok(engine, &step);
        assert_eq!(played["over"], false, "a longer game");
        let entry = json!({"ply": ply, "player": position["player"], "at": 0, "path": path, "roll": played["roll"]});
        if record["plies"].is_null() {
            record["plies"] = json!([]);
        }
        record["plies"].as_array_mut().unwrap().push(entry);
        position = played["position"].clone();
    }
    (position, record, decisions)
}

/// The answer to `choose` without its time.
fn choose(engine: &mut Engine, fields: &Value) -> Value {
    let mut request = fields.clone();
    request["op"] = json!("choose");
    request["level"] = json!("master");
    request["seed"] = json!(5);
    request["nodes"] = json!(200);
    let mut answer = ok(engine, &request);
    answer["elapsed_ms"].take();
    answer
}

#[test]
fn a_level_learns_from_the_history_how_the_others_play() {
    let mut engine = engine();
    let (position, record, decisions) = play(&mut engine, "book", 20);
    let without = choose(&mut engine, &json!({"position": position}));
    let from_record = choose(&mut engine, &json!({"history": record}));
    assert_ne!(from_record["win"], without["win"], "the others are known");
    // As a list of decisions, whose positions need no name and no parameters of the game.
    let listed = json!({"position": position, "history": decisions});
    assert_eq!(choose(&mut engine, &listed), from_record);
    let mut short = decisions.clone();
    for decision in &mut short {
        for field in ["game", "rules", "size", "players", "max_dice"] {
            decision["position"].as_object_mut().unwrap().remove(field);
        }
    }
    let listed = json!({"position": position, "history": short});
    assert_eq!(choose(&mut engine, &listed), from_record);
    // In notation.
    let notation = ok(&mut engine, &json!({"op": "notation", "record": record}));
    let text = json!({"history": notation["text"], "position": position});
    assert_eq!(choose(&mut engine, &text), from_record);
    let nothing = json!({"position": position, "history": []});
    assert_eq!(choose(&mut engine, &nothing), without);
}

#[test]
fn errors_of_a_history_name_the_place() {
    let mut engine = engine();
    let (position, record, mut decisions) = play(&mut engine, "greedy", 4);
    let choose = |fields: Value| {
        let mut request = fields;
        request["op"] = json!("choose");
        request
    };
    check_error(
        &choose(json!({"history": record, "position": decisions[1]["position"]})),
        "bad-record",
        "history: the record leads to another position",
    );
    let mut damaged = record.clone();
    damaged["plies"][2]["path"] = json!([0, 0]);
    check_error(
        &choose(json!({"history": damaged})),
        "bad-record",
        "history: entry 2 ",
    );
    let mut resigned = record;
    resigned["ending"] = json!("resigned");
    resigned["resigned"] = json!(0);
    resigned["winners"] = json!([3]);
    check_error(&choose(json!({"history": resigned})), "game-over", "");

    check_error(
        &choose(json!({"history": decisions})),
        "bad-request",
        "the field `position` is missing",
    );
    decisions[3]["path"] = json!([0, 0]);
    let listed = choose(json!({"position": position, "history": decisions}));
    check_error(&listed, "bad-record", "history: decision 3: ");
    decisions[1]["position"]["size"] = json!(3);
    let listed = choose(json!({"position": position, "history": decisions}));
    check_error(
        &listed,
        "bad-record",
        "history: decision 1: size: this is another game",
    );
    let over = json!({"game": "trilobite", "width": 3, "height": 3, "win": 3, "columns": "11223"});
    let empty = json!({"game": "trilobite", "width": 3, "height": 3, "win": 3, "columns": ""});
    let ended = json!([{"position": over, "cell": 5}]);
    check_error(
        &choose(json!({"position": empty, "history": ended})),
        "bad-record",
        "history: decision 0: the game is over there",
    );
    let listed = choose(json!({"position": position, "history": [7]}));
    check_error(&listed, "bad-request", "history: ");
}

#[test]
fn drawn_dice_repeat_with_their_seed_and_have_the_odds() {
    let mut engine = engine();
    let board = "dice.v4.2.2.3.a3b2b1a2.0.0.1";
    let steps = 4_000;
    let step = json!({"op": "step", "positions": vec![board; steps], "seed": 1,
        "actions": vec![json!({"path": [3, 1]}); steps]});
    let results = ok(&mut engine, &step)["results"].take();
    assert_eq!(results, ok(&mut engine, &step)["results"]);
    let results = results.as_array().unwrap();
    let won = |result: &&Value| result["ok"]["position"]["board"][1][0] == 0;
    let share = results.iter().filter(won).count() as f64 / steps as f64;
    let moves = json!({"op": "moves", "position": board, "successors": false});
    let moves = ok(&mut engine, &moves);
    let attack = moves["moves"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["path"] == json!([3, 1]));
    let odds = attack.unwrap()["odds"].as_f64().unwrap();
    // Three standard errors.
    let error = 3.0 * (odds * (1.0 - odds) / steps as f64).sqrt();
    assert!((share - odds).abs() < error, "{share} of {odds}");
}

#[test]
fn moves_without_successors_have_the_same_actions_and_odds() {
    let mut engine = engine();
    for row in golden("moves_v4", "positions", 405).iter().step_by(10) {
        let position = position(row, row);
        let mut whole = ok(&mut engine, &json!({"op": "moves", "position": position}));
        for legal in whole["moves"].as_array_mut().unwrap() {
            let legal = legal.as_object_mut().unwrap();
            assert!(legal.remove("ok").is_some() && legal.remove("fail").is_some());
        }
        let short = json!({"op": "moves", "position": position, "successors": false});
        assert_eq!(ok(&mut engine, &short), whole);
    }
    let chips = json!({"op": "moves", "position": "trilobite.4.4.3.0000000000000000.1", "successors": false});
    let cells = [12, 13, 14, 15].map(|cell| json!({"cell": cell, "odds": null}));
    let expected = json!({"moves": cells, "over": false, "winners": null});
    assert_eq!(ok(&mut engine, &chips), expected);
}

#[test]
fn several_positions_are_answered_in_order() {
    let mut engine = engine();
    let boards = [
        "dice.v4.2.2.3.a3b2b1a2.0.0.1",
        "dice.v4.2.2.3.a3b2b1a2.1.0.1",
        "trilobite.4.4.3.0000000000000000.1",
    ];
    for fields in [
        json!({"op": "moves"}),
        json!({"op": "perft", "depth": 2}),
        json!({"op": "choose", "level": "random", "seed": 7}),
        json!({"op": "rate", "search": "alphabeta", "depth": 2}),
    ] {
        let mut all = fields.clone();
        all["positions"] = json!(boards);
        let results = ok(&mut engine, &all)["results"].take();
        assert_eq!(results.as_array().unwrap().len(), boards.len());
        for (index, board) in boards.iter().enumerate() {
            let mut one = fields.clone();
            one["position"] = json!(board);
            if let Some(seed) = fields["seed"].as_u64() {
                one["seed"] = json!(seed + index as u64);
            }
            let mut expected = ask(&mut engine, &one);
            expected.as_object_mut().unwrap().remove("id");
            let mut actual = results[index].clone();
            for answer in [&mut expected, &mut actual] {
                answer["ok"]
                    .as_object_mut()
                    .map(|ok| ok.remove("elapsed_ms"));
            }
            assert_eq!(actual, expected, "{one}");
        }
    }
    let step = json!({"op": "step", "positions": boards, "actions": [{"path": [0, 1]}, {"path": [0, 1]}, {"cell": 12}]});
    let results = ok(&mut engine, &step)["results"].take();
    assert!(
        results[0]["ok"].is_object() && results[2]["ok"].is_object(),
        "{results}"
    );
    assert_eq!(results[1]["error"]["code"], "illegal-action", "{results}");
    assert_eq!(
        ok(&mut engine, &json!({"op": "moves", "positions": []})),
        json!({"results": []})
    );
    let fewer = json!({"op": "step", "positions": boards, "actions": [{"cell": 12}]});
    check_error(&fewer, "bad-request", "as many actions as positions");
    check_error(
        &json!({"op": "moves", "positions": 7}),
        "bad-request",
        "positions: ",
    );
    for (fields, message) in [
        (json!({"op": "new", "game": "dice"}), "only moves, step, "),
        (
            json!({"op": "moves", "position": boards[0]}),
            "no `position`",
        ),
        (json!({"op": "choose", "info": true}), "no `info`"),
        (json!({"op": "choose", "history": []}), "no `history`"),
    ] {
        let mut several = fields;
        several["positions"] = json!(boards);
        check_error(&several, "bad-request", message);
    }
    let many = json!({"op": "moves", "positions": vec![7; 10_001]});
    check_error(&many, "bad-request", "at most 10000");
    // Only `step` has actions.
    let perft = json!({"op": "perft", "positions": boards, "actions": [{"depth": 1}, {"depth": 1}, {"depth": 1}]});
    let results = ok(&mut engine, &perft)["results"].take();
    assert_eq!(results[0]["error"]["code"], "bad-request", "{results}");
}

#[test]
fn null_is_a_field_that_is_not_there() {
    let mut engine = engine();
    let board = "dice.v4.2.2.3.a3b2b1a2.0.0.1";
    let step = json!({"op": "step", "position": board, "path": [0, 1], "index": null,
        "positions": null, "seed": null, "roll": null});
    assert!(ok(&mut engine, &step)["position"].is_object());
    let several = json!({"op": "moves", "positions": [board], "seed": null, "successors": null});
    let results = ok(&mut engine, &several)["results"].take();
    assert_eq!(
        results[0]["ok"],
        ok(&mut engine, &json!({"op": "moves", "position": board}))
    );
}

#[test]
fn faces_have_no_effect_where_nothing_is_rolled() {
    let mut engine = engine();
    let faces = json!({"attack": [6], "defend": [1]});
    let chip = json!({"op": "step", "position": "trilobite.4.4.3.0000000000000000.1", "cell": 12, "roll": faces});
    assert!(ok(&mut engine, &chip)["roll"].is_null());
    let bigger = json!({"op": "step", "position": "dice.v2.2.2.3.a3b2b1a2.0.0.1", "path": [0, 1], "roll": faces});
    assert!(ok(&mut engine, &bigger)["roll"].is_null());
}

#[test]
fn steps_that_cannot_be_played_are_explained() {
    let board = "dice.v4.2.2.3.a3b2b1a2.0.0.1";
    let roll = json!({"attack": [6, 6, 6], "defend": [1, 1]});
    for (fields, code, message) in [
        (
            json!({"path": [1, 0]}),
            "illegal-action",
            "hex 1 is not yours",
        ),
        (json!({"path": null}), "illegal-action", ""),
        (
            json!({"index": 4}),
            "illegal-action",
            "there are 4 legal actions",
        ),
        (
            json!({"path": [0, 2], "roll": roll}),
            "illegal-action",
            "the dice do not fit",
        ),
        (json!({"path": [0, 9]}), "bad-request", "no such hex"),
        (
            json!({"path": [0, 1], "roll": {"attack": [7], "defend": [1]}}),
            "bad-request",
            "roll: ",
        ),
        (json!({"path": [0, 1], "roll": 7}), "bad-request", "roll: "),
        (
            json!({"path": [0, 1], "index": 0}),
            "bad-request",
            "index or path, not both",
        ),
        (json!({"cell": 3}), "bad-request", "no field `cell`"),
        (json!({}), "bad-request", "a path"),
        (json!({"path": [0, 1], "seed": -1}), "bad-request", "seed"),
    ] {
        let mut step = fields;
        step["op"] = json!("step");
        step["position"] = json!(board);
        check_error(&step, code, message);
    }
    check_error(
        &json!({"op": "step", "path": null}),
        "bad-request",
        "`position` is missing",
    );
    let over = json!({"game": "trilobite", "width": 3, "height": 3, "win": 3, "columns": "11223"});
    check_error(
        &json!({"op": "step", "position": over, "cell": 8}),
        "game-over",
        "",
    );
}

#[test]
fn a_finished_step_names_the_winners() {
    let mut engine = engine();
    let last = json!({"game": "trilobite", "width": 3, "height": 3, "win": 3, "columns": "1122"});
    let won = ok(
        &mut engine,
        &json!({"op": "step", "position": last, "cell": 8}),
    );
    assert_eq!(
        (&won["over"], &won["winners"]),
        (&json!(true), &json!([0])),
        "{won}"
    );
    let again = json!({"op": "moves", "position": won["position"], "successors": false});
    let expected = json!({"moves": [], "over": true, "winners": [0]});
    assert_eq!(ok(&mut engine, &again), expected);
}

#[test]
fn the_engine_names_itself_and_accepts_what_programs_that_learn_are_told() {
    let mut engine = engine();
    let version = ok(&mut engine, &json!({"op": "version"}));
    assert_eq!(version["name"], "dice-of-doom");
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version["games"], json!(["dice", "trilobite"]));
    let board = "dice.v4.2.2.3.a3b2b1a2.0.0.1";
    let new = json!({"op": "newgame", "position": board, "player": 0, "hash": 64});
    assert_eq!(ok(&mut engine, &new), json!({}));
    let result =
        json!({"op": "result", "position": board, "player": 0, "winners": [0], "score": 1.0});
    assert_eq!(ok(&mut engine, &result), json!({}));
}
