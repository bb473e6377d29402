//! Hints and the analysis board in a real browser: by key, by click, and without scripts.

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::player::tile_selector;
use crate::start_quick_game;

const KNOWN: &str = "return document.querySelector('.hints button') !== null";
const PLY: &str = "return Number(document.getElementById('main').dataset.ply)";

#[tokio::test]
pub(crate) async fn keys_open_and_close_a_hint_and_the_main_button_plays_it() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    start_quick_game(&browser).await;
    let board = browser.path().await;
    browser.press_keys(['h']).await;
    browser.wait_for(KNOWN, "the hint").await;
    assert_eq!(browser.path().await, format!("{board}/hint"));
    let pointers = "return document.querySelectorAll('.board .pointer').length";
    assert!(
        browser.run(pointers).await.as_u64() > Some(0),
        "on the board"
    );
    browser.press_keys(['\u{e00c}']).await;
    browser
        .wait_until("document.querySelector('.hints') === null")
        .await;
    assert_eq!(browser.path().await, board);
    browser.press_keys(['h']).await;
    browser.wait_for(KNOWN, "the hint again").await;
    assert_eq!(browser.run(PLY).await, 0);
    browser.click(".acts button").await;
    browser
        .wait_until("Number(document.getElementById('main').dataset.ply) > 0")
        .await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn a_hint_without_scripts_is_a_page() {
    let browser = BrowserSession::open(Scripts::Off).await;
    start_quick_game(&browser).await;
    browser.click(".aids a").await;
    browser
        .wait_for(KNOWN, "the hint, after a few reloads at most")
        .await;
    browser.click(".hints button").await;
    browser
        .wait_until("Number(document.getElementById('main')?.dataset.ply) > 0")
        .await;
}

/// Plays the best action, chooses its other chance outcome, then edits a hex of the board.
async fn check_analysis_board(scripts: Scripts) {
    let browser = BrowserSession::open_with_motion(scripts, Motion::Reduced).await;
    browser
        .goto("/analysis?pos=dice.v4.3.2.5.a3b1b2a2b2a1b3a2b1.0.0.1")
        .await;
    browser.wait_for_element(".next a").await;
    browser.click(".next a").await;
    browser.wait_for("return location.search.includes('line=') && document.querySelectorAll('.outc a').length === 2", "a step").await;
    browser.click(".outc a:not([aria-current])").await;
    browser
        .wait_for("return location.search.endsWith('.1')", "the other outcome")
        .await;
    browser.click(&tile_selector("h4")).await;
    browser
        .wait_until("location.search.includes('at=4') && document.querySelector('.opt') !== null")
        .await;
    browser.click(".opt:not([aria-current])").await;
    browser
        .wait_until("!location.search.includes('line=')")
        .await;
}

#[tokio::test]
pub(crate) async fn the_analysis_board_works_with_scripts() {
    check_analysis_board(Scripts::On).await;
}

#[tokio::test]
pub(crate) async fn the_analysis_board_works_without_scripts() {
    check_analysis_board(Scripts::Off).await;
}
