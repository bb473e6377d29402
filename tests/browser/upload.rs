//! Uploads with the form: an intact record as a file, and three damaged ones as text.

use fantoccini::Locator;
use serde_json::{Value, json};

use crate::harness::{BrowserSession, Scripts};

/// The record of a finished game between computer players.
async fn create_record(browser: &BrowserSession) -> Value {
    let api = format!("{}/api/v1/games", browser.address);
    let client = reqwest::Client::new();
    let new =
        json!({"game": "dice", "size": 2, "players": 2, "seed": 7, "seats": ["book", "book"]});
    let created = client.post(&api).json(&new).send().await.expect("a server");
    let created: Value = created.json().await.expect("a game");
    let game = format!("{api}/{}", created["id"].as_str().expect("an id"));
    loop {
        let now = client.get(format!("{game}?wait=1000")).send().await;
        let now: Value = now.expect("a server").json().await.expect("a game");
        if now["over"] == true {
            let record = client.get(format!("{game}/record")).send().await;
            return record.expect("a server").json().await.expect("a record");
        }
    }
}

async fn text_of(browser: &BrowserSession, css: &str) -> String {
    let script = format!("return document.querySelector({css:?})?.textContent ?? null");
    let text = browser.wait_for(&script, css).await;
    text.as_str().unwrap_or_default().to_owned()
}

/// Pastes a text, submits it, and returns the error message.
async fn paste_rejected(browser: &BrowserSession, text: &str) -> String {
    browser.goto("/upload").await;
    let paste = format!("document.querySelector('textarea').value = {text:?}");
    browser.run(&paste).await;
    browser.click(".upload form .btn").await;
    text_of(browser, ".upload .notice p").await
}

async fn check_uploads(scripts: Scripts) {
    let browser = BrowserSession::open(scripts).await;
    let record = create_record(&browser).await;
    let plies = record["plies"].as_array().expect("plies");
    let attack = plies.iter().position(|ply| ply["path"].is_array());
    let attack = attack.expect("somebody attacks");
    let with = |field: &str, value: Value| {
        let mut record = record.clone();
        record["plies"][attack][field] = value;
        record.to_string()
    };
    let from = &record["plies"][attack]["path"][0];
    for (text, expected) in [
        (with("path", json!([from, from])), format!("Ply {attack}: ")),
        (
            with("roll", Value::Null),
            format!("Ply {attack}: these dice"),
        ),
        ("{\"format\":1".to_owned(), "This is not JSON".to_owned()),
    ] {
        let message = paste_rejected(&browser, &text).await;
        assert!(message.starts_with(&expected), "{message}");
        let pasted = text_of(&browser, ".upload textarea").await;
        assert_eq!(pasted, text, "the text is still in the form");
    }
    // Discards the console errors for the rejected uploads.
    browser.console_errors().await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("record.json");
    std::fs::write(&file, record.to_string()).expect("a file");
    browser.goto("/me").await;
    browser.click("a[href='/upload']").await;
    let field = browser
        .client
        .wait()
        .for_element(Locator::Css("input[type=file]"));
    let field = field.await.expect("a field for files");
    let path = file.to_str().expect("a plain path");
    field.send_keys(path).await.expect("the file is chosen");
    browser.click(".upload form .btn").await;
    let notice = text_of(&browser, ".res .sub").await;
    assert!(notice.starts_with("Uploaded record"), "{notice}");
    browser.click(".menus > :last-child summary").await;
    browser.click(".res a[href*='/0#']").await;
    text_of(&browser, ".replay .acts .btn").await;
    browser.goto("/me").await;
    let found = text_of(&browser, ".gcard small:last-child").await;
    assert_eq!(found, "Uploaded record");
    assert_eq!(browser.console_errors().await, Vec::<String>::new());
}

#[tokio::test]
pub(crate) async fn an_intact_record_is_uploaded_and_damaged_ones_are_rejected() {
    check_uploads(Scripts::On).await;
}

#[tokio::test]
async fn an_intact_record_is_uploaded_and_damaged_ones_are_rejected_without_scripts() {
    check_uploads(Scripts::Off).await;
}
