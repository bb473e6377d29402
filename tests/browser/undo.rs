//! Takebacks by mouse, by key and without scripts.

use std::time::{Duration, Instant};

use crate::harness::{BrowserSession, Motion, Scripts};

/// The time within which an input has its effect.
const ANSWERED: Duration = Duration::from_millis(700);

const OFFERED: &str = "return document.querySelector('#undo') !== null && document.querySelector('main').dataset.yours !== undefined";
const NOT_OFFERED: &str = "return document.querySelector('#undo') === null";
const STRUCK: &str = "return document.querySelectorAll('.le.back s').length >= 2 && document.querySelector('#undo') === null && document.querySelector('.le.now').textContent.includes('You took back')";

/// Repeats the input until the script returns true: an input right after the player's last move is ignored as a mistake.
async fn repeat_until(browser: &BrowserSession, press: impl AsyncFn(), happened: &str) {
    for _ in 0..20 {
        press().await;
        // Another input would cancel the pending request.
        let until = Instant::now() + ANSWERED;
        while Instant::now() < until {
            if browser.run(happened).await == true {
                return;
            }
        }
    }
    panic!("this never became true: {happened}");
}

/// Drops a chip and waits for the computer player's reply.
async fn drop_chip(browser: &BrowserSession) {
    let drop = async || {
        // With scripts a click drops the chip at once; without scripts a button confirms it.
        let asks = "return document.querySelector('.acts [name=column]') !== null";
        let asks = browser.run(asks).await == true;
        let css = if asks { ".acts button" } else { "#col-d" };
        browser.try_click(css).await;
    };
    repeat_until(browser, drop, OFFERED).await;
}

pub(crate) async fn check_takeback(browser: &BrowserSession, take_back: impl AsyncFn()) {
    crate::set_up_game(browser, "game=trilobite").await;
    assert_eq!(browser.run(NOT_OFFERED).await, true);
    drop_chip(browser).await;
    repeat_until(browser, take_back, STRUCK).await;
    drop_chip(browser).await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn a_click_takes_a_move_back() {
    let browser = BrowserSession::open(Scripts::On).await;
    check_takeback(&browser, async || {
        browser.try_click("#undo").await;
    })
    .await;
}

#[tokio::test]
pub(crate) async fn a_key_takes_a_move_back_with_animations() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    check_takeback(&browser, async || browser.press_keys(['u']).await).await;
}

#[tokio::test]
pub(crate) async fn a_form_takes_a_move_back_without_scripts() {
    let browser = BrowserSession::open(Scripts::Off).await;
    check_takeback(&browser, async || {
        browser.try_click("#undo").await;
    })
    .await;
}
