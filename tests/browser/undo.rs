//! A move is taken back with the mouse, with a key and without scripts.

use std::time::{Duration, Instant};

use crate::harness::{Motion, Scripts, World};

/// A press is answered within this time.
const ANSWERED: Duration = Duration::from_millis(700);

const OFFERED: &str = "return document.querySelector('#undo') !== null && document.querySelector('main').dataset.yours !== undefined";
const NOT_OFFERED: &str = "return document.querySelector('#undo') === null";
const STRUCK: &str = "return document.querySelectorAll('.le.back s').length >= 2 && document.querySelector('#undo') === null && document.querySelector('.le.now').textContent.includes('You took back')";

/// Presses until it has happened: what comes at once after the own last move is taken for a mistake.
async fn insist(world: &World, press: impl AsyncFn(), happened: &str) {
    for _ in 0..20 {
        press().await;
        // Another press would call off the request of this one.
        let until = Instant::now() + ANSWERED;
        while Instant::now() < until {
            if world.ask(happened, vec![]).await == true {
                return;
            }
        }
    }
    panic!("it does not happen: {happened}");
}

/// Drops a chip; the computer answers.
async fn drop_one(world: &World) {
    let drop = async || {
        // With scripts a click drops at once; without, one button asks.
        let asks = "return document.querySelector('.acts [name=column]') !== null";
        let asks = world.ask(asks, vec![]).await == true;
        let css = if asks { ".acts button" } else { "#col-d" };
        world.try_click(css).await;
    };
    insist(world, drop, OFFERED).await;
}

pub(crate) async fn check(world: &World, take_back: impl AsyncFn()) {
    crate::set_up(world, &[("game", "trilobite")]).await;
    assert_eq!(world.ask(NOT_OFFERED, vec![]).await, true);
    drop_one(world).await;
    insist(world, take_back, STRUCK).await;
    // The game goes on from there.
    drop_one(world).await;
    assert_eq!(world.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_press_takes_back() {
    let world = World::open(Scripts::On).await;
    check(&world, async || {
        world.try_click("#undo").await;
    })
    .await;
}

#[tokio::test]
async fn a_key_takes_back_while_things_move() {
    let world = World::alone(Scripts::On, Motion::Lively).await;
    check(&world, async || world.press(['u']).await).await;
}

#[tokio::test]
async fn without_scripts_a_form_takes_back() {
    let world = World::open(Scripts::Off).await;
    check(&world, async || {
        world.try_click("#undo").await;
    })
    .await;
}
