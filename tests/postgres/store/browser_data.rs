//! The data of a browser: moved to another one, and deleted.

use std::sync::Arc;

use dice_of_doom::day::Day;
use dice_of_doom::level::Level;
use dice_of_doom::seats::{
    DerivedToken, FormerOccupant, Invitation, PersonCredentials, ProgramCredentials,
    SeatCredentials, SeatLevel, SeatOccupant, Seats,
};
use dice_of_doom::secret::{Nonce, Secret};
use dice_of_doom::site::daily::rows::DailyScore;
use dice_of_doom::site::feed::StoredFeed;
use dice_of_doom::site::puzzles::rows::PuzzleAnswer;
use dice_of_doom::site::reviews::rows::ReviewChange;
use dice_of_doom::store::{GameHeader, GameId, GameOrigin, Store, StoredEntry};

use super::{append, browser, created, header, person, ply, program_seat, seat, stored};

pub(crate) async fn answers_and_scores_move_to_another_browser(store: Arc<dyn Store>) {
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
        is_shown: false,
    };
    let both = [score(from, "2026-11-27", 3), score(to, "2026-11-27", 9)];
    let only = DailyScore {
        is_shown: true,
        ..score(from, "2026-11-28", 5)
    };
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

pub(crate) async fn seats_and_created_games_move_to_another_browser(store: Arc<dyn Store>) {
    let (from, to, uninvolved, token) = (browser(), browser(), browser(), browser());
    let link = |token| DerivedToken {
        token,
        nonce: Nonce::random(),
    };
    let keys = PersonCredentials {
        browser: from,
        return_link: Some(link(token)),
        joined_by: Some(browser()),
    };
    let program = ProgramCredentials {
        token: browser(),
        browser: Some(from),
        joined_by: Some(browser()),
    };
    let with_name = |credentials| SeatOccupant::Person {
        credentials,
        name: Some("Ada".to_owned()),
    };
    let level = |credentials| SeatOccupant::Level {
        level: SeatLevel::Known(Level::Book.into()),
        replaced: Some(Box::new(FormerOccupant {
            credentials,
            name: Some("Ken".to_owned()),
        })),
    };
    let invitation = Invitation::Random(browser());
    let open = SeatOccupant::Open {
        invitation: Some(invitation.clone()),
    };
    // A game that the browser created, one in which it only sits, and one in which it has no part.
    let (own, joined, other) = (header(1), header(2), header(3));
    let own = GameHeader {
        creator: Some(from),
        origin: Some(GameOrigin::Daily {
            day: "2026-11-27".parse().unwrap(),
        }),
        ..own
    };
    let seats = vec![
        seat(with_name(keys)),
        person(uninvolved),
        seat(open.clone()),
        seat(level(SeatCredentials::Person(keys))),
        seat(level(SeatCredentials::Program(program))),
        program_seat(program),
    ];
    let joined = GameHeader {
        creator: Some(uninvolved),
        ..joined
    };
    let begun = store.create_daily_game(own.clone(), seats, None);
    begun.await.unwrap();
    let seats = vec![person(uninvolved), person(from), person(to)];
    store.create(joined.clone(), seats).await.unwrap();
    let unchanged = created(&*store, other).await;
    let before = stored(&*store, &unchanged).await;

    store.move_browser_data(&from, Some(&to)).await.unwrap();
    assert_eq!(store.list_games_of(&from, 9).await, Ok(Vec::new()));
    let games = store.list_games_of(&to, 9).await.unwrap();
    assert_eq!(games, [joined.id.clone(), own.id.clone()]);
    // Return links of people are no longer valid; those of programs are tokens.
    assert_eq!(store.find_seat_by_link(&token).await, Ok(None));
    assert_eq!(store.list_games_of(&token, 9).await, Ok(Vec::new()));
    let moved_keys = PersonCredentials {
        browser: to,
        return_link: None,
        joined_by: None,
    };
    let moved_program = ProgramCredentials {
        browser: Some(to),
        ..program
    };
    // Loading verifies the hashes.
    let moved = stored(&*store, &own.id).await;
    assert_eq!(moved.header, own);
    let expected = Seats {
        revision: 1,
        host: Some(to),
        waiting: None,
        seats: vec![
            seat(with_name(moved_keys)),
            person(uninvolved),
            seat(open),
            seat(level(SeatCredentials::Person(moved_keys))),
            seat(level(SeatCredentials::Program(moved_program))),
            program_seat(moved_program),
        ],
    };
    assert_eq!(moved.seats, expected);
    let moved = stored(&*store, &joined.id).await.seats;
    assert_eq!((moved.revision, moved.host), (1, None));
    assert_eq!(moved.seats[1..], [person(to), person(to)]);
    assert_eq!(stored(&*store, &unchanged).await, before);
    let versions = store.versions(std::slice::from_ref(&own.id)).await.unwrap();
    assert_eq!(versions[0].revision, 1);
    let day = "2026-11-27".parse().unwrap();
    assert_eq!(store.daily_game(day, &to).await, Ok(Some(own.id.clone())));

    // The rights of the creator stay with a browser that leaves its seats, and move on.
    store
        .change_seats(&own.id, 1, vec![person(uninvolved)])
        .await
        .unwrap();
    assert_eq!(stored(&*store, &own.id).await.seats.host, Some(to));
    assert!(store.list_games_of(&to, 9).await.unwrap().contains(&own.id));
    let third = browser();
    store.move_browser_data(&to, Some(&third)).await.unwrap();
    let moved = stored(&*store, &own.id).await.seats;
    assert_eq!((moved.revision, moved.host), (3, Some(third)));
    assert!(
        store
            .list_games_of(&third, 9)
            .await
            .unwrap()
            .contains(&own.id)
    );
    assert_eq!(store.list_games_of(&to, 9).await, Ok(Vec::new()));
    assert_eq!(store.move_browser_data(&from, Some(&third)).await, Ok(()));
    assert_eq!(stored(&*store, &own.id).await.seats, moved);
}

pub(crate) async fn games_are_deleted_and_reviews_found(store: Arc<dyn Store>) {
    let mut games = Vec::new();
    for _ in 0..3 {
        let id = created(&*store, header(0)).await;
        append(&*store, &id, 0, StoredEntry::FinalPly(ply(0))).await;
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

pub(crate) async fn old_data_of_browsers_is_deleted(store: Arc<dyn Store>) {
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
            is_shown: false,
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
