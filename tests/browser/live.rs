//! The table as it is played: two windows, movements, a server that goes and comes back, the keyboard.

use std::path::PathBuf;

use fantoccini::key::Key;
use serde_json::Value;

use crate::harness::{BrowserSession, Motion, Scripts, Server};
use crate::player::{InputDevice, PageState, Player, tile_selector};
use crate::proxy::Proxy;
use crate::{DESKTOP, start_quick_game};

/// Two people at one screen, so that a test decides every ply.
const TWO_HERE: &[(&str, &str)] = &[
    ("size", "4"),
    ("players", "2"),
    ("seats:0", "human"),
    ("seats:1", "human"),
    ("seed", "7"),
];

async fn current_ply(world: &BrowserSession) -> i64 {
    let ply = "return Number(document.getElementById('main').dataset.ply)";
    world
        .run_script(ply, vec![])
        .await
        .as_i64()
        .expect("a number")
}

async fn until_ply(world: &BrowserSession, ply: i64) {
    let there = format!(
        "const main = document.getElementById('main'); return main.dataset.ply === '{ply}' && !main.matches('.playing')"
    );
    world.wait_for(&there, "the ply").await;
}

async fn is_true(world: &BrowserSession, script: &str) -> bool {
    world
        .run_script(&format!("return Boolean({script})"), vec![])
        .await
        == true
}

/// Follows a game that somebody else plays, and marks the window, to see that it stays the same.
async fn open_game(world: &BrowserSession, path: &str) {
    world.goto(path).await;
    // Any request that ends is the stream's answer, or the page's.
    world
        .wait_for(
            "return performance.getEntriesByType('resource').some((one) => one.name.includes('.js')) && document.readyState === 'complete'",
            "the page",
        )
        .await;
    world.run_script("window.sameWindow = true", vec![]).await;
}

/// Attacks once, from the first source to its first target.
async fn attack(player: &Player<'_>) -> (PageState, String) {
    let seen = player.read_page().await;
    let source = seen
        .sources
        .first()
        .expect("somebody can attack")
        .id
        .clone();
    let seen = player.choose_hex(&seen, &source).await;
    let target = seen.targets.first().expect("a target").id.clone();
    player.choose_hex(&seen, &target).await;
    (seen, target)
}

#[tokio::test]
async fn two_windows_see_the_same_table() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    crate::set_up_game(&world, TWO_HERE).await;
    let path = world.path().await;
    let other = BrowserSession::open_at(&world.address, Scripts::On, Motion::Full).await;
    open_game(&other, &path).await;
    world
        .wait_for(
            "const at = document.querySelector('.watching'); return at && !at.hidden && at.textContent.startsWith('1')",
            "the number of watchers",
        )
        .await;
    let icon = "document.querySelector('link[rel=icon]').href.includes('favicon-turn')";
    assert!(
        is_true(&world, icon).await,
        "the icon says whose turn it is"
    );
    assert!(!is_true(&other, icon).await, "a watcher is never to move");
    let title = other.run_script("return document.title", vec![]).await;
    assert!(
        title
            .as_str()
            .is_some_and(|title| title.contains("to move")),
        "{title}"
    );

    let shifts = "new PerformanceObserver((list) => { window.shift = (window.shift ?? 0) + list.getEntries().reduce((sum, one) => sum + one.value, 0); }).observe({ type: 'layout-shift' }); window.shift = 0;";
    other.run_script(shifts, vec![]).await;
    let player = Player::new(&world, InputDevice::Mouse);
    let mut played = 0;
    while played < 4 {
        let seen = player.read_page().await;
        if seen.over {
            break;
        }
        if seen.pass && played % 2 == 1 {
            world.click("form[data-key=e] button").await;
        } else {
            attack(&player).await;
        }
        played += 1;
        until_ply(&world, played).await;
    }
    until_ply(&other, played).await;
    let words = "return [...document.querySelectorAll('.log .le')].map((line) => line.textContent).join('\\n')";
    assert_eq!(
        world.run_script(words, vec![]).await,
        other.run_script(words, vec![]).await,
        "both have the same log"
    );
    assert!(
        is_true(&other, "window.sameWindow").await,
        "nothing was loaded anew"
    );
    assert!(
        is_true(&other, "document.documentElement.matches('.moves')").await,
        "plies were shown in movement"
    );
    let shift = other.run_script("return window.shift", vec![]).await;
    assert_eq!(shift.as_f64(), Some(0.0), "the layout jumps");
    assert_eq!(other.console_errors().await, Vec::<String>::new());
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

/// What stands in front of servers answers for them while none is ready: the page waits and stays.
#[tokio::test]
async fn a_ply_is_not_lost_on_a_balancers_page() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let line = Proxy::start(&server.host_and_port()).await;
    let world = BrowserSession::open_at(&line.address, Scripts::On, Motion::Reduced).await;
    crate::set_up_game(&world, TWO_HERE).await;
    world.run_script("window.sameWindow = true", vec![]).await;
    let player = Player::new(&world, InputDevice::Mouse);
    let seen = player.read_page().await;
    let source = seen.sources.first().expect("an attack").id.clone();
    let seen = player.choose_hex(&seen, &source).await;
    let target = seen.targets.first().expect("a target").id.clone();

    line.answer_unavailable();
    world.click(&tile_selector(&target)).await;
    let lost = "return document.querySelector('main[data-stale] .away') !== null";
    world
        .wait_for(lost, "the page says that it may be old")
        .await;
    assert!(is_true(&world, "window.sameWindow").await, "the page stays");
    assert_eq!(current_ply(&world).await, 0);

    line.restore();
    let found = "return document.querySelector('main[data-stale]') === null";
    world.wait_for(found, "the page is fresh again").await;
    assert!(is_true(&world, "window.sameWindow").await, "the page stays");
    attack(&player).await;
    until_ply(&world, 1).await;
}

/// Requests end without an answer while `line` says so: `cut` before they are sent, `deaf` afterwards.
const LINE: &str = "const ask = window.fetch; window.posts = 0; window.fetch = async (url, how) => { window.posts += how?.method === 'POST'; if (window.line === 'cut') throw new TypeError('cut'); const answer = await ask(url, how); if (window.line === 'deaf') throw new TypeError('deaf'); return answer; };";

/// Chooses a hex while the line is like that, and mends it as soon as the page says that it may be old.
async fn choose_in_vain(world: &BrowserSession, line: &str, hex: &str) {
    world
        .run_script("window.line = arguments[0]", vec![line.into()])
        .await;
    world.click(&tile_selector(hex)).await;
    let lost = "return document.querySelector('main[data-stale] .away') !== null";
    world
        .wait_for(lost, "the page says that it may be old")
        .await;
    world.run_script("window.line = 'whole'", vec![]).await;
    let found = "return document.querySelector('main[data-stale]') === null";
    world.wait_for(found, "the page is fresh again").await;
}

/// The stream stays open all the time, so that nothing tells when requests are answered again.
#[tokio::test]
async fn a_request_that_fails_locks_no_board_and_is_sent_once() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    crate::set_up_game(&world, TWO_HERE).await;
    world.run_script(LINE, vec![]).await;
    let player = Player::new(&world, InputDevice::Mouse);
    let seen = player.read_page().await;
    let source = seen.sources.first().expect("an attack").id.clone();

    choose_in_vain(&world, "cut", &source).await;
    let seen = player.read_page().await;
    let chosen = seen.chosen.expect("what was chosen is shown");
    assert_eq!(chosen.id, source);

    let target = seen.targets.first().expect("a target").id.clone();
    choose_in_vain(&world, "cut", &target).await;
    let seen = player.read_page().await;
    assert_eq!(seen.ply, 0, "nothing was played");
    assert_eq!(seen.chosen, Some(chosen), "the source is still chosen");
    assert_eq!(world.run_script("return window.posts", vec![]).await, 1);

    choose_in_vain(&world, "deaf", &target).await;
    until_ply(&world, 1).await;
    let seen = player.read_page().await;
    assert_eq!((seen.chosen, seen.notice), (None, None));
    assert_eq!(world.run_script("return window.posts", vec![]).await, 2);
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn both_carry_on_after_the_server_was_away() {
    let folder = tempfile::tempdir().expect("a folder for the games");
    let database = format!("sqlite:{}", folder.path().join("games.db").display());
    let server = Server::start("127.0.0.1:0", &database);
    let place = server.host_and_port();
    let world = BrowserSession::open_at(&server.address, Scripts::On, Motion::Reduced).await;
    crate::set_up_game(&world, TWO_HERE).await;
    let path = world.path().await;
    let other = BrowserSession::open_at(&server.address, Scripts::On, Motion::Reduced).await;
    open_game(&other, &path).await;
    let player = Player::new(&world, InputDevice::Mouse);
    attack(&player).await;
    until_ply(&other, 1).await;

    drop(server);
    let lost = "return document.querySelector('main[data-stale] .away')?.textContent.includes('Reconnecting') ?? null";
    for page in [&world, &other] {
        page.wait_for(lost, "the page says that it may be old")
            .await;
        assert!(
            is_true(
                page,
                "document.getElementById('say').textContent.includes('Reconnecting')"
            )
            .await
        );
    }
    let before = world.path().await;
    let back = Server::start(&place, &database);
    let found = "return document.querySelector('main[data-stale]') === null";
    world.wait_for(found, "the page is fresh again").await;
    assert_eq!(world.path().await, before, "nothing was chosen meanwhile");
    let seen = player.read_page().await;
    if seen.sources.is_empty() {
        world.click("form[data-key=e] button").await;
    } else {
        attack(&player).await;
    }
    until_ply(&world, 2).await;
    until_ply(&other, 2).await;
    assert!(
        is_true(
            &other,
            "window.sameWindow && document.querySelector('.away') === null"
        )
        .await
    );
    drop(back);
}

#[tokio::test]
async fn who_wants_rest_sees_the_result_at_once() {
    for motion in [Motion::Reduced, Motion::Full] {
        let world = BrowserSession::open_with_motion(Scripts::On, motion).await;
        crate::set_up_game(&world, TWO_HERE).await;
        if motion == Motion::Full {
            world
                .run_script("document.documentElement.dataset.speed = 'off'", vec![])
                .await;
        }
        let spy = "const animate = Element.prototype.animate; window.begun = 0; Element.prototype.animate = function (...how) { window.begun += 1; return animate.apply(this, how); };";
        world.run_script(spy, vec![]).await;
        attack(&Player::new(&world, InputDevice::Mouse)).await;
        until_ply(&world, 1).await;
        assert_eq!(world.run_script("return window.begun", vec![]).await, 0);
        assert!(!is_true(&world, "document.documentElement.matches('.moves')").await);
    }
}

#[tokio::test]
async fn own_plies_are_shown_and_the_focus_stays() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    crate::set_up_game(&world, TWO_HERE).await;
    let player = Player::new(&world, InputDevice::Keyboard);
    let stops = "return document.querySelectorAll('.board a[tabindex=\"0\"]').length + '/' + document.querySelectorAll('.board a:not([tabindex])').length";
    assert_eq!(
        world.run_script(stops, vec![]).await,
        "1/0",
        "the board is one tab stop"
    );
    let seen = player.read_page().await;
    let source = seen.sources[0].id.clone();
    let seen = player.choose_hex(&seen, &source).await;
    assert_eq!(seen.focus, source);
    // The ends of the board, by key.
    world.press_keys([Key::End.into()]).await;
    let end = "const all = [...document.querySelectorAll('.board a[id]')]; return all.indexOf(document.activeElement) === all.length - 1";
    assert_eq!(
        world.run_script(end, vec![]).await,
        true,
        "End leads to the last hex"
    );
    assert_eq!(world.run_script(stops, vec![]).await, "1/0");
    let target = seen.targets[0].id.clone();
    player.choose_hex(&seen, &target).await;
    until_ply(&world, 1).await;
    assert!(is_true(&world, "document.documentElement.matches('.moves')").await);
    let focus = "document.activeElement.closest('.board a, .acts button')";
    assert!(is_true(&world, focus).await, "the focus is lost");
    let said = "document.querySelector('#say').textContent.includes(document.querySelector('.le.now span').textContent)";
    assert!(is_true(&world, said).await, "what happened is read out");
}

#[tokio::test]
async fn escape_on_a_target_leads_back_to_the_source() {
    let world = BrowserSession::open(Scripts::On).await;
    crate::set_up_game(&world, TWO_HERE).await;
    let player = Player::new(&world, InputDevice::Keyboard);
    let seen = player.read_page().await;
    assert!(seen.sources.len() > 1, "the focus could go elsewhere");
    let source = seen.sources.last().expect("a source").id.clone();
    let seen = player.choose_hex(&seen, &source).await;
    let target = seen.targets.first().expect("a target").id.clone();
    let steer = "document.getElementById(arguments[0]).focus()";
    world.run_script(steer, vec![target.as_str().into()]).await;
    assert_eq!(player.read_page().await.focus, target);
    let seen = player.cancel_choice(&seen).await;
    assert_eq!(seen.focus, source);
}

#[tokio::test]
async fn one_key_skips_to_now() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    // The dice may end a game within the first turn: then another one is begun.
    for _ in 0..5 {
        start_quick_game(&world).await;
        world
            .run_script("document.documentElement.dataset.speed = 'slow'", vec![])
            .await;
        attack(&Player::new(&world, InputDevice::Mouse)).await;
        until_ply(&world, 1).await;
        if is_true(&world, "document.querySelector('form[data-key=e]')").await {
            break;
        }
    }
    world.press_keys(['e']).await;
    let offered = "const main = document.getElementById('main'); return main.matches('.playing') && !main.querySelector('.tempo').hidden";
    world.wait_for(offered, "the button that skips").await;
    let icon = "document.querySelector('link[rel=icon]').href.includes('favicon-turn')";
    assert!(!is_true(&world, icon).await, "it is somebody else's turn");
    // As often as computers are still at it.
    let newest = "const main = document.getElementById('main'); return !main.matches('.playing') && (main.dataset.yours !== undefined || main.querySelector('.res') !== null)";
    for _ in 0..20 {
        world.press_keys(['n']).await;
        if world.run_script(newest, vec![]).await == true {
            break;
        }
    }
    world.wait_for(newest, "the newest position").await;
    let over = is_true(&world, "document.querySelector('.res')").await;
    assert_eq!(is_true(&world, icon).await, !over);
    assert_eq!(
        is_true(&world, "document.title.startsWith('Your turn')").await,
        !over
    );
}

#[tokio::test]
async fn keys_are_explained_and_can_be_switched_off() {
    let world = BrowserSession::open(Scripts::On).await;
    crate::set_up_game(&world, TWO_HERE).await;
    let open = "document.getElementById('keys').open";
    world.press_keys(['?']).await;
    assert!(is_true(&world, open).await);
    let inside = "document.getElementById('keys').contains(document.activeElement)";
    assert!(
        is_true(&world, inside).await,
        "the focus goes into the window"
    );
    world.press_keys([Key::Escape.into()]).await;
    world
        .wait_for(&format!("return !{open}"), "the window closes")
        .await;
    world.click("button.keys").await;
    assert!(is_true(&world, open).await, "a button opens it too");
    world.click("#keys button").await;
    world
        .wait_for(&format!("return !{open}"), "the window closes")
        .await;

    // Away from the board the arrows go through the plies.
    let player = Player::new(&world, InputDevice::Mouse);
    attack(&player).await;
    until_ply(&world, 1).await;
    world
        .run_script("document.activeElement.blur()", vec![])
        .await;
    world.press_keys([Key::Left.into()]).await;
    let past = "document.getElementById('main').dataset.past !== undefined";
    world
        .wait_for(&format!("return {past}"), "a ply of the past")
        .await;
    assert_eq!(current_ply(&world).await, 0);
    world.press_keys([Key::End.into()]).await;
    until_ply(&world, 1).await;
    // However many plies were looked at, one step back leads to the table.
    world.client.back().await.expect("back");
    world
        .wait_for(&format!("return !({past})"), "the table")
        .await;

    world
        .run_script(
            "document.documentElement.dataset.keys = 'off'; document.activeElement.blur()",
            vec![],
        )
        .await;
    let before = current_ply(&world).await;
    world.press_keys(['?', 'e', 'n', Key::Left.into()]).await;
    assert!(!is_true(&world, open).await);
    assert_eq!(current_ply(&world).await, before);
    assert!(!is_true(&world, past).await);
}

#[tokio::test]
async fn scripts_and_styles_stay_small() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let http = reqwest::Client::new();
    let page = http.get(&server.address).send().await.expect("an answer");
    let page = page.text().await.expect("a page");
    let mut sizes = [0, 0, 0];
    for (kind, names) in [
        &[
            "board", "page", "motion", "tempo", "live", "hands", "share", "turn",
        ][..],
        &["style", "colours", "motion"],
        &["layout", "start"],
    ]
    .into_iter()
    .enumerate()
    {
        let extension = ["js", "css", "css"][kind];
        for name in names {
            let file = format!("/{name}.{extension}");
            let path = page
                .split('"')
                .find(|text| text.starts_with("/assets/") && text.ends_with(&file))
                .unwrap_or_else(|| panic!("{name}.{extension} is not on the page"));
            let file = http
                .get(format!("{}{path}", server.address))
                .header("accept-encoding", "gzip")
                .send()
                .await
                .expect("an answer");
            sizes[kind] += file.bytes().await.expect("a file").len();
        }
    }
    let [scripts, styles, others] = sizes;
    assert!(
        scripts > 0 && scripts <= 25 * 1024,
        "scripts: {scripts} bytes"
    );
    assert!(styles > 0 && styles <= 14 * 1024, "styles: {styles} bytes");
    assert!(
        others > 0 && others <= 6 * 1024,
        "beside them: {others} bytes"
    );
}

/// Stops every movement as it begins, while `camera` is on; `save_frames` holds them.
const CAMERA: &str = "const animate = Element.prototype.animate; window.film = []; window.camera = true; Element.prototype.animate = function (...how) { const one = animate.apply(this, how); if (window.camera) { one.pause(); window.film.push(one); } return one; };";

/// Pictures of the movements of one ply, at these moments in milliseconds.
async fn save_frames(
    world: &BrowserSession,
    name: &str,
    folder: &std::path::Path,
    moments: &[u32],
) {
    let begun = "return window.film.length > 0";
    world.wait_for(begun, "the first movement").await;
    for moment in moments {
        let seek =
            "for (const one of window.film) one.currentTime = arguments[0]; window.scrollTo(0, 0)";
        world.run_script(seek, vec![Value::from(*moment)]).await;
        let picture = world.client.screenshot().await.expect("a picture");
        std::fs::write(folder.join(format!("{name}-{moment:04}.png")), picture).expect("written");
    }
    let on = "window.camera = false; window.film.splice(0).forEach((one) => one.finish())";
    world.run_script(on, vec![]).await;
}

/// Writes a filmstrip of attacks, a reinforcement and a chip for somebody to look at; without
/// `DOD_SHOTS` there is nothing to do.
#[tokio::test]
async fn filmstrip() {
    let Some(folder) = std::env::var_os("DOD_SHOTS").map(PathBuf::from) else {
        return;
    };
    std::fs::create_dir_all(&folder).expect("the folder for pictures can be made");
    for board in ["book", "flat"] {
        let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
        world.set_window_size(DESKTOP).await;
        world.goto("/").await;
        let look = format!("document.cookie = 'dod_look=board-{board}; path=/'");
        world.run_script(&look, vec![]).await;
        crate::set_up_game(&world, TWO_HERE).await;
        world.run_script(CAMERA, vec![]).await;
        let player = Player::new(&world, InputDevice::Mouse);
        let (mut won, mut lost) = (false, false);
        for at in 1..12 {
            let seen = player.read_page().await;
            if seen.over {
                break;
            }
            let roll = "window.camera = arguments[0]";
            if seen.pass && (won && lost || seen.sources.is_empty()) {
                world.run_script(roll, vec![Value::from(true)]).await;
                world.click("form[data-key=e] button").await;
                let moments = [100, 400, 560, 700, 900, 1100, 1400];
                save_frames(&world, &format!("{board}-new"), &folder, &moments).await;
                until_ply(&world, at).await;
                if won && lost {
                    break;
                }
                continue;
            }
            let source = seen
                .sources
                .iter()
                .max_by_key(|hex| if won { 9 - hex.dice } else { hex.dice });
            let source = source.expect("a source").id.clone();
            let seen = player.choose_hex(&seen, &source).await;
            let target = seen.targets[0].id.clone();
            world.run_script(roll, vec![Value::from(true)]).await;
            let number = target.trim_start_matches('h');
            world
                .click(&format!(".tops [data-marks$='h{number}']"))
                .await;
            world
                .wait_for("return window.film.length > 0", "movement")
                .await;
            let captured = is_true(
                &world,
                "document.querySelector('.roll .side:not(.def).won')",
            )
            .await;
            let name = format!("{board}-{}", if captured { "won" } else { "lost" });
            let moments = [120, 400, 640, 900, 1250, 1480, 1620, 1760, 1900];
            save_frames(&world, &name, &folder, &moments).await;
            won |= captured;
            lost |= !captured;
            until_ply(&world, at).await;
        }
        let picture = world.client.screenshot().await.expect("a picture");
        std::fs::write(folder.join(format!("{board}-after.png")), picture).expect("written");
    }
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    world.set_window_size(DESKTOP).await;
    crate::set_up_game(&world, TWO_HERE).await;
    attack(&Player::new(&world, InputDevice::Mouse)).await;
    until_ply(&world, 1).await;
    let picture = world.client.screenshot().await.expect("a picture");
    std::fs::write(folder.join("calm.png"), picture).expect("written");
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    world.set_window_size(DESKTOP).await;
    crate::set_up_game(&world, &crate::TWO_PEOPLE).await;
    let speed = "document.documentElement.dataset.speed = arguments[0]";
    world.run_script(speed, vec![Value::from("off")]).await;
    crate::dropper::drop_chips(&world, InputDevice::Mouse, 0, "dedede").await;
    until_ply(&world, 6).await;
    world.run_script(speed, vec![Value::from("normal")]).await;
    world.run_script(CAMERA, vec![]).await;
    world.click("#col-d").await;
    let moments = [100, 250, 340, 420, 600, 800, 1000];
    save_frames(&world, "chip", &folder, &moments).await;
}

/// Tells how long a reader waits for the first board; with `DOD_PAINT` alone, for speed is told and
/// never asserted.
#[tokio::test]
async fn first_paint() {
    if std::env::var_os("DOD_PAINT").is_none() {
        return;
    }
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    start_quick_game(&world).await;
    let path = world.path().await;
    let mut waits = Vec::new();
    for _ in 0..21 {
        world.goto("/healthz").await;
        world.goto(&path).await;
        let paint =
            "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null";
        let wait = world.wait_for(paint, "the first paint").await;
        waits.push(wait.as_f64().expect("milliseconds"));
    }
    waits.sort_by(f64::total_cmp);
    println!(
        "first board after {:.0} ms in the middle, {:.0} ms at worst",
        waits[10], waits[20]
    );
}
