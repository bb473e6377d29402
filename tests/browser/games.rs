//! Complete games by mouse and keyboard, and their results.

use crate::harness::{BrowserSession, Motion, Scripts};
use crate::player::{InputDevice, Player};
use crate::{
    SMALL, TWO_PEOPLE, set_up_game, set_up_game_by_input, start_quick_game, trilobite_player,
};

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
pub(crate) async fn a_complete_game_is_played_by_mouse_without_scripts() {
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
pub(crate) async fn a_complete_game_is_played_by_mouse_with_scripts() {
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
pub(crate) async fn a_complete_game_is_played_by_keyboard() {
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
pub(crate) async fn a_complete_game_of_version_2_is_played() {
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

/// Whether the hexes of a winner rise or sink.
const CELEBRATES: &str =
    "return [...document.querySelectorAll('.risen')].some((hex) => hex.getAnimations().length > 0)";

#[tokio::test]
async fn a_win_is_celebrated_once() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Full).await;
    let mut player = Player::new(&browser, InputDevice::Mouse);
    let over = loop {
        set_up_game(&browser, "size=2&players=2&seats:1=random").await;
        // The celebration may be over before the test looks for it.
        let record = "const animate = Element.prototype.animate;
            Element.prototype.animate = function (...how) {
                window.hasRisen ||= this.matches('.risen');
                return animate.apply(this, how);
            };";
        browser.run(record).await;
        let over = player.play_until(|_| false).await;
        if browser
            .is_true("document.querySelector('.won') !== null")
            .await
        {
            break over;
        }
    };
    browser.wait_until("window.hasRisen").await;
    let still = CELEBRATES.replace("return ", "return !");
    browser.wait_for(&still, "its end").await;
    let tiles = "document.querySelectorAll('.board use[href=\"#tile\"]').length";
    let drawn = browser.eval(tiles).await;
    let sum = browser.text_of(".sums b").await;
    browser.goto(&over.at).await;
    assert_eq!(browser.run(CELEBRATES).await, false, "only once");
    assert_eq!(browser.eval(tiles).await, drawn);
    assert_eq!(browser.text_of(".sums b").await, sum);
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
pub(crate) async fn four_in_a_row_wins() {
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
pub(crate) async fn a_full_board_is_a_draw() {
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
pub(crate) async fn a_computer_player_replies_to_each_chip() {
    let browser = BrowserSession::open(Scripts::On).await;
    browser.goto("/").await;
    browser.click(".others a[href='/?game=trilobite']").await;
    browser.click(".by-level button").await;
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
