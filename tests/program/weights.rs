//! The option `--weights`: custom weights, and every command refuses a file that has none.

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::common::{Program, assert_contains, program};
use dice_of_doom::arena::train::{self, TrainingJob};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The game of the small network.
const GAME: &str = "--rules v4 --side 4 --players 2";

fn run(folder: &Path, arguments: &str) -> Output {
    let mut command = program();
    command.current_dir(folder).args(arguments.split(' '));
    command.output().unwrap()
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder with small weights: `mine.net`, for two players on boards of side 4.
fn trained() -> TempDir {
    let folder = TempDir::new().unwrap();
    let job = TrainingJob {
        rules: "v4".to_owned(),
        players: 2,
        sides: vec![4],
        games: 64,
        seed: 1,
        rate: 0.001,
        batch: NonZeroUsize::new(64).unwrap(),
        start: None,
        simulations: 0,
        threads: NonZeroUsize::MIN,
        checkpoint: None,
        output: Some(folder.path().join("mine.net")),
    };
    train::train(&job, &[], 0.5, |_: &str| {}).unwrap();
    folder
}

#[test]
fn every_command_refuses_an_invalid_file_in_one_line() {
    let folder = trained();
    let mut damaged = fs::read(folder.path().join("mine.net")).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(folder.path().join("damaged.net"), &damaged).unwrap();
    damaged[8] += 1;
    fs::write(folder.path().join("later.net"), &damaged).unwrap();
    fs::write(folder.path().join("none.net"), "weights").unwrap();
    let refused = |arguments: &str, file: &str, why: &str| {
        let done = run(folder.path(), &format!("{arguments} --weights {file}"));
        assert_eq!(
            done.status.code(),
            Some(1),
            "{arguments}: {}",
            stderr_text(&done)
        );
        let line = format!("dice-of-doom: {file}: {why}\n");
        assert_eq!(stderr_text(&done), line, "{arguments}");
        assert!(done.stdout.is_empty(), "{arguments}");
    };
    for arguments in [
        "arena --seats book,book,book,book",
        "engine",
        "rate",
        "play",
        "review game.json",
        "serve --database memory: --listen 127.0.0.1:0",
    ] {
        refused(
            arguments,
            "damaged.net",
            "it is damaged: its checksum does not match",
        );
    }
    refused(
        "engine",
        "later.net",
        "it has version 3, and this program reads version 2",
    );
    refused(
        "engine",
        "none.net",
        "this is not a file of weights for Dice of Doom",
    );
    let missing = run(folder.path(), "engine --weights missing.net");
    assert!(stderr_text(&missing).starts_with("dice-of-doom: missing.net: "));
}

/// The report of an arena, without its times.
fn arena(folder: &Path, arguments: &str) -> Value {
    let arguments = format!("arena {arguments} --boards 4 --json");
    let done = run(folder, &arguments);
    assert!(done.status.success(), "{arguments}: {}", stderr_text(&done));
    let mut answer: Value = serde_json::from_slice(&done.stdout).unwrap();
    crate::arena::remove_times(&mut answer);
    answer
}

#[test]
fn an_arena_uses_custom_weights_in_the_games_that_they_support() {
    let folder = trained();
    let seats = "--seats master:8,book";
    let with = arena(folder.path(), &format!("{seats} {GAME} --weights mine.net"));
    assert_ne!(with, arena(folder.path(), &format!("{seats} {GAME}")));
    let other = "--rules v4 --side 5 --players 2";
    assert_eq!(
        arena(
            folder.path(),
            &format!("{seats} {other} --weights mine.net")
        ),
        arena(folder.path(), &format!("{seats} {other}"))
    );
}

#[test]
fn an_engine_uses_custom_weights() {
    let folder = trained();
    let requests = [
        json!({"op": "new", "game": "dice", "rules": "v4", "size": 4, "players": 2, "max_dice": 5}),
    ];
    let ask = |arguments: &str, requests: &[Value]| -> Vec<Value> {
        let mut command = program();
        command
            .current_dir(folder.path())
            .args(arguments.split(' '));
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut engine = command.stderr(Stdio::null()).spawn().unwrap();
        let mut lines = engine.stdin.take().unwrap();
        requests
            .iter()
            .for_each(|request| writeln!(lines, "{request}").unwrap());
        drop(lines);
        let output = engine.wait_with_output().unwrap().stdout;
        let answers = serde_json::Deserializer::from_slice(&output).into_iter();
        answers.map(Result::unwrap).collect()
    };
    let position = ask("engine", &requests)[0]["ok"]["position"].clone();
    let choose = [json!({"op": "choose", "level": "master", "nodes": 50, "position": position})];
    let win = |arguments: &str| ask(arguments, &choose)[0]["ok"]["win"].clone();
    let own = win("engine --weights mine.net");
    assert!(own.is_array(), "{own}");
    assert_ne!(own, win("engine"));
}

#[test]
fn a_server_logs_at_start_which_games_its_weights_support() {
    let folder = trained();
    let log = folder.path().join("log");
    let mut command = program();
    let weights = folder.path().join("mine.net");
    command
        .args("--database memory: --listen 127.0.0.1:0 --weights".split(' '))
        .arg(weights);
    let server = Program::run(command, &log);
    // The last lines of the log are written when the program ends.
    assert!(server.terminate().0.success());
    let logged = fs::read_to_string(&log).unwrap();
    assert_contains(&logged, &["v4 with 2 players on boards of side 4"]);
}
