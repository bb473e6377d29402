//! Keys do what their labels say, on any layout and whatever Caps Lock is.

use serde_json::json;

use crate::harness::{Motion, Scripts, World};

/// A key as a browser tells of it: what it types, its place, whether Shift is held.
type Pressed = (&'static str, &'static str, bool);

async fn press(world: &World, (key, code, shift): Pressed, repeat: bool) {
    world.unguarded().await;
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
async fn newest(world: &World, ply: u32) -> String {
    let shown = format!(
        "const main = document.getElementById('main');
        return main?.dataset.ply === '{ply}' && main.querySelector('.le')?.textContent"
    );
    let line = world.until(&shown, &format!("ply {ply}")).await;
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
    let world = World::alone(Scripts::On, Motion::Calm).await;
    let wide = [&TWO[..], &[("width", "22")]].concat();
    crate::set_up(&world, &wide).await;
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
            press(&world, other, false).await;
        }
        press(&world, ("c", "KeyC", false), true).await;
        press(&world, pressed, false).await;
        ply += 1;
        let line = newest(&world, ply).await;
        assert!(
            line.ends_with(&format!(": {column}")),
            "{pressed:?}: {line}"
        );
    }
    // Where a column is called u, Shift takes back.
    press(&world, ("u", "KeyU", false), false).await;
    assert!(newest(&world, ply + 1).await.ends_with(": u"));
    press(&world, ("г", "KeyU", true), false).await;
    let line = newest(&world, ply + 2).await;
    assert!(line.contains("took back"), "{line}");
    // A key that is held does not play on where the focus went.
    world
        .ask("document.querySelector('#col-c').focus();", vec![])
        .await;
    press(&world, ("Enter", "Enter", false), true).await;
    press(&world, ("и", "KeyB", false), false).await;
    assert!(newest(&world, ply + 3).await.ends_with(": b"));
    assert_eq!(world.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_hint_is_asked_for_by_its_key_alone() {
    let world = World::alone(Scripts::On, Motion::Calm).await;
    let known = "return location.pathname.endsWith('/hint')";
    crate::start_at_once(&world).await;
    press(&world, ("р", "KeyH", false), false).await;
    world.until(known, "the hint of a dice game").await;
    crate::set_up(&world, &[("game", "trilobite")]).await;
    let label = "return document.querySelector('[data-key=H] kbd').textContent";
    assert_eq!(world.ask(label, vec![]).await, "Shift+H");
    // With Caps Lock, Shift types a small letter.
    press(&world, ("h", "KeyH", true), false).await;
    world.until(known, "the hint of a game of chips").await;
    let ply = "return document.getElementById('main').dataset.ply";
    assert_eq!(world.ask(ply, vec![]).await, "0");
}
