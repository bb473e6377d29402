//! A browser that blocks cookies is shown an explanation and the link to its seat, without scripts; with scripts it
//! follows a game.

use crate::fonts::Fonts;
use crate::harness::{BrowserSession, Cookies, Motion, Scripts, Server};
use crate::player::InputDevice;
use crate::shared_game::wait_for_ply;
use crate::{TWO_PEOPLE, set_up_game, trilobite_player};

async fn open_without_cookies(address: &str, scripts: Scripts) -> BrowserSession {
    let blocked = Cookies::Blocked;
    let kind = (scripts, Motion::Reduced, blocked, Fonts::DejaVu);
    BrowserSession::open_kind_at(address, kind).await
}

#[tokio::test]
pub(crate) async fn a_browser_that_blocks_cookies_gets_an_explanation_and_a_seat_link() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let blocked = open_without_cookies(&server.address, Scripts::Off).await;
    blocked.goto("/").await;
    blocked.click("form.play button").await;
    let link = "return document.querySelector('#seat-link')?.value";
    let link = blocked.wait_for(link, "the link of the seat").await;
    let link = link.as_str().unwrap().to_owned();
    let path = link.strip_prefix(&server.address).unwrap().to_owned();
    // The button does not invalidate the link.
    blocked.click("main form button").await;
    let notice =
        "return !!document.querySelector('main .notice') && location.search === '?cookie-sent'";
    blocked.wait_for(notice, "why nothing was done").await;
    let again = "return document.querySelector('#seat-link')?.value";
    assert_eq!(blocked.wait_for(again, "the link again").await, *link);

    let other = BrowserSession::open_at(&server.address, Scripts::Off, Motion::Reduced).await;
    other.goto(&path).await;
    other.click("main form button").await;
    let seated = "return /^[/]g[/]/.test(location.pathname) && !!document.querySelector('form[action$=\"/resign\"]')";
    other.wait_for(seated, "the seat").await;
}

/// Firefox refuses shared workers where it blocks all cookies.
#[tokio::test]
pub(crate) async fn a_browser_that_blocks_cookies_follows_a_game() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let player = BrowserSession::open_at(&server.address, Scripts::On, Motion::Reduced).await;
    set_up_game(&player, TWO_PEOPLE).await;
    let blocked = open_without_cookies(&server.address, Scripts::On).await;
    blocked.goto(&player.path().await).await;
    wait_for_ply(&blocked, 0).await;
    trilobite_player::drop_chips(&player, InputDevice::Mouse, 0, "d").await;
    wait_for_ply(&blocked, 1).await;
    blocked.press_keys(['?']).await;
    let open = "document.getElementById('keys').open";
    assert!(blocked.is_true(open).await, "the keys still work");
    assert_eq!(blocked.console_errors().await, Vec::<String>::new());
}
