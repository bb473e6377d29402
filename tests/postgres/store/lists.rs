//! The content and order of game lists: games of a browser, its book game, unfinished games, watchable games,
//! and all games.

use std::sync::Arc;

use dice_of_doom::level::Level;
use dice_of_doom::record::PlyRow;
use dice_of_doom::seats::{ComputerPace, Seat, SeatOccupant};
use dice_of_doom::store::{GameHeader, GameId, GameList, GameOrigin, Store, StoredEntry};

use super::{
    append, browser, created, created_with, header, new_person, person, ply, resigned, seat,
    stored, unfinished, watchable,
};

pub(crate) async fn games_of_a_browser_are_listed_by_activity(store: Arc<dyn Store>) {
    let (me, other) = (browser(), browser());
    let made = created_with(&*store, 100_000, |header| header.creator = Some(me)).await;
    let sat = header(200_000);
    store
        .create(sat.clone(), vec![person(other), person(me)])
        .await
        .unwrap();
    let sat = sat.id;
    let both = GameHeader {
        creator: Some(me),
        ..header(200_000)
    };
    store
        .create(both.clone(), vec![person(me), person(me)])
        .await
        .unwrap();
    let both = both.id;
    created(
        &*store,
        GameHeader {
            creator: Some(me),
            book_of: Some(me),
            ..header(900_000)
        },
    )
    .await;
    created_with(&*store, 901_000, |header| header.creator = Some(other)).await;

    // Ties are ordered newest creation first, and each game appears once.
    let found = store.list_games_of(&me, 10).await.unwrap();
    assert_eq!(found, [both.clone(), sat.clone(), made.clone()]);
    append(
        &*store,
        &made,
        0,
        StoredEntry::Ply(PlyRow {
            at_ms: 300_000,
            ..ply(0)
        }),
    )
    .await;
    let found = store.list_games_of(&me, 10).await.unwrap();
    assert_eq!(found, [made.clone(), both.clone(), sat.clone()]);
    append(&*store, &sat, 0, StoredEntry::Ending(resigned(301_000))).await;
    let found = store.list_games_of(&me, 10).await.unwrap();
    assert_eq!(found, [sat.clone(), made.clone(), both.clone()]);
    let found = store.list_games_of(&me, 2).await.unwrap();
    assert_eq!(found, [sat.clone(), made.clone()]);
    assert_eq!(store.list_games_of(&me, 0).await.unwrap(), []);
    // Leaving a seat removes the game from the list.
    store
        .change_seats(&sat, 0, vec![person(other), new_person()])
        .await
        .unwrap();
    let found = store.list_games_of(&me, u32::MAX).await.unwrap();
    assert_eq!(found, [made, both]);
}

pub(crate) async fn the_book_page_game_is_the_newest(store: Arc<dyn Store>) {
    let (me, other) = (browser(), browser());
    assert_eq!(store.book_page_game(&me).await, Ok(None));
    created_with(&*store, 50, |header| header.book_of = Some(me)).await;
    // The clock was set back in between: the order of creation counts.
    let second = created_with(&*store, 40, |header| header.book_of = Some(me)).await;
    created_with(&*store, 60, |header| header.book_of = Some(other)).await;
    created_with(&*store, 70, |header| header.creator = Some(me)).await;
    assert_eq!(store.book_page_game(&me).await, Ok(Some(second)));
    assert_eq!(store.list_games_of(&other, 9).await.unwrap(), []);
}

pub(crate) async fn only_unfinished_games_are_listed_as_unfinished(store: Arc<dyn Store>) {
    let old = created(&*store, header(1)).await;
    let new = created(&*store, header(2)).await;
    let slow = created_with(&*store, 3, |header| header.pace = ComputerPace::OnRequest).await;
    let found = unfinished(&*store, ComputerPace::AtOnce).await;
    assert_eq!(found, [new.clone(), old.clone()]);
    assert_eq!(unfinished(&*store, ComputerPace::OnRequest).await, [slow]);
    append(&*store, &old, 0, StoredEntry::Ply(ply(0))).await;
    let found = unfinished(&*store, ComputerPace::AtOnce).await;
    assert_eq!(found, [old.clone(), new.clone()]);
    append(&*store, &old, 1, StoredEntry::FinalPly(ply(1))).await;
    assert_eq!(unfinished(&*store, ComputerPace::AtOnce).await, [new]);
}

/// All games, whatever their state, pace, privacy or origin, are listed page by page, each once.
pub(crate) async fn every_game_is_listed_once(store: Arc<dyn Store>) {
    let list_all = async || {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = store.list_games(GameList::All, after, 2).await.unwrap();
            assert!(page.games.len() <= 2);
            found.extend(page.games);
            after = page.next;
            if after.is_none() {
                return found;
            }
        }
    };
    assert_eq!(list_all().await, []);
    // Unlike other lists, this one is in order of creation.
    let over = created(&*store, header(9_000)).await;
    append(&*store, &over, 0, StoredEntry::FinalPly(ply(9_001))).await;
    let private = GameHeader {
        private: true,
        pace: ComputerPace::OnRequest,
        ..header(1_000)
    };
    let private = created(&*store, private).await;
    let uploaded = |id, metadata| GameHeader {
        origin: Some(GameOrigin::Uploaded {
            id,
            provenance: metadata,
        }),
        ..header(5)
    };
    let (as_id, metadata) = (GameId::random(), r#"{"seed":1}"#.to_owned());
    let whole = uploaded(Some(as_id), Some(metadata));
    let bare = uploaded(None, None);
    let mut expected = vec![over, private];
    for header in [whole, bare] {
        let id = created(&*store, header.clone()).await;
        assert_eq!(stored(&*store, &id).await.header, header);
        expected.push(id);
    }
    assert_eq!(list_all().await, expected);
}

pub(crate) async fn sitting_down_is_activity(store: Arc<dyn Store>) {
    let old = created(&*store, header(1_000)).await;
    let new = created(&*store, header(2_000)).await;
    let watched = async || watchable(&*store, 9).await;
    let seated_at = |since_ms| Seat {
        since_ms: Some(since_ms),
        ..new_person()
    };
    store
        .change_seats(&old, 0, vec![seated_at(3_000), new_person()])
        .await
        .unwrap();
    assert_eq!(watched().await, [old.clone(), new.clone()]);
    let later = StoredEntry::Ply(PlyRow {
        at_ms: 4_000,
        ..ply(0)
    });
    append(&*store, &new, 0, later).await;
    assert_eq!(watched().await, [new.clone(), old.clone()]);
    // A seat that was occupied earlier is no new activity.
    store
        .change_seats(&old, 1, vec![seated_at(3_000), seated_at(2_000)])
        .await
        .unwrap();
    assert_eq!(watched().await, [new, old]);
    assert_eq!(store.last_activity_ms().await, Ok(Some(4_000)));
}

pub(crate) async fn public_unfinished_games_are_watchable(store: Arc<dyn Store>) {
    let (me, other) = (browser(), browser());
    let old = created(&*store, header(1)).await;
    let new = created(&*store, header(2)).await;
    let mine = GameHeader {
        creator: Some(me),
        ..header(3)
    };
    created(&*store, mine.clone()).await;
    let sat = header(4);
    store
        .create(sat.clone(), vec![person(me), person(other)])
        .await
        .unwrap();
    for hidden in [
        GameHeader {
            private: true,
            ..header(5)
        },
        GameHeader {
            book_of: Some(other),
            ..header(6)
        },
    ] {
        created(&*store, hidden).await;
    }
    let computers = vec![
        seat(SeatOccupant::level(Level::Book)),
        seat(SeatOccupant::Open { invitation: None }),
    ];
    store.create(header(7), computers).await.unwrap();
    let over = created(&*store, header(8)).await;
    append(&*store, &over, 0, StoredEntry::FinalPly(ply(0))).await;

    let expected = [sat.id.clone(), mine.id, new, old.clone()];
    assert_eq!(watchable(&*store, 10).await, expected);
    append(&*store, &old, 0, StoredEntry::Ply(ply(0))).await;
    assert_eq!(watchable(&*store, 2).await, [old, sat.id]);
}
