//! The pages in Japanese, in Russian, and in a pseudo-localization with longer words: no text is cut off, no part covers
//! another one, and no page is wider than its window.

use std::sync::Arc;

use dice_of_doom::games::Registry;
use dice_of_doom::store::Store;
use dice_of_doom::store::sqlite::SqliteStore;

use crate::axe;
use crate::common::pseudo_language::pseudo_localize;
use crate::common::{Server, ServerConfig, seeded_environment};
use crate::fonts::Fonts;
use crate::harness::{BrowserSession, Motion, Scripts};
use crate::layouts;
use crate::pages::Pages;
use crate::player::tile_selector;
use crate::{DESKTOP, PHONE, start_quick_game};

/// Layout faults of a page whose texts are longer than the English ones. Lines of text are compared by the visible parts
/// of their bounding boxes.
const FAULTS: &str = r#"
    const found = [];
    const page = document.documentElement;
    const tell = (what, at) => {
        const said = (at.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 60);
        found.push(`${what}: <${at.localName} class="${at.getAttribute("class") ?? ""}"> ${said}`);
    };
    const round = (box) => `${Math.round(box.left)},${Math.round(box.top)} ${Math.round(box.width)}×${Math.round(box.height)}`;
    if (page.scrollWidth > page.clientWidth) found.push(`${page.scrollWidth} wide in ${page.clientWidth}`);
    const hidden = ".vh, .skip, .tags, .board, script, style, title, option, textarea";
    // On a phone the bar at the bottom covers scrolled content.
    const over = (at) => ["fixed", "sticky"].includes(getComputedStyle(at.closest(".actions") ?? document.body).position);
    /** The visible part of a box, and the element that clips the rest permanently (scrolling would show it). */
    const seen = (box, at) => {
        let { left, top, right, bottom } = box, scrolls = false, by = null;
        for (let out = at; out && out !== document.body; out = out.parentElement) {
            if (out.ownerSVGElement) continue;
            const { overflowX, overflowY } = getComputedStyle(out);
            if (overflowX === "visible" && overflowY === "visible") continue;
            scrolls ||= [overflowX, overflowY].some((how) => how === "auto" || how === "scroll");
            const edge = out.getBoundingClientRect();
            if (!scrolls && (left < edge.left - 0.6 || top < edge.top - 1 || right > edge.right + 0.6 || bottom > edge.bottom + 1)) by ??= out;
            [left, top, right, bottom] = [Math.max(left, edge.left), Math.max(top, edge.top), Math.min(right, edge.right), Math.min(bottom, edge.bottom)];
        }
        return { by, scrolls, left, top, right, bottom, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
    };
    const clipped = (at) => { for (; at; at = at.parentElement) if (getComputedStyle(at).clipPath !== "none") return true; return false; };
    const visible = (at) => at.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !at.closest(hidden) && !clipped(at);

    // An option that is wider than its select field.
    const pen = document.createElement("canvas").getContext("2d");
    for (const at of document.querySelectorAll("select")) {
        if (!visible(at)) continue;
        const style = getComputedStyle(at);
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        const wide = pen.measureText(at.selectedOptions[0]?.textContent.trim() ?? "").width;
        const room = at.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        if (wide > room + 1) tell(`${Math.round(wide)} in a field of ${Math.round(room)}`, at.selectedOptions[0]);
    }
    // Every line of text.
    const lines = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const at = node.parentElement;
        if (!node.data.trim() || !visible(at)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const whole of range.getClientRects()) {
            const trim = new DOMRect(whole.left, whole.top + 0.22 * whole.height, whole.width, 0.56 * whole.height);
            const box = seen(trim, at);
            // Text that is completely hidden is hidden on purpose.
            if (box.width <= 1 || box.height <= 1) continue;
            lines.push({ at, box });
            if (box.by && !at.ownerSVGElement) tell(`cut off at ${round(whole)} by <${box.by.localName} class="${box.by.className}">`, at);
            if (!box.scrolls && (whole.left < -1 || whole.right > page.clientWidth + 1)) tell(`out of the window at ${round(whole)}`, at);
        }
        // A word that is broken across lines.
        if (at.ownerSVGElement || at.closest("code, kbd, pre, dd, [translate=no], [lang=ja]") || document.documentElement.lang === "ja") continue;
        for (const word of node.data.matchAll(/[\p{L}\p{N}]{2,}/gu)) {
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const rects = [...range.getClientRects()].filter((one) => one.width > 0);
            if (rects.some((one) => Math.abs(one.top - rects[0].top) > 4)) tell(`broken word "${word[0]}"`, at);
        }
    }
    const cover = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    const near = (one, other) => one.at === other.at || over(one.at) !== over(other.at);
    for (const [i, one] of lines.entries()) for (const other of lines.slice(i + 1)) {
        if (cover(one.box, other.box) && !near(one, other)) tell(`text at ${round(one.box)} over "${other.at.textContent.trim().slice(0, 40)}" at ${round(other.box)}`, one.at);
    }
    // Controls: their text stays inside, and they do not overlap.
    const press = [...document.querySelectorAll("a, button, summary, select, input:not([type=hidden]), label")].filter((at) => visible(at) && !at.ownerSVGElement);
    for (const at of press) {
        const box = at.getBoundingClientRect();
        const style = getComputedStyle(at);
        if (style.display === "inline" || at.localName === "label" && style.borderTopWidth === "0px") continue;
        for (const line of lines) {
            const word = line.box;
            if (!at.contains(line.at) || word.left >= box.left - 1.5 && word.right <= box.right + 1.5 && word.top >= box.top - 1.5 && word.bottom <= box.bottom + 1.5) continue;
            tell(`words at ${round(word)} leave ${round(box)}`, at);
            break;
        }
    }
    const pressed = press.flatMap((at) => [...at.getClientRects()].map((box) => ({ at, box: seen(box, at) }))).filter(({ box }) => box.width > 1 && box.height > 1);
    for (const [i, one] of pressed.entries()) for (const other of pressed.slice(i + 1)) {
        if (one.at.contains(other.at) || other.at.contains(one.at) || one.at.labels && [...one.at.labels].includes(other.at) || other.at.labels && [...other.at.labels].includes(one.at)) continue;
        if (getComputedStyle(one.at).display === "inline" && getComputedStyle(other.at).display === "inline") continue;
        if (cover(one.box, other.box) && !near(one, other)) tell(`at ${round(one.box)} covers <${other.at.localName} class="${other.at.className}"> at ${round(other.box)}`, one.at);
    }
    return [...new Set(found)];
"#;

/// Two servers on the same store: one with the three languages, one with the pseudo-localization.
struct LocalizedServers {
    plain: Server,
    pseudo_localized: Server,
}

impl LocalizedServers {
    async fn open() -> Self {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
        let config = |games, seed| ServerConfig {
            store: Arc::clone(&store),
            environment: seeded_environment(seed),
            games,
            ..ServerConfig::default()
        };
        LocalizedServers {
            plain: Server::start_with(config(Registry::builtin(), 1)).await,
            pseudo_localized: Server::start_with(config(
                Registry::builtin().pseudo_localized(pseudo_localize),
                2,
            ))
            .await,
        }
    }
}

/// Each language with the value of its display options cookie; `none` is the pseudo-localization.
const LANGUAGES: [(&str, &str); 3] = [("ja", "language-ja"), ("ru", "language-ru"), ("none", "")];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_in_every_language_fits_and_is_accessible() {
    let servers = LocalizedServers::open().await;
    let mut browser =
        BrowserSession::open_at(&servers.plain.url(""), Scripts::On, Motion::Reduced).await;
    let pages = Pages::prepare(&browser, 3).await;
    axe::add_to_new_documents(&browser).await;
    let only = std::env::var("DOD_PAGES").unwrap_or_default();
    let mut found = Vec::new();
    for (language, look) in LANGUAGES {
        let server = if language == "none" {
            &servers.pseudo_localized
        } else {
            &servers.plain
        };
        browser.address = server.url("").trim_end_matches('/').to_owned();
        for size in [DESKTOP, PHONE] {
            browser.set_window_size(size).await;
            Pages::set_display_options(&browser, look).await;
            for (name, path) in &pages.all {
                if !only.is_empty() && !only.split(',').any(|one| one == *name) {
                    continue;
                }
                Pages::open(&browser, name, path).await;
                let faults = browser.run(FAULTS).await;
                for fault in faults.as_array().expect("a list") {
                    found.push(format!("{name}, {language}, {}: {fault}", size.0));
                }
                if [("ja", DESKTOP), ("ru", PHONE)].contains(&(language, size)) {
                    let lang = "return document.documentElement.lang";
                    assert_eq!(browser.run(lang).await, language, "{name}");
                    let faults = crate::accessibility_faults(&browser, size).await;
                    found.extend(faults.map(|fault| format!("{name}, {language}: {fault}")));
                }
                save_screenshot(&browser, name, language, size).await;
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The main pages with the fonts of each kind of reader, in every language; in English also at every window size.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
pub(crate) async fn the_main_pages_keep_their_layout_with_the_fonts_of_every_reader() {
    let servers = LocalizedServers::open().await;
    let plain = servers.plain.url("").trim_end_matches('/').to_owned();
    let pseudo = servers.pseudo_localized.url("");
    let mut found = Vec::new();
    for fonts in Fonts::ALL {
        let mut browser = BrowserSession::open_with_fonts_at(&plain, fonts).await;
        let people = "game=dice&seed=7&seats=human&seats=human&seats=human&seats=human";
        let game = layouts::create_game(&browser, people).await;
        let mut check = async |browser: &BrowserSession, script: &str, what: String| {
            let faults = browser.run(script).await;
            let faults = faults.as_array().expect("a list").iter();
            found.extend(faults.map(|fault| format!("{fonts:?}, {what}: {fault}")));
        };
        for size in browser.possible_sizes(&layouts::SIZES) {
            browser.set_window_size(size).await;
            browser.goto("/").await;
            check(&browser, layouts::FAULTS_AROUND, format!("/ at {size:?}")).await;
            // The board is rendered flat only after the server knows that the window is narrow.
            browser.goto(&game).await;
            browser.goto(&game).await;
            check(&browser, layouts::FAULTS, format!("the board at {size:?}")).await;
        }
        let pages = [
            ("start", "/"),
            ("form", "/?game=dice"),
            ("trilobite", "/?game=trilobite"),
            ("board", &game),
            ("daily", "/daily"),
            ("puzzles", "/puzzles"),
            ("rules", "/rules"),
            ("settings", "/settings"),
            ("me", "/me"),
            ("tables", "/tables"),
        ];
        for (language, look) in LANGUAGES {
            let address = if language == "none" { &pseudo } else { &plain };
            browser.address = address.trim_end_matches('/').to_owned();
            for size in browser.possible_sizes(&[DESKTOP, PHONE]) {
                browser.set_window_size(size).await;
                Pages::set_display_options(&browser, look).await;
                for (name, path) in pages {
                    Pages::open(&browser, name, path).await;
                    check(&browser, FAULTS, format!("{name}, {language}, {}", size.0)).await;
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Saves a screenshot of each checked page in the folder `DOD_SHOTS`, if it is set.
async fn save_screenshot(browser: &BrowserSession, name: &str, language: &str, size: (u32, u32)) {
    let Some(folder) = std::env::var_os("DOD_SHOTS").map(std::path::PathBuf::from) else {
        return;
    };
    std::fs::create_dir_all(&folder).expect("the folder for screenshots can be created");
    let file = folder.join(format!("{name}-{language}-{}.png", size.0));
    crate::save_screenshot(browser, &file).await;
}

/// Words in Latin letters within a part of the page, except the name of the key Esc.
const PLAIN: &str = r#"
    const part = document.querySelector(arguments[0]);
    return part === null ? ["nothing there"] : part.innerText.replace(/\bEsc\b/g, "").match(/[A-Za-z]{3,}/g) ?? [];
"#;

/// Checks by clicking that a hint and the analysis board, with another chance outcome and another position, have no
/// untranslated words.
async fn check_hint_and_analysis(language: &str, scripts: Scripts) {
    let browser = BrowserSession::open_with_motion(scripts, Motion::Reduced).await;
    Pages::set_display_options(&browser, &format!("language-{language}")).await;
    let plain = async |css: &str| {
        let words = browser.run_script(PLAIN, vec![css.into()]).await;
        assert_eq!(words, serde_json::json!([]), "{language}, {css}");
    };
    start_quick_game(&browser).await;
    browser.click(".aids a").await;
    browser
        .wait_for("return document.readyState === 'complete' && document.querySelector('.hints button') !== null", "the hint")
        .await;
    plain(".hints").await;
    plain(".prompt").await;
    browser.click(".hints button").await;
    browser
        .wait_until("Number(document.getElementById('main')?.dataset.ply) > 0")
        .await;

    let position = "/analysis?pos=dice.v4.3.2.5.a3b1b2a2b2a1b3a2b1.0.0.1";
    browser.goto(position).await;
    let known =
        "return document.readyState === 'complete' && document.querySelector('.next a') !== null";
    browser.wait_for(known, "the best actions").await;
    plain("#main").await;
    browser.click(".next a").await;
    browser.wait_for("return document.readyState === 'complete' && location.search.includes('line=') && document.querySelectorAll('.outc a').length === 2", "a step").await;
    plain(".lines").await;
    browser.click(".outc a:not([aria-current])").await;
    browser
        .wait_until("document.readyState === 'complete' && location.search.endsWith('.1')")
        .await;
    browser.click(&tile_selector("h4")).await;
    browser
        .wait_for("return document.readyState === 'complete' && location.search.includes('at=4') && document.querySelector('.opt') !== null", "the palette")
        .await;
    plain(".palette").await;
    browser.click(".opt:not([aria-current])").await;
    browser
        .wait_until("!location.search.includes('line=')")
        .await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn hint_and_analysis_are_in_japanese_with_scripts() {
    check_hint_and_analysis("ja", Scripts::On).await;
}

#[tokio::test]
async fn hint_and_analysis_are_in_japanese_without_scripts() {
    check_hint_and_analysis("ja", Scripts::Off).await;
}

#[tokio::test]
async fn hint_and_analysis_are_in_russian_with_scripts() {
    check_hint_and_analysis("ru", Scripts::On).await;
}

#[tokio::test]
async fn hint_and_analysis_are_in_russian_without_scripts() {
    check_hint_and_analysis("ru", Scripts::Off).await;
}

/// The two time zones are on opposite sides of the date line, so their dates always differ.
#[tokio::test]
async fn dates_are_in_the_browsers_time_zone() {
    let browser = BrowserSession::open(Scripts::On).await;
    crate::start_quick_game(&browser).await;
    let mut days = Vec::new();
    for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
        let zone = serde_json::json!({ "timezoneId": zone });
        browser
            .devtools("Emulation.setTimezoneOverride", zone)
            .await;
        browser.goto("/me").await;
        let day = "const at = document.querySelector('.gcard time');
            return at && !at.textContent.includes('UTC') && [at.textContent, new Date(at.dateTime).getDate()]";
        let day = browser.wait_for(day, "the day of a game").await;
        let (date, number) = (day[0].as_str().expect("words"), &day[1]);
        assert!(date.starts_with(&format!("{number}\u{a0}")), "{day}");
        days.push(date.to_owned());
    }
    assert_ne!(days[0], days[1]);
    let own = serde_json::json!({ "timezoneId": "" });
    browser.devtools("Emulation.setTimezoneOverride", own).await;
}
