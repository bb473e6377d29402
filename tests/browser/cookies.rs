//! A browser that keeps no cookies: it is told so, and gets the link of its seat. All of it without scripts.

use crate::harness::{BrowserSession, Cookies, Motion, Scripts, Server};

#[tokio::test]
async fn a_browser_without_cookies_is_told_after_play_now_and_gets_its_link() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let blocked = BrowserSession::open_kind_at(
        &server.address,
        (Scripts::Off, Motion::Reduced, Cookies::Blocked),
    )
    .await;
    blocked.goto("/").await;
    blocked.click("form.play button").await;
    let link = "return document.querySelector('#seat-link')?.value";
    let link = blocked.wait_for(link, "the link of the seat").await;
    let link = link.as_str().unwrap().to_owned();
    let path = link.strip_prefix(&server.address).unwrap().to_owned();
    // The button does not use the link up.
    blocked.click("main form button").await;
    let told =
        "return !!document.querySelector('main .notice') && location.search === '?cookie-sent'";
    blocked.wait_for(told, "why nothing was done").await;
    let again = "return document.querySelector('#seat-link')?.value";
    assert_eq!(blocked.wait_for(again, "the link again").await, *link);

    let other = BrowserSession::open_at(&server.address, Scripts::Off, Motion::Reduced).await;
    other.goto(&path).await;
    other.click("main form button").await;
    let seated = "return /^[/]g[/]/.test(location.pathname) && !!document.querySelector('form[action$=\"/resign\"]')";
    other.wait_for(seated, "the seat").await;
}
