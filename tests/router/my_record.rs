//! The reader's own record, `/me`, and its deletion.

use crate::daily::{Browser, server};
use crate::pairing::new_code;

/// The fields of a form, with owned values.
pub(crate) fn fields<'n>(fields: &[(&'n str, &str)]) -> Vec<(&'n str, String)> {
    let fields = fields.iter();
    fields
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect()
}

pub(crate) const SMALL: [(&str, &str); 4] = [
    ("size", "2"),
    ("players", "2"),
    ("seats", "human"),
    ("seats", "novice"),
];

pub(crate) async fn lost_game(browser: &Browser) -> String {
    let id = browser.create("/games", &fields(&SMALL)).await;
    browser.resign(&id).await;
    id
}

/// A game of two people, in which `other` sits as Ada.
pub(crate) async fn game_with(browser: &Browser, other: &Browser) -> String {
    let mut seats = SMALL;
    seats[3].1 = "open";
    let id = browser.create("/games", &fields(&seats)).await;
    let page = browser.page(&format!("/g/{id}")).await;
    let (_, link) = page.split_once("/join/").expect("an invitation");
    let token = &link[..link.find('"').unwrap()];
    let name = fields(&[("name", "Ada")]);
    let mut joined = other.post(&format!("/join/{token}"), &name).await;
    if joined.status().as_u16() == 307 {
        joined = other.post(&format!("/join/{token}"), &name).await;
    }
    assert_eq!(joined.status().as_u16(), 303);
    id
}

/// The number of games that the list of a page shows.
fn listed(page: &str) -> usize {
    page.matches("class=\"gcard").count()
}

#[tokio::test]
async fn results_are_counted_and_games_are_found() {
    let (server, _) = server().await;
    let (me, ada) = (Browser::new(&server), Browser::new(&server));
    assert!(
        me.page("/me")
            .await
            .contains("You have not played here yet.")
    );
    for _ in 0..4 {
        lost_game(&me).await;
    }
    let together = game_with(&me, &ada).await;
    assert_eq!(listed(&me.page("/me?name=ada").await), 1);
    ada.resign(&together).await;
    // A computer played on for Ada.
    me.resign(&together).await;
    let open = me.create("/games", &fields(&SMALL)).await;
    let page = me.page("/me").await;
    assert!(page.contains("6 games in this browser since"), "{page}");
    assert_eq!(listed(&page), 6);
    for (query, found) in [
        ("result=open", 1),
        ("result=lost", 5),
        ("result=won", 0),
        ("opponents=novice", 0),
        ("opponents=easy", 5),
        ("opponents=people", 1),
        ("month=2026-11", 6),
        ("month=2026-10", 0),
        ("name=ada", 0),
        ("page=2", 0),
        ("page=999999999999", 0),
    ] {
        let page = me.page(&format!("/me?{query}")).await;
        assert_eq!(listed(&page), found, "{query}: {page}");
    }
    assert!(me.page("/me").await.contains(&format!("/g/{open}")));
    let refused = me.get("/me?page=two").await;
    assert_eq!(refused.status().as_u16(), 422);
    assert!(me.page("/me").await.contains("0 of 5"));
    assert!(ada.page("/me").await.contains("0 of 1"));
}

#[tokio::test]
async fn reviews_give_accuracy_luck_and_decisions() {
    let (server, _) = server().await;
    let me = Browser::new(&server);
    for _ in 0..4 {
        lost_game(&me).await;
    }
    let id = me.create("/games", &fields(&SMALL)).await;
    me.play_to_the_end(&id).await;
    let page = me.page("/me").await;
    assert!(
        page.contains("Review a game, and it is counted here."),
        "{page}"
    );
    let page = loop {
        let page = me.page("/me").await;
        if page.contains("action=\"/me/reviews\"") {
            let asked = me.post("/me/reviews", &[]).await;
            assert_eq!(asked.status().as_u16(), 303);
        } else if !page.contains("being reviewed") {
            break page;
        }
    };
    assert!(page.contains("Luck and decisions"), "{page}");
    assert!(page.contains("in the last 5 reviewed games"), "{page}");
    assert!(page.contains("November 2026"), "{page}");
}

/// Joins the record of the second browser to that of the first one, with a code.
async fn adopt(from: &Browser, to: &Browser) {
    let code = new_code(from).await;
    let joined = [("code", code), ("do", "join".to_owned())];
    let taken = to.post("/device", &joined).await;
    assert_eq!(taken.status().as_u16(), 303);
}

#[tokio::test]
async fn a_game_of_the_day_in_progress_moves_to_another_browser() {
    let (server, _) = server().await;
    let (old, new) = (Browser::new(&server), Browser::new(&server));
    lost_game(&old).await;
    let daily = new.begin("/daily").await;
    adopt(&old, &new).await;
    for browser in [&old, &new] {
        assert_eq!(browser.begin("/daily").await, daily, "one attempt");
    }
    new.lose(&daily).await;
    let page = old.page("/daily").await;
    assert!(page.contains("1 person has played so far"), "{page}");
}

#[tokio::test]
async fn another_browser_takes_over_the_record() {
    let (server, _) = server().await;
    let (old, new) = (Browser::new(&server), Browser::new(&server));
    let kept = lost_game(&old).await;
    let daily = old.begin("/daily").await;
    old.resign(&daily).await;
    let puzzle = old.page("/puzzles").await;
    let (_, rest) = puzzle
        .split_once("/puzzles/")
        .expect("the puzzle of the day");
    let puzzle = format!("/puzzles/{}", &rest[..rest.find('"').unwrap()]);
    let added = lost_game(&new).await;
    new.post(&puzzle, &fields(&[("answer", "1")])).await;
    adopt(&old, &new).await;
    for browser in [&old, &new] {
        let page = browser.page("/me").await;
        for id in [&kept, &daily, &added] {
            assert!(page.contains(&format!("/g/{id}")), "{page}");
        }
        assert!(page.contains("of 1, rating"), "{page}");
        assert_eq!(browser.begin("/daily").await, daily, "one attempt");
    }
}

#[tokio::test]
async fn everything_is_deleted_at_once() {
    let (server, _) = server().await;
    let (me, ada) = (Browser::new(&server), Browser::new(&server));
    let alone = lost_game(&me).await;
    let daily = me.begin("/daily").await;
    me.resign(&daily).await;
    let together = game_with(&ada, &me).await;
    assert!(ada.page(&format!("/g/{together}")).await.contains("Ada"));
    // A game that the other player has lost before.
    let lost = game_with(&me, &ada).await;
    ada.resign(&lost).await;
    me.resign(&lost).await;
    let phone = Browser::new(&server);
    adopt(&me, &phone).await;
    let asked = me.page("/me/delete").await;
    assert!(
        asked.contains("4 games, 1 board of the day and 0 answers"),
        "{asked}"
    );
    let deleted = me.post("/me/delete", &[]).await;
    assert_eq!(deleted.status().as_u16(), 303);
    for browser in [&me, &ada, &phone] {
        let gone = browser.get(&format!("/g/{alone}")).await;
        assert_eq!(gone.status().as_u16(), 404);
    }
    let page = me.page("/me").await;
    assert!(page.contains("You have not played here yet."), "{page}");
    let page = phone.page("/me").await;
    assert!(!page.contains(&format!("/g/{together}")), "{page}");
    assert!(ada.page("/me").await.contains(&format!("/g/{lost}")));
    assert!(me.page("/daily").await.contains("Be the first today."));
    let left = ada.page(&format!("/g/{together}")).await;
    assert!(!left.contains("Ada"), "{left}");
}
