//! The commands `train` and `exploit`: reproducibility, checkpoints, opponents and invalid arguments.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::{check_failure, run, stderr};

fn train(folder: &Path, arguments: &str) -> Output {
    run(folder, &format!("train {arguments}"))
}

#[test]
fn equal_seeds_give_equal_weights_and_a_checkpoint_is_resumed() {
    let folder = TempDir::new().unwrap();
    let common_options = "--players 2 --sides 4,5 --games 128 --seed 5";
    for (threads, output) in [(1, "one"), (2, "two")] {
        let arguments = format!(
            "{common_options} --threads {threads} --checkpoint {output}.train --output {output}.net"
        );
        let done = train(folder.path(), &arguments);
        assert!(done.status.success(), "{}", stderr(&done));
        assert!(
            stderr(&done).starts_with("128 games, against the book "),
            "{}",
            stderr(&done)
        );
    }
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("one.net") == read("two.net"));
    assert!(read("one.train") == read("two.train"));

    // The checkpoint is at the end, so nothing more is learnt.
    let again = train(
        folder.path(),
        &format!("{common_options} --checkpoint one.train --output again.net"),
    );
    assert!(again.status.success(), "{}", stderr(&again));
    assert!(read("again.net") == read("one.net"));

    let other = train(
        folder.path(),
        "--players 2 --sides 4,5 --games 128 --seed 6 --checkpoint one.train --output other.net",
    );
    assert_eq!(other.status.code(), Some(1));
    assert!(
        stderr(&other).contains("one.train: its course is "),
        "{}",
        stderr(&other)
    );
    assert!(!folder.path().join("other.net").exists());
}

#[test]
fn opponents_affect_the_weights_and_the_checkpoint() {
    let folder = TempDir::new().unwrap();
    let common_options = "--players 2 --sides 4 --games 64 --seed 5";
    let trained = |arguments: &str| {
        let done = train(folder.path(), &format!("{common_options} {arguments}"));
        assert!(done.status.success(), "{arguments}: {}", stderr(&done));
    };
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    trained("--output alone.net");
    let league = "--opponents book,steady,alone.net --league 1";
    trained(&format!(
        "--output one.net --threads 1 --checkpoint one.train {league}"
    ));
    trained(&format!("--output two.net --threads 2 {league}"));
    assert!(read("one.net") == read("two.net"));
    assert!(read("one.net") != read("alone.net"));

    let other = train(
        folder.path(),
        &format!(
            "{common_options} --output other.net --checkpoint one.train --opponents book --league 1"
        ),
    );
    assert!(
        stderr(&other).contains("one.train: its course is "),
        "{}",
        stderr(&other)
    );
}

#[test]
fn exploit_trains_against_one_player_and_reports_the_share() {
    let folder = TempDir::new().unwrap();
    let common_options = "exploit --players 2 --sides 4 --games 64 --boards 20";
    let exploit = |arguments: &str| {
        let done = run(folder.path(), &format!("{common_options} {arguments}"));
        assert!(done.status.success(), "{arguments}: {}", stderr(&done));
        (stderr(&done), String::from_utf8(done.stdout).unwrap())
    };
    let first = "--level book --output first.net --checkpoint first.train";
    let (progress, result) = exploit(first);
    assert!(
        progress.starts_with("64 games, against book "),
        "{progress}"
    );
    assert!(
        result.contains(" … ")
            && result
                .ends_with(") against 1 of book, 50.0 % is par (20 boards in all rotations)\n"),
        "{result}"
    );
    // The checkpoint is at the end, and the measurement is repeated.
    let (_, again) = exploit(first);
    assert_eq!(again, result);
    let (_, result) = exploit("--victim first.net");
    assert!(result.contains(") against 1 of first.net, "), "{result}");
    let (_, result) = exploit("--level master:2");
    assert!(result.contains(" against 1 of master:2, "), "{result}");
}

#[test]
fn invalid_arguments_are_reported() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("bad.net"), "weights").unwrap();
    for (arguments, code, message) in [
        ("train --output a.net --rules v3", 2, "v4, conquest"),
        ("train --output a.net --sides 8", 2, "8 is not in 4..=7"),
        ("train --games 10", 2, "--output"),
        (
            "train --output no/such/folder/a.net --players 2 --sides 4 --games 1",
            1,
            "no/such/folder/a.net: ",
        ),
        (
            "train --output a.net --opponents god",
            2,
            "a file of weights ends in .net",
        ),
        ("train --output a.net --league 0.5", 2, "--opponents"),
        (
            "train --output a.net --opponents book --league 2",
            2,
            "a part is a number from 0 to 1",
        ),
        (
            "train --output a.net --opponents bad.net",
            1,
            "bad.net: this is not a file of weights for Dice of Doom",
        ),
        ("exploit --games 1", 2, "--level"),
        ("exploit --games 1 --level god", 2, "god"),
        (
            "exploit --games 1 --level book --victim bad.net",
            2,
            "cannot be used",
        ),
        ("exploit --games 1 --victim no.net", 1, "no.net: "),
    ] {
        check_failure(folder.path(), arguments, code, message);
    }
}

#[test]
fn weights_of_other_games_are_rejected_as_opponents() {
    let folder = TempDir::new().unwrap();
    let made = "--players 2 --sides 4,5 --games 1 --output two.net";
    assert!(train(folder.path(), made).status.success());
    for arguments in [
        "--players 3",
        "--players 2 --sides 6",
        "--players 2 --rules conquest",
    ] {
        let done = run(
            folder.path(),
            &format!("exploit --games 1 --victim two.net {arguments}"),
        );
        assert_eq!(done.status.code(), Some(1), "{arguments}");
        assert_eq!(
            stderr(&done),
            "dice-of-doom-lab: two.net: these weights are for v4 with 2 players on boards of side 4, 5\n"
        );
    }
}
