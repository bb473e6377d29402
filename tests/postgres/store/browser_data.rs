//! The data of a browser: moved to another one, and deleted.

use std::sync::Arc;

use dice_of_doom::store::{DailyScore, GameId, GameStore, PuzzleAnswer, ReviewChange, StoredEntry};

use super::{browser, created, header, ply};

pub(crate) async fn answers_and_scores_move_to_another_browser(store: Arc<dyn GameStore>) {
    let (from, to, uninvolved) = (browser(), browser(), browser());
    let answer = |browser, puzzle: &str, is_right| PuzzleAnswer {
        browser,
        puzzle: puzzle.to_owned(),
        is_right,
        at_ms: 1,
        is_counted: true,
    };
    let score = |browser, day: &str, hexes| DailyScore {
        day: day.parse().unwrap(),
        browser,
        game: GameId::random(),
        hexes,
        is_won: false,
        is_counted: true,
    };
    let both = [score(from, "2026-11-27", 3), score(to, "2026-11-27", 9)];
    let only = score(from, "2026-11-28", 5);
    for answer in [
        answer(from, "a", false),
        answer(to, "a", true),
        answer(from, "b", true),
        answer(uninvolved, "a", true),
    ] {
        store.add_puzzle_answer(answer, None).await.unwrap();
    }
    for score in both.iter().chain([&only]) {
        let added = store.add_daily_score(score.clone(), i64::MAX);
        added.await.unwrap();
    }
    store.move_browser_data(&from, Some(&to)).await.unwrap();
    assert_eq!(store.puzzle_answers(&from).await, Ok(Vec::new()));
    assert_eq!(store.daily_scores(&from).await, Ok(Vec::new()));
    let moved = [answer(to, "a", true), answer(to, "b", true)];
    assert_eq!(store.puzzle_answers(&to).await.unwrap(), moved);
    let only = DailyScore {
        browser: to,
        ..only
    };
    let moved = [both[1].clone(), only];
    assert_eq!(store.daily_scores(&to).await.unwrap(), moved);

    store.move_browser_data(&to, None).await.unwrap();
    assert_eq!(store.puzzle_answers(&to).await, Ok(Vec::new()));
    assert_eq!(store.daily_scores(&to).await, Ok(Vec::new()));
    assert_eq!(store.puzzle_answers(&uninvolved).await.unwrap().len(), 1);
}

pub(crate) async fn games_are_deleted_and_reviews_found(store: Arc<dyn GameStore>) {
    let mut games = Vec::new();
    for _ in 0..3 {
        let id = created(&*store, header(0)).await;
        let last = StoredEntry::FinalPly(ply(0));
        store.append(&id, 0, last).await.unwrap();
        games.push(id);
    }
    let review = ReviewChange::Store("{}".to_owned());
    store.change_review(&games[0], review).await.unwrap();
    let requested = ReviewChange::Request(1);
    store.change_review(&games[1], requested).await.unwrap();
    let reviewed = store.reviewed(&games).await.unwrap();
    assert_eq!(reviewed, games[..1]);
    assert_eq!(store.reviewed(&games[1..]).await, Ok(Vec::new()));

    assert_eq!(store.delete_game(&games[0], 0).await, Ok(true));
    assert_eq!(store.delete_game(&games[0], 0).await, Ok(false));
    assert_eq!(store.load(&games[0]).await, Ok(None));
    assert_eq!(store.reviewed(&games).await, Ok(Vec::new()));
    // Somebody has sat down since.
    assert_eq!(store.delete_game(&games[2], 1).await, Ok(false));
    assert!(store.load(&games[2]).await.unwrap().is_some());
}
