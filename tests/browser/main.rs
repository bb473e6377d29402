//! Whole games and every page in a real browser, against the real program.
//!
//! Needs `chromium` and `chromedriver` (Debian: `chromium`, `chromium-driver`); the check of
//! accessibility fetches axe-core with `npm pack` once, unless `AXE_JS` names the file.
//! `DOD_SHOTS=folder cargo test --test browser screenshots` writes pictures of the pages.

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
mod cookies;
mod dropper;
mod ending;
mod fair;
mod harness;
mod hints;
mod keys;
mod layouts;
mod live;
mod pages;
mod party;
mod player;
mod presses;
mod proxy;
mod replay;
mod review;
mod sharing;
mod spoken;
mod streams;
mod tempo;
mod tongues;
mod two_servers;
mod undo;
mod upload;
mod why;

use std::path::PathBuf;

use harness::{BrowserSession, Motion, Scripts};
use pages::Pages;
use player::{InputDevice, Player};

/// Presses the one button of the start page.
async fn start_quick_game(world: &BrowserSession) {
    world.goto("/").await;
    world.click(".play button").await;
    wait_for_board(world).await;
}

/// Sets a game up with the form of the start page: a field is named, of fields with the same name the
/// first one, or another by its number.
async fn set_up_game(world: &BrowserSession, fields: &[(&str, &str)]) {
    world.goto("/").await;
    let fill = r#"
        const form = document.querySelector(".form");
        for (const [field, value] of arguments[0]) {
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
    world
        .run_script(fill, vec![serde_json::json!(fields)])
        .await;
    wait_for_board(world).await;
}

async fn wait_for_board(world: &BrowserSession) {
    world
        .wait_for(
            "return Boolean(document.querySelector('main[data-game]'))",
            "the board",
        )
        .await;
}

/// Sets a game up as a person does, with the mouse and the keyboard.
async fn set_up_game_by_input(world: &BrowserSession, fields: &[(&str, &str)]) {
    world.goto("/").await;
    world.click(".custom > summary").await;
    for (field, value) in fields {
        let (name, number) = field.split_once(':').unwrap_or((field, "0"));
        let number: usize = number.parse().expect("a number");
        let kind = format!("return document.querySelectorAll('.form [name={name}]')[0].type");
        let kind = world.run_script(&kind, Vec::new()).await;
        match kind.as_str().expect("a field of the form") {
            "radio" => {
                world
                    .click(&format!(".form [name={name}][value={value}]"))
                    .await;
            }
            "number" | "text" => {
                world.click(&format!(".form [name={name}]")).await;
                world.press_keys(value.chars()).await;
            }
            _ => {
                // The nth element with this name, by what stands around it.
                let mark = format!(
                    "document.querySelectorAll('.form [name={name}]')[{number}].id = 'field-{name}-{number}'"
                );
                world.run_script(&mark, Vec::new()).await;
                let select = format!("#field-{name}-{number}");
                world.click(&select).await;
                world
                    .click(&format!("{select} option[value='{value}']"))
                    .await;
            }
        }
    }
    world.click(".form > button").await;
    wait_for_board(world).await;
}

/// A small board of Dice of Doom with four at the table.
const SMALL: &[(&str, &str)] = &[("size", "4"), ("players", "4")];

/// The page of the winner: who won in words, and a way on.
async fn check_result_page(world: &BrowserSession) {
    let words = world
        .run_script(
            "return document.querySelector('.res h1').textContent",
            vec![],
        )
        .await;
    let words = words.as_str().expect("a headline");
    let begins = ["Won", "Lost", "A tie", "You win"];
    assert!(
        begins.iter().any(|begins| words.starts_with(begins)) || words.contains(" win"),
        "{words}"
    );
    let rematch = world
        .run_script(
            "return Boolean(document.querySelector('form[action$=rematch]'))",
            vec![],
        )
        .await;
    assert_eq!(rematch, true, "a rematch is offered");
}

#[tokio::test]
async fn a_whole_game_by_mouse_without_scripts() {
    let world = BrowserSession::open(Scripts::Off).await;
    start_quick_game(&world).await;
    let ran =
        "return document.documentElement.dataset.ran ?? document.getElementById('say').textContent";
    let mut player = Player::new(&world, InputDevice::Mouse);
    player.play_until(|seen| seen.ply > 8).await;
    set_up_game(&world, &[("size", "3"), ("players", "3")]).await;
    player.play_until(|_| false).await;
    assert!(
        player.attacks > 0 && player.passes > 0,
        "{} attacks, {} passes",
        player.attacks,
        player.passes
    );
    assert_eq!(world.run_script(ran, vec![]).await, "", "no script ran");
    check_result_page(&world).await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_whole_game_by_mouse_with_scripts() {
    let world = BrowserSession::open(Scripts::On).await;
    set_up_game_by_input(&world, SMALL).await;
    world.run_script("window.sameWindow = true", vec![]).await;
    let mut player = Player::new(&world, InputDevice::Mouse);
    let seen = player.play_until(|seen| seen.chosen.is_some()).await;
    assert!(
        seen.at.contains("?from="),
        "the address tells the chosen hex: {}",
        seen.at
    );
    let seen = player.cancel_choice(&seen).await;
    assert!(
        !seen.at.contains('?'),
        "the address tells that nothing is chosen: {}",
        seen.at
    );
    player.play_until(|_| false).await;
    assert!(player.attacks > 0, "no attack was played");
    check_result_page(&world).await;
    assert_eq!(
        world.run_script("return window.sameWindow", vec![]).await,
        true,
        "no page was loaded anew"
    );
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_whole_game_by_keyboard() {
    let world = BrowserSession::open(Scripts::On).await;
    set_up_game(&world, SMALL).await;
    let mut player = Player::new(&world, InputDevice::Keyboard);
    let seen = player.play_until(|seen| !seen.sources.is_empty()).await;
    let source = seen.sources[0].id.clone();
    let seen = player.choose_hex(&seen, &source).await;
    assert_eq!(seen.focus, source, "the focus stays on the chosen hex");
    let seen = player.cancel_choice(&seen).await;
    assert_eq!(
        seen.focus, source,
        "the focus stays where the dice were put back"
    );
    player.play_until(|_| false).await;
    check_result_page(&world).await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_whole_game_of_version_2() {
    let world = BrowserSession::open(Scripts::Off).await;
    set_up_game(&world, &[("rules", "v2"), ("size", "3")]).await;
    let mut player = Player::new(&world, InputDevice::Mouse);
    let seen = player.play_until(|seen| seen.chosen.is_some()).await;
    assert!(!seen.targets.is_empty(), "{seen:?}");
    let odds = "return document.getElementById('main').textContent.includes('%')";
    assert_eq!(
        world.run_script(odds, vec![]).await,
        false,
        "nothing is rolled"
    );
    player.play_until(|_| false).await;
    assert!(player.attacks > 0, "no attack was played");
    check_result_page(&world).await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

const TWO_PEOPLE: [(&str, &str); 3] = [
    ("game", "trilobite"),
    ("chips:0", "human"),
    ("chips:1", "human"),
];

/// The page of the end on a narrow phone, without scripts: the graphs are switched, numbers unfold, a
/// swing opens its move, and other opponents are one press away.
#[tokio::test]
async fn the_end_is_read_and_left_without_scripts() {
    let world = BrowserSession::open(Scripts::Off).await;
    set_up_game(&world, &[("size", "3"), ("players", "2")]).await;
    let over = Player::new(&world, InputDevice::Mouse)
        .play_until(|_| false)
        .await;
    let shown = async |class: &str| {
        let shown = format!("return document.querySelector('.{class}').checkVisibility()");
        world.run_script(&shown, vec![]).await == true
    };
    let narrow = "return document.documentElement.scrollWidth <= innerWidth";
    for size in [(360, 740), (844, 390), (1024, 700), (1280, 860)] {
        world.set_window_size(size).await;
        world.goto(&over.at).await;
        assert!(shown("of-hexes").await && !shown("of-dice").await);
        for summary in [".of-hexes summary", ".over > .more summary"] {
            world.click(summary).await;
        }
        assert_eq!(world.run_script(narrow, vec![]).await, true, "{size:?}");
        world.click("[name=held][value=dice]").await;
        assert!(shown("of-dice").await && !shown("of-hexes").await);
        assert_eq!(world.run_script(narrow, vec![]).await, true, "{size:?}");
    }
    let swing = "return document.querySelector('.worst a')?.getAttribute('href') ?? ''";
    let swing = world.run_script(swing, vec![]).await;
    if let Some(path) = swing.as_str().filter(|path| !path.is_empty()) {
        world.click(".worst a").await;
        world
            .wait_for(
                &format!("return location.pathname + location.search === '{path}'"),
                "the swing's move",
            )
            .await;
        world.goto(&over.at).await;
    }
    // After a loss only easier opponents are offered.
    let offered = "return document.querySelector('.steps-pair form:last-child button').textContent";
    let offered = world.run_script(offered, vec![]).await;
    let level = match offered.as_str() {
        Some("Harder") => "Greedy",
        _ => "Random",
    };
    world.click(".steps-pair form:last-child button").await;
    let other =
        format!("return document.querySelector('.players')?.textContent.includes('{level}')");
    world
        .wait_for(&other, &format!("the game of {offered}"))
        .await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

async fn result_headline(world: &BrowserSession) -> String {
    let words = world.wait_for(
        "return document.querySelector('.res h1')?.textContent ?? null",
        "the result",
    );
    words.await.as_str().expect("a headline").to_owned()
}

/// By mouse without scripts, and by keyboard.
const HANDS: [(InputDevice, Scripts); 2] = [
    (InputDevice::Mouse, Scripts::Off),
    (InputDevice::Keyboard, Scripts::On),
];

#[tokio::test]
async fn four_in_a_row_win() {
    for (hand, scripts) in HANDS {
        let world = BrowserSession::open(scripts).await;
        set_up_game(&world, &TWO_PEOPLE).await;
        dropper::drop_chips(&world, hand, 0, "dedede").await;
        let over = "return Boolean(document.querySelector('.res'))";
        let over = world.run_script(over, vec![]).await;
        assert_eq!(over, false, "three in a row are not enough");
        dropper::drop_chips(&world, hand, 6, "d").await;
        assert!(result_headline(&world).await.contains("win"));
        let line = "return Boolean(document.querySelector('.board .line'))";
        assert_eq!(
            world.run_script(line, vec![]).await,
            true,
            "the line is marked"
        );
        assert_eq!(world.console_errors().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_full_board_is_a_draw() {
    for (hand, scripts) in HANDS {
        let world = BrowserSession::open(scripts).await;
        let small = [("width", "3"), ("height", "3"), ("win", "3")];
        set_up_game_by_input(&world, &[&TWO_PEOPLE[..], &small[..]].concat()).await;
        dropper::drop_chips(&world, hand, 0, "aaabbcccb").await;
        assert!(result_headline(&world).await.contains("draw"));
        assert_eq!(world.console_errors().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_computer_answers_each_chip() {
    let world = BrowserSession::open(Scripts::On).await;
    world.goto("/").await;
    world.click("form.second button").await;
    let turn = |ply: usize| {
        format!(
            "return document.getElementById('main')?.dataset.ply === '{ply}' && Boolean(document.querySelector('a.col'))"
        )
    };
    for (chip, column) in ["d", "c", "f"].into_iter().enumerate() {
        world.wait_for(&turn(2 * chip), "my turn").await;
        world.click(&format!("#col-{column}")).await;
    }
    world.wait_for(&turn(6), "my turn").await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

const DESKTOP: (u32, u32) = (1280, 860);
const PHONE: (u32, u32) = (390, 844);

/// What axe finds: rule, element, reason.
const AXE: &str = r#"
    const done = arguments[arguments.length - 1];
    axe.run(document, { resultTypes: ["violations"] }).then(
        (found) => done(found.violations.flatMap((rule) => rule.nodes.map((node) =>
            `${rule.id}: ${node.html.slice(0, 160)} (${node.failureSummary.slice(0, 300)})`))),
        (error) => done([String(error)]));"#;

/// What a finger cannot hit, or what makes a phone scroll sideways. Links within a sentence are as
/// high as their line.
const FINGERS: &str = r#"
    const found = [];
    const wide = document.documentElement.scrollWidth;
    if (wide > innerWidth) {
        const out = [...document.body.querySelectorAll("*")].filter((at) => at.getBoundingClientRect().right > innerWidth + 1);
        found.push(`scrolls sideways: ${wide} > ${innerWidth}: ${out.slice(0, 3).map((at) => at.outerHTML.slice(0, 100))}`);
    }
    for (const at of document.querySelectorAll("a, button, summary, select, input:not([type=hidden])")) {
        const box = (at.matches("[type=radio], [type=checkbox]") ? at.closest("label") : at).getBoundingClientRect();
        // The marks of a long game are narrow on its timeline: buttons and keys beside it lead to the same moves.
        if (!at.checkVisibility() || at.matches(".skip, .tags a, a[tabindex='-1']")) continue;
        const words = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim().length > 2);
        if (getComputedStyle(at).display === "inline" && words(at.parentElement)) continue;
        if (box.width < 24 || box.height < 24) found.push(`${box.width}x${box.height}: ${at.outerHTML.slice(0, 160)}`);
    }
    return found;"#;

/// What axe finds on the page shown, and on phones what a finger cannot hit.
async fn accessibility_faults(
    world: &BrowserSession,
    size: (u32, u32),
) -> impl Iterator<Item = String> {
    let faults = world.client.execute_async(AXE, vec![]).await;
    let mut faults = vec![faults.expect("axe runs")];
    if size == PHONE {
        faults.push(world.run_script(FINGERS, vec![]).await);
    }
    faults
        .into_iter()
        .flat_map(|faults| faults.as_array().expect("a list").clone())
        .filter_map(|fault| Some(fault.as_str()?.to_owned()))
}

/// Looks that differ most from the usual one.
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

/// Every theme with every colours and either board, on both screens.
fn every_look() -> Vec<(String, (u32, u32))> {
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

/// Every page in the usual look, and pages of games in others; `DOD_LOOKS=1` looks at every page in
/// every look.
#[tokio::test]
async fn every_page_is_accessible() {
    let world = BrowserSession::open(Scripts::On).await;
    let pages = Pages::prepare(&world, 2).await;
    axe::add_to_new_documents(&world).await;
    let mut found = Vec::new();
    for (name, path) in &pages.all {
        for (theme, size) in [("light", DESKTOP), ("dark", PHONE)] {
            world.emulate_theme(theme).await;
            world.set_window_size(size).await;
            Pages::open(&world, name, path).await;
            let faults = accessibility_faults(&world, size).await;
            found.extend(faults.map(|fault| format!("{name}, {theme}, {}: {fault}", size.0)));
        }
    }
    let everywhere = std::env::var_os("DOD_LOOKS").is_some();
    let looks = if everywhere {
        every_look()
    } else {
        LOOKS.map(|(look, size)| (look.to_owned(), size)).into()
    };
    for (look, size) in looks {
        world.set_window_size(size).await;
        Pages::set_display_options(&world, &look).await;
        let shown = |name: &str| everywhere || ["chosen", "column", "over"].contains(&name);
        for (name, path) in pages.all.iter().filter(|(name, _)| shown(name)) {
            Pages::open(&world, name, path).await;
            let faults = accessibility_faults(&world, size).await;
            found.extend(faults.map(|fault| format!("{name}, {look}, {}: {fault}", size.0)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    let complaints = world.console_errors().await;
    let wanted = |words: &&String| !words.contains("/nowhere");
    assert_eq!(
        complaints.iter().filter(wanted).collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
}

/// Writes pictures of the pages for somebody to look at; without `DOD_SHOTS` there is nothing to do.
#[tokio::test]
async fn screenshots() {
    let Some(folder) = std::env::var_os("DOD_SHOTS").map(PathBuf::from) else {
        return;
    };
    std::fs::create_dir_all(&folder).expect("the folder for pictures can be made");
    let world = BrowserSession::open(Scripts::On).await;
    let pages = Pages::prepare(&world, 5).await;
    for (name, path) in &pages.all {
        for (size, screen) in [(DESKTOP, "desktop"), (PHONE, "phone")] {
            for theme in ["light", "dark"] {
                world.emulate_theme(theme).await;
                world.set_window_size(size).await;
                Pages::open(&world, name, path).await;
                let file = folder.join(format!("{name}-{screen}-{theme}.png"));
                save_screenshot(&world, &file).await;
            }
        }
    }
    // Every theme on both boards.
    for (size, screen) in [(DESKTOP, "desktop"), (PHONE, "phone")] {
        world.set_window_size(size).await;
        for theme in ["light", "dark"] {
            for colours in ["book", "okabe", "contrast"] {
                for (name, board) in [("chosen", "book"), ("chosen", "flat"), ("column", "book")] {
                    let look = format!("theme-{theme}.colours-{colours}.board-{board}");
                    Pages::set_display_options(&world, &look).await;
                    Pages::open(&world, name, pages.path(name)).await;
                    let file = folder.join(format!("look-{name}-{look}-{screen}.png"));
                    save_screenshot(&world, &file).await;
                }
            }
        }
    }
}

async fn save_screenshot(world: &BrowserSession, file: &std::path::Path) {
    let picture = world.client.screenshot().await.expect("a picture");
    std::fs::write(file, picture).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// Chooses on the page of settings and comes back to the game, without a script.
#[tokio::test]
async fn the_look_is_chosen_on_its_page() {
    let world = BrowserSession::open(Scripts::Off).await;
    start_quick_game(&world).await;
    let game = world.path().await;
    world.click(".top .gear").await;
    let flat = "return getComputedStyle(document.querySelector('.ex-flat')).display !== 'none'";
    assert_eq!(world.run_script(flat, vec![]).await, false);
    world.click("#board-flat").await;
    world.click("#theme-dark").await;
    world.click("#colours-okabe").await;
    assert_eq!(
        world.run_script(flat, vec![]).await,
        true,
        "shown before it is kept"
    );
    let light = "return getComputedStyle(document.querySelector('.example')).backgroundColor";
    assert_eq!(world.run_script(light, vec![]).await, "rgb(28, 23, 19)");
    world.click("button[name=next]").await;
    let left = "return location.pathname !== '/settings' && document.readyState === 'complete'";
    world
        .wait_for(left, "the page that the settings were for")
        .await;
    assert_eq!(world.path().await, game);
    let root = "const { theme, colours, board, boardAuto } = document.documentElement.dataset;
        return [theme, colours, board, boardAuto ?? null, document.querySelectorAll('.board.flat').length]";
    let kept = serde_json::json!(["dark", "okabe", "flat", null, 1]);
    assert_eq!(world.run_script(root, vec![]).await, kept);
    let mut player = Player::new(&world, InputDevice::Mouse);
    player.play_until(|seen| seen.ply > 6).await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_narrow_page_gets_the_flat_board() {
    let world = BrowserSession::open(Scripts::On).await;
    start_quick_game(&world).await;
    let flat = "return document.querySelectorAll('.board.flat').length";
    assert_eq!(world.run_script(flat, vec![]).await, 0);
    world.devtools(
        "Emulation.setDeviceMetricsOverride",
        serde_json::json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": false }),
    )
    .await;
    let game = world.path().await;
    world.goto(&game).await;
    world
        .wait_for(
            "return document.querySelector('.board.flat') !== null",
            "the flat board",
        )
        .await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn an_invitation_is_copied_by_a_press() {
    for scripts in [Scripts::On, Scripts::Off] {
        let with = matches!(scripts, Scripts::On);
        let world = BrowserSession::open(scripts).await;
        set_up_game(&world, &[("seats:1", "open")]).await;
        let shown = "return document.querySelector('.hand .scripted').checkVisibility()";
        assert_eq!(
            world.run_script(shown, vec![]).await,
            with,
            "only scripts copy"
        );
        if with {
            world.click(".hand .scripted").await;
            let words = "return document.querySelector('.hand .scripted').textContent === 'Copied'";
            world.wait_for(words, "the button says so").await;
        }
        world.click(".scan summary").await;
        let code = "return document.querySelector('.qr').checkVisibility()";
        assert_eq!(world.run_script(code, vec![]).await, true);
        assert_eq!(world.console_errors().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn the_start_board_follows_the_game_on_the_air() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    world.goto("/").await;
    let ply = "return Number(document.getElementById('live')?.dataset.ply ?? 0) > 0";
    world.wait_for(ply, "a ply without a new page").await;
    world.click("#live .btn").await;
    let watching = "return document.querySelector('main[data-game]') !== null";
    world.wait_for(watching, "the game").await;
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}
