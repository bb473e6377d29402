//! Hashes of client networks.

use std::sync::Arc;

use dice_of_doom::day::Day;
use dice_of_doom::secret::SecretHash;
use dice_of_doom::site::daily::rows::DailyScore;
use dice_of_doom::site::puzzles::rows::{PuzzleAnswer, PuzzleCount};
use dice_of_doom::site::shared::networks::{COUNTED_PER_NETWORK, NetworkHash, NetworkKey};
use dice_of_doom::store::{GameHeader, GameOrigin, Store};

use super::{browser, header, person};

fn day(number: u32) -> Day {
    Day::from_number(number).unwrap()
}

fn key(number: u32, byte: u8) -> NetworkKey {
    NetworkKey {
        day: day(number),
        key: [byte; 32],
    }
}

/// A right answer to the puzzle "a" on this day, by a new browser.
async fn answer(store: &dyn Store, number: u32, network: Option<u8>) -> SecretHash {
    let answer = PuzzleAnswer {
        browser: browser(),
        puzzle: "a".to_owned(),
        is_right: true,
        at_ms: day(number).start_ms() + 5,
        is_counted: true,
    };
    let network = network.map(|byte| NetworkHash {
        day: day(number),
        // The key of each day is another one.
        hash: [byte + 16 * u8::try_from(number).unwrap(); 32],
    });
    let by = answer.browser;
    store.add_puzzle_answer(answer, network).await.unwrap();
    by
}

async fn counted(store: &dyn Store) -> u32 {
    match &store.puzzle_counts().await.unwrap()[..] {
        [] => 0,
        [
            PuzzleCount {
                answers,
                right,
                puzzle,
            },
        ] if puzzle == "a" && answers == right => *answers,
        counts => panic!("{counts:?}"),
    }
}

pub(crate) async fn a_day_has_one_network_key_until_it_is_deleted(store: Arc<dyn Store>) {
    assert_eq!(store.network_key(day(5)).await, Ok(None));
    for (number, byte) in [(5, 1), (5, 2), (6, 3)] {
        store.add_network_key(key(number, byte)).await.unwrap();
    }
    assert_eq!(store.network_key(day(5)).await, Ok(Some(key(5, 1))));
    store.forget_networks(day(6)).await.unwrap();
    assert_eq!(store.network_key(day(5)).await, Ok(None));
    assert_eq!(store.network_key(day(6)).await, Ok(Some(key(6, 3))));
}

pub(crate) async fn few_answers_of_one_network_are_counted(store: Arc<dyn Store>) {
    for number in [5, 6] {
        store.add_network_key(key(number, 1)).await.unwrap();
    }
    let mut last = None;
    for _ in 0..COUNTED_PER_NETWORK + 2 {
        last = Some(answer(&*store, 5, Some(7)).await);
    }
    assert_eq!(counted(&*store).await, COUNTED_PER_NETWORK);
    let last = last.unwrap();
    let own = store.puzzle_answers(&last).await.unwrap();
    assert!(own.len() == 1 && !own[0].is_counted);
    // Other networks, and those that no limit applies to, are counted.
    answer(&*store, 5, Some(8)).await;
    for _ in 0..5 {
        answer(&*store, 5, None).await;
    }
    assert_eq!(counted(&*store).await, COUNTED_PER_NETWORK + 6);
    // What was counted stays so when the hashes are deleted, or the answers move to another browser.
    let other = browser();
    let moved = answer(&*store, 6, Some(7)).await;
    store.forget_networks(day(6)).await.unwrap();
    store.move_browser_data(&moved, Some(&other)).await.unwrap();
    store.move_browser_data(&last, Some(&moved)).await.unwrap();
    assert!(!store.puzzle_answers(&moved).await.unwrap()[0].is_counted);
    assert_eq!(counted(&*store).await, COUNTED_PER_NETWORK + 7);
    // The hash of the later day has moved with its answer.
    for _ in 0..COUNTED_PER_NETWORK {
        answer(&*store, 6, Some(7)).await;
    }
    assert_eq!(counted(&*store).await, 2 * COUNTED_PER_NETWORK + 6);
}

pub(crate) async fn few_scores_of_one_network_are_counted(store: Arc<dyn Store>) {
    store.add_network_key(key(5, 1)).await.unwrap();
    let network = |byte| NetworkHash {
        day: day(5),
        hash: [byte; 32],
    };
    let begin = async |byte: Option<u8>| {
        let header = GameHeader {
            creator: Some(browser()),
            origin: Some(GameOrigin::Daily { day: day(5) }),
            ..header(1)
        };
        let (by, game) = (header.creator.unwrap(), header.id.clone());
        let begun = store.create_daily_game(header, vec![person(by)], byte.map(network));
        begun.await.unwrap();
        DailyScore {
            day: day(5),
            browser: by,
            game,
            hexes: 9,
            is_won: true,
            is_counted: true,
            is_shown: false,
        }
    };
    let score = async |score: DailyScore| {
        let by = score.browser;
        store.add_daily_score(score, i64::MAX).await.unwrap();
        store.daily_scores(&by).await.unwrap()[0].is_counted
    };
    // One that is not counted takes no place.
    let given_up = DailyScore {
        is_counted: false,
        is_shown: false,
        ..begin(Some(7)).await
    };
    assert!(!score(given_up).await);
    let unfinished = begin(Some(8)).await;
    for _ in 0..COUNTED_PER_NETWORK {
        assert!(score(begin(Some(7)).await).await);
    }
    assert!(!score(begin(Some(7)).await).await);
    assert!(score(begin(Some(8)).await).await, "another network");
    for _ in 0..=COUNTED_PER_NETWORK {
        assert!(score(begin(None).await).await, "exempt");
    }
    // A hash is deleted before the score is stored: nobody knows whether it may be counted.
    store.forget_networks(day(6)).await.unwrap();
    assert!(!score(unfinished).await);
    let games = store.daily_counts(day(5)).await.unwrap()[0].games;
    assert_eq!(games, 2 * COUNTED_PER_NETWORK + 2);
}
