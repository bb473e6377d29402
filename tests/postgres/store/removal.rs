//! A game that ends is marked as finished, and each kind of game is removed when its time has come.

use std::sync::Arc;

use dice_of_doom::level::Level;
use dice_of_doom::record::PlyRow;
use dice_of_doom::seats::{ComputerPace, SeatOccupant};
use dice_of_doom::store::{
    GameHeader, GameId, GameOrigin, GameStore, RetentionCutoffs, StoreError, StoredEntry,
};

use super::{
    created, finished_before, header, plies, ply, resigned, seat, somebody, stored, sweep,
    unfinished,
};

pub(crate) async fn the_entry_that_ends_a_game_marks_it(archive: Arc<dyn GameStore>) {
    let finished_ms = async |id: &GameId| stored(&*archive, id).await.finished_ms;
    let id = created(&*archive, header(0)).await;
    archive
        .append(&id, 0, StoredEntry::Ply(ply(0)))
        .await
        .unwrap();
    assert_eq!(finished_ms(&id).await, None);
    // What is refused marks nothing.
    let refused = archive.append(&id, 2, StoredEntry::FinalPly(ply(2))).await;
    assert_eq!(refused, Err(StoreError::Conflict { next: 1 }));
    assert_eq!(finished_ms(&id).await, None);
    archive
        .append(&id, 1, StoredEntry::FinalPly(ply(1)))
        .await
        .unwrap();
    let kept = stored(&*archive, &id).await;
    assert_eq!(kept.entries, plies(2));
    assert_eq!((kept.ending, kept.finished_ms), (None, Some(ply(1).at_ms)));
    assert_eq!(unfinished(&*archive, ComputerPace::AtOnce).await, []);
    assert_eq!(archive.watchable(None, 9).await, Ok(Vec::new()));
    for entry in [
        StoredEntry::Ply(ply(2)),
        StoredEntry::FinalPly(ply(2)),
        StoredEntry::Ending(resigned(9)),
    ] {
        let refused = archive.append(&id, 2, entry).await;
        assert_eq!(refused, Err(StoreError::Conflict { next: 2 }));
    }
    // A mark that is there stays.
    archive.heal_finished(&id).await.unwrap();
    assert_eq!(finished_ms(&id).await, Some(ply(1).at_ms));
}

pub(crate) async fn a_lost_mark_is_healed_as_of_the_last_entry(archive: Arc<dyn GameStore>) {
    let played = created(&*archive, header(5)).await;
    archive
        .append(&played, 0, StoredEntry::Ply(ply(0)))
        .await
        .unwrap();
    let bare = created(&*archive, header(5)).await;
    for (id, at_ms) in [(played, ply(0).at_ms), (bare, 5)] {
        archive.heal_finished(&id).await.unwrap();
        let kept = stored(&*archive, &id).await;
        assert_eq!(kept.finished_ms, Some(at_ms));
    }
    assert_eq!(unfinished(&*archive, ComputerPace::AtOnce).await, []);
}

pub(crate) async fn finished_games_are_removed(archive: Arc<dyn GameStore>) {
    let at = |number, at_ms| PlyRow {
        at_ms,
        ..ply(number)
    };
    let first = created(&*archive, header(0)).await;
    archive
        .append(&first, 0, StoredEntry::Ply(ply(0)))
        .await
        .unwrap();
    archive
        .append(&first, 1, StoredEntry::FinalPly(at(1, 100)))
        .await
        .unwrap();
    let ended = created(&*archive, header(0)).await;
    archive
        .append(&ended, 0, StoredEntry::Ending(resigned(200)))
        .await
        .unwrap();
    let running = created(&*archive, header(0)).await;

    assert_eq!(sweep(&*archive, finished_before(100)).await, 0);
    assert_eq!(sweep(&*archive, finished_before(101)).await, 1);
    assert_eq!(archive.load(&first).await, Ok(None));
    assert_eq!(
        archive.append(&first, 2, StoredEntry::Ply(ply(2))).await,
        Err(StoreError::NotFound)
    );
    assert_eq!(sweep(&*archive, finished_before(200)).await, 0);
    assert_eq!(sweep(&*archive, finished_before(i64::MAX)).await, 1);
    assert_eq!(archive.load(&ended).await, Ok(None));
    assert!(archive.load(&running).await.unwrap().is_some());

    // Many at once, and an id may come again without its past.
    for _ in 0..250 {
        let id = created(&*archive, header(0)).await;
        let last = StoredEntry::FinalPly(at(0, 10));
        archive.append(&id, 0, last).await.unwrap();
    }
    assert_eq!(sweep(&*archive, finished_before(11)).await, 250);
    let again = GameHeader {
        id: first.clone(),
        ..header(0)
    };
    created(&*archive, again).await;
    assert_eq!(stored(&*archive, &first).await.next(), 0);
}

pub(crate) async fn each_kind_of_game_goes_at_its_time(archive: Arc<dyn GameStore>) {
    let seats = |sitters: [SeatOccupant; 2]| sitters.map(seat).to_vec();
    let (one, level) = (|| somebody().sitter, || SeatOccupant::level(Level::Book));
    let made = async |sitters: [SeatOccupant; 2]| {
        let header = header(10_000);
        archive
            .create(header.clone(), seats(sitters))
            .await
            .unwrap();
        header.id
    };
    let open = || SeatOccupant::Open { invitation: None };
    let alone = made([one(), level()]).await;
    let computers = made([level(), level()]).await;
    let hosted = made([one(), open()]).await;
    let offered = made([level(), open()]).await;
    let two = made([one(), one()]).await;
    let played = made([one(), open()]).await;
    let slow = GameHeader {
        pace: ComputerPace::OnRequest,
        ..header(10_000)
    };
    archive
        .create(slow.clone(), seats([one(), level()]))
        .await
        .unwrap();
    let at = |number: u32, at_ms| {
        StoredEntry::Ply(PlyRow {
            at_ms,
            ..ply(number)
        })
    };
    // Of these plies only those of people count: seat 0 moves first, then seat 1.
    archive.append(&played, 0, at(0, 20_000)).await.unwrap();
    archive.append(&slow.id, 0, at(0, 21_000)).await.unwrap();
    archive.append(&computers, 0, at(0, 19_000)).await.unwrap();
    archive.append(&offered, 0, at(0, 19_000)).await.unwrap();

    let none = RetentionCutoffs::default();
    assert_eq!(archive.expired(&none, 99).await, Ok(Vec::new()));
    assert_eq!(sweep(&*archive, finished_before(i64::MAX)).await, 0);
    let untouched = |before_ms| RetentionCutoffs {
        untouched_ms: Some(before_ms),
        ..none
    };
    let awaited = |before_ms| RetentionCutoffs {
        awaited_ms: Some(before_ms),
        ..none
    };
    let abandoned = |before_ms| RetentionCutoffs {
        abandoned_ms: Some(before_ms),
        ..none
    };
    let expired = async |cutoffs| archive.expired(&cutoffs, 99).await.unwrap();
    assert_eq!(expired(untouched(10_000)).await, []);
    assert_eq!(
        expired(untouched(11_000)).await,
        std::slice::from_ref(&alone)
    );
    assert_eq!(
        expired(untouched(20_000)).await,
        [alone.clone(), computers.clone()]
    );
    let late = [hosted.clone(), two.clone(), offered.clone()];
    assert_eq!(expired(awaited(20_000)).await, late);
    assert_eq!(
        expired(abandoned(22_000)).await,
        [played.clone(), slow.id.clone()]
    );
    let all = RetentionCutoffs {
        untouched_ms: Some(11_000),
        awaited_ms: Some(11_000),
        ..abandoned(21_000)
    };
    assert_eq!(
        archive.expired(&all, 2).await.unwrap(),
        [alone.clone(), hosted.clone()]
    );
    // A friend comes, and somebody plays: the game is another one now.
    archive
        .change_seats(&hosted, 0, seats([one(), one()]))
        .await
        .unwrap();
    archive.append(&hosted, 0, at(0, 30_000)).await.unwrap();
    // What is asked for is looked at again: whatever was played on stays.
    let asked = vec![
        hosted.clone(),
        alone.clone(),
        GameId::random(),
        alone.clone(),
    ];
    assert_eq!(archive.remove(asked, all).await, Ok(1));
    assert_eq!(archive.load(&alone).await, Ok(None));
    assert!(archive.load(&hosted).await.unwrap().is_some());
    assert_eq!(sweep(&*archive, all).await, 2, "two, played");
    let rest = RetentionCutoffs {
        untouched_ms: Some(i64::MAX),
        awaited_ms: Some(i64::MAX),
        ..abandoned(i64::MAX)
    };
    let rest_of = [computers, offered, hosted, slow.id];
    assert_eq!(expired(rest).await, rest_of);
    assert_eq!(sweep(&*archive, rest).await, 4);
    assert_eq!(archive.newest_ms().await, Ok(None));
}

pub(crate) async fn what_was_brought_here_goes_after_a_time_of_its_own(
    archive: Arc<dyn GameStore>,
) {
    let brought = |at_ms| GameHeader {
        origin: Some(GameOrigin::Uploaded {
            id: None,
            told: None,
        }),
        ..header(at_ms)
    };
    let last = |at_ms| StoredEntry::FinalPly(PlyRow { at_ms, ..ply(0) });
    let over = created(&*archive, brought(10_000)).await;
    archive.append(&over, 0, last(10_000)).await.unwrap();
    let stopped = created(&*archive, brought(11_000)).await;
    let ours = created(&*archive, header(10_000)).await;
    archive.append(&ours, 0, last(10_000)).await.unwrap();
    let uploaded = |before_ms| RetentionCutoffs {
        uploaded_ms: Some(before_ms),
        ..RetentionCutoffs::default()
    };
    let others = RetentionCutoffs {
        uploaded_ms: None,
        finished_ms: Some(i64::MAX),
        abandoned_ms: Some(i64::MAX),
        untouched_ms: Some(i64::MAX),
        awaited_ms: Some(i64::MAX),
    };
    let expired = async |cutoffs| archive.expired(&cutoffs, 99).await.unwrap();
    assert_eq!(expired(uploaded(10_000)).await, []);
    assert_eq!(expired(uploaded(11_000)).await, std::slice::from_ref(&over));
    assert_eq!(
        expired(uploaded(i64::MAX)).await,
        [over.clone(), stopped.clone()]
    );
    assert_eq!(expired(others).await, std::slice::from_ref(&ours));
    let asked = vec![over.clone(), stopped.clone(), ours.clone()];
    assert_eq!(archive.remove(asked.clone(), uploaded(11_000)).await, Ok(1));
    assert_eq!(archive.remove(asked, others).await, Ok(1));
    assert_eq!(archive.load(&over).await, Ok(None));
    assert_eq!(archive.load(&ours).await, Ok(None));
    assert_eq!(sweep(&*archive, uploaded(i64::MAX)).await, 1);
    assert_eq!(archive.newest_ms().await, Ok(None));
}
