//! The commands `train` and `exploit`: the same seed gives the same weights, a checkpoint goes on, opponents
//! have their part, and misuse is told.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::lab;

fn run(folder: &Path, words: &str) -> Output {
    let mut command = lab();
    command.current_dir(folder).args(words.split(' '));
    command.output().unwrap()
}

fn train(folder: &Path, words: &str) -> Output {
    run(folder, &format!("train {words}"))
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_weights_and_a_checkpoint_goes_on() {
    let folder = TempDir::new().unwrap();
    let usual = "--players 2 --sides 4,5 --games 128 --seed 5";
    for (threads, output) in [(1, "one"), (2, "two")] {
        let words = format!(
            "{usual} --threads {threads} --checkpoint {output}.train --output {output}.net"
        );
        let done = train(folder.path(), &words);
        assert!(done.status.success(), "{}", said(&done));
        assert!(
            said(&done).starts_with("128 games, against the book "),
            "{}",
            said(&done)
        );
    }
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("one.net") == read("two.net"));
    assert!(read("one.train") == read("two.train"));

    // What is done is done: nothing is learnt any more.
    let again = train(
        folder.path(),
        &format!("{usual} --checkpoint one.train --output again.net"),
    );
    assert!(again.status.success(), "{}", said(&again));
    assert!(read("again.net") == read("one.net"));

    let other = train(
        folder.path(),
        "--players 2 --sides 4,5 --games 128 --seed 6 --checkpoint one.train --output other.net",
    );
    assert_eq!(other.status.code(), Some(1));
    assert!(
        said(&other).contains("one.train: its course is "),
        "{}",
        said(&other)
    );
    assert!(!folder.path().join("other.net").exists());
}

#[test]
fn opponents_have_their_part_in_the_weights_and_in_the_checkpoint() {
    let folder = TempDir::new().unwrap();
    let usual = "--players 2 --sides 4 --games 64 --seed 5";
    let trained = |words: &str| {
        let done = train(folder.path(), &format!("{usual} {words}"));
        assert!(done.status.success(), "{words}: {}", said(&done));
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
        &format!("{usual} --output other.net --checkpoint one.train --opponents book --league 1"),
    );
    assert!(
        said(&other).contains("one.train: its course is "),
        "{}",
        said(&other)
    );
}

#[test]
fn an_exploiter_learns_to_beat_one_player_and_says_how_far_it_got() {
    let folder = TempDir::new().unwrap();
    let usual = "exploit --players 2 --sides 4 --games 64 --boards 20";
    let exploit = |words: &str| {
        let done = run(folder.path(), &format!("{usual} {words}"));
        assert!(done.status.success(), "{words}: {}", said(&done));
        (said(&done), String::from_utf8(done.stdout).unwrap())
    };
    let first = "--level book --output first.net --checkpoint first.train";
    let (told, reached) = exploit(first);
    assert!(told.starts_with("64 games, against book "), "{told}");
    assert!(
        reached.ends_with(" % against 1 of book, 50.0 % is par (20 boards in all rotations)\n"),
        "{reached}"
    );
    // What is done is done, and measured the same again.
    let (_, again) = exploit(first);
    assert_eq!(again, reached);
    let (_, reached) = exploit("--victim first.net");
    assert!(reached.contains(" % against 1 of first.net, "), "{reached}");
    let (_, reached) = exploit("--level master:2");
    assert!(reached.contains(" against 1 of master:2, "), "{reached}");
}

#[test]
fn misuse_is_told() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("bad.net"), "weights").unwrap();
    for (words, code, told) in [
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
            "bad.net: this is no file of weights for Dice of Doom",
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
        let done = run(folder.path(), words);
        assert_eq!(done.status.code(), Some(code), "{words}: {}", said(&done));
        assert!(said(&done).contains(told), "{words}: {}", said(&done));
    }
}

#[test]
fn weights_of_other_games_are_no_opponents() {
    let folder = TempDir::new().unwrap();
    let made = "--players 2 --sides 4,5 --games 1 --output two.net";
    assert!(train(folder.path(), made).status.success());
    for words in [
        "--players 3",
        "--players 2 --sides 6",
        "--players 2 --rules conquest",
    ] {
        let done = run(
            folder.path(),
            &format!("exploit --games 1 --victim two.net {words}"),
        );
        assert_eq!(done.status.code(), Some(1), "{words}");
        assert_eq!(
            said(&done),
            "dice-of-doom-lab: two.net: these weights are for v4 with 2 players on boards of side 4, 5\n"
        );
    }
}
