//! Keyboard shortcuts on different keyboard layouts, and with Caps Lock.

use serde_json::json;

use crate::harness::{BrowserSession, Motion, Scripts};

/// A key event: the `key` typed, the `code` of its position, and whether Shift is held.
type Pressed = (&'static str, &'static str, bool);

async fn press_key(browser: &BrowserSession, (key, code, shift): Pressed, repeat: bool) {
    browser.wait_for_active_buttons().await;
    let mut down = json!({
        "type": "rawKeyDown", "key": key, "code": code, "modifiers": if shift { 8 } else { 0 },
        "autoRepeat": repeat,
    });
    if key == "Enter" {
        (down["type"], down["text"]) = ("keyDown".into(), "\r".into());
        down["windowsVirtualKeyCode"] = 13.into();
    }
    browser.devtools("Input.dispatchKeyEvent", down).await;
    let up = json!({ "type": "keyUp", "key": key, "code": code });
    browser.devtools("Input.dispatchKeyEvent", up).await;
}

/// Waits for the ply, and returns its line in the log.
async fn log_line_of(browser: &BrowserSession, ply: u32) -> String {
    let shown = format!(
        "const main = document.getElementById('main');
        return main?.dataset.ply === '{ply}' && main.querySelector('.le')?.textContent"
    );
    let line = browser.wait_for(&shown, &format!("ply {ply}")).await;
    line.as_str().expect("a line").to_owned()
}

const TWO: &str = "game=trilobite&chips:0=human&chips:1=human&height=4&win=4";

#[tokio::test]
async fn only_the_letter_of_a_column_drops_a_chip_into_it() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    let wide = format!("{TWO}&width=22");
    crate::set_up_game(&browser, &wide).await;
    let drops: [(Pressed, &str); 9] = [
        (("d", "KeyD", false), "d"),
        // With Caps Lock.
        (("D", "KeyD", false), "d"),
        (("H", "KeyH", false), "h"),
        // On Dvorak and AZERTY the letter counts; on non-Latin layouts the position of the key.
        (("e", "KeyD", false), "e"),
        (("a", "KeyQ", false), "a"),
        (("у", "KeyE", false), "e"),
        (("Ф", "KeyA", false), "a"),
        (("γ", "KeyG", false), "g"),
        (("ل", "KeyG", false), "g"),
    ];
    let mut ply = 0;
    for (pressed, column) in drops {
        // None of these keys drops a chip or takes a move back.
        for other in [
            ("C", "KeyC", true),
            ("c", "KeyC", true),
            ("С", "KeyC", true),
            ("é", "KeyC", false),
            ("€", "KeyC", false),
            ("Process", "KeyC", false),
        ] {
            press_key(&browser, other, false).await;
        }
        press_key(&browser, ("c", "KeyC", false), true).await;
        press_key(&browser, pressed, false).await;
        ply += 1;
        let line = log_line_of(&browser, ply).await;
        assert!(
            line.ends_with(&format!(": {column}")),
            "{pressed:?}: {line}"
        );
    }
    // If there is a column u, Shift+U takes a move back.
    press_key(&browser, ("u", "KeyU", false), false).await;
    assert!(log_line_of(&browser, ply + 1).await.ends_with(": u"));
    press_key(&browser, ("г", "KeyU", true), false).await;
    let line = log_line_of(&browser, ply + 2).await;
    assert!(line.contains("took back"), "{line}");
    // Key repeat does not trigger the element that gets the focus.
    browser
        .run("document.querySelector('#col-c').focus();")
        .await;
    press_key(&browser, ("Enter", "Enter", false), true).await;
    press_key(&browser, ("и", "KeyB", false), false).await;
    assert!(log_line_of(&browser, ply + 3).await.ends_with(": b"));
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn only_its_shortcut_requests_a_hint() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    let known = "return location.pathname.endsWith('/hint')";
    crate::start_quick_game(&browser).await;
    press_key(&browser, ("р", "KeyH", false), false).await;
    browser.wait_for(known, "the hint of a dice game").await;
    crate::set_up_game(&browser, "game=trilobite").await;
    let label = "return document.querySelector('[data-key=H] kbd').textContent";
    assert_eq!(browser.run(label).await, "Shift+H");
    // With Caps Lock on, Shift types a lower-case letter.
    press_key(&browser, ("h", "KeyH", true), false).await;
    browser.wait_for(known, "the hint of a game of chips").await;
    let ply = "return document.getElementById('main').dataset.ply";
    assert_eq!(browser.run(ply).await, "0");
}

#[tokio::test]
async fn arrow_keys_enter_the_board_and_stay_among_the_targets() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    let people = "game=dice&seed=7&seats=human&seats=human&seats=human&seats=human";
    let game = crate::layouts::create_game(&browser, people).await;
    let arrows = ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"];
    for arrow in arrows {
        browser.goto(&game).await;
        assert!(
            browser
                .is_true("document.activeElement === document.body")
                .await
        );
        press_key(&browser, (arrow, arrow, false), false).await;
        let entered = "document.activeElement.matches('.board a.can')";
        assert!(browser.is_true(entered).await, "{arrow}");
    }
    press_key(&browser, ("Enter", "Enter", false), false).await;
    browser.wait_for_element("a.tgt").await;
    let focused = "document.activeElement.matches('.board a.tgt')";
    let mut visited = 0;
    for arrow in arrows.into_iter().cycle().take(12) {
        press_key(&browser, (arrow, arrow, false), false).await;
        let stays = "document.activeElement.matches('.board :is(a.tgt, a.src)')";
        assert!(browser.is_true(stays).await, "{arrow} leaves the targets");
        visited += u32::from(browser.is_true(focused).await);
    }
    assert!(
        visited > 6,
        "the focus is on a target {visited} times of 12"
    );
}

/// Whatever replaces the page, the focus stays within it.
#[tokio::test]
async fn the_focus_never_falls_to_the_body() {
    let browser = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    crate::start_quick_game(&browser).await;
    // The button of the hint has no place on the page of the hint.
    browser
        .run("document.querySelector('.aids a').focus()")
        .await;
    press_key(&browser, ("Enter", "Enter", false), false).await;
    browser.wait_for_element(".advice").await;
    let inside = "document.getElementById('main').contains(document.activeElement)";
    assert!(browser.is_true(inside).await, "on the page of the hint");
    browser.wait_for_element(".hints button").await;
    browser
        .run("document.querySelector('.hints button').focus()")
        .await;
    browser.wait_for_active_buttons().await;
    press_key(&browser, ("Enter", "Enter", false), false).await;
    browser
        .wait_until("Number(document.getElementById('main')?.dataset.ply) > 0")
        .await;
    assert!(browser.is_true(inside).await, "after the hint was played");
}
