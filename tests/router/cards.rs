//! Cards: what lists show of a game, without its record.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use dice_of_doom::formats::saved_game::SavedGame;
use dice_of_doom::games::{GameCard, LiveGame, Registry};
use dice_of_doom::record::EndingRow;
use dice_of_doom::store::Store;
use serde_json::{Value, json};

use crate::common::failing_store::FailingStore;
use crate::common::{Page, Server, records};
use crate::feed::renew;

/// Checks that the stored form of a game's card shows what the game shows.
fn check_card(games: &Registry, parameters: &str, live: &dyn LiveGame) {
    let card = GameCard::new(live);
    let restored = games.parse_card(parameters, &card.to_json()).unwrap();
    assert_eq!(restored.counts, live.record_counts());
    let newest = &restored.newest;
    assert_eq!(newest.status(), live.status());
    assert_eq!(newest.winners(), live.winners());
    assert_eq!(newest.ending(), live.ending());
    let (shown, expected) = (newest.preview_after(&restored.counts), live.preview());
    assert_eq!(shown.counts, expected.counts);
    assert_eq!(shown.progress, expected.progress);
    assert_eq!(
        format!("{:?}", shown.board),
        format!("{:?}", expected.board)
    );
    for own in [None, live.mover(), live.winners().first().copied()] {
        assert_eq!(newest.result_after(&restored.counts, own), live.result(own));
    }
}

#[test]
fn a_card_shows_what_the_record_shows() {
    let games = Registry::builtin();
    let trilobite = json!({"width": 4, "height": 4, "win": 3});
    for seed in 0..24 {
        let record = match seed % 3 {
            0 => records::played_of(&games, "trilobite", &trilobite, seed),
            _ => records::played(&games, seed),
        };
        let live = games.read_record(&record).unwrap().live;
        let parameters = live.configured_game().parameters_text();
        let start = live.position_at(0).setup_json();
        let entries = (0..live.entry_count()).map(|number| live.entry(number).unwrap());
        let entries: Vec<_> = entries.collect();
        for number in 0..=entries.len() {
            let saved = SavedGame {
                parameters: &parameters,
                start: &start,
                entries: &entries[..number],
                ending: None,
            };
            check_card(&games, &parameters, &*games.load(&saved).unwrap());
        }
        let saved = SavedGame {
            parameters: &parameters,
            start: &start,
            entries: &entries,
            ending: live.ending().map(|ending| EndingRow { ending, at_ms: 7 }),
        };
        check_card(&games, &parameters, &*games.load(&saved).unwrap());
    }
}

#[test]
fn a_card_of_another_version_is_made_again() {
    let games = Registry::builtin();
    let live = games.read_record(&records::played(&games, 3)).unwrap().live;
    let parameters = live.configured_game().parameters_text();
    let card = GameCard::new(&*live).to_json();
    assert!(games.parse_card(&parameters, &card).is_some());
    let mut other: Value = serde_json::from_str(&card).unwrap();
    other["version"] = json!(0);
    assert!(games.parse_card(&parameters, &other.to_string()).is_none());
    other["version"] = json!(1);
    other["ending"] = json!(["resigned", 200]);
    assert!(games.parse_card(&parameters, &other.to_string()).is_none());
    assert!(games.parse_card(&parameters, "{").is_none());
}

/// The cards of a page, as markup.
fn cards(page: &Page) -> Vec<String> {
    page.map(".gcard", |card| card.html())
}

#[tokio::test]
async fn lists_load_no_game_that_has_a_card() {
    let store = Arc::new(FailingStore::default());
    let start = async || Server::on(store.clone()).await;
    let server = start().await;
    let me = server.person();
    let games = Registry::builtin();
    for seed in 0..3 {
        let record = records::played(&games, seed);
        let status = me.upload(&[("text", record.as_bytes())]).await.status();
        assert_eq!(status, 303);
    }
    let mut form = [
        ("size", "2"),
        ("players", "2"),
        ("seats", "human"),
        ("seats", "human"),
    ];
    me.create(&form).await;
    let played = me.create(&form).await;
    let state = me.state(&played).await;
    me.play_likely(&played, &state).await;
    // The only person ends the game by resigning.
    form[3].1 = "novice";
    let resigned = me.create(&form).await;
    me.resign(&resigned).await;
    let feed = renew(&me).await;
    let before = me.page("/me").await;
    assert_eq!(cards(&before).len(), 6);

    let again = start().await;
    let me = me.at(&again.url(""));
    let loads = store.loads.load(Ordering::SeqCst);
    let after = me.page("/me").await;
    assert_eq!(cards(&after), cards(&before));
    assert_eq!(cards(&me.page("/").await).len(), 4);
    me.page(&feed).await;
    me.page("/tables").await;
    let found = store.loads.load(Ordering::SeqCst);
    assert_eq!(found, loads, "nothing is loaded");

    // Without a current card a game is loaded once.
    let card = "of an earlier version".to_owned();
    let id = resigned[3..].parse().unwrap();
    let data: Arc<dyn Store> = store.clone();
    data.store_card(&id, card).await.unwrap();
    let third = start().await;
    let me = me.at(&third.url(""));
    for _ in 0..2 {
        assert_eq!(cards(&me.page("/me").await), cards(&before));
        assert_eq!(store.loads.load(Ordering::SeqCst), loads + 1);
    }
    let fourth = start().await;
    let me = me.at(&fourth.url(""));
    assert_eq!(cards(&me.page("/me").await), cards(&before));
    let found = store.loads.load(Ordering::SeqCst);
    assert_eq!(found, loads + 1, "its card was stored");
}
