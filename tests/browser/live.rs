//! The game page during play: two windows, animations, connection failures and server restarts, and the keyboard.

use std::path::PathBuf;

use fantoccini::key::Key;
use serde_json::Value;

use crate::harness::{BrowserSession, Motion, Scripts, Server};
use crate::player::{InputDevice, PageState, Player, tile_selector};
use crate::proxy::Proxy;
use crate::{DESKTOP, start_quick_game};

/// Two people in one browser, so that the test decides every ply.
const TWO_HERE: &str = "size=4&players=2&seats:0=human&seats:1=human&seed=7";

async fn current_ply(browser: &BrowserSession) -> i64 {
    let ply = "return Number(document.getElementById('main').dataset.ply)";
    browser.run(ply).await.as_i64().expect("a number")
}

async fn wait_for_ply(browser: &BrowserSession, ply: i64) {
    let there = format!(
        "const main = document.getElementById('main'); return main.dataset.ply === '{ply}' && !main.matches('.playing')"
    );
    browser.wait_for(&there, "the ply").await;
}

/// Opens another user's game, and marks the window to detect a reload.
async fn open_game(browser: &BrowserSession, path: &str) {
    browser.goto(path).await;
    browser
        .wait_until("performance.getEntriesByType('resource').some((one) => one.name.includes('.js')) && document.readyState === 'complete'").await;
    browser.run("window.sameWindow = true").await;
}

/// Attacks once, from the first source to its first target.
async fn attack(player: &Player<'_>) -> (PageState, String) {
    let state = player.read_page().await;
    let source = state
        .sources
        .first()
        .expect("a hex that can attack")
        .id
        .clone();
    let state = player.choose_hex(&state, &source).await;
    let target = state.targets.first().expect("a target").id.clone();
    player.choose_hex(&state, &target).await;
    (state, target)
}

#[tokio::test]
async fn two_windows_show_the_same_game() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    crate::set_up_game(&browser, TWO_HERE).await;
    let path = browser.path().await;
    let other = BrowserSession::open_at(&browser.address, Scripts::On, Motion::Full).await;
    open_game(&other, &path).await;
    browser
        .wait_for(
            "const at = document.querySelector('.watching'); return at && !at.hidden && at.textContent.startsWith('1')",
            "the number of watchers",
        )
        .await;
    let icon = "document.querySelector('link[rel=icon]').href.includes('favicon-turn')";
    assert!(
        browser.is_true(icon).await,
        "the icon shows that it is the player's turn"
    );
    assert!(
        !other.is_true(icon).await,
        "a spectator never has the turn icon"
    );
    let title = other.eval("document.title").await;
    assert!(
        title
            .as_str()
            .is_some_and(|title| title.contains("to move")),
        "{title}"
    );

    let shifts = "new PerformanceObserver((list) => { window.shift = (window.shift ?? 0) + list.getEntries().reduce((sum, one) => sum + one.value, 0); }).observe({ type: 'layout-shift' }); window.shift = 0;";
    other.run(shifts).await;
    let player = Player::new(&browser, InputDevice::Mouse);
    let mut played = 0;
    while played < 4 {
        let state = player.read_page().await;
        if state.over {
            break;
        }
        if state.pass && played % 2 == 1 {
            browser.click("form[data-key=e] button").await;
        } else {
            attack(&player).await;
        }
        played += 1;
        wait_for_ply(&browser, played).await;
    }
    wait_for_ply(&other, played).await;
    let words = "return [...document.querySelectorAll('.log .le')].map((line) => line.textContent).join('\\n')";
    let found = browser.run(words).await;
    assert_eq!(found, other.run(words).await, "both have the same log");
    assert!(
        other.is_true("window.sameWindow").await,
        "the page was reloaded"
    );
    assert!(
        other
            .is_true("document.documentElement.matches('.moves')")
            .await,
        "plies are animated"
    );
    let shift = other.eval("window.shift").await;
    assert_eq!(shift.as_f64(), Some(0.0), "the layout jumps");
    assert_eq!(other.console_errors().await, Vec::<String>::new());
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

/// A load balancer answers while no server is ready: the page waits and is not replaced.
#[tokio::test]
pub(crate) async fn the_page_stays_when_a_load_balancer_answers() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let line = Proxy::start(&server.host_and_port()).await;
    let browser = BrowserSession::open_at(&line.address, Scripts::On, Motion::Reduced).await;
    crate::set_up_game(&browser, TWO_HERE).await;
    browser.run("window.sameWindow = true").await;
    let player = Player::new(&browser, InputDevice::Mouse);
    let state = player.read_page().await;
    let source = state.sources.first().expect("an attack").id.clone();
    let state = player.choose_hex(&state, &source).await;
    let target = state.targets.first().expect("a target").id.clone();

    line.answer_unavailable();
    browser.click(&tile_selector(&target)).await;
    let stale = "return document.querySelector('main[data-stale] .away') !== null";
    browser
        .wait_for(stale, "the notice that the page is stale")
        .await;
    assert!(browser.is_true("window.sameWindow").await, "the page stays");
    assert_eq!(current_ply(&browser).await, 0);

    line.restore();
    browser
        .wait_until("document.querySelector('main[data-stale]') === null")
        .await;
    assert!(browser.is_true("window.sameWindow").await, "the page stays");
    attack(&player).await;
    wait_for_ply(&browser, 1).await;
}

/// Makes requests fail depending on `window.line`: before they are sent if it is `cut`, and after the server has
/// answered if it is `deaf`.
const LINE: &str = "const ask = window.fetch; window.posts = 0; window.fetch = async (url, how) => { window.posts += how?.method === 'POST'; if (window.line === 'cut') throw new window.TypeError('cut'); const answer = await ask(url, how); if (window.line === 'deaf') throw new window.TypeError('deaf'); return answer; };";

/// Clicks on a hex with the given `window.line`, and restores the connection as soon as the page shows that it is stale.
async fn click_with_failure(browser: &BrowserSession, line: &str, hex: &str) {
    browser
        .run_script("window.line = arguments[0]", vec![line.into()])
        .await;
    browser.click(&tile_selector(hex)).await;
    let stale = "return document.querySelector('main[data-stale] .away') !== null";
    browser
        .wait_for(stale, "the notice that the page is stale")
        .await;
    browser.run("window.line = 'whole'").await;
    browser
        .wait_until("document.querySelector('main[data-stale]') === null")
        .await;
}

/// The event stream stays open all the time, so it cannot signal when requests succeed again.
#[tokio::test]
pub(crate) async fn a_failed_request_does_not_lock_the_board_and_is_not_repeated() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    crate::set_up_game(&browser, TWO_HERE).await;
    browser.run(LINE).await;
    let player = Player::new(&browser, InputDevice::Mouse);
    let state = player.read_page().await;
    let source = state.sources.first().expect("an attack").id.clone();

    click_with_failure(&browser, "cut", &source).await;
    let state = player.read_page().await;
    let chosen = state.chosen.expect("what was chosen is shown");
    assert_eq!(chosen.id, source);

    let target = state.targets.first().expect("a target").id.clone();
    click_with_failure(&browser, "cut", &target).await;
    let state = player.read_page().await;
    assert_eq!(state.ply, 0, "nothing was played");
    assert_eq!(state.chosen, Some(chosen), "the source is still chosen");
    assert_eq!(browser.eval("window.posts").await, 1);

    click_with_failure(&browser, "deaf", &target).await;
    wait_for_ply(&browser, 1).await;
    let state = player.read_page().await;
    assert_eq!((state.chosen, state.notice), (None, None));
    assert_eq!(browser.eval("window.posts").await, 2);
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn both_windows_continue_after_a_server_restart() {
    let folder = tempfile::tempdir().expect("a folder for the games");
    let database = format!("sqlite:{}", folder.path().join("games.db").display());
    let server = Server::start("127.0.0.1:0", &database);
    let place = server.host_and_port();
    let browser = BrowserSession::open_at(&server.address, Scripts::On, Motion::Reduced).await;
    crate::set_up_game(&browser, TWO_HERE).await;
    let path = browser.path().await;
    let other = BrowserSession::open_at(&server.address, Scripts::On, Motion::Reduced).await;
    open_game(&other, &path).await;
    let player = Player::new(&browser, InputDevice::Mouse);
    attack(&player).await;
    wait_for_ply(&other, 1).await;

    drop(server);
    let stale = "return document.querySelector('main[data-stale] .away')?.textContent.includes('Reconnecting') ?? null";
    for page in [&browser, &other] {
        page.wait_for(stale, "the notice that the page is stale")
            .await;
        assert!(
            page.is_true("document.getElementById('say').textContent.includes('Reconnecting')")
                .await
        );
    }
    let before = browser.path().await;
    let back = Server::start(&place, &database);
    browser
        .wait_until("document.querySelector('main[data-stale]') === null")
        .await;
    assert_eq!(browser.path().await, before, "nothing was chosen meanwhile");
    let state = player.read_page().await;
    if state.sources.is_empty() {
        browser.click("form[data-key=e] button").await;
    } else {
        attack(&player).await;
    }
    wait_for_ply(&browser, 2).await;
    wait_for_ply(&other, 2).await;
    assert!(
        other
            .is_true("window.sameWindow && document.querySelector('.away') === null")
            .await
    );
    drop(back);
}

#[tokio::test]
pub(crate) async fn results_appear_at_once_with_reduced_motion_or_speed_off() {
    for motion in [Motion::Reduced, Motion::Full] {
        let browser = BrowserSession::open_with_motion(Scripts::On, motion).await;
        crate::set_up_game(&browser, TWO_HERE).await;
        if motion == Motion::Full {
            browser
                .run("document.documentElement.dataset.speed = 'off'")
                .await;
        }
        let spy = "const animate = Element.prototype.animate; window.begun = 0; Element.prototype.animate = function (...how) { window.begun += 1; return animate.apply(this, how); };";
        browser.run(spy).await;
        attack(&Player::new(&browser, InputDevice::Mouse)).await;
        wait_for_ply(&browser, 1).await;
        assert_eq!(browser.eval("window.begun").await, 0);
        assert!(
            !browser
                .is_true("document.documentElement.matches('.moves')")
                .await
        );
    }
}

#[tokio::test]
pub(crate) async fn own_plies_are_animated_and_the_focus_stays() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    crate::set_up_game(&browser, TWO_HERE).await;
    let player = Player::new(&browser, InputDevice::Keyboard);
    let stops = "return document.querySelectorAll('.board a[tabindex=\"0\"]').length + '/' + document.querySelectorAll('.board a:not([tabindex])').length";
    assert_eq!(browser.run(stops).await, "1/0", "the board is one tab stop");
    let state = player.read_page().await;
    let source = state.sources[0].id.clone();
    let state = player.choose_hex(&state, &source).await;
    assert_eq!(state.focus, source);
    // The End key moves the focus to the last hex.
    browser.press_keys([Key::End.into()]).await;
    let end = "const all = [...document.querySelectorAll('.board a[id]')]; return all.indexOf(document.activeElement) === all.length - 1";
    assert_eq!(browser.run(end).await, true, "End leads to the last hex");
    assert_eq!(browser.run(stops).await, "1/0");
    let target = state.targets[0].id.clone();
    let listen = "const say = document.getElementById('say');
        window.said = [];
        new MutationObserver(() => said.push(say.textContent)).observe(say, { childList: true });";
    browser.run(listen).await;
    player.choose_hex(&state, &target).await;
    wait_for_ply(&browser, 1).await;
    assert!(
        browser
            .is_true("document.documentElement.matches('.moves')")
            .await
    );
    let focus = "document.activeElement.closest('.board a, .acts button')";
    assert!(browser.is_true(focus).await, "the focus is lost");
    let prompt =
        "said.some((one) => one.includes(document.querySelector('.prompt h1').textContent))";
    browser.wait_until(prompt).await;
    let announced =
        "said.join(' ').split(document.querySelector('.le.now span').textContent).length - 1";
    assert_eq!(
        browser.eval(announced).await,
        1,
        "the ply is announced once"
    );
}

#[tokio::test]
pub(crate) async fn escape_on_a_target_returns_the_focus_to_the_source() {
    let browser = BrowserSession::open(Scripts::On).await;
    crate::set_up_game(&browser, TWO_HERE).await;
    let player = Player::new(&browser, InputDevice::Keyboard);
    let state = player.read_page().await;
    assert!(state.sources.len() > 1, "the focus could go elsewhere");
    let source = state.sources.last().expect("a source").id.clone();
    let state = player.choose_hex(&state, &source).await;
    let target = state.targets.first().expect("a target").id.clone();
    let steer = "document.getElementById(arguments[0]).focus()";
    browser
        .run_script(steer, vec![target.as_str().into()])
        .await;
    assert_eq!(player.read_page().await.focus, target);
    let state = player.cancel_choice(&state).await;
    assert_eq!(state.focus, source);
}

#[tokio::test]
async fn a_key_skips_to_the_current_position() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    // The dice may end a game within the first turn; then the test starts another one.
    for _ in 0..5 {
        start_quick_game(&browser).await;
        browser
            .run("document.documentElement.dataset.speed = 'slow'")
            .await;
        attack(&Player::new(&browser, InputDevice::Mouse)).await;
        wait_for_ply(&browser, 1).await;
        if browser
            .is_true("document.querySelector('form[data-key=e]')")
            .await
        {
            break;
        }
    }
    browser.press_keys(['e']).await;
    let offered = "const main = document.getElementById('main'); return main.matches('.playing') && !main.querySelector('.tempo').hidden";
    browser.wait_for(offered, "the button that skips").await;
    let icon = "document.querySelector('link[rel=icon]').href.includes('favicon-turn')";
    assert!(!browser.is_true(icon).await, "it is another player's turn");
    // Repeated while computer players are still playing.
    let newest = "const main = document.getElementById('main'); return !main.matches('.playing') && (main.dataset.yours !== undefined || main.querySelector('.res') !== null)";
    for _ in 0..20 {
        browser.press_keys(['n']).await;
        if browser.run(newest).await == true {
            break;
        }
    }
    browser.wait_for(newest, "the newest position").await;
    let over = browser.is_true("document.querySelector('.res')").await;
    assert_eq!(browser.is_true(icon).await, !over);
    assert_eq!(
        browser
            .is_true("document.title.startsWith('Your turn')")
            .await,
        !over
    );
}

#[tokio::test]
pub(crate) async fn keys_are_explained_and_can_be_disabled() {
    let browser = BrowserSession::open(Scripts::On).await;
    crate::set_up_game(&browser, TWO_HERE).await;
    let open = "document.getElementById('keys').open";
    browser.press_keys(['?']).await;
    assert!(browser.is_true(open).await);
    let inside = "document.getElementById('keys').contains(document.activeElement)";
    assert!(
        browser.is_true(inside).await,
        "the focus goes into the window"
    );
    browser.press_keys([Key::Escape.into()]).await;
    browser
        .wait_for(&format!("return !{open}"), "the window closes")
        .await;
    browser.click("#more > summary").await;
    browser.click("button.keys").await;
    assert!(browser.is_true(open).await, "a button opens it too");
    browser.click("#keys button").await;
    browser
        .wait_for(&format!("return !{open}"), "the window closes")
        .await;

    // Without the focus on the board, Home and End lead to the start and to the latest position.
    let player = Player::new(&browser, InputDevice::Mouse);
    attack(&player).await;
    wait_for_ply(&browser, 1).await;
    browser.run("document.activeElement.blur()").await;
    browser.press_keys([Key::Home.into()]).await;
    let past = "document.getElementById('main').dataset.past !== undefined";
    browser
        .wait_for(&format!("return {past}"), "an earlier ply")
        .await;
    assert_eq!(current_ply(&browser).await, 0);
    browser.press_keys([Key::End.into()]).await;
    wait_for_ply(&browser, 1).await;
    // One step back in the history returns to the table, however many plies were viewed.
    browser.client.back().await.expect("back");
    browser
        .wait_for(&format!("return !({past})"), "the table")
        .await;

    browser
        .run("document.documentElement.dataset.keys = 'off'; document.activeElement.blur()")
        .await;
    let before = current_ply(&browser).await;
    browser.press_keys(['?', 'e', 'n', Key::Home.into()]).await;
    assert!(!browser.is_true(open).await);
    assert_eq!(current_ply(&browser).await, before);
    assert!(!browser.is_true(past).await);
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
            "board", "page", "motion", "playback", "live", "keyboard", "share", "end-turn",
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
        others > 0 && others <= 25 * 256,
        "other styles: {others} bytes"
    );
}

/// While `window.camera` is set, pauses every animation as it starts and collects it in `window.film`.
const CAMERA: &str = "const animate = Element.prototype.animate; window.film = []; window.camera = true; Element.prototype.animate = function (...how) { const one = animate.apply(this, how); if (window.camera) { one.pause(); window.film.push(one); } return one; };";

/// Saves screenshots of the animations of one ply at the given times in milliseconds.
async fn save_frames(
    browser: &BrowserSession,
    name: &str,
    folder: &std::path::Path,
    moments: &[u32],
) {
    let begun = "return window.film.length > 0";
    browser.wait_for(begun, "the first movement").await;
    for moment in moments {
        let seek =
            "for (const one of window.film) one.currentTime = arguments[0]; window.scrollTo(0, 0)";
        browser.run_script(seek, vec![Value::from(*moment)]).await;
        let picture = browser.client.screenshot().await.expect("a screenshot");
        std::fs::write(folder.join(format!("{name}-{moment:04}.png")), picture).expect("written");
    }
    let on = "window.camera = false; window.film.splice(0).forEach((one) => one.finish())";
    browser.run(on).await;
}

/// Writes screenshots of the animations of attacks, a reinforcement and a chip to the folder `DOD_SHOTS`; does nothing
/// if it is not set.
#[tokio::test]
async fn filmstrip() {
    let Some(folder) = std::env::var_os("DOD_SHOTS").map(PathBuf::from) else {
        return;
    };
    std::fs::create_dir_all(&folder).expect("the folder for screenshots can be created");
    for board in ["book", "flat"] {
        let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
        browser.set_window_size(DESKTOP).await;
        browser.goto("/").await;
        let look = format!("document.cookie = 'dod_look=board-{board}; path=/'");
        browser.run(&look).await;
        crate::set_up_game(&browser, TWO_HERE).await;
        browser.run(CAMERA).await;
        let player = Player::new(&browser, InputDevice::Mouse);
        let (mut won, mut lost) = (false, false);
        for at in 1..12 {
            let state = player.read_page().await;
            if state.over {
                break;
            }
            let roll = "window.camera = arguments[0]";
            if state.pass && (won && lost || state.sources.is_empty()) {
                browser.run_script(roll, vec![Value::from(true)]).await;
                browser.click("form[data-key=e] button").await;
                let moments = [100, 400, 560, 700, 900, 1100, 1400];
                save_frames(&browser, &format!("{board}-new"), &folder, &moments).await;
                wait_for_ply(&browser, at).await;
                if won && lost {
                    break;
                }
                continue;
            }
            let source = state
                .sources
                .iter()
                .max_by_key(|hex| if won { 9 - hex.dice } else { hex.dice });
            let source = source.expect("a source").id.clone();
            let state = player.choose_hex(&state, &source).await;
            let target = state.targets[0].id.clone();
            browser.run_script(roll, vec![Value::from(true)]).await;
            let number = target.trim_start_matches('h');
            browser
                .click(&format!(".tops [data-marks$='h{number}']"))
                .await;
            browser
                .wait_for("return window.film.length > 0", "movement")
                .await;
            let captured = browser
                .is_true("document.querySelector('.roll .side:not(.def).won')")
                .await;
            let name = format!("{board}-{}", if captured { "won" } else { "lost" });
            let moments = [120, 400, 640, 900, 1250, 1480, 1620, 1760, 1900];
            save_frames(&browser, &name, &folder, &moments).await;
            won |= captured;
            lost |= !captured;
            wait_for_ply(&browser, at).await;
        }
        let picture = browser.client.screenshot().await.expect("a screenshot");
        std::fs::write(folder.join(format!("{board}-after.png")), picture).expect("written");
    }
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    browser.set_window_size(DESKTOP).await;
    crate::set_up_game(&browser, TWO_HERE).await;
    attack(&Player::new(&browser, InputDevice::Mouse)).await;
    wait_for_ply(&browser, 1).await;
    let picture = browser.client.screenshot().await.expect("a screenshot");
    std::fs::write(folder.join("calm.png"), picture).expect("written");
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    browser.set_window_size(DESKTOP).await;
    crate::set_up_game(&browser, crate::TWO_PEOPLE).await;
    let speed = "document.documentElement.dataset.speed = arguments[0]";
    browser.run_script(speed, vec![Value::from("off")]).await;
    crate::trilobite_player::drop_chips(&browser, InputDevice::Mouse, 0, "dedede").await;
    wait_for_ply(&browser, 6).await;
    browser.run_script(speed, vec![Value::from("normal")]).await;
    browser.run(CAMERA).await;
    browser.click("#col-d").await;
    let moments = [100, 250, 340, 420, 600, 800, 1000];
    save_frames(&browser, "chip", &folder, &moments).await;
}

/// Prints the time until the first board is painted, if `DOD_PAINT` is set; the time is reported and not asserted.
#[tokio::test]
async fn first_paint() {
    if std::env::var_os("DOD_PAINT").is_none() {
        return;
    }
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    start_quick_game(&browser).await;
    let path = browser.path().await;
    let mut waits = Vec::new();
    for _ in 0..21 {
        browser.goto("/healthz").await;
        browser.goto(&path).await;
        let paint =
            "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null";
        let wait = browser.wait_for(paint, "the first paint").await;
        waits.push(wait.as_f64().expect("milliseconds"));
    }
    waits.sort_by(f64::total_cmp);
    println!(
        "first board after {:.0} ms (median), {:.0} ms (maximum)",
        waits[10], waits[20]
    );
}
