//! Leases and versions of games in a store that several servers share.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dice_of_doom::level::Level;
use dice_of_doom::seats::{RematchKind, SeatLevel, SeatOccupant};
use dice_of_doom::store::{
    AppendOptions, FencingToken, GameHeader, GameId, GameVersion, LeaseResult, Store, StoreError,
    StoredEntry,
};

use super::{append, created, header, new_person, ply, resigned, seat, stored};

/// A lease that does not expire during a test, and one that expires at once.
const LONG: Duration = Duration::from_secs(600);
const NO_TIME: Duration = Duration::from_millis(1);

/// Due now, and a moment later.
const NOW: Option<Duration> = Some(Duration::ZERO);
const SOON: Duration = Duration::from_millis(20);

fn granted(lease: LeaseResult) -> FencingToken {
    match lease {
        LeaseResult::Granted(fence) => fence,
        LeaseResult::HeldByOther => panic!("the lease is held"),
    }
}

/// Polls for the lease until the previous one expires.
async fn leased_next(store: &dyn Store, id: &GameId) -> FencingToken {
    loop {
        if let LeaseResult::Granted(fence) = store.lease(id, LONG).await.unwrap() {
            return fence;
        }
    }
}

pub(crate) async fn a_lease_has_one_holder_and_its_fencing_token_only_grows(store: Arc<dyn Store>) {
    let id = created(&*store, header(0)).await;
    let first = granted(store.lease(&id, LONG).await.unwrap());
    assert_eq!(store.lease(&id, LONG).await, Ok(LeaseResult::HeldByOther));
    let turn = |fence, lease| AppendOptions {
        fence,
        due: None,
        lease,
    };
    let append = async |number, turn| {
        let entry = StoredEntry::Ply(ply(number));
        store.append_with(&id, number, entry, None, turn).await
    };
    // The holder can append and extends its lease.
    let renewed = append(0, turn(Some(first), Some(LONG))).await;
    assert_eq!(renewed, Ok(Some(first)));
    // An entry of a person needs no lease and does not take it from its holder.
    assert_eq!(append(1, turn(None, Some(LONG))).await, Ok(None));
    store.renew(&[(id.clone(), first)], LONG).await.unwrap();
    assert_eq!(store.lease(&id, LONG).await, Ok(LeaseResult::HeldByOther));
    // After it expires, the next lease has a greater fencing token.
    store.renew(&[(id.clone(), first)], NO_TIME).await.unwrap();
    let second = leased_next(&*store, &id).await;
    assert!(second > first, "{second:?} after {first:?}");
    // The previous holder can neither append, renew nor release.
    let late = append(2, turn(Some(first), Some(LONG))).await;
    assert_eq!(late, Err(StoreError::Fenced));
    store.renew(&[(id.clone(), first)], NO_TIME).await.unwrap();
    store.release(&id, first, NOW).await.unwrap();
    assert_eq!(store.lease(&id, LONG).await, Ok(LeaseResult::HeldByOther));
    assert_eq!(stored(&*store, &id).await.next_number(), 2);
    // An append without a further turn ends the lease; the next fencing token is greater all the same.
    assert_eq!(append(2, turn(Some(second), None)).await, Ok(None));
    let third = granted(store.lease(&id, LONG).await.unwrap());
    assert!(third > second, "{third:?} after {second:?}");
    store.release(&id, third, None).await.unwrap();
    let fourth = append(3, turn(None, Some(LONG))).await.unwrap().unwrap();
    assert!(fourth > third, "{fourth:?} after {third:?}");
    // Exactly one of several concurrent requests gets it.
    store.release(&id, fourth, None).await.unwrap();
    let requests = (0..8).map(|_| store.lease(&id, LONG));
    let answers = futures_util::future::join_all(requests).await;
    let won = answers
        .iter()
        .filter(|answer| matches!(answer, Ok(LeaseResult::Granted(_))));
    assert_eq!(won.count(), 1, "{answers:?}");
}

pub(crate) async fn due_games_are_claimed_in_the_order_in_which_they_became_due(
    store: Arc<dyn Store>,
) {
    let due = |due| AppendOptions {
        due,
        ..AppendOptions::UNKNOWN
    };
    let mut games = Vec::new();
    for at in 0..4 {
        games.push(created(&*store, header(at)).await);
    }
    let actual = store.claim(10, LONG).await;
    assert_eq!(actual, Ok(Vec::new()), "only people play");
    for (number, turn) in [(2, NOW), (0, NOW), (1, None), (3, NOW)] {
        let entry = StoredEntry::Ply(ply(0));
        let id = &games[number];
        store
            .append_with(id, 0, entry, None, due(turn))
            .await
            .unwrap();
        // Due times have a resolution of one millisecond.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let first = store.claim(2, NO_TIME).await.unwrap();
    let ids = |claimed: &[(GameId, FencingToken)]| -> Vec<GameId> {
        claimed.iter().map(|(id, _)| id.clone()).collect()
    };
    let mut expected = vec![games[2].clone(), games[0].clone()];
    let mut found = ids(&first);
    expected.sort();
    found.sort();
    assert_eq!(found, expected, "the first two games that became due");
    tokio::time::sleep(Duration::from_millis(5)).await;
    // Their leases have expired, and the third game is still due.
    let all = store.claim(10, LONG).await.unwrap();
    assert_eq!(all.len(), 3);
    let actual = store.claim(10, LONG).await;
    assert_eq!(actual, Ok(Vec::new()), "all are leased");
    // One turns out not to be due, one is released as due, one ends.
    let fence = |id: &GameId| all.iter().find(|(of, _)| of == id).unwrap().1;
    store
        .release(&games[0], fence(&games[0]), None)
        .await
        .unwrap();
    store
        .release(&games[2], fence(&games[2]), NOW)
        .await
        .unwrap();
    let last = StoredEntry::FinalPly(ply(1));
    let turn = AppendOptions {
        fence: Some(fence(&games[3])),
        due: NOW,
        lease: Some(LONG),
    };
    let ended = store.append_with(&games[3], 1, last, None, turn).await;
    assert_eq!(ended, Ok(None), "a finished game has no lease");
    let actual = ids(&store.claim(10, LONG).await.unwrap());
    assert_eq!(actual, [games[2].clone()]);
    // New seats with a computer and a person: the game is marked as possibly due.
    let level = seat(SeatOccupant::Level {
        level: SeatLevel::Known(Level::Book.into()),
        replaced: None,
    });
    let seats = vec![new_person(), level];
    store
        .change_seats(&games[1], 0, seats.clone())
        .await
        .unwrap();
    let actual = ids(&store.claim(10, LONG).await.unwrap());
    assert_eq!(actual, [games[1].clone()]);
    let new = header(9);
    store.create(new.clone(), seats).await.unwrap();
    assert_eq!(ids(&store.claim(10, LONG).await.unwrap()), [new.id]);
}

pub(crate) async fn a_game_is_due_after_its_time_and_not_before(store: Arc<dyn Store>) {
    let id = created(&*store, header(0)).await;
    let due = |due, lease| AppendOptions {
        due,
        lease,
        ..AppendOptions::UNKNOWN
    };
    let append = async |number, options| {
        let entry = StoredEntry::Ply(ply(number));
        store.append_with(&id, number, entry, None, options).await
    };
    let claimed = async || store.claim(10, LONG).await.unwrap().into_iter().next();
    append(0, due(Some(LONG), None)).await.unwrap();
    assert_eq!(claimed().await, None, "there is time left");
    append(1, due(Some(SOON), None)).await.unwrap();
    let (of, first) = claimed_soon(&*store).await;
    assert_eq!(of, id);
    // Released before its time, and later.
    store.release(&id, first, Some(LONG)).await.unwrap();
    assert_eq!(claimed().await, None, "there is time left again");
    let fence = granted(store.lease(&id, LONG).await.unwrap());
    store.release(&id, fence, Some(SOON)).await.unwrap();
    let (_, second) = claimed_soon(&*store).await;
    store.release(&id, second, NOW).await.unwrap();
    let (_, third) = claimed().await.expect("the game is still due");
    // The entry under the lease ends it, because the next player has time.
    let options = AppendOptions {
        fence: Some(third),
        ..due(Some(LONG), None)
    };
    append(2, options).await.unwrap();
    assert_eq!(claimed().await, None);
    granted(store.lease(&id, LONG).await.unwrap());
}

/// The next game that becomes due.
async fn claimed_soon(store: &dyn Store) -> (GameId, FencingToken) {
    let started = Instant::now();
    loop {
        let claimed = store.claim(10, LONG).await.unwrap();
        if let Some(claimed) = claimed.into_iter().next() {
            return claimed;
        }
        assert!(started.elapsed() < LONG, "no game became due");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) async fn games_with_a_clock_are_checked_after_changes_of_seats(store: Arc<dyn Store>) {
    let with_clock = GameHeader {
        turn_s: Some(30),
        ..header(0)
    };
    let id = with_clock.id.clone();
    let free = seat(SeatOccupant::Open { invitation: None });
    let seats = vec![new_person(), free];
    store.create(with_clock, seats).await.unwrap();
    let claim = async || {
        let claimed = store.claim(10, LONG).await.unwrap();
        let (of, fence) = claimed.into_iter().next().expect("the game may be due");
        assert_eq!(of, id);
        store.release(&id, fence, Some(LONG)).await.unwrap();
    };
    claim().await;
    assert_eq!(store.claim(10, LONG).await, Ok(Vec::new()));
    let seats = vec![new_person(), new_person()];
    store.change_seats(&id, 0, seats).await.unwrap();
    claim().await;
    assert_eq!(stored(&*store, &id).await.header.turn_s, Some(30));
}

pub(crate) async fn versions_of_games_are_returned(store: Arc<dyn Store>) {
    let id = created(&*store, header(0)).await;
    let over = created(&*store, header(1)).await;
    let unknown = GameId::random();
    append(&*store, &id, 0, StoredEntry::Ply(ply(0))).await;
    let seats = vec![new_person(), new_person()];
    store.change_seats(&id, 0, seats).await.unwrap();
    append(&*store, &over, 0, StoredEntry::Ending(resigned(5))).await;
    // Of several rematches the one created last, whatever its time.
    let mut rematch = None;
    for (kind, created_ms) in [(RematchKind::Same, 9), (RematchKind::New, 8)] {
        let header = GameHeader {
            rematch_of: Some((over.clone(), kind)),
            ..header(created_ms)
        };
        rematch = Some(created(&*store, header).await);
    }
    let ids = [id.clone(), over.clone(), unknown];
    let mut found = store.versions(&ids).await.unwrap();
    let mut expected = vec![
        GameVersion {
            id,
            entries: 1,
            revision: 1,
            rematch: None,
        },
        GameVersion {
            id: over,
            entries: 1,
            revision: 0,
            rematch,
        },
    ];
    found.sort_by(|one, other| one.id.cmp(&other.id));
    expected.sort_by(|one, other| one.id.cmp(&other.id));
    assert_eq!(found, expected);
}
