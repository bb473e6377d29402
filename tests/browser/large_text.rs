//! Pages with the font sizes that readers set in their browser, at every window width and in every language: no text,
//! button or chip lies over a hex or a die, nothing is cut off or outside the window, and the bar at the bottom of a
//! phone leaves the board in view.
//!
//! CI checks a fixed sample; `DOD_LARGE_TEXT=all cargo test --test browser large_text` checks every combination.

use dice_of_doom::games::Registry;
use serde_json::json;

use crate::harness::{BrowserSession, Scripts};
use crate::layouts::create_game;
use crate::pages::{Pages, reviewed_game};

/// Default font sizes in pixels; 16 is that of a new browser.
const FONTS: [u32; 4] = [12, 16, 24, 32];
const SIZES: [(u32, u32); 6] = [
    (320, 640),
    (390, 844),
    (768, 1024),
    (1024, 768),
    (1440, 900),
    (2560, 1440),
];
const LANGUAGES: [&str; 3] = ["en", "ja", "ru"];
/// How many combinations CI checks.
const SAMPLE: usize = 24;
/// The distance between two combinations of the sample in the list of all of them. It has no common factor with their
/// number, so the sample has every font, size, language and page.
const STRIDE: usize = 97;

const FAULTS: &str = r#"
    const faults = [];
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) faults.push(`${page.scrollWidth} wide in ${page.clientWidth}`);
    const clipped = (at) => at !== null && at !== document.body && (getComputedStyle(at).clipPath !== "none" || clipped(at.parentElement));
    const visible = (at) => at.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !at.closest(".board, .skip, script, style, option, textarea, dialog") && !clipped(at);
    /** The part of a box that is not clipped, and whether scrolling would show the rest. */
    const seen = ({ left, top, right, bottom }, at) => {
        let scrolls = false;
        for (let out = at; out && out !== document.body; out = out.parentElement) {
            const { overflowX, overflowY } = getComputedStyle(out);
            if (out.ownerSVGElement || (overflowX === "visible" && overflowY === "visible")) continue;
            scrolls ||= [overflowX, overflowY].some((how) => how === "auto" || how === "scroll");
            const edge = out.getBoundingClientRect();
            if (overflowX !== "visible") [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
            if (overflowY !== "visible") [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
        }
        return { left, top, right, bottom, scrolls };
    };
    const isThere = ({ left, top, right, bottom }) => right - left > 1 && bottom - top > 1;
    const cover = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    const drawn = [...document.querySelectorAll(".bd .board :is(.hex use, .front), .roll .face")].filter((at) => at.checkVisibility());
    const tiles = drawn.map((at) => ({ at, box: seen(at.getBoundingClientRect(), at) })).filter(({ box }) => isThere(box));
    const bar = document.querySelector(".actions:has(.btn)");
    const sticky = bar && getComputedStyle(bar).position === "sticky" ? bar : null;
    const boxes = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const at = node.parentElement;
        const said = node.data.trim().slice(0, 40);
        if (!said || !visible(at)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
        if (lines > 3 && node.data.trim().length < 3 * lines) faults.push(`${lines} lines of some letters each: ${said}`);
        for (const { left, right, top, height } of range.getClientRects()) {
            // The letters, without the space between lines.
            const line = { left, right, top: top + 0.22 * height, bottom: top + 0.78 * height };
            const box = seen(line, at);
            if (!isThere(box)) continue;
            boxes.push({ at, box, said });
            const isCut = box.left > left + 1 || box.right < right - 1 || box.bottom < line.bottom - 1;
            if (isCut && !box.scrolls && !at.ownerSVGElement) faults.push(`cut off: ${said}`);
            if (box.left < -1 || box.right > page.clientWidth + 1) faults.push(`outside the window: ${said}`);
        }
    }
    for (const at of document.querySelectorAll(".btn, button, .pill, .pc, .taker, .advice, .log, .tag")) {
        if (visible(at)) boxes.push({ at, box: seen(at.getBoundingClientRect(), at), said: at.textContent.trim().slice(0, 40) });
    }
    for (const { at, box, said } of boxes) {
        const hit = !sticky?.contains(at) && tiles.find((tile) => !at.contains(tile.at) && cover(tile.box, box));
        if (hit) faults.push(`"${said}" at ${Math.round(box.left)}, ${Math.round(box.top)} over ${hit.at.getAttribute("href") ?? hit.at.getAttribute("class")}`);
    }
    const board = tiles.filter(({ at }) => at.closest(".board")).map(({ box }) => box);
    if (sticky && board.length) {
        const { top, height } = sticky.getBoundingClientRect();
        const [first, last] = [Math.min(...board.map((box) => box.top)), Math.max(...board.map((box) => box.bottom))];
        // In a low window the page scrolls, and then the whole board fits above the bar.
        const end = innerHeight < 800 ? last - first : last;
        if (end > top + 1) faults.push(`the bar begins at ${Math.round(top)}, the board ends at ${Math.round(end)}`);
        if (height > 0.2 * innerHeight) faults.push(`the bar is ${Math.round(height)} high in ${innerHeight}`);
    }
    return [...new Set(faults)];
"#;

#[tokio::test]
async fn large_text_covers_no_hex_and_no_die() {
    let browser = BrowserSession::open(Scripts::On).await;
    let (over, mistake) = reviewed_game(&browser).await;
    let name = "&name=Wolfeschlegelsteinhausenberger";
    let people = format!("game=dice&seed=7{}", "&seats=human".repeat(4));
    let game = create_game(&browser, &format!("{people}{name}")).await;
    browser.goto(&game).await;
    let link = "return document.querySelector('a.can').getAttribute('href')";
    let chosen = browser.run(link).await;
    let chosen = chosen.as_str().expect("a path").to_owned();
    let columns = format!("game=trilobite&chips=human&chips=human{name}");
    let columns = create_game(&browser, &columns).await;
    let games = Registry::builtin();
    let puzzle = format!("/puzzles/{}", games.default_game().puzzles()[0].id);
    let pages = [
        ("start", "/".to_owned()),
        ("board", game.clone()),
        ("chosen", chosen),
        ("hint", format!("{game}/hint")),
        ("columns", columns),
        ("replay", format!("{over}/1")),
        ("over", over.clone()),
        ("review", format!("{over}/review")),
        ("mistake", mistake),
        ("daily", "/daily".to_owned()),
        ("answer", format!("{puzzle}?answer=1")),
        ("puzzle", puzzle),
        ("lesson", "/learn/odds".to_owned()),
        ("me", "/me".to_owned()),
        ("puzzles", "/puzzles".to_owned()),
        ("settings", "/settings".to_owned()),
        ("rules", "/rules".to_owned()),
    ];
    let all: Vec<_> = FONTS
        .into_iter()
        .flat_map(|font| SIZES.map(|size| (font, size)))
        .flat_map(|(font, size)| LANGUAGES.map(|language| (font, size, language)))
        .flat_map(|place| pages.each_ref().map(|page| (place, page)))
        .collect();
    let chosen: Vec<_> = match std::env::var_os("DOD_LARGE_TEXT") {
        Some(_) => all,
        None => (0..SAMPLE).map(|i| all[i * STRIDE % all.len()]).collect(),
    };
    let mut found = Vec::new();
    let mut set = None;
    for (place, (name, path)) in chosen {
        let (font, size, language) = place;
        if set.replace(place) != Some(place) {
            browser.set_window_size(size).await;
            let sizes = json!({ "fontSizes": { "standard": font } });
            browser.devtools("Page.setFontSizes", sizes).await;
            Pages::set_display_options(&browser, &format!("language-{language}")).await;
            // The board is rendered flat only after the server knows the size of the window and of the text.
            browser.goto(&game).await;
        }
        Pages::open(&browser, name, path).await;
        let faults = browser.run(FAULTS).await;
        for fault in faults.as_array().expect("a list") {
            let width = size.0;
            found.push(format!("{name}, {font} px, {width}, {language}: {fault}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// From 150 % on, the flat board is the default; its numbers are twice as large as those of the piles.
#[tokio::test]
async fn the_board_is_flat_with_large_text() {
    let browser = BrowserSession::open(Scripts::On).await;
    let game = create_game(&browser, "game=dice&seed=7").await;
    browser.goto(&game).await;
    for (font, drawing) in [(16, "book"), (24, "flat"), (20, "book")] {
        let sizes = json!({ "fontSizes": { "standard": font } });
        browser.devtools("Page.setFontSizes", sizes).await;
        browser.goto(&game).await;
        let is_flat = drawing == "flat";
        let shown = format!("document.querySelector('.board').matches('.flat') === {is_flat}");
        browser.wait_until(&shown).await;
        let drawn = "document.documentElement.dataset.board";
        assert_eq!(browser.eval(drawn).await, drawing, "{font} px");
    }
}
