//! The start page and an invitation.

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::set_up_game;

#[tokio::test]
pub(crate) async fn an_invitation_is_copied_with_a_click() {
    for scripts in [Scripts::On, Scripts::Off] {
        let with = matches!(scripts, Scripts::On);
        let browser = BrowserSession::open(scripts).await;
        set_up_game(&browser, "seats:1=open").await;
        let shown = "return document.querySelector('.hand .scripted').checkVisibility()";
        assert_eq!(browser.run(shown).await, with, "only scripts copy");
        if with {
            browser.click(".hand .scripted").await;
            let words = "return document.querySelector('.hand .scripted').textContent === 'Copied'";
            browser
                .wait_for(words, "the confirmation of the copy")
                .await;
        }
        let code = "return document.querySelector('.qr').checkVisibility()";
        assert_eq!(browser.run(code).await, true);
        assert_eq!(browser.console_errors().await, Vec::<String>::new());
    }
}

#[tokio::test]
pub(crate) async fn the_start_page_follows_the_featured_game() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    browser.goto("/").await;
    let ply = "return Number(document.getElementById('live')?.dataset.ply ?? 0) > 0";
    browser.wait_for(ply, "a ply without a new page").await;
    browser.click("#live .btn").await;
    browser.wait_for_element("main[data-game]").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}
