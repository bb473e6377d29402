//! Replay of a game ply by ply, and new games from its positions.

use crate::common::{Server, Table, problem};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

/// A finished game on a small board against a random computer.
async fn finished_game(server: &Server) -> Table {
    let new = json!({"game": "dice", "size": 3, "players": 2, "max_dice": 3, "seats": ["human", "random"], "seed": 4});
    let table = server.api().create(new).await;
    table.play_to_the_end().await;
    table
}

fn browser() -> Client {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .cookie_store(true)
        .build()
        .unwrap()
}

async fn page(client: &Client, server: &Server, path: &str) -> String {
    let answer = client.get(server.url(path)).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.text().await.unwrap()
}

/// The targets of the replay buttons, by name.
fn replay_links(page: &str) -> Vec<(String, String)> {
    let links = page.split("data-ply=\"").skip(1);
    links
        .filter_map(|link| {
            let (name, rest) = link.split_once('"')?;
            let href = rest.split_once("href=\"")?.1.split_once('"')?.0;
            let is_button = rest.split_once('>')?.0.contains("href");
            is_button.then(|| (name.to_owned(), href.to_owned()))
        })
        .collect()
}

#[tokio::test]
async fn every_ply_links_to_its_neighbours() {
    let server = Server::start().await;
    let table = finished_game(&server).await;
    let record = table.record().await;
    let plies = record["plies"].as_array().unwrap();
    let newest = plies.len();
    let client = browser();
    // The position at the start of each turn, and the end.
    let mut turns = vec![0];
    for (number, ply) in plies.iter().enumerate() {
        if ply["path"].is_null() {
            turns.push(number + 1);
        }
    }
    if turns.last() != Some(&newest) {
        turns.push(newest);
    }
    for ply in 0..=newest {
        let page = page(&client, &server, &format!("/g/{}/{ply}", table.id)).await;
        let links = replay_links(&page);
        let to = |name: &str| {
            let found = links.iter().find(|(own, _)| own == name);
            found.map(|(_, href)| href.rsplit('/').next().unwrap().parse::<usize>().unwrap())
        };
        let back = (ply > 0).then(|| ply - 1);
        let on = (ply < newest).then_some(ply + 1);
        assert_eq!((to("prev"), to("next")), (back, on), "at {ply}");
        assert_eq!(to("first"), (ply > 0).then_some(0));
        assert_eq!(to("last"), (ply < newest).then_some(newest));
        let before = turns.iter().rev().find(|turn| **turn < ply).copied();
        let after = turns.iter().find(|turn| **turn > ply).copied();
        assert_eq!((to("turnback"), to("turnon")), (before, after), "at {ply}");
        assert!(page.len() < 60 * 1024, "{} bytes at {ply}", page.len());
        assert_eq!(page.contains("data-event="), ply > 0);
    }
}

#[tokio::test]
async fn a_new_game_can_start_from_any_ply() {
    let server = Server::start().await;
    let table = finished_game(&server).await;
    let (client, stranger) = (browser(), browser());
    let past: Value = server
        .api()
        .json(&format!("/api/v1/games/{}?ply=3", table.id))
        .await;
    let form = [("ply", "3")];
    let path = format!("/g/{}/play-on", table.id);
    let answer = client
        .post(server.url(&path))
        .form(&form)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    let new_game = answer.headers()["location"].to_str().unwrap().to_owned();
    let id = new_game.rsplit('/').next().unwrap();
    let game: Value = server
        .api()
        .json(&format!("/api/v1/games/{id}?ply=0"))
        .await;
    assert_eq!(game["state"], past["state"]);
    assert_eq!(game["played_on"], json!({"game": table.id, "ply": 3}));
    // The reader of a finished game takes the human's seat; computers stay.
    assert_eq!(game["seats"][0]["kind"], "human");
    assert_eq!(game["seats"][1]["level"], "random");
    let link = format!("href=\"/g/{}/3\"", table.id);
    let shown = page(&stranger, &server, &new_game).await;
    assert!(shown.contains("Played on from") && shown.contains(&link));
    // The original game is unchanged.
    let record = table.record().await;
    assert_eq!(record["ending"], "rules");
}

#[tokio::test]
async fn programs_can_choose_the_seats_of_the_new_game() {
    let server = Server::start().await;
    let table = finished_game(&server).await;
    let path = format!("/api/v1/games/{}/play-on", table.id);
    let request = json!({"ply": 1, "seats": ["greedy", "human"]});
    let answer = server.api().post(&path, &request).await;
    assert_eq!(answer.status(), StatusCode::CREATED);
    let location = answer.headers()["location"].to_str().unwrap().to_owned();
    let game: Value = answer.json().await.unwrap();
    assert_eq!(
        location,
        format!("/api/v1/games/{}", game["id"].as_str().unwrap())
    );
    assert_eq!(game["seats"][0]["level"], "greedy");
    assert!(game["seats"][1]["token"].is_string());
    assert_eq!(game["uploaded"], false);
}

#[tokio::test]
async fn invalid_starting_points_are_rejected() {
    let server = Server::start().await;
    let table = finished_game(&server).await;
    let newest = table.state().await["ply"].clone();
    let path = format!("/api/v1/games/{}/play-on", table.id);
    let nowhere = "/api/v1/games/aaaaaaaa/play-on".to_owned();
    for (path, request, status) in [
        (&path, json!({"ply": newest}), 409),
        (&path, json!({"ply": 9_999}), 422),
        (&path, json!({"ply": 0, "seats": ["human"]}), 422),
        (&path, json!({"ply": 0, "seats": ["human", "ghost"]}), 422),
        (&path, json!({"ply": 0, "dice": "mine"}), 422),
        (&nowhere, json!({"ply": 0}), 404),
    ] {
        let answer = server.api().post(path, &request).await;
        problem(answer, status).await;
    }
    let client = browser();
    let last = page(&client, &server, &format!("/g/{}/{newest}", table.id)).await;
    assert!(
        !last.contains("/play-on\""),
        "the final position cannot be played on"
    );
}

#[tokio::test]
async fn a_private_game_can_be_played_on_only_by_its_players() {
    let server = Server::start().await;
    let new = json!({"game": "trilobite", "private": true, "seats": ["human", "human"]});
    let table = server.api().create(new).await;
    let path = format!("/api/v1/games/{}/play-on", table.id);
    let stranger = server.api().post(&path, &json!({"ply": 0})).await;
    problem(stranger, 404).await;
    let own = server
        .api()
        .post_as(table.token(1), &path, &json!({"ply": 0}))
        .await;
    let game: Value = own.json().await.unwrap();
    assert_eq!(game["private"], true);
    assert_eq!(game["seats"][0]["level"], "book");
    assert!(game["seats"][1]["token"].is_string());
}
