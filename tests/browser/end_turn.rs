//! Ending a turn: the end of a game that would not be won needs confirmation, the board previews the reinforcements, and
//! a turn without further attacks can end automatically.

use std::time::Instant;

use fantoccini::key::Key;

use crate::harness::{BrowserSession, Scripts, TIMEOUT};
use crate::player::tile_selector;

/// A board for two people under the book's first rules, which have no dice rolls, and Red's first attack.
#[derive(Clone, Copy)]
struct Opening {
    seed: &'static str,
    from: u8,
    to: u8,
}

/// After the attack Blue cannot attack, both have two hexes, and Red can still attack.
const TIE: Opening = Opening {
    seed: "52",
    from: 2,
    to: 0,
};

/// After the attack Red has no further attack, and ending the turn adds one die.
const NOTHING_LEFT: Opening = Opening {
    seed: "11",
    from: 0,
    to: 2,
};

const ENDS: &str =
    "return document.querySelector('a[data-key=e]')?.textContent.includes('a tie at 2') ?? null";
const ASKS: &str = "return document.querySelector('.acts [data-back]') !== null && document.querySelector('.prompt h1').textContent === 'End the game?'";

async fn set_up(browser: &BrowserSession, opening: Opening) {
    let seed = opening.seed;
    let fields = format!("rules=v1&seats:0=human&seats:1=human&seed={seed}");
    crate::set_up_game(browser, &fields).await;
}

async fn attack(browser: &BrowserSession, Opening { from, to, .. }: Opening) {
    browser.click(&tile_selector(&format!("h{from}"))).await;
    let target = format!("return document.querySelector('#h{to}.tgt') !== null");
    browser.wait_for(&target, "the target").await;
    browser.click(&tile_selector(&format!("h{to}"))).await;
}

/// The path of the page that asks for confirmation to end the game.
pub(crate) async fn end_question_path(browser: &BrowserSession) -> String {
    set_up(browser, TIE).await;
    attack(browser, TIE).await;
    browser
        .wait_for(ENDS, "the button that ends the game")
        .await;
    format!("{}?end=1", browser.path().await)
}

/// The path of the page of a player who has lost a hex in the opponent's turn.
pub(crate) async fn recap_path(browser: &BrowserSession) -> String {
    set_up(browser, NOTHING_LEFT).await;
    attack(browser, NOTHING_LEFT).await;
    browser
        .wait_for_element("[data-alone] form[data-key=e]")
        .await;
    browser.click(".acts button").await;
    browser.wait_for_element(".recap").await;
    browser.path().await
}

/// Confirms the end of the game. A click that comes too fast after the attack is rejected as accidental, and repeated.
pub(crate) async fn end_game(browser: &BrowserSession) {
    let (question, begun) = (browser.path().await, Instant::now());
    let answered = "return document.querySelector('.res') ? 'over' : document.querySelector('.notice') ? 'rejected' : null";
    loop {
        browser.click(".acts form button").await;
        if browser.wait_for(answered, "the end of the game").await == "over" {
            break;
        }
        assert!(begun.elapsed() < TIMEOUT, "the game does not end");
        browser.goto(&question).await;
    }
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn ending_a_game_without_winning_needs_confirmation() {
    let browser = BrowserSession::open(Scripts::On).await;
    set_up(&browser, TIE).await;
    attack(&browser, TIE).await;
    browser
        .wait_for(ENDS, "the button that ends the game")
        .await;
    // The key asks for confirmation like the button, but does not confirm.
    browser.press_keys(['e']).await;
    browser.wait_for(ASKS, "the question").await;
    assert!(browser.path().await.ends_with("?end=1"));
    browser.press_keys(['e']).await;
    browser.press_keys([Key::Escape.into()]).await;
    browser.wait_for(ENDS, "the turn that goes on").await;
    assert!(!browser.path().await.contains('?'));
    // Clicking twice at the same place does not end the game.
    browser.click(".acts a").await;
    browser.wait_for(ASKS, "the question").await;
    let focus = "return document.activeElement.matches('.acts [data-back]')";
    assert_eq!(browser.run(focus).await, true, "the focus is lost");
    browser.click(".acts a").await;
    browser.wait_for(ENDS, "the turn that goes on").await;
    browser.click(".acts a").await;
    browser.wait_for(ASKS, "the question").await;
    end_game(&browser).await;
}

#[tokio::test]
pub(crate) async fn ending_a_game_without_winning_needs_confirmation_without_scripts() {
    let browser = BrowserSession::open(Scripts::Off).await;
    set_up(&browser, TIE).await;
    attack(&browser, TIE).await;
    browser.wait_for_element(".acts input[name=to]").await;
    browser.click(".acts button").await;
    browser
        .wait_for(ENDS, "the button that ends the game")
        .await;
    browser.click(".acts a").await;
    browser.wait_for(ASKS, "the question").await;
    browser.click(".acts a").await;
    browser.wait_for(ENDS, "the turn that goes on").await;
    browser.click(".acts a").await;
    browser.wait_for(ASKS, "the question").await;
    end_game(&browser).await;
}

#[tokio::test]
pub(crate) async fn the_board_previews_the_reinforcements() {
    let browser = BrowserSession::open(Scripts::On).await;
    set_up(&browser, NOTHING_LEFT).await;
    attack(&browser, NOTHING_LEFT).await;
    browser
        .wait_for_element("[data-alone] form[data-key=e]")
        .await;
    let shown = "return [...document.querySelectorAll('.soon')].filter((one) => getComputedStyle(one).display !== 'none').length";
    assert_eq!(browser.run(shown).await, 0);
    browser.point_at(".acts .btn").await;
    let all = format!(
        "return document.querySelectorAll('.soon').length === 2 && (() => {{ {shown} }})() === 2"
    );
    browser.wait_for(&all, "a die and its tag").await;
}

#[tokio::test]
pub(crate) async fn a_turn_without_attacks_ends_automatically_if_enabled() {
    let browser = BrowserSession::open(Scripts::On).await;
    set_up(&browser, NOTHING_LEFT).await;
    let look = "document.cookie = 'dod_look=ends-on; path=/'";
    browser.run(look).await;
    browser.goto(&browser.path().await).await;
    attack(&browser, NOTHING_LEFT).await;
    let ended = "return document.getElementById('main').dataset.ply === '2'";
    browser.wait_for(ended, "the other’s turn").await;
}

/// The first request to end the turn is lost while the event stream stays open, so the page itself must retry.
#[tokio::test]
pub(crate) async fn a_lost_automatic_end_of_turn_is_retried() {
    let browser = BrowserSession::open(Scripts::On).await;
    set_up(&browser, NOTHING_LEFT).await;
    let look = "document.cookie = 'dod_look=ends-on; path=/'";
    browser.run(look).await;
    browser.goto(&browser.path().await).await;
    let lose_one = "const ask = window.fetch; window.ends = 0; window.fetch = async (url, how) => { if (how?.method === 'POST' && !String(how.body).includes('from') && ++window.ends === 1) throw new window.TypeError('cut'); return ask(url, how); };";
    browser.run(lose_one).await;
    attack(&browser, NOTHING_LEFT).await;
    let lost = "return window.ends > 0";
    browser.wait_for(lost, "a first try").await;
    let ended = "return document.getElementById('main').dataset.ply === '2'";
    browser.wait_for(ended, "the other’s turn").await;
    assert_eq!(browser.eval("window.ends").await, 2);
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn a_dismissed_summary_stays_dismissed() {
    let browser = BrowserSession::open(Scripts::On).await;
    recap_path(&browser).await;
    let shown = |what: &str| {
        format!(
            "return [...document.querySelectorAll('{what}')].filter((one) => getComputedStyle(one).display !== 'none').length"
        )
    };
    let (tape, strips, card) = (shown(".was"), shown(".roll"), shown(".recap"));
    let seen = async |script: &str| browser.run(script).await;
    assert_eq!(seen(&tape).await, 1, "the lost hex is striped");
    assert_eq!(
        (seen(&card).await, seen(&strips).await),
        (1.into(), 1.into())
    );
    // Focusing its line highlights the hex.
    browser
        .run("document.querySelector('.taker').focus()")
        .await;
    assert_eq!(
        seen("return document.querySelectorAll('.hex.mark').length").await,
        1
    );
    browser.click(".recap label").await;
    assert_eq!(
        (seen(&card).await, seen(&strips).await),
        (0.into(), 1.into())
    );
    assert_eq!(seen(&tape).await, 0);
    // The page after the next choice has no summary.
    browser.click(".tops a").await;
    browser.wait_for_element(".board a.src").await;
    assert_eq!((seen(&card).await, seen(&tape).await), (0.into(), 0.into()));
}
