//! The reader's own record, `/me`, and its deletion.

use crate::common::{Person, assert_contains};
use crate::daily::{begin, server};
use crate::device::new_code;

pub(crate) const SMALL: &str = "size=2&players=2&seats=human&seats=novice";

pub(crate) async fn lost_game(browser: &Person) -> String {
    let game = browser.create(SMALL).await;
    browser.resign(&game).await;
    game
}

/// A game of two people, in which `other` sits as Ada.
pub(crate) async fn game_with(browser: &Person, other: &Person) -> String {
    let game = browser.create(SMALL.replace("novice", "open")).await;
    let link = browser.seat_link(&game).await;
    let name = "name=Ada";
    let mut joined = other.post(&link, name).await;
    if joined.status() == 307 {
        joined = other.post(&link, name).await;
    }
    assert_eq!(joined.status(), 303);
    browser.start(&game).await;
    game
}

#[tokio::test]
async fn results_are_counted_and_games_are_found() {
    let (server, _) = server().await;
    let [me, ada] = server.people();
    assert!(
        me.page("/me")
            .await
            .contains("You have not played here yet.")
    );
    for _ in 0..4 {
        lost_game(&me).await;
    }
    let together = game_with(&me, &ada).await;
    assert_eq!(me.page("/me?name=ada").await.count(".gcard"), 1);
    ada.resign(&together).await;
    // A computer played on for Ada.
    me.resign(&together).await;
    let open = me.create(SMALL).await;
    let page = me.page("/me").await;
    assert!(page.contains("6 games in this browser since"), "{page}");
    assert_eq!(page.count(".gcard"), 6);
    for (query, found) in [
        ("result=open", 1),
        ("result=lost", 5),
        ("result=won", 0),
        ("opponents=novice", 0),
        ("opponents=easy", 5),
        ("opponents=people", 1),
        ("month=2026-11", 6),
        ("month=2026-10", 0),
        ("name=ada", 1),
        ("page=2", 0),
        ("page=999999999999", 0),
    ] {
        let page = me.page(&format!("/me?{query}")).await;
        assert_eq!(page.count(".gcard"), found, "{query}: {page}");
    }
    let title = me.page("/me?name=ada").await.texts(".gcard b");
    assert_eq!(title, ["against Ada"]);
    assert!(me.page("/me").await.has(&format!("[href='{open}']")));
    me.page_with_status("/me?page=two", 422).await;
    assert!(me.page("/me").await.contains("0 of 5"));
    assert!(ada.page("/me").await.contains("0 of 1"));
}

#[tokio::test]
async fn reviews_give_accuracy_luck_and_decisions() {
    let (server, _) = server().await;
    let me = server.person();
    for _ in 0..4 {
        lost_game(&me).await;
    }
    let game = me.create(SMALL).await;
    me.play_to_the_end(&game).await;
    let page = me.page("/me").await;
    assert_contains(&page, &["Review a game, and it is counted here."]);
    let page = loop {
        let page = me.page("/me").await;
        if page.has("[action='/me/reviews']") {
            me.done("/me/reviews", "").await;
        } else if !page.contains("being reviewed") {
            break page;
        }
    };
    assert!(page.contains("Luck and decisions"), "{page}");
    assert_contains(&page, &["in the last 5 reviewed games", "November 2026"]);
}

/// Joins the record of the second browser to that of the first one, with a code.
async fn adopt(from: &Person, to: &Person) {
    let code = new_code(from).await;
    let joined = [("code", &*code), ("do", "join")];
    to.done("/device", &joined).await;
}

#[tokio::test]
async fn a_game_of_the_day_in_progress_moves_to_another_browser() {
    let (server, _) = server().await;
    let [old, new] = server.people();
    lost_game(&old).await;
    let daily = begin(&new, "/daily").await;
    adopt(&old, &new).await;
    for browser in [&old, &new] {
        assert_eq!(begin(browser, "/daily").await, daily, "one attempt");
    }
    new.lose(&daily).await;
    let page = old.page("/daily").await;
    assert!(page.contains("1 person has played so far"), "{page}");
}

#[tokio::test]
async fn another_browser_takes_over_the_record() {
    let (server, _) = server().await;
    let [old, new] = server.people();
    let kept = lost_game(&old).await;
    let daily = begin(&old, "/daily").await;
    old.resign(&daily).await;
    let puzzle = old
        .page("/puzzles")
        .await
        .attr("a[href^='/puzzles/']", "href");
    let added = lost_game(&new).await;
    new.post(&puzzle, "answer=1").await;
    adopt(&old, &new).await;
    for browser in [&old, &new] {
        let page = browser.page("/me").await;
        for game in [&kept, &daily, &added] {
            assert!(page.has(&format!("[href='{game}']")), "{page}");
        }
        assert!(page.contains("1 answered, rating"), "{page}");
        assert_eq!(begin(browser, "/daily").await, daily, "one attempt");
    }
}

#[tokio::test]
async fn everything_is_deleted_at_once() {
    let (server, _) = server().await;
    let [me, ada] = server.people();
    let alone = lost_game(&me).await;
    let daily = begin(&me, "/daily").await;
    me.resign(&daily).await;
    let together = game_with(&ada, &me).await;
    assert!(ada.page(&together).await.contains("Ada"));
    // A game that the other player has lost before.
    let lost = game_with(&me, &ada).await;
    ada.resign(&lost).await;
    me.resign(&lost).await;
    let phone = server.person();
    adopt(&me, &phone).await;
    let asked = me.page("/me/delete").await;
    assert_contains(&asked, &["4 games, 1 board of the day and 0 answers"]);
    me.done("/me/delete", "").await;
    for browser in [&me, &ada, &phone] {
        let gone = browser.get(&alone).await;
        assert_eq!(gone.status(), 404);
    }
    let page = me.page("/me").await;
    assert!(page.contains("You have not played here yet."), "{page}");
    let page = phone.page("/me").await;
    assert!(!page.has(&format!("[href='{together}']")), "{page}");
    assert!(ada.page("/me").await.has(&format!("[href='{lost}']")));
    assert!(me.page("/daily").await.contains("Be the first today."));
    let left = ada.page(&together).await;
    assert!(!left.contains("Ada"), "{left}");
}
