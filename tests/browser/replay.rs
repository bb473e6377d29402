//! A game is gone through by keyboard and by play with scripts, by links without; and it is played on.

use fantoccini::key::Key;

use crate::harness::{Motion, Scripts, World};
use crate::player::Hand;
use crate::{TWO_PEOPLE, dropper, set_up};

/// A finished game of seven chips; answers its address.
async fn finished(world: &World, hand: Hand) -> String {
    set_up(world, &TWO_PEOPLE).await;
    dropper::drop_all(world, hand, 0, "dededed").await;
    world.path().await
}

async fn at(world: &World, game: &str, ply: u32) {
    let there = format!(
        "const main = document.getElementById('main'); return main?.dataset.ply === '{ply}' && location.pathname === '{game}/{ply}'"
    );
    world.until(&there, &format!("move {ply}")).await;
}

#[tokio::test]
async fn a_game_is_gone_through_by_keyboard() {
    let world = World::open(Scripts::On).await;
    let game = finished(&world, Hand::Keys).await;
    world.goto(&format!("{game}/3")).await;
    // Whoever loads a page between two plies loses this.
    world.ask("window.kept = true;", vec![]).await;
    for (key, ply) in [
        (Key::Right.into(), 4),
        (Key::Left.into(), 3),
        (']', 4),
        ('[', 3),
        (Key::End.into(), 7),
        (Key::Home.into(), 0),
    ] {
        world.press([key]).await;
        at(&world, &game, ply).await;
    }
    world.press([' ']).await;
    at(&world, &game, 7).await;
    let done = "return document.querySelector('.go').getAttribute('aria-pressed') === 'false'";
    world.until(done, "the end of play").await;
    assert_eq!(world.ask("return window.kept", vec![]).await, true);
    assert_eq!(world.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_link_plays_and_the_slider_seeks() {
    let world = World::alone(Scripts::On, Motion::Lively).await;
    set_up(&world, &TWO_PEOPLE).await;
    let game = world.path().await;
    // Chips that fall take their time; here only their replay matters.
    let drops = "return (async () => {
        for (const [ply, column] of [...'dededed'].entries()) {
            await fetch(`${location.pathname}/moves`, { method: 'POST', body: new URLSearchParams({ ply, column }) });
        }
    })()";
    world.ask(drops, vec![]).await;
    world.goto(&format!("{game}/4#play")).await;
    at(&world, &game, 7).await;
    let seek = "const slider = document.querySelector('.slider'); slider.value = 2; slider.dispatchEvent(new Event('input', { bubbles: true }));";
    world.ask(seek, vec![]).await;
    at(&world, &game, 2).await;
    assert_eq!(world.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn without_scripts_links_lead_through_a_game_and_a_form_plays_on() {
    let world = World::open(Scripts::Off).await;
    let game = finished(&world, Hand::Mouse).await;
    world.goto(&format!("{game}/0")).await;
    world.click("a[data-ply=next]").await;
    at(&world, &game, 1).await;
    world.click("a[data-ply=last]").await;
    at(&world, &game, 7).await;
    world.click("a[data-ply=turnback]").await;
    at(&world, &game, 6).await;
    world.click(".acts form[action$=play-on] button").await;
    let link = format!(
        "return document.querySelector('a[href=\"{game}/6\"]') !== null && location.pathname !== '{game}/6'"
    );
    world.until(&link, "the game that is played on").await;
    assert_eq!(world.complaints().await, Vec::<String>::new());
}
