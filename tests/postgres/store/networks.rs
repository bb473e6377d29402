//! Hashes of client networks.

use std::sync::Arc;

use dice_of_doom::day::Day;
use dice_of_doom::secret::SecretHash;
use dice_of_doom::store::{
    COUNTED_PER_NETWORK, GameStore, NetworkHash, NetworkKey, PuzzleAnswer, PuzzleCount,
};

use super::browser;

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
async fn answer(store: &dyn GameStore, number: u32, network: Option<u8>) -> SecretHash {
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

async fn counted(store: &dyn GameStore) -> u32 {
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

pub(crate) async fn a_day_has_one_network_key_until_it_is_deleted(store: Arc<dyn GameStore>) {
    assert_eq!(store.network_key(day(5)).await, Ok(None));
    for (number, byte) in [(5, 1), (5, 2), (6, 3)] {
        store.add_network_key(key(number, byte)).await.unwrap();
    }
    assert_eq!(store.network_key(day(5)).await, Ok(Some(key(5, 1))));
    store.forget_networks(day(6)).await.unwrap();
    assert_eq!(store.network_key(day(5)).await, Ok(None));
    assert_eq!(store.network_key(day(6)).await, Ok(Some(key(6, 3))));
}

pub(crate) async fn few_answers_of_one_network_are_counted(store: Arc<dyn GameStore>) {
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
