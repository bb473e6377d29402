//! Somebody who drops chips: the columns are known beforehand, the hand is the mouse or the keyboard.

use std::time::Instant;

use fantoccini::key::Key;

use crate::harness::{BrowserSession, TIMEOUT};
use crate::player::InputDevice;

/// Drops a chip into each of these columns, from ply `first` on in turn for both colours, and looks
/// that it is played.
pub(crate) async fn drop_chips(
    world: &BrowserSession,
    hand: InputDevice,
    first: usize,
    columns: &str,
) {
    for (ply, column) in (first..).zip(columns.chars()) {
        match hand {
            InputDevice::Mouse => drop_by_mouse(world, column, ply + 1).await,
            // A letter drops; so do the arrows and Enter.
            InputDevice::Keyboard if ply % 2 == 0 => world.press_keys([column]).await,
            InputDevice::Keyboard => {
                move_focus_to_column(world, column).await;
                world.press_keys([Key::Enter.into()]).await;
            }
        }
        let played = format!(
            "return document.getElementById('main')?.dataset.ply === '{}' && document.readyState === 'complete'",
            ply + 1
        );
        world.wait_for(&played, "the next ply").await;
        let over = "return Boolean(document.querySelector('.res'))";
        let over = world.run_script(over, Vec::new()).await == true;
        if hand == InputDevice::Keyboard && !over && ply % 2 == 1 {
            let focus = focused_id(world).await;
            assert!(focus.starts_with("col-"), "the focus is lost: {focus:?}");
        }
    }
}

/// Drops by the mouse. With scripts a click drops at once; without, one button asks, and a press that
/// comes quicker than people press is taken for a second one and does nothing: then it is tried again.
async fn drop_by_mouse(world: &BrowserSession, column: char, next: usize) {
    let (table, begun) = (world.path().await, Instant::now());
    loop {
        assert!(begun.elapsed() < TIMEOUT, "ply {next} is not played");
        world.click(&format!("#col-{column}")).await;
        let played = format!("document.getElementById('main')?.dataset.ply === '{next}'");
        let moved = format!(
            "return {played} ? 'played' : document.querySelector('.acts input[name=column]') ? 'asked' : null"
        );
        if world.wait_for(&moved, "the chip or a button").await == "played" {
            return;
        }
        world.click(".acts button").await;
        let answered = format!(
            "return document.readyState !== 'complete' ? null : {played} ? 'played' : location.pathname.endsWith('/moves') ? 'refused' : null"
        );
        if world.wait_for(&answered, "the next ply").await == "played" {
            return;
        }
        world.goto(&table).await;
    }
}

async fn focused_id(world: &BrowserSession) -> String {
    let focus = world
        .run_script("return document.activeElement?.id ?? ''", Vec::new())
        .await;
    focus.as_str().unwrap_or_default().to_owned()
}

/// Tabs to the board, then left or right to the column.
async fn move_focus_to_column(world: &BrowserSession, column: char) {
    let goal = format!("col-{column}");
    for _ in 0..100 {
        let at = focused_id(world).await;
        if at == goal {
            return;
        }
        let key = match at.strip_prefix("col-") {
            Some(at) if *at < *column.to_string() => Key::Right,
            Some(_) => Key::Left,
            None => Key::Tab,
        };
        world.press_keys([key.into()]).await;
    }
    panic!("no keys lead to {goal}");
}
