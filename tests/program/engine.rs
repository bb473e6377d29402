//! The engine over a real pipe: the golden vectors, and arbitrary lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use dice_of_doom::engine::{Engine, RequestLimits};
use dice_of_doom::games::Registry;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::rows::{double, golden, with_quoted_fractions};

/// Sends lines to an engine; returns its responses, one per line, after it has ended by itself.
fn answers(arguments: &[&str], lines: Vec<Vec<u8>>) -> Vec<String> {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_dice-of-doom"))
        .arg("engine")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = engine.stdin.take().unwrap();
    let asking = std::thread::spawn(move || {
        for mut line in lines {
            line.push(b'\n');
            input.write_all(&line).unwrap();
        }
    });
    let output = BufReader::new(engine.stdout.take().unwrap());
    let answers = output.lines().map(|line| line.unwrap()).collect();
    asking.join().unwrap();
    let mut complaints = String::new();
    let stderr = engine.stderr.take().unwrap();
    BufReader::new(stderr)
        .read_to_string(&mut complaints)
        .unwrap();
    assert_eq!(complaints, "", "nothing on stderr");
    assert!(engine.wait().unwrap().success());
    answers
}

/// The responses to the requests; fractions are strings.
fn ask(requests: &[Value]) -> Vec<Value> {
    let lines = requests
        .iter()
        .map(|request| request.to_string().into_bytes());
    let answers = answers(&[], lines.collect());
    assert_eq!(answers.len(), requests.len(), "one response per request");
    let read = |answer: &String| serde_json::from_str(&with_quoted_fractions(answer)).unwrap();
    answers.iter().map(read).collect()
}

/// The successful responses to the requests.
fn ok(requests: &[Value]) -> Vec<Value> {
    let mut answers = ask(requests);
    for (answer, request) in answers.iter_mut().zip(requests) {
        assert!(answer["error"].is_null(), "{answer} to {request}");
        assert_eq!(answer["id"], request["id"], "{answer} to {request}");
        *answer = answer["ok"].take();
    }
    answers
}

/// The error code of a request.
fn code(line: impl Into<Vec<u8>>) -> String {
    let answers = answers(&["--limit-nodes", "100000"], vec![line.into()]);
    let answer: Value = serde_json::from_str(&answers[0]).unwrap();
    assert!(answer["ok"].is_null(), "{answer}");
    answer["error"]["code"].as_str().unwrap().to_owned()
}

fn state(row: &Value) -> Value {
    json!({
        "board": row["board"], "player": row["player"],
        "spare": row["spare"], "first_move": row["first_move"],
    })
}

fn dice(row: &Value, rules: &str, state: &Value) -> Value {
    let mut position = json!({
        "game": "dice", "rules": rules, "size": row["size"],
        "players": row["players"], "max_dice": row["max_dice"],
    });
    let fields = state.as_object().unwrap().clone();
    position.as_object_mut().unwrap().extend(fields);
    position
}

#[test]
fn moves_v2() {
    check_moves("moves_v2", "v2", 500);
}

#[test]
fn moves_v4() {
    check_moves("moves_v4", "v4", 405);
}

fn check_moves(file: &str, rules: &str, count: usize) {
    let odds = golden("dice_probability", "rows", 100);
    let exact = |attack: &Value, defend: &Value| {
        let row = odds
            .iter()
            .find(|row| row["attack"] == *attack && row["defend"] == *defend);
        double(&row.unwrap()["p"])
    };
    let rows = golden(file, "positions", count);
    let request = |(id, row): (usize, &Value)| json!({"id": id, "op": "moves", "position": dice(row, rules, &state(row))});
    let requests: Vec<Value> = rows.iter().enumerate().map(request).collect();
    for ((index, row), actual) in rows.iter().enumerate().zip(ok(&requests)) {
        let moves = row["moves"].as_array().unwrap();
        assert_eq!(actual["moves"].as_array().unwrap().len(), moves.len());
        assert_eq!(actual["over"], moves.is_empty(), "{file} {index}");
        assert_eq!(actual["winners"].is_null(), !moves.is_empty());
        for (actual, expected) in actual["moves"].as_array().unwrap().iter().zip(moves) {
            assert_eq!(actual["path"], expected["path"], "{file} {index}");
            assert_eq!(actual["ok"], state(&expected["ok"]), "{file} {index}");
            if expected["fail"].is_null() {
                assert!(actual["fail"].is_null() && actual["odds"].is_null());
                continue;
            }
            assert_eq!(actual["fail"], state(&expected["fail"]), "{file} {index}");
            let dice = |end: usize| {
                let hex = actual["path"][end].as_u64().unwrap() as usize;
                &row["board"][hex][1]
            };
            assert_eq!(double(&actual["odds"]), exact(dice(0), dice(1)), "{index}");
        }
    }
}

#[test]
fn winners() {
    for (file, rules, count) in [("playouts_v2", "v2", 70), ("playouts_v4", "v4", 76)] {
        let mut rows = golden(file, "games", count);
        rows.retain(|row| row["capped"] == false);
        let end = |row: &Value| {
            json!({
                "board": row["final_board"], "player": row["final_player"],
                "spare": 0, "first_move": true,
            })
        };
        let request = |row: &Value| json!({"op": "moves", "position": dice(row, rules, &end(row))});
        let requests: Vec<Value> = rows.iter().map(request).collect();
        for (row, actual) in rows.iter().zip(ok(&requests)) {
            let expected = json!({"moves": [], "over": true, "winners": row["winners"]});
            assert_eq!(actual, expected, "{file}");
        }
    }
}

#[test]
fn ratings_v2() {
    let lists = [
        ("expectimax", "ratings", "chosen"),
        ("alphabeta", "ab_ratings", "ab_chosen"),
        ("book", "ab_ratings", "ab_chosen"),
    ];
    check_ratings("ratings_v2", "v2", 228, &lists);
}

#[test]
fn ratings_v4() {
    let lists = [
        ("expectimax", "ratings", "chosen"),
        ("book", "ratings_single_float", "chosen_single_float"),
    ];
    check_ratings("ratings_v4", "v4", 178, &lists);
}

fn check_ratings(file: &str, rules: &str, count: usize, lists: &[(&str, &str, &str)]) {
    let rows = golden(file, "positions", count);
    for (search, list, chosen) in lists {
        let request = |row: &Value| {
            json!({
                "op": "rate", "position": dice(row, rules, &state(row)),
                "search": search, "depth": row["depth"],
            })
        };
        let requests: Vec<Value> = rows.iter().map(request).collect();
        for ((index, row), actual) in rows.iter().enumerate().zip(ok(&requests)) {
            let at = format!("{file} {search} {index}");
            assert_eq!(doubles(&actual["ratings"]), doubles(&row[*list]), "{at}");
            assert_eq!(actual["chosen"], row[*chosen], "{at}");
        }
    }
}

fn doubles(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(double).collect()
}

#[test]
fn trilobite() {
    let rows = golden("trilobite", "positions", 304);
    let position = |row: &Value| {
        json!({
            "game": "trilobite", "width": row["width"], "height": row["height"],
            "win": row["win_len"], "board": row["board"], "player": row["player"],
            "last_move": row["last_move"],
        })
    };
    let moves: Vec<Value> = rows
        .iter()
        .map(|row| json!({"op": "moves", "position": position(row)}))
        .collect();
    for (index, (row, actual)) in rows.iter().zip(ok(&moves)).enumerate() {
        assert_eq!(actual["moves"], row["moves"], "{index}");
        assert_eq!(actual["failp"], row["failp"], "{index}");
        assert_eq!(actual["line"].is_null(), row["failp"] == false, "{index}");
        let over = row["moves"].as_array().unwrap().is_empty();
        assert_eq!(actual["over"], over, "{index}");
    }
    let rated: Vec<&Value> = rows
        .iter()
        .filter(|row| !row["ratings"].is_null())
        .collect();
    assert!(rated.len() > 100, "{} are rated", rated.len());
    let rate = |row: &&Value| json!({"op": "rate", "position": position(row), "search": "minimax"});
    let requests: Vec<Value> = rated.iter().map(rate).collect();
    for (index, (row, actual)) in rated.iter().zip(ok(&requests)).enumerate() {
        let found = doubles(&actual["ratings"]);
        assert_eq!(found, doubles(&row["ratings"]), "{index}");
        assert_eq!(actual["chosen"], row["chosen_by_max"], "{index}");
        assert_eq!(actual["nodes"], row["tree_nodes"], "{index}");
    }
}

#[test]
fn perft_of_seven_columns() {
    let nodes: [u64; 8] = [7, 49, 343, 2401, 16807, 117_649, 823_536, 5_673_234];
    let position = json!({"game": "trilobite", "width": 7, "height": 6, "win": 4, "columns": ""});
    let requests: Vec<Value> = (1..=8)
        .map(|depth| json!({"op": "perft", "position": position, "depth": depth}))
        .collect();
    let actual: Vec<Value> = ok(&requests);
    assert_eq!(actual, nodes.map(|nodes| json!({"nodes": nodes})));
}

#[test]
fn two_ways_to_write_a_position() {
    let size = json!({"game": "trilobite", "width": 7, "height": 6, "win": 4});
    let mut columns = size.clone();
    columns["columns"] = json!("4455");
    let mut board = size;
    let mut cells = [0; 42];
    cells[31..33].fill(2);
    cells[38..40].fill(1);
    board["board"] = json!(cells.as_slice());
    board["player"] = json!(1);
    board["last_move"] = json!(32);
    let ask = |position| json!({"op": "moves", "position": position});
    let actual = ok(&[ask(columns), ask(board)]);
    assert_eq!(actual[0], actual[1]);
}

#[test]
fn deals_and_choices_repeat_with_their_seed() {
    let new = |seed: u64| {
        json!({
            "op": "new", "game": "dice", "rules": "v4", "size": 5, "players": 4,
            "max_dice": 5, "seed": seed,
        })
    };
    let dealt = ok(&[new(7), new(7), new(8)]);
    assert_eq!(dealt[0], dealt[1]);
    assert_ne!(dealt[0], dealt[2]);
    let position = &dealt[0]["position"];
    let choose = |level: &str, seed: u64| json!({"op": "choose", "position": position, "level": level, "seed": seed});
    let mut requests: Vec<Value> = (0..20).map(|seed| choose("random", seed)).collect();
    requests.extend([choose("random", 0), choose("book", 1), choose("book", 2)]);
    requests.push(json!({"op": "moves", "position": position}));
    let actual = ok(&requests);
    let moves = &actual[23]["moves"];
    for choice in &actual[..23] {
        let index = choice["index"].as_u64().unwrap() as usize;
        assert_eq!(choice["path"], moves[index]["path"]);
        assert!(choice["win"].is_null() && !choice["elapsed_ms"].is_null());
    }
    assert_eq!(actual[0]["index"], actual[20]["index"]);
    assert!((1..20).any(|at| actual[at]["index"] != actual[0]["index"]));
    assert_eq!(actual[21]["index"], actual[22]["index"]);
    assert!(actual[21]["nodes"].as_u64().unwrap() > 1);
}

/// A dealt board of four players, and an empty board of Trilobite.
fn positions() -> [Value; 2] {
    let dealt = json!({"op": "new", "game": "dice", "rules": "v4", "size": 3, "players": 4,
        "max_dice": 3, "seed": 5});
    let empty = json!({"op": "new", "game": "trilobite", "width": 7, "height": 6, "win": 4});
    let [dice, trilobite] = ok(&[dealt, empty]).try_into().unwrap();
    [dice["position"].clone(), trilobite["position"].clone()]
}

/// The win shares that a level estimates.
fn win(choice: &Value) -> Vec<f64> {
    let shares = choice["win"].as_array().unwrap().iter();
    shares
        .map(|share| {
            let quoted = share.as_str().map(|text| text.parse().unwrap());
            quoted.unwrap_or_else(|| share.as_f64().unwrap())
        })
        .collect()
}

#[test]
fn every_level_plays_both_games() {
    let names = [
        "novice", "random", "book", "greedy", "steady", "advanced", "expert", "master", "champion",
    ];
    let [dice, trilobite] = positions();
    let trilobite_names = [&names[..], &["perfect"]].concat();
    for (game, position, players, names) in [
        ("dice", &dice, 4, names.to_vec()),
        ("trilobite", &trilobite, 2, trilobite_names),
    ] {
        let mut requests = vec![
            json!({"op": "levels", "game": game}),
            json!({"op": "moves", "position": position}),
        ];
        requests.extend(names.iter().map(|level| {
            json!({"op": "choose", "position": position, "level": level, "seed": 3, "nodes": 50})
        }));
        let actual = ok(&requests);
        let listed = actual[0]["levels"].as_array().unwrap();
        let described: Vec<_> = listed.iter().map(|level| &level["name"]).collect();
        assert_eq!(described, names);
        for level in listed {
            let description = level["description"].as_str().unwrap();
            assert!(description.ends_with('.') && !description.contains("level-"));
        }
        let moves = actual[1]["moves"].as_array().unwrap();
        for (choice, name) in actual[2..].iter().zip(names) {
            let index = choice["index"].as_u64().unwrap() as usize;
            assert!(index < moves.len(), "{name}: {choice}");
            if ["advanced", "expert", "master", "champion", "perfect"].contains(&name) {
                let shares = win(choice);
                assert_eq!(shares.len(), players, "{name}");
                let sum: f64 = shares.iter().sum();
                assert!((sum - 1.0).abs() < 1e-4, "{name}: {sum}");
            }
        }
    }
}

#[test]
fn a_perfect_choice_is_exact_where_the_solver_proves_it() {
    for (columns, score) in [
        ("274552224131661", 0),
        ("5554224333234511764415115", 4),
        ("7422341735647741166133573473242566", 1),
        ("1233722555341451114725221333", -1),
        // Completing a line is best whatever else is known.
        ("121212", 18),
    ] {
        let position =
            json!({"game": "trilobite", "width": 7, "height": 6, "win": 4, "columns": columns});
        let choose = json!({"op": "choose", "position": position, "level": "perfect", "seed": 1});
        let [choice] = ok(&[choose]).try_into().unwrap();
        assert_eq!(choice["exact"], true, "{columns}: {choice}");
        let mover = columns.len() % 2;
        let share = f32::midpoint(f32::from(i8::signum(score)), 1.0);
        assert_eq!(win(&choice)[mover], f64::from(share), "{columns}: {choice}");
    }
    let empty = |width: u8| json!({"game": "trilobite", "width": width, "height": 6, "win": 4, "columns": ""});
    let choose = |width: u8| json!({"op": "choose", "position": empty(width), "level": "perfect", "nodes": 1_000});
    // 7 × 6 has an opening book, 8 × 6 has none.
    let [from_book] = ok(&[choose(7)]).try_into().unwrap();
    assert_eq!(from_book["exact"], true, "{from_book}");
    let master = json!({"op": "choose", "position": empty(8), "level": "master"});
    for choice in ok(&[choose(8), master]) {
        assert_eq!(choice.get("exact"), None, "{choice}");
    }
}

#[test]
fn the_same_seed_and_nodes_choose_the_same() {
    for position in positions() {
        let perfect = (position["game"] == "trilobite").then_some("perfect");
        for level in ["advanced", "expert", "master", "champion"]
            .into_iter()
            .chain(perfect)
        {
            let choose = |nodes: u64| json!({"op": "choose", "position": position, "level": level, "seed": 11, "nodes": nodes});
            let actual = ok(&[choose(300), choose(300), choose(1)]);
            for field in ["index", "win", "nodes"] {
                assert_eq!(actual[0][field], actual[1][field], "{level}: {field}");
            }
            // Fewer simulations than there are actions still give a legal action.
            assert!(actual[2]["index"].is_u64(), "{level}");
        }
    }
}

#[test]
fn a_budget_limits_the_time() {
    for position in positions() {
        let requests: Vec<Value> = ["random", "book", "master", "champion"]
            .map(|level| {
                json!({"op": "choose", "position": position, "level": level, "seed": 1, "budget_ms": 50})
            })
            .into();
        let begun = std::time::Instant::now();
        let actual = ok(&requests);
        // Far more than it needs, and far less than an unlimited search takes.
        assert!(begun.elapsed() < std::time::Duration::from_secs(30));
        for choice in &actual[2..] {
            assert!(
                (win(choice).iter().sum::<f64>() - 1.0).abs() < 1e-4,
                "{choice}"
            );
        }
        assert!(actual[0]["win"].is_null() && actual[1]["win"].is_null());
    }
}

#[test]
fn ids_are_returned_unchanged() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for id in [
        "1",
        "-0.0",
        "1e400",
        "0.1000",
        "null",
        r#""\u0041""#,
        r#"{"b":1,"a":[]}"#,
        "123456789012345678901234567890",
        &deep,
    ] {
        let line = format!(r#"{{"op":"levels","game":"dice","id":{id}}}"#);
        let answers = answers(&[], vec![line.into_bytes()]);
        let begin = format!(r#"{{"id":{id},"ok":{{"levels":[{{"name":"#);
        assert!(answers[0].starts_with(&begin), "id {id:.50}");
    }
}

#[test]
fn bad_requests_have_error_codes() {
    let position = r#"{"game":"trilobite","width":7,"height":6,"win":4,"columns":""}"#;
    let v4 = r#"{"game":"dice","rules":"v4","size":2,"players":2,"max_dice":3,"board":[[0,2],[1,1],[0,1],[1,2]],"player":0,"spare":0,"first_move":true}"#;
    let over = r#"{"game":"trilobite","width":3,"height":3,"win":2,"columns":"121"}"#;
    let dealt = positions()[0].to_string();
    let deep = format!(
        r#"{{"op":{}1{}}}"#,
        "[".repeat(400_000),
        "]".repeat(400_000)
    );
    let requests = [
        r#"bad-json {"#,
        r#"bad-json {} {}"#,
        r#"bad-request []"#,
        r#"bad-request null"#,
        r#"bad-request {}"#,
        r#"bad-request {"op":7}"#,
        r#"bad-request {"op":"levels","game":"dice","game":"dice"}"#,
        r#"bad-request {"op":"levels","game":"dice","id":1,"id":2}"#,
        r#"bad-request {"op":"levels","game":"dice","more":1}"#,
        r#"bad-request {"op":"rate","search":"alphabeta","position":CHIPS}"#,
        r#"bad-request {"op":"perft","position":CHIPS,"depth":1.5}"#,
        r#"unknown-op {"op":"dance"}"#,
        r#"unknown-game {"op":"levels","game":"chess"}"#,
        r#"unknown-game {"op":"moves","position":{"game":"go"}}"#,
        r#"unknown-level {"op":"choose","level":"god","position":CHIPS}"#,
        r#"unknown-level {"op":"choose","level":"perfect","position":DEALT}"#,
        r#"out-of-range {"op":"perft","position":CHIPS,"depth":129}"#,
        r#"out-of-range {"op":"perft","position":V4,"depth":-1}"#,
        r#"out-of-range {"op":"rate","search":"book","position":V4,"depth":13}"#,
        r#"out-of-range {"op":"rate","search":"book","position":V4,"depth":0}"#,
        r#"out-of-range {"op":"choose","level":"book","position":V4,"nodes":0}"#,
        r#"out-of-range {"op":"new","game":"dice","rules":"v4","size":9,"players":2,"max_dice":3}"#,
        r#"bad-position {"op":"moves","position":{}}"#,
        r#"bad-position {"op":"moves","position":7}"#,
        r#"game-over {"op":"choose","level":"book","position":OVER}"#,
        r#"bad-request {"op":"solve"}"#,
        r#"unsupported {"op":"solve","position":V4}"#,
        r#"unsupported {"op":"rate","search":"alphabeta","position":V4,"depth":1}"#,
        r#"unsupported {"op":"rate","search":"guess","position":V4,"depth":1}"#,
        r#"too-large {"op":"rate","search":"minimax","position":CHIPS}"#,
        r#"too-large {"op":"rate","search":"alphabeta","position":CHIPS,"depth":40}"#,
        r#"too-large {"op":"perft","position":CHIPS,"depth":40}"#,
    ];
    let requests = requests.map(|row| {
        let (expected, request) = row.split_once(' ').unwrap();
        let request = request.replace("CHIPS", position).replace("V4", v4);
        let request = request.replace("OVER", over).replace("DEALT", &dealt);
        (expected, request.into_bytes())
    });
    let moves =
        |position: String| format!(r#"{{"op":"moves","position":{position}}}"#).into_bytes();
    let mut cases = Vec::from(requests);
    cases.extend([
        ("bad-json", b"{\"op\":\"\xff\"}".to_vec()),
        ("bad-json", "[".repeat(1 << 20).into_bytes()),
        ("too-long", vec![b' '; (1 << 20) + 1]),
        ("bad-request", deep.into_bytes()),
        ("bad-position", moves(v4.replace("[0,2]", "[0,4]"))),
        (
            "bad-position",
            moves(v4.replace("\"spare\":0", "\"spare\":0,\"quiet\":0")),
        ),
        ("bad-position", moves(position.replace("\"\"", "\"8\""))),
    ]);
    for (expected, line) in cases {
        let shown = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
        assert_eq!(code(line), expected, "{shown}");
    }
}

#[test]
fn every_offered_op_exists() {
    let answer = answers(&[], vec![br#"{"op":"dance"}"#.to_vec()]).remove(0);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let message = answer["error"]["message"].as_str().unwrap();
    let offered = message.strip_prefix("no such op; there are ").unwrap();
    let offered: Vec<&str> = offered
        .split([',', ' '])
        .filter(|word| !word.is_empty() && *word != "and")
        .collect();
    let answer = answers(&[], vec![br#"{"op":"version"}"#.to_vec()]).remove(0);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["ok"]["ops"], json!(offered));
    let help = Command::new(env!("CARGO_BIN_EXE_dice-of-doom"))
        .args(["engine", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, ops) = help.split_once("The ops: ").unwrap();
    let ops = ops.split('.').next().unwrap();
    let listed: Vec<&str> = ops
        .split([',', ' ', '\n'])
        .filter(|op| !op.is_empty())
        .collect();
    assert_eq!(listed, offered);
    let need_no_fields = ["stop", "newgame", "result", "version"];
    for op in offered
        .into_iter()
        .filter(|op| !need_no_fields.contains(op))
    {
        assert_eq!(code(format!(r#"{{"op":"{op}"}}"#)), "bad-request", "{op}");
    }
}

#[test]
fn a_closed_stdout_is_no_error() {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_dice-of-doom"))
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(engine.stdout.take());
    let mut input = engine.stdin.take().unwrap();
    input
        .write_all(b"{\"op\":\"levels\",\"game\":\"dice\"}\n")
        .unwrap();
    let ended = engine.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", ended.status);
    assert_eq!(ended.stderr, b"");
}

/// A random request, and whether its id must be returned.
struct Sent {
    line: Vec<u8>,
    id: Option<usize>,
    is_sound: bool,
}

#[test]
fn every_line_is_answered_in_order() {
    const SEED: u64 = 20_100_601;
    let count = std::env::var("DOD_REQUESTS").map_or(5_000, |count| count.parse().unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let sent = (0..count).map(|id| request(id, &mut rng));
    // Blank lines have no response.
    let sent: Vec<Sent> = sent
        .filter(|sent| !sent.line.trim_ascii().is_empty())
        .collect();
    let lines = sent.iter().map(|sent| sent.line.clone()).collect();
    let answers = answers(&["--limit-nodes", "5000"], lines);
    let found = answers.len();
    assert_eq!(found, sent.len(), "one response per line (seed {SEED})");
    for (number, (answer, sent)) in answers.iter().zip(&sent).enumerate() {
        let line = String::from_utf8_lossy(&sent.line[..sent.line.len().min(500)]);
        let at = format!("seed {SEED}, line {number}: {answer} to {line}");
        let answer: Value = serde_json::from_str(answer).unwrap_or_else(|_| panic!("{at}"));
        let fields = answer.as_object().unwrap_or_else(|| panic!("{at}"));
        assert_eq!(fields.len(), 2, "{at}");
        let code = answer["error"]["code"].as_str();
        assert!(fields.contains_key("ok") != code.is_some(), "{at}");
        assert_ne!(code, Some("internal"), "{at}");
        if let Some(id) = sent.id {
            assert_eq!(answer["id"], id, "{at}");
        }
        if sent.is_sound {
            let fine = [None, Some("too-large"), Some("game-over")];
            assert!(fine.contains(&code), "{at}");
        }
    }
    let refused = answers
        .iter()
        .filter(|answer| answer.contains("\"error\":"))
        .count();
    assert!(
        refused > sent.len() / 5 && refused < sent.len() / 2,
        "{refused} refused"
    );
}

fn request(id: usize, rng: &mut ChaCha8Rng) -> Sent {
    let mut request = sound(rng);
    request["id"] = json!(id);
    let is_sound = !rng.random_ratio(1, 3);
    // Damaged so that the id stays readable, or in its bytes.
    let is_readable = is_sound || rng.random_bool(0.5);
    if is_readable {
        if !is_sound {
            damage_value(&mut request, rng);
        }
        return Sent {
            line: request.to_string().into_bytes(),
            id: Some(id),
            is_sound,
        };
    }
    let mut line = request.to_string().into_bytes();
    damage_bytes(&mut line, rng);
    line.iter_mut()
        .filter(|byte| **byte == b'\n')
        .for_each(|byte| *byte = b' ');
    Sent {
        line,
        id: None,
        is_sound: false,
    }
}

fn sound(rng: &mut ChaCha8Rng) -> Value {
    let mut request = match rng.random_range(0..6) {
        0 => return json!({"op": "levels", "game": *["dice", "trilobite"].choose(rng).unwrap()}),
        1 => {
            let mut request = if rng.random() {
                dice_numbers(8, rng)
            } else {
                trilobite_numbers(rng)
            };
            request["seed"] = json!(rng.random::<u64>());
            request["op"] = json!("new");
            return request;
        }
        2 | 3 => json!({"op": "moves"}),
        4 => json!({"op": "perft", "depth": rng.random_range(0..=12)}),
        _ => {
            json!({"op": "choose", "level": *["random", "book"].choose(rng).unwrap(), "seed": rng.next_u64()})
        }
    };
    let trilobite = rng.random_bool(0.5);
    if request["op"] == "perft" && rng.random() {
        let searches: &[&str] = if trilobite {
            &["minimax", "alphabeta"]
        } else {
            &["book", "expectimax"]
        };
        request = json!({"op": "rate", "search": *searches.choose(rng).unwrap(), "depth": rng.random_range(1..=12)});
    }
    request["position"] = if trilobite {
        trilobite_position(rng)
    } else {
        dice_position(&request, rng)
    };
    request
}

fn dice_numbers(max_size: u8, rng: &mut ChaCha8Rng) -> Value {
    let size = rng.random_range(3..=max_size);
    let rules = *["v1", "v2", "v3", "v4", "conquest"].choose(rng).unwrap();
    json!({
        "game": "dice", "rules": rules, "size": size,
        "players": rng.random_range(2..=6), "max_dice": rng.random_range(2..=8),
    })
}

fn dice_position(request: &Value, rng: &mut ChaCha8Rng) -> Value {
    // Levels have their own effort, so they get small boards.
    let mut position = dice_numbers(if request["op"] == "choose" { 3 } else { 8 }, rng);
    let number = |name: &str| position[name].as_u64().unwrap();
    let (size, players, max_dice) = (number("size"), number("players"), number("max_dice"));
    let cell = |_| (rng.random_range(0..players), rng.random_range(1..=max_dice));
    let board: Vec<(u64, u64)> = (0..size * size).map(cell).collect();
    position["board"] = json!(board);
    position["player"] = json!(rng.random_range(0..players));
    position["spare"] = json!(rng.random_range(0..20));
    position["first_move"] = json!(rng.random::<bool>());
    if position["rules"] == "conquest" && rng.random() {
        position["quiet"] = json!(rng.random_range(0..=255));
    }
    position
}

fn trilobite_numbers(rng: &mut ChaCha8Rng) -> Value {
    let (width, height) = (rng.random_range(1..=9), rng.random_range(1..=8));
    json!({
        "game": "trilobite", "width": width, "height": height,
        "win": rng.random_range(1..=std::cmp::max(width, height)),
    })
}

/// Distinct columns, too few for a win.
fn trilobite_position(rng: &mut ChaCha8Rng) -> Value {
    let mut position = trilobite_numbers(rng);
    let width = position["width"].as_u64().unwrap();
    let win = position["win"].as_u64().unwrap();
    let chips = rng.random_range(0..=width.min(2 * (win - 1)));
    let columns: String = (1..=chips).map(|column| column.to_string()).collect();
    position["columns"] = json!(columns);
    position
}

/// The name of a field other than the id.
fn random_field(fields: &serde_json::Map<String, Value>, rng: &mut ChaCha8Rng) -> String {
    let names: Vec<_> = fields.keys().filter(|&name| name != "id").collect();
    names.choose(rng).unwrap().to_string()
}

fn damage_value(request: &mut Value, rng: &mut ChaCha8Rng) {
    let wrong = [
        json!(null),
        json!(-1),
        json!(1e300),
        json!(u64::MAX),
        json!("x"),
        json!([]),
        json!({"a": {"b": []}}),
        json!(true),
        json!([[9, 9]]),
    ];
    let fields = request.as_object_mut().unwrap();
    match rng.random_range(0..4) {
        0 => fields.insert("more".into(), wrong.choose(rng).unwrap().clone()),
        1 => fields.insert("op".into(), wrong.choose(rng).unwrap().clone()),
        2 => {
            let name = random_field(fields, rng);
            fields.remove(&name)
        }
        _ => {
            let within = match fields.get_mut("position").and_then(Value::as_object_mut) {
                Some(position) if rng.random_bool(0.8) => position,
                _ => fields,
            };
            let name = random_field(within, rng);
            within.insert(name, wrong.choose(rng).unwrap().clone())
        }
    };
}

fn damage_bytes(line: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    match rng.random_range(0..200) {
        0 => line.resize((1 << 20) + rng.random_range(0..100_000), b' '),
        1 => *line = "[".repeat(rng.random_range(1..200_000)).into_bytes(),
        2 => *line = "{\"a\":".repeat(rng.random_range(1..100_000)).into_bytes(),
        3..=60 => line.truncate(rng.random_range(0..line.len())),
        61..=120 => {
            line.resize(rng.random_range(0..300), 0);
            rng.fill_bytes(line);
        }
        _ => {
            for _ in 0..rng.random_range(1..5) {
                let at = rng.random_range(0..line.len());
                line[at] = rng.random();
            }
        }
    }
}

#[test]
fn searches_and_perft_can_be_stopped() {
    let mut engine = EngineProcess::start_with(&["--limit-nodes", "18446744073709551615"]);
    let empty = json!({"game": "trilobite", "width": 8, "height": 7, "win": 4, "columns": ""});
    for (id, mut request) in (0..).step_by(2).zip([
        json!({"op": "rate", "search": "minimax"}),
        json!({"op": "rate", "search": "alphabeta", "depth": 56}),
        json!({"op": "perft", "depth": 56}),
    ]) {
        request["position"] = empty.clone();
        request["id"] = id.into();
        engine.send(&request);
        engine.send(&json!({"id": id + 1, "op": "stop"}));
        let answer = engine.receive();
        assert_eq!(answer["id"], id);
        assert_eq!(answer["error"]["code"], "stopped", "{answer}");
        assert_eq!(engine.receive(), json!({"id": id + 1, "ok": {}}));
    }
    // Nothing is stopped afterwards.
    engine.send(&json!({"op": "perft", "depth": 3, "position": empty}));
    assert_eq!(engine.receive()["ok"]["nodes"], 512);
    drop(engine.child.stdin.take());
    assert!(engine.child.wait().unwrap().success());
}

#[test]
fn parse_errors_name_the_place() {
    for row in [
        "trilobite.4.4.3.000000000000000x.1 | character 32: a cell is 0, 1 or 2",
        "trilobite.4.4.3 | character 16: the board is missing",
        "trilobite.4.x.3.0000000000000000.1 | character 13: this is not a height",
        "trilobite.4.4.3.0000000000000000.1.7 | character 36: the position ends before this",
        "trilobite.04.4.3.0000000000000000.1 | character 11: notation has no such number",
        "  trilobite.4.4.3.000000000000000x.1 | character 34: a cell is 0, 1 or 2",
        "dice.v4.2.2.3.a3b2b1x2.0.0.1 | character 21: a hex has an owner, a to f, and a number of dice",
        "dice.v4.2.2.3.a3b2b1a2.0.0.2 | character 28: this is not 0 or 1",
        "dice.v4.2.2.3.a3b2b1.0.0.1 | character 15: ",
        "chess.8 | character 1: a position begins with its game, dice or trilobite",
        "é | character 1: a position begins with its game, dice or trilobite",
    ] {
        let (position, expected) = row.split_once(" | ").unwrap();
        let request = json!({"op": "moves", "position": position});
        let answers = answers(&[], vec![request.to_string().into_bytes()]);
        let answer: Value = serde_json::from_str(&answers[0]).unwrap();
        assert_eq!(answer["error"]["code"], "bad-position", "{position}");
        let message = answer["error"]["message"].as_str().unwrap();
        let expected = format!("this is no position in notation, {expected}");
        assert!(message.starts_with(&expected), "{position}: {message}");
    }
    // A number that no type can hold is a number.
    for (field, line) in [
        ("seed", r#"{"op":"new","game":"dice","seed":1e400}"#),
        ("size", r#"{"op":"levels","game":"dice","size":1e400}"#),
        ("seed", r#"{"op":"new","game":"dice","seed":-1e999}"#),
    ] {
        let message = format!("{field}: this number is too large");
        let answers = answers(&[], vec![line.into()]);
        let answer: Value = serde_json::from_str(&answers[0]).unwrap();
        assert_eq!(answer["error"]["message"], message, "{line}");
    }
}

/// An engine with which a test exchanges single lines.
struct EngineProcess {
    child: std::process::Child,
    answers: std::io::Lines<std::io::BufReader<std::process::ChildStdout>>,
}

impl EngineProcess {
    fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_dice-of-doom"))
            .arg("engine")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let answers = std::io::BufRead::lines(std::io::BufReader::new(output));
        EngineProcess { child, answers }
    }

    fn send(&mut self, request: &Value) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{request}").unwrap();
    }

    fn receive(&mut self) -> Value {
        serde_json::from_str(&self.answers.next().unwrap().unwrap()).unwrap()
    }

    /// The next response that is no information about a search in progress.
    fn receive_result(&mut self) -> Value {
        loop {
            let response = self.receive();
            if response.get("info").is_none() {
                return response;
            }
        }
    }
}

/// A search of some seconds: until it has looked for a proof and the tree is full.
fn long_search(id: u32) -> Value {
    json!({"id": id, "op": "choose", "level": "champion", "budget_ms": 600_000, "seed": 1, "lines": 2,
           "info": true, "position": {"game": "trilobite", "width": 8, "height": 14, "win": 5,
           "board": vec![0; 8 * 14], "player": 1, "last_move": -1}})
}

#[test]
fn a_search_sends_info_until_it_is_stopped() {
    let mut engine = EngineProcess::start();
    engine.send(&long_search(1));
    let info = engine.receive();
    assert_eq!(info["id"], 1);
    let info = &info["info"];
    assert!(info["nodes"].as_u64() > Some(0), "{info}");
    assert_eq!(info["win"].as_array().unwrap().len(), 2, "{info}");
    assert_eq!(info["lines"].as_array().unwrap().len(), 2, "{info}");
    assert_eq!(info["index"], info["lines"][0]["index"]);
    engine.send(&json!({"id": 2, "op": "stop"}));
    let answer = engine.receive_result();
    assert_eq!(answer["id"], 1, "in order");
    let lines = answer["ok"]["lines"].as_array().unwrap();
    assert!(
        lines[0]["visits"].as_u64() >= lines[1]["visits"].as_u64(),
        "{answer}"
    );
    assert!(lines[0].get("cell").is_some(), "{answer}");
    assert_eq!(engine.receive(), json!({"id": 2, "ok": {}}));

    // A stop that was sent together with the request that it stops.
    engine.send(&long_search(3));
    engine.send(&json!({"id": 4, "op": "stop"}));
    let answer = engine.receive_result();
    assert_eq!(
        (&answer["id"], answer["ok"]["index"].is_u64()),
        (&json!(3), true),
        "{answer}"
    );
    assert_eq!(engine.receive()["id"], 4);
    // Positions that were not begun.
    let mut several = long_search(6);
    let position = several["position"].take();
    let several = several.as_object_mut().unwrap();
    several.retain(|name, _| name != "position" && name != "info");
    several.insert("positions".to_owned(), json!(vec![position; 20]));
    engine.send(&json!(several));
    engine.send(&json!({"id": 7, "op": "stop"}));
    let answer = engine.receive();
    let results = answer["ok"]["results"].as_array().unwrap();
    assert_eq!(results.len(), 20, "{answer}");
    assert_eq!(results[19]["error"]["code"], "stopped", "{answer}");
    assert_eq!(engine.receive()["id"], 7);

    // Nothing is stopped afterwards.
    engine.send(
        &json!({"id": 5, "op": "choose", "level": "master", "nodes": 200, "seed": 1,
                       "position": long_search(0)["position"]}),
    );
    let answer = engine.receive();
    assert_eq!(answer["ok"]["nodes"], 200, "the requested number: {answer}");
    assert!(answer["ok"]["positions"].is_u64(), "{answer}");
    drop(engine.child.stdin.take());
    assert!(engine.child.wait().unwrap().success());
}

#[test]
fn omitted_fields_have_defaults() {
    let ask = |request: Value| -> Value {
        let mut engine = Engine::new(Registry::builtin(), RequestLimits::default());
        serde_json::from_str(&engine.answer(request.to_string().as_bytes())).unwrap()
    };
    let short = ask(json!({"op": "new", "game": "dice", "seed": 7}));
    let long = ask(
        json!({"op": "new", "game": "dice", "rules": "v4", "size": 5, "players": 4,
                          "max_dice": 5, "seed": 7}),
    );
    assert_eq!(short["ok"], long["ok"]);
    assert_eq!(short["ok"]["position"]["size"], 5, "{short}");
    let position = &short["ok"]["position"];
    let omitted = ask(json!({"op": "choose", "position": position}));
    let book = ask(json!({"op": "choose", "position": position, "level": "book"}));
    assert_eq!(omitted["ok"]["index"], book["ok"]["index"], "{omitted}");
    let lines = ask(json!({"op": "choose", "position": position, "lines": 3}));
    assert_eq!(
        lines["ok"]["lines"],
        Value::Null,
        "book weighs none: {lines}"
    );
    assert!(book["ok"].get("lines").is_none(), "{book}");
}
