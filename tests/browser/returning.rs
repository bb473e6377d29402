//! What brings a player back: the lessons, the board of the day, the puzzle, the own record and another device, with
//! and without scripts.

use serde_json::Value;

use crate::harness::{BrowserSession, Motion, Scripts, Server};
use crate::player::{InputDevice, Player};

/// Answers the first step of the first lesson, and skips the others.
async fn learn(browser: &BrowserSession) {
    browser.goto("/").await;
    browser.click(".day a[href='/learn']").await;
    browser.click(".answers a[href$='answer=1']").await;
    browser.wait_for_text("main", "Right.").await;
    browser.click("a.later[href='/learn?step=2']").await;
    // Each step has the button below.
    browser.wait_for_text(".progress", "Step 2 ").await;
    browser.click("form[action='/learn'] button").await;
    browser.wait_for_text("h1", "luck").await;
    let offer = "return document.querySelector('.day a[href=\"/learn\"]') === null";
    browser
        .wait_for(offer, "the start page without the offer")
        .await;
}

/// Begins the board of the day and gives up; returns the path of the game.
async fn play_the_day(browser: &BrowserSession, scripts: Scripts) -> String {
    browser.click(".board-of-day a").await;
    browser.click("form[action='/daily'] button").await;
    browser.wait_for_element(".resign").await;
    let game = browser.path().await;
    Player::new(browser, InputDevice::Mouse)
        .confirm_resignation()
        .await;
    // The game ends on the page of its result.
    browser.wait_for_text("h1", "Lost with ").await;
    let copy = "return document.querySelector('.btn.main')?.offsetParent != null";
    assert_eq!(
        browser.run(copy).await,
        scripts == Scripts::On,
        "Copy result"
    );
    let result = "return document.getElementById('daily-text')?.value ?? null";
    let result = browser.wait_for(result, "the result as text").await;
    assert!(
        result
            .as_str()
            .is_some_and(|text| text.lines().count() >= 3)
    );
    game
}

async fn solve_the_puzzle(browser: &BrowserSession) {
    browser.goto("/").await;
    browser.click(".day a[href^='/puzzles/']").await;
    browser.click("button[name=answer]").await;
    browser.wait_for_text("main", "(your answer)").await;
}

/// Lists the games that were won, which are none: at once with scripts, with the button without them.
async fn filter_games(browser: &BrowserSession, scripts: Scripts) {
    let choose = "const result = document.querySelector('select[name=result]');
        result.focus();
        result.value = 'won';
        result.dispatchEvent(new Event('change', { bubbles: true }))";
    browser.run(choose).await;
    if scripts == Scripts::Off {
        browser.click("#filter button").await;
    }
    browser.wait_for_text("main", "No game fits.").await;
    if scripts == Scripts::On {
        let focused = browser.run("return document.activeElement.name").await;
        assert_eq!(focused, "result", "the focus stays");
        let buttons = browser.count_elements("#filter button").await;
        assert_eq!(buttons, 0);
    }
}

async fn check_a_return(scripts: Scripts) {
    let server = Server::start("127.0.0.1:0", "memory:");
    let browser = BrowserSession::open_at(&server.address, scripts, Motion::Reduced).await;
    learn(&browser).await;
    let game = play_the_day(&browser, scripts).await;
    solve_the_puzzle(&browser).await;

    browser.goto("/me").await;
    browser.wait_for_text("main", "0 of 1").await;
    let own = format!("return document.querySelector('a[href={game:?}]') !== null");
    browser.wait_for(&own, "the game").await;
    filter_games(&browser, scripts).await;
    browser.goto("/device").await;
    browser.click("form[action='/device/code'] .btn").await;
    let code = "return document.getElementById('code')?.value ?? null";
    let code = browser.wait_for(code, "the code").await;

    // Another device, whose address contains the code as after a scan.
    let other = BrowserSession::open_at(&server.address, scripts, Motion::Reduced).await;
    let code = code.as_str().expect("a code");
    other.goto(&format!("/device#{code}")).await;
    let field = "return document.getElementById('device-code')?.value";
    match scripts {
        Scripts::On => {
            let filled = format!("{field} === {code:?}");
            other.wait_for(&filled, "the code in the field").await;
        }
        Scripts::Off => {
            let fill = "document.getElementById('device-code').value = arguments[0]";
            other.run_script(fill, vec![Value::from(code)]).await;
        }
    }
    other.click("form[action='/device'] .btn").await;
    other
        .wait_for_text("main", "This browser will have the record of")
        .await;
    other.click("input[value=join]").await;
    other.click("form[action='/device'] .btn").await;
    other.wait_for(&own, "the game on the other device").await;

    other.goto("/me/delete").await;
    other.click("form[action='/me/delete'] button").await;
    other
        .wait_for_text("main", "You have not played here yet.")
        .await;
    browser.goto("/me").await;
    browser
        .wait_for_text("main", "You have not played here yet.")
        .await;
    for browser in [&browser, &other] {
        assert_eq!(browser.console_errors().await, Vec::<String>::new());
    }
}

#[tokio::test]
pub(crate) async fn a_player_returns_with_scripts() {
    check_a_return(Scripts::On).await;
}

#[tokio::test]
pub(crate) async fn a_player_returns_without_scripts() {
    check_a_return(Scripts::Off).await;
}
