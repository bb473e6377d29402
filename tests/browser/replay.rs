//! Replay of a game: by keyboard, play button and slider with scripts, by links without scripts; and a game played on
//! from a ply.

use fantoccini::key::Key;

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::player::InputDevice;
use crate::sharing::finish_game;
use crate::{TWO_PEOPLE, set_up_game};

async fn wait_for_move(browser: &BrowserSession, game: &str, ply: u32) {
    let there = format!(
        "const main = document.getElementById('main'); return main?.dataset.ply === '{ply}' && location.pathname === '{game}/{ply}'"
    );
    browser.wait_for(&there, &format!("move {ply}")).await;
}

#[tokio::test]
pub(crate) async fn a_game_is_replayed_by_keyboard() {
    let browser = BrowserSession::open(Scripts::On).await;
    let game = finish_game(&browser, InputDevice::Keyboard).await;
    browser.goto(&format!("{game}/3")).await;
    // A page load would lose this value.
    browser.run("window.kept = true;").await;
    for (key, ply) in [
        (Key::Right.into(), 4),
        (Key::Left.into(), 3),
        (']', 4),
        ('[', 3),
        (Key::End.into(), 7),
        (Key::Home.into(), 0),
    ] {
        browser.press_keys([key]).await;
        wait_for_move(&browser, &game, ply).await;
    }
    browser.press_keys([' ']).await;
    wait_for_move(&browser, &game, 7).await;
    let done = "return document.querySelector('.go').getAttribute('aria-pressed') === 'false'";
    browser.wait_for(done, "the end of play").await;
    assert!(browser.is_true("window.kept").await);
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn a_link_starts_the_replay_and_the_slider_seeks() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    set_up_game(&browser, TWO_PEOPLE).await;
    let game = browser.path().await;
    // Plays by HTTP requests, to skip the animations of falling chips.
    let drops = "return (async () => {
        for (const [ply, column] of [...'dededed'].entries()) {
            await fetch(`${location.pathname}/moves`, { method: 'POST', body: new URLSearchParams({ ply, column }) });
        }
    })()";
    browser.run(drops).await;
    browser.goto(&format!("{game}/4#play")).await;
    wait_for_move(&browser, &game, 7).await;
    let seek = "const slider = document.querySelector('.slider'); slider.value = 2; slider.dispatchEvent(new Event('input', { bubbles: true }));";
    browser.run(seek).await;
    wait_for_move(&browser, &game, 2).await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn a_game_is_replayed_and_played_on_without_scripts() {
    let browser = BrowserSession::open(Scripts::Off).await;
    let game = finish_game(&browser, InputDevice::Mouse).await;
    browser.goto(&format!("{game}/0")).await;
    browser.click("a[data-ply=next]").await;
    wait_for_move(&browser, &game, 1).await;
    browser.click("a[data-ply=last]").await;
    wait_for_move(&browser, &game, 7).await;
    browser.click("a[data-ply=turnback]").await;
    wait_for_move(&browser, &game, 6).await;
    browser.click(".acts form[action$=play-on] button").await;
    let link = format!(
        "return document.querySelector('a[href=\"{game}/6\"]') !== null && location.pathname !== '{game}/6'"
    );
    browser.wait_for(&link, "the game that is played on").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}
