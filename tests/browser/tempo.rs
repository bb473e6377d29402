//! How the plies of others are shown: how long it takes, what is said meanwhile, and the controls.
//!
//! `DOD_ROUNDS=20 cargo test --release --test browser filmed -- --nocapture` films so many rounds of
//! three computers and tells the median; `DOD_GAMES=5 … films_of_games` so many whole games of somebody who
//! attacks where that is likely enough and ends the turn otherwise.

use std::time::Instant;

use serde_json::json;

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::player::{InputDevice, Player, tile_selector};
use crate::start_quick_game;

/// Nothing moves and the reader is on turn, or the game is over.
const SETTLED: &str = "const main = document.getElementById('main'); return !main.matches('.playing') && (main.dataset.yours !== undefined || main.querySelector('.res') !== null)";

/// The turn is ended, and what follows is shown.
const BEGUN: &str = "const main = document.getElementById('main'); return main.matches('.playing') || Number(main.dataset.ply) > 1";

const OVER: &str = "return document.querySelector('.res') !== null";

/// A game in which the turn can be ended, and it has been.
async fn end_a_turn(world: &BrowserSession) {
    let may_end = "return document.querySelector('form[data-key=e] button') !== null";
    for _ in 0..20 {
        start_quick_game(world).await;
        let attack = "return [...document.querySelectorAll('.board a.can')].map((link) => link.id)";
        let sources = world.run_script(attack, vec![]).await;
        let source = sources[0].as_str().expect("a source").to_owned();
        world.click(&tile_selector(&source)).await;
        world
            .wait_for(
                "return document.querySelector('.board a.tgt') !== null",
                "targets",
            )
            .await;
        world.click(".attacks button").await;
        world
            .wait_for("const main = document.getElementById('main'); return main.dataset.ply === '1' && !main.matches('.playing')", "the attack")
            .await;
        if world.run_script(may_end, vec![]).await == true {
            world.press_keys(['e']).await;
            return;
        }
    }
    panic!("no game of twenty lets a turn end");
}

#[tokio::test]
async fn a_round_of_others_is_never_longer_than_promised() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    start_quick_game(&world).await;
    // The plies of a round as they are planned, by a clock that only they move; each comes late.
    let plan = r"
        const [attacks, lag, speed] = arguments;
        const link = [...document.querySelectorAll('link[rel=modulepreload]')].find((one) => one.href.includes('tempo'));
        return import(link.href).then(({ squeeze }) => {
            const real = performance.now;
            let now = 0;
            performance.now = () => now;
            document.documentElement.dataset.speed = speed;
            const pace = { slow: 1.6, normal: 1, fast: 1 / 3 }[speed];
            const mine = Number(document.getElementById('main').dataset.mine);
            const plies = [1, 2, 3].flatMap((other) => [
                ...Array.from({ length: attacks }, () => ({ player: (mine + other) % 4, path: [0, 99] })),
                { player: (mine + other) % 4, path: null },
            ]);
            plies.forEach((ply, at) => {
                const factor = squeeze(ply, plies.slice(at + 1));
                now += (ply.path ? 430 : 700) * factor * pace * lag;
            });
            squeeze({ player: mine, path: null }, []);
            performance.now = real;
            return now / 1000;
        });";
    for (speed, most) in [("slow", 24.0), ("normal", 15.0), ("fast", 5.0)] {
        for attacks in [0, 1, 5, 12, 20] {
            for lag in [1.0, 1.3] {
                let with = vec![json!(attacks), json!(lag), json!(speed)];
                let seconds = world.run_script(plan, with).await;
                let seconds = seconds.as_f64().expect("seconds");
                assert!(
                    seconds <= most,
                    "{speed}, {attacks} attacks a turn, everything {lag} times as long: {seconds} s"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_round_of_others_can_be_paused_and_skipped() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    end_a_turn(&world).await;
    world
        .wait_for("const tempo = document.querySelector('.tempo'); return tempo !== null && !tempo.hidden", "the controls")
        .await;
    let title = world
        .run_script(
            "return [document.getElementById('main').matches('.playing'), document.title]",
            vec![],
        )
        .await;
    if title[0] == true {
        let title = title[1].as_str().expect("a title");
        let mine = title.starts_with("Your turn");
        let own = "return document.querySelector('.prompt .ticks') === null";
        assert!(
            !mine || world.run_script(own, vec![]).await == true,
            "{title}"
        );
    }
    world.click(".pause").await;
    let pressed = "return document.querySelector('.pause')?.getAttribute('aria-pressed')";
    assert_eq!(world.run_script(pressed, vec![]).await, "true");
    // What moves comes to its end, then nothing does.
    let still =
        "return document.getAnimations().filter((one) => one.playState === 'running').length === 0";
    world.wait_for(still, "everything rests").await;
    assert_eq!(
        world
            .run_script(
                "return document.getElementById('main').matches('.playing')",
                vec![]
            )
            .await,
        true
    );
    let caption = "return /Attack \\d+|Ends the turn|’s turn|Your turn/.test(document.querySelector('.prompt').innerText)";
    assert_eq!(world.run_script(caption, vec![]).await, true);
    world.press_keys(['p']).await;
    assert_eq!(world.run_script(pressed, vec![]).await, "false");
    world.click(".btn.now").await;
    world.wait_for(SETTLED, "the newest position").await;
    let kept = "return document.cookie.includes('speed') || document.documentElement.dataset.speed !== undefined";
    assert_eq!(
        world.run_script(kept, vec![]).await,
        false,
        "no setting has changed"
    );
    if world.run_script(OVER, vec![]).await == true {
        return;
    }
    let title = world.run_script("return document.title", vec![]).await;
    assert!(
        title
            .as_str()
            .is_some_and(|title| title.starts_with("Your turn")),
        "{title}"
    );
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn who_leaves_a_paused_round_can_play_on_afterwards() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    end_a_turn(&world).await;
    let controls =
        "const tempo = document.querySelector('.tempo'); return tempo !== null && !tempo.hidden";
    world.wait_for(controls, "the controls").await;
    world.click(".pause").await;
    world.click(".log .le a").await;
    let past = "return document.getElementById('main').dataset.past !== undefined";
    world.wait_for(past, "a ply of the past").await;
    world.run_script("history.back()", vec![]).await;
    world.wait_for(SETTLED, "the newest position").await;
    if world.run_script(OVER, vec![]).await == true {
        return;
    }
    // One ply of one's own is shown, without a second try.
    let before = world
        .run_script(
            "return Number(document.getElementById('main').dataset.ply)",
            vec![],
        )
        .await;
    match world
        .run_script(
            "return document.querySelector('.board a.can')?.id ?? null",
            vec![],
        )
        .await
    {
        serde_json::Value::String(source) => {
            world.click(&tile_selector(&source)).await;
            let targets = "return document.querySelector('.board a.tgt') !== null";
            world.wait_for(targets, "targets").await;
            world.click(".attacks button").await;
        }
        _ => world.press_keys(['e']).await,
    }
    let on = format!("return Number(document.getElementById('main').dataset.ply) > {before}");
    world.wait_for(&on, "the own ply").await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn filmed() {
    let Some(rounds) = std::env::var("DOD_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
    else {
        return;
    };
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    let mut took = Vec::new();
    while took.len() < rounds {
        end_a_turn(&world).await;
        let before = Instant::now();
        world.wait_for(BEGUN, "the others").await;
        world.wait_for(SETTLED, "the next own turn").await;
        if world.run_script(OVER, vec![]).await == false {
            took.push(before.elapsed().as_secs_f64());
        }
    }
    took.sort_by(f64::total_cmp);
    println!(
        "{rounds} rounds of three computers: median {:.1} s, longest {:.1} s",
        took[rounds / 2],
        took[rounds - 1]
    );
}

#[tokio::test]
async fn films_of_games() {
    let asked = std::env::var("DOD_GAMES").ok();
    let Some(games) = asked.and_then(|games| games.parse::<usize>().ok()) else {
        return;
    };
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    let mut took = Vec::new();
    for _ in 0..games {
        start_quick_game(&world).await;
        let before = Instant::now();
        let mut player = Player::new(&world, InputDevice::Mouse);
        let seen = player.play_until(|_| false).await;
        let (attacks, passes) = (player.attacks, player.passes);
        let seconds = before.elapsed().as_secs_f64();
        println!(
            "{} plies, {attacks} own attacks, {passes} own ends of turns: {seconds:.1} s",
            seen.ply
        );
        took.push(seconds);
    }
    took.sort_by(f64::total_cmp);
    println!(
        "{games} games: median {:.1} s, longest {:.1} s",
        took[games / 2],
        took[games - 1]
    );
}
