//! Open tables.

use std::sync::Arc;

use dice_of_doom::seats::{PersonCredentials, Seat, SeatOccupant};
use dice_of_doom::site::open_tables::rows::{ListedSince, ListedTable, OpenTable};
use dice_of_doom::store::{GameHeader, GameId, Store, StoreError};

use super::{append, browser, header, new_person, resigned, seat};
use dice_of_doom::store::StoredEntry;

fn free_seat() -> Seat {
    seat(SeatOccupant::Open { invitation: None })
}

async fn opened(store: &dyn Store, header: GameHeader, opened_ms: i64) -> GameId {
    let game = header.id.clone();
    let seats = vec![new_person(), free_seat()];
    store.create(header, seats).await.unwrap();
    list(store, &game, opened_ms, None).await;
    game
}

async fn list(store: &dyn Store, game: &GameId, opened_ms: i64, network: Option<i64>) {
    let table = OpenTable {
        game: game.clone(),
        opened_ms,
        seen_ms: opened_ms,
        network,
    };
    store.open_table(table).await.unwrap();
}

fn since(opened_ms: i64, seen_ms: i64) -> ListedSince {
    ListedSince { opened_ms, seen_ms }
}

async fn listed(store: &dyn Store, seen_after_ms: i64) -> Vec<GameId> {
    let tables = store.list_open_tables(since(0, seen_after_ms), 10).await;
    let tables = tables.unwrap().into_iter();
    tables.map(|listed| listed.table.game).collect()
}

pub(crate) async fn open_tables_have_a_free_seat_and_a_creator_who_was_seen(store: Arc<dyn Store>) {
    let store = &*store;
    let first = opened(store, header(1), 100).await;
    let second = opened(store, header(2), 200).await;
    let private = GameHeader {
        private: true,
        ..header(3)
    };
    opened(store, private, 300).await;
    assert_eq!(listed(store, 50).await, [first.clone(), second.clone()]);
    assert_eq!(listed(store, 100).await, std::slice::from_ref(&second));
    let tables = store.list_open_tables(since(100, 50), 9).await.unwrap();
    assert_eq!(tables[0].table.game, second, "{tables:?}");
    assert_eq!(tables.len(), 1);
    let limited = store.list_open_tables(since(0, 50), 1).await.unwrap();
    assert_eq!(limited.len(), 1);

    store.mark_table_seen(&first, 250).await.unwrap();
    store.mark_table_seen(&first, 240).await.unwrap();
    let expected = OpenTable {
        game: first.clone(),
        opened_ms: 100,
        seen_ms: 250,
        network: None,
    };
    assert_eq!(store.find_open_table(&first).await.unwrap(), Some(expected));
    assert_eq!(listed(store, 249).await, std::slice::from_ref(&first));

    let seats = vec![new_person(), new_person()];
    store.change_seats(&first, 0, seats).await.unwrap();
    assert_eq!(listed(store, 50).await, std::slice::from_ref(&second));

    append(store, &second, 0, StoredEntry::Ending(resigned(9))).await;
    assert_eq!(listed(store, 50).await, []);
}

pub(crate) async fn a_closed_table_stays_closed(store: Arc<dyn Store>) {
    let store = &*store;
    let id = opened(store, header(1), 100).await;
    store.close_table(&id).await.unwrap();
    store.close_table(&id).await.unwrap();
    store.mark_table_seen(&id, 200).await.unwrap();
    assert_eq!(listed(store, 50).await, []);
    assert_eq!(store.find_open_table(&id).await.unwrap(), None);
    let table = OpenTable {
        game: id.clone(),
        opened_ms: 300,
        seen_ms: 300,
        network: Some(-7),
    };
    store.open_table(table.clone()).await.unwrap();
    let creator = store.load(&id).await.unwrap().unwrap().header.creator;
    let table = table.clone();
    let found = store.list_open_tables(since(0, 50), 9).await.unwrap();
    assert_eq!(
        found,
        [ListedTable {
            table: table.clone(),
            creator
        }]
    );
    let unknown = OpenTable {
        game: GameId::random(),
        ..table
    };
    let unknown = store.open_table(unknown).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
}

pub(crate) async fn networks_alternate_among_the_open_tables(store: Arc<dyn Store>) {
    let store = &*store;
    let mut games = Vec::new();
    for (opened_ms, network) in [
        (100, Some(1)),
        (101, Some(1)),
        (102, Some(1)),
        (103, Some(1)),
        (104, None),
        (105, None),
        (106, Some(2)),
        (107, Some(2)),
    ] {
        let game = opened(store, header(opened_ms), opened_ms).await;
        list(store, &game, opened_ms, network).await;
        games.push(game);
    }
    let order = [0, 4, 5, 6, 1, 7, 2].map(|index: usize| games[index].clone());
    assert_eq!(listed(store, 50).await, order);
    assert_eq!(store.delete_open_tables(100).await.unwrap(), 1);
    assert_eq!(store.delete_open_tables(100).await.unwrap(), 0);
    assert_eq!(store.find_open_table(&games[0]).await.unwrap(), None);
    let order = [1, 4, 5, 6, 2, 7, 3].map(|index: usize| games[index].clone());
    assert_eq!(listed(store, 50).await, order);
}

pub(crate) async fn a_browser_has_the_name_that_it_used_last(store: Arc<dyn Store>) {
    let own = browser();
    assert_eq!(store.last_name(&own).await.unwrap(), None);
    for (created_ms, name) in [(2, Some("Ola")), (1, Some("Mika")), (3, None)] {
        let occupant = SeatOccupant::Person {
            credentials: PersonCredentials {
                browser: own,
                return_link: None,
                joined_by: None,
            },
            name: name.map(str::to_owned),
        };
        let seats = vec![new_person(), seat(occupant)];
        store.create(header(created_ms), seats).await.unwrap();
    }
    let name = store.last_name(&own).await.unwrap();
    assert_eq!(name.as_deref(), Some("Ola"));
    assert_eq!(store.last_name(&browser()).await.unwrap(), None);
}
