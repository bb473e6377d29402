//! Somebody who drops chips: the columns are known beforehand, the hand is the mouse or the keyboard.

use fantoccini::key::Key;

use crate::harness::World;
use crate::player::Hand;

/// Drops a chip into each of these columns, from ply `first` on in turn for both colours, and looks
/// that it is played.
pub(crate) async fn drop_all(world: &World, hand: Hand, first: usize, columns: &str) {
    for (ply, column) in (first..).zip(columns.chars()) {
        match hand {
            Hand::Mouse => {
                world.click(&format!("#col-{column}")).await;
                // With scripts a click drops at once; without, one button asks.
                let moved = format!(
                    "return document.getElementById('main')?.dataset.ply === '{}' ? 'played' : document.querySelector('.acts input[name=column]') ? 'asked' : null",
                    ply + 1
                );
                if world.until(&moved, "the chip or a button").await == "asked" {
                    world.click(".acts button").await;
                }
            }
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
