//! The command `book`, which makes opening books.

use std::fs;
use std::path::Path;

use dice_of_doom::search::StopToken;
use dice_of_doom_games::trilobite::opening_book::OpeningBook;
use dice_of_doom_games::trilobite::solver::Solver;
use tempfile::TempDir;

use crate::{check_failure, run, stderr};

/// Runs the command; returns what it reports.
#[track_caller]
fn make(folder: &Path, arguments: &str) -> String {
    let done = run(folder, &format!("book {arguments} --table-mib 1"));
    assert!(done.status.success(), "{}", stderr(&done));
    stderr(&done)
}

fn read(folder: &Path, file: &str) -> OpeningBook {
    OpeningBook::from_bytes(&fs::read(folder.join(file)).unwrap()).unwrap()
}

#[test]
fn a_continued_book_is_the_same_as_one_made_at_once() {
    let folder = TempDir::new().unwrap();
    let board = "--width 5 --height 4";
    let report = make(folder.path(), &format!("one {board} --plies 6 --threads 2"));
    assert!(report.contains("4 chips: "), "{report}");
    make(
        folder.path(),
        &format!("two {board} --plies 6 --nodes 3 --threads 1"),
    );
    let started = read(folder.path(), "two");
    assert!(started.bounds(&started.game().empty()).score().is_none());
    make(folder.path(), &format!("two {board} --plies 6 --threads 1"));
    assert_eq!(read(folder.path(), "one"), read(folder.path(), "two"));
}

#[test]
fn replies_lead_a_player_through_the_game() {
    let folder = TempDir::new().unwrap();
    make(
        folder.path(),
        "book --width 5 --height 5 --plies 2 --replies 9",
    );
    let book = read(folder.path(), "book");
    let mut solver = Solver::new(book.game(), 1 << 20);
    // Either player meets known positions only, whatever the opponent does.
    for first_turn in 0..2 {
        let mut positions = book.positions(first_turn).pop().unwrap();
        for ply in (first_turn..=9).step_by(2) {
            let mut next = Vec::new();
            for position in &positions {
                let score = book.bounds(position).score();
                let solution = solver.solve(position, u64::MAX, &StopToken::new());
                assert_eq!(score, solution.bounds.score(), "{ply} chips: {position:?}");
                let mut replies = book.successors(position);
                let loses_at_once = replies.is_empty();
                replies.retain(|reply| book.bounds(reply).score() == score.map(|score| -score));
                assert!(loses_at_once || !replies.is_empty(), "{position:?}");
                next.extend(replies.iter().flat_map(|reply| book.successors(reply)));
            }
            positions = book.without_duplicates(next);
        }
        assert!(!positions.is_empty());
    }
}

#[test]
fn wrong_boards_and_files_are_refused() {
    let folder = TempDir::new().unwrap();
    make(folder.path(), "small --width 4 --height 4 --plies 2");
    fs::write(folder.path().join("text"), "no book").unwrap();
    for (arguments, message) in [
        (
            "small --plies 2",
            "small: this is the book of another board",
        ),
        ("text --plies 2", "text: this is not an opening book"),
        ("new --plies 2 --width 9 --height 7", "up to 64"),
        ("new --plies 2 --win 9", "a line of 1 to 7 wins here"),
        ("no/folder --plies 2 --width 4 --height 4", "no/folder: "),
    ] {
        check_failure(folder.path(), &format!("book {arguments}"), 1, message);
    }
    check_failure(folder.path(), "book new --plies 21", 2, "--plies");
    check_failure(folder.path(), "book new", 2, "--plies");
}
