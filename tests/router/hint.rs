//! Hints over HTTP: on pages without scripts, in the API, under load, and rejected where humans play against each
//! other.

use std::time::{Duration, Instant};

use crate::common::{HANG, Server, Table};
use reqwest::Response;
use serde_json::{Value, json};

/// Tolerance for sums of rounded shares.
const ROUNDING: f64 = 1e-4;

async fn request_hint(table: &Table, player: usize) -> Response {
    let request = table
        .api
        .client
        .get(format!("{}{}", table.api.url, table.path("/hint")));
    request
        .bearer_auth(table.token(player))
        .send()
        .await
        .unwrap()
}

async fn hint(table: &Table, player: usize) -> Value {
    let response = request_hint(table, player).await;
    let status = response.status();
    let text = response.text().await.unwrap();
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|number| number.as_f64().unwrap()).collect()
}

/// A human against three computers of this level; the human moves first.
async fn against(server: &Server, level: &str) -> Table {
    let seats = json!(["human", level, level, level]);
    let game = json!({"game": "dice", "seed": 7, "seats": seats});
    server.api().create(game).await
}

#[tokio::test]
async fn the_api_returns_the_value_of_every_action() {
    let server = Server::start().await;
    let table = against(&server, "book").await;
    let answer = hint(&table, 0).await;
    let moves = table.moves().await;
    let actions = answer["actions"].as_array().unwrap();
    assert_eq!(actions.len(), moves["moves"].as_array().unwrap().len());
    let mut best = f64::INFINITY;
    for action in actions {
        let win = numbers(&action["win"]);
        assert!((win.iter().sum::<f64>() - 1.0).abs() < ROUNDING, "{action}");
        assert!(win[0] <= best, "best first: {action}");
        best = win[0];
        let outcomes = action["outcomes"].as_array().unwrap();
        for (player, share) in win.iter().enumerate() {
            let expected = outcomes.iter().map(|outcome| {
                outcome["probability"].as_f64().unwrap() * numbers(&outcome["win"])[player]
            });
            assert!((expected.sum::<f64>() - share).abs() < ROUNDING, "{action}");
        }
        let listed = moves["moves"].as_array().unwrap();
        assert!(
            listed.iter().any(|one| one["path"] == action["path"]),
            "{action}"
        );
    }
    // A repeated request returns the cached answer at once.
    let started = Instant::now();
    assert_eq!(hint(&table, 0).await, answer);
    assert!(
        started.elapsed() < Duration::from_millis(200),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn hints_are_rejected_with_other_humans_and_after_the_end() {
    let server = Server::start().await;
    let seats = json!(["human", "human", "book", "book"]);
    let shared = server
        .api()
        .create(json!({"game": "dice", "seats": seats}))
        .await;
    assert_eq!(request_hint(&shared, 0).await.status(), 403);
    let mine = against(&server, "book").await;
    let unauthenticated = mine.api.get(&mine.path("/hint")).await;
    assert_eq!(unauthenticated.status(), 401);
    let (path, nothing) = (mine.path("/resign"), json!({}));
    let resigned = mine.api.post_as(mine.token(0), &path, &nothing);
    assert_eq!(resigned.await.status(), 200);
    assert_eq!(request_hint(&mine, 0).await.status(), 409);
}

#[tokio::test]
async fn a_page_without_scripts_lists_the_best_actions_and_offers_the_first() {
    let server = Server::start().await;
    let [person, other] = server.people();
    let fields = "game=dice&seats=human&seats=book&seats=book&seats=book&seed=7";
    let game = person.create(fields).await;
    let offered = format!("a[href='{game}/hint']");
    assert!(person.page(&game).await.has(&offered), "it is offered");
    // If the analysis takes longer than a page waits, the page refreshes itself.
    let started = Instant::now();
    let shown = loop {
        let shown = person.page(&format!("{game}/hint")).await;
        if shown.has(".hints") {
            break shown;
        }
        assert!(shown.has("meta[http-equiv=refresh]"), "{shown}");
        assert!(started.elapsed() < HANG, "no hint");
    };
    assert!(shown.has(".pointer.first"), "it is shown on the board");
    let main_action = shown.attr(".acts form", "action");
    assert_eq!(
        main_action,
        format!("{game}/moves"),
        "the main button plays it"
    );
    // A reader without a seat is redirected to the board.
    assert_eq!(other.redirected(&format!("{game}/hint")).await, game);
}

#[tokio::test]
async fn a_hint_comes_while_twenty_other_games_run() {
    let server = Server::start().await;
    let mut others = Vec::new();
    for seed in 0..20 {
        let seats = json!(["master", "master", "master", "master"]);
        let game = json!({"game": "dice", "seats": seats, "seed": seed});
        others.push(server.api().create(game).await);
    }
    let table = against(&server, "book").await;
    let started = Instant::now();
    hint(&table, 0).await;
    let elapsed = started.elapsed();
    println!("a hint beside twenty games of masters took {elapsed:?}");
    let running = others.len();
    assert!(
        elapsed < Duration::from_secs(20),
        "{elapsed:?} beside {running} games"
    );
}

#[tokio::test]
async fn a_trilobite_hint_names_the_winning_column() {
    let server = Server::start().await;
    // The human has three chips in column a; the computer has no two in a row.
    let mut board = vec![0; 42];
    for (cell, chip) in [(35, 1), (28, 1), (21, 1), (36, 2), (38, 2), (40, 2)] {
        board[cell] = chip;
    }
    let start = json!({"board": board, "player": 1, "last_move": -1});
    let game = json!({"game": "trilobite", "width": 7, "height": 6, "win": 4,
        "seats": ["human", "book"], "start": start});
    let table = server.api().create(game).await;
    let answer = hint(&table, 0).await;
    let best = &answer["actions"][0];
    assert_eq!(
        (&best["exact"], &best["ends_in"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(best["cell"], 14);
}

#[tokio::test]
async fn a_game_can_allow_hints_to_all_players() {
    let server = Server::start().await;
    let seats = json!(["human", "human", "book", "book"]);
    let new = |hints: bool, takebacks: bool| json!({"game": "dice", "seed": 7, "seats": seats, "hints": hints, "takebacks": takebacks});
    let table = server.api().create(new(true, true)).await;
    assert_eq!(table.game["hints"], true);
    hint(&table, 0).await;
    assert_eq!(request_hint(&table, 1).await.status(), 409, "not on turn");
    let page = async |id: &str| server.person().page(&format!("/g/{id}")).await;
    let notice = "At this table everybody may ask for hints.";
    assert!(page(&table.id).await.contains(notice));
    // Hints are off by default, and never allowed in a strict game.
    let default_game = server.api().create(new(false, true)).await;
    assert_eq!(default_game.game["hints"], false);
    assert!(!page(&default_game.id).await.contains(notice));
    let strict = server.api().post("/api/v1/games", &new(true, false)).await;
    assert_eq!(strict.status(), 422);
}

#[tokio::test]
async fn the_form_can_allow_hints_to_all_players() {
    let server = Server::start().await;
    let person = server.person();
    for (strict, status) in [(false, 200), (true, 403)] {
        let mut fields = vec![("game", "dice"), ("seed", "7"), ("hints", "1")];
        fields.extend([
            ("seats", "human"),
            ("seats", "open"),
            ("seats", "book"),
            ("seats", "book"),
        ]);
        fields.extend(strict.then_some(("strict", "1")));
        let game = person.create(&fields).await;
        let hint = person.get(&format!("{game}/hint")).await;
        assert_eq!(hint.status(), status, "strict: {strict}");
    }
}
