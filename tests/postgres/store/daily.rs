//! The boards of the days and their scores.

use std::sync::Arc;

use dice_of_doom::day::Day;
use dice_of_doom::game::Player;
use dice_of_doom::provably_fair::{CommittedSeed, Salt};
use dice_of_doom::record::{Ending, EndingRow};
use dice_of_doom::rng::DiceSeed;
use dice_of_doom::site::daily::rows::{DailyCount, DailyDeal, DailyScore};
use dice_of_doom::store::{GameHeader, GameId, GameOrigin, Store, StoreError, StoredEntry};

use dice_of_doom::secret::SecretHash;

use super::{browser, header, person};

fn day(number: u32) -> Day {
    Day::from_number(number).unwrap()
}

pub(crate) async fn a_day_has_one_secret(store: Arc<dyn Store>) {
    let deal = |number: u32, byte| DailyDeal {
        day: day(number),
        secret: CommittedSeed {
            seed: DiceSeed::from_bytes([byte; 32]),
            salt: Salt::from_bytes([byte + 1; 32]),
        },
        committed_ms: i64::from(byte),
    };
    assert_eq!(store.daily_deal(day(5)).await, Ok(None));
    for (number, byte) in [(5, 1), (6, 2), (5, 3)] {
        store.add_daily_deal(deal(number, byte)).await.unwrap();
    }
    assert_eq!(store.daily_deal(day(5)).await, Ok(Some(deal(5, 1))));
    assert_eq!(store.daily_days(day(5)).await, Ok(vec![day(5), day(6)]));
    assert_eq!(store.daily_days(day(6)).await, Ok(vec![day(6)]));
}

pub(crate) async fn a_browser_has_one_scored_game_of_a_day(store: Arc<dyn Store>) {
    let (one, other) = (browser(), browser());
    let scored = |browser, number| GameHeader {
        creator: Some(browser),
        origin: Some(GameOrigin::Daily { day: day(number) }),
        ..header(1)
    };
    let games = [scored(one, 5), scored(other, 5), scored(one, 6)];
    for game in &games {
        let seats = vec![person(game.creator.unwrap())];
        let begun = store.create_daily_game(game.clone(), seats, None);
        begun.await.unwrap();
        let stored = store.load(&game.id).await.unwrap().unwrap();
        assert_eq!(stored.header, *game);
    }
    let second = scored(one, 5);
    let again = store.create_daily_game(second.clone(), vec![person(one)], None);
    assert_eq!(again.await, Err(StoreError::Exists));
    assert_eq!(store.load(&second.id).await, Ok(None));
    // A game that is none of a day is no attempt.
    let other_game = store.create_daily_game(header(1), vec![person(one)], None);
    assert_eq!(other_game.await, Err(StoreError::NotFound));
    let found = store.daily_game(day(5), &one).await.unwrap();
    assert_eq!(found, Some(games[0].id.clone()));
    assert_eq!(store.daily_game(day(7), &one).await, Ok(None));
    // A seat that another browser has taken over is no attempt of its own.
    let third = browser();
    let taken = store.change_seats(&games[1].id, 0, vec![person(third)]);
    taken.await.unwrap();
    assert_eq!(store.daily_game(day(5), &third).await, Ok(None));
    assert_eq!(store.daily_attempts(&third, day(5)).await, Ok(Vec::new()));
    assert_eq!(store.daily_player(&games[1].id).await, Ok(Some(other)));
    let score = |game: &GameHeader, number, hexes, is_won| DailyScore {
        day: day(number),
        browser: game.creator.unwrap(),
        game: game.id.clone(),
        hexes,
        is_won,
        is_counted: true,
        is_shown: false,
    };
    let scores = [
        score(&games[2], 6, 3, false),
        score(&games[0], 5, 14, true),
        score(&games[1], 5, 14, true),
        score(&games[0], 5, 20, true),
    ];
    for score in &scores {
        let added = store.add_daily_score(score.clone(), i64::MAX);
        added.await.unwrap();
    }
    let own = store.daily_scores(&one).await.unwrap();
    assert_eq!(own, [scores[1].clone(), scores[0].clone()]);
    let count = |hexes, is_won, games| DailyCount {
        hexes,
        is_won,
        games,
    };
    let actual = store.daily_counts(day(5)).await;
    assert_eq!(actual, Ok(vec![count(14, true, 2)]));
    let actual = store.daily_counts(day(6)).await;
    assert_eq!(actual, Ok(vec![count(3, false, 1)]));
    // Of two equal scores the best is the one whose game is shown.
    for (browser, game) in [(one, &games[0].id), (other, &games[1].id)] {
        let show = async |is_shown| {
            let shown = store.set_daily_game_shown(day(5), &browser, is_shown);
            shown.await.unwrap();
            store.is_daily_game_shown(day(5), game).await
        };
        assert_eq!(show(true).await, Ok(true));
        let best = store.best_daily_score(day(5)).await.unwrap();
        let best = best.map(|best| (best.game, best.hexes, best.is_shown));
        assert_eq!(best, Some((game.clone(), 14, true)));
        assert_eq!(show(false).await, Ok(false));
    }
    assert_eq!(store.best_daily_score(day(7)).await, Ok(None));
}

pub(crate) async fn a_game_with_a_late_entry_has_no_score(store: Arc<dyn Store>) {
    let me = browser();
    let now_ms = store.clock().map_or(1_000, |clock| clock.now_ms());
    let hour = 3_600_000;
    for (number, before_ms, counts) in [(5, now_ms + hour, true), (6, now_ms - hour, false)] {
        let header = GameHeader {
            creator: Some(me),
            origin: Some(GameOrigin::Daily { day: day(number) }),
            ..header(1)
        };
        let id = header.id.clone();
        let score = DailyScore {
            day: day(number),
            browser: me,
            game: id.clone(),
            hexes: 3,
            is_won: false,
            is_counted: true,
            is_shown: false,
        };
        let ending = EndingRow {
            ending: Ending::Resigned(Player::FIRST),
            at_ms: now_ms,
        };
        let seats = vec![person(me)];
        let begun = store.create_daily_game(header, seats, None);
        begun.await.unwrap();
        let ended = store.append(&id, 0, StoredEntry::Ending(ending));
        ended.await.unwrap();
        let found = store.daily_attempts(&me, day(number)).await;
        assert_eq!(found, Ok(vec![day(number)]));
        store.add_daily_score(score, before_ms).await.unwrap();
        let scores = store.daily_scores(&me).await.unwrap();
        let has_score = scores.iter().any(|score| score.day == day(number));
        assert_eq!(has_score, counts, "{number}");
    }
    let days = [5, 6].map(day).to_vec();
    assert_eq!(store.daily_attempts(&me, day(5)).await, Ok(days));
}

pub(crate) async fn of_two_joined_attempts_the_earlier_one_counts(store: Arc<dyn Store>) {
    for is_moved_earlier in [false, true] {
        let (from, to) = (browser(), browser());
        let mut games = Vec::new();
        for (browser, is_earlier) in [(from, is_moved_earlier), (to, !is_moved_earlier)] {
            let header = GameHeader {
                creator: Some(browser),
                origin: Some(GameOrigin::Daily { day: day(9) }),
                ..header(if is_earlier { 1 } else { 2 })
            };
            games.push((browser, header.id.clone(), is_earlier));
            let begun = store.create_daily_game(header, vec![person(browser)], None);
            begun.await.unwrap();
        }
        // Only the later game is over.
        let score = |(browser, game, is_earlier): &(SecretHash, GameId, bool)| {
            (!is_earlier).then(|| DailyScore {
                day: day(9),
                browser: *browser,
                game: game.clone(),
                hexes: 20,
                is_won: true,
                is_counted: true,
                is_shown: false,
            })
        };
        for score in games.iter().filter_map(score) {
            store.add_daily_score(score, i64::MAX).await.unwrap();
        }
        store.move_browser_data(&from, Some(&to)).await.unwrap();
        let (_, earlier, _) = games.iter().find(|(.., is_earlier)| *is_earlier).unwrap();
        let (_, later, _) = games.iter().find(|(.., is_earlier)| !*is_earlier).unwrap();
        let found = store.daily_game(day(9), &to).await;
        assert_eq!(found, Ok(Some(earlier.clone())));
        assert_eq!(store.daily_player(earlier).await, Ok(Some(to)));
        assert_eq!(store.daily_player(later).await, Ok(None));
        assert_eq!(store.daily_game(day(9), &from).await, Ok(None));
        assert_eq!(store.daily_scores(&to).await, Ok(Vec::new()));
        assert_eq!(store.daily_counts(day(9)).await, Ok(Vec::new()));
        store.move_browser_data(&to, None).await.unwrap();
        assert_eq!(store.daily_player(earlier).await, Ok(None));
    }
}
