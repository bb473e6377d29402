//! Cards of games.

use std::sync::Arc;

use dice_of_doom::store::{AppendOptions, GameId, Store, StoredEntry};

use super::{created, header, new_person, ply};

async fn card(store: &dyn Store, id: &GameId) -> Option<(u32, Option<String>)> {
    let cards = store.cards(std::slice::from_ref(id)).await.unwrap();
    let card = cards.into_iter().next()?;
    Some((card.entries, card.card))
}

pub(crate) async fn a_card_is_stored_with_an_entry(store: Arc<dyn Store>) {
    let store = &*store;
    let (id, other) = (
        created(store, header(1)).await,
        created(store, header(2)).await,
    );
    assert_eq!(card(store, &id).await, Some((0, None)));
    let append = async |number, card: &str| {
        let (entry, options) = (StoredEntry::Ply(ply(number)), AppendOptions::UNKNOWN);
        let card = Some(card.to_owned());
        store.append_with(&id, number, entry, card, options).await
    };
    append(0, "first").await.unwrap();
    append(1, "\"second\" ¦").await.unwrap();
    let second = || Some("\"second\" ¦".to_owned());
    assert_eq!(card(store, &id).await, Some((2, second())));
    // A rejected entry changes nothing, and an entry without a card leaves the earlier one.
    assert!(append(1, "stale").await.is_err());
    assert_eq!(card(store, &id).await, Some((2, second())));
    let entry = StoredEntry::Ply(ply(2));
    store.append(&id, 2, entry).await.unwrap();
    assert_eq!(card(store, &id).await, Some((3, second())));
    store.store_card(&id, "third".to_owned()).await.unwrap();
    assert_eq!(card(store, &id).await, Some((3, Some("third".to_owned()))));

    let unknown = GameId::random();
    store
        .store_card(&unknown, "nothing".to_owned())
        .await
        .unwrap();
    let revision = store.change_seats(&other, 0, vec![new_person(), new_person()]);
    assert_eq!(revision.await, Ok(1));
    let mut all = store
        .cards(&[id.clone(), unknown, other.clone()])
        .await
        .unwrap();
    all.sort_by_key(|card| card.header.created_ms);
    assert_eq!(all.len(), 2);
    for (found, id) in all.iter().zip([&id, &other]) {
        let stored = store.load(id).await.unwrap().unwrap();
        assert_eq!(
            (&found.header, &found.seats),
            (&stored.header, &stored.seats)
        );
    }

    assert_eq!(store.delete_game(&id, 0).await, Ok(true));
    assert_eq!(card(store, &id).await, None);
}
