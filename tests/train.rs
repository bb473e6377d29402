//! The command `train`: the same seed gives the same weights, a checkpoint goes on, and misuse is told.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::program;
use tempfile::TempDir;

fn train(folder: &Path, words: &str) -> Output {
    let mut command = program();
    command
        .current_dir(folder)
        .arg("train")
        .args(words.split(' '));
    command.output().unwrap()
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
fn misuse_is_told() {
    let folder = TempDir::new().unwrap();
    for (words, code, told) in [
        ("--output a.net --rules v3", 2, "v4, conquest"),
        ("--output a.net --sides 8", 2, "8 is not in 4..=7"),
        ("--games 10", 2, "--output"),
        (
            "--output no/such/folder/a.net --players 2 --sides 4 --games 1",
            1,
            "no/such/folder/a.net: ",
        ),
    ] {
        let done = train(folder.path(), words);
        assert_eq!(done.status.code(), Some(code), "{words}: {}", said(&done));
        assert!(said(&done).contains(told), "{words}: {}", said(&done));
    }
}
