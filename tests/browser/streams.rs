//! The event stream that all tabs of a browser share: many tabs, connections that pass nothing any more, and browsers
//! without shared workers.

use std::time::Duration;

use serde_json::json;

use crate::common::{ServerConfig, Server};
use crate::dropper;
use crate::harness::{Motion, Scripts, World};
use crate::player::Hand;
use crate::proxy::Proxy;
use crate::{TWO_PEOPLE, set_up};
use dice_of_doom::web::events::StreamLimits;

/// Plays a chip into the first column of a game that another tab shows.
const PLAY: &str = "fetch(arguments[0] + '/moves', { method: 'POST', body: new URLSearchParams({ ply: 0, column: 'a' }) })";

fn shows(ply: usize) -> String {
    format!("return document.getElementById('main')?.dataset.ply === '{ply}'")
}

/// Over HTTP/1.1 a browser opens six connections to a server: with a stream each, the seventh page would never come.
#[tokio::test]
async fn nine_tabs_of_one_browser_play_nine_games() {
    let world = World::open(Scripts::On).await;
    let mut tabs = Vec::new();
    for _ in 0..9 {
        let tab = world.client.new_window(true).await.expect("a tab").handle;
        let switched = world.client.switch_to_window(tab.clone()).await;
        switched.expect("the tab is there");
        set_up(&world, &TWO_PEOPLE).await;
        tabs.push((tab, world.path().await));
    }
    let (_, first) = &tabs[0];
    let (_, second) = &tabs[1];
    for game in [first, second] {
        world.ask(PLAY, vec![json!(game)]).await;
    }
    for (number, (tab, _)) in tabs.iter().enumerate() {
        let switched = world.client.switch_to_window(tab.clone()).await;
        switched.expect("the tab is there");
        // Two that nobody looks at were told what had been played in their games.
        let played = usize::from(number < 2);
        world.until(&shows(played), "the chip").await;
        dropper::drop_all(&world, Hand::Mouse, played, "d").await;
    }
    assert_eq!(world.complaints().await, Vec::<String>::new());
}

/// A connection that stays open and passes nothing is noticed, said, and replaced.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_stream_is_noticed_and_replaced() {
    let server = Server::start_with(ServerConfig {
        streams: StreamLimits {
            keep_alive: Duration::from_secs(2),
            ..StreamLimits::default()
        },
        ..ServerConfig::default()
    })
    .await;
    let proxy = Proxy::before(&server.address.to_string()).await;
    let world = World::visit(&server.url(""), Scripts::On, Motion::Calm).await;
    set_up(&world, &TWO_PEOPLE).await;
    let other = World::visit(&proxy.address, Scripts::On, Motion::Calm).await;
    other.goto(&world.path().await).await;
    let count = "return document.querySelector('.watching b')?.textContent === '1'";
    other.until(count, "the stream").await;
    let note = "window.said = false; new MutationObserver(() => { window.said ||= document.querySelector('.away') !== null; }).observe(document.body, { childList: true, subtree: true })";
    other.ask(note, vec![]).await;
    proxy.freeze();
    dropper::drop_all(&world, Hand::Mouse, 0, "d").await;
    other.until(&shows(1), "the chip").await;
    dropper::drop_all(&world, Hand::Mouse, 1, "e").await;
    other.until(&shows(2), "the next chip").await;
    let said = "return window.said && document.querySelector('.away') === null";
    other.until(said, "the notice, and its end").await;
}

#[tokio::test]
async fn a_browser_without_shared_workers_is_told_too() {
    let world = World::open(Scripts::On).await;
    set_up(&world, &TWO_PEOPLE).await;
    let other = World::visit(&world.address, Scripts::On, Motion::Calm).await;
    let without = json!({ "source": "delete window.SharedWorker" });
    other
        .devtools("Page.addScriptToEvaluateOnNewDocument", without)
        .await;
    other.goto(&world.path().await).await;
    let there = "return !('SharedWorker' in window) && document.readyState === 'complete'";
    other.until(there, "the page").await;
    dropper::drop_all(&world, Hand::Mouse, 0, "d").await;
    other.until(&shows(1), "the chip").await;
    dropper::drop_all(&world, Hand::Mouse, 1, "e").await;
    other.until(&shows(2), "the next chip").await;
    assert_eq!(other.complaints().await, Vec::<String>::new());
}
