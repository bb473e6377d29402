//! Which games a list shows, and in which order: those of a browser and its game of the book, those that go on, those
//! everybody may watch, and all there are.

use std::sync::Arc;

use dice_of_doom::level::Level;
use dice_of_doom::record::PlyRow;
use dice_of_doom::seats::{ComputerPace, Seat, SeatOccupant};
use dice_of_doom::store::{
    GameHeader, GameId, GameOrigin, GameStore, OWN_PASSED_OVER, StoredEntry,
};

use super::{browser, created, header, person, ply, resigned, seat, somebody, stored, unfinished};

pub(crate) async fn games_of_a_browser_come_by_activity(archive: Arc<dyn GameStore>) {
    let (me, other) = (browser(), browser());
    let made = created(
        &*archive,
        GameHeader {
            creator: Some(me),
            ..header(100_000)
        },
    )
    .await;
    let sat = header(200_000);
    archive
        .create(sat.clone(), vec![person(other), person(me)])
        .await
        .unwrap();
    let sat = sat.id;
    let both = GameHeader {
        creator: Some(me),
        ..header(200_000)
    };
    archive
        .create(both.clone(), vec![person(me), person(me)])
        .await
        .unwrap();
    let both = both.id;
    created(
        &*archive,
        GameHeader {
            creator: Some(me),
            book_of: Some(me),
            ..header(900_000)
        },
    )
    .await;
    created(
        &*archive,
        GameHeader {
            creator: Some(other),
            ..header(901_000)
        },
    )
    .await;

    // At the same time the younger game comes first, and each comes once.
    assert_eq!(
        archive.games_of(&me, 10).await.unwrap(),
        [both.clone(), sat.clone(), made.clone()]
    );
    archive
        .append(
            &made,
            0,
            StoredEntry::Ply(PlyRow {
                at_ms: 300_000,
                ..ply(0)
            }),
        )
        .await
        .unwrap();
    assert_eq!(
        archive.games_of(&me, 10).await.unwrap(),
        [made.clone(), both.clone(), sat.clone()]
    );
    archive
        .append(&sat, 0, StoredEntry::Ending(resigned(301_000)))
        .await
        .unwrap();
    assert_eq!(
        archive.games_of(&me, 10).await.unwrap(),
        [sat.clone(), made.clone(), both.clone()]
    );
    assert_eq!(
        archive.games_of(&me, 2).await.unwrap(),
        [sat.clone(), made.clone()]
    );
    assert_eq!(archive.games_of(&me, 0).await.unwrap(), []);
    // Who leaves a seat no longer has the game.
    archive
        .change_seats(&sat, 0, vec![person(other), somebody()])
        .await
        .unwrap();
    assert_eq!(archive.games_of(&me, u32::MAX).await.unwrap(), [made, both]);
}

pub(crate) async fn the_book_game_is_the_newest(archive: Arc<dyn GameStore>) {
    let (me, other) = (browser(), browser());
    assert_eq!(archive.book_game(&me).await, Ok(None));
    created(
        &*archive,
        GameHeader {
            book_of: Some(me),
            ..header(50)
        },
    )
    .await;
    // The clock was set back in between: the later game still is the newer one.
    let second = created(
        &*archive,
        GameHeader {
            book_of: Some(me),
            ..header(40)
        },
    )
    .await;
    created(
        &*archive,
        GameHeader {
            book_of: Some(other),
            ..header(60)
        },
    )
    .await;
    created(
        &*archive,
        GameHeader {
            creator: Some(me),
            ..header(70)
        },
    )
    .await;
    assert_eq!(archive.book_game(&me).await, Ok(Some(second)));
    assert_eq!(archive.games_of(&other, 9).await.unwrap(), []);
}

pub(crate) async fn unfinished_games_go_on(archive: Arc<dyn GameStore>) {
    let old = created(&*archive, header(1)).await;
    let new = created(&*archive, header(2)).await;
    let slow = created(
        &*archive,
        GameHeader {
            pace: ComputerPace::OnRequest,
            ..header(3)
        },
    )
    .await;
    assert_eq!(
        unfinished(&*archive, ComputerPace::AtOnce).await,
        [new.clone(), old.clone()]
    );
    assert_eq!(unfinished(&*archive, ComputerPace::OnRequest).await, [slow]);
    archive
        .append(&old, 0, StoredEntry::Ply(ply(0)))
        .await
        .unwrap();
    assert_eq!(
        unfinished(&*archive, ComputerPace::AtOnce).await,
        [old.clone(), new.clone()]
    );
    archive
        .append(&old, 1, StoredEntry::FinalPly(ply(1)))
        .await
        .unwrap();
    assert_eq!(unfinished(&*archive, ComputerPace::AtOnce).await, [new]);
}

/// Finished or not, whatever their pace, private or of the book: a page at a time, each of them once.
pub(crate) async fn every_game_is_listed_once(archive: Arc<dyn GameStore>) {
    let every = async || {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = archive.every(after, 2).await.unwrap();
            assert!(page.games.len() <= 2);
            found.extend(page.games);
            after = page.next;
            if after.is_none() {
                return found;
            }
        }
    };
    assert_eq!(every().await, []);
    // The newest activity stands first in other lists; here the order is that of creation.
    let over = created(&*archive, header(9_000)).await;
    let entry = StoredEntry::FinalPly(ply(9_001));
    archive.append(&over, 0, entry).await.unwrap();
    let private = GameHeader {
        private: true,
        pace: ComputerPace::OnRequest,
        ..header(1_000)
    };
    let private = created(&*archive, private).await;
    let uploaded = |id, told| GameHeader {
        origin: Some(GameOrigin::Uploaded { id, told }),
        ..header(5)
    };
    let (as_id, told) = (GameId::random(), r#"{"seed":1}"#.to_owned());
    let whole = uploaded(Some(as_id), Some(told));
    let bare = uploaded(None, None);
    let mut expected = vec![over, private];
    for header in [whole, bare] {
        let id = created(&*archive, header.clone()).await;
        assert_eq!(stored(&*archive, &id).await.header, header);
        expected.push(id);
    }
    assert_eq!(every().await, expected);
}

pub(crate) async fn sitting_down_is_activity(archive: Arc<dyn GameStore>) {
    let old = created(&*archive, header(1_000)).await;
    let new = created(&*archive, header(2_000)).await;
    let watched = async || archive.watchable(None, 9).await.unwrap();
    let sat = |since_ms| Seat {
        since_ms: Some(since_ms),
        ..somebody()
    };
    archive
        .change_seats(&old, 0, vec![sat(3_000), somebody()])
        .await
        .unwrap();
    assert_eq!(watched().await, [old.clone(), new.clone()]);
    let later = StoredEntry::Ply(PlyRow {
        at_ms: 4_000,
        ..ply(0)
    });
    archive.append(&new, 0, later).await.unwrap();
    assert_eq!(watched().await, [new.clone(), old.clone()]);
    // Who sits since long ago is no news, whoever changes a name.
    archive
        .change_seats(&old, 1, vec![sat(3_000), sat(2_000)])
        .await
        .unwrap();
    assert_eq!(watched().await, [new, old]);
    assert_eq!(archive.newest_ms().await, Ok(Some(4_000)));
}

pub(crate) async fn one_passes_over_so_many_own_games(archive: Arc<dyn GameStore>) {
    let me = browser();
    let other = created(&*archive, header(1)).await;
    for at_ms in 0..i64::from(OWN_PASSED_OVER) {
        let own = GameHeader {
            creator: Some(me),
            ..header(2 + at_ms)
        };
        created(&*archive, own).await;
    }
    assert_eq!(archive.watchable(Some(&me), 1).await.unwrap(), [other]);
    let own = GameHeader {
        creator: Some(me),
        ..header(9_000)
    };
    created(&*archive, own).await;
    assert_eq!(archive.watchable(Some(&me), 1).await.unwrap(), []);
}

pub(crate) async fn everybody_may_watch_what_is_public(archive: Arc<dyn GameStore>) {
    let (me, other) = (browser(), browser());
    let old = created(&*archive, header(1)).await;
    let new = created(&*archive, header(2)).await;
    let mine = GameHeader {
        creator: Some(me),
        ..header(3)
    };
    created(&*archive, mine.clone()).await;
    let sat = header(4);
    archive
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
        created(&*archive, hidden).await;
    }
    let computers = vec![
        seat(SeatOccupant::level(Level::Book)),
        seat(SeatOccupant::Open { invitation: None }),
    ];
    archive.create(header(7), computers).await.unwrap();
    let over = created(&*archive, header(8)).await;
    let last = StoredEntry::FinalPly(ply(0));
    archive.append(&over, 0, last).await.unwrap();

    assert_eq!(
        archive.watchable(None, 10).await.unwrap(),
        [sat.id.clone(), mine.id.clone(), new.clone(), old.clone()]
    );
    assert_eq!(
        archive.watchable(Some(&me), 10).await.unwrap(),
        [new.clone(), old.clone()]
    );
    archive
        .append(&old, 0, StoredEntry::Ply(ply(0)))
        .await
        .unwrap();
    assert_eq!(
        archive.watchable(Some(&other), 2).await.unwrap(),
        [old, mine.id]
    );
    assert_eq!(archive.watchable(None, 0).await.unwrap(), []);
}
