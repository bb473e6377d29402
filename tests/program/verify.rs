//! Records are verified without a server: finished games are valid, and no byte of a record can be changed.
//!
//! `DOD_VERIFIED=1000 cargo test --test program verify::` plays and changes this many records; the default is a
//! twentieth.

use std::process::{Command, Output};

use crate::common::records::played;
use crate::common::{Server, program, run_with_input};
use dice_of_doom::games::Registry;
use dice_of_doom::verify::{VerifiedRecord, verify};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

fn count() -> u64 {
    let value = std::env::var("DOD_VERIFIED").ok();
    value.map_or(50, |count| count.parse().unwrap())
}

#[test]
fn finished_games_are_valid_and_the_script_agrees() {
    let games = Registry::builtin();
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for seed in 0..count() {
        let text = played(&games, seed);
        let holds = verify(&games, &text);
        assert!(
            matches!(holds, Ok(VerifiedRecord::DiceVerified { .. })),
            "seed {seed}: {holds:?}"
        );
        let file = folder.path().join(format!("{seed}.json"));
        std::fs::write(&file, text).unwrap();
        files.push(file);
    }
    let found = program().arg("verify").args(&files).output().unwrap();
    let output = output_text(&found);
    assert!(found.status.success(), "{output}");
    let Some(script) = run_script(|python| python.args(&files)) else {
        return;
    };
    assert!(script.status.success(), "{}", output_text(&script));
    // Both count the same rolls of the same games.
    let python = output_text(&script);
    assert_eq!(output.lines().count(), files.len());
    for (one, other) in output.lines().zip(python.lines()) {
        assert_eq!(one.replace("seal fits, ", ""), other);
    }
}

fn output_text(output: &Output) -> String {
    let words = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(words).unwrap()
}

/// The output of the script; `None` where there is no Python.
fn run_script(arguments: impl FnOnce(&mut Command) -> &mut Command) -> Option<Output> {
    let mut command = Command::new("python3");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/verify.py");
    let run = arguments(command.arg(script)).output();
    run.ok()
}

/// Every range of a record between these two texts, exclusive.
fn between(text: &str, open: &str, close: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(open) {
        let begin = from + at + open.len();
        let length = text[begin..].find(close).unwrap_or(0);
        found.push((begin, begin + length));
        from = begin + length;
    }
    found
}

#[test]
fn no_byte_of_a_record_can_be_changed() {
    let games = Registry::builtin();
    let kinds: [(&str, &str, &str); 18] = [
        ("format", "{\"format\":", ","),
        ("id", "\"id\":\"", "\""),
        ("commitment", "\"commitment\":\"", "\""),
        ("seed", "\"seed\":\"", "\""),
        ("salt", "\"salt\":\"", "\""),
        ("the game", "\"game\":\"", "\""),
        ("parameters", "\"rules\":", ",\"start\""),
        ("the board", "\"board\":", ",\"player\""),
        ("the start", "\"start\":", ",\"plies\""),
        ("numbers", "\"ply\":", ","),
        ("players", ",\"player\":", ","),
        ("actions", "\"path\":", ",\"roll\""),
        ("rolls", "\"roll\":", ",\"at\""),
        ("times", "\"at\":", "}"),
        ("words", "\"entropy\":\"", "\",\"at\""),
        ("names", ",\"", "\":"),
        ("the result", "\"ending\":", ",\"seal\""),
        ("the seal", "\"seal\":\"", "\""),
    ];
    let folder = tempfile::tempdir().unwrap();
    let (mut files, mut hit) = (Vec::new(), [0; 18]);
    for seed in 0..count() {
        let text = played(&games, seed % 100);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let kind = seed as usize % kinds.len();
        let (name, open, close) = kinds[kind];
        let places = between(&text, open, close);
        let places: Vec<_> = places.into_iter().filter(|(a, b)| a < b).collect();
        assert!(!places.is_empty(), "seed {seed} has no {name}");
        let (begin, end) = places[rng.random_range(0..places.len())];
        let at = rng.random_range(begin..end);
        let mut bytes = text.into_bytes();
        bytes[at] = loop {
            let byte: u8 = rng.random_range(b' '..127);
            if byte != bytes[at] {
                break byte;
            }
        };
        hit[kind] += 1;
        // A changed multi-byte character may be invalid UTF-8.
        if let Ok(text) = std::str::from_utf8(&bytes) {
            let holds = verify(&games, text);
            assert!(holds.is_err(), "seed {seed}, byte {at} of {name}: {text}");
        }
        let file = folder.path().join(format!("{seed}.json"));
        std::fs::write(&file, bytes).unwrap();
        files.push(file);
    }
    println!("changed: {hit:?}");
    assert!(count() < 18 || hit.iter().all(|hit| *hit > 0));
    let found = program().arg("verify").args(&files).output().unwrap();
    assert_eq!(found.status.code(), Some(1));
    let lines = String::from_utf8(found.stdout).unwrap();
    assert_eq!(lines.lines().count(), files.len(), "{lines}");
    assert!(!lines.contains("seal fits"), "{lines}");
    if let Some(script) = run_script(|python| python.args(&files)) {
        assert_eq!(script.status.code(), Some(1));
        let lines = String::from_utf8(script.stdout).unwrap();
        let holds = |line: &str| line.ends_with(" rolls agree") || line.ends_with(" roll agrees");
        assert!(!lines.lines().any(holds), "{lines}");
    }
}

#[test]
fn errors_name_the_entry() {
    let games = Registry::builtin();
    let record: Value = serde_json::from_str(&played(&games, 3)).unwrap();
    let plies = record["plies"].as_array().unwrap();
    let rolled = plies
        .iter()
        .position(|ply| ply["roll"].is_object())
        .unwrap();
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut changed = record.clone();
        change(&mut changed);
        verify(&games, &changed.to_string())
            .unwrap_err()
            .to_string()
    };
    let other = |face: &Value| json!(face.as_u64().unwrap() % 6 + 1);
    let faces = wrong(&|record| {
        let face = &mut record["plies"][rolled]["roll"]["attack"][0];
        *face = other(face);
    });
    let named = format!("entry {rolled} ");
    assert!(faces.contains(&named) || faces.contains("entry"), "{faces}");
    let words = wrong(&|record| record["plies"][0]["entropy"] = json!("other words"));
    assert_eq!(words, format!("the dice of entry {rolled} do not agree"));
    let time = wrong(&|record| record["plies"][1]["at"] = json!(5));
    assert_eq!(time, "seal does not fit");
    let seed = wrong(&|record| record["dice"]["seed"] = json!("00".repeat(32)));
    assert_eq!(
        seed,
        "the proof of the dice does not match: seed and salt do not give the commitment"
    );
    let upper = wrong(&|record| {
        let seed = record["dice"]["seed"].as_str().unwrap().to_uppercase();
        record["dice"]["seed"] = json!(seed);
    });
    assert!(upper.contains("lower-case"), "{upper}");
    let illegal = wrong(&|record| record["plies"][rolled]["path"] = json!([0, 0]));
    assert!(illegal.contains(&named), "{illegal}");
    let unknown = wrong(&|record| record["comment"] = json!("hello"));
    assert!(unknown.contains("comment"), "{unknown}");
    let id = wrong(&|record| record["id"] = json!("anothergame"));
    assert!(id.contains("the dice of entry"), "{id}");
}

#[test]
fn files_may_have_many_records() {
    let games = Registry::builtin();
    let (one, two) = (played(&games, 1), played(&games, 2));
    let run = |input: &str| run_with_input(program().args(["verify", "-"]), input);
    for both in [format!("{one}\n{two}\n"), format!("[{one},{two}]")] {
        let found = run(&both);
        let lines = String::from_utf8(found.stdout).unwrap();
        assert!(found.status.success(), "{lines}");
        let lines: Vec<_> = lines.lines().collect();
        assert!(lines[0].starts_with("- record 1: seal fits, "), "{lines:?}");
        assert!(lines[1].starts_with("- record 2: seal fits, "), "{lines:?}");
    }
    let damaged = two.replacen("\"at\":1", "\"at\":2", 1);
    let found = run(&format!("{one}\n{damaged}"));
    assert_eq!(found.status.code(), Some(1));
    assert!(
        output_text(&found).contains("- record 2: seal does not fit"),
        "{}",
        output_text(&found)
    );
    for nothing in ["", "{", "[]x", "{\"format\":2,\"format\":2}"] {
        let found = run(nothing);
        assert_eq!(
            found.status.code(),
            Some(1),
            "{nothing}: {}",
            output_text(&found)
        );
    }
    let hello = output_text(&run("hello\n"));
    assert!(
        hello.starts_with("-: this is not JSON (line 1, column 1)\n"),
        "{hello}"
    );
    let second = output_text(&run(&format!("{one}\n{{\"format\n")));
    assert!(
        second.starts_with("-: this is not JSON (line 2, "),
        "{second}"
    );
    let missing = program()
        .args(["verify", "/no/such/file"])
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(1));
    assert!(output_text(&missing).contains("/no/such/file: "));
}

#[tokio::test]
async fn a_record_of_a_server_is_valid_during_the_game_and_after() {
    let server = Server::start().await;
    let api = server.api();
    let game =
        json!({"game": "dice", "size": 3, "players": 2, "seats": ["human", "human"], "seed": 7});
    let table = api.create(game).await;
    let record = async || {
        let answer = api.get(&format!("/g/{}/record.json", table.id)).await;
        answer.text().await.unwrap()
    };
    let games = Registry::builtin();
    let begun = record().await;
    let found = verify(&games, &begun);
    assert_eq!(found, Ok(VerifiedRecord::CommitmentOnly { entries: 0 }));
    let begun: Value = serde_json::from_str(&begun).unwrap();
    assert_eq!(begun["id"], table.id);
    assert!(begun["dice"]["seed"].is_null() && begun["dice"]["salt"].is_null());
    table.play_to_the_end().await;
    let ended = record().await;
    let holds = verify(&games, &ended).unwrap();
    assert!(
        matches!(holds, VerifiedRecord::DiceVerified { rolls } if rolls > 0),
        "{holds:?}"
    );
    let ended: Value = serde_json::from_str(&ended).unwrap();
    assert_eq!(ended["dice"]["commitment"], begun["dice"]["commitment"]);
}

/// Those who may see a game may see who has the seats, and no one else.
#[tokio::test]
async fn a_record_of_a_server_has_the_players() {
    let server = Server::start().await;
    let api = server.api();
    let game = json!({
        "game": "dice", "size": 3, "players": 3, "seats": ["human", "open", "master:400"], "private": true
    });
    let table = api.create(game).await;
    let seats = async |token: &str, path: &str| {
        let request = api.client.get(server.url(path)).bearer_auth(token);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.unwrap()
    };
    let (json, text) = (
        format!("/api/v1/games/{}/record", table.id),
        format!("/g/{}/record.txt", table.id),
    );
    let begun: Value = serde_json::from_str(&seats(table.token(0), &json).await).unwrap();
    let expected = json!([
        {"player": 0, "kind": "program"},
        {"player": 1, "kind": "open"},
        {"player": 2, "kind": "level", "level": "master", "simulations": 400},
    ]);
    assert_eq!(begun["seats"], expected);
    let invite = json!({"invite": table.game["seats"][1]["invite"], "name": "Ро\"бот"});
    let joined = api.post(&table.path("/join"), &invite).await;
    assert_eq!(joined.status(), 200);
    let record = seats(table.token(0), &json).await;
    let record_json: Value = serde_json::from_str(&record).unwrap();
    let bob = json!({"player": 1, "kind": "program", "name": "Ро\"бот"});
    assert_eq!(record_json["seats"][1], bob);
    assert_eq!(record_json["format"], 2);
    assert!(matches!(
        verify(server.service.games(), &record),
        Ok(VerifiedRecord::CommitmentOnly { .. })
    ));
    let text_now = seats(table.token(0), &text).await;
    assert!(
        text_now.contains("\nseat 0 program\nseat 1 program Ро\"бот\nseat 2 level master:400\n"),
        "{text_now}"
    );
    // A record with a changed seat is another record, and its checksum no longer fits.
    let other = record.replacen("\"level\":\"master\"", "\"level\":\"expert\"", 1);
    let refused = verify(server.service.games(), &other).unwrap_err();
    assert_eq!(refused.to_string(), "seal does not fit");
    for path in [&json, &text, &format!("/g/{}/record.json", table.id)] {
        assert_eq!(api.get(path).await.status(), 404, "{path}");
    }
}

/// Records of earlier builds are refused by the program and by the script, in both forms.
#[tokio::test]
async fn records_of_earlier_builds_are_refused() {
    let server = Server::start().await;
    let game = json!({"game": "dice", "size": 2, "players": 2, "seats": ["human", "human"]});
    let table = server.api().create(game).await;
    table.play_to_the_end().await;
    let record = table.record().await;
    let games = server.service.games();
    let notation = games.read_record(&record.to_string()).unwrap().notation();
    let with_format = |format: u32| {
        let mut other = record.clone();
        other["format"] = json!(format);
        other.to_string()
    };
    let sentence = "an earlier build wrote this record; the last one that reads it is c1691778";
    for earlier in [with_format(1), notation.replacen("game 2", "game 1", 1)] {
        let refused = verify(games, &earlier).unwrap_err();
        assert_eq!(refused.to_string(), sentence);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record");
    for (format, expected) in [(1, sentence), (3, "does not know the form")] {
        std::fs::write(&file, with_format(format)).unwrap();
        if let Some(script) = run_script(|python| python.arg(&file)) {
            let words = output_text(&script);
            assert!(words.contains(expected), "{words}");
        }
    }
}
