//! The page of a game's dice: words are added by page and count, and a finished game is checked again in
//! the browser.

use crate::harness::{BrowserSession, Scripts};
use crate::player::{InputDevice, PageState, Player};

async fn text_of(world: &BrowserSession, css: &str) -> String {
    let script = format!("return document.querySelector({css:?})?.textContent ?? ''");
    let text = world.run_script(&script, vec![]).await;
    text.as_str().unwrap_or_default().to_owned()
}

/// Adds words from the page of the game, plays a little, and gives up.
async fn finish_game(world: &BrowserSession) {
    crate::set_up_game(world, &[("size", "4"), ("players", "2")]).await;
    let game = world.path().await;
    let line = text_of(world, ".links a[href$='/dice']").await;
    assert!(line.starts_with("Dice: sealed, "), "{line}");
    world.goto(&format!("{game}/dice")).await;
    assert_eq!(text_of(world, "h1").await, "The dice are sealed");
    let commitment = text_of(world, ".steps .hash dd").await;
    assert_eq!(commitment.len(), 64, "{commitment}");
    assert!(line.contains(&commitment[..4]), "{line}");
    world.click("#words").await;
    world.press_keys("tea at five, 1987".chars()).await;
    world.click(".adding button").await;
    let added = "return document.querySelector('.words dd')?.textContent === 'tea at five, 1987'";
    world.wait_for(added, "the words").await;
    world.goto(&game).await;
    let mut player = Player::new(world, InputDevice::Mouse);
    // On one's own turn: while others move, a page without scripts asks anew and closes what was opened.
    let own_turn = |seen: &PageState| seen.chosen.is_none() && !seen.sources.is_empty();
    let seen = player
        .play_until(|seen| seen.ply >= 3 && own_turn(seen))
        .await;
    assert!(!seen.over, "nobody wins in three plies");
    world.goto(&game).await;
    world.click(".resign summary").await;
    world.click(".resign button").await;
    world
        .wait_for("return document.querySelector('.res') !== null", "the end")
        .await;
    assert_eq!(
        text_of(world, ".res a[href$='/dice']").await,
        "Check the dice"
    );
    world.goto(&format!("{game}/dice")).await;
    let shown = text_of(world, ".steps .hash dd").await;
    assert_eq!(shown, commitment, "the commitment stays");
}

#[tokio::test]
async fn words_are_added_and_a_finished_game_is_checked_in_the_browser() {
    let world = BrowserSession::open(Scripts::On).await;
    finish_game(&world).await;
    let title = text_of(&world, "h1").await;
    assert!(title.contains("verified"), "{title}");
    let own = "return document.querySelector('#browser.yes')?.textContent ?? false";
    let own = world.wait_for(own, "the check in the page").await;
    let own = own.as_str().unwrap_or_default();
    assert!(
        own.starts_with("Your browser has checked it, too: "),
        "{own}"
    );
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_dice_are_checked_without_scripts() {
    let world = BrowserSession::open(Scripts::Off).await;
    finish_game(&world).await;
    let title = text_of(&world, "h1").await;
    assert!(title.contains("verified"), "{title}");
    assert!(
        text_of(&world, ".honest")
            .await
            .contains("What this cannot show")
    );
    assert_eq!(text_of(&world, "#browser").await, "");
    assert!(text_of(&world, ".steps").await.contains("agree."));
}
