//! Clicks while the page changes: an accidental click plays nothing, and an intended one is not lost.

use serde_json::{Value, json};

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::layouts::SIZES;

/// It is the player's turn, and the playback has ended.
const YOURS: &str = "const main = document.getElementById('main'); return main.dataset.yours !== undefined && !main.matches('.playing')";

/// Creates a game under the rules `conquest`, which allow a turn to be ended at once.
async fn conquest(browser: &BrowserSession) {
    let fields = "rules=conquest&seed=7&seats:1=random&seats:2=random&seats:3=random";
    crate::set_up_game(browser, fields).await;
    browser.wait_for(YOURS, "the first turn").await;
}

async fn end_turn(browser: &BrowserSession) {
    browser.click("form[data-key=e] button").await;
    let controls = "const tempo = document.querySelector('.tempo'); return document.querySelector('main.playing') !== null && !tempo.hidden";
    browser.wait_for(controls, "the turns of others").await;
}

#[tokio::test]
pub(crate) async fn a_button_ignores_clicks_right_after_it_appears() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    conquest(&browser).await;
    end_turn(&browser).await;
    // Submits the form as soon as the turn begins, and again when clicks are accepted; returns the number of requests
    // after each attempt.
    let press = r"
        document.querySelector('.btn.now').click();
        const sent = [];
        const real = window.fetch;
        window.fetch = (address, options) => {
            if (options?.method === 'POST') sent.push(String(address));
            return real(address, options);
        };
        const main = () => document.getElementById('main');
        const until = (holds) => new Promise((then) => {
            const look = () => (holds() ? then() : requestAnimationFrame(look));
            look();
        });
        const form = () => main().querySelector('form[data-key=e]');
        return until(() => main().dataset.yours !== undefined && !main().matches('.playing') && form())
            .then(() => form().requestSubmit())
            .then(() => [sent.length, main().matches('[data-guarded]')])
            .then((early) => until(() => !main().matches('[data-guarded]'))
                .then(() => form().requestSubmit())
                .then(() => [early, sent.length]));";
    let [early, late]: [Value; 2] =
        serde_json::from_value(browser.run(press).await).expect("two counts");
    assert_eq!(early, json!([0, true]), "the first click does nothing");
    assert_eq!(late, 1, "the second one ends the turn");
}

#[tokio::test]
async fn no_play_button_overlaps_the_playback_controls() {
    let browser = BrowserSession::open(Scripts::On).await;
    conquest(&browser).await;
    let game = browser.path().await;
    let covered = r#"
        const tempo = document.querySelector(".tempo");
        tempo.hidden = false;
        const boxes = (css) => [...document.querySelectorAll(css)].map((at) => [at, at.getBoundingClientRect()]);
        const found = [];
        for (const [, a] of boxes(".tempo button")) for (const [at, b] of boxes(".actions .btn, .attacks .btn, .hints button, .top a")) {
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (wide > 0 && high > 0) found.push(at.textContent);
        }
        tempo.hidden = true;
        return found;
    "#;
    for size in SIZES {
        browser.set_window_size(size).await;
        browser.goto(&game).await;
        for path in [game.clone(), format!("{game}/hint")] {
            browser.goto(&path).await;
            let found = browser.run(covered).await;
            assert_eq!(found, json!([]), "{path} at {size:?}");
        }
    }
}

#[tokio::test]
pub(crate) async fn a_hex_clicked_during_the_roll_is_chosen() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    crate::set_up_game(&browser, "seed=7&size=4").await;
    browser.wait_for(YOURS, "the first turn").await;
    // Attacks, then clicks during the animation on another hex that can attack; returns the chosen hex.
    let play = r"
        const main = () => document.getElementById('main');
        const until = (holds) => new Promise((then) => {
            const look = () => { const found = holds(); found ? then(found) : requestAnimationFrame(look); };
            look();
        });
        const press = (at) => at.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
        const [first, other] = [...main().querySelectorAll('.board a.can')].map((hex) => hex.id);
        press(main().querySelector(`#${first}`));
        return until(() => main().querySelector('.board a.tgt'))
            .then(press)
            .then(() => until(() => main().matches('.playing')))
            .then(() => press(main().querySelector(`#${other}`)))
            .then(() => until(() => !main().matches('.playing') && main().querySelector('.board a.src')))
            .then((chosen) => [chosen.id, other, main().dataset.ply]);";
    let chosen = browser.run(play).await;
    assert_eq!(chosen[0], chosen[1], "{chosen}");
    assert_eq!(chosen[2], "1");
}

#[tokio::test]
pub(crate) async fn the_replay_of_a_round_returns_to_the_turn() {
    let browser = BrowserSession::open(Scripts::On).await;
    conquest(&browser).await;
    let game = browser.path().await;
    let played = browser
        .eval("document.getElementById('main').dataset.ply")
        .await;
    browser.click("form[data-key=e] button").await;
    let card = format!(
        "const main = document.getElementById('main'); return main.dataset.yours !== undefined && Number(main.dataset.ply) > {}",
        played.as_str().expect("a number")
    );
    browser.wait_for(&card, "the next turn").await;
    let again = "return document.querySelector('a.again')?.getAttribute('href') ?? null";
    let again = browser.wait_for(again, "the card").await;
    browser
        .goto(
            again
                .as_str()
                .expect("a path")
                .split('#')
                .next()
                .expect("a path"),
        )
        .await;
    let main = "return document.querySelector('.acts .btn.main').textContent";
    assert_eq!(browser.run(main).await, "Back to your turn");
    browser.goto(&game).await;
    browser.run("document.documentElement.dataset.speed = 'fast'; document.querySelector('a.again').click();").await;
    let past = "return document.getElementById('main').dataset.past !== undefined";
    browser.wait_for(past, "the round, again").await;
    let back = format!(
        "return location.pathname === '{game}' && document.getElementById('main').dataset.yours !== undefined"
    );
    browser.wait_for(&back, "the turn").await;
}
