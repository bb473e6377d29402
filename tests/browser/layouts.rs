//! Page layout at common window sizes: no part covers another one, the board and the primary action are in view, and a
//! ply does not shift the board.

use base64::Engine as _;
use serde_json::{Value, json};

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::player::{InputDevice, Player};
use crate::trilobite_player;

/// Phones in both orientations, a desktop at 200 % zoom, a tablet in portrait, and windows from low to large.
pub(crate) const SIZES: [(u32, u32); 14] = [
    (320, 568),
    (360, 740),
    (390, 844),
    (844, 390),
    (640, 400),
    (820, 1180),
    (1024, 700),
    (1280, 800),
    (1366, 640),
    (1366, 768),
    (1440, 780),
    (1920, 950),
    (2560, 1300),
    (2560, 1440),
];

/// Layout faults of the current page. Parts are compared by their bounding boxes, text by the boxes of its lines, and
/// piles of dice as if every hex had the maximum number of dice.
pub(crate) const FAULTS: &str = r#"
    const main = document.getElementById("main");
    const faults = [];
    const box = (at) => at.getBoundingClientRect();
    const words = (at) => {
        const range = document.createRange();
        range.selectNodeContents(at);
        return box(range);
    };
    const all = (css, how = box) => [...main.querySelectorAll(css)].map(how);
    const most = 5, height = 23.1, width = 20, top = 11.6;
    const piles = [...main.querySelectorAll(".board:not(.flat) .hex")].map((hex) => {
        const at = hex.getScreenCTM();
        const [x, y] = [at.e, at.f];
        return new DOMRect(x - width * at.a, y - (most * height + top) * at.d, 2 * width * at.a, most * height * at.d);
    });
    const parts = {
        prompt: all(".prompt > *", words),
        board: [...all(".board .hex use[href$=tile], .board .chip, .board .front"), ...piles],
        corner: all(".actions, .actions .btn"),
        strip: all(".roll:not(.none)"),
        attacks: all(".attacks"),
        players: all(".players"),
        log: all(".log"),
        more: all(".rail .more"),
        advice: all(".advice"),
        study: all(".palette, .study"),
        result: all(".res > :not(.menus), .menu > summary", words),
        course: all(".course"),
        head: [...document.querySelectorAll(".top > .brand, .top nav a")].map(box),
    };
    const seen = (one) => one.width > 1 && one.height > 1;
    for (const name in parts) parts[name] = parts[name].filter(seen);
    // On a phone the bar at the bottom may cover parts that are reached by scrolling, but no others.
    const bar = main.querySelector(".actions");
    const over = bar && getComputedStyle(bar).position === "sticky" ? ["attacks", "log", "more", "advice"] : [];
    // On a short phone it may also cover the strip of dice.
    if (over.length && innerHeight < 640) over.push("strip");
    const names = Object.keys(parts).filter((name) => !over.includes(name));
    for (const [i, one] of names.entries()) for (const other of names.slice(i + 1)) {
        const cover = (a, b) =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
        const hit = parts[one].find((a) => parts[other].some((b) => cover(a, b)));
        if (hit) faults.push(`${one} covers ${other} at ${Math.round(hit.left)}, ${Math.round(hit.top)}`);
    }
    const [wide, high] = [document.documentElement.clientWidth, innerHeight];
    const press = [...main.querySelectorAll(".actions .btn, .deck .kb")].map(box).filter(seen);
    for (const [name, boxes] of [["board", parts.board.slice(0, -piles.length || undefined)], ["prompt", parts.prompt], ["button", press]]) {
        const out = boxes.find((one) => one.left < -1 || one.top < -1 || one.right > wide + 1 || one.bottom > high + 1);
        if (out) faults.push(`${name} out of view: ${Math.round(out.right)}, ${Math.round(out.bottom)}`);
    }
    if (document.documentElement.scrollWidth > wide) faults.push(`${document.documentElement.scrollWidth} wide`);
    if (scrollY > 0) faults.push(`scrolled by ${scrollY}`);
    return faults;
"#;

/// The position and size of the board within the page.
const PLACE: &str = r#"
    const { left, top, width, height } = document.querySelector(".board").getBoundingClientRect();
    return [left + scrollX, top + scrollY, width, height];
"#;

pub(crate) async fn create_game(browser: &BrowserSession, fields: &str) -> String {
    browser.goto("/healthz").await;
    let begin = "fetch('/games', { method: 'POST', body: new URLSearchParams(arguments[0]) })
        .then((answer) => { window.begun = new URL(answer.url).pathname; });";
    browser.run_script(begin, vec![fields.into()]).await;
    let path = browser
        .wait_for("return window.begun ?? null", "a game")
        .await;
    path.as_str().expect("its path").to_owned()
}

async fn collect_faults(browser: &BrowserSession, what: &str, found: &mut Vec<String>) {
    let faults = browser.run(FAULTS).await;
    for fault in faults.as_array().expect("a list") {
        found.push(format!("{what}: {fault}"));
    }
}

async fn board_rectangle(browser: &BrowserSession) -> Value {
    browser.run(PLACE).await
}

#[tokio::test]
async fn no_part_covers_another_and_the_actions_are_in_view() {
    let browser = BrowserSession::open(Scripts::On).await;
    let people = "game=dice&seed=7&seats=human&seats=human&seats=human&seats=human";
    let dice = create_game(&browser, people).await;
    // After one attack the page shows a strip of dice, and the turn can be ended.
    browser.goto(&dice).await;
    let mut player = Player::new(&browser, InputDevice::Mouse);
    player
        .play_until(|state| state.ply > 0 && state.chosen.is_none() && !state.sources.is_empty())
        .await;
    let chips = "game=trilobite&chips=human&chips=human";
    let chips = create_game(&browser, chips).await;
    let link =
        |css: &str| format!("return document.querySelector('{css}')?.getAttribute('href') ?? null");
    browser.goto(&dice).await;
    let chosen = browser.wait_for(&link("a.can"), "a source").await;
    let chosen = chosen.as_str().expect("a path").to_owned();
    browser.goto(&chosen).await;
    let target = browser.wait_for(&link("a.tgt"), "a target").await;
    let target = target.as_str().expect("a path").to_owned();
    let pages = [
        ("choose", dice.clone()),
        ("chosen", chosen),
        ("confirm", target),
        ("replay", format!("{dice}/1")),
        ("hint", format!("{dice}/hint")),
        ("columns", chips.clone()),
        ("column", format!("{chips}?column=d")),
    ];
    let mut found = Vec::new();
    for size in SIZES {
        browser.set_window_size(size).await;
        // The board is rendered flat only after the server knows that the window is narrow.
        browser.goto(&dice).await;
        for (name, path) in &pages {
            browser.goto(path).await;
            let what = format!("{name} at {} × {}", size.0, size.1);
            collect_faults(&browser, &what, &mut found).await;
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[tokio::test]
async fn a_ply_does_not_shift_the_board() {
    let browser = BrowserSession::open(Scripts::On).await;
    let mut found = Vec::new();
    for size in [
        (320, 568),
        (390, 844),
        (844, 390),
        (820, 1180),
        (1024, 700),
        (1366, 640),
        (1440, 780),
    ] {
        browser.set_window_size(size).await;
        let computers = "game=dice&seed=7";
        let dice = create_game(&browser, computers).await;
        browser.goto(&dice).await;
        browser.goto(&dice).await;
        let first = board_rectangle(&browser).await;
        let mut player = Player::new(&browser, InputDevice::Mouse);
        for ply in 1..10 {
            let state = player
                .play_until(|state| state.ply >= ply || state.chosen.is_some())
                .await;
            let now = board_rectangle(&browser).await;
            if now != first {
                found.push(format!(
                    "dice at {size:?}, ply {}: {first} became {now}",
                    state.ply
                ));
            }
            if state.over {
                break;
            }
        }
        let chips = "game=trilobite&chips=human&chips=human";
        let chips = create_game(&browser, chips).await;
        browser.goto(&chips).await;
        let first = board_rectangle(&browser).await;
        for (ply, column) in ["d", "e", "d", "e"].into_iter().enumerate() {
            trilobite_player::drop_chips(&browser, InputDevice::Mouse, ply, column).await;
            let now = board_rectangle(&browser).await;
            if now != first {
                found.push(format!(
                    "chips at {size:?}, ply {}: {first} became {now}",
                    ply + 1
                ));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A die that flies beyond the board does not make the page wider, so the button that is fixed to the window stays in
/// view.
#[tokio::test]
async fn a_flying_die_does_not_widen_the_page() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    browser.set_window_size((390, 844)).await;
    let dice = create_game(&browser, "game=dice&seed=7").await;
    browser.goto(&dice).await;
    let fly = r#"
        const board = document.querySelector(".board");
        const die = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        for (const [name, value] of Object.entries({ x: 1500, y: -40, width: 60, height: 60 })) die.setAttribute(name, value);
        board.append(die);
        return document.documentElement.scrollWidth;
    "#;
    assert_eq!(browser.run(fly).await, 390);
}

/// A click on the middle of a tile selects its own hex, even if another pile covers it; and pointing at an attack
/// highlights its hexes.
#[tokio::test]
pub(crate) async fn a_tile_receives_the_clicks_on_its_middle() {
    let browser = BrowserSession::open(Scripts::On).await;
    let dice = create_game(&browser, "game=dice&seed=7").await;
    browser.goto(&dice).await;
    let wrong = r#"
        return [...document.querySelectorAll("a.hex")].filter((hex) => {
            const at = hex.getScreenCTM();
            const hit = document.elementFromPoint(at.e, at.f)?.closest("a");
            return hit?.getAttribute("href") !== hex.getAttribute("href");
        }).map((hex) => hex.id);
    "#;
    assert_eq!(browser.run(wrong).await, json!([]));
    let source = "return document.querySelector('a.can').getAttribute('href')";
    let source = browser.run(source).await;
    browser.goto(source.as_str().expect("a path")).await;
    assert_eq!(browser.run(wrong).await, json!([]));
    let rings = r#"
        const button = document.querySelector(".attacks .btn");
        const ringed = (type) => {
            button.dispatchEvent(new MouseEvent(type, { bubbles: true }));
            return [...document.querySelectorAll(".hex.mark")].map((hex) => hex.id).sort();
        };
        const named = button.dataset.marks.split(" ").sort();
        return [ringed("mouseover"), named, ringed("mouseout")];
    "#;
    let rings = browser.run(rings).await;
    assert_eq!(rings[0], rings[1]);
    assert_eq!(rings[2], json!([]));
}

/// The chosen flat tile keeps its cream colour under the pointer; otherwise its number would be unreadable.
#[tokio::test]
async fn the_chosen_flat_tile_keeps_its_colour_under_the_pointer() {
    let browser = BrowserSession::open(Scripts::On).await;
    let dice = create_game(&browser, "game=dice&seed=7").await;
    crate::pages::Pages::set_display_options(&browser, "board-flat").await;
    browser.goto(&dice).await;
    browser.click("a.can .inlay text").await;
    browser.wait_for_element("a.src").await;
    let cream = r#"
        const chosen = document.querySelector("a.src");
        const top = () => getComputedStyle(chosen).getPropertyValue("--top").trim();
        const before = top();
        chosen.classList.add("mark");
        return [before, top(), chosen.matches(":hover")];
    "#;
    let cream = browser.run(cream).await;
    assert_eq!(cream[0], cream[1]);
    assert_eq!(cream[2], true, "the pointer is where it was clicked");
}

#[tokio::test]
async fn the_complete_log_stays_within_its_card() {
    let browser = BrowserSession::open(Scripts::On).await;
    let people = "game=trilobite&chips=human&chips=human";
    let game = create_game(&browser, people).await;
    browser.goto(&game).await;
    trilobite_player::drop_chips(&browser, InputDevice::Mouse, 0, "aaaaaabbbbbbcccccc").await;
    browser.goto(&format!("{game}/log")).await;
    let log = r#"
        const card = document.querySelector(".log");
        const list = card.querySelector("ol").getBoundingClientRect();
        const glyph = getComputedStyle(card.querySelector(".gl"));
        return [list.bottom <= card.getBoundingClientRect().bottom, glyph.fillOpacity, card.querySelectorAll(".le").length === 18];
    "#;
    assert_eq!(browser.run(log).await, json!([true, "1", true]));
}

/// Layout faults of the start page and of a finished game: parts that overlap, and pages that leave much of the window
/// empty.
pub(crate) const FAULTS_AROUND: &str = r#"
    const faults = [];
    const main = document.getElementById("main");
    const box = (at) => at.getBoundingClientRect();
    const names = [".hero", ".live", ".onair", ".today", ".mine", ".win .bd", ".res", ".held", ".worst", ".counted", ".players", ".log"];
    const parts = names.flatMap((name) => [...main.querySelectorAll(name)].map((at) => ({ name, at, box: box(at) })));
    for (const [i, one] of parts.entries()) for (const other of parts.slice(i + 1)) {
        if (one.at.contains(other.at) || other.at.contains(one.at)) continue;
        const [a, b] = [one.box, other.box];
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // The board's shadow overlaps its neighbours slightly.
        if (wide > 24 && high > 24) faults.push(`${one.name} covers ${other.name} by ${Math.round(wide)} × ${Math.round(high)}`);
    }
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) faults.push(`${page.scrollWidth} wide`);
    const press = box(main.querySelector(".btn.main"));
    if (press.bottom > innerHeight || press.right > page.clientWidth) faults.push(`the button ends at ${Math.round(press.bottom)}`);
    const right = Math.max(...parts.map((one) => one.box.right)), left = Math.min(...parts.map((one) => one.box.left));
    const bottom = Math.max(...parts.map((one) => one.box.bottom));
    if (right - left < page.clientWidth * 0.62) faults.push(`${Math.round(right - left)} of ${page.clientWidth} are used`);
    if (bottom < innerHeight * 0.6) faults.push(`it ends at ${Math.round(bottom)} of ${innerHeight}`);
    return faults;
"#;

#[tokio::test]
async fn the_start_and_result_pages_fill_the_window_and_show_the_primary_action() {
    let browser = BrowserSession::open(Scripts::On).await;
    let people = "game=dice&rules=v1&seed=7&seats=human&seats=human";
    let finished = create_game(&browser, people).await;
    browser.goto(&finished).await;
    let mut player = Player::new(&browser, InputDevice::Mouse);
    player.play_until(|_| false).await;
    let mut found = Vec::new();
    for size in SIZES {
        browser.set_window_size(size).await;
        for path in ["/", &finished] {
            browser.goto(path).await;
            let faults = browser.run(FAULTS_AROUND).await;
            for fault in faults.as_array().expect("a list") {
                found.push(format!("{path} at {size:?}: {fault}"));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The result page, the review and the analysis board: the board is in view and no part covers another one.
#[tokio::test]
async fn no_part_covers_another_after_a_game() {
    let browser = BrowserSession::open(Scripts::On).await;
    let (finished, decision) = crate::pages::reviewed_game(&browser).await;
    let analysis = format!(
        "/analysis?game={}&ply=1",
        finished.trim_start_matches("/g/")
    );
    browser.goto(&analysis).await;
    let link = "return document.querySelector('.board a')?.getAttribute('href') ?? null";
    let edit = browser.wait_for(link, "a place to change").await;
    let edit = edit.as_str().expect("a path").to_owned();
    let pages = [
        finished.clone(),
        format!("{finished}/review"),
        decision,
        analysis,
        edit,
    ];
    let mut found = Vec::new();
    for size in [
        (320, 568),
        (390, 844),
        (844, 390),
        (640, 400),
        (820, 1180),
        (1280, 800),
    ] {
        browser.set_window_size(size).await;
        browser.goto(&finished).await;
        for path in &pages {
            browser.goto(path).await;
            let what = format!("{path} at {} × {}", size.0, size.1);
            collect_faults(&browser, &what, &mut found).await;
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The smallest board has few hexes next to its bar and buttons, and is rendered large.
#[tokio::test]
async fn the_smallest_board_leaves_space_for_its_bar() {
    let browser = BrowserSession::open(Scripts::On).await;
    let people = "game=dice&size=2&players=2&seed=7&seats=human&seats=human";
    let dice = create_game(&browser, people).await;
    let mut found = Vec::new();
    for size in SIZES {
        browser.set_window_size(size).await;
        browser.goto(&dice).await;
        browser.goto(&dice).await;
        let what = format!("{} × {}", size.0, size.1);
        collect_faults(&browser, &what, &mut found).await;
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Going back restores a page from the browser's back/forward cache.
#[tokio::test]
async fn going_back_restores_the_cached_page() {
    let browser = BrowserSession::open(Scripts::On).await;
    let dice = create_game(&browser, "game=dice&seed=7").await;
    for path in [
        "/",
        "/learn",
        "/daily",
        "/puzzles",
        "/rules",
        "/settings",
        &dice,
    ] {
        browser.goto(path).await;
        let mark =
            "addEventListener('pageshow', (event) => { window.cameBack = event.persisted; });";
        browser.run(mark).await;
        browser.goto("/me").await;
        browser.run("history.back();").await;
        let back = r#"
            if (location.pathname !== arguments[0] || document.readyState !== "complete") return null;
            const [way] = performance.getEntriesByType("navigation");
            return window.cameBack ?? (way.type === "back_forward" ? JSON.stringify(way.notRestoredReasons) : null);
        "#;
        let back = back.replace("arguments[0]", &json!(path).to_string());
        let back = browser.wait_for(&back, "the page that was left").await;
        assert_eq!(back, true, "{path}: {back}");
    }
}

/// A wide board fills its field, and scrolls in it if its cells would otherwise be too small; a tall one is as high as
/// the window. No board widens the page, and more columns never make the cells larger.
#[tokio::test]
async fn boards_of_any_width_fill_their_field_without_widening_the_page() {
    let browser = BrowserSession::open(Scripts::On).await;
    let boards = [
        (2, 8),
        (8, 7),
        (14, 7),
        (15, 7),
        (16, 7),
        (42, 2),
        (64, 1),
        (8, 15),
        (1, 127),
    ];
    let mut games = Vec::new();
    for (width, height) in boards {
        let win = if width.max(height) > 2 { "3" } else { "2" };
        let fields = format!(
            "game=trilobite&width={width}&height={height}&win={win}&chips=human&chips=human"
        );
        games.push(create_game(&browser, &fields).await);
    }
    let sizes = r#"
        const board = document.querySelector(".board");
        const [{ width }, field] = [board.getBoundingClientRect(), board.parentElement.clientWidth];
        const { scrollWidth, clientWidth } = document.documentElement;
        return { cell: 80 * board.getScreenCTM().a, over: scrollWidth - clientWidth, empty: field - width };
    "#;
    let mut found = Vec::new();
    for size in [(390, 844), (820, 1180), (1280, 900), (1600, 900)] {
        browser.set_window_size(size).await;
        let mut before = f64::INFINITY;
        for ((width, height), game) in boards.iter().zip(&games) {
            browser.goto(game).await;
            let now = browser.run(sizes).await;
            let number = |name: &str| now[name].as_f64().expect("a number");
            let what = format!("{width} × {height} at {size:?}: {now}");
            if number("over") > 0.0 || number("cell") < 24.0 {
                found.push(what.clone());
            }
            // In a wide window the board may leave the corner free.
            let corner = if size.0 < 1100 { 1.0 } else { 237.0 };
            if *width > 14 && number("empty") > corner {
                found.push(format!("empty: {what}"));
            }
            if *height == 7 {
                // Phones are exempt: their widest board without scrolling has cells of the minimum size for touch.
                if size.0 > 760 && number("cell") > before {
                    found.push(format!("larger than with fewer columns: {what}"));
                }
                before = number("cell");
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The number of pages that a path has on paper of size A4.
async fn printed_pages(browser: &BrowserSession, path: &str) -> usize {
    browser.goto(path).await;
    let paper = json!({ "paperWidth": 8.27, "paperHeight": 11.69 });
    let printed = browser.devtools("Page.printToPDF", paper).await;
    let printed = printed["data"].as_str().expect("a document in base64");
    let document = base64::engine::general_purpose::STANDARD.decode(printed);
    let document = document.expect("valid base64");
    let is_page = |at: &&[u8]| at.starts_with(b"/Type /Page\n") || at.starts_with(b"/Type /Page ");
    document.windows(12).filter(is_page).count()
}

/// A game, a move and a puzzle are printed on one page; no page has only the footer or controls.
#[tokio::test]
async fn a_position_is_printed_on_one_page() {
    let browser = BrowserSession::open(Scripts::On).await;
    let dice = create_game(&browser, "game=dice&seed=7").await;
    browser.goto(&dice).await;
    let mut player = Player::new(&browser, InputDevice::Mouse);
    player.play_until(|state| state.ply > 0).await;
    let chips = create_game(&browser, "game=trilobite&chips=human&chips=human").await;
    let games = dice_of_doom::games::Registry::builtin();
    let puzzle = format!("/puzzles/{}", games.default_game().puzzles()[0].id);
    for path in [&dice, &format!("{dice}/1"), &chips, &puzzle] {
        assert_eq!(printed_pages(&browser, path).await, 1, "{path}");
        let media = json!({ "media": "print" });
        browser.devtools("Emulation.setEmulatedMedia", media).await;
        let controls = "[...document.querySelectorAll('main button, .foot, .deck, .top nav')].some((at) => at.checkVisibility() && !at.closest('.answers'))";
        assert!(!browser.is_true(controls).await, "{path}");
        let media = json!({ "media": "" });
        browser.devtools("Emulation.setEmulatedMedia", media).await;
    }
}
