//! Replay of a game ply by ply, and new games from its positions.

use crate::common::{Page, Server, Table, api_path, problem};
use reqwest::StatusCode;
use serde_json::{Value, json};

/// A finished game on a small board against a random computer.
async fn finished_game(server: &Server) -> Table {
    let new = json!({"game": "dice", "size": 3, "players": 2, "max_dice": 3, "seats": ["human", "random"], "seed": 4});
    let table = server.api().create(new).await;
    table.play_to_the_end().await;
    table
}

/// The ply to which a replay button leads.
fn target(page: &Page, button: &str) -> Option<usize> {
    let links = page.attrs(&format!("a[data-ply={button}]"), "href");
    let (link, _) = links.split_first()?;
    Some(link.rsplit('/').next().unwrap().parse().unwrap())
}

#[tokio::test]
async fn every_ply_links_to_its_neighbours() {
    let server = Server::start().await;
    let table = finished_game(&server).await;
    let record = table.record().await;
    let plies = record["plies"].as_array().unwrap();
    let newest = plies.len();
    let reader = server.person();
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
        let page = reader.page(&format!("/g/{}/{ply}", table.id)).await;
        let to = |button| target(&page, button);
        let back = (ply > 0).then(|| ply - 1);
        let on = (ply < newest).then_some(ply + 1);
        assert_eq!((to("prev"), to("next")), (back, on), "at {ply}");
        assert_eq!(to("first"), (ply > 0).then_some(0));
        assert_eq!(to("last"), (ply < newest).then_some(newest));
        let before = turns.iter().rev().find(|turn| **turn < ply).copied();
        let after = turns.iter().find(|turn| **turn > ply).copied();
        assert_eq!((to("turnback"), to("turnon")), (before, after), "at {ply}");
        assert!(page.len() < 60 * 1024, "{} bytes at {ply}", page.len());
        assert_eq!(page.has("[data-event]"), ply > 0);
    }
}

#[tokio::test]
async fn a_new_game_can_start_from_any_ply() {
    let server = Server::start().await;
    let table = finished_game(&server).await;
    let [person, stranger] = server.people();
    let past = server.api().json(&table.path("?ply=3")).await;
    let path = format!("/g/{}/play-on", table.id);
    let new_game = person.done(&path, "ply=3").await;
    let game = person.json(&api_path(&new_game, "?ply=0")).await;
    assert_eq!(game["state"], past["state"]);
    assert_eq!(game["played_on"], json!({"game": table.id, "ply": 3}));
    // The reader of a finished game takes the human's seat; computers stay.
    assert_eq!(game["seats"][0]["kind"], "human");
    assert_eq!(game["seats"][1]["level"], "random");
    let shown = stranger.page(&new_game).await;
    let link = format!(".rail > p a[href='/g/{}/3']", table.id);
    assert!(shown.contains("Played on after <a") && shown.has(&link));
    // It is listed on the start page, which offers a new game.
    let start = person.page("/").await;
    assert!(start.has(&format!(".mine .gcard[href='{new_game}']")) && !start.has(".resume"));
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
    let last = server
        .person()
        .page(&format!("/g/{}/{newest}", table.id))
        .await;
    assert!(
        !last.has("[action$='/play-on']"),
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
