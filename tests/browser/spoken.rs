//! What is read out, and which hexes show their numbers.

use serde_json::json;

use crate::ending;
use crate::harness::{BrowserSession, Scripts};

const SAID: &str = "return document.getElementById('say').textContent";

#[tokio::test]
async fn what_happened_since_the_turn_is_read_out() {
    let world = BrowserSession::open(Scripts::On).await;
    ending::recap_path(&world).await;
    let said = world.wait_for(&format!("{SAID} || null"), "words").await;
    let said = said.as_str().expect("words");
    let parts = [
        "Since the start. Striped hexes were Blue’s.",
        "−1 hex",
        "Red took 1: hex 2",
        "Choose where to attack from",
    ];
    for part in parts {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[tokio::test]
async fn at_the_end_the_focus_is_on_the_result() {
    let world = BrowserSession::open(Scripts::On).await;
    let question = ending::end_question_path(&world).await;
    world.goto(&question).await;
    world.click(".acts form button").await;
    let focus = "return document.activeElement.matches('.res h1')";
    world.wait_for(focus, "the focus on the result").await;
}

/// The numbers of the hexes that are shown.
const NUMBERS: &str = "return [...document.querySelectorAll('.board .num')].filter((one) => getComputedStyle(one).opacity === '1').map((one) => Number(one.textContent))";

#[tokio::test]
async fn hexes_that_are_spoken_of_show_their_numbers() {
    let world = BrowserSession::open(Scripts::On).await;
    let fields = [
        ("seed", "7"),
        ("seats:1", "human"),
        ("seats:2", "human"),
        ("seats:3", "human"),
    ];
    crate::set_up_game(&world, &fields).await;
    let game = world.path().await;
    assert_eq!(world.run_script(NUMBERS, vec![]).await, json!([]));
    let link = "return document.querySelector('a.can').getAttribute('href')";
    let source = world.run_script(link, vec![]).await;
    world.goto(source.as_str().expect("a path")).await;
    let named = "return [...document.querySelectorAll('a.src, a.tgt')].map((hex) => Number(hex.id.slice(1))).sort((a, b) => a - b)";
    let named = world.run_script(named, vec![]).await;
    assert!(named.as_array().is_some_and(|hexes| hexes.len() > 1));
    assert_eq!(world.run_script(NUMBERS, vec![]).await, named);
    // The attack is named by the log.
    world.click(".attacks button").await;
    let played = "return document.getElementById('main').dataset.ply === '1'";
    world.wait_for(played, "the attack").await;
    world.goto(&game).await;
    assert_eq!(
        world.run_script(&format!("{NUMBERS}.length"), vec![]).await,
        2
    );
    world.goto(&format!("{game}/1")).await;
    assert_eq!(
        world.run_script(&format!("{NUMBERS}.length"), vec![]).await,
        2
    );
    world.goto(&format!("{game}/hint")).await;
    let pointed = "return document.querySelectorAll('.pointer').length > 0";
    world.wait_for(pointed, "the hint").await;
    let numbers = world.run_script(NUMBERS, vec![]).await;
    assert!(
        numbers.as_array().is_some_and(|hexes| hexes.len() > 2),
        "{numbers}"
    );
}
