//! A simulated player of Trilobite, who drops chips into given columns by mouse or keyboard.

use std::time::Instant;

use fantoccini::key::Key;

use crate::harness::{BrowserSession, TIMEOUT};
use crate::player::InputDevice;

/// Drops a chip into each of the columns, for both colours alternately, and checks that each ply is played. `first` is
/// the number of plies before.
pub(crate) async fn drop_chips(
    browser: &BrowserSession,
    device: InputDevice,
    first: usize,
    columns: &str,
) {
    for (ply, column) in (first..).zip(columns.chars()) {
        match device {
            InputDevice::Mouse => drop_by_mouse(browser, column, ply + 1).await,
            // Uses both keyboard methods: the letter of the column, and the arrow keys with Enter.
            InputDevice::Keyboard if ply % 2 == 0 => browser.press_keys([column]).await,
            InputDevice::Keyboard => {
                move_focus_to_column(browser, column).await;
                browser.press_keys([Key::Enter.into()]).await;
            }
        }
        let played = format!(
            "return document.getElementById('main')?.dataset.ply === '{}' && document.readyState === 'complete'",
            ply + 1
        );
        browser.wait_for(&played, "the next ply").await;
        let over = "return Boolean(document.querySelector('.res'))";
        let over = browser.run(over).await == true;
        if device == InputDevice::Keyboard && !over && ply % 2 == 1 {
            let focus = focused_id(browser).await;
            assert!(focus.starts_with("col-"), "the focus is lost: {focus:?}");
        }
    }
}

/// Drops a chip by mouse. With scripts a click drops it at once; without scripts a button confirms it, and a click that
/// comes too fast is rejected as accidental and repeated.
async fn drop_by_mouse(browser: &BrowserSession, column: char, next: usize) {
    let (table, begun) = (browser.path().await, Instant::now());
    loop {
        assert!(begun.elapsed() < TIMEOUT, "ply {next} is not played");
        browser.click(&format!("#col-{column}")).await;
        let played = format!("document.getElementById('main')?.dataset.ply === '{next}'");
        let moved = format!(
            "return {played} ? 'played' : document.querySelector('.acts input[name=column]') ? 'asked' : null"
        );
        if browser.wait_for(&moved, "the chip or a button").await == "played" {
            return;
        }
        browser.click(".acts button").await;
        let answered = format!(
            "return document.readyState !== 'complete' ? null : {played} ? 'played' : location.pathname.endsWith('/moves') ? 'refused' : null"
        );
        if browser.wait_for(&answered, "the next ply").await == "played" {
            return;
        }
        browser.goto(&table).await;
    }
}

async fn focused_id(browser: &BrowserSession) -> String {
    let focus = browser.eval("document.activeElement?.id ?? ''").await;
    focus.as_str().unwrap_or_default().to_owned()
}

/// Moves the focus to the board with Tab, then to the column with the arrow keys.
async fn move_focus_to_column(browser: &BrowserSession, column: char) {
    let goal = format!("col-{column}");
    for _ in 0..100 {
        let at = focused_id(browser).await;
        if at == goal {
            return;
        }
        let key = match at.strip_prefix("col-") {
            Some(at) if *at < *column.to_string() => Key::Right,
            Some(_) => Key::Left,
            None => Key::Tab,
        };
        browser.press_keys([key.into()]).await;
    }
    panic!("no keys lead to {goal}");
}
