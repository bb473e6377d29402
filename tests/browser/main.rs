//! End-to-end tests: complete games and every page in a real browser against the real program.
//!
//! They need `chromium` and `chromedriver` (Debian: `chromium`, `chromium-driver`) and npm, from which `fetch` downloads
//! fonts and the accessibility checker once. `DOD_SHOTS=folder cargo test --test browser screenshots` writes screenshots
//! of the pages.

#[path = "../common/balanced.rs"]
mod balanced;
#[path = "../common/bots.rs"]
mod bots;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/postgres.rs"]
mod server;

mod axe;
mod base_path;
mod clicks;
mod cookies;
mod end_turn;
mod fair;
mod fonts;
mod harness;
mod hints;
mod keys;
mod languages;
mod layouts;
mod live;
mod notifications;
mod pages;
mod playback;
mod player;
mod proxy;
mod rejected_clicks;
mod replay;
mod returning;
mod review;
mod screen_reader;
mod shared_game;
mod sharing;
mod streams;
mod tables;
mod trilobite_player;
mod two_servers;
mod undo;
mod upload;

use std::path::PathBuf;

use harness::{BrowserSession, Motion, Scripts};
use pages::Pages;
use player::{InputDevice, Player};

/// Starts a game with the main button of the start page.
async fn start_quick_game(browser: &BrowserSession) {
    browser.goto("/").await;
    browser.click(".play button").await;
    wait_for_board(browser).await;
}

/// Creates a game by filling in the form of the start page with a script. A field is `name`, or `name:INDEX` among
/// fields of the same name.
async fn set_up_game(browser: &BrowserSession, fields: &str) {
    browser.goto("/").await;
    let fill = r#"
        const form = document.querySelector(".form");
        for (const [field, value] of new URLSearchParams(arguments[0])) {
            const [name, number] = field.split(":");
            const all = [...form.querySelectorAll(`[name=${name}]`)];
            if (all[0].type === "radio") all.find((one) => one.value === value).checked = true;
            else {
                all[number ?? 0].value = value;
                if (all[number ?? 0].value !== value) throw new Error(`${field} cannot be ${value}`);
            }
        }
        form.submit();
    "#;
    browser
        .run_script(fill, vec![serde_json::json!(fields)])
        .await;
    wait_for_board(browser).await;
}

async fn wait_for_board(browser: &BrowserSession) {
    browser
        .wait_until("Boolean(document.querySelector('main[data-game]'))")
        .await;
}

/// Creates a game with the form of the start page, by mouse and keyboard.
async fn set_up_game_by_input(browser: &BrowserSession, fields: &str) {
    browser.goto("/").await;
    browser.click(".custom > summary").await;
    for field in fields.split('&') {
        let (field, value) = field.split_once('=').expect("a value");
        let (name, number) = field.split_once(':').unwrap_or((field, "0"));
        let number: usize = number.parse().expect("a number");
        let kind = format!("return document.querySelectorAll('.form [name={name}]')[0].type");
        let kind = browser.run(&kind).await;
        match kind.as_str().expect("a field of the form") {
            "radio" => {
                browser
                    .click(&format!(".form [name={name}][value={value}]"))
                    .await;
            }
            "number" | "text" => {
                browser.click(&format!(".form [name={name}]")).await;
                browser.press_keys(value.chars()).await;
            }
            _ => {
                // Selects have no ID: this gives the nth one of this name an ID to click on.
                let mark = format!(
                    "document.querySelectorAll('.form [name={name}]')[{number}].id = 'field-{name}-{number}'"
                );
                browser.run(&mark).await;
                let select = format!("#field-{name}-{number}");
                browser.click(&select).await;
                browser
                    .click(&format!("{select} option[value='{value}']"))
                    .await;
            }
        }
    }
    browser.click(".form > button").await;
    wait_for_board(browser).await;
}

/// A small board of Dice of Doom with four players.
const SMALL: &str = "size=4&players=4";

/// Checks that the result page states the result and offers a rematch.
async fn check_result_page(browser: &BrowserSession) {
    let words = browser
        .eval("document.querySelector('.res h1').textContent")
        .await;
    let words = words.as_str().expect("a headline");
    let prefixes = ["Won", "Lost", "A tie", "You win"];
    assert!(
        prefixes.iter().any(|prefix| words.starts_with(prefix)) || words.contains(" win"),
        "{words}"
    );
    let rematch = browser
        .eval("Boolean(document.querySelector('form[action$=rematch]'))")
        .await;
    assert_eq!(rematch, true, "a rematch is offered");
}

#[tokio::test]
async fn a_complete_game_is_played_by_mouse_without_scripts() {
    let browser = BrowserSession::open(Scripts::Off).await;
    start_quick_game(&browser).await;
    let ran =
        "return document.documentElement.dataset.ran ?? document.getElementById('say').textContent";
    let mut player = Player::new(&browser, InputDevice::Mouse);
    player.play_until(|state| state.ply > 8).await;
    set_up_game(&browser, "size=3&players=3").await;
    player.play_until(|_| false).await;
    assert!(
        player.attacks > 0 && player.passes > 0,
        "{} attacks, {} passes",
        player.attacks,
        player.passes
    );
    assert_eq!(browser.run(ran).await, "", "no script ran");
    check_result_page(&browser).await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_complete_game_is_played_by_mouse_with_scripts() {
    let browser = BrowserSession::open(Scripts::On).await;
    set_up_game_by_input(&browser, SMALL).await;
    browser.run("window.sameWindow = true").await;
    let mut player = Player::new(&browser, InputDevice::Mouse);
    let state = player.play_until(|state| state.chosen.is_some()).await;
    assert!(
        state.at.contains("?from="),
        "the URL contains the chosen hex: {}",
        state.at
    );
    let state = player.cancel_choice(&state).await;
    assert!(
        !state.at.contains('?'),
        "the URL contains no chosen hex: {}",
        state.at
    );
    player.play_until(|_| false).await;
    assert!(player.attacks > 0, "no attack was played");
    check_result_page(&browser).await;
    let found = browser.eval("window.sameWindow").await;
    assert_eq!(found, true, "the page was reloaded");
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_complete_game_is_played_by_keyboard() {
    let browser = BrowserSession::open(Scripts::On).await;
    set_up_game(&browser, SMALL).await;
    let mut player = Player::new(&browser, InputDevice::Keyboard);
    let state = player.play_until(|state| !state.sources.is_empty()).await;
    let source = state.sources[0].id.clone();
    let state = player.choose_hex(&state, &source).await;
    assert_eq!(state.focus, source, "the focus stays on the chosen hex");
    let state = player.cancel_choice(&state).await;
    assert_eq!(
        state.focus, source,
        "the focus stays on the hex after cancelling"
    );
    player.play_until(|_| false).await;
    check_result_page(&browser).await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_complete_game_of_version_2_is_played() {
    let browser = BrowserSession::open(Scripts::Off).await;
    set_up_game(&browser, "rules=v2&size=3").await;
    let mut player = Player::new(&browser, InputDevice::Mouse);
    let state = player.play_until(|state| state.chosen.is_some()).await;
    assert!(!state.targets.is_empty(), "{state:?}");
    let odds = "return document.getElementById('main').textContent.includes('%')";
    assert_eq!(browser.run(odds).await, false, "nothing is rolled");
    player.play_until(|_| false).await;
    assert!(player.attacks > 0, "no attack was played");
    check_result_page(&browser).await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

const TWO_PEOPLE: &str = "game=trilobite&chips:0=human&chips:1=human";

/// The result page without scripts, at several window sizes: the graphs can be switched, the numbers unfold, a swing
/// links to its move, and a game against other opponents is one click away.
#[tokio::test]
async fn the_result_page_works_without_scripts() {
    let browser = BrowserSession::open(Scripts::Off).await;
    set_up_game(&browser, "size=3&players=2").await;
    let over = Player::new(&browser, InputDevice::Mouse)
        .play_until(|_| false)
        .await;
    let shown = async |class: &str| {
        let shown = format!("return document.querySelector('.{class}').checkVisibility()");
        browser.run(&shown).await == true
    };
    let narrow = "return document.documentElement.scrollWidth <= innerWidth";
    for size in [(360, 740), (844, 390), (1024, 700), (1280, 860)] {
        browser.set_window_size(size).await;
        browser.goto(&over.at).await;
        assert!(shown("of-hexes").await && !shown("of-dice").await);
        for summary in [".of-hexes summary", ".over > .more summary"] {
            browser.click(summary).await;
        }
        assert_eq!(browser.run(narrow).await, true, "{size:?}");
        browser.click("[name=held][value=dice]").await;
        assert!(shown("of-dice").await && !shown("of-hexes").await);
        assert_eq!(browser.run(narrow).await, true, "{size:?}");
    }
    let swing = "return document.querySelector('.worst a')?.getAttribute('href') ?? ''";
    let swing = browser.run(swing).await;
    if let Some(path) = swing.as_str().filter(|path| !path.is_empty()) {
        browser.click(".worst a").await;
        browser
            .wait_for(
                &format!("return location.pathname + location.search === '{path}'"),
                "the swing's move",
            )
            .await;
        browser.goto(&over.at).await;
    }
    // After a loss only an easier level is offered.
    let button = "[name=opponents] + .btn";
    let offered = format!("return document.querySelector('{button}').textContent");
    let offered = browser.run(&offered).await;
    let level = match offered.as_str() {
        Some("Harder") => "Greedy",
        _ => "Random",
    };
    browser.click(button).await;
    let other =
        format!("return document.querySelector('.players')?.textContent.includes('{level}')");
    browser
        .wait_for(&other, &format!("the game of {offered}"))
        .await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

async fn result_headline(browser: &BrowserSession) -> String {
    let words = browser.wait_for(
        "return document.querySelector('.res h1')?.textContent ?? null",
        "the result",
    );
    words.await.as_str().expect("a headline").to_owned()
}

const DEVICES: [(InputDevice, Scripts); 2] = [
    (InputDevice::Mouse, Scripts::Off),
    (InputDevice::Keyboard, Scripts::On),
];

#[tokio::test]
async fn four_in_a_row_wins() {
    for (device, scripts) in DEVICES {
        let browser = BrowserSession::open(scripts).await;
        set_up_game(&browser, TWO_PEOPLE).await;
        trilobite_player::drop_chips(&browser, device, 0, "dedede").await;
        let over = "return Boolean(document.querySelector('.res'))";
        let over = browser.run(over).await;
        assert_eq!(over, false, "three in a row are not enough");
        trilobite_player::drop_chips(&browser, device, 6, "d").await;
        assert!(result_headline(&browser).await.contains("win"));
        let line = "return Boolean(document.querySelector('.board .line'))";
        assert_eq!(browser.run(line).await, true, "the line is marked");
        assert_eq!(browser.console_errors().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_full_board_is_a_draw() {
    for (device, scripts) in DEVICES {
        let browser = BrowserSession::open(scripts).await;
        let fields = format!("{TWO_PEOPLE}&width=3&height=3&win=3");
        set_up_game_by_input(&browser, &fields).await;
        trilobite_player::drop_chips(&browser, device, 0, "aaabbcccb").await;
        assert!(result_headline(&browser).await.contains("draw"));
        assert_eq!(browser.console_errors().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_computer_player_replies_to_each_chip() {
    let browser = BrowserSession::open(Scripts::On).await;
    browser.goto("/").await;
    browser.click("form.second button").await;
    let turn = |ply: usize| {
        format!(
            "return document.getElementById('main')?.dataset.ply === '{ply}' && Boolean(document.querySelector('a.col'))"
        )
    };
    for (chip, column) in ["d", "c", "f"].into_iter().enumerate() {
        browser.wait_for(&turn(2 * chip), "my turn").await;
        browser.click(&format!("#col-{column}")).await;
    }
    browser.wait_for(&turn(6), "my turn").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

const DESKTOP: (u32, u32) = (1280, 860);
const PHONE: (u32, u32) = (390, 844);

/// The violations that axe reports: rule, element and reason.
const AXE: &str = r#"
    const done = arguments[arguments.length - 1];
    axe.run(document, { resultTypes: ["violations"] }).then(
        (found) => done(found.violations.flatMap((rule) => rule.nodes.map((node) =>
            `${rule.id}: ${node.html.slice(0, 160)} (${node.failureSummary.slice(0, 300)})`))),
        (error) => done([String(error)]));"#;

/// Elements that are too small to be touched, or that make a phone scroll sideways. Links within a sentence are exempt:
/// they are as high as their line.
const FINGERS: &str = r#"
    const found = [];
    const wide = document.documentElement.scrollWidth;
    if (wide > innerWidth) {
        const out = [...document.body.querySelectorAll("*")].filter((at) => at.getBoundingClientRect().right > innerWidth + 1);
        found.push(`scrolls sideways: ${wide} > ${innerWidth}: ${out.slice(0, 3).map((at) => at.outerHTML.slice(0, 100))}`);
    }
    for (const at of document.querySelectorAll("a, button, summary, select, input:not([type=hidden])")) {
        const box = (at.matches("[type=radio], [type=checkbox]") ? at.closest("label") : at).getBoundingClientRect();
        // The ply marks of a long game are narrow; buttons and keys lead to the same plies.
        if (!at.checkVisibility() || at.matches(".skip, .tags a, a[tabindex='-1']")) continue;
        const words = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim().length > 2);
        if (getComputedStyle(at).display === "inline" && words(at.parentElement)) continue;
        if (box.width < 24 || box.height < 24) found.push(`${box.width}x${box.height}: ${at.outerHTML.slice(0, 160)}`);
    }
    return found;"#;

/// The accessibility violations of the current page; on phones also touch targets that are too small.
async fn accessibility_faults(
    browser: &BrowserSession,
    size: (u32, u32),
) -> impl Iterator<Item = String> {
    let faults = browser.client.execute_async(AXE, vec![]).await;
    let mut faults = vec![faults.expect("axe runs")];
    if size == PHONE {
        faults.push(browser.run(FINGERS).await);
    }
    faults
        .into_iter()
        .flat_map(|faults| faults.as_array().expect("a list").clone())
        .filter_map(|fault| Some(fault.as_str()?.to_owned()))
}

/// Display options that differ most from the default.
const LOOKS: [(&str, (u32, u32)); 7] = [
    ("theme-dark.board-flat", DESKTOP),
    ("theme-light.colours-okabe", DESKTOP),
    ("theme-dark.colours-okabe.board-flat", DESKTOP),
    (
        "theme-light.colours-contrast.board-flat.coordinates-on",
        DESKTOP,
    ),
    ("theme-dark.colours-contrast.coordinates-on", DESKTOP),
    ("theme-dark.colours-contrast.odds-off", PHONE),
    ("theme-light.board-book", PHONE),
];

/// Every theme with every colour scheme and both boards, for both screens.
fn all_display_options() -> Vec<(String, (u32, u32))> {
    let mut looks = Vec::new();
    for theme in ["light", "dark"] {
        for colours in ["book", "okabe", "contrast"] {
            for (board, size) in [("book", DESKTOP), ("flat", DESKTOP), ("flat", PHONE)] {
                let look = format!("theme-{theme}.colours-{colours}.board-{board}");
                looks.push((look, size));
            }
        }
    }
    looks
}

/// Checks every page with the default display options, and some game pages with others; `DOD_LOOKS=1` checks every page
/// with all display options.
#[tokio::test]
async fn every_page_is_accessible() {
    let browser = BrowserSession::open(Scripts::On).await;
    let pages = Pages::prepare(&browser, 2).await;
    axe::add_to_new_documents(&browser).await;
    let mut found = Vec::new();
    for (name, path) in &pages.all {
        for (theme, size) in [("light", DESKTOP), ("dark", PHONE)] {
            browser.emulate_theme(theme).await;
            browser.set_window_size(size).await;
            Pages::open(&browser, name, path).await;
            let faults = accessibility_faults(&browser, size).await;
            found.extend(faults.map(|fault| format!("{name}, {theme}, {}: {fault}", size.0)));
        }
    }
    let everywhere = std::env::var_os("DOD_LOOKS").is_some();
    let looks = if everywhere {
        all_display_options()
    } else {
        LOOKS.map(|(look, size)| (look.to_owned(), size)).into()
    };
    for (look, size) in looks {
        browser.set_window_size(size).await;
        Pages::set_display_options(&browser, &look).await;
        let shown = |name: &str| everywhere || ["chosen", "column", "over"].contains(&name);
        for (name, path) in pages.all.iter().filter(|(name, _)| shown(name)) {
            Pages::open(&browser, name, path).await;
            let faults = accessibility_faults(&browser, size).await;
            found.extend(faults.map(|fault| format!("{name}, {look}, {}: {fault}", size.0)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    let complaints = browser.console_errors().await;
    let wanted = |words: &&String| !words.contains("/nowhere");
    let actual = complaints.iter().filter(wanted).collect::<Vec<_>>();
    assert_eq!(actual, Vec::<&String>::new());
}

/// Writes screenshots of the pages to the folder `DOD_SHOTS`; does nothing if it is not set.
#[tokio::test]
async fn screenshots() {
    let Some(folder) = std::env::var_os("DOD_SHOTS").map(PathBuf::from) else {
        return;
    };
    std::fs::create_dir_all(&folder).expect("the folder for screenshots can be created");
    let browser = BrowserSession::open(Scripts::On).await;
    let pages = Pages::prepare(&browser, 5).await;
    for (name, path) in &pages.all {
        for (size, screen) in [(DESKTOP, "desktop"), (PHONE, "phone")] {
            for theme in ["light", "dark"] {
                browser.emulate_theme(theme).await;
                browser.set_window_size(size).await;
                Pages::open(&browser, name, path).await;
                let file = folder.join(format!("{name}-{screen}-{theme}.png"));
                save_screenshot(&browser, &file).await;
            }
        }
    }
    for (size, screen) in [(DESKTOP, "desktop"), (PHONE, "phone")] {
        browser.set_window_size(size).await;
        for theme in ["light", "dark"] {
            for colours in ["book", "okabe", "contrast"] {
                for (name, board) in [("chosen", "book"), ("chosen", "flat"), ("column", "book")] {
                    let look = format!("theme-{theme}.colours-{colours}.board-{board}");
                    Pages::set_display_options(&browser, &look).await;
                    Pages::open(&browser, name, pages.path(name)).await;
                    let file = folder.join(format!("look-{name}-{look}-{screen}.png"));
                    save_screenshot(&browser, &file).await;
                }
            }
        }
    }
}

async fn save_screenshot(browser: &BrowserSession, file: &std::path::Path) {
    let picture = browser.client.screenshot().await.expect("a screenshot");
    std::fs::write(file, picture).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// Sets display options on the settings page without scripts, and returns to the game.
#[tokio::test]
async fn display_options_are_set_on_the_settings_page() {
    let browser = BrowserSession::open(Scripts::Off).await;
    start_quick_game(&browser).await;
    let game = browser.path().await;
    browser.click(".top .gear").await;
    let flat = "return getComputedStyle(document.querySelector('.ex-flat')).display !== 'none'";
    assert_eq!(browser.run(flat).await, false);
    browser.click("#board-flat").await;
    browser.click("#theme-dark").await;
    browser.click("#colours-okabe").await;
    let found = browser.run(flat).await;
    assert_eq!(found, true, "the preview changes before saving");
    let light = "return getComputedStyle(document.querySelector('.example')).backgroundColor";
    assert_eq!(browser.run(light).await, "rgb(28, 23, 19)");
    browser.click("button[name=next]").await;
    let left = "return location.pathname !== '/settings' && document.readyState === 'complete'";
    browser
        .wait_for(left, "the page that the settings were for")
        .await;
    assert_eq!(browser.path().await, game);
    let root = "const { theme, colours, board, boardAuto } = document.documentElement.dataset;
        return [theme, colours, board, boardAuto ?? null, document.querySelectorAll('.board.flat').length]";
    let expected = serde_json::json!(["dark", "okabe", "flat", null, 1]);
    assert_eq!(browser.run(root).await, expected);
    let mut player = Player::new(&browser, InputDevice::Mouse);
    player.play_until(|state| state.ply > 6).await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_narrow_window_shows_the_flat_board() {
    let browser = BrowserSession::open(Scripts::On).await;
    start_quick_game(&browser).await;
    let flat = "return document.querySelectorAll('.board.flat').length";
    assert_eq!(browser.run(flat).await, 0);
    browser.devtools(
        "Emulation.setDeviceMetricsOverride",
        serde_json::json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": false }),
    )
    .await;
    let game = browser.path().await;
    browser.goto(&game).await;
    browser.wait_for_element(".board.flat").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn an_invitation_is_copied_with_a_click() {
    for scripts in [Scripts::On, Scripts::Off] {
        let with = matches!(scripts, Scripts::On);
        let browser = BrowserSession::open(scripts).await;
        set_up_game(&browser, "seats:1=open").await;
        let shown = "return document.querySelector('.hand .scripted').checkVisibility()";
        assert_eq!(browser.run(shown).await, with, "only scripts copy");
        if with {
            browser.click(".hand .scripted").await;
            let words = "return document.querySelector('.hand .scripted').textContent === 'Copied'";
            browser
                .wait_for(words, "the confirmation of the copy")
                .await;
        }
        browser.click(".scan summary").await;
        let code = "return document.querySelector('.qr').checkVisibility()";
        assert_eq!(browser.run(code).await, true);
        assert_eq!(browser.console_errors().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn the_start_page_follows_the_featured_game() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    browser.goto("/").await;
    let ply = "return Number(document.getElementById('live')?.dataset.ply ?? 0) > 0";
    browser.wait_for(ply, "a ply without a new page").await;
    browser.click("#live .btn").await;
    browser.wait_for_element("main[data-game]").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}
