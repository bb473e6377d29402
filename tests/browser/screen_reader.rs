//! Announcements for screen readers, hex numbers on the board, and the sizes of hexes for assistive technology.

use serde_json::json;

use crate::end_turn;
use crate::engine::Engine;
use crate::harness::{BrowserSession, Scripts};
use crate::pages::Pages;

const ANNOUNCEMENT: &str = "return document.getElementById('say').textContent";

#[tokio::test]
pub(crate) async fn the_summary_since_the_last_turn_is_announced() {
    let browser = BrowserSession::open(Scripts::On).await;
    end_turn::recap_path(&browser).await;
    let announcement = browser
        .wait_for(&format!("{ANNOUNCEMENT} || null"), "words")
        .await;
    let announcement = announcement.as_str().expect("words");
    let parts = [
        "Since the start. −1 hex",
        "Red took 1: hex 2",
        "Choose where to attack from",
    ];
    for part in parts {
        assert!(announcement.contains(part), "{part}: {announcement}");
    }
    let stripes = announcement.contains("Striped");
    assert!(!stripes, "stripes cannot be heard: {announcement}");
}

/// With the setting, each move of the others is announced, and no summary.
#[tokio::test]
async fn the_moves_of_others_are_announced_one_by_one() {
    let browser = BrowserSession::open(Scripts::On).await;
    Pages::set_display_options(&browser, "announce-each").await;
    end_turn::recap_path(&browser).await;
    let announcement = browser
        .wait_for(&format!("{ANNOUNCEMENT} || null"), "words")
        .await;
    let announcement = announcement.as_str().expect("words");
    assert!(!announcement.contains("Since"), "{announcement}");
    let parts = ["Red ends the turn: +1 die.", "Choose where to attack from."];
    for part in parts {
        assert!(announcement.contains(part), "{part}: {announcement}");
    }
}

#[tokio::test]
pub(crate) async fn the_result_has_the_focus_at_the_end() {
    let browser = BrowserSession::open(Scripts::On).await;
    let question = end_turn::end_question_path(&browser).await;
    browser.goto(&question).await;
    end_turn::end_game(&browser).await;
    let focus = "return document.activeElement.matches('.res h1')";
    browser.wait_for(focus, "the focus on the result").await;
}

/// The hex numbers that are visible.
const NUMBERS: &str = "return [...document.querySelectorAll('.board .num')].filter((one) => getComputedStyle(one).opacity === '1').map((one) => Number(one.textContent))";

#[tokio::test]
pub(crate) async fn hexes_that_the_text_mentions_show_their_numbers() {
    let browser = BrowserSession::open(Scripts::On).await;
    crate::set_up_game(&browser, "seed=7&seats:1=human&seats:2=human&seats:3=human").await;
    let game = browser.path().await;
    assert_eq!(browser.run(NUMBERS).await, json!([]));
    let link = "return document.querySelector('a.can').getAttribute('href')";
    let source = browser.run(link).await;
    browser.goto(source.as_str().expect("a path")).await;
    let named = "return [...document.querySelectorAll('a.src, a.tgt')].map((hex) => Number(hex.id.slice(1))).sort((a, b) => a - b)";
    let named = browser.run(named).await;
    assert!(named.as_array().is_some_and(|hexes| hexes.len() > 1));
    assert_eq!(browser.run(NUMBERS).await, named);
    // The log mentions the two hexes of the attack.
    browser.click(".attacks button").await;
    let played = "return document.getElementById('main').dataset.ply === '1'";
    browser.wait_for(played, "the attack").await;
    browser.goto(&game).await;
    assert_eq!(browser.run(&format!("{NUMBERS}.length")).await, 2);
    browser.goto(&format!("{game}/1")).await;
    assert_eq!(browser.run(&format!("{NUMBERS}.length")).await, 2);
    browser.goto(&format!("{game}/hint")).await;
    let pointed = "return document.querySelectorAll('.pointer').length > 0";
    browser.wait_for(pointed, "the hint").await;
    let numbers = browser.run(NUMBERS).await;
    assert!(
        numbers.as_array().is_some_and(|hexes| hexes.len() > 2),
        "{numbers}"
    );
}

/// The name, width and height of each hex for assistive technology. Runs with the privileges of the browser.
const HEXES: &str = r#"
    const [count, done] = arguments;
    const service = Cc["@mozilla.org/accessibilityService;1"].getService(Ci.nsIAccessibilityService);
    const collect = (accessible, found) => {
        if (!accessible) return found;
        const [x, y, width, height] = [{}, {}, {}, {}];
        accessible.getBounds(x, y, width, height);
        if (/^Hex \d+, /.test(accessible.name)) found.push([accessible.name, width.value, height.value]);
        for (let child = accessible.firstChild; child; child = child.nextSibling) collect(child, found);
        return found;
    };
    // The tree is built after the service is first asked for; if it stays incomplete, the script times out.
    const look = () => {
        const found = collect(service.getAccessibleFor(gBrowser.selectedBrowser), []);
        if (found.length >= count) done(found);
        else setTimeout(look, 50);
    };
    look();
"#;

#[test]
fn firefox_reports_the_size_of_each_hex_to_assistive_technology() {
    Engine::Firefox.run(|| {
        let runtime = tokio::runtime::Runtime::new();
        runtime.expect("a runtime").block_on(check_sizes_of_hexes());
    });
}

async fn check_sizes_of_hexes() {
    let browser = BrowserSession::open(Scripts::On).await;
    for drawing in ["book", "flat"] {
        Pages::set_display_options(&browser, &format!("board-{drawing}")).await;
        crate::start_quick_game(&browser).await;
        browser.use_context("chrome").await;
        let hexes = browser.client.execute_async(HEXES, vec![25.into()]).await;
        browser.use_context("content").await;
        let hexes: Vec<(String, u32, u32)> =
            serde_json::from_value(hexes.expect("the sizes")).expect("names and sizes");
        assert_eq!(hexes.len(), 25, "{drawing}");
        for (name, width, height) in hexes {
            let is_small = width < 130 && height < 170;
            assert!(is_small, "{drawing}: {name}: {width} × {height}");
        }
    }
}
