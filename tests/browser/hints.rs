//! Hints and the analysis board in a real browser: by key, by click, and without scripts.

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::player::tile_selector;
use crate::start_quick_game;

const KNOWN: &str = "return document.querySelector('.hints button') !== null";
const PLY: &str = "return Number(document.getElementById('main').dataset.ply)";

#[tokio::test]
async fn a_hint_by_key_is_closed_by_another_and_done_by_the_main_button() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    start_quick_game(&world).await;
    let board = world.path().await;
    world.press_keys(['h']).await;
    world.wait_for(KNOWN, "the hint").await;
    assert_eq!(world.path().await, format!("{board}/hint"));
    let pointers = "return document.querySelectorAll('.board .pointer').length";
    assert!(
        world.run_script(pointers, vec![]).await.as_u64() > Some(0),
        "on the board"
    );
    world.press_keys(['\u{e00c}']).await;
    world
        .wait_for(
            "return document.querySelector('.hints') === null",
            "the board",
        )
        .await;
    assert_eq!(world.path().await, board);
    world.press_keys(['h']).await;
    world.wait_for(KNOWN, "the hint again").await;
    assert_eq!(world.run_script(PLY, vec![]).await, 0);
    world.click(".acts button").await;
    world
        .wait_for(
            "return Number(document.getElementById('main').dataset.ply) > 0",
            "the ply",
        )
        .await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_hint_without_scripts_is_a_page() {
    let world = BrowserSession::open(Scripts::Off).await;
    start_quick_game(&world).await;
    world.click(".aids a").await;
    world
        .wait_for(KNOWN, "the hint, at most a few looks later")
        .await;
    world.click(".hints button").await;
    world
        .wait_for(
            "return Number(document.getElementById('main')?.dataset.ply) > 0",
            "the ply",
        )
        .await;
}

/// Follows the best action, then the other outcome of it, then changes a place of the board.
async fn check_analysis_board(scripts: Scripts) {
    let world = BrowserSession::open_with_motion(scripts, Motion::Reduced).await;
    world
        .goto("/analysis?pos=dice.v4.3.2.5.a3b1b2a2b2a1b3a2b1.0.0.1")
        .await;
    world
        .wait_for(
            "return document.querySelector('.next a') !== null",
            "the best actions",
        )
        .await;
    world.click(".next a").await;
    world.wait_for("return location.search.includes('line=') && document.querySelectorAll('.outc a').length === 2", "a step").await;
    world.click(".outc a:not([aria-current])").await;
    world
        .wait_for("return location.search.endsWith('.1')", "the other outcome")
        .await;
    world.click(&tile_selector("h4")).await;
    world
        .wait_for(
            "return location.search.includes('at=4') && document.querySelector('.opt') !== null",
            "the palette",
        )
        .await;
    world.click(".opt:not([aria-current])").await;
    world
        .wait_for(
            "return !location.search.includes('line=')",
            "another position",
        )
        .await;
}

#[tokio::test]
async fn what_if_by_click() {
    check_analysis_board(Scripts::On).await;
}

#[tokio::test]
async fn what_if_without_scripts() {
    check_analysis_board(Scripts::Off).await;
}
