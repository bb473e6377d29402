//! Records are brought by a form: a whole one as a file, three damaged ones as text.

use fantoccini::Locator;
use serde_json::{Value, json};

use crate::harness::{Scripts, World};

/// A record of a game that computers have played to its end.
async fn record(world: &World) -> Value {
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

async fn says(world: &World, css: &str) -> String {
    let script = format!("return document.querySelector({css:?})?.textContent ?? null");
    let text = world.until(&script, css).await;
    text.as_str().unwrap_or_default().to_owned()
}

/// Pastes a text, sends it, and reads why it was not kept.
async fn refused(world: &World, text: &str) -> String {
    world.goto("/upload").await;
    let paste = format!("document.querySelector('textarea').value = {text:?}");
    world.ask(&paste, vec![]).await;
    world.click(".upload form .btn").await;
    says(world, ".upload .notice p").await
}

async fn records_are_brought(scripts: Scripts) {
    let world = World::open(scripts).await;
    let record = record(&world).await;
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
        let said = refused(&world, &text).await;
        assert!(said.starts_with(&told), "{said}");
        let pasted = says(&world, ".upload textarea").await;
        assert_eq!(pasted, text, "it can be mended and sent again");
    }
    // A page that is refused is a complaint of its own.
    world.complaints().await;
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
    let told = says(&world, ".res .sub").await;
    assert!(told.starts_with("Uploaded record"), "{told}");
    world.click(".res a[href*='/0#']").await;
    says(&world, ".replay .acts .btn").await;
    world.goto("/games").await;
    assert_eq!(
        says(&world, ".gcard small:last-child").await,
        "Uploaded record"
    );
    assert_eq!(world.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_whole_record_and_three_damaged_ones_are_brought() {
    records_are_brought(Scripts::On).await;
}

#[tokio::test]
async fn a_whole_record_and_three_damaged_ones_are_brought_without_scripts() {
    records_are_brought(Scripts::Off).await;
}
