//! A move is taken back with the mouse, with a key and without scripts.

use std::time::{Duration, Instant};

use crate::harness::{BrowserSession, Motion, Scripts};

/// A press is answered within this time.
const ANSWERED: Duration = Duration::from_millis(700);

const OFFERED: &str = "return document.querySelector('#undo') !== null && document.querySelector('main').dataset.yours !== undefined";
const NOT_OFFERED: &str = "return document.querySelector('#undo') === null";
const STRUCK: &str = "return document.querySelectorAll('.le.back s').length >= 2 && document.querySelector('#undo') === null && document.querySelector('.le.now').textContent.includes('You took back')";

/// Presses until it has happened: what comes at once after the own last move is taken for a mistake.
async fn repeat_until(world: &BrowserSession, press: impl AsyncFn(), happened: &str) {
    for _ in 0..20 {
        press().await;
        // Another press would call off the request of this one.
        let until = Instant::now() + ANSWERED;
        while Instant::now() < until {
            if world.run_script(happened, vec![]).await == true {
                return;
            }
        }
    }
    panic!("it does not happen: {happened}");
}

/// Drops a chip; the computer answers.
async fn drop_chip(world: &BrowserSession) {
    let drop = async || {
        // With scripts a click drops at once; without, one button asks.
        let asks = "return document.querySelector('.acts [name=column]') !== null";
        let asks = world.run_script(asks, vec![]).await == true;
        let css = if asks { ".acts button" } else { "#col-d" };
        world.try_click(css).await;
    };
    repeat_until(world, drop, OFFERED).await;
}

pub(crate) async fn check_takeback(world: &BrowserSession, take_back: impl AsyncFn()) {
    crate::set_up_game(world, &[("game", "trilobite")]).await;
    assert_eq!(world.run_script(NOT_OFFERED, vec![]).await, true);
    drop_chip(world).await;
    repeat_until(world, take_back, STRUCK).await;
    // The game goes on from there.
    drop_chip(world).await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_press_takes_back() {
    let world = BrowserSession::open(Scripts::On).await;
    check_takeback(&world, async || {
        world.try_click("#undo").await;
    })
    .await;
}

#[tokio::test]
async fn a_key_takes_back_while_things_move() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    check_takeback(&world, async || world.press_keys(['u']).await).await;
}

#[tokio::test]
async fn without_scripts_a_form_takes_back() {
    let world = BrowserSession::open(Scripts::Off).await;
    check_takeback(&world, async || {
        world.try_click("#undo").await;
    })
    .await;
}
