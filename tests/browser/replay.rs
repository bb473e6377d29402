//! A game is gone through by keyboard and by play with scripts, by links without; and it is played on.

use fantoccini::key::Key;

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::player::InputDevice;
use crate::{TWO_PEOPLE, dropper, set_up_game};

/// A finished game of seven chips; answers its address.
async fn finish_game(world: &BrowserSession, hand: InputDevice) -> String {
    set_up_game(world, &TWO_PEOPLE).await;
    dropper::drop_chips(world, hand, 0, "dededed").await;
    world.path().await
}

async fn wait_for_move(world: &BrowserSession, game: &str, ply: u32) {
    let there = format!(
        "const main = document.getElementById('main'); return main?.dataset.ply === '{ply}' && location.pathname === '{game}/{ply}'"
    );
    world.wait_for(&there, &format!("move {ply}")).await;
}

#[tokio::test]
async fn a_game_is_gone_through_by_keyboard() {
    let world = BrowserSession::open(Scripts::On).await;
    let game = finish_game(&world, InputDevice::Keyboard).await;
    world.goto(&format!("{game}/3")).await;
    // Whoever loads a page between two plies loses this.
    world.run_script("window.kept = true;", vec![]).await;
    for (key, ply) in [
        (Key::Right.into(), 4),
        (Key::Left.into(), 3),
        (']', 4),
        ('[', 3),
        (Key::End.into(), 7),
        (Key::Home.into(), 0),
    ] {
        world.press_keys([key]).await;
        wait_for_move(&world, &game, ply).await;
    }
    world.press_keys([' ']).await;
    wait_for_move(&world, &game, 7).await;
    let done = "return document.querySelector('.go').getAttribute('aria-pressed') === 'false'";
    world.wait_for(done, "the end of play").await;
    assert_eq!(world.run_script("return window.kept", vec![]).await, true);
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_link_plays_and_the_slider_seeks() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    set_up_game(&world, &TWO_PEOPLE).await;
    let game = world.path().await;
    // Chips that fall take their time; here only their replay matters.
    let drops = "return (async () => {
        for (const [ply, column] of [...'dededed'].entries()) {
            await fetch(`${location.pathname}/moves`, { method: 'POST', body: new URLSearchParams({ ply, column }) });
        }
    })()";
    world.run_script(drops, vec![]).await;
    world.goto(&format!("{game}/4#play")).await;
    wait_for_move(&world, &game, 7).await;
    let seek = "const slider = document.querySelector('.slider'); slider.value = 2; slider.dispatchEvent(new Event('input', { bubbles: true }));";
    world.run_script(seek, vec![]).await;
    wait_for_move(&world, &game, 2).await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn without_scripts_links_lead_through_a_game_and_a_form_plays_on() {
    let world = BrowserSession::open(Scripts::Off).await;
    let game = finish_game(&world, InputDevice::Mouse).await;
    world.goto(&format!("{game}/0")).await;
    world.click("a[data-ply=next]").await;
    wait_for_move(&world, &game, 1).await;
    world.click("a[data-ply=last]").await;
    wait_for_move(&world, &game, 7).await;
    world.click("a[data-ply=turnback]").await;
    wait_for_move(&world, &game, 6).await;
    world.click(".acts form[action$=play-on] button").await;
    let link = format!(
        "return document.querySelector('a[href=\"{game}/6\"]') !== null && location.pathname !== '{game}/6'"
    );
    world.wait_for(&link, "the game that is played on").await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}
