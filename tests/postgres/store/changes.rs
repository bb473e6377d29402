//! Atomicity and concurrency of changes, and a closed store.

use std::sync::Arc;
use std::time::Duration;

use dice_of_doom::level::Level;
use dice_of_doom::record::{EntryRow, PlyRow};
use dice_of_doom::seats::{
    AwaitedStart, ComputerPace, DerivedToken, RematchKind, SeatOccupant, Seats, Waiting,
};
use dice_of_doom::secret::{Nonce, Secret};
use dice_of_doom::store::{GameHeader, Store, StoreError, StoredEntry};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::task::JoinSet;

use super::{append, created, header, new_person, plies, ply, resigned, seat, stored, unfinished};

pub(crate) async fn only_the_next_entry_number_is_accepted(store: Arc<dyn Store>) {
    let id = created(&*store, header(0)).await;
    for number in 0..20_u32 {
        for wrong in [number + 1, number + 2, number.wrapping_sub(1), u32::MAX] {
            let refused = store.append(&id, wrong, StoredEntry::Ply(ply(0))).await;
            assert_eq!(
                refused,
                Err(StoreError::Conflict { next: number }),
                "{wrong} at {number}"
            );
        }
        append(&*store, &id, number, StoredEntry::Ply(ply(number))).await;
    }
    assert_eq!(stored(&*store, &id).await.entries, plies(20));
}

pub(crate) async fn exactly_one_of_many_appends_with_the_same_number_wins(store: Arc<dyn Store>) {
    let id = created(&*store, header(0)).await;
    for number in 0..3_u32 {
        let mut racers = JoinSet::new();
        for racer in 0..200_u32 {
            let (store, id) = (store.clone(), id.clone());
            let row = PlyRow {
                action: racer.to_string(),
                ..ply(number)
            };
            racers.spawn(async move {
                (
                    racer,
                    store.append(&id, number, StoredEntry::Ply(row)).await,
                )
            });
        }
        let mut winners = Vec::new();
        while let Some(ended) = racers.join_next().await {
            match ended.unwrap() {
                (racer, Ok(())) => winners.push(racer),
                (_, refused) => {
                    assert_eq!(refused, Err(StoreError::Conflict { next: number + 1 }))
                }
            }
        }
        assert_eq!(winners.len(), 1, "{winners:?}");
        let game = stored(&*store, &id).await;
        assert_eq!(game.entries.len(), number as usize + 1);
        let EntryRow::Ply(winner) = &game.entries[number as usize] else {
            panic!("{game:?}");
        };
        assert_eq!(winner.action, winners[0].to_string());
    }
}

pub(crate) async fn concurrent_games_have_no_gaps(store: Arc<dyn Store>) {
    let mut games = JoinSet::new();
    for created_ms in 0..50 {
        let store = store.clone();
        games.spawn(async move {
            let id = created(&*store, header(created_ms)).await;
            for number in 0..40 {
                append(&*store, &id, number, StoredEntry::Ply(ply(number))).await;
            }
            id
        });
    }
    let plies = plies(40);
    while let Some(id) = games.join_next().await {
        assert_eq!(stored(&*store, &id.unwrap()).await.entries, plies);
    }
}

pub(crate) async fn an_ending_takes_the_next_number_and_finishes_the_game(store: Arc<dyn Store>) {
    let id = created(&*store, header(0)).await;
    append(&*store, &id, 0, StoredEntry::Ply(ply(0))).await;
    for wrong in [0, 2] {
        let refused = store
            .append(&id, wrong, StoredEntry::Ending(resigned(5)))
            .await;
        assert_eq!(refused, Err(StoreError::Conflict { next: 1 }));
    }
    append(&*store, &id, 1, StoredEntry::Ending(resigned(5))).await;
    for number in 0..4 {
        for entry in [
            StoredEntry::Ply(ply(number)),
            StoredEntry::Ending(resigned(6)),
        ] {
            let refused = store.append(&id, number, entry).await;
            assert_eq!(refused, Err(StoreError::Conflict { next: 2 }), "{number}");
        }
    }
    let game = stored(&*store, &id).await;
    assert_eq!((game.entries.len(), game.ending), (1, Some(resigned(5))));
    // A finished game is not listed as unfinished.
    assert_eq!(unfinished(&*store, ComputerPace::AtOnce).await, []);

    let without_plies = created(&*store, header(0)).await;
    append(&*store, &without_plies, 0, StoredEntry::Ending(resigned(9))).await;
    assert_eq!(stored(&*store, &without_plies).await.next_number(), 1);
}

/// What a game waits for is stored with its seats, and found by its link before the start only.
pub(crate) async fn a_game_waits_for_players(store: Arc<dyn Store>) {
    let link = || DerivedToken {
        token: Secret::random().hash(),
        nonce: Nonce::random(),
    };
    let open = || seat(SeatOccupant::Open { invitation: None });
    let (first, second) = (link(), link());
    let header = header(0);
    let seats = Seats::awaiting_players(vec![new_person(), open()], || Some(first));
    assert!(seats.waiting.is_some());
    let created = store.create_together(header.clone(), seats.clone(), Vec::new(), None);
    created.await.unwrap();
    let id = &header.id;
    assert_eq!(stored(&*store, id).await.seats, seats);
    assert_eq!(
        store.find_waiting_game(&first.token).await,
        Ok(Some(id.clone()))
    );
    let starts = [
        AwaitedStart::At(i64::MAX),
        AwaitedStart::Host,
        AwaitedStart::People,
    ];
    for (revision, start) in (0..).zip(starts) {
        let seats = vec![new_person(), new_person()];
        let waiting = Some(Waiting {
            link: Some(second),
            start,
        });
        let changed = store.change_table(id, revision, seats.clone(), waiting);
        assert_eq!(changed.await, Ok(revision + 1));
        let expected = Seats {
            revision: revision + 1,
            waiting: waiting.map(Box::new),
            ..Seats::new(seats)
        };
        assert_eq!(stored(&*store, id).await.seats, expected);
    }
    assert_eq!(store.find_waiting_game(&first.token).await, Ok(None));
    let stale = store.change_table(id, 0, Vec::new(), None).await;
    assert_eq!(stale, Err(StoreError::StaleSeats { revision: 3 }));
    let seats = vec![new_person(), new_person()];
    assert_eq!(store.change_seats(id, 3, seats).await, Ok(4));
    assert_eq!(stored(&*store, id).await.seats.waiting, None);
    assert_eq!(store.find_waiting_game(&second.token).await, Ok(None));
}

/// Before a start at a set time, the game is marked as possibly due also where only people play.
pub(crate) async fn a_start_at_a_set_time_is_due(store: Arc<dyn Store>) {
    let id = created(&*store, header(0)).await;
    let claim = async || {
        let claimed = store.claim(10, Duration::from_secs(60)).await.unwrap();
        claimed.into_iter().map(|(id, _)| id).collect::<Vec<_>>()
    };
    claim().await;
    let waiting = |start| Some(Waiting { link: None, start });
    let people = || vec![new_person(), new_person()];
    let held = store.change_table(&id, 0, people(), waiting(AwaitedStart::Host));
    held.await.unwrap();
    assert!(claim().await.is_empty());
    let set = store.change_table(&id, 1, people(), waiting(AwaitedStart::At(9)));
    set.await.unwrap();
    assert_eq!(claim().await, [id]);
}

pub(crate) async fn seats_change_by_revision(store: Arc<dyn Store>) {
    let id = created(&*store, header(0)).await;
    let seats = vec![
        new_person(),
        seat(SeatOccupant::Open { invitation: None }),
        seat(SeatOccupant::level(Level::Book)),
    ];
    let found = store.change_seats(&id, 1, seats.clone()).await;
    assert_eq!(found, Err(StoreError::StaleSeats { revision: 0 }));
    assert_eq!(store.change_seats(&id, 0, seats.clone()).await, Ok(1));
    let found = store.change_seats(&id, 0, Vec::new()).await;
    assert_eq!(found, Err(StoreError::StaleSeats { revision: 1 }));
    assert_eq!(
        stored(&*store, &id).await.seats,
        Seats {
            revision: 1,
            seats,
            host: None,
            waiting: None
        }
    );

    let mut racers = JoinSet::new();
    for _ in 0..50 {
        let (store, id) = (store.clone(), id.clone());
        racers.spawn(async move { store.change_seats(&id, 1, vec![new_person()]).await });
    }
    let answers = racers.join_all().await;
    assert_eq!(answers.iter().filter(|answer| **answer == Ok(2)).count(), 1);
    let stale = Err(StoreError::StaleSeats { revision: 2 });
    let found = answers.iter().filter(|answer| **answer == stale).count();
    assert_eq!(found, 49);
    // Appends do not change the revision of the seats.
    append(&*store, &id, 0, StoredEntry::Ply(ply(0))).await;
    assert_eq!(stored(&*store, &id).await.seats.revision, 2);
}

pub(crate) async fn a_rematch_is_created_only_once(store: Arc<dyn Store>) {
    let first = created(&*store, header(0)).await;
    assert_eq!(store.rematches_of(&first).await, Ok(Vec::new()));
    let mut made = Vec::new();
    for kind in RematchKind::ALL.into_iter().rev() {
        let mut racers = JoinSet::new();
        for _ in 0..40 {
            let store = store.clone();
            let rematch = GameHeader {
                rematch_of: Some((first.clone(), kind)),
                ..header(1)
            };
            racers.spawn(async move {
                let id = rematch.id.clone();
                (id, store.create(rematch, vec![new_person()]).await)
            });
        }
        let answers = racers.join_all().await;
        let winners: Vec<_> = answers
            .iter()
            .filter(|(_, answer)| answer.is_ok())
            .collect();
        assert_eq!(winners.len(), 1);
        let refused = answers.iter().filter(|(_, answer)| answer.is_err());
        for (id, answer) in refused {
            assert_eq!(*answer, Err(StoreError::Exists));
            assert_eq!(store.load(id).await, Ok(None), "nothing of it is stored");
        }
        made.push((kind, winners[0].0.clone()));
    }
    made.sort();
    assert_eq!(store.rematches_of(&first).await, Ok(made));
}

pub(crate) async fn a_dropped_append_is_atomic(store: Arc<dyn Store>) {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let id = created(&*store, header(0)).await;
    let mut next = 0;
    let mut appended_though_dropped = 0;
    for _ in 0..200 {
        let append = {
            let (store, id) = (store.clone(), id.clone());
            tokio::spawn(async move { store.append(&id, next, StoredEntry::Ply(ply(next))).await })
        };
        for _ in 0..rng.random_range(0..4) {
            tokio::task::yield_now().await;
        }
        if rng.random_bool(0.5) {
            tokio::time::sleep(Duration::from_micros(rng.random_range(0..300))).await;
        }
        append.abort();
        let acknowledged = append.await.is_ok_and(|answer| answer.is_ok());
        // The writer handles requests in order, so this reply comes after the dropped append.
        let conflict = store.append(&id, u32::MAX, StoredEntry::Ply(ply(0))).await;
        let game = stored(&*store, &id).await;
        assert_eq!(game.entries, plies(game.next_number()));
        assert_eq!(
            conflict,
            Err(StoreError::Conflict {
                next: game.next_number()
            })
        );
        assert!(
            game.next_number() == next + 1 || (!acknowledged && game.next_number() == next),
            "{next} {acknowledged}"
        );
        appended_though_dropped += u32::from(!acknowledged && game.next_number() == next + 1);
        next = game.next_number();
    }
    println!("{next} appended, {appended_though_dropped} of them although the caller was dropped");
}

pub(crate) async fn a_closed_store_rejects_all_requests(store: Arc<dyn Store>) {
    let id = created(&*store, header(0)).await;
    store.health_check().await.unwrap();
    let mut appends = JoinSet::new();
    for number in 0..50 {
        let (store, id) = (store.clone(), id.clone());
        appends.spawn(async move {
            store
                .append(&id, number, StoredEntry::Ply(ply(number)))
                .await
        });
    }
    tokio::join!(store.close(), store.close());
    store.close().await;
    appends.join_all().await;
    assert!(matches!(
        store.append(&id, 0, StoredEntry::Ply(ply(0))).await,
        Err(StoreError::Unavailable(_))
    ));
    assert!(matches!(
        store.load(&id).await,
        Err(StoreError::Unavailable(_))
    ));
    assert!(matches!(
        store.health_check().await,
        Err(StoreError::Unavailable(_))
    ));
    assert!(!store.failure().is_cancelled(), "closing is not a failure");
}

pub(crate) async fn initial_counts_are_accepted_once(store: Arc<dyn Store>) {
    let counts = || vec![("one".to_owned(), 2), ("six".to_owned(), 40)];
    let results = [(); 8].map(|()| store.begin_counts(counts()));
    let results = futures_util::future::join_all(results).await;
    let refused = |answer: &&Result<(), StoreError>| **answer == Err(StoreError::Exists);
    assert_eq!(results.iter().filter(refused).count(), 7, "{results:?}");
    store.add_counts(counts()).await.unwrap();
    let mut found = store.counts().await.unwrap();
    found.sort();
    assert_eq!(found, [("one".to_owned(), 4), ("six".to_owned(), 80)]);
}
