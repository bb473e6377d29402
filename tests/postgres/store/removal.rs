//! Finish marks, and the deletion of expired games by kind.

use std::sync::Arc;

use dice_of_doom::level::Level;
use dice_of_doom::record::PlyRow;
use dice_of_doom::seats::{ComputerPace, SeatOccupant};
use dice_of_doom::store::{
    GameHeader, GameId, GameOrigin, RetentionCutoffs, Store, StoreError, StoredEntry,
};

use super::{
    append, created, created_with, delete_all_expired, finished_before, header, new_person, plies,
    ply, resigned, seat, stored, unfinished, watchable,
};

pub(crate) async fn the_last_entry_marks_the_game_finished(store: Arc<dyn Store>) {
    let finished_ms = async |id: &GameId| stored(&*store, id).await.finished_ms;
    let id = created(&*store, header(0)).await;
    append(&*store, &id, 0, StoredEntry::Ply(ply(0))).await;
    assert_eq!(finished_ms(&id).await, None);
    // A rejected entry does not mark the game.
    let refused = store.append(&id, 2, StoredEntry::FinalPly(ply(2))).await;
    assert_eq!(refused, Err(StoreError::Conflict { next: 1 }));
    assert_eq!(finished_ms(&id).await, None);
    append(&*store, &id, 1, StoredEntry::FinalPly(ply(1))).await;
    let game = stored(&*store, &id).await;
    assert_eq!(game.entries, plies(2));
    assert_eq!((game.ending, game.finished_ms), (None, Some(ply(1).at_ms)));
    assert_eq!(unfinished(&*store, ComputerPace::AtOnce).await, []);
    assert_eq!(watchable(&*store, 9).await, []);
    for entry in [
        StoredEntry::Ply(ply(2)),
        StoredEntry::FinalPly(ply(2)),
        StoredEntry::Ending(resigned(9)),
    ] {
        let refused = store.append(&id, 2, entry).await;
        assert_eq!(refused, Err(StoreError::Conflict { next: 2 }));
    }
}

pub(crate) async fn expired_finished_games_are_deleted(store: Arc<dyn Store>) {
    let at = |number, at_ms| PlyRow {
        at_ms,
        ..ply(number)
    };
    let first = created(&*store, header(0)).await;
    append(&*store, &first, 0, StoredEntry::Ply(ply(0))).await;
    append(&*store, &first, 1, StoredEntry::FinalPly(at(1, 100))).await;
    let ended = created(&*store, header(0)).await;
    append(&*store, &ended, 0, StoredEntry::Ending(resigned(200))).await;
    let running = created(&*store, header(0)).await;

    assert_eq!(delete_all_expired(&*store, finished_before(100)).await, 0);
    assert_eq!(delete_all_expired(&*store, finished_before(101)).await, 1);
    assert_eq!(store.load(&first).await, Ok(None));
    let found = store.append(&first, 2, StoredEntry::Ply(ply(2))).await;
    assert_eq!(found, Err(StoreError::NotFound));
    assert_eq!(delete_all_expired(&*store, finished_before(200)).await, 0);
    let found = delete_all_expired(&*store, finished_before(i64::MAX)).await;
    assert_eq!(found, 1);
    assert_eq!(store.load(&ended).await, Ok(None));
    assert!(store.load(&running).await.unwrap().is_some());

    // Many at once; a deleted id can be used again for a new game.
    for _ in 0..250 {
        let id = created(&*store, header(0)).await;
        append(&*store, &id, 0, StoredEntry::FinalPly(at(0, 10))).await;
    }
    assert_eq!(delete_all_expired(&*store, finished_before(11)).await, 250);
    created_with(&*store, 0, |header| header.id = first.clone()).await;
    assert_eq!(stored(&*store, &first).await.next_number(), 0);
}

pub(crate) async fn each_kind_of_game_has_its_own_cutoff(store: Arc<dyn Store>) {
    let seats = |occupants: [SeatOccupant; 2]| occupants.map(seat).to_vec();
    let (person, level) = (
        || new_person().occupant,
        || SeatOccupant::level(Level::Book),
    );
    let create = async |occupants: [SeatOccupant; 2]| {
        let header = header(10_000);
        store
            .create(header.clone(), seats(occupants))
            .await
            .unwrap();
        header.id
    };
    let open = || SeatOccupant::Open { invitation: None };
    let alone = create([person(), level()]).await;
    let computers = create([level(), level()]).await;
    let hosted = create([person(), open()]).await;
    let offered = create([level(), open()]).await;
    let two = create([person(), person()]).await;
    let played = create([person(), open()]).await;
    let slow = GameHeader {
        pace: ComputerPace::OnRequest,
        ..header(10_000)
    };
    store
        .create(slow.clone(), seats([person(), level()]))
        .await
        .unwrap();
    let at = |number: u32, at_ms| {
        StoredEntry::Ply(PlyRow {
            at_ms,
            ..ply(number)
        })
    };
    // Only plies by people count as played: seat 0 moves first, then seat 1.
    append(&*store, &played, 0, at(0, 20_000)).await;
    append(&*store, &slow.id, 0, at(0, 21_000)).await;
    append(&*store, &computers, 0, at(0, 19_000)).await;
    append(&*store, &offered, 0, at(0, 19_000)).await;

    let none = RetentionCutoffs::default();
    assert_eq!(store.list_expired(&none, 99).await, Ok(Vec::new()));
    let found = delete_all_expired(&*store, finished_before(i64::MAX)).await;
    assert_eq!(found, 0);
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
    let expired = async |cutoffs| store.list_expired(&cutoffs, 99).await.unwrap();
    assert_eq!(expired(untouched(10_000)).await, []);
    let found = expired(untouched(11_000)).await;
    assert_eq!(found, std::slice::from_ref(&alone));
    let found = expired(untouched(20_000)).await;
    assert_eq!(found, [alone.clone(), computers.clone()]);
    let late = [hosted.clone(), two.clone(), offered.clone()];
    assert_eq!(expired(awaited(20_000)).await, late);
    let found = expired(abandoned(22_000)).await;
    assert_eq!(found, [played.clone(), slow.id.clone()]);
    let all = RetentionCutoffs {
        untouched_ms: Some(11_000),
        awaited_ms: Some(11_000),
        ..abandoned(21_000)
    };
    let found = store.list_expired(&all, 2).await.unwrap();
    assert_eq!(found, [alone.clone(), hosted.clone()]);
    // Somebody sits down and plays, so the game is no longer awaited.
    store
        .change_seats(&hosted, 0, seats([person(), person()]))
        .await
        .unwrap();
    append(&*store, &hosted, 0, at(0, 30_000)).await;
    // Expiry is checked again at deletion: a game that was continued is not deleted.
    let candidates = vec![
        hosted.clone(),
        alone.clone(),
        GameId::random(),
        alone.clone(),
    ];
    assert_eq!(store.delete_expired(candidates, all).await, Ok(1));
    assert_eq!(store.load(&alone).await, Ok(None));
    assert!(store.load(&hosted).await.unwrap().is_some());
    assert_eq!(delete_all_expired(&*store, all).await, 2, "two, played");
    let all_cutoffs = RetentionCutoffs {
        untouched_ms: Some(i64::MAX),
        awaited_ms: Some(i64::MAX),
        ..abandoned(i64::MAX)
    };
    let remaining = [computers, offered, hosted, slow.id];
    assert_eq!(expired(all_cutoffs).await, remaining);
    assert_eq!(delete_all_expired(&*store, all_cutoffs).await, 4);
    assert_eq!(store.last_activity_ms().await, Ok(None));
}

pub(crate) async fn uploaded_games_have_their_own_cutoff(store: Arc<dyn Store>) {
    let uploaded_header = |at_ms| GameHeader {
        origin: Some(GameOrigin::Uploaded {
            id: None,
            provenance: None,
        }),
        ..header(at_ms)
    };
    let last = |at_ms| StoredEntry::FinalPly(PlyRow { at_ms, ..ply(0) });
    let over = created(&*store, uploaded_header(10_000)).await;
    append(&*store, &over, 0, last(10_000)).await;
    let unfinished = created(&*store, uploaded_header(11_000)).await;
    let played_here = created(&*store, header(10_000)).await;
    append(&*store, &played_here, 0, last(10_000)).await;
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
    let expired = async |cutoffs| store.list_expired(&cutoffs, 99).await.unwrap();
    assert_eq!(expired(uploaded(10_000)).await, []);
    assert_eq!(expired(uploaded(11_000)).await, std::slice::from_ref(&over));
    let found = expired(uploaded(i64::MAX)).await;
    assert_eq!(found, [over.clone(), unfinished.clone()]);
    assert_eq!(expired(others).await, std::slice::from_ref(&played_here));
    let candidates = vec![over.clone(), unfinished.clone(), played_here.clone()];
    assert_eq!(
        store
            .delete_expired(candidates.clone(), uploaded(11_000))
            .await,
        Ok(1)
    );
    assert_eq!(store.delete_expired(candidates, others).await, Ok(1));
    assert_eq!(store.load(&over).await, Ok(None));
    assert_eq!(store.load(&played_here).await, Ok(None));
    assert_eq!(delete_all_expired(&*store, uploaded(i64::MAX)).await, 1);
    assert_eq!(store.last_activity_ms().await, Ok(None));
}
