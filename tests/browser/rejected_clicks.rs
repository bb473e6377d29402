//! A click on a hex that cannot act shows the reason at once, without a request to the server. Without scripts the
//! reason is the hex's title.

use serde_json::{Value, json};

use crate::harness::{BrowserSession, Scripts};
use crate::player::tile_selector;

const PEOPLE: &str = "size=4&players=2&seats:0=human&seats:1=human&seed=7";

/// The distinct reasons on the board.
const REASONS: &str = r#"
    const titles = [...document.querySelectorAll(".board g.hex > title")].map((title) => title.textContent);
    return [...new Set(titles.filter(Boolean))].sort();
"#;

/// Clicks on a hex with the given reason; returns the line under the prompt, the text of the live region, the number of
/// requests, and the query of the URL.
const PRESS: &str = r#"
    const hex = [...document.querySelectorAll(".board g.hex")].find((hex) => hex.querySelector("title").textContent === arguments[0]);
    const asked = () => performance.getEntriesByType("resource").filter((one) => one.initiatorType === "fetch").length;
    const before = asked();
    hex.querySelector("use, polygon").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    const line = document.querySelector(".prompt .sub:not(.way)").textContent;
    return [line, document.getElementById("say").textContent, asked() - before, location.search];
"#;

#[tokio::test]
pub(crate) async fn a_click_on_a_hex_that_cannot_act_shows_the_reason() {
    let browser = BrowserSession::open(Scripts::On).await;
    crate::set_up_game(&browser, PEOPLE).await;
    let not_mine = "That hex is not yours.";
    let reasons = browser.run(REASONS).await;
    assert!(
        reasons
            .as_array()
            .is_some_and(|all| all.contains(&json!(not_mine))),
        "{reasons}"
    );
    for reason in reasons.as_array().expect("a list") {
        let shown = browser.run_script(PRESS, vec![reason.clone()]).await;
        assert_eq!(shown, json!([reason, reason, 0, ""]));
    }
    let source = "return document.querySelector('a.can').id";
    let source = browser.run(source).await;
    browser
        .click(&tile_selector(source.as_str().expect("a hex")))
        .await;
    let chosen = "return document.querySelector('a.src') !== null";
    browser.wait_for(chosen, "a chosen hex").await;
    let far: Value = "The chosen hex does not touch that one.".into();
    let shown = browser.run_script(PRESS, vec![far.clone()]).await;
    let found = shown.as_array().map(|shown| &shown[..2]);
    assert_eq!(found, Some(&[far.clone(), far][..]));
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn the_title_of_a_hex_that_cannot_act_is_the_reason() {
    let browser = BrowserSession::open(Scripts::Off).await;
    crate::set_up_game(&browser, PEOPLE).await;
    let reasons = browser.run(REASONS).await;
    assert!(
        reasons.as_array().is_some_and(|all| !all.is_empty()),
        "{reasons}"
    );
    let links = "return [...document.querySelectorAll('.board a.hex > title')].every((title) => title.textContent === '')";
    let found = browser.run(links).await;
    assert_eq!(found, true, "hexes with links have no reason");
}
