//! What the page of a finished game offers its player.

use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::common::{Page, Person, Server, assert_contains, number, seeded_environment};
use crate::daily::{begin, server};

/// A new game of this browser against computers.
async fn new_game(browser: &Person) -> String {
    browser.create("game=dice&opponents=medium").await
}

/// A server whose dice are the same in each run.
async fn server_with_fixed_dice() -> Server {
    Server::with(|config| config.environment = seeded_environment(7)).await
}

async fn lose(browser: &Person) -> Page {
    let game = new_game(browser).await;
    browser.resign(&game).await;
    browser.page(&game).await
}

#[tokio::test]
async fn three_lost_games_in_a_row_lead_to_the_lesson() {
    let (server, _) = server().await;
    let browser = server.person();
    // Without a move there is no habit: a puzzle is offered.
    for _ in 0..2 {
        let page = lose(&browser).await;
        assert!(page.has(".over.lost") && !page.contains("games in a row"));
        assert_contains(&page, &[">Solve it<", ">Easier: Easy<"]);
    }
    let page = lose(&browser).await;
    assert!(page.contains("You lost 3 games in a row.") && page.contains("advised"));
    assert!(page.text("a[href='/learn'].btn") == "Start" && !page.contains(">Solve it<"));
    // Games that are still going on do not count, and neither do those of other browsers.
    new_game(&browser).await;
    assert!(lose(&browser).await.contains("You lost 4 games in a row."));
    let other = server.person();
    assert!(!lose(&other).await.contains("games in a row"));
}

#[tokio::test]
async fn attacks_with_poor_odds_lead_to_the_lesson_on_odds() {
    let server = server_with_fixed_dice().await;
    let browser = server.person();
    let form = "game=dice&opponents=medium&seed=4";
    let game = browser.create(form).await;
    let mut poor = Vec::new();
    while poor.len() < 5 {
        let state = browser.own_turn(&game).await;
        assert_eq!(state["over"], false, "the game ended early");
        let moves = browser.moves(&game).await;
        let moves = moves["moves"].as_array().unwrap().iter();
        let attacks = moves.filter(|one| !one["path"].is_null());
        let odds = |one: &Value| one["odds"].as_f64().unwrap();
        let worst = attacks.min_by(|a, b| odds(a).total_cmp(&odds(b)));
        // Without an attack the turn ends.
        let Some(worst) = worst else {
            browser
                .play(&game, number(&state["ply"]), &Value::Null)
                .await;
            continue;
        };
        browser
            .play(&game, number(&state["ply"]), &worst["path"])
            .await;
        if odds(worst) < 0.5 {
            poor.push(number(&state["ply"]) as usize);
        }
    }
    let record = browser.record(&game).await;
    let failed = poor.iter().filter(|ply| {
        let roll = &record["plies"][**ply]["roll"];
        let sum = |side: &str| -> u64 { roll[side].as_array().unwrap().iter().map(number).sum() };
        sum("attack") <= sum("defend")
    });
    let failed = failed.count();
    browser.resign(&game).await;
    let page = browser.page(&game).await;
    let failed = if failed == 0 {
        "none".to_owned()
    } else {
        failed.to_string()
    };
    let offers = page.part(".next-steps");
    assert!(
        offers
            .texts("h2")
            .contains(&"Lesson: Attack on good odds".to_owned()),
        "{offers}"
    );
    let advice = format!("You attacked 5 times with less than 50 %, and {failed} failed.");
    assert!(
        offers.texts("p").contains(&advice),
        "{advice} is not in {offers}"
    );
    assert_eq!(offers.text("a[href='/learn/odds']"), "Start");
}

#[tokio::test]
async fn a_later_game_does_not_change_the_lesson_of_an_earlier_one() {
    let (server, now) = server().await;
    let browser = server.person();
    let first = new_game(&browser).await;
    browser.resign(&first).await;
    for _ in 0..3 {
        now.fetch_add(1, Ordering::SeqCst);
        lose(&browser).await;
    }
    let page = browser.page(&first).await;
    assert!(!page.contains("games in a row"));
}

#[tokio::test]
async fn the_board_of_the_day_is_offered_until_it_is_played() {
    let (server, _) = server().await;
    let browser = server.person();
    let game = new_game(&browser).await;
    browser.resign(&game).await;
    let path = game.to_string();
    let offer = "Not played yet today.";
    assert!(browser.page(&path).await.contains(offer));
    // A spectator is offered nothing, but can share the game.
    let spectator = server.person().page(&path).await;
    assert!(!spectator.has(".next-steps") && spectator.contains(">Picture<"));
    let today = begin(&browser, "/daily").await;
    assert!(browser.page(&path).await.contains(offer));
    browser.resign(&today).await;
    assert!(!browser.page(&today).await.contains(offer));
    // The score is stored soon after the end.
    while browser.page(&path).await.contains(offer) {
        tokio::task::yield_now().await;
    }
}

/// Plays games with this form until one is won; returns it.
async fn win(browser: &Person, form: &str) -> String {
    loop {
        let game = browser.create(form).await;
        browser.play_to_the_end(&game).await;
        if browser.page(&game).await.has(".over.won") {
            return game;
        }
    }
}

#[tokio::test]
async fn the_first_wins_are_said_on_their_pages() {
    let server = server_with_fixed_dice().await;
    let browser = server.person();
    let said = async |game: &str| browser.page(game).await.text(".whose");
    let random = "game=dice&size=3&players=2&seats=human&seats=random";
    let first = win(&browser, random).await;
    assert_eq!(said(&first).await, "Your first win");
    let second = win(&browser, random).await;
    assert!(!said(&second).await.contains("first"));
    let medium = "game=dice&size=3&players=2&seats=human&seats=greedy";
    let stronger = win(&browser, medium).await;
    assert_eq!(said(&stronger).await, "Your first win against Medium");
    assert_eq!(said(&first).await, "Your first win", "also afterwards");
    // Other browsers have records of their own.
    let other = server.person();
    assert!(
        !other
            .page(&first)
            .await
            .text(".whose")
            .contains("win against")
    );
    let own = win(&other, medium).await;
    assert_eq!(other.page(&own).await.text(".whose"), "Your first win");
}
