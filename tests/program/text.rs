//! Texts as editors of other systems write them: with a byte order mark, Windows line ends, and blank lines.

use std::fs;
use std::path::Path;

use dice_of_doom::games::Registry;
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{Server, program, records, run_with_input};

const MARK: &str = "\u{feff}";

/// The text with a byte order mark, other line ends, and blank lines around it.
fn marked(text: &str) -> String {
    format!("{MARK}\n{text}\n \n").replace('\n', "\r\n")
}

/// What the program prints; it must succeed.
#[track_caller]
fn printed(arguments: &[&str], input: &str) -> String {
    let ended = run_with_input(program().args(arguments), input);
    let out = String::from_utf8(ended.stdout).unwrap();
    let complaints = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.success(), "{arguments:?}: {out}{complaints}");
    out
}

fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// A finished game in both forms.
fn game(seed: u64) -> (String, String) {
    let games = Registry::builtin();
    let record = records::played(&games, seed);
    let text = games.read_record(&record).unwrap().notation();
    (record, text)
}

#[test]
fn the_engine_reads_marks_and_has_no_answer_to_blank_lines() {
    let line = |id: u8| format!(r#"{{"id":{id},"op":"levels","game":"dice"}}"#);
    let input = marked(&format!("{}\n\n\t\n{MARK}{}", line(1), line(2)));
    let answers = printed(&["engine"], &input);
    let answers: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [1, 2], "{answers:?}");
    assert!(answers.iter().all(|answer| answer["ok"].is_object()));
}

#[test]
fn positions_of_any_editor_are_rated() {
    let position = "trilobite.4.4.3.0000000000000000.1";
    let rated = |input: &str| printed(&["rate", "--level", "greedy"], input);
    let output = rated(&marked(position));
    assert!(output.starts_with("{\"id\":2,\"ok\""), "{output}");
    assert_eq!(output.lines().count(), 1);
    let long = "x".repeat((1 << 20) + 1);
    let output = rated(&format!("{long}\n{position}\n"));
    assert!(
        output.starts_with(r#"{"id":null,"error":{"code":"too-long""#),
        "{output}"
    );
    assert!(output.contains("{\"id\":2,\"ok\""), "{output}");
}

#[test]
fn records_of_any_editor_are_valid() {
    let folder = tempfile::tempdir().unwrap();
    let ((one, one_text), (two, two_text)) = (game(3), game(4));
    let spread = one_text.replace('\n', "\n\n");
    for (number, text) in [
        marked(&one),
        marked(&format!("[{one},{two}]")),
        marked(&format!("{one}\n\n{two}")),
        marked(&one_text),
        marked(&spread),
        marked(&format!("{one_text}\n\n{MARK}{two_text}")),
    ]
    .iter()
    .enumerate()
    {
        let path = file(&folder, "games", text);
        let held = printed(&["verify", &path], "");
        assert!(held.contains("seal fits"), "{number}: {held}");
        assert_eq!(printed(&["verify", "-"], text), held.replace(&path, "-"));
        let converted = printed(&["convert", &path], "");
        let expected = match number {
            0 => one_text.clone(),
            1 | 2 => format!("{one_text}{two_text}"),
            3 | 4 => one_without_times(&one_text, &folder),
            _ => one_without_times(&format!("{one_text}{two_text}"), &folder),
        };
        assert_eq!(converted, expected, "{number}");
    }
    let path = file(&folder, "game", &marked(&one_text));
    let plain = file(&folder, "plain", &one_text);
    let review = |path: &str| printed(&["review", "--simulations", "20", "--json", path], "");
    assert_eq!(review(&path), review(&plain));
    // Changes of the content still count.
    let other = one_text.replacen("seat 0 human", "seat 0 human x", 1);
    let other = file(&folder, "other", &marked(&other));
    let ended = run_with_input(program().args(["verify", &other]), "");
    assert_eq!(ended.status.code(), Some(1));
}

/// The record of a text in notation, which has no times.
fn one_without_times(text: &str, folder: &TempDir) -> String {
    printed(&["convert", &file(folder, "printed", text)], "")
}

#[test]
fn games_resume_from_records_of_any_editor() {
    let folder = tempfile::tempdir().unwrap();
    for (begun, resumed) in [("a.json", "b.json"), ("a.txt", "b.txt")] {
        let [begun, resumed] = [begun, resumed].map(|name| folder.path().join(name));
        let [begun, resumed] = [begun, resumed].map(|path| path.display().to_string());
        let play = ["play", "--rules", "v2", "--seed", "7", "--record", &begun];
        printed(&play, "1\n");
        let text = fs::read_to_string(&begun).unwrap();
        fs::write(&begun, marked(&text)).unwrap();
        printed(&["play", "--resume", &begun, "--record", &resumed], "");
        assert_eq!(fs::read_to_string(&resumed).unwrap(), text);
    }
}

#[test]
fn settings_and_openings_of_any_editor_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let opening = r#"{"board":[[0,3],[1,1],[0,1],[1,2]],"player":1,"spare":0,"first_move":true}"#;
    let openings = file(&folder, "openings", &marked(&format!("# one\n\n{opening}")));
    let settings = "[arena]\nside = 2\n\nplayers = 2\nboards = 1\nseed = 5";
    let settings = file(&folder, "settings.toml", &marked(settings));
    let arguments = ["arena", "--config", &settings, "--openings", &openings];
    let seats = ["--seats", "greedy,random", "--json"];
    let report: Value =
        serde_json::from_str(&printed(&[&arguments[..], &seats].concat(), "")).unwrap();
    assert_eq!(
        (&report["openings"], &report["seed"]),
        (&1.into(), &5.into()),
        "{report}"
    );
}

#[test]
fn an_arena_resumes_with_files_that_an_editor_has_saved() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (journal, games) = (at("journal"), at("games"));
    let play = |boards: &str| {
        let arguments = [
            "arena",
            "--side",
            "3",
            "--players",
            "2",
            "--seats",
            "greedy,random",
        ];
        let files = [
            "--resume",
            &journal,
            "--records",
            &games,
            "--boards",
            boards,
        ];
        printed(&[&arguments[..], &files].concat(), "")
    };
    play("2");
    let save = |name: &str| fs::write(name, marked(&fs::read_to_string(name).unwrap())).unwrap();
    save(&journal);
    save(&games);
    play("4");
    let text = fs::read_to_string(&games).unwrap();
    let games = text
        .trim_start_matches(MARK)
        .lines()
        .filter(|line| !line.trim().is_empty());
    assert!(
        games
            .clone()
            .all(|game| serde_json::from_str::<Value>(game).is_ok()),
        "{text}"
    );
    assert_eq!(games.count(), 8);
    assert!(Path::new(&journal).exists());
}

#[tokio::test]
async fn requests_of_any_editor_are_read() {
    let server = Server::start().await;
    let (record, text) = game(5);
    let post = |path: &str, kind: &str, body: String| {
        let request = reqwest::Client::new().post(server.url(path));
        request.header("content-type", kind).body(body).send()
    };
    let stored = post("/api/v1/records", "application/json", marked(&record)).await;
    assert_eq!(stored.unwrap().status(), 201);
    for body in [marked(&text), marked(&text.replace('\n', "\n\n"))] {
        let again = post("/api/v1/records", "text/plain", body).await;
        assert_eq!(again.unwrap().status(), 200);
    }
    let new = marked(r#"{"game":"trilobite"}"#);
    let made = post("/api/v1/games", "application/json", new).await;
    assert_eq!(made.unwrap().status(), 201);
    let question = r#"{"position":" trilobite.4.4.3.0000000000000000.1\r\n","level":"greedy"}"#;
    let answer = post("/api/v1/choose", "application/json", marked(question)).await;
    assert_eq!(answer.unwrap().status(), 200);
}
