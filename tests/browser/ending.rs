//! What the end of a turn does, before it is pressed: a game that would not be won is ended in two steps,
//! the board shows where dice will fall, and a turn with no hex of yours can attack may end by itself.

use fantoccini::key::Key;
use serde_json::json;

use crate::harness::{BrowserSession, Scripts};
use crate::player::tile_selector;

/// A board for two people by the book's first rules, on which nothing is rolled, and Red's first attack.
#[derive(Clone, Copy)]
struct Opening {
    seed: &'static str,
    from: u8,
    to: u8,
}

/// Afterwards Blue is stuck, both have two hexes, and Red can still attack.
const TIE: Opening = Opening {
    seed: "52",
    from: 2,
    to: 0,
};

/// Afterwards nothing is left to attack, and ending the turn brings one die.
const NOTHING_LEFT: Opening = Opening {
    seed: "11",
    from: 0,
    to: 2,
};

const ENDS: &str =
    "return document.querySelector('a[data-key=e]')?.textContent.includes('a tie at 2') ?? null";
const ASKS: &str = "return document.querySelector('.acts [data-back]') !== null && document.querySelector('.prompt h1').textContent === 'End the game?'";

async fn set_up(world: &BrowserSession, opening: Opening) {
    let fields = [
        ("rules", "v1"),
        ("seats:0", "human"),
        ("seats:1", "human"),
        ("seed", opening.seed),
    ];
    crate::set_up_game(world, &fields).await;
}

async fn attack(world: &BrowserSession, Opening { from, to, .. }: Opening) {
    world.click(&tile_selector(&format!("h{from}"))).await;
    let target = format!("return document.querySelector('#h{to}.tgt') !== null");
    world.wait_for(&target, "the target").await;
    world.click(&tile_selector(&format!("h{to}"))).await;
}

/// The page that asks whether the game shall end.
pub(crate) async fn end_question_path(world: &BrowserSession) -> String {
    set_up(world, TIE).await;
    attack(world, TIE).await;
    world.wait_for(ENDS, "the button that ends the game").await;
    format!("{}?end=1", world.path().await)
}

/// The page of a player who has lost a hex in the other's turn.
pub(crate) async fn recap_path(world: &BrowserSession) -> String {
    set_up(world, NOTHING_LEFT).await;
    attack(world, NOTHING_LEFT).await;
    let alone = "return document.querySelector('[data-alone] form[data-key=e]') !== null";
    world.wait_for(alone, "the end of the turn").await;
    world.click(".acts button").await;
    let card = "return document.querySelector('.recap') !== null";
    world.wait_for(card, "what happened since the turn").await;
    world.path().await
}

async fn end_game(world: &BrowserSession) {
    world.click(".acts form button").await;
    let over = "return document.querySelector('.res') !== null";
    world.wait_for(over, "the end of the game").await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn ending_a_game_that_is_not_won_is_asked_once_more() {
    let world = BrowserSession::open(Scripts::On).await;
    set_up(&world, TIE).await;
    attack(&world, TIE).await;
    world.wait_for(ENDS, "the button that ends the game").await;
    // The key asks as the button does, and never answers its own question.
    world.press_keys(['e']).await;
    world.wait_for(ASKS, "the question").await;
    assert!(world.path().await.ends_with("?end=1"));
    world.press_keys(['e']).await;
    world.press_keys([Key::Escape.into()]).await;
    world.wait_for(ENDS, "the turn that goes on").await;
    assert!(!world.path().await.contains('?'));
    // Pressing twice in one place ends nothing.
    world.click(".acts a").await;
    world.wait_for(ASKS, "the question").await;
    let focus = "return document.activeElement.matches('.acts [data-back]')";
    assert_eq!(
        world.run_script(focus, vec![]).await,
        true,
        "the focus is lost"
    );
    world.click(".acts a").await;
    world.wait_for(ENDS, "the turn that goes on").await;
    world.click(".acts a").await;
    world.wait_for(ASKS, "the question").await;
    end_game(&world).await;
}

#[tokio::test]
async fn without_scripts_a_page_asks() {
    let world = BrowserSession::open(Scripts::Off).await;
    set_up(&world, TIE).await;
    attack(&world, TIE).await;
    let confirm = "return document.querySelector('.acts input[name=to]') !== null";
    world.wait_for(confirm, "the attack to confirm").await;
    world.click(".acts button").await;
    world.wait_for(ENDS, "the button that ends the game").await;
    world.click(".acts a").await;
    world.wait_for(ASKS, "the question").await;
    world.click(".acts a").await;
    world.wait_for(ENDS, "the turn that goes on").await;
    world.click(".acts a").await;
    world.wait_for(ASKS, "the question").await;
    end_game(&world).await;
}

#[tokio::test]
async fn the_board_shows_where_dice_will_fall() {
    let world = BrowserSession::open(Scripts::On).await;
    set_up(&world, NOTHING_LEFT).await;
    attack(&world, NOTHING_LEFT).await;
    let alone = "return document.querySelector('[data-alone] form[data-key=e]') !== null";
    world.wait_for(alone, "the end of the turn").await;
    let shown = "return [...document.querySelectorAll('.soon')].filter((one) => getComputedStyle(one).display !== 'none').length";
    assert_eq!(world.run_script(shown, vec![]).await, 0);
    let place = "const box = document.querySelector('.acts .btn').getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]";
    let place = world.run_script(place, vec![]).await;
    let over = json!({"type": "mouseMoved", "x": place[0], "y": place[1]});
    world.devtools("Input.dispatchMouseEvent", over).await;
    let all = format!(
        "return document.querySelectorAll('.soon').length === 2 && (() => {{ {shown} }})() === 2"
    );
    world.wait_for(&all, "a die and its tag").await;
}

#[tokio::test]
async fn a_turn_with_nothing_left_ends_by_itself_for_who_asked() {
    let world = BrowserSession::open(Scripts::On).await;
    set_up(&world, NOTHING_LEFT).await;
    let look = "document.cookie = 'dod_look=ends-on; path=/'";
    world.run_script(look, vec![]).await;
    world.goto(&world.path().await).await;
    attack(&world, NOTHING_LEFT).await;
    let ended = "return document.getElementById('main').dataset.ply === '2'";
    world.wait_for(ended, "the other’s turn").await;
}

/// The first request to end the turn is lost; the stream stays open, so nothing but the page itself tries again.
#[tokio::test]
async fn an_end_by_itself_that_was_lost_is_tried_again() {
    let world = BrowserSession::open(Scripts::On).await;
    set_up(&world, NOTHING_LEFT).await;
    let look = "document.cookie = 'dod_look=ends-on; path=/'";
    world.run_script(look, vec![]).await;
    world.goto(&world.path().await).await;
    let lose_one = "const ask = window.fetch; window.ends = 0; window.fetch = async (url, how) => { if (how?.method === 'POST' && !String(how.body).includes('from') && ++window.ends === 1) throw new TypeError('cut'); return ask(url, how); };";
    world.run_script(lose_one, vec![]).await;
    attack(&world, NOTHING_LEFT).await;
    let lost = "return window.ends > 0";
    world.wait_for(lost, "a first try").await;
    let ended = "return document.getElementById('main').dataset.ply === '2'";
    world.wait_for(ended, "the other’s turn").await;
    assert_eq!(world.run_script("return window.ends", vec![]).await, 2);
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_card_that_was_put_away_stays_away() {
    let world = BrowserSession::open(Scripts::On).await;
    recap_path(&world).await;
    let shown = |what: &str| {
        format!(
            "return [...document.querySelectorAll('{what}')].filter((one) => getComputedStyle(one).display !== 'none').length"
        )
    };
    let (tape, strips, card) = (shown(".was"), shown(".roll"), shown(".recap"));
    let seen = async |script: &str| world.run_script(script, vec![]).await;
    assert_eq!(seen(&tape).await, 1, "the lost hex is taped");
    assert_eq!(
        (seen(&card).await, seen(&strips).await),
        (1.into(), 1.into())
    );
    // Its line lights the hex.
    world
        .run_script("document.querySelector('.taker').focus()", vec![])
        .await;
    assert_eq!(
        seen("return document.querySelectorAll('.hex.mark').length").await,
        1
    );
    world.click(".recap label").await;
    assert_eq!(
        (seen(&card).await, seen(&strips).await),
        (0.into(), 1.into())
    );
    assert_eq!(seen(&tape).await, 0);
    // Another choice brings another page, and no card.
    world.click(".tops a").await;
    let chosen = "return document.querySelector('.board a.src') !== null";
    world.wait_for(chosen, "a chosen hex").await;
    assert_eq!((seen(&card).await, seen(&tape).await), (0.into(), 0.into()));
}
