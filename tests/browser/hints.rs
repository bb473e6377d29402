//! Hints and the analysis board in a real browser: by key, by click, and without scripts.

use serde_json::json;

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::player::tile_selector;
use crate::{DESKTOP, PHONE, start_quick_game};

const KNOWN: &str = "return document.querySelector('.hints button') !== null";
const PLY: &str = "return Number(document.getElementById('main').dataset.ply)";

#[tokio::test]
pub(crate) async fn keys_open_and_close_a_hint_and_the_main_button_plays_it() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    start_quick_game(&browser).await;
    let board = browser.path().await;
    browser.press_keys(['h']).await;
    browser.wait_for(KNOWN, "the hint").await;
    assert_eq!(browser.path().await, format!("{board}/hint"));
    let pointers = "return document.querySelectorAll('.board .pointer').length";
    assert!(
        browser.run(pointers).await.as_u64() > Some(0),
        "on the board"
    );
    browser.press_keys(['\u{e00c}']).await;
    browser
        .wait_until("document.querySelector('.hints') === null")
        .await;
    assert_eq!(browser.path().await, board);
    browser.press_keys(['h']).await;
    browser.wait_for(KNOWN, "the hint again").await;
    assert_eq!(browser.run(PLY).await, 0);
    browser.click(".acts button").await;
    browser
        .wait_until("Number(document.getElementById('main').dataset.ply) > 0")
        .await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn a_hint_without_scripts_is_a_page() {
    let browser = BrowserSession::open(Scripts::Off).await;
    start_quick_game(&browser).await;
    browser.click(".aids a").await;
    browser
        .wait_for(KNOWN, "the hint, after a few reloads at most")
        .await;
    browser.click(".hints button").await;
    browser
        .wait_until("Number(document.getElementById('main')?.dataset.ply) > 0")
        .await;
}

/// The arrows that stand apart from their discs, the discs whose numbers are under a label, and the arrows that are drawn
/// over a label.
const MISPLACED: &str = r#"
    const touches = (a, b) =>
        Math.min(a.right, b.right) > Math.max(a.left, b.left) && Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top);
    const box = (at) => at.getBoundingClientRect();
    const labels = [...document.querySelectorAll(".board .chip.hinted")];
    return [...document.querySelectorAll(".board .pointer")].flatMap((pointer) => {
        const [arrow, disc] = ["path", "circle"].map((part) => pointer.querySelector(part).getScreenCTM());
        const number = box(pointer.querySelector("text"));
        const middle = new DOMRect(number.x + number.width / 2, number.y + number.height / 2, 0.1, 0.1);
        return [
            Math.hypot(arrow.e - disc.e, arrow.f - disc.f) > 7 * disc.a ? "apart" : [],
            labels.some((label) => touches(box(label), middle)) ? "hidden" : [],
            labels.some((label) => label.compareDocumentPosition(pointer) & Node.DOCUMENT_POSITION_FOLLOWING) ? "above" : [],
        ].flat().map((fault) => `${pointer.textContent} ${fault}`);
    });
"#;

#[tokio::test]
async fn the_arrows_of_a_hint_join_their_discs_and_leave_the_odds_readable() {
    let browser = BrowserSession::open(Scripts::On).await;
    // Two attacks of the second board are from below.
    for seed in [7, 23] {
        crate::set_up_game(&browser, &format!("seed={seed}")).await;
        let game = browser.path().await;
        for size in [PHONE, DESKTOP] {
            browser.set_window_size(size).await;
            browser.goto(&game).await;
            browser.goto(&format!("{game}/hint")).await;
            browser.wait_for(KNOWN, "the hint").await;
            browser.wait_for_element(".board .pointer").await;
            let found = browser.run(MISPLACED).await;
            assert_eq!(found, json!([]), "board {seed} at {size:?}");
        }
    }
}

/// Plays the best action, chooses its other chance outcome, then edits a hex of the board.
async fn check_analysis_board(scripts: Scripts) {
    let browser = BrowserSession::open_with_motion(scripts, Motion::Reduced).await;
    browser
        .goto("/analysis?pos=dice.v4.3.2.5.a3b1b2a2b2a1b3a2b1.0.0.1")
        .await;
    browser.wait_for_element(".next a").await;
    browser.click(".next a").await;
    browser.wait_for("return location.search.includes('line=') && document.querySelectorAll('.outc a').length === 2", "a step").await;
    browser.click(".outc a:not([aria-current])").await;
    browser
        .wait_for("return location.search.endsWith('.1')", "the other outcome")
        .await;
    browser.click(&tile_selector("h4")).await;
    browser
        .wait_until("location.search.includes('at=4') && document.querySelector('.opt') !== null")
        .await;
    browser.click(".opt:not([aria-current])").await;
    browser
        .wait_until("!location.search.includes('line=')")
        .await;
}

#[tokio::test]
pub(crate) async fn the_analysis_board_works_with_scripts() {
    check_analysis_board(Scripts::On).await;
}

#[tokio::test]
pub(crate) async fn the_analysis_board_works_without_scripts() {
    check_analysis_board(Scripts::Off).await;
}
