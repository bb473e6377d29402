//! Records are brought by a form: a whole one as a file, three damaged ones as text.

use fantoccini::Locator;
use serde_json::{Value, json};

use crate::harness::{BrowserSession, Scripts};

/// A record of a game that computers have played to its end.
async fn create_record(world: &BrowserSession) -> Value {
    let api = format!("{}/api/v1/games", world.address);
    let client = reqwest::Client::new();
    let new =
        json!({"game": "dice", "size": 2, "players": 2, "seed": 7, "seats": ["book", "book"]});
    let made = client.post(&api).json(&new).send().await.expect("a server");
    let made: Value = made.json().await.expect("a game");
    let game = format!("{api}/{}", made["id"].as_str().expect("an id"));
    loop {
        let now = client.get(format!("{game}?wait=1000")).send().await;
        let now: Value = now.expect("a server").json().await.expect("a game");
        if now["over"] == true {
            let record = client.get(format!("{game}/record")).send().await;
            return record.expect("a server").json().await.expect("a record");
        }
    }
}

async fn text_of(world: &BrowserSession, css: &str) -> String {
    let script = format!("return document.querySelector({css:?})?.textContent ?? null");
    let text = world.wait_for(&script, css).await;
    text.as_str().unwrap_or_default().to_owned()
}

/// Pastes a text, sends it, and reads why it was not kept.
async fn paste_rejected(world: &BrowserSession, text: &str) -> String {
    world.goto("/upload").await;
    let paste = format!("document.querySelector('textarea').value = {text:?}");
    world.run_script(&paste, vec![]).await;
    world.click(".upload form .btn").await;
    text_of(world, ".upload .notice p").await
}

async fn check_uploads(scripts: Scripts) {
    let world = BrowserSession::open(scripts).await;
    let record = create_record(&world).await;
    let plies = record["plies"].as_array().expect("plies");
    let attack = plies.iter().position(|ply| ply["path"].is_array());
    let attack = attack.expect("somebody attacks");
    let with = |field: &str, value: Value| {
        let mut record = record.clone();
        record["plies"][attack][field] = value;
        record.to_string()
    };
    let from = &record["plies"][attack]["path"][0];
    for (text, told) in [
        (with("path", json!([from, from])), format!("Ply {attack}: ")),
        (
            with("roll", Value::Null),
            format!("Ply {attack}: these dice"),
        ),
        ("{\"format\":1".to_owned(), "This is not JSON".to_owned()),
    ] {
        let said = paste_rejected(&world, &text).await;
        assert!(said.starts_with(&told), "{said}");
        let pasted = text_of(&world, ".upload textarea").await;
        assert_eq!(pasted, text, "it can be mended and sent again");
    }
    // A page that is refused is a complaint of its own.
    world.console_errors().await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("record.json");
    std::fs::write(&file, record.to_string()).expect("a file");
    world.goto("/games").await;
    world.click("a[href='/upload']").await;
    let field = world
        .client
        .wait()
        .for_element(Locator::Css("input[type=file]"));
    let field = field.await.expect("a field for files");
    let path = file.to_str().expect("a plain path");
    field.send_keys(path).await.expect("the file is chosen");
    world.click(".upload form .btn").await;
    let told = text_of(&world, ".res .sub").await;
    assert!(told.starts_with("Uploaded record"), "{told}");
    world.click(".res a[href*='/0#']").await;
    text_of(&world, ".replay .acts .btn").await;
    world.goto("/games").await;
    assert_eq!(
        text_of(&world, ".gcard small:last-child").await,
        "Uploaded record"
    );
    assert_eq!(world.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_whole_record_and_three_damaged_ones_are_brought() {
    check_uploads(Scripts::On).await;
}

#[tokio::test]
async fn a_whole_record_and_three_damaged_ones_are_brought_without_scripts() {
    check_uploads(Scripts::Off).await;
}
