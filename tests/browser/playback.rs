//! The playback of other players' plies: its duration, captions and controls.
//!
//! `DOD_ROUNDS=20 cargo test --release --test browser round_durations -- --nocapture` measures 20 rounds of three
//! computer players and prints the median; `DOD_GAMES=5 … game_durations` measures five complete games of a player who
//! attacks if the odds are good enough and ends the turn otherwise.

use std::time::Instant;

use serde_json::json;

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::player::{InputDevice, Player, tile_selector};
use crate::start_quick_game;

/// The playback has ended, and it is the player's turn or the game is over.
const SETTLED: &str = "const main = document.getElementById('main'); return !main.matches('.playing') && (main.dataset.yours !== undefined || main.querySelector('.res') !== null)";

/// The turn has ended, and the playback of the next plies has begun.
const BEGUN: &str = "const main = document.getElementById('main'); return main.matches('.playing') || Number(main.dataset.ply) > 1";

const OVER: &str = "return document.querySelector('.res') !== null";

/// Starts a game, attacks once and ends the turn; starts another game if the turn cannot be ended.
async fn start_game_and_end_turn(browser: &BrowserSession) {
    let may_end = "return document.querySelector('form[data-key=e] button') !== null";
    for _ in 0..20 {
        start_quick_game(browser).await;
        let attack = "return [...document.querySelectorAll('.board a.can')].map((link) => link.id)";
        let sources = browser.run(attack).await;
        let source = sources[0].as_str().expect("a source").to_owned();
        browser.click(&tile_selector(&source)).await;
        browser.wait_for_element(".board a.tgt").await;
        browser.click(".attacks button").await;
        browser
            .wait_for("const main = document.getElementById('main'); return main.dataset.ply === '1' && !main.matches('.playing')", "the attack")
            .await;
        if browser.run(may_end).await == true {
            browser.press_keys(['e']).await;
            return;
        }
    }
    panic!("no game of twenty lets a turn end");
}

#[tokio::test]
async fn the_playback_of_a_round_stays_within_its_time_limit() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    start_quick_game(&browser).await;
    // Simulates the playback of a round with a fake clock; each ply takes `lag` times as long as planned.
    let plan = r"
        const [attacks, lag, speed] = arguments;
        const link = [...document.querySelectorAll('link[rel=modulepreload]')].find((one) => one.href.includes('playback'));
        return import(link.href).then(({ plyDurationFactor }) => {
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
                const factor = plyDurationFactor(ply, plies.slice(at + 1));
                now += (ply.path ? 430 : 700) * factor * pace * lag;
            });
            plyDurationFactor({ player: mine, path: null }, []);
            performance.now = real;
            return now / 1000;
        });";
    for (speed, most) in [("slow", 16.0), ("normal", 10.0), ("fast", 3.5)] {
        for attacks in [0, 1, 5, 12, 20] {
            for lag in [1.0, 1.3] {
                let with = vec![json!(attacks), json!(lag), json!(speed)];
                let seconds = browser.run_script(plan, with).await;
                let seconds = seconds.as_f64().expect("seconds");
                assert!(
                    seconds <= most,
                    "{speed}, {attacks} attacks a turn, each ply {lag} times as long: {seconds} s"
                );
            }
        }
    }
}

#[tokio::test]
pub(crate) async fn the_playback_of_a_round_can_be_paused_and_skipped() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    start_game_and_end_turn(&browser).await;
    browser
        .wait_for("const tempo = document.querySelector('.tempo'); return tempo !== null && !tempo.hidden", "the controls")
        .await;
    let title = browser
        .eval("[document.getElementById('main').matches('.playing'), document.title]")
        .await;
    if title[0] == true {
        let title = title[1].as_str().expect("a title");
        let mine = title.starts_with("Your turn");
        let own = "return document.querySelector('.prompt .ticks') === null";
        assert!(!mine || browser.run(own).await == true, "{title}");
    }
    browser.click(".pause").await;
    let pressed = "return document.querySelector('.pause')?.getAttribute('aria-pressed')";
    assert_eq!(browser.run(pressed).await, "true");
    // Running animations end, and no other one starts.
    let still =
        "return document.getAnimations().filter((one) => one.playState === 'running').length === 0";
    browser.wait_for(still, "the end of the animations").await;
    assert!(
        browser
            .is_true("document.getElementById('main').matches('.playing')")
            .await
    );
    let caption = "return /Attack \\d+|Ends the turn|’s turn|Your turn/.test(document.querySelector('.prompt').innerText)";
    assert_eq!(browser.run(caption).await, true);
    browser.press_keys(['p']).await;
    assert_eq!(browser.run(pressed).await, "false");
    browser.click(".btn.now").await;
    browser.wait_for(SETTLED, "the newest position").await;
    let setting_changed = "return document.cookie.includes('speed') || document.documentElement.dataset.speed !== undefined";
    let found = browser.run(setting_changed).await;
    assert_eq!(found, false, "no setting has changed");
    if browser.run(OVER).await == true {
        return;
    }
    let title = browser.eval("document.title").await;
    assert!(
        title
            .as_str()
            .is_some_and(|title| title.starts_with("Your turn")),
        "{title}"
    );
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn a_player_who_leaves_a_paused_round_can_play_afterwards() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    start_game_and_end_turn(&browser).await;
    let controls =
        "const tempo = document.querySelector('.tempo'); return tempo !== null && !tempo.hidden";
    browser.wait_for(controls, "the controls").await;
    browser.click(".pause").await;
    browser.click(".log .le a").await;
    let past = "return document.getElementById('main').dataset.past !== undefined";
    browser.wait_for(past, "an earlier ply").await;
    browser.run("history.back()").await;
    browser.wait_for(SETTLED, "the newest position").await;
    if browser.run(OVER).await == true {
        return;
    }
    // The player's next ply is shown at the first attempt.
    let before = browser
        .eval("Number(document.getElementById('main').dataset.ply)")
        .await;
    match browser
        .eval("document.querySelector('.board a.can')?.id ?? null")
        .await
    {
        serde_json::Value::String(source) => {
            browser.click(&tile_selector(&source)).await;
            browser.wait_for_element(".board a.tgt").await;
            browser.click(".attacks button").await;
        }
        _ => browser.press_keys(['e']).await,
    }
    let on = format!("return Number(document.getElementById('main').dataset.ply) > {before}");
    browser.wait_for(&on, "the own ply").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn round_durations() {
    let Some(rounds) = std::env::var("DOD_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
    else {
        return;
    };
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    let mut durations = Vec::new();
    while durations.len() < rounds {
        start_game_and_end_turn(&browser).await;
        let before = Instant::now();
        browser.wait_for(BEGUN, "the others").await;
        browser.wait_for(SETTLED, "the next own turn").await;
        if browser.run(OVER).await == false {
            durations.push(before.elapsed().as_secs_f64());
        }
    }
    durations.sort_by(f64::total_cmp);
    println!(
        "{rounds} rounds of three computer players: median {:.1} s, longest {:.1} s",
        durations[rounds / 2],
        durations[rounds - 1]
    );
}

#[tokio::test]
async fn game_durations() {
    let count = std::env::var("DOD_GAMES").ok();
    let Some(games) = count.and_then(|games| games.parse::<usize>().ok()) else {
        return;
    };
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    let mut durations = Vec::new();
    for _ in 0..games {
        start_quick_game(&browser).await;
        let before = Instant::now();
        let mut player = Player::new(&browser, InputDevice::Mouse);
        let seen = player.play_until(|_| false).await;
        let (attacks, passes) = (player.attacks, player.passes);
        let seconds = before.elapsed().as_secs_f64();
        println!(
            "{} plies, {attacks} own attacks, {passes} own ends of turns: {seconds:.1} s",
            seen.ply
        );
        durations.push(seconds);
    }
    durations.sort_by(f64::total_cmp);
    println!(
        "{games} games: median {:.1} s, longest {:.1} s",
        durations[games / 2],
        durations[games - 1]
    );
}
