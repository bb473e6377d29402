//! The event stream that all tabs of a browser share: many tabs, stalled connections, and browsers without shared
//! workers.

use std::time::Duration;

use serde_json::json;

use crate::common::Server;
use crate::harness::{BrowserSession, Motion, Scripts};
use crate::player::InputDevice;
use crate::proxy::Proxy;
use crate::trilobite_player;
use crate::{TWO_PEOPLE, set_up_game};

/// Drops a chip into the first column of a game that another tab shows.
const PLAY: &str = "fetch(arguments[0] + '/moves', { method: 'POST', body: new URLSearchParams({ ply: 0, column: 'a' }) })";

fn is_at_ply(ply: usize) -> String {
    format!("return document.getElementById('main')?.dataset.ply === '{ply}'")
}

/// Over HTTP/1.1 a browser opens at most six connections to a server: with a stream per tab, the seventh page would never
/// load.
#[tokio::test]
async fn nine_tabs_of_one_browser_play_nine_games() {
    let browser = BrowserSession::open(Scripts::On).await;
    let mut tabs = Vec::new();
    for _ in 0..9 {
        let tab = browser.client.new_window(true).await.expect("a tab").handle;
        let switched = browser.client.switch_to_window(tab.clone()).await;
        switched.expect("the tab is there");
        set_up_game(&browser, TWO_PEOPLE).await;
        tabs.push((tab, browser.path().await));
    }
    let (_, first) = &tabs[0];
    let (_, second) = &tabs[1];
    for game in [first, second] {
        browser.run_script(PLAY, vec![json!(game)]).await;
    }
    for (number, (tab, _)) in tabs.iter().enumerate() {
        let switched = browser.client.switch_to_window(tab.clone()).await;
        switched.expect("the tab is there");
        // The first two tabs received their plies in the background.
        let played = usize::from(number < 2);
        browser.wait_for(&is_at_ply(played), "the chip").await;
        trilobite_player::drop_chips(&browser, InputDevice::Mouse, played, "d").await;
    }
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

/// A connection that stays open without passing data is detected, reported and replaced.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_stream_is_detected_and_replaced() {
    let server = Server::with(|config| config.streams.keep_alive = Duration::from_secs(2)).await;
    let proxy = Proxy::start(&server.address.to_string()).await;
    let browser = BrowserSession::open_at(&server.url(""), Scripts::On, Motion::Reduced).await;
    set_up_game(&browser, TWO_PEOPLE).await;
    let other = BrowserSession::open_at(&proxy.address, Scripts::On, Motion::Reduced).await;
    other.goto(&browser.path().await).await;
    let count = "return document.querySelector('.watching b')?.textContent === '1'";
    other.wait_for(count, "the stream").await;
    let note = "window.said = false; new MutationObserver(() => { window.said ||= document.querySelector('.away') !== null; }).observe(document.body, { childList: true, subtree: true })";
    other.run(note).await;
    proxy.freeze();
    trilobite_player::drop_chips(&browser, InputDevice::Mouse, 0, "d").await;
    other.wait_for(&is_at_ply(1), "the chip").await;
    trilobite_player::drop_chips(&browser, InputDevice::Mouse, 1, "e").await;
    other.wait_for(&is_at_ply(2), "the next chip").await;
    let notice_removed = "return window.said && document.querySelector('.away') === null";
    other
        .wait_for(notice_removed, "the notice, and its end")
        .await;
}

#[tokio::test]
async fn a_browser_without_shared_workers_receives_events() {
    let browser = BrowserSession::open(Scripts::On).await;
    set_up_game(&browser, TWO_PEOPLE).await;
    let other = BrowserSession::open_at(&browser.address, Scripts::On, Motion::Reduced).await;
    let without = json!({ "source": "delete window.SharedWorker" });
    other
        .devtools("Page.addScriptToEvaluateOnNewDocument", without)
        .await;
    other.goto(&browser.path().await).await;
    let there = "return !('SharedWorker' in window) && document.readyState === 'complete'";
    other.wait_for(there, "the page").await;
    trilobite_player::drop_chips(&browser, InputDevice::Mouse, 0, "d").await;
    other.wait_for(&is_at_ply(1), "the chip").await;
    trilobite_player::drop_chips(&browser, InputDevice::Mouse, 1, "e").await;
    other.wait_for(&is_at_ply(2), "the next chip").await;
    assert_eq!(other.console_errors().await, Vec::<String>::new());
}
