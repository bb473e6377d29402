//! Games in text notation: printed text is parsed and printed unchanged, and a damaged text is refused with its line
//! and column.

use std::fs;
use std::sync::Arc;

use crate::common::records::{played, played_of, without_times};
use crate::common::{program, run_with_input};
use dice_of_doom::engine::{Engine, RequestLimits};
use dice_of_doom::formats::notation::{FIRST_LINE, NotationError};
use dice_of_doom::formats::record::{Provenance, RecordPlayerJson, RecordPlayerKind};
use dice_of_doom::formats::{RecordError, RecordMetadata};
use dice_of_doom::game::{Game as _, RecordableGame as _};
use dice_of_doom::games::ParsedRecord;
use dice_of_doom::games::{LiveGameRef, Registry};
use dice_of_doom::level::Level;
use dice_of_doom::record::{Ending, Ply};
use dice_of_doom::rng::{dice_rng, dice_seed_from_u64};
use dice_of_doom::session::Session;
use dice_of_doom::verify::{VerifyError, split_records, verify};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Outcome, Rules, Setup};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

/// Converts a record to notation and back, twice; returns the notation.
#[track_caller]
fn check_round_trip(games: &Registry, record: &str) -> String {
    let (read, proof) = games.read_verified_record(record).unwrap();
    let text = read.notation();
    let (again, proved) = games
        .read_verified_record(&text)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.notation(), text);
    assert_eq!(proved, proof);
    let back = again.live.record_json(&again.metadata);
    assert_eq!(without_times(back.get()), without_times(record), "{text}");
    text
}

#[test]
fn games_survive_a_round_trip() {
    let games = Registry::builtin();
    for seed in 0..60 {
        let text = check_round_trip(&games, &played(&games, seed));
        assert!(
            text.starts_with("dice-of-doom game 2\nstart dice."),
            "{text}"
        );
    }
    for seed in 0..20 {
        let text = check_round_trip(&games, &played_of(&games, "trilobite", &json!({}), seed));
        assert!(text.contains("\nstart trilobite.8.7.4."), "{text}");
    }
}

/// A playout of the book's program, with die faces that lead to its outcomes.
fn playout(row: &Value, rules: Rules, seed: u64) -> LiveGameRef {
    let number = |name: &str| row[name].as_u64().unwrap() as u8;
    let game =
        DiceOfDoom::new(rules, number("size"), number("players"), number("max_dice")).unwrap();
    let setup: Setup = serde_json::from_value(row["start"].clone()).unwrap();
    let mut session = Session::new(game, game.position(&setup).unwrap());
    for step in row["steps"].as_array().unwrap() {
        let actions: Vec<Action> = game.legal_actions(session.position()).collect();
        let action = actions[step["move"].as_u64().unwrap() as usize];
        let wanted = match (action, &step["success"]) {
            (Action::EndTurn, _) => Outcome::Certain,
            (_, Value::Bool(false)) => Outcome::Lost,
            _ => Outcome::Won,
        };
        let mut dice = dice_rng(&dice_seed_from_u64(seed), session.record().len());
        let player = session.status().mover().unwrap();
        // Some roll has this outcome: no attack of these games is certain to fail or to succeed.
        let roll = (0..100_000).map(|_| game.roll(session.position(), action, &mut dice));
        let mut fitting = roll.filter(|roll| {
            let outcome = game.outcome_of_roll(session.position(), action, roll);
            outcome == Some(wanted) || outcome == Some(Outcome::Certain)
        });
        let roll = fitting.next().unwrap();
        let at_ms = 0;
        let ply = Ply {
            player,
            action,
            roll,
            at_ms,
        };
        session = session.with_ply(ply).unwrap();
    }
    if !session.status().is_over() {
        session.end(Ending::Limit);
    }
    Arc::new(session)
}

#[test]
fn every_golden_playout_survives_a_round_trip() {
    let games = Registry::builtin();
    for (text, rules, rows) in [
        (include_str!("../golden/playouts_v2.json"), Rules::V2, 70),
        (include_str!("../golden/playouts_v4.json"), Rules::V4, 76),
    ] {
        let golden: Value = serde_json::from_str(text).unwrap();
        let playouts = golden["games"].as_array().unwrap();
        assert_eq!(playouts.len(), rows);
        let (mut records, mut texts) = (Vec::new(), Vec::new());
        for (seed, row) in (0..).zip(playouts) {
            let live = playout(row, rules, seed);
            let record = live.record_json(&RecordMetadata::EMPTY);
            let text = check_round_trip(&games, record.get());
            assert_eq!(text.matches("\nseal ").count(), 1);
            let (read, _) = games.read_verified_record(record.get()).unwrap();
            let again = read.live.record_json(&read.metadata);
            assert_eq!(again.get(), record.get(), "byte for byte");
            records.push(record.get().to_owned());
            texts.push(text);
        }
        // All of them one after another, one per line, and as one text.
        let lines = split_records(&format!("{}\n", records.join("\n"))).unwrap();
        assert_eq!(lines, records);
        assert_eq!(split_records(&texts.concat()).unwrap(), texts);
    }
}

/// A game with headers of every kind.
fn notation_with_headers(games: &Registry) -> String {
    let (read, _) = games.read_verified_record(&played(games, 7)).unwrap();
    let ParsedRecord {
        live,
        metadata: mut about,
    } = read;
    about.provenance = Provenance {
        seats: vec![
            RecordPlayerJson {
                name: Some("Анна 1".to_owned()),
                ..RecordPlayerJson::new(0, RecordPlayerKind::Human)
            },
            RecordPlayerJson {
                simulations: Some(400),
                ..RecordPlayerJson::level(1, Level::Master)
            },
        ],
        seed: Some(u64::MAX),
        arena: serde_json::from_value(json!({"seed": 1, "table": 0, "board": 3, "rotation": 1}))
            .unwrap(),
    };
    ParsedRecord {
        live,
        metadata: about,
    }
    .notation()
}

#[test]
fn a_thousand_damaged_texts_are_refused_with_a_place() {
    let games = Registry::builtin();
    let whole = [
        notation_with_headers(&games),
        check_round_trip(&games, &played(&games, 3)),
    ];
    for text in &whole {
        let again = games.read_notation(text).unwrap().notation();
        assert_eq!(again, *text);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(DAMAGE);
    let mut damaged = 0;
    while damaged < 1_000 {
        let text = &whole[damaged % 2];
        let broken = damaged_text(text, &mut rng);
        // A complete game without its checksum is valid, as a text written by hand.
        let (unsealed, _) = text.rsplit_once("\nseal ").unwrap();
        if broken == *text || broken.trim_end() == unsealed {
            continue;
        }
        damaged += 1;
        let error = games.read_notation(&broken);
        let error = error.expect_err(&format!("seed {DAMAGE}, {damaged}\n{broken}"));
        let lines: Vec<&str> = broken.lines().collect();
        let line = lines.get(error.line - 1).copied().unwrap_or_default();
        assert!(
            error.column <= line.chars().count() + 1,
            "seed {DAMAGE}, {damaged}: {error}\n{broken}"
        );
    }
}

/// The seed of the damage.
const DAMAGE: u64 = 1;

/// A text with a character replaced, missing or added, or without its end.
fn damaged_text(text: &str, rng: &mut ChaCha8Rng) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    // The end of the last line may be missing.
    let at = rng.random_range(0..letters.len() - 1);
    let other = char::from(rng.random_range(b' '..=b'~'));
    match rng.random_range(0..4) {
        0 => letters[at] = other,
        1 => letters.insert(at, other),
        2 => drop(letters.remove(at)),
        _ => letters.truncate(at),
    }
    letters.into_iter().collect()
}

/// Whether an error names a place in the record: line and column, an entry, or a field.
fn is_placed(error: &VerifyError) -> bool {
    match error {
        VerifyError::Text(words) => words.contains("line ") && words.contains("column "),
        VerifyError::Record(RecordError::NotJson { .. }) => true,
        VerifyError::Record(RecordError::Field(_) | RecordError::Setup(_)) => {
            // The message names the field.
            error.to_string().len() > "a field".len()
        }
        VerifyError::Record(error) => error.pointer().starts_with('/'),
        VerifyError::Entry(_) | VerifyError::Field(_) => true,
    }
}

#[test]
fn a_thousand_damaged_records_are_refused_with_a_place() {
    let games = Registry::builtin();
    // With entropy texts, takebacks and seats, and of both games.
    let whole = [
        played(&games, 3),
        played(&games, 6),
        played_of(&games, "trilobite", &json!({}), 1),
    ];
    let values: Vec<Value> = whole
        .iter()
        .map(|record| serde_json::from_str(record).unwrap())
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(DAMAGE);
    let (mut damaged, mut lines) = (0, 0);
    while damaged < 1_000 {
        let which = damaged % whole.len();
        let broken = damaged_text(&whole[which], &mut rng);
        // Blanks between JSON tokens do not matter.
        let same = serde_json::from_str::<Value>(&broken);
        if same.is_ok_and(|value| value == values[which]) {
            continue;
        }
        damaged += 1;
        let context = || format!("seed {DAMAGE}, {damaged}: {broken}");
        let error = verify(&games, &broken).expect_err(&context());
        assert!(is_placed(&error), "{error}\n{}", context());
        if damaged % 10 > 0 {
            continue;
        }
        // Among other records, one per line, the error names its line.
        let at = rng.random_range(0..4);
        let mut records = [whole[0].as_str(); 4];
        records[at] = &broken;
        let text = records.join("\n");
        let line = format!("this is not JSON (line {}, column ", at + 1);
        match split_records(&text) {
            Err(error) => {
                let words = error.to_string();
                assert!(words.starts_with(&line), "{words}\n{}", context());
                lines += 1;
            }
            Ok(found) => {
                let wrong = found
                    .iter()
                    .position(|record| verify(&games, record).is_err());
                assert_eq!(wrong, Some(at), "{}", context());
            }
        }
    }
    assert!(lines > 10, "{lines} of 100 were no JSON");
}

#[track_caller]
fn refused(text: &str, line: usize, column: usize, message: &str) {
    let error = Registry::builtin().read_notation(text).expect_err(text);
    let NotationError { why, .. } = &error;
    assert_eq!(
        (error.line, error.column),
        (line, column),
        "{error}\n{text}"
    );
    assert!(why.contains(message), "{error}");
}

#[test]
fn handwritten_texts_need_no_checksum_and_get_precise_errors() {
    let start = "start trilobite.3.3.3.000000000.1";
    let game = |turns: &str| format!("{FIRST_LINE}\n{start}\n\n{turns}");
    let read = Registry::builtin()
        .read_notation(&game("0: a\n1: b\non\n"))
        .unwrap();
    assert_eq!(read.live.entry_count(), 2);
    refused("", 1, 1, "a game begins with");
    refused(&game("0: a\n1: z\non\n"), 5, 4, "");
    refused(&game("0: a\n0: b\non\n"), 5, 4, "another player's turn");
    refused(&game("0: a\n1: b"), 5, 1, "the game has no end");
    refused(
        &game("0: a\nend rules\nwon 0\n"),
        5,
        1,
        "the rules have not ended it",
    );
    refused(&game("0: a\nend resigned 0\nwon 0\n"), 6, 1, "others win");
    refused(&game("0: a \non\n"), 4, 5, "one space");
    refused(&game("one: a\non\n"), 4, 1, "a turn begins with its player");
    refused(&game("on\nmore\n"), 5, 1, "the game has ended");
    refused(
        &game("on\n").replace("000.1", "000.3"),
        2,
        7,
        "no position in notation, character 17: player 3",
    );
    refused(
        &game("on\n").replace(".1\n", ".1\nseat 0 king\n"),
        3,
        8,
        "human, level",
    );
    refused(
        &game("on\n").replace(".1\n", ".1\nplace Vienna\n"),
        3,
        1,
        "no such header",
    );
    refused(&game("on\nseal 00\n"), 5, 6, "another text");
    refused(&format!("{FIRST_LINE}\n\non\n"), 3, 1, "there is no start");
}

#[test]
fn the_engine_reads_and_writes_notation() {
    let games = Registry::builtin();
    let mut engine = Engine::new(games.clone(), RequestLimits::default());
    let mut ask = |request: Value| -> Value {
        serde_json::from_str(&engine.answer(request.to_string().as_bytes())).unwrap()
    };
    let text = notation_with_headers(&games);
    let both = ask(json!({"op": "notation", "text": text}));
    assert_eq!(both["ok"]["text"], text, "{both}");
    let back = ask(json!({"op": "notation", "record": both["ok"]["record"]}));
    assert_eq!(back["ok"]["text"], text, "{back}");
    let start = text.lines().nth(1).unwrap().strip_prefix("start ").unwrap();
    let moves = ask(json!({"op": "moves", "position": start}));
    assert!(moves["ok"]["moves"].is_array(), "{moves}");
    let wrong = ask(json!({"op": "notation", "text": text.replace("seal ", "seal 0")}));
    assert_eq!(wrong["error"]["code"], "bad-record", "{wrong}");
    let wrong = ask(json!({"op": "moves", "position": "dice.v9"}));
    assert_eq!(wrong["error"]["code"], "bad-position", "{wrong}");
}

fn run(arguments: &[&str], input: &str) -> (String, bool) {
    let ended = run_with_input(program().args(arguments), input);
    let printed = String::from_utf8(ended.stdout).unwrap();
    (printed, ended.status.success())
}

#[test]
fn the_commands_read_and_write_notation() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let play = |file: &str| {
        let seats = [
            "play",
            "--seats",
            "book,random",
            "--side",
            "3",
            "--players",
            "2",
        ];
        assert!(
            run(
                &[&seats[..], &["--seed", "5", "--record", file]].concat(),
                ""
            )
            .1
        );
        fs::read_to_string(file).unwrap()
    };
    let (text, json) = (play(&at("game.txt")), play(&at("game.json")));
    assert!(
        text.contains("\nseat 0 level book\nseat 1 level random\nseed 5\n"),
        "{text}"
    );
    // The same seed gives the same bytes.
    assert_eq!(play(&at("again.txt")), text);
    assert_eq!(run(&["convert", "-"], &json).0, text);
    let (record, _) = run(&["convert", "-"], &text);
    assert_eq!(without_times(&record), without_times(&json));
    assert!(run(&["verify", "-"], &text).1);
    let (output, holds) = run(&["verify", "-"], &text.replacen("won ", "won 1 ", 1));
    assert!(!holds && output.contains("line "), "{output}");

    // Games one after another, as an arena writes them.
    let records = at("games.ndjson");
    let seats = [
        "arena",
        "--seats",
        "book,random",
        "--side",
        "3",
        "--players",
        "2",
        "--boards",
        "3",
    ];
    assert!(run(&[&seats[..], &["--records", &records]].concat(), "").1);
    let (texts, _) = run(&["convert", &records], "");
    assert_eq!(texts.matches(FIRST_LINE).count(), 6);
    let (back, _) = run(&["convert", "-"], &texts);
    assert_eq!(back, fs::read_to_string(&records).unwrap(), "byte for byte");

    // The same seed gives the same bytes, except for the times.
    let again = at("again.ndjson");
    assert!(run(&[&seats[..], &["--records", &again]].concat(), "").1);
    let lines = |file: &str| -> Vec<Value> {
        let text = fs::read_to_string(file).unwrap();
        text.lines().map(without_times).collect()
    };
    assert_eq!(lines(&again), lines(&records));

    // Openings, and positions to rate.
    let starts: Vec<&str> = texts
        .lines()
        .filter_map(|line| line.strip_prefix("start "))
        .collect();
    let openings = at("openings");
    fs::write(&openings, starts.join("\n")).unwrap();
    assert!(run(&[&seats[..], &["--openings", &openings]].concat(), "").1);
    let positions = format!("# six\n{}\nnonsense\n", starts.join("\n"));
    let (rated, _) = run(&["rate", "--level", "steady", "--lines", "2"], &positions);
    let rated: Vec<Value> = rated
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rated.len(), 7);
    assert_eq!(rated[0]["id"], 2);
    assert!(rated[0]["ok"]["lines"].is_array(), "{}", rated[0]);
    assert_eq!(rated[6]["error"]["code"], "bad-position");
}

/// A game that was left is resumed from either form, and continues as it would have without the stop.
#[test]
fn the_terminal_resumes_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let game = [
        "play",
        "--side",
        "2",
        "--players",
        "2",
        "--seats",
        "book,random",
    ];
    let whole = at("whole.txt");
    assert!(
        run(
            &[&game[..], &["--seed", "8", "--record", &whole]].concat(),
            ""
        )
        .1
    );
    let whole = fs::read_to_string(&whole).unwrap();
    // The first turn alone, as if written by hand.
    let (head, rest) = whole.split_once("\n\n").unwrap();
    let turn = rest.lines().next().unwrap();
    let begun = format!("{head}\n\n{turn}\non\n");
    let (as_text, as_json) = (at("begun.txt"), at("begun.json"));
    fs::write(&as_text, &begun).unwrap();
    fs::write(&as_json, run(&["convert", "-"], &begun).0).unwrap();
    for from in [&as_text, &as_json] {
        let end = at("end.txt");
        assert!(run(&["play", "--resume", from, "--record", &end], "").1);
        assert_eq!(fs::read_to_string(&end).unwrap(), whole);
    }
    // Only an unfinished game of a valid record can be resumed, and only with its own parameters.
    let over = at("over.txt");
    fs::write(&over, &whole).unwrap();
    let damaged = at("damaged.txt");
    fs::write(&damaged, begun.replace("start ", "start x")).unwrap();
    for refused in [
        vec!["play", "--resume", &over],
        vec!["play", "--resume", &damaged],
        vec!["play", "--resume", "/no/such/file"],
        vec!["play", "--resume", &as_text, "--side", "3"],
        vec!["play", "--resume", &as_text, "--seats", "book"],
    ] {
        let ended = program().args(&refused).output().unwrap();
        assert_eq!(ended.status.code(), Some(2), "{refused:?}");
    }
}

#[test]
fn a_record_error_has_line_and_column() {
    let games = Registry::builtin();
    let text = notation_with_headers(&games).replace("arena {", "arena ");
    let error = games.read_verified_record(&text).expect_err("no arena");
    assert!(matches!(error, RecordError::Notation(_)), "{error}");
    assert!(error.to_string().starts_with("line "), "{error}");
}

#[test]
fn the_example_game_of_the_document_can_be_parsed() {
    let doc = include_str!("../../docs/notation.md");
    let (_, block) = doc.split_once("```\n").unwrap();
    let (text, _) = block.split_once("```").unwrap();
    let read = Registry::builtin().read_notation(text).unwrap();
    let printed = read.notation();
    assert!(printed.starts_with(text), "{printed}");
}
