//! The examples in README.md and in docs work as written.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::Program;
use dice_of_doom::engine::{Engine, RequestLimits};
use dice_of_doom::games::Registry;
use dice_of_doom::level::Level;
use dice_of_doom::templates::Language;
use dice_of_doom::templates::levels::level_about;
use serde_json::Value;

#[test]
fn the_evaluation_is_the_one_of_the_example() {
    let example = include_str!("../../crates/games/examples/evaluation.rs");
    let shown = block(README, "Use the rules alone", "rust");
    assert!(example.contains(&shown), "not in the example:\n{shown}");
}

const README: &str = include_str!("../../README.md");
const PLAYING: &str = include_str!("../../docs/playing.md");
const ENGINE: &str = include_str!("../../docs/engine.md");
const API: &str = include_str!("../../docs/api.md");

/// The first code block in a language below a heading of a document.
fn block(document: &str, heading: &str, language: &str) -> String {
    let (_, section) = document
        .split_once(&format!("\n## {heading}\n"))
        .expect("the section");
    let (section, _) = section.split_once("\n## ").unwrap_or((section, ""));
    let (_, block) = section
        .split_once(&format!("```{language}\n"))
        .expect("a block");
    let (block, _) = block.split_once("```").expect("its end");
    block.to_owned()
}

/// A search path in which the shell finds the program under test first.
fn path() -> OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_dice-of-doom"));
    let mut folders = vec![program.parent().unwrap().to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    std::env::join_paths(folders).unwrap()
}

/// The stdout of a Python program, run in an empty folder; `None` without python3.
fn python(program: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let run = Command::new("python3")
        .args(["-c", program])
        .env("PATH", path())
        .current_dir(folder.path())
        .output();
    let Ok(run) = run else {
        println!("skipped: the bots in Python (no python3)");
        return None;
    };
    let complaints = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}: {complaints}", run.status);
    Some(String::from_utf8(run.stdout).unwrap())
}

/// An answer without the time that it took.
fn without_time(answer: &str) -> Value {
    let mut answer: Value = serde_json::from_str(answer).unwrap();
    if let Some(time) = answer["ok"].get_mut("elapsed_ms") {
        *time = Value::Null;
    }
    answer
}

#[test]
fn the_engine_answers_as_its_document_shows() {
    let lines = ENGINE.lines();
    let mut lines = lines.filter(|line| line.starts_with("> ") || line.starts_with("< "));
    let mut engine = Engine::new(Registry::builtin(), RequestLimits::default());
    let mut examples = 0;
    while let Some(request) = lines.next() {
        let request = request.strip_prefix("> ").unwrap();
        let expected = lines.next().unwrap().strip_prefix("< ").unwrap();
        let answer = engine.answer(request.as_bytes());
        assert_eq!(without_time(&answer), without_time(expected), "{request}");
        examples += 1;
    }
    assert!(examples > 10, "{examples}");
}

#[test]
fn the_bot_in_python_plays_a_whole_game() {
    if let Some(out) = python(&block(ENGINE, "A whole game in Python", "python")) {
        assert!(out.starts_with("winners: ["), "{out}");
    }
}

/// The numbers in a text with their units.
fn measurements(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |word: &str| word.trim_start_matches(['(', '|']).to_owned();
    let pairs = words.windows(2).filter(|pair| {
        let unit = pair[1].trim_end_matches([')', ',', ';', '.', ':']);
        let is_unit = ["µs", "ms", "million", "simulations"].contains(&unit);
        is_unit && pair[0].contains(|letter: char| letter.is_ascii_digit())
    });
    pairs.map(|pair| number(pair[0])).collect()
}

/// Measurements are recorded in docs/speed.md; the readme cites the same numbers.
#[test]
fn cited_measurements_are_in_the_document_of_measurements() {
    let speed = include_str!("../../docs/speed.md");
    let (_, fast) = README.split_once("\nOn one core, ").unwrap();
    let (fast, _) = fast.split_once("\n## ").unwrap();
    let fast = measurements(fast);
    assert!(fast.len() >= 3, "{fast:?}");
    for figure in &fast {
        let mut measured = speed
            .split_whitespace()
            .map(|word| word.trim_end_matches([';', ',']));
        assert!(measured.any(|word| word == figure), "{figure}");
    }
}

#[test]
fn the_levels_are_described_as_on_the_pages() {
    let games = Registry::builtin();
    let text = games.translations(Language::English);
    let levels = include_str!("../../docs/levels.md");
    for level in Level::ALL.iter().copied() {
        let is_offered = |game| game == "trilobite" || Level::IN_EVERY_GAME.contains(&level);
        let about = |game| match is_offered(game) {
            true => level_about(text, game, level.name()),
            false => "not offered".to_owned(),
        };
        let ways = ["dice-net", "dice", "trilobite"].map(about);
        let same = |at: usize| match ways[at] == ways[at - 1] {
            true => "the same",
            false => &ways[at],
        };
        let row = format!("| `{level}` | {} | {} | {} |", ways[0], same(1), same(2));
        assert!(levels.contains(&row), "{row}");
    }
}

#[test]
fn the_games_in_the_terminal_work() {
    let folder = tempfile::tempdir().unwrap();
    let run = Command::new("bash")
        .args([
            "-euo",
            "pipefail",
            "-c",
            &block(PLAYING, "In the terminal", "sh"),
        ])
        .env("PATH", path())
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}: {complaints}", run.status);
    let record = std::fs::read(folder.path().join("game.json")).unwrap();
    let record: Value = serde_json::from_slice(&record).unwrap();
    assert_eq!(record["ending"], "rules", "{record}");
}

#[test]
fn the_arenas_work() {
    let folder = tempfile::tempdir().unwrap();
    let run = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &block(README, "Measure", "sh")])
        .env("PATH", path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}: {complaints}", run.status);
    assert_eq!(complaints, "", "no progress bar in a pipe");
    let out = String::from_utf8(run.stdout).unwrap();
    let json: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert!(json["sprt"]["verdict"].is_string(), "{out}");
    assert!(folder.path().join("ladder.jsonl").exists());
}

/// The rows of the table of games: form, terminal command, line of the engine.
fn games() -> Vec<[String; 3]> {
    let (_, section) = PLAYING
        .split_once("\n## Every game\n")
        .expect("the section");
    let (section, _) = section.split_once("\n## ").expect("its end");
    let rows = section
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(1);
    rows.map(|row| {
        let cells = row.split('`').skip(1).step_by(2).map(str::to_owned);
        let cells: Vec<String> = cells.collect();
        cells
            .try_into()
            .unwrap_or_else(|_| panic!("three commands in {row}"))
    })
    .collect()
}

#[test]
fn every_game_of_the_table_starts_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start("memory:", &folder.path().join("log"));
    let shell = |command: &str| {
        let mut shell = Command::new("bash");
        shell
            .args(["-euo", "pipefail", "-c", command])
            .env("PATH", path());
        shell.current_dir(folder.path()).stdin(Stdio::null());
        let run = shell.output().unwrap();
        let out = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(
            run.status.success(),
            "{command}: {out}{}",
            String::from_utf8_lossy(&run.stderr)
        );
        out
    };
    let games = games();
    assert_eq!(games.len(), 7, "five presets and two boards");
    for [form, terminal, line] in games {
        let post = format!("curl -sSi -d '{form}' {}/games", program.url);
        let answer = shell(&post);
        assert!(
            answer.contains("303") && answer.contains("location: /g/"),
            "{post}: {answer}"
        );
        let out = shell(&terminal);
        assert!(out.contains("current player = "), "{terminal}: {out}");
        let out = shell(&format!("echo '{line}' | dice-of-doom engine"));
        assert!(
            out.contains(r#""ok":{"position":{"game":"#),
            "{line}: {out}"
        );
    }
}

#[test]
fn the_session_with_curl_works() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start("memory:", &folder.path().join("log"));
    let script = block(API, "Play with curl", "sh").replace("localhost:8080", &program.address());
    assert!(script.contains("curl"), "{script}");

    let run = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let out = String::from_utf8(run.stdout).unwrap();
    let complaints = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}\n{out}\n{complaints}", run.status);
    assert_eq!(complaints, "", "{out}");

    let answers: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let has = |what: &str, wanted: &dyn Fn(&Value) -> bool| {
        assert!(answers.iter().any(wanted), "no {what} in\n{out}");
    };
    has("id", &|answer| answer["id"].is_string());
    has("roll", &|answer| {
        answer["roll"]["attack"].is_array() && answer["repeated"] == false
    });
    assert!(!out.contains("about:blank"), "an error in\n{out}");

    let record = answers.last().unwrap();
    assert_eq!(record["format"], 2, "{record}");
    let plies = record["plies"].as_array().unwrap();
    assert!(plies.len() > 2, "the computers moved: {record}");
    // The loop ended after the computers' turns.
    let now = &answers[answers.len() - 2];
    assert!(now["player"] == 0 || now["over"] == true, "{now}");
    assert_eq!(now["ply"], plies.len(), "{now}");
    let last = plies.last().unwrap();
    assert!(now["over"] == true || last["path"].is_null(), "{last}");
    assert!(
        plies[0]["path"].is_array() && plies[1]["path"].is_null(),
        "{record}"
    );
    assert!(plies.iter().any(|ply| ply["player"] != 0), "{record}");
}
