//! A game that would not be won is ended in two steps, with scripts and without.

use fantoccini::key::Key;

use crate::harness::{Scripts, World};

/// Two people on the book's first board. After Red’s attack from 2 to 0 Blue is stuck at 2 hexes each,
/// and Red can still attack.
const TIE: &[(&str, &str)] = &[
    ("rules", "v1"),
    ("seats:0", "human"),
    ("seats:1", "human"),
    ("seed", "52"),
];

const ENDS: &str =
    "return document.querySelector('a[data-key=e]')?.textContent.includes('a tie at 2') ?? null";
const ASKS: &str = "return document.querySelector('.acts [data-back]') !== null && document.querySelector('.prompt h1').textContent === 'End the game?'";

async fn attack(world: &World) {
    crate::set_up(world, TIE).await;
    world.click("#h2").await;
    let target = "return document.querySelector('#h0.tgt') !== null";
    world.until(target, "the target").await;
    world.click("#h0").await;
}

async fn check_end(world: &World) {
    world.click(".acts form button").await;
    let over = "return document.querySelector('.res') !== null";
    world.until(over, "the end of the game").await;
    assert_eq!(world.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn ending_a_game_that_is_not_won_is_asked_once_more() {
    let world = World::open(Scripts::On).await;
    attack(&world).await;
    world.until(ENDS, "the button that ends the game").await;
    // The key asks as the button does, and never answers its own question.
    world.press(['e']).await;
    world.until(ASKS, "the question").await;
    assert!(world.path().await.ends_with("?end=1"));
    world.press(['e']).await;
    world.press([Key::Escape.into()]).await;
    world.until(ENDS, "the turn that goes on").await;
    assert!(!world.path().await.contains('?'));
    // Pressing twice in one place ends nothing.
    world.click(".acts a").await;
    world.until(ASKS, "the question").await;
    let focus = "return document.activeElement.matches('.acts [data-back]')";
    assert_eq!(world.ask(focus, vec![]).await, true, "the focus is lost");
    world.click(".acts a").await;
    world.until(ENDS, "the turn that goes on").await;
    world.click(".acts a").await;
    world.until(ASKS, "the question").await;
    check_end(&world).await;
}

#[tokio::test]
async fn without_scripts_a_page_asks() {
    let world = World::open(Scripts::Off).await;
    attack(&world).await;
    let confirm = "return document.querySelector('.acts input[name=to]') !== null";
    world.until(confirm, "the attack to confirm").await;
    world.click(".acts button").await;
    world.until(ENDS, "the button that ends the game").await;
    world.click(".acts a").await;
    world.until(ASKS, "the question").await;
    world.click(".acts a").await;
    world.until(ENDS, "the turn that goes on").await;
    world.click(".acts a").await;
    world.until(ASKS, "the question").await;
    check_end(&world).await;
}
