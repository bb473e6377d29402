//! End-to-end tests: complete games and every page in a real browser against the real program.
//!
//! They need `chromium` and `chromedriver` (Debian: `chromium`, `chromium-driver`) and npm, from which `fetch` downloads
//! fonts and the accessibility checker once. Those of `other_engines` also need Firefox and `geckodriver` (not with
//! `DOD_NO_FIREFOX=1`), and `WebKitWebDriver` and `Xvfb` (not with `DOD_NO_WEBKIT=1`).
//! `DOD_SHOTS=folder cargo test --test browser screenshots` writes screenshots of the pages.

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
mod engine;
mod exercises;
mod fair;
mod fonts;
mod games;
mod harness;
mod hints;
mod keys;
mod languages;
mod large_text;
mod layouts;
mod live;
mod notifications;
mod older_browsers;
mod other_engines;
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
mod start;
mod streams;
mod tables;
mod trilobite_player;
mod two_servers;
mod undo;
mod upload;

use std::path::PathBuf;

use harness::{BrowserSession, Scripts};
use pages::Pages;
use player::{InputDevice, Player};

/// Starts a game with the main button of the start page.
async fn start_quick_game(browser: &BrowserSession) {
    browser.goto("/").await;
    browser.click(".play button").await;
    wait_for_board(browser).await;
}

/// Creates a game by filling in the form with a script. A field is `name`, or `name:INDEX` among
/// fields of the same name.
async fn set_up_game(browser: &BrowserSession, fields: &str) {
    browser.goto("/?game=dice").await;
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
        .wait_until(
            "document.querySelector('main[data-game]') && document.readyState === 'complete'",
        )
        .await;
}

/// Creates a game with the form, by mouse and keyboard.
async fn set_up_game_by_input(browser: &BrowserSession, fields: &str) {
    browser.goto("/?game=dice").await;
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

const TWO_PEOPLE: &str = "game=trilobite&chips:0=human&chips:1=human";

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
    browser.click(".look summary").await;
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
