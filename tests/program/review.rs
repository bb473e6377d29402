//! The review of a finished game over HTTP: requested once, computed in the background, the same for all readers, and
//! resumed after the server has ended.

use std::sync::Arc;

use crate::common::{Api, Home, Server, Table, problem, program};
use dice_of_doom::site::reviews::rows::ReviewChange;
use dice_of_doom::store::{GameId, Store, open};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A finished game of computers.
async fn finished(api: &Api, new: Value) -> Table {
    let table = api.create(new).await;
    let over = table.wait(10_000).await;
    assert_eq!(over["over"], true);
    table
}

fn dice(size: u32, seed: u32) -> Value {
    json!({"game": "dice", "size": size, "players": 2, "seats": ["random", "greedy"], "seed": seed})
}

/// Waits for the complete review.
async fn wait_for_review(table: &Table) -> Value {
    loop {
        let answer = table.api.get(&table.path("/review")).await;
        match answer.status() {
            StatusCode::OK => return answer.json().await.unwrap(),
            StatusCode::ACCEPTED => {
                let progress: Value = answer.json().await.unwrap();
                assert!(
                    progress["done"].as_u64() <= progress["of"].as_u64(),
                    "{progress}"
                );
            }
            other => panic!("{other}: {}", answer.text().await.unwrap()),
        }
    }
}

async fn page(table: &Table, query: &str) -> String {
    let answer = table
        .api
        .get(&format!("/g/{}/review{query}", table.id))
        .await;
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_is_requested_computed_once_and_shown_to_all() {
    let server = Server::start().await;
    let table = finished(&server.api(), dice(3, 5)).await;
    problem(table.api.get(&table.path("/review")).await, 404).await;
    assert!(page(&table, "").await.contains("Review this game"));
    let over = table.api.get(&format!("/g/{}", table.id)).await;
    let review = format!("/g/{}/review", table.id);
    assert!(over.text().await.unwrap().contains(&review));

    let response = table.api.client.post(format!("{}{review}", table.api.url));
    let response = response.send().await.unwrap();
    assert_eq!(response.url().path(), review, "redirects to the page");
    let review = wait_for_review(&table).await;
    let plies = review["plies"].as_array().unwrap();
    assert_eq!(
        plies.len(),
        table.record().await["plies"].as_array().unwrap().len()
    );
    for player in review["players"].as_array().unwrap() {
        let part = |name: &str| number(&player[name]);
        let changes = part("own_luck") + part("own_decisions");
        let changes = changes + part("others_luck") + part("others_decisions");
        assert!(
            (part("start") + changes - part("end")).abs() < 1e-5,
            "{player}"
        );
        assert!((0.0..=1.0).contains(&part("accuracy")), "{player}");
    }
    // A second request returns the same review.
    let again = table.api.post(&table.path("/review"), &json!({})).await;
    assert_eq!(again.status(), 200);
    assert_eq!(again.json::<Value>().await.unwrap(), review);

    let winner = page(&table, "").await;
    for words in [
        "Chance of winning",
        "Luck versus skill",
        "add up to the result",
    ] {
        assert!(winner.contains(words), "{words}");
    }
    let sides = [
        page(&table, "?player=0").await,
        page(&table, "?player=1").await,
    ];
    assert_ne!(sides[0], sides[1]);
    assert!(sides.contains(&winner), "watchers see the winner's side");
    // The page and the API agree.
    for (side, player) in sides.iter().zip(review["players"].as_array().unwrap()) {
        let start = (100.0 * number(&player["start"])).round();
        assert!(side.contains(&format!("at the start {start}%")), "{player}");
    }
    let odd = table
        .api
        .get(&format!("/g/{}/review?player=7", table.id))
        .await;
    assert_eq!(odd.status(), 422);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_in_progress_has_no_review() {
    let server = Server::start().await;
    let new = json!({"game": "dice", "seats": ["human", "random", "random", "random"]});
    let table = server.api().create(new).await;
    problem(table.api.get(&table.path("/review")).await, 404).await;
    table
        .api
        .refused(&table.path("/review"), &json!({}), 409)
        .await;
    let shown = table.api.get(&format!("/g/{}/review", table.id)).await;
    assert_eq!(shown.status(), 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_without_dice_has_no_luck() {
    let server = Server::start().await;
    let new = json!({"game": "trilobite", "width": 4, "height": 4, "win": 3, "seats": ["random", "random"], "seed": 3});
    let table = finished(&server.api(), new).await;
    table.api.post(&table.path("/review"), &json!({})).await;
    let review = wait_for_review(&table).await;
    for player in review["players"].as_array().unwrap() {
        assert_eq!(
            [number(&player["own_luck"]), number(&player["others_luck"])],
            [0.0, 0.0]
        );
    }
    let page = page(&table, "").await;
    assert!(
        page.contains("Where it went") && !page.contains("Luck versus"),
        "{page}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_by_another_evaluator_can_be_repeated() {
    let store: Arc<dyn Store> = open("memory:").await.unwrap();
    let server = Server::on(store.clone()).await;
    let table = finished(&server.api(), dice(2, 1)).await;
    table.api.post(&table.path("/review"), &json!({})).await;
    let review = wait_for_review(&table).await;
    assert!(!page(&table, "").await.contains("Review again"));
    let id: GameId = table.id.parse().unwrap();
    let keep = async |text: String| {
        let change = ReviewChange::Store(text);
        store.change_review(&id, change).await.unwrap();
    };
    let stored = store.review(&id).await.unwrap().unwrap().review.unwrap();
    let version = format!("\"version\":{}", review["version"]);
    keep(stored.replacen(&version, "\"version\":99", 1)).await;
    assert!(page(&table, "").await.contains("Review again"));
    table.api.post(&table.path("/review"), &json!({})).await;
    assert_eq!(wait_for_review(&table).await, review);
    // A stored review that cannot be parsed, or is of another game, can be requested again.
    for text in [
        "{}".to_owned(),
        stored.replacen("\"player\":0", "\"player\":1", 1),
    ] {
        keep(text).await;
        assert!(page(&table, "").await.contains("Review this game"));
        problem(table.api.get(&table.path("/review")).await, 404).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_resumes_after_a_kill() {
    let home = Home::new();
    let program = home.start();
    let table = finished(&program.api(), dice(3, 5)).await;
    let response = table.api.post(&table.path("/review"), &json!({})).await;
    assert_eq!(response.status(), 202, "it takes longer than that");
    program.kill();
    let program = home.start();
    let table = table.on_server(&program.api());
    let review = wait_for_review(&table).await;
    program.kill();
    // It was stored before it was shown.
    let program = home.start();
    let table = table.on_server(&program.api());
    let answer = table.api.get(&table.path("/review")).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.json::<Value>().await.unwrap(), review);
    program.kill();
}

/// The program's review of this record.
fn printed(record: &Value, flags: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("record.json");
    std::fs::write(&file, record.to_string()).unwrap();
    let output = program()
        .arg("review")
        .arg(&file)
        .args(flags)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_and_the_server_agree() {
    let server = Server::start().await;
    let table = finished(&server.api(), dice(2, 1)).await;
    table.api.post(&table.path("/review"), &json!({})).await;
    let (review, record) = (wait_for_review(&table).await, table.record().await);
    let json: Value = serde_json::from_str(&printed(&record, &["--json"])).unwrap();
    assert_eq!(json, review);
    let quick: Value =
        serde_json::from_str(&printed(&record, &["--json", "--simulations", "50"])).unwrap();
    assert_eq!(quick["simulations"], 50);
    let plain = printed(&record, &[]);
    for side in ["?player=0", "?player=1"] {
        let page = page(&table, side).await;
        let (_, heading) = page.split_once("<h1>").unwrap();
        let (heading, _) = heading.split_once("</h1>").unwrap();
        assert!(
            plain.lines().any(|line| line == heading),
            "{heading}: {plain}"
        );
    }
}
