//! The text games, played with the real program: transcripts, responses to bad input, and records.
//!
//! `DOD_TRANSCRIPTS=write cargo test --test program terminal::` rewrites `tests/transcripts`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use dice_of_doom::formats::dice_of_doom::action;
use dice_of_doom::formats::end_reason::player_numbers;
use dice_of_doom::game::{Game, NoDice, Player, RecordableGame};
use dice_of_doom::record::{Ply, Record};
use dice_of_doom::serialization::SerializableGame;
use dice_of_doom_games::dice_of_doom::{AttackRoll, DiceOfDoom, Faces, Parameters, Setup, Throw};
use dice_of_doom_games::trilobite::{self, Trilobite};
use serde_json::{Value, json};

fn command(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dice-of-doom"));
    command.arg("play").args(arguments.split_whitespace());
    command
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Plays with this input.
fn play(arguments: &str, typed: &str) -> Output {
    let mut game = command(arguments).spawn().unwrap();
    // The program may end before it has read all input.
    let _ = game.stdin.take().unwrap().write_all(typed.as_bytes());
    game.wait_with_output().unwrap()
}

/// What a game prints; it must succeed with nothing on stderr.
#[track_caller]
fn screen(arguments: &str, typed: &str) -> String {
    let ended = play(arguments, typed);
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{arguments}");
    assert!(ended.status.success(), "{arguments}: {}", ended.status);
    String::from_utf8(ended.stdout).unwrap()
}

#[track_caller]
fn transcript(name: &str, arguments: &str, typed: &str) -> String {
    let output = screen(arguments, typed);
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/transcripts")
        .join(name);
    if std::env::var_os("DOD_TRANSCRIPTS").is_some() {
        std::fs::write(&file, &output).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap();
    assert_eq!(output, expected, "{name}: play {arguments}");
    output
}

#[test]
fn a_person_against_the_computer() {
    let arguments = "--rules v2 --side 3 --seed 5";
    let output = transcript("v2.txt", arguments, &"1\n".repeat(60));
    assert!(output.contains("choose your move:\n1. "), "{output}");
    assert!(output.contains("\nb plays: "), "{output}");
}

#[test]
fn four_computers_with_dice() {
    let arguments = "--side 3 --seats book,book,random,book --seed 7";
    let output = transcript("v4.txt", arguments, "");
    assert!(output.contains("dice rolled"), "{output}");
    assert_eq!(output, screen(arguments, ""), "the seed repeats the game");
    assert_ne!(output, screen(&arguments.replace('7', "8"), ""));
}

#[test]
fn two_people() {
    let arguments = "--rules v1 --seats human,human --seed 2";
    transcript("v1.txt", arguments, &"1\n".repeat(60));
}

#[test]
fn trilobite_drawn_and_won() {
    let people = "trilobite --width 3 --height 3 --win 3 --seats human,human";
    // 1 2 1
    // 1 1 2
    // 2 1 2, typed as columns.
    let drawn = transcript("draw.txt", people, "b\na\na\nc\nb\nb\na\nc\nc\n");
    assert!(drawn.ends_with("The game is a draw\n"), "{drawn}");
    let won = transcript("win.txt", people, "1\n3\n1\n3\n1\n");
    assert!(won.ends_with("The winner is 1\n"), "{won}");
    let person = "trilobite --width 3 --height 3 --win 3 --seed 1";
    transcript("trilobite.txt", person, &"1\n".repeat(9));
}

#[test]
fn bad_input_prompts_again() {
    let arguments = "--rules v2 --side 3 --seed 5";
    let line = "A number from 1 to ";
    for typed in [
        "0\n", "99\n", "-1\n", "\n", "one\n", "8-7\n", "pass\n", "\u{7}\n",
    ] {
        let output = screen(arguments, &format!("{typed}q\n"));
        assert_eq!(output.matches(line).count(), 1, "{typed:?}: {output}");
        assert!(output.ends_with("Goodbye.\n"), "{typed:?}: {output}");
    }
    let long = format!("{}\n1\n", "x".repeat(3 << 20));
    assert_eq!(screen(arguments, &long).matches(line).count(), 1);
    let help = screen(arguments, "?\nq\n");
    assert!(
        help.contains("The hexes are:\n        0   1   2\n"),
        "{help}"
    );
}

#[test]
fn the_end_of_input_leaves() {
    for arguments in ["--rules v3", "--seed 1", "trilobite"] {
        assert!(screen(arguments, "").ends_with("Goodbye.\n"), "{arguments}");
    }
}

#[test]
fn a_closed_stdout_is_no_error() {
    let mut game = command("--seats book,book,book,book --seed 3")
        .spawn()
        .unwrap();
    drop(game.stdout.take());
    let ended = game.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", ended.status);
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
}

#[test]
fn an_impossible_game_is_bad_usage() {
    for (arguments, sentence) in [
        ("chess", "there is no game called"),
        (
            "trilobite --rules v2",
            "--rules is an option of the game dice",
        ),
        ("--win 3", "--win is an option of the game trilobite"),
        ("--side 9", "a board has a side of 2 to 8, not 9"),
        ("--seats human,book", "4 players need 4 seats, not 2"),
        (
            "--seats human,god,book,book",
            "a seat is human or a level: there is no level called \"god\"; there are novice, random, book, greedy, steady, advanced, expert, master, champion and perfect",
        ),
        (
            "--seats human,perfect,book,book",
            "Dice of Doom has no level perfect; there are novice, random, book, greedy, steady, advanced, expert, master and champion",
        ),
        (
            "trilobite --width 3 --height 3",
            "a line of 1 to 3 wins here, not of 4",
        ),
    ] {
        let ended = play(arguments, "");
        let complaint = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{arguments}: {complaint}");
        assert!(complaint.contains(sentence), "{arguments}: {complaint}");
        assert_eq!(ended.stdout, b"", "{arguments}");
    }
}

fn recorded(arguments: &str, typed: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    screen(&format!("{arguments} --record {}", file.display()), typed);
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "no temporary file remains");
    serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap()
}

fn faces(list: &Value) -> Faces {
    let faces: Vec<u8> = serde_json::from_value(list.clone()).unwrap();
    Faces::new(&faces).unwrap()
}

fn ply<G: RecordableGame>(row: &Value, action: G::Action, roll: G::Roll) -> Ply<G> {
    Ply {
        player: Player::new(row["player"].as_u64().unwrap() as u8),
        action,
        roll,
        at_ms: row["at"].as_i64().unwrap(),
    }
}

/// The last position of a record, all of whose plies must be possible.
fn last<G: RecordableGame>(record: &Record<G>) -> G::Position {
    let steps = record.replayed_plies().map(|step| step.unwrap().after);
    steps.last().unwrap_or_else(|| record.start.clone())
}

#[test]
fn a_record_replays() {
    let saved = recorded("--seats book,random,book,book --seed 11 --side 4", "");
    let params = json!({
        "rules": saved["rules"], "size": saved["size"],
        "players": saved["players"], "max_dice": saved["max_dice"],
    });
    let parameters: Parameters = serde_json::from_value(params).unwrap();
    let game = DiceOfDoom::from_parameters(&parameters).unwrap();
    let start: Setup = serde_json::from_value(saved["start"].clone()).unwrap();
    let mut record = Record::new(game, game.position(&start).unwrap());
    for row in saved["plies"].as_array().unwrap() {
        let path = serde_json::from_value(row["path"].clone()).unwrap();
        let roll = match &row["roll"] {
            Value::Null => AttackRoll::NONE,
            roll => AttackRoll::from_throw(Throw {
                attack: faces(&roll["attack"]),
                defend: faces(&roll["defend"]),
            }),
        };
        let ply = ply(row, action(&game, path).unwrap(), roll);
        record.entries.push(ply.into());
    }
    let end = last(&record);
    assert_eq!(saved["format"], 2);
    assert_eq!(saved["ending"], "rules");
    assert_eq!(saved["winners"], json!(player_numbers(&game.winners(&end))));
    assert!(game.status(&end).is_over());
}

#[test]
fn a_record_of_trilobite_replays() {
    let saved = recorded("trilobite --seats random,book --seed 4", "");
    let number = |name: &str| saved[name].as_u64().unwrap() as u8;
    let game = Trilobite::new(number("width"), number("height"), number("win")).unwrap();
    let start: trilobite::Setup = serde_json::from_value(saved["start"].clone()).unwrap();
    let mut record = Record::new(game, game.position(&start).unwrap());
    for row in saved["plies"].as_array().unwrap() {
        let cell = row["cell"].as_u64().unwrap() as u8;
        let column = game.column_of(cell).unwrap();
        assert_eq!(game.landing(&last(&record), column), Some(cell));
        record.entries.push(ply(row, column, NoDice).into());
    }
    assert!(game.status(&last(&record)).is_over());
    assert_eq!(saved["ending"], "rules");
}

#[test]
fn an_unfinished_game_is_recorded() {
    let saved = recorded("--rules v2 --side 3 --seed 5", "1\nq\n");
    assert_eq!(saved["plies"].as_array().unwrap().len(), 1, "{saved}");
    assert!(saved["ending"].is_null() && saved["winners"].is_null());
}

#[test]
fn an_unwritable_record_is_reported_before_the_game() {
    let folder = tempfile::tempdir().unwrap();
    for place in [
        folder.path().join("no/such/game.json"),
        folder.path().to_owned(),
    ] {
        let ended = play(&format!("--record {}", place.display()), "1\n");
        let complaint = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{complaint}");
        let sentence = "dice-of-doom: the record cannot be written to ";
        assert!(complaint.starts_with(sentence), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        assert_eq!(ended.stdout, b"");
    }
}

#[cfg(unix)]
#[test]
fn a_record_replaces_only_regular_files() {
    use std::os::unix::fs::FileTypeExt as _;
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let game = |name: &str| {
        format!(
            "--rules v2 --side 3 --seed 5 --record {}",
            at(name).display()
        )
    };
    let plies = |text: &str| {
        let record: Value = serde_json::from_str(text).unwrap();
        record["plies"].as_array().unwrap().len()
    };
    // A device is written to; the link to it stays.
    symlink("/dev/null", at("device")).unwrap();
    screen(&game("device"), "1\nq\n");
    assert!(at("device").is_symlink());
    assert!(
        fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
    // So is a pipe.
    let made = Command::new("mkfifo").arg(at("pipe")).status().unwrap();
    assert!(made.success());
    let reader = std::thread::spawn({
        let pipe = at("pipe");
        move || fs::read_to_string(pipe).unwrap()
    });
    screen(&game("pipe"), "1\nq\n");
    assert_eq!(plies(&reader.join().unwrap()), 1);
    assert!(
        fs::symlink_metadata(at("pipe"))
            .unwrap()
            .file_type()
            .is_fifo()
    );
    // For a link to a file, the file is replaced.
    fs::write(at("file"), "before").unwrap();
    symlink(at("file"), at("link")).unwrap();
    screen(&game("link"), "1\nq\n");
    assert!(at("link").is_symlink() && at("file").is_file());
    assert_eq!(plies(&fs::read_to_string(at("file")).unwrap()), 1);
    // A dangling link is refused.
    symlink(at("nothing"), at("lost")).unwrap();
    let ended = play(&game("lost"), "1\nq\n");
    assert_eq!((ended.status.code(), ended.stdout), (Some(1), Vec::new()));
    assert!(at("lost").is_symlink() && !at("nothing").exists());
    let mut left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["device", "file", "link", "lost", "pipe"]);
}

#[test]
fn a_move_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let arguments = format!(
        "--side 3 --players 2 --seed 7 --seats human,random --record {}",
        file.display()
    );
    let output = screen(&arguments, "u\n1\nu\n1\nq\n");
    assert!(
        output.contains("You have no move to take back."),
        "{output}"
    );
    assert_eq!(output.matches("\nTaken back.\n").count(), 1, "{output}");
    let record: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let plies = record["plies"].as_array().unwrap();
    let back = plies
        .iter()
        .position(|entry| entry["takeback"] == 0)
        .unwrap();
    assert_eq!(
        plies[0]["path"],
        plies[back + 1]["path"],
        "the same choice again"
    );
    let explained = screen("--side 3 --seed 7", "?\nq\n");
    assert!(
        explained.contains("u takes back your last move"),
        "{explained}"
    );
    // Where a column has this name, it is played.
    let wide = screen(
        "trilobite --width 22 --height 3 --seats human,human",
        "u\nq\n",
    );
    assert!(
        !wide.contains("Taken back.") && !wide.contains("to take back"),
        "{wide}"
    );
}

#[test]
fn a_review_is_in_the_requested_language() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let file = file.to_str().unwrap();
    let seats = "random,random";
    screen(
        &format!("--side 2 --players 2 --seed 7 --seats {seats} --record {file}"),
        "",
    );
    let review = |language: &[&str], locale: &str| {
        let mut review = Command::new(env!("CARGO_BIN_EXE_dice-of-doom"));
        review
            .args(["review", file, "--simulations", "1"])
            .args(language);
        let output = review.env("LC_ALL", locale).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let english = review(&[], "C");
    let japanese = review(&["--language", "ja"], "C");
    let russian = review(&[], "ru_RU.UTF-8");
    assert!(english.is_ascii() || !english.contains('。'), "{english}");
    assert!(japanese.contains('赤'), "{japanese}");
    assert!(russian.contains("Красн"), "{russian}");
}
