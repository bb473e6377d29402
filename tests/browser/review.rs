//! The review of a finished game in a real browser: asked for, waited for, read, left, and played on from,
//! with scripts and without.

use std::sync::Arc;

use dice_of_doom::store::GameStore;
use serde_json::{Value, json};

use crate::common::flaky::Flaky;
use crate::common::{Server, ServerConfig};
use crate::harness::{BrowserSession, Motion, Scripts};

/// A game of computers, played to its end: who attacks at random makes mistakes.
async fn create_finished_game(server: &Server, new: Value) -> String {
    let table = server.api().create(new).await;
    assert_eq!(table.wait(10_000).await["over"], true);
    format!("/g/{}", table.id)
}

/// A chip on the board of columns.
const CHIPS: &str = ".board use[href^='#disc']:not(.ghost)";

async fn text_of(world: &BrowserSession, css: &str) -> String {
    let script = format!("return document.querySelector({css:?})?.textContent ?? ''");
    let text = world.run_script(&script, Vec::new()).await;
    text.as_str().unwrap_or_default().to_owned()
}

async fn count_elements(world: &BrowserSession, css: &str) -> u64 {
    let script = format!("return document.querySelectorAll({css:?}).length");
    world
        .run_script(&script, Vec::new())
        .await
        .as_u64()
        .unwrap_or(0)
}

/// Waits for a page of this kind, wholly there.
async fn wait_for_element(world: &BrowserSession, css: &str, what: &str) {
    let there = format!(
        "return document.readyState === 'complete' && document.querySelector({css:?}) !== null"
    );
    world.wait_for(&there, what).await;
}

/// From the page of the end to the review, while the review is held before it is kept: so its progress is
/// seen however quick it is.
async fn run_review(world: &BrowserSession, archive: &Flaky, game: &str) {
    world.goto(game).await;
    world.click(".res .reviewing").await;
    wait_for_element(world, "[data-wait] progress", "how far it has come").await;
    // Waited for as long as it comes nearer, however slow the machine is.
    let mut come = -1.0;
    loop {
        let nearer = format!(
            "const bar = document.querySelector('[data-wait] progress');
             if (bar === null) return null;
             return bar.max > 1 && bar.value === bar.max ? 'all' : bar.value > {come} ? bar.value : null"
        );
        let now = world.wait_for(&nearer, "a decision that is judged").await;
        let Some(now) = now.as_f64() else { break };
        come = now;
    }
    assert_eq!(
        count_elements(world, ".chances").await,
        0,
        "it is not kept yet"
    );
    archive.reviews.add_permits(1);
    wait_for_element(world, ".review .chances", "the review").await;
}

async fn check_review(scripts: Scripts) {
    let archive = Arc::new(Flaky {
        reviews: tokio::sync::Semaphore::new(0),
        ..Flaky::default()
    });
    let server = Server::start_with(ServerConfig {
        archive: Arc::clone(&archive) as Arc<dyn GameStore>,
        ..ServerConfig::default()
    })
    .await;
    let world = BrowserSession::open_at(&server.url(""), scripts, Motion::Reduced).await;
    let new =
        json!({"game": "dice", "size": 3, "players": 2, "seats": ["random", "greedy"], "seed": 5});
    let game = create_finished_game(&server, new).await;
    run_review(&world, &archive, &game).await;
    let review = world.path().await;

    // The graph has a line for each player, and the same numbers stand in a table.
    assert_eq!(count_elements(&world, ".chances .ln").await, 2);
    world.click(".chances .astable summary").await;
    let shown = "return document.querySelector('.chances table').checkVisibility()";
    assert_eq!(world.run_script(shown, vec![]).await, true);
    let rows = count_elements(&world, ".chances tbody tr").await;
    assert!(rows > 2, "{rows} rows");

    // Each side has a verdict of its own.
    let first = text_of(&world, "h1").await;
    world.click(".sides a:not([aria-current])").await;
    let other = format!(
        "return document.readyState === 'complete' && location.search !== '' && document.querySelector('h1').textContent !== {first:?}"
    );
    world.wait_for(&other, "the other side").await;

    // One side at least made a mistake: it is looked at with one press.
    if count_elements(&world, ".decision").await == 0 {
        world.goto(&review).await;
    }
    let look = "return document.querySelector('.decision a').getAttribute('href')";
    let look = world.run_script(look, vec![]).await;
    let look = look.as_str().expect("a decision that cost something");
    let side = world.path().await;
    world.click(".decision .go").await;
    wait_for_element(&world, ".replayer", "the moment of the decision").await;
    assert_eq!(world.path().await, look);
    // The way back to the review stands beside the player.
    world.click(".replayer .reviewing").await;
    wait_for_element(&world, ".review .chances", "the review again").await;

    // And it is played on from before the decision, with one press.
    world.goto(&side).await;
    let from = "return `${location.pathname.replace('/review', '')}/${document.querySelector('.decision form input[name=ply]').value}`";
    let from = world.run_script(from, vec![]).await;
    let from = from.as_str().expect("where it is played on from");
    world.click(".decision form button").await;
    wait_for_element(&world, "main[data-game]", "the game that is played on").await;
    let new = world.path().await;
    assert!(!new.starts_with(&game), "{new} is another game than {game}");
    let origin = format!("return document.querySelector('a[href=\"{from}\"]') !== null");
    world.wait_for(&origin, "where it comes from").await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_is_asked_for_read_and_left_with_scripts() {
    check_review(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_is_asked_for_read_and_left_without_scripts() {
    check_review(Scripts::Off).await;
}

/// Trilobite's own: a game without dice is replayed, reviewed and analysed.
async fn check_trilobite_pages(scripts: Scripts) {
    let server = Server::start().await;
    let world = BrowserSession::open_at(&server.url(""), scripts, Motion::Reduced).await;
    let new = json!({"game": "trilobite", "width": 4, "height": 4, "win": 3, "seats": ["random", "random"], "seed": 3});
    let game = create_finished_game(&server, new).await;

    world.goto(&format!("{game}/0")).await;
    wait_for_element(&world, ".replayer", "the player").await;
    assert_eq!(count_elements(&world, CHIPS).await, 0);
    for chips in 1..=3 {
        world.click("a[data-ply=next]").await;
        let there = format!(
            "return document.readyState === 'complete' && location.pathname === '{game}/{chips}' && document.getElementById('main').dataset.ply === '{chips}'"
        );
        world.wait_for(&there, "the next chip").await;
        assert_eq!(count_elements(&world, CHIPS).await, chips);
    }
    world.click("a[data-ply=turnback]").await;
    let back = format!("return location.pathname === '{game}/2'");
    world.wait_for(&back, "one turn back").await;

    world.goto(&format!("{game}/2")).await;
    world.click("a[href^='/analysis?']").await;
    wait_for_element(&world, ".next a", "what the columns are worth").await;
    assert!(
        world.path().await.contains("pos=trilobite."),
        "{}",
        world.path().await
    );
    assert_eq!(count_elements(&world, CHIPS).await, 2);
    world.click(".next a").await;
    let chips = |number: u32, searched: &str| {
        format!(
            "return document.readyState === 'complete' && {searched}location.search.includes('line=') && document.querySelectorAll({CHIPS:?}).length === {number}"
        )
    };
    world.wait_for(&chips(3, ""), "a step of a line").await;
    world.click(".lines .links a").await;
    world.wait_for(&chips(2, "!"), "the step taken back").await;

    world.goto(&format!("{game}/review")).await;
    world.click(".head form button").await;
    wait_for_element(&world, ".review .chances", "the review").await;
    assert_eq!(
        count_elements(&world, ".hist").await,
        0,
        "nothing was rolled"
    );
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn columns_are_replayed_analysed_and_reviewed_with_scripts() {
    check_trilobite_pages(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn columns_are_replayed_analysed_and_reviewed_without_scripts() {
    check_trilobite_pages(Scripts::Off).await;
}
