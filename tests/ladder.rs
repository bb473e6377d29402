//! How strong the levels are: the command `ladder`, and the page and the lists that tell what it found.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::{Server, program};
use dice_of_doom::arena::Strengths;
use dice_of_doom::faces::Registry;
use dice_of_doom::level::Level;
use dice_of_doom::templates::Language;
use dice_of_doom::templates::levels::level_about;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What the program brings along.
const SHIPPED: &str = include_str!("../src/faces/strength.json");

fn ladder(folder: &Path, words: &str) -> Output {
    let mut command = program();
    command
        .current_dir(folder)
        .arg("ladder")
        .args(words.split(' '));
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Only what is quick.
const QUICK: &str = "--without steady,advanced,expert,master,champion --boards 4";

#[test]
fn the_same_seed_gives_the_same_file_and_other_games_stay() {
    let folder = TempDir::new().unwrap();
    let small = format!("dice --rules v4 --side 3 --players 2 {QUICK}");
    for (threads, output) in [(1, "one"), (2, "two")] {
        let words = format!("{small} --threads {threads} --output {output}.json --resume kept");
        let done = ladder(folder.path(), &words);
        assert!(done.status.success(), "{}", said(&done));
        let table = String::from_utf8(done.stdout).unwrap();
        assert!(
            table.starts_with("dice.v4.3.2.5, 4 boards, seed 1\n\n| level | rating |"),
            "{table}"
        );
        assert!(table.contains("| random | 1000 ± 154 | "), "{table}");
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("one.json"), read("two.json"));
    assert!(folder.path().join("kept/dice.v4.3.2.5.ladder").exists());
    assert!(
        folder
            .path()
            .join("kept/dice.v4.3.2.5.greedy-book")
            .exists()
    );

    let found: Value = serde_json::from_str(&read("one.json")).unwrap();
    let game = &found["games"][0];
    assert_eq!(
        game["parameters"],
        json!({"game": "dice", "rules": "v4", "size": 3, "players": 2, "max_dice": 5})
    );
    let levels = game["levels"].as_array().unwrap();
    let names: Vec<_> = levels.iter().map(|rung| &rung["level"]).collect();
    assert_eq!(names, ["random", "book", "greedy"]);
    assert!(levels[0]["below"].is_null() && levels[1]["book"].is_null());
    assert_eq!(levels[0]["rating"]["mean"], 1000.0);
    for (rung, number) in [(0, "book"), (1, "below"), (2, "book"), (2, "below")] {
        let share = &levels[rung][number]["mean"];
        assert!((0.0..=1.0).contains(&share.as_f64().unwrap()), "{share}");
    }

    // Another game comes behind, and the same one anew in its place.
    let other = format!("trilobite --width 3 --height 3 --win 3 {QUICK} --output one.json");
    for words in [other, format!("{small} --seed 2 --output one.json")] {
        let done = ladder(folder.path(), &words);
        assert!(done.status.success(), "{}", said(&done));
    }
    let both: Value = serde_json::from_str(&read("one.json")).unwrap();
    let games = both["games"].as_array().unwrap();
    let told: Vec<_> = games
        .iter()
        .map(|game| json!([game["parameters"]["game"], game["seed"]]))
        .collect();
    assert_eq!(told, [json!(["dice", 2]), json!(["trilobite", 1])]);
}

#[test]
fn misuse_is_told() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("nonsense.json"), "{}").unwrap();
    let all = Level::ALL.map(Level::name)[1..].join(",");
    for (words, code, told) in [
        ("--boards 1".to_owned(), 2, "--output"),
        ("--boards 0 --output a.json".to_owned(), 2, "--boards"),
        (
            "--without god --output a.json".to_owned(),
            2,
            "called \"god\"",
        ),
        (
            format!("--without {all} --output a.json"),
            2,
            "a ladder has two levels at least",
        ),
        ("chess --output a.json".to_owned(), 2, "chess"),
        (
            format!("--rules v1 {QUICK} --output nonsense.json"),
            1,
            "nonsense.json: missing field `games`",
        ),
    ] {
        let done = ladder(folder.path(), &words);
        assert_eq!(done.status.code(), Some(code), "{words}: {}", said(&done));
        assert!(said(&done).contains(told), "{words}: {}", said(&done));
    }
}

#[tokio::test]
async fn the_page_says_how_every_level_thinks_and_how_strong_it_is() {
    let server = Server::start().await;
    let client = reqwest::Client::new();
    let games = Registry::house();
    for language in Language::ALL {
        let asked = client.get(server.url("/levels"));
        let asked = asked.header("accept-language", language.tag());
        let page = asked.send().await.unwrap().text().await.unwrap();
        assert!(page.len() < 48 << 10, "{} bytes", page.len());
        let text = games.text(language);
        for setting in games.kinds().flat_map(|kind| kind.measured()) {
            for level in Level::ALL {
                let about = level_about(text, setting.way(), level.name());
                let about = format!("<small>{about}</small>");
                assert!(page.contains(&about), "{}: {about}", language.tag());
            }
        }
        let shipped: Strengths = serde_json::from_str(SHIPPED).unwrap();
        for rung in shipped.games.iter().flat_map(|game| &game.levels) {
            let rating = rung.rating.map(|found| format!("<b>{:.0}</b>", found.mean));
            let book = rung.book.map(|found| format!("{:.1}", 100.0 * found.mean));
            let book = book.map(|share| format!("<b>{}\u{a0}%</b>", language.decimal(share)));
            for number in [rating, book].into_iter().flatten() {
                assert!(page.contains(&number), "{}: {number}", language.tag());
            }
        }
        assert!(!page.contains("levels-"), "{}", language.tag());
    }
    for path in ["/", "/rules"] {
        let page = client.get(server.url(path)).send().await.unwrap();
        let page = page.text().await.unwrap();
        assert!(page.contains("href=\"/levels\""), "{path}: {page}");
    }
}

#[tokio::test]
async fn programs_read_it_in_the_list_of_levels() {
    let server = Server::start().await;
    let listed = server.api().json("/api/v1/levels?game=dice").await;
    let shipped: Strengths = serde_json::from_str(SHIPPED).unwrap();
    let usual = shipped
        .of(r#"{"game":"dice","rules":"v4","size":5,"players":4,"max_dice":5}"#)
        .unwrap();
    for told in listed["levels"].as_array().unwrap() {
        let level: Level = told["name"].as_str().unwrap().parse().unwrap();
        let rung = usual.rung(level);
        let rating = rung.and_then(|rung| rung.rating).map(|found| found.mean);
        let book = rung.and_then(|rung| rung.book).map(|found| found.mean);
        assert_eq!(told["rating"].as_f64(), rating, "{level}");
        assert_eq!(told["book"].as_f64(), book, "{level}");
    }
    assert!(listed["levels"][2]["book"].is_f64(), "{listed}");
}
