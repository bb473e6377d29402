//! Trilobite on the server: over the API, on pages with forms alone, and after a restart.

use crate::common::{Api, Home, Server, Table, number, problem};
use reqwest::Response;
use serde_json::{Value, json};

/// A game with these parameters, between two people.
async fn two_people(api: &Api, parameters: Value) -> Table {
    let mut body = parameters;
    body["game"] = json!("trilobite");
    body["seats"] = json!(["human", "human"]);
    api.create(body).await
}

async fn post_cell(table: &Table, player: usize, ply: u64, cell: &Value) -> Response {
    let body = json!({"ply": ply, "cell": cell});
    let path = table.path("/moves");
    table.api.post_as(table.token(player), &path, &body).await
}

/// Drops a chip; panics if it is refused.
async fn drop_in(table: &Table, player: usize, ply: u64, cell: u64) -> Value {
    let response = post_cell(table, player, ply, &json!(cell)).await;
    assert_eq!(response.status(), 200, "ply {ply}, cell {cell}");
    response.json().await.unwrap()
}

#[tokio::test]
async fn a_game_needs_nothing_but_its_name() {
    let server = Server::start().await;
    let table = server.api().create(json!({"game": "trilobite"})).await;
    let game = &table.game;
    let expected = json!({"game": "trilobite", "width": 8, "height": 7, "win": 4, "ply": 0, "player": 0,
        "over": false, "winners": null, "ending": null, "last": null});
    for (member, value) in expected.as_object().unwrap() {
        assert_eq!(&game[member], value, "{member} of {game}");
    }
    assert_eq!(game["state"]["board"], json!(vec![0; 56]));
    assert_eq!(game["state"]["player"], 1);
    assert_eq!(game["state"]["last_move"], -1);
    let kinds = game["seats"].as_array().unwrap().iter();
    let kinds: Vec<&Value> = kinds.map(|seat| &seat["kind"]).collect();
    assert_eq!(kinds, ["human", "level"]);
    let moves = table.moves().await;
    assert_eq!(
        moves,
        json!({"game": "trilobite", "moves": [48, 49, 50, 51, 52, 53, 54, 55], "over": false, "failp": false, "line": null})
    );
}

#[tokio::test]
async fn a_line_wins_and_its_cells_are_reported() {
    let server = Server::start().await;
    let table = two_people(&server.api(), json!({"width": 3, "height": 3, "win": 3})).await;
    // 2 2 .
    // 1 1 1
    for (ply, cell) in [6, 3, 7, 4].into_iter().enumerate() {
        let played = drop_in(&table, ply % 2, ply as u64, cell).await;
        assert_eq!(played["roll"], Value::Null);
        assert_eq!(played["over"], false);
        assert_eq!(played["state"]["last_move"], cell);
    }
    let won = drop_in(&table, 0, 4, 8).await;
    assert_eq!(won["over"], true);
    assert_eq!(won["winners"], json!([0]));
    let moves = table.moves().await;
    assert_eq!(
        moves,
        json!({"game": "trilobite", "moves": [], "over": true, "failp": true, "line": [6, 7, 8]})
    );
    let record = table.record().await;
    assert_eq!(record["game"], "trilobite");
    assert_eq!(record["ending"], "rules");
    assert_eq!(record["winners"], json!([0]));
    let cells = record["plies"].as_array().unwrap().iter();
    let cells: Vec<u64> = cells.map(|ply| number(&ply["cell"])).collect();
    assert_eq!(cells, [6, 3, 7, 4, 8]);
    let back = table.api.json(&table.path("?ply=1")).await;
    assert_eq!(back["last"]["cell"], 6);
    assert_eq!((&back["player"], &back["over"]), (&json!(1), &json!(false)));
    assert_eq!(back["state"]["board"], json!([0, 0, 0, 0, 0, 0, 1, 0, 0]));
}

#[tokio::test]
async fn a_full_board_is_a_draw_without_winners() {
    let server = Server::start().await;
    let table = two_people(&server.api(), json!({"width": 2, "height": 1, "win": 2})).await;
    drop_in(&table, 0, 0, 0).await;
    let last = drop_in(&table, 1, 1, 1).await;
    assert_eq!(last["over"], true);
    assert_eq!(last["winners"], json!([]));
    let game = table.state().await;
    assert_eq!(game["ending"], "rules");
    assert_eq!(game["player"], Value::Null);
    let page = table.api.get(&format!("/g/{}", table.id)).await;
    let page = page.text().await.unwrap();
    assert!(page.contains("draw"), "{page}");
}

#[tokio::test]
async fn the_same_chip_twice_is_one_chip() {
    let server = Server::start().await;
    let table = two_people(&server.api(), json!({})).await;
    let first = drop_in(&table, 0, 0, 52).await;
    assert_eq!(first["repeated"], false);
    let again = drop_in(&table, 0, 0, 52).await;
    assert_eq!(again["repeated"], true);
    assert_eq!(again["state"], first["state"]);
    // Another chip at that ply, and one in an occupied cell: both come too late.
    for cell in [51, 44] {
        let late = post_cell(&table, 0, 0, &json!(cell)).await;
        assert_eq!(problem(late, 409).await["ply"], 1);
    }
    assert_eq!(table.state().await["ply"], 1);
    // It is the other player's turn.
    let turn = post_cell(&table, 0, 1, &json!(44)).await;
    problem(turn, 409).await;
}

#[tokio::test]
async fn an_invalid_chip_is_refused_and_nothing_changes() {
    let server = Server::start().await;
    let table = two_people(&server.api(), json!({"width": 3, "height": 2, "win": 3})).await;
    drop_in(&table, 0, 0, 3).await;
    drop_in(&table, 1, 1, 0).await;
    let before = table.state().await;
    for cell in [
        json!(0),
        json!(3),
        json!(1),
        json!(6),
        json!(255),
        json!(256),
        json!(-1),
        json!("a"),
        Value::Null,
    ] {
        let refused = post_cell(&table, 0, 2, &cell).await;
        assert_eq!(refused.status(), 422, "{cell}");
    }
    for body in [
        json!({"ply": 2, "path": [0, 1]}),
        json!({"ply": 2, "path": null}),
        json!({"ply": 2, "cell": 4, "path": null}),
    ] {
        let refused = table.send(0, "/moves", &body).await;
        problem(refused, 422).await;
    }
    assert_eq!(table.state().await, before);
}

#[tokio::test]
async fn invalid_parameters_are_422() {
    let server = Server::start().await;
    let api = server.api();
    for body in [
        json!({"game": "trilobite", "width": 0}),
        json!({"game": "trilobite", "width": 64, "height": 2}),
        json!({"game": "trilobite", "width": 255, "height": 255}),
        json!({"game": "trilobite", "win": 0}),
        json!({"game": "trilobite", "win": 9}),
        json!({"game": "trilobite", "rules": "v4"}),
        json!({"game": "dice", "width": 8}),
        json!({"game": "trilobite", "seats": ["human"]}),
        json!({"game": "trilobite", "seats": ["human", "book", "book"]}),
        json!({"game": "trilobite", "start": {"board": [[0, 1]], "player": 0, "spare": 0, "first_move": true}}),
        json!({"game": "trilobite", "width": 2, "height": 2, "win": 2,
            "start": {"board": [1, 0, 0, 0], "player": 2, "last_move": 0}}),
        json!({"game": "trilobite", "width": 2, "height": 2, "win": 2, "seed": 1,
            "start": {"board": [0, 0, 1, 0], "player": 2, "last_move": 2}}),
    ] {
        let refused = api.refused("/api/v1/games", &body, 422).await;
        assert!(!refused["detail"].as_str().unwrap().is_empty(), "{body}");
    }
    let start = json!({"board": [0, 0, 1, 0], "player": 2, "last_move": 2});
    let table = two_people(
        &api,
        json!({"width": 2, "height": 2, "win": 2, "start": start}),
    )
    .await;
    assert_eq!(table.game["state"], start);
    assert_eq!(
        table.game["player"], 1,
        "player 2 of the board sits in seat 1"
    );
}

#[tokio::test]
async fn computers_play_a_whole_game_against_each_other() {
    let server = Server::start().await;
    for (width, height, win) in [(3, 3, 3), (5, 4, 4), (8, 7, 4)] {
        let body = json!({"game": "trilobite", "width": width, "height": height, "win": win,
            "seats": ["book", "random"]});
        let table = server.api().create(body).await;
        let last = table.wait(1_000).await;
        assert_eq!(last["over"], true, "{last}");
        assert_eq!(last["ending"], "rules");
    }
}

#[tokio::test]
async fn forms_and_links_are_enough() {
    let server = Server::start().await;
    let visitor = server.person();
    let people = [
        ("game", "trilobite"),
        ("chips", "human"),
        ("chips", "human"),
    ];
    let game = visitor.create(&people).await;
    let page = visitor.page(&game).await;
    for column in 'a'..='h' {
        let link = format!("[href='{game}?column={column}']");
        assert!(page.has(&link), "{column}");
    }
    let chosen = visitor.page(&format!("{game}?column=c")).await;
    assert_eq!(chosen.attrs("[name=column]", "value"), ["c"], "{chosen}");
    visitor
        .page_with_status(&format!("{game}?column=i"), 422)
        .await;
    visitor
        .page_with_status(&format!("{game}?column=%00"), 422)
        .await;

    let moves = format!("{game}/moves");
    // The same again is answered as before.
    for _ in 0..2 {
        visitor.done(&moves, "ply=0&column=c").await;
    }
    visitor.refused(&moves, "ply=0&column=d", 409).await;
    for ply in 1..7 {
        visitor.done(&moves, &format!("ply={ply}&column=c")).await;
    }
    let full = visitor.refused(&moves, "ply=7&column=c", 422).await;
    assert!(full.contains("full"));
    for wrong in [
        "ply=7&pass=1",
        "ply=7&from=1&to=2",
        "ply=7",
        "ply=7&column=?",
    ] {
        visitor.refused(&moves, wrong, 422).await;
    }

    visitor.page(&format!("{game}/3")).await;
    visitor.page(&format!("{game}/log")).await;
    let picture = visitor.page(&format!("{game}/board.svg")).await;
    assert!(picture.starts_with("<svg") && !picture.contains("<style"));
    let games = visitor.page("/me").await;
    assert!(games.contains(&game));
    // Of two people at one screen the first leaves the seat to a level, which plays ply 7.
    for ply in ["7", "8"] {
        visitor.wait(&game, ply.parse().unwrap()).await;
        // The game is in progress.
        visitor.refused(&format!("{game}/rematch"), "", 409).await;
        visitor
            .done(&format!("{game}/resign"), &format!("ply={ply}"))
            .await;
    }
    let next = visitor.done(&format!("{game}/rematch"), "").await;
    assert!(visitor.page(&next).await.contains("Trilobite"));
}

#[tokio::test]
async fn the_form_refuses_with_a_message() {
    let server = Server::start().await;
    let visitor = server.person();
    for (field, value) in [
        ("width", "0"),
        ("width", "129"),
        ("width", "x"),
        ("height", "64"),
        ("win", "9"),
        ("chips", "deep blue"),
    ] {
        let form = [("game", "trilobite"), (field, value)];
        let page = visitor.refused("/games", &form, 422).await;
        assert!(page.has("[role=alert]"), "{field}={value}: {page}");
    }
    visitor.refused("/games", "game=chess", 422).await;
    // The form contains the fields of both games; those of the other one do not matter.
    let both = "game=trilobite&rules=v9&seats=human&width=4&height=&chips=book&chips=human";
    let game = visitor.create(both).await;
    let page = visitor.page(&game).await;
    assert!(
        page.contains("col-d") && !page.contains("col-e"),
        "four columns"
    );
}

#[tokio::test]
async fn a_game_continues_after_a_restart() {
    let home = Home::new();
    let program = home.start();
    let table = program.api().create(json!({"game": "trilobite"})).await;
    drop_in(&table, 0, 0, 52).await;
    let before = table.wait(2).await;
    program.kill();

    let program = home.start();
    let api = program.api();
    let again = Table {
        api: api.clone(),
        ..table
    };
    assert_eq!(again.state().await, before);
    let moves = again.moves().await;
    let cell = number(&moves["moves"][0]);
    drop_in(&again, 0, 2, cell).await;
    assert_eq!(again.wait(4).await["ply"], 4, "the computer answers");
}
