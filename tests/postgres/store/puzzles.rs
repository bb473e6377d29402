//! Answers to puzzles.

use std::sync::Arc;

use dice_of_doom::site::puzzles::rows::{PuzzleAnswer, PuzzleCount};
use dice_of_doom::store::Store;

use super::browser;

pub(crate) async fn the_first_answer_to_a_puzzle_counts(store: Arc<dyn Store>) {
    let (one, other) = (browser(), browser());
    let answer = |browser, puzzle: &str, is_right, at_ms| PuzzleAnswer {
        browser,
        puzzle: puzzle.to_owned(),
        is_right,
        at_ms,
        is_counted: true,
    };
    let answers = [
        answer(one, "b", true, 2),
        answer(one, "a", false, 3),
        answer(other, "a", true, 1),
        answer(one, "b", false, 4),
    ];
    for answer in &answers {
        store.add_puzzle_answer(answer.clone(), None).await.unwrap();
    }
    let own = store.puzzle_answers(&one).await.unwrap();
    assert_eq!(own, answers[..2]);
    assert_eq!(store.puzzle_answers(&browser()).await.unwrap(), []);
    let count = |puzzle: &str, answers, right| PuzzleCount {
        puzzle: puzzle.to_owned(),
        answers,
        right,
    };
    let counts = store.puzzle_counts().await.unwrap();
    assert_eq!(counts, [count("a", 2, 1), count("b", 1, 1)]);
}
