//! What the page of a finished game offers its player.

use crate::daily::{Browser, server};

/// A new game of this browser against computers.
async fn begin(browser: &Browser) -> String {
    let form = [("game", "dice"), ("opponents", "medium")];
    let form = form.map(|(name, value)| (name, value.to_owned()));
    browser.begin_with("/games", &form).await
}

async fn lose(browser: &Browser) -> String {
    let id = begin(browser).await;
    browser.resign(&id).await;
    browser.page(&format!("/g/{id}")).await
}

#[tokio::test]
async fn three_lost_games_in_a_row_lead_to_the_lesson() {
    let (server, _) = server().await;
    let browser = Browser::new(&server);
    // Without a move there is no habit: a puzzle is offered.
    for _ in 0..2 {
        let page = lose(&browser).await;
        assert!(page.contains("class=\"over lost\"") && !page.contains("games in a row"));
        assert!(
            page.contains(">Solve it<") && page.contains(">Play Easy<"),
            "{page}"
        );
    }
    let page = lose(&browser).await;
    assert!(page.contains("You lost 3 games in a row.") && page.contains("advised"));
    assert!(page.contains("href=\"/learn\">Start<") && !page.contains(">Solve it<"));
    // Games that are still going on do not count, and neither do those of other browsers.
    begin(&browser).await;
    assert!(lose(&browser).await.contains("You lost 4 games in a row."));
    let other = Browser::new(&server);
    assert!(!lose(&other).await.contains("games in a row"));
}

#[tokio::test]
async fn a_later_game_does_not_change_the_lesson_of_an_earlier_one() {
    let (server, _) = server().await;
    let browser = Browser::new(&server);
    let first = begin(&browser).await;
    browser.resign(&first).await;
    for _ in 0..3 {
        lose(&browser).await;
    }
    let page = browser.page(&format!("/g/{first}")).await;
    assert!(!page.contains("games in a row"), "{page}");
}

#[tokio::test]
async fn the_board_of_the_day_is_offered_until_it_is_played() {
    let (server, _) = server().await;
    let browser = Browser::new(&server);
    let id = begin(&browser).await;
    browser.resign(&id).await;
    let path = format!("/g/{id}");
    let offer = "Not played yet today.";
    assert!(browser.page(&path).await.contains(offer));
    // A spectator is offered nothing, but can share the game.
    let spectator = Browser::new(&server).page(&path).await;
    assert!(!spectator.contains("next-steps") && spectator.contains(">Picture<"));
    let today = browser.begin("/daily").await;
    assert!(browser.page(&path).await.contains(offer));
    browser.resign(&today).await;
    assert!(!browser.page(&format!("/g/{today}")).await.contains(offer));
    // The score is stored soon after the end.
    while browser.page(&path).await.contains(offer) {
        tokio::task::yield_now().await;
    }
}
