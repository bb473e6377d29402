//! The data of a browser: moved to another one, and deleted.

use std::sync::Arc;

use dice_of_doom::day::Day;
use dice_of_doom::secret::{Nonce, Secret};
use dice_of_doom::store::{
    DailyScore, GameId, GameStore, PuzzleAnswer, ReviewChange, StoredEntry, StoredFeed,
};

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

pub(crate) async fn old_data_of_browsers_is_deleted(store: Arc<dyn GameStore>) {
    let day = |number| Day::from_number(number).unwrap();
    let before_ms = day(10).start_ms() + 5;
    let one = browser();
    for (puzzle, at_ms) in [("old", before_ms - 1), ("new", before_ms)] {
        let answer = PuzzleAnswer {
            browser: one,
            puzzle: puzzle.to_owned(),
            is_right: true,
            at_ms,
            is_counted: true,
        };
        store.add_puzzle_answer(answer, None).await.unwrap();
    }
    for number in [9, 10] {
        let score = DailyScore {
            day: day(number),
            browser: one,
            game: GameId::random(),
            hexes: 3,
            is_won: false,
            is_counted: true,
        };
        store.add_daily_score(score, i64::MAX).await.unwrap();
    }
    let feed = |fetched_ms| StoredFeed {
        browser: browser(),
        token: Secret::random().hash(),
        nonce: Nonce::random(),
        language: "en".to_owned(),
        created_ms: 1,
        fetched_ms,
    };
    let (old, new) = (feed(before_ms - 1), feed(before_ms));
    for feed in [&old, &new] {
        store.set_feed(feed.clone()).await.unwrap();
    }
    store.delete_old_browser_data(before_ms).await.unwrap();
    let answers = store.puzzle_answers(&one).await.unwrap();
    assert!(answers.len() == 1 && answers[0].puzzle == "new");
    let scores = store.daily_scores(&one).await.unwrap();
    assert!(scores.len() == 1 && scores[0].day == day(10));
    assert_eq!(store.feed_by_token(&old.token).await, Ok(None));
    assert_eq!(store.feed_by_token(&new.token).await, Ok(Some(new)));
}
