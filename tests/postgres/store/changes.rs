//! A game is changed one step at a time: of many who ask at once one wins, a change is whole or absent, and a closed
//! archive takes none.

use std::sync::Arc;
use std::time::Duration;

use dice_of_doom::level::Level;
use dice_of_doom::record::{EntryRow, PlyRow};
use dice_of_doom::seats::{ComputerPace, RematchKind, SeatOccupant, Seats};
use dice_of_doom::store::{GameHeader, GameStore, StoreError, StoredEntry};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;

use super::{created, header, plies, ply, resigned, seat, somebody, stored, unfinished};

pub(crate) async fn only_the_next_number_is_taken(archive: Arc<dyn GameStore>) {
    let id = created(&*archive, header(0)).await;
    for number in 0..20_u32 {
        for wrong in [number + 1, number + 2, number.wrapping_sub(1), u32::MAX] {
            let refused = archive.append(&id, wrong, StoredEntry::Ply(ply(0))).await;
            assert_eq!(
                refused,
                Err(StoreError::Conflict { next: number }),
                "{wrong} at {number}"
            );
        }
        archive
            .append(&id, number, StoredEntry::Ply(ply(number)))
            .await
            .unwrap();
    }
    assert_eq!(stored(&*archive, &id).await.entries, plies(20));
}

pub(crate) async fn of_many_for_one_number_one_wins(archive: Arc<dyn GameStore>) {
    let id = created(&*archive, header(0)).await;
    for number in 0..3_u32 {
        let mut racers = JoinSet::new();
        for racer in 0..200_u32 {
            let (archive, id) = (archive.clone(), id.clone());
            let mine = PlyRow {
                action: racer.to_string(),
                ..ply(number)
            };
            racers.spawn(async move {
                (
                    racer,
                    archive.append(&id, number, StoredEntry::Ply(mine)).await,
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
        let kept = stored(&*archive, &id).await;
        assert_eq!(kept.entries.len(), number as usize + 1);
        let EntryRow::Ply(winner) = &kept.entries[number as usize] else {
            panic!("{kept:?}");
        };
        assert_eq!(winner.action, winners[0].to_string());
    }
}

pub(crate) async fn many_games_at_once_have_no_gap(archive: Arc<dyn GameStore>) {
    let mut games = JoinSet::new();
    for created_ms in 0..50 {
        let archive = archive.clone();
        games.spawn(async move {
            let id = created(&*archive, header(created_ms)).await;
            for number in 0..40 {
                archive
                    .append(&id, number, StoredEntry::Ply(ply(number)))
                    .await
                    .unwrap();
            }
            id
        });
    }
    let plies = plies(40);
    while let Some(id) = games.join_next().await {
        assert_eq!(stored(&*archive, &id.unwrap()).await.entries, plies);
    }
}

pub(crate) async fn the_ending_takes_the_next_number_and_closes(archive: Arc<dyn GameStore>) {
    let id = created(&*archive, header(0)).await;
    archive
        .append(&id, 0, StoredEntry::Ply(ply(0)))
        .await
        .unwrap();
    for wrong in [0, 2] {
        let refused = archive
            .append(&id, wrong, StoredEntry::Ending(resigned(5)))
            .await;
        assert_eq!(refused, Err(StoreError::Conflict { next: 1 }));
    }
    archive
        .append(&id, 1, StoredEntry::Ending(resigned(5)))
        .await
        .unwrap();
    for number in 0..4 {
        for entry in [
            StoredEntry::Ply(ply(number)),
            StoredEntry::Ending(resigned(6)),
        ] {
            let refused = archive.append(&id, number, entry).await;
            assert_eq!(refused, Err(StoreError::Conflict { next: 2 }), "{number}");
        }
    }
    let kept = stored(&*archive, &id).await;
    assert_eq!((kept.entries.len(), kept.ending), (1, Some(resigned(5))));
    // An ended game has nothing to go on with.
    assert_eq!(unfinished(&*archive, ComputerPace::AtOnce).await, []);

    let at_once = created(&*archive, header(0)).await;
    archive
        .append(&at_once, 0, StoredEntry::Ending(resigned(9)))
        .await
        .unwrap();
    assert_eq!(stored(&*archive, &at_once).await.next(), 1);
}

pub(crate) async fn seats_change_by_revision(archive: Arc<dyn GameStore>) {
    let id = created(&*archive, header(0)).await;
    let seats = vec![
        somebody(),
        seat(SeatOccupant::Open { invitation: None }),
        seat(SeatOccupant::level(Level::Book)),
    ];
    assert_eq!(
        archive.change_seats(&id, 1, seats.clone()).await,
        Err(StoreError::StaleSeats { revision: 0 })
    );
    assert_eq!(archive.change_seats(&id, 0, seats.clone()).await, Ok(1));
    assert_eq!(
        archive.change_seats(&id, 0, Vec::new()).await,
        Err(StoreError::StaleSeats { revision: 1 })
    );
    assert_eq!(
        stored(&*archive, &id).await.seats,
        Seats { revision: 1, seats }
    );

    let mut racers = JoinSet::new();
    for _ in 0..50 {
        let (archive, id) = (archive.clone(), id.clone());
        racers.spawn(async move { archive.change_seats(&id, 1, vec![somebody()]).await });
    }
    let answers = racers.join_all().await;
    assert_eq!(answers.iter().filter(|answer| **answer == Ok(2)).count(), 1);
    let stale = Err(StoreError::StaleSeats { revision: 2 });
    assert_eq!(
        answers.iter().filter(|answer| **answer == stale).count(),
        49
    );
    // Seats are no plies.
    archive
        .append(&id, 0, StoredEntry::Ply(ply(0)))
        .await
        .unwrap();
    assert_eq!(stored(&*archive, &id).await.seats.revision, 2);
}

pub(crate) async fn a_rematch_is_made_once(archive: Arc<dyn GameStore>) {
    let first = created(&*archive, header(0)).await;
    assert_eq!(archive.rematches_of(&first).await, Ok(Vec::new()));
    let mut made = Vec::new();
    for kind in RematchKind::ALL.into_iter().rev() {
        let mut racers = JoinSet::new();
        for _ in 0..40 {
            let archive = archive.clone();
            let rematch = GameHeader {
                rematch_of: Some((first.clone(), kind)),
                ..header(1)
            };
            racers.spawn(async move {
                let id = rematch.id.clone();
                (id, archive.create(rematch, vec![somebody()]).await)
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
            assert_eq!(archive.load(id).await, Ok(None), "nothing of it is kept");
        }
        made.push((kind, winners[0].0.clone()));
    }
    made.sort();
    assert_eq!(archive.rematches_of(&first).await, Ok(made));
}

pub(crate) async fn a_dropped_append_is_whole_or_absent(archive: Arc<dyn GameStore>) {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let id = created(&*archive, header(0)).await;
    let mut next = 0;
    let mut kept_though_dropped = 0;
    for _ in 0..200 {
        let asking = {
            let (archive, id) = (archive.clone(), id.clone());
            tokio::spawn(
                async move { archive.append(&id, next, StoredEntry::Ply(ply(next))).await },
            )
        };
        for _ in 0..rng.random_range(0..4) {
            tokio::task::yield_now().await;
        }
        if rng.random_bool(0.5) {
            tokio::time::sleep(Duration::from_micros(rng.random_range(0..300))).await;
        }
        asking.abort();
        let answered = asking.await.is_ok_and(|answer| answer.is_ok());
        // Whatever was handed over before is done before this is answered.
        let changed = archive
            .append(&id, u32::MAX, StoredEntry::Ply(ply(0)))
            .await;
        let kept = stored(&*archive, &id).await;
        assert_eq!(kept.entries, plies(kept.next()));
        assert_eq!(changed, Err(StoreError::Conflict { next: kept.next() }));
        assert!(
            kept.next() == next + 1 || (!answered && kept.next() == next),
            "{next} {answered}"
        );
        kept_though_dropped += u32::from(!answered && kept.next() == next + 1);
        next = kept.next();
    }
    println!("{next} kept, of them {kept_though_dropped} whose asker had gone");
}

pub(crate) async fn a_closed_archive_takes_nothing(archive: Arc<dyn GameStore>) {
    let id = created(&*archive, header(0)).await;
    archive.check().await.unwrap();
    let mut asking = JoinSet::new();
    for number in 0..50 {
        let (archive, id) = (archive.clone(), id.clone());
        asking.spawn(async move {
            archive
                .append(&id, number, StoredEntry::Ply(ply(number)))
                .await
        });
    }
    tokio::join!(archive.close(), archive.close());
    archive.close().await;
    asking.join_all().await;
    assert!(matches!(
        archive.append(&id, 0, StoredEntry::Ply(ply(0))).await,
        Err(StoreError::Unavailable(_))
    ));
    assert!(matches!(
        archive.load(&id).await,
        Err(StoreError::Unavailable(_))
    ));
    assert!(matches!(
        archive.check().await,
        Err(StoreError::Unavailable(_))
    ));
    assert!(!archive.broken().is_cancelled(), "closing is not breaking");
}

pub(crate) async fn counts_begin_once(archive: Arc<dyn GameStore>) {
    let counts = || vec![("one".to_owned(), 2), ("six".to_owned(), 40)];
    let begun = [(); 8].map(|()| archive.begin_counts(counts()));
    let begun = futures_util::future::join_all(begun).await;
    let refused = |answer: &&Result<(), StoreError>| **answer == Err(StoreError::Exists);
    assert_eq!(begun.iter().filter(refused).count(), 7, "{begun:?}");
    archive.add_counts(counts()).await.unwrap();
    let mut found = archive.counts().await.unwrap();
    found.sort();
    assert_eq!(found, [("one".to_owned(), 4), ("six".to_owned(), 80)]);
}
