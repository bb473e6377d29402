//! The dice page of a game: entropy text can be added on the page and is part of the dice, and the browser verifies the
//! dice of a finished game.

use crate::harness::{BrowserSession, Scripts};
use crate::player::{InputDevice, Player};

/// Starts a game, adds entropy text on its dice page, plays a few plies, resigns, and opens the dice page again.
async fn finish_game(browser: &BrowserSession) {
    // A board on which four players do not finish within a round.
    crate::set_up_game(browser, "seed=7").await;
    let game = browser.path().await;
    let line = browser.text_of(".links a[href$='/dice']").await;
    assert!(line.starts_with("Dice: sealed, "), "{line}");
    browser.goto(&format!("{game}/dice")).await;
    assert_eq!(browser.text_of("h1").await, "The dice are sealed");
    let commitment = browser.text_of(".steps .hash dd").await;
    assert_eq!(commitment.len(), 64, "{commitment}");
    assert!(line.contains(&commitment[..4]), "{line}");
    browser.click("#words").await;
    browser.press_keys("tea at five, 1987".chars()).await;
    browser.click(".adding button").await;
    let added = "return document.querySelector('.words dd')?.textContent === 'tea at five, 1987'";
    browser.wait_for(added, "the words").await;
    browser.goto(&game).await;
    let mut player = Player::new(browser, InputDevice::Mouse);
    let state = player.play_until(|state| state.ply >= 3).await;
    assert!(!state.over, "nobody wins in three plies");
    player.resign().await;
    let found = browser.text_of(".res a[href$='/dice']").await;
    assert_eq!(found, "Check the dice");
    browser.goto(&format!("{game}/dice")).await;
    let shown = browser.text_of(".steps .hash dd").await;
    assert_eq!(shown, commitment, "the commitment stays");
}

#[tokio::test]
pub(crate) async fn entropy_text_is_added_and_the_browser_verifies_a_finished_game() {
    let browser = BrowserSession::open(Scripts::On).await;
    finish_game(&browser).await;
    let title = browser.text_of("h1").await;
    assert!(title.contains("verified"), "{title}");
    let own = "return document.querySelector('#browser.yes')?.textContent ?? false";
    let own = browser.wait_for(own, "the check in the page").await;
    let own = own.as_str().unwrap_or_default();
    assert!(
        own.starts_with("Your browser has checked it, too: "),
        "{own}"
    );
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn the_dice_are_verified_without_scripts() {
    let browser = BrowserSession::open(Scripts::Off).await;
    finish_game(&browser).await;
    let title = browser.text_of("h1").await;
    assert!(title.contains("verified"), "{title}");
    assert!(
        browser
            .text_of(".honest")
            .await
            .contains("What this cannot show")
    );
    assert_eq!(browser.text_of("#browser").await, "");
    assert!(browser.text_of(".steps").await.contains("agree."));
}
