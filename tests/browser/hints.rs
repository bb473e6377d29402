//! Hints and the analysis board in a real browser: by key, by click, and without scripts.

use crate::harness::{Motion, Scripts, World};
use crate::player::place_of;
use crate::start_at_once;

const KNOWN: &str = "return document.querySelector('.hints button') !== null";
const PLY: &str = "return Number(document.getElementById('main').dataset.ply)";

#[tokio::test]
async fn a_hint_by_key_is_closed_by_another_and_done_by_the_main_button() {
    let world = World::alone(Scripts::On, Motion::Calm).await;
    start_at_once(&world).await;
    let board = world.path().await;
    world.press(['h']).await;
    world.until(KNOWN, "the hint").await;
    assert_eq!(world.path().await, format!("{board}/hint"));
    let pointers = "return document.querySelectorAll('.board .pointer').length";
    assert!(
        world.ask(pointers, vec![]).await.as_u64() > Some(0),
        "on the board"
    );
    world.press(['\u{e00c}']).await;
    world
        .until(
            "return document.querySelector('.hints') === null",
            "the board",
        )
        .await;
    assert_eq!(world.path().await, board);
    world.press(['h']).await;
    world.until(KNOWN, "the hint again").await;
    assert_eq!(world.ask(PLY, vec![]).await, 0);
    world.click(".acts button").await;
    world
        .until(
            "return Number(document.getElementById('main').dataset.ply) > 0",
            "the ply",
        )
        .await;
    assert_eq!(world.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_hint_without_scripts_is_a_page() {
    let world = World::open(Scripts::Off).await;
    start_at_once(&world).await;
    world.click(".aids a").await;
    world
        .until(KNOWN, "the hint, at most a few looks later")
        .await;
    world.click(".hints button").await;
    world
        .until(
            "return Number(document.getElementById('main')?.dataset.ply) > 0",
            "the ply",
        )
        .await;
}

/// Follows the best action, then the other outcome of it, then changes a place of the board.
async fn what_if(scripts: Scripts) {
    let world = World::alone(scripts, Motion::Calm).await;
    world
        .goto("/analysis?pos=dice.v4.3.2.5.a3b1b2a2b2a1b3a2b1.0.0.1")
        .await;
    world
        .until(
            "return document.querySelector('.next a') !== null",
            "the best actions",
        )
        .await;
    world.click(".next a").await;
    world.until("return location.search.includes('line=') && document.querySelectorAll('.outc a').length === 2", "a step").await;
    world.click(".outc a:not([aria-current])").await;
    world
        .until("return location.search.endsWith('.1')", "the other outcome")
        .await;
    world.click(&place_of("h4")).await;
    world
        .until(
            "return location.search.includes('at=4') && document.querySelector('.opt') !== null",
            "the palette",
        )
        .await;
    world.click(".opt:not([aria-current])").await;
    world
        .until(
            "return !location.search.includes('line=')",
            "another position",
        )
        .await;
}

#[tokio::test]
async fn what_if_by_click() {
    what_if(Scripts::On).await;
}

#[tokio::test]
async fn what_if_without_scripts() {
    what_if(Scripts::Off).await;
}
