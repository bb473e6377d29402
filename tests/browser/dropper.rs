//! Somebody who drops chips: the columns are known beforehand, the hand is the mouse or the keyboard.

use std::time::Instant;

use fantoccini::key::Key;

use crate::harness::{PATIENCE, World};
use crate::player::Hand;

/// Drops a chip into each of these columns, from ply `first` on in turn for both colours, and looks
/// that it is played.
pub(crate) async fn drop_all(world: &World, hand: Hand, first: usize, columns: &str) {
    for (ply, column) in (first..).zip(columns.chars()) {
        match hand {
            Hand::Mouse => click(world, column, ply + 1).await,
            // A letter drops; so do the arrows and Enter.
            Hand::Keys if ply % 2 == 0 => world.press([column]).await,
            Hand::Keys => {
                steer(world, column).await;
                world.press([Key::Enter.into()]).await;
            }
        }
        let played = format!(
            "return document.getElementById('main')?.dataset.ply === '{}' && document.readyState === 'complete'",
            ply + 1
        );
        world.until(&played, "the next ply").await;
        let over = "return Boolean(document.querySelector('.res'))";
        let over = world.ask(over, Vec::new()).await == true;
        if hand == Hand::Keys && !over && ply % 2 == 1 {
            let focus = focus(world).await;
            assert!(focus.starts_with("col-"), "the focus is lost: {focus:?}");
        }
    }
}

/// Drops by the mouse. With scripts a click drops at once; without, one button asks, and a press that
/// comes quicker than people press is taken for a second one and does nothing: then it is tried again.
async fn click(world: &World, column: char, next: usize) {
    let (table, begun) = (world.path().await, Instant::now());
    loop {
        assert!(begun.elapsed() < PATIENCE, "ply {next} is not played");
        world.click(&format!("#col-{column}")).await;
        let played = format!("document.getElementById('main')?.dataset.ply === '{next}'");
        let moved = format!(
            "return {played} ? 'played' : document.querySelector('.acts input[name=column]') ? 'asked' : null"
        );
        if world.until(&moved, "the chip or a button").await == "played" {
            return;
        }
        world.click(".acts button").await;
        let answered = format!(
            "return document.readyState !== 'complete' ? null : {played} ? 'played' : location.pathname.endsWith('/moves') ? 'refused' : null"
        );
        if world.until(&answered, "the next ply").await == "played" {
            return;
        }
        world.goto(&table).await;
    }
}

async fn focus(world: &World) -> String {
    let focus = world
        .ask("return document.activeElement?.id ?? ''", Vec::new())
        .await;
    focus.as_str().unwrap_or_default().to_owned()
}

/// Tabs to the board, then left or right to the column.
async fn steer(world: &World, column: char) {
    let goal = format!("col-{column}");
    for _ in 0..100 {
        let at = focus(world).await;
        if at == goal {
            return;
        }
        let key = match at.strip_prefix("col-") {
            Some(at) if *at < *column.to_string() => Key::Right,
            Some(_) => Key::Left,
            None => Key::Tab,
        };
        world.press([key.into()]).await;
    }
    panic!("no keys lead to {goal}");
}
