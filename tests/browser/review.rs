//! The review of a finished game: request, progress, result, the pages of its mistakes, and a game played on from one,
//! with and without scripts.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::common::Server;
use crate::common::failing_store::FailingStore;
use crate::harness::{BrowserSession, Motion, Scripts};

/// Creates a game between computer players and waits for its end; returns its path. The level `random` makes mistakes.
async fn create_finished_game(server: &Server, new: Value) -> String {
    let table = server.api().create(new).await;
    assert_eq!(table.wait(10_000).await["over"], true);
    format!("/g/{}", table.id)
}

/// Keys as WebDriver names them.
const ARROW_RIGHT: char = '\u{E014}';
const ESCAPE: char = '\u{E00C}';

/// A selector for the chips on a Trilobite board.
const CHIPS: &str = ".board use[href^='#disc']:not(.ghost)";

/// Waits for a completely loaded page with an element that matches the selector.
async fn wait_for_element(browser: &BrowserSession, css: &str, what: &str) {
    let there = format!(
        "return document.readyState === 'complete' && document.querySelector({css:?}) !== null"
    );
    browser.wait_for(&there, what).await;
}

/// Requests the review on the result page and waits for it. The store holds the finished review back, so that its
/// progress is visible however fast it is.
async fn run_review(browser: &BrowserSession, store: &FailingStore, game: &str) {
    browser.goto(game).await;
    browser.click(".res .reviewing").await;
    wait_for_element(browser, "[data-wait] progress", "how far it has come").await;
    // There is no time limit while the progress increases, because the machine may be slow.
    let mut come = -1.0;
    loop {
        let nearer = format!(
            "const bar = document.querySelector('[data-wait] progress');
             if (bar === null) return null;
             return bar.max > 1 && bar.value === bar.max ? 'all' : bar.value > {come} ? bar.value : null"
        );
        let now = browser.wait_for(&nearer, "a decision that is judged").await;
        let Some(now) = now.as_f64() else { break };
        come = now;
    }
    let found = browser.count_elements(".chances").await;
    assert_eq!(found, 0, "it is not stored yet");
    store.reviews.add_permits(1);
    wait_for_element(browser, ".review .chances", "the review").await;
}

async fn check_review(scripts: Scripts) {
    let store = Arc::new(FailingStore {
        reviews: tokio::sync::Semaphore::new(0),
        ..FailingStore::default()
    });
    let server = Server::on(store.clone()).await;
    let browser = BrowserSession::open_at(&server.url(""), scripts, Motion::Reduced).await;
    let new =
        json!({"game": "dice", "size": 3, "players": 2, "seats": ["random", "greedy"], "seed": 5});
    let game = create_finished_game(&server, new).await;
    run_review(&browser, &store, &game).await;
    let review = browser.path().await;

    // The graph has a line for each player, and a table has the same numbers.
    assert_eq!(browser.count_elements(".chances .ln").await, 2);
    browser.click(".chances .astable summary").await;
    let shown = "return document.querySelector('.chances table').checkVisibility()";
    assert_eq!(browser.run(shown).await, true);
    let rows = browser.count_elements(".chances tbody tr").await;
    assert!(rows > 2, "{rows} rows");

    // Each player has a separate verdict.
    let first = browser.text_of("h1").await;
    browser.click(".sides a:not([aria-current])").await;
    let other = format!(
        "return document.readyState === 'complete' && location.search !== '' && document.querySelector('h1').textContent !== {first:?}"
    );
    browser.wait_for(&other, "the other side").await;

    // At least one player made mistakes; the golden button leads through them.
    if browser.count_elements(".triple .decision").await == 0 {
        browser.goto(&review).await;
    }
    let mistakes = browser.count_elements(".triple .decision").await;
    browser.click(".praise a.btn.main").await;
    wait_for_element(&browser, ".moment .board", "the first mistake").await;
    let first = browser.path().await;
    if mistakes > 1 {
        match scripts {
            Scripts::On => browser.press_keys([ARROW_RIGHT]).await,
            Scripts::Off => browser.click(".hops [data-ply=next]").await,
        }
        let second = format!(
            "return document.readyState === 'complete' && location.pathname !== '{first}' && document.querySelector('.hops [data-ply=prev]') !== null"
        );
        browser.wait_for(&second, "the second mistake").await;
    }
    let mistake = browser.path().await;

    // The way back leads to the card.
    match scripts {
        Scripts::On => browser.press_keys([ESCAPE]).await,
        Scripts::Off => browser.click("[data-back]").await,
    }
    wait_for_element(&browser, ".decision:target", "the card in the review").await;

    // A game starts from the position before the decision.
    browser.goto(&mistake).await;
    let from = "return `${location.pathname.replace('/review', '')}`";
    let from = browser.run(from).await;
    let from = from.as_str().expect("where it is played on from");
    browser.wait_for_active_buttons().await;
    match scripts {
        Scripts::On => browser.press_keys(['t']).await,
        Scripts::Off => browser.click(".compared form button").await,
    }
    wait_for_element(
        &browser,
        "main[data-game]:not([data-past])",
        "the game that is played on",
    )
    .await;
    let new = browser.path().await;
    assert!(!new.starts_with(&game), "{new} is another game than {game}");
    let origin = format!("return document.querySelector('a[href=\"{from}\"]') !== null");
    browser.wait_for(&origin, "where it comes from").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
pub(crate) async fn a_review_is_requested_and_read_with_scripts() {
    check_review(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
pub(crate) async fn a_review_is_requested_and_read_without_scripts() {
    check_review(Scripts::Off).await;
}

/// Checks the replay, the review and the analysis of a Trilobite game.
async fn check_trilobite_pages(scripts: Scripts) {
    let server = Server::start().await;
    let browser = BrowserSession::open_at(&server.url(""), scripts, Motion::Reduced).await;
    let new = json!({"game": "trilobite", "width": 4, "height": 4, "win": 3, "seats": ["random", "random"], "seed": 3});
    let game = create_finished_game(&server, new).await;

    browser.goto(&format!("{game}/0")).await;
    wait_for_element(&browser, ".replayer", "the player").await;
    assert_eq!(browser.count_elements(CHIPS).await, 0);
    for chips in 1..=3 {
        browser.click("a[data-ply=next]").await;
        let there = format!(
            "return document.readyState === 'complete' && location.pathname === '{game}/{chips}' && document.getElementById('main').dataset.ply === '{chips}'"
        );
        browser.wait_for(&there, "the next chip").await;
        assert_eq!(browser.count_elements(CHIPS).await, chips);
    }
    browser.click("a[data-ply=turnback]").await;
    let back = format!("return location.pathname === '{game}/2'");
    browser.wait_for(&back, "one turn back").await;

    browser.goto(&format!("{game}/2")).await;
    browser.click("a[href^='/analysis?']").await;
    wait_for_element(&browser, ".next a", "what the columns are worth").await;
    assert!(
        browser.path().await.contains("pos=trilobite."),
        "{}",
        browser.path().await
    );
    assert_eq!(browser.count_elements(CHIPS).await, 2);
    browser.click(".next a").await;
    let chips = |number: u32, searched: &str| {
        format!(
            "return document.readyState === 'complete' && {searched}location.search.includes('line=') && document.querySelectorAll({CHIPS:?}).length === {number}"
        )
    };
    browser.wait_for(&chips(3, ""), "a step of a line").await;
    browser.click(".lines .links a").await;
    browser
        .wait_for(&chips(2, "!"), "the step taken back")
        .await;

    browser.goto(&format!("{game}/review")).await;
    browser.click(".head form button").await;
    wait_for_element(&browser, ".review .chances", "the review").await;
    let found = browser.count_elements(".face-chart").await;
    assert_eq!(found, 0, "nothing was rolled");
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
pub(crate) async fn trilobite_is_replayed_analysed_and_reviewed_with_scripts() {
    check_trilobite_pages(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
pub(crate) async fn trilobite_is_replayed_analysed_and_reviewed_without_scripts() {
    check_trilobite_pages(Scripts::Off).await;
}
