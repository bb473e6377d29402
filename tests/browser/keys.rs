//! Keys do what their labels say, on any layout and whatever Caps Lock is.

use serde_json::json;

use crate::harness::{BrowserSession, Motion, Scripts};

/// A key as a browser tells of it: what it types, its place, whether Shift is held.
type Pressed = (&'static str, &'static str, bool);

async fn press_key(world: &BrowserSession, (key, code, shift): Pressed, repeat: bool) {
    world.wait_for_active_buttons().await;
    let mut down = json!({
        "type": "rawKeyDown", "key": key, "code": code, "modifiers": if shift { 8 } else { 0 },
        "autoRepeat": repeat,
    });
    if key == "Enter" {
        (down["type"], down["text"]) = ("keyDown".into(), "\r".into());
        down["windowsVirtualKeyCode"] = 13.into();
    }
    world.devtools("Input.dispatchKeyEvent", down).await;
    let up = json!({ "type": "keyUp", "key": key, "code": code });
    world.devtools("Input.dispatchKeyEvent", up).await;
}

/// Waits for this ply, and answers what the log says of it.
async fn log_line_of(world: &BrowserSession, ply: u32) -> String {
    let shown = format!(
        "const main = document.getElementById('main');
        return main?.dataset.ply === '{ply}' && main.querySelector('.le')?.textContent"
    );
    let line = world.wait_for(&shown, &format!("ply {ply}")).await;
    line.as_str().expect("a line").to_owned()
}

const TWO: [(&str, &str); 5] = [
    ("game", "trilobite"),
    ("chips:0", "human"),
    ("chips:1", "human"),
    ("height", "4"),
    ("win", "4"),
];

#[tokio::test]
async fn a_letter_drops_into_its_column_and_nothing_else_does() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    let wide = [&TWO[..], &[("width", "22")]].concat();
    crate::set_up_game(&world, &wide).await;
    let drops: [(Pressed, &str); 9] = [
        (("d", "KeyD", false), "d"),
        // Caps Lock.
        (("D", "KeyD", false), "d"),
        (("H", "KeyH", false), "h"),
        // Dvorak and AZERTY: the letter on the key. Russian, Greek, Hebrew, Arabic: its place.
        (("e", "KeyD", false), "e"),
        (("a", "KeyQ", false), "a"),
        (("у", "KeyE", false), "e"),
        (("Ф", "KeyA", false), "a"),
        (("γ", "KeyG", false), "g"),
        (("ل", "KeyG", false), "g"),
    ];
    let mut ply = 0;
    for (pressed, column) in drops {
        // None of these drops a chip, nor takes one back.
        for other in [
            ("C", "KeyC", true),
            ("c", "KeyC", true),
            ("С", "KeyC", true),
            ("é", "KeyC", false),
            ("€", "KeyC", false),
            ("Process", "KeyC", false),
        ] {
            press_key(&world, other, false).await;
        }
        press_key(&world, ("c", "KeyC", false), true).await;
        press_key(&world, pressed, false).await;
        ply += 1;
        let line = log_line_of(&world, ply).await;
        assert!(
            line.ends_with(&format!(": {column}")),
            "{pressed:?}: {line}"
        );
    }
    // Where a column is called u, Shift takes back.
    press_key(&world, ("u", "KeyU", false), false).await;
    assert!(log_line_of(&world, ply + 1).await.ends_with(": u"));
    press_key(&world, ("г", "KeyU", true), false).await;
    let line = log_line_of(&world, ply + 2).await;
    assert!(line.contains("took back"), "{line}");
    // A key that is held does not play on where the focus went.
    world
        .run_script("document.querySelector('#col-c').focus();", vec![])
        .await;
    press_key(&world, ("Enter", "Enter", false), true).await;
    press_key(&world, ("и", "KeyB", false), false).await;
    assert!(log_line_of(&world, ply + 3).await.ends_with(": b"));
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_hint_is_asked_for_by_its_key_alone() {
    let world = BrowserSession::open_with_motion(Scripts::On, Motion::Reduced).await;
    let known = "return location.pathname.endsWith('/hint')";
    crate::start_quick_game(&world).await;
    press_key(&world, ("р", "KeyH", false), false).await;
    world.wait_for(known, "the hint of a dice game").await;
    crate::set_up_game(&world, &[("game", "trilobite")]).await;
    let label = "return document.querySelector('[data-key=H] kbd').textContent";
    assert_eq!(world.run_script(label, vec![]).await, "Shift+H");
    // With Caps Lock, Shift types a small letter.
    press_key(&world, ("h", "KeyH", true), false).await;
    world.wait_for(known, "the hint of a game of chips").await;
    let ply = "return document.getElementById('main').dataset.ply";
    assert_eq!(world.run_script(ply, vec![]).await, "0");
}
