//! Presses that come while a page changes: none plays what was not meant, and none that was meant is lost.

use serde_json::{Value, json};

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::layouts::SIZES;

/// Where the reader is to move and nothing is shown any more.
const YOURS: &str = "const main = document.getElementById('main'); return main.dataset.yours !== undefined && !main.matches('.playing')";

/// A game under rules by which a turn may be ended at once.
async fn conquest(world: &BrowserSession) {
    let computers = ["seats:1", "seats:2", "seats:3"].map(|seat| (seat, "random"));
    let fields = [&[("rules", "conquest"), ("seed", "7")], &computers[..]].concat();
    crate::set_up_game(world, &fields).await;
    world.wait_for(YOURS, "the first turn").await;
}

async fn end_turn(world: &BrowserSession) {
    world.click("form[data-key=e] button").await;
    let controls = "const tempo = document.querySelector('.tempo'); return document.querySelector('main.playing') !== null && !tempo.hidden";
    world.wait_for(controls, "the turns of others").await;
}

#[tokio::test]
async fn a_button_that_appears_takes_no_press_meant_for_another() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    conquest(&world).await;
    end_turn(&world).await;
    // Presses the button as soon as the turn begins, and again when presses count; answers what was sent by each.
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
        serde_json::from_value(world.run_script(press, vec![]).await).expect("two counts");
    assert_eq!(early, json!([0, true]), "the first press does nothing");
    assert_eq!(late, 1, "the second one ends the turn");
}

#[tokio::test]
async fn no_button_that_plays_stands_where_a_round_is_skipped() {
    let world = BrowserSession::open(Scripts::On).await;
    conquest(&world).await;
    let game = world.path().await;
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
        world.set_window_size(size).await;
        world.goto(&game).await;
        for path in [game.clone(), format!("{game}/hint")] {
            world.goto(&path).await;
            let found = world.run_script(covered, vec![]).await;
            assert_eq!(found, json!([]), "{path} at {size:?}");
        }
    }
}

#[tokio::test]
async fn a_hex_that_is_pressed_while_dice_roll_is_chosen() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    crate::set_up_game(&world, &[("seed", "7"), ("size", "4")]).await;
    world.wait_for(YOURS, "the first turn").await;
    // Attacks, presses a hex on the moving board that can attack afterwards, and answers which one is chosen.
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
    let chosen = world.run_script(play, vec![]).await;
    assert_eq!(chosen[0], chosen[1], "{chosen}");
    assert_eq!(chosen[2], "1");
}

#[tokio::test]
async fn who_watches_a_round_again_comes_back_to_the_turn() {
    let world = BrowserSession::open(Scripts::On).await;
    conquest(&world).await;
    let game = world.path().await;
    let played = world
        .run_script("return document.getElementById('main').dataset.ply", vec![])
        .await;
    world.click("form[data-key=e] button").await;
    let card = format!(
        "const main = document.getElementById('main'); return main.dataset.yours !== undefined && Number(main.dataset.ply) > {}",
        played.as_str().expect("a number")
    );
    world.wait_for(&card, "the next turn").await;
    let again = "return document.querySelector('a.again')?.getAttribute('href') ?? null";
    let again = world.wait_for(again, "the card").await;
    world
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
    assert_eq!(world.run_script(main, vec![]).await, "Back to your turn");
    world.goto(&game).await;
    world.run_script("document.documentElement.dataset.speed = 'fast'; document.querySelector('a.again').click();", vec![]).await;
    let past = "return document.getElementById('main').dataset.past !== undefined";
    world.wait_for(past, "the round, again").await;
    let back = format!(
        "return location.pathname === '{game}' && document.getElementById('main').dataset.yours !== undefined"
    );
    world.wait_for(&back, "the turn").await;
}
