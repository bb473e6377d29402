//! The start page, the pages where other games start, and the navigation of every page.

use std::sync::atomic::Ordering;

use dice_of_doom::day::Day;
use dice_of_doom::games::Registry;

use crate::common::Server;
use crate::daily::{begin, server as server_with_clock};

#[tokio::test]
async fn the_foot_has_nothing_that_the_navigation_has() {
    let server = Server::start().await;
    let page = server.person().page("/").await;
    let top = page.attrs("nav a", "href");
    assert_eq!(
        top,
        ["/", "/daily", "/puzzles", "/tables", "/me", "/settings"]
    );
    let foot = page.attrs(".foot a", "href");
    assert_eq!(
        foot,
        ["/game.html", "/learn", "/rules", "/?game=trilobite", "/api"]
    );
}

#[tokio::test]
async fn the_cards_say_what_is_done_and_when_the_next_day_begins() {
    let (server, now) = server_with_clock().await;
    let browser = server.person();
    let page = browser.page("/").await;
    assert_eq!(page.count(".day"), 3);
    assert_eq!(page.texts(".day h2")[2], "Learn in 3 minutes");
    assert_eq!(page.count(".btn.main"), 1);

    browser.done("/learn", "").await;
    let game = begin(&browser, "/daily").await;
    browser.lose(&game).await;
    let today: Day = "2026-11-27".parse().unwrap();
    let games = Registry::builtin();
    let puzzles = games.default_game().puzzles();
    let puzzle = &puzzles[today.number() as usize % puzzles.len()];
    let right = format!("answer={}", puzzle.right + 1);
    browser
        .done(&format!("/puzzles/{}", puzzle.id), &right)
        .await;

    let page = browser.page("/").await;
    let cards = page.texts(".day");
    assert!(cards[0].contains("Lost with "), "{cards:?}");
    assert!(cards[0].contains("1 day in a row"), "{cards:?}");
    assert!(cards[1].contains("Solved"), "{cards:?}");
    assert!(cards[1].contains("1 day in a row"), "{cards:?}");
    assert!(cards[2].contains("12 h 0 min"), "{cards:?}");

    now.store(today.end_ms() - 59_000, Ordering::SeqCst);
    let page = browser.page("/").await;
    assert!(page.texts(".day")[2].contains("1 min"), "{page}");
    // Both rows of days still count on the next day, until it is over.
    now.store(today.end_ms() + 60_000, Ordering::SeqCst);
    let cards = browser.page("/").await.texts(".day");
    for card in &cards[..2] {
        assert!(card.contains("1 day in a row"), "{cards:?}");
    }
    assert!(!cards[1].contains("Solved"), "{cards:?}");
    assert!(cards[0].contains("Yesterday’s best: "), "{cards:?}");
    now.store(today.end_ms() + 25 * 3_600_000, Ordering::SeqCst);
    let cards = browser.page("/").await.texts(".day");
    for card in &cards[..2] {
        assert!(!card.contains("in a row"), "{cards:?}");
    }
}

#[tokio::test]
async fn trilobite_starts_from_easy_to_perfect_with_one_press() {
    let server = Server::start().await;
    let browser = server.person();
    let page = browser.page("/?game=trilobite").await;
    assert_eq!(page.text(".live .onair p"), "Puzzle of the day");
    let levels = page.attrs(".by-level button", "value");
    assert_eq!(levels, ["novice", "greedy", "steady", "perfect"]);
    for level in &levels {
        let fields = [("game", "trilobite"), ("seats", "human"), ("seats", level)];
        let game = browser.create(&fields).await;
        let seats = browser.json(&format!("/api/v1/games{}", &game[2..])).await;
        assert_eq!(seats["seats"][1]["level"], **level, "{seats}");
    }
    // With further fields, the address opens the form.
    let form = browser.page("/?game=trilobite&width=9").await;
    assert_eq!(form.attrs("[name=width]", "value"), ["9"]);
    assert_eq!(form.texts("h1"), ["Set up a game"]);
    let unknown = browser.page("/?game=chess").await;
    assert_eq!(unknown.texts("h1"), ["Set up a game"]);
}

#[tokio::test]
async fn a_board_of_a_day_that_is_over_is_not_offered_to_be_continued() {
    let (server, now) = server_with_clock().await;
    let browser = server.person();
    let game = begin(&browser, "/daily").await;
    let golden = format!(".btn.main[href='{game}']");
    assert!(browser.page("/").await.has(&golden));
    let today: Day = "2026-11-27".parse().unwrap();
    now.store(today.end_ms() + 2 * 3_600_000, Ordering::SeqCst);
    let page = browser.page("/").await;
    assert!(!page.has(&golden), "{page}");
    assert!(page.has(&format!(".gcard[href='{game}']")), "{page}");
}
