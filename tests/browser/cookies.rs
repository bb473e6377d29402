//! A browser that blocks cookies is shown an explanation and the link to its seat, without scripts.

use crate::fonts::Fonts;
use crate::harness::{BrowserSession, Cookies, Motion, Scripts, Server};

#[tokio::test]
pub(crate) async fn a_browser_that_blocks_cookies_gets_an_explanation_and_a_seat_link() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let blocked = BrowserSession::open_kind_at(
        &server.address,
        (
            Scripts::Off,
            Motion::Reduced,
            Cookies::Blocked,
            Fonts::DejaVu,
        ),
    )
    .await;
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
