//! The JSON API over HTTP: all operations, all error responses, and whole games.

use std::sync::Arc;

use crate::common::{Api, Server, Table, check_headers, header_of, likely, number, problem};
use dice_of_doom::formats::{GameFormat, dice_of_doom as format};
use dice_of_doom::game::Game;
use dice_of_doom::level::Level;
use dice_of_doom::store::Store;
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::tree::LazyTree;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules, Setup};
use reqwest::Method;
use serde_json::{Value, json};

/// The two-by-two board of the book's first version: player a owns the upper row.
fn small_board(board: [[u8; 2]; 4]) -> Value {
    json!({"board": board, "player": 0, "spare": 0, "first_move": true})
}

/// What a function returns for each element of a list.
fn each<T>(list: &Value, of: impl Fn(&Value) -> T) -> Vec<T> {
    list.as_array().unwrap().iter().map(of).collect()
}

/// Two humans on the book's first board.
async fn two_humans(api: &Api) -> Table {
    let start = small_board([[0, 3], [0, 3], [1, 3], [1, 1]]);
    api.create(json!({"game": "dice", "rules": "v1", "seats": ["human", "human"], "start": start}))
        .await
}

/// Two humans on a board where an attack with dice is legal at once.
async fn rolled_attack_game(api: &Api) -> Table {
    let start = small_board([[0, 5], [0, 2], [1, 1], [1, 4]]);
    let seats = ["human", "human"];
    api.create(json!({"game": "dice", "rules": "v4", "size": 2, "players": 2, "seats": seats, "start": start}))
        .await
}

#[tokio::test]
async fn a_game_can_be_created_from_its_name_alone() {
    let server = Server::start().await;
    let api = server.api();
    let response = api.post("/api/v1/games", &json!({"game": "dice"})).await;
    assert_eq!(response.status(), 201);
    check_headers(response.headers(), "create");
    let location = response.headers()["location"].to_str().unwrap().to_owned();
    let game: Value = response.json().await.unwrap();
    assert_eq!(
        location,
        format!("/api/v1/games/{}", game["id"].as_str().unwrap())
    );
    let expected = json!({"rules": "v4", "size": 5, "players": 4, "max_dice": 5, "ply": 0, "player": 0,
        "over": false, "winners": null, "ending": null, "last": null, "game": "dice"});
    for (member, value) in expected.as_object().unwrap() {
        assert_eq!(&game[member], value, "{member} of {game}");
    }
    let kinds = each(&game["seats"], |seat| seat["kind"].clone());
    assert_eq!(kinds, ["human", "level", "level", "level"]);
    let token = game["seats"][0]["token"].as_str().unwrap();
    assert!(token.len() >= 20, "at least 120 bits");
    assert!(game["seats"][1].get("token").is_none() && game["seats"][1]["level"] == "book");
    assert_eq!(game["state"]["board"].as_array().unwrap().len(), 25);

    // Only the response to the creation contains the token.
    let again = api.json(&location).await;
    assert!(!again.to_string().contains("token"), "{again}");
}

#[tokio::test]
async fn every_ruleset_has_its_defaults() {
    let server = Server::start().await;
    let api = server.api();
    for (rules, numbers) in [
        ("v1", (2, 3, 2)),
        ("v2", (2, 3, 4)),
        ("v3", (2, 3, 5)),
        ("v4", (4, 5, 5)),
        ("conquest", (4, 5, 5)),
    ] {
        let seats = vec!["human"; numbers.0];
        let table = api
            .create(json!({"game": "dice", "rules": rules, "seats": seats}))
            .await;
        let game = &table.game;
        assert_eq!(game["rules"], rules);
        let found = ["players", "max_dice", "size"].map(|member| number(&game[member]));
        assert_eq!(found, [numbers.0 as u64, numbers.1, numbers.2], "{rules}");
        assert!(table.tokens.iter().all(Option::is_some));
    }
    let all = json!({"game": "dice", "rules": "conquest", "size": 3, "players": 3, "max_dice": 4,
        "seats": ["human", "random", "book"]});
    let table = api.create(all).await;
    let levels = each(&table.game["seats"], |seat| seat["level"].clone());
    assert_eq!(levels, [Value::Null, json!("random"), json!("book")]);
    assert_eq!(table.game["state"]["board"].as_array().unwrap().len(), 9);
    let dice = each(&table.game["state"]["board"], |hex| number(&hex[1]));
    assert!(dice.iter().all(|dice| *dice <= 4), "{dice:?}");
}

#[tokio::test]
async fn a_seed_repeats_the_board_and_a_start_is_used_exactly() {
    let server = Server::start().await;
    let api = server.api();
    let deal = async |seed: u64| {
        let table = api.create(
            json!({"game": "dice", "seats": ["human", "human", "human", "human"], "seed": seed}),
        );
        table.await.game["state"].clone()
    };
    assert_eq!(deal(7).await, deal(7).await);
    assert_ne!(deal(7).await, deal(8).await);

    let start = json!({"board": [[1, 2], [0, 3], [1, 1], [0, 2]], "player": 1, "spare": 4, "first_move": false});
    let seats = ["human", "human"];
    let table = api
        .create(json!({"game": "dice", "rules": "v1", "seats": seats, "start": start}))
        .await;
    assert_eq!(table.game["state"], start);
    assert_eq!(table.game["player"], 1);
    assert_eq!(table.record().await["start"], start);
}

#[tokio::test]
async fn computers_move_at_once_or_on_request() {
    let server = Server::start().await;
    let api = server.api();
    let game = |pace: &str| json!({"game": "dice", "rules": "v2", "seats": ["random", "human"], "seed": 1, "pace": pace});
    let waits = api.create(game("on-request")).await;
    let moves = api.create(game("at-once")).await;
    let now = moves.wait(1).await;
    assert!(number(&now["ply"]) >= 1, "{now}");
    assert_eq!(moves.record().await["plies"][0]["player"], 0);
    // The other game has had the same time.
    assert_eq!(waits.state().await["ply"], 0);
    problem(waits.post(1, 0, &Value::Null).await, 409).await;
}

#[tokio::test]
async fn a_game_is_cached_by_its_etag() {
    let server = Server::start().await;
    let api = server.api();
    let table = two_humans(&api).await;
    let path = table.path("");
    let first = api.get(&path).await;
    let tag = header_of(&first, "etag").to_owned();
    let cached = server.person().with("if-none-match", &tag);
    let same = cached.get(&path).await;
    assert_eq!(same.status(), 304);
    assert_eq!(same.headers()["etag"], tag);
    assert_eq!(same.text().await.unwrap(), "");

    table.play(0, 0, &json!([0, 3])).await;
    let changed = cached.get(&path).await;
    assert_eq!(changed.status(), 200);
    assert_ne!(changed.headers()["etag"], tag);
}

#[tokio::test]
async fn a_game_can_be_read_at_a_ply_and_awaited() {
    let server = Server::start().await;
    let api = server.api();
    let table = two_humans(&api).await;
    let before = table.state().await;
    let waiting = tokio::spawn({
        let table = table.clone();
        async move { table.wait(1).await }
    });
    table.play(0, 0, &json!([0, 3])).await;
    let after = waiting.await.unwrap();
    assert_eq!(after["ply"], 1);
    assert_eq!(after["last"]["path"], json!([0, 3]));
    assert_eq!(
        api.json(&table.path("?ply=0")).await["state"],
        before["state"]
    );
    assert_eq!(
        api.json(&table.path("?ply=1")).await["state"],
        after["state"]
    );
    assert_eq!(
        problem(api.get(&table.path("?ply=2")).await, 422).await["ply"],
        1
    );
    problem(api.get(&table.path("?ply=x")).await, 400).await;
    problem(api.get(&table.path("?plie=1")).await, 400).await;
}

#[tokio::test]
async fn moves_match_the_rules() {
    let server = Server::start().await;
    let api = server.api();
    for (rules, name, seed) in [
        (Rules::V1, "v1", 3),
        (Rules::V2, "v2", 4),
        (Rules::V3, "v3", 5),
        (Rules::V4, "v4", 6),
        (Rules::Conquest, "conquest", 7),
    ] {
        let (players, max_dice, size) = rules.defaults();
        let game = DiceOfDoom::new(rules, size, players, max_dice).unwrap();
        let seats = vec!["human"; usize::from(players)];
        let table = api
            .create(json!({"game": "dice", "rules": name, "seats": seats, "seed": seed}))
            .await;
        for _ in 0..6 {
            let now = table.state().await;
            let Some(player) = now["player"].as_u64() else {
                break;
            };
            let setup: Setup = serde_json::from_value(now["state"].clone()).unwrap();
            let position = game.position(&setup).unwrap();
            // The expected value goes through text, as the response does: parsing a fraction may round its last bit.
            let text = serde_json::to_string(&DiceOfDoom::moves_json(
                &LazyTree::new(&game, position),
                None,
            ))
            .unwrap();
            let mut expected: Value = serde_json::from_str(&text).unwrap();
            expected["game"] = json!("dice");
            let moves = table.moves().await;
            assert_eq!(moves, expected, "{name}, seed {seed}, ply {}", now["ply"]);
            let path = moves["moves"].as_array().unwrap().last().unwrap()["path"].clone();
            table
                .play(player as usize, number(&now["ply"]), &path)
                .await;
        }
    }
    // The moves of the book's first board, taken from its picture.
    let moves = two_humans(&api).await.moves().await;
    let mut paths = each(&moves["moves"], |one| one["path"].to_string());
    paths.sort();
    assert_eq!(paths, ["[0,3]", "[1,3]"]);
}

#[tokio::test]
async fn an_attack_moves_dice_and_a_pass_adds_reinforcements() {
    let server = Server::start().await;
    let table = two_humans(&server.api()).await;
    let attacked = table.play(0, 0, &json!([0, 3])).await;
    let state = json!({"board": [[0, 1], [0, 3], [1, 3], [0, 2]], "player": 0, "spare": 1, "first_move": false});
    assert_eq!(
        attacked,
        json!({"game": "dice", "ply": 1, "roll": null, "state": state, "over": false, "winners": null, "repeated": false})
    );

    // Player b owns one hex with three dice; the pass gives b the turn.
    let passed = table.play(0, 1, &Value::Null).await;
    assert_eq!(passed["ply"], 2);
    assert_eq!(passed["state"]["player"], 1);
    assert_eq!(passed["state"]["first_move"], true);
    let dice = |state: &Value| -> u64 {
        let dice = each(&state["board"], |hex| number(&hex[1]));
        dice.iter().sum()
    };
    assert!(dice(&passed["state"]) >= dice(&attacked["state"]));
}

#[tokio::test]
async fn a_rolled_attack_reports_every_face_and_a_repeated_request_does_not_roll_again() {
    let server = Server::start().await;
    let table = rolled_attack_game(&server.api()).await;
    let path = json!([0, 2]);
    let first = table.play(0, 0, &path).await;
    let faces = |side: &str| each(&first["roll"][side], number);
    let (attack, defend) = (faces("attack"), faces("defend"));
    assert_eq!((attack.len(), defend.len()), (5, 1), "{first}");
    let mut rolled = attack.iter().chain(&defend);
    assert!(rolled.all(|face| (1..=6).contains(face)), "{first}");
    let won = attack.iter().sum::<u64>() > defend.iter().sum();
    let target = if won { json!([0, 4]) } else { json!([1, 1]) };
    assert_eq!(first["state"]["board"][2], target, "{first}");
    assert_eq!(first["repeated"], false);

    let mut expected = first.clone();
    expected["repeated"] = json!(true);
    for _ in 0..3 {
        assert_eq!(table.play(0, 0, &path).await, expected);
    }
    // After another ply the response still describes the first one.
    table.play(0, 1, &Value::Null).await;
    assert_eq!(table.play(0, 0, &path).await, expected);
    assert_eq!(table.state().await["ply"], 2);
    assert_eq!(table.record().await["plies"][0]["roll"], first["roll"]);
}

/// Checks that the plies of a record lead from its start to the current state.
fn check_record(record: &Value, last: &Value) {
    use dice_of_doom::game::Player;
    use dice_of_doom::record::Ply;
    let rules: Rules = record["rules"].as_str().unwrap().parse().unwrap();
    let small_number = |member: &str| number(&record[member]) as u8;
    let game = DiceOfDoom::new(
        rules,
        small_number("size"),
        small_number("players"),
        small_number("max_dice"),
    )
    .unwrap();
    let setup: Setup = serde_json::from_value(record["start"].clone()).unwrap();
    let mut position = game.position(&setup).unwrap();
    for (at, ply) in record["plies"].as_array().unwrap().iter().enumerate() {
        assert_eq!(ply["ply"], at);
        let path: Option<[u8; 2]> = serde_json::from_value(ply["path"].clone()).unwrap();
        let action = format::action(&game, path).unwrap();
        assert_eq!(game.check_action(&position, action), Ok(()), "{ply}");
        assert_eq!(ply["player"], position.player().number());
        let faces = |side: &str| {
            let faces = ply["roll"][side]
                .as_array()
                .into_iter()
                .flatten()
                .map(Value::to_string);
            faces.collect::<Vec<_>>().join(" ")
        };
        let text = if ply["roll"].is_null() {
            String::new()
        } else {
            format!("{}/{}", faces("attack"), faces("defend"))
        };
        let ply = Ply {
            player: Player::try_new(
                ply["player"].as_u64().unwrap() as u8,
                small_number("players"),
            )
            .unwrap(),
            action,
            roll: text.parse().unwrap_or_else(|_| panic!("the roll {text:?}")),
            at_ms: ply["at"].as_i64().unwrap(),
        };
        let outcome = dice_of_doom::record::check_ply(&game, &position, &ply).unwrap();
        position = game.apply(&position, ply.action, outcome);
    }
    let found = serde_json::to_value(game.setup(&position)).unwrap();
    assert_eq!(found, last["state"]);
    assert_eq!(record["winners"], last["winners"]);
    assert_eq!(record["ending"], last["ending"]);
}

async fn play_whole_game(body: Value) -> Value {
    let server = Server::start().await;
    let table = server.api().create(body).await;
    let last = table.play_to_the_end().await;
    assert_eq!(last["over"], true, "{last}");
    assert_eq!(last["player"], Value::Null);
    assert!(!last["winners"].as_array().unwrap().is_empty(), "{last}");
    let record = table.record().await;
    assert_eq!(
        record["plies"].as_array().unwrap().len() as u64,
        number(&last["ply"])
    );
    check_record(&record, &last);
    let page = server
        .api()
        .json(&format!("/g/{}/record.json", table.id))
        .await;
    assert_eq!(page, record);
    let moves = table.moves().await;
    assert_eq!(
        moves,
        json!({"game": "dice", "moves": [], "over": true, "winners": last["winners"]})
    );
    let late = table.post(0, number(&last["ply"]), &Value::Null).await;
    assert_eq!(problem(late, 409).await["ply"], last["ply"]);
    last
}

#[tokio::test]
async fn a_whole_game_on_v4_against_the_book() {
    let last = play_whole_game(
        json!({"game": "dice", "rules": "v4", "size": 4, "players": 3, "seed": 11,
        "seats": ["human", "book", "random"]}),
    )
    .await;
    assert_eq!(last["ending"], "rules");
}

#[tokio::test]
async fn a_whole_game_on_v2_with_two_humans() {
    let last = play_whole_game(
        json!({"game": "dice", "rules": "v2", "seed": 12, "seats": ["human", "human"]}),
    )
    .await;
    assert_eq!(last["ending"], "rules");
}

#[tokio::test]
async fn a_whole_game_of_conquest() {
    play_whole_game(
        json!({"game": "dice", "rules": "conquest", "size": 3, "players": 2, "seed": 13,
        "seats": ["human", "random"]}),
    )
    .await;
}

#[tokio::test]
async fn malformed_plies_are_rejected_first_and_impossible_ones_last() {
    let server = Server::start().await;
    let api = server.api();
    let table = api
        .create(json!({"game": "trilobite", "seats": ["human", "human"]}))
        .await;
    let landing = table.moves().await["moves"][0].clone();
    let post = async |player: usize, ply: u32, cell: &Value| {
        let body = json!({"ply": ply, "cell": cell});
        let path = table.path("/moves");
        api.post_as(table.token(player), &path, &body).await
    };
    assert_eq!(post(0, 0, &landing).await.status(), 200);
    // A player at an old ply, the player to move, and a player who is not to move.
    for (player, ply, status) in [(1, 0, 409), (1, 1, 422), (0, 1, 422)] {
        problem(post(player, ply, &json!(999)).await, 422).await;
        problem(post(player, ply, &Value::Null).await, 422).await;
        problem(post(player, ply, &landing).await, status).await;
    }
    assert_eq!(table.state().await["ply"], 1);
}

#[tokio::test]
async fn resigning_as_the_only_human_ends_the_game() {
    let server = Server::start().await;
    let api = server.api();
    let table = api.create(json!({"game": "dice", "seed": 5})).await;
    let stale = table.send(0, "/resign", &json!({"ply": 9})).await;
    assert_eq!(problem(stale, 409).await["ply"], 0);
    let answer = table.send(0, "/resign", &json!({"ply": 0})).await;
    assert_eq!(answer.status(), 200);
    let game: Value = answer.json().await.unwrap();
    assert_eq!(
        (&game["over"], &game["ending"]),
        (&json!(true), &json!("resigned")),
        "{game}"
    );
    let winners = game["winners"].as_array().unwrap();
    assert!(
        !winners.is_empty() && !winners.contains(&json!(0)),
        "{game}"
    );
    assert_eq!(table.state().await, game);
    assert_eq!(table.record().await["ending"], "resigned");
    assert_eq!(table.moves().await["moves"], json!([]));
    problem(table.post(0, 0, &Value::Null).await, 409).await;
    table.refused(0, "/resign", &json!({}), 409).await;
}

#[tokio::test]
async fn resigning_among_humans_gives_the_seat_to_a_computer() {
    let server = Server::start().await;
    let api = server.api();
    let table = two_humans(&api).await;
    let answer = table.send(0, "/resign", &json!({})).await;
    assert_eq!(answer.status(), 200);
    let seats = answer.json::<Value>().await.unwrap()["seats"].clone();
    assert_eq!(
        (&seats[0]["kind"], &seats[0]["level"]),
        (&json!("level"), &json!("book")),
        "{seats}"
    );
    assert_eq!(seats[1]["kind"], "human");
    let now = table.wait(1).await;
    assert!(number(&now["ply"]) >= 1, "the computer plays: {now}");
    problem(table.post(0, 0, &json!([0, 3])).await, 403).await;
}

#[tokio::test]
async fn every_level_can_take_a_seat_and_is_listed_in_the_openapi_document() {
    let server = Server::start().await;
    let api = server.api();
    let document = api.json("/openapi.json").await;
    let listed = &document["components"]["schemas"]["OccupantName"]["pattern"];
    let names: Vec<_> = Level::names().collect();
    let pattern = format!("^(human|open|({})(:[1-9][0-9]{{0,4}})?)$", names.join("|"));
    assert_eq!(*listed, pattern);
    for level in Level::names() {
        let dice = json!({"game": "dice", "rules": "v2", "seats": ["human", level]});
        let trilobite = json!({"game": "trilobite", "seats": ["human", level]});
        for game in [dice, trilobite]
            .into_iter()
            .skip(usize::from(level == "perfect"))
        {
            let table = api.create(game).await;
            assert_eq!(table.game["seats"][1]["level"], level);
        }
    }
    let missing = json!({"game": "dice", "rules": "v2", "seats": ["human", "perfect"]});
    let refused = api.refused("/api/v1/games", &missing, 422).await;
    assert_eq!(
        refused["detail"],
        "Dice of Doom has no level perfect; there are novice, random, book, greedy, steady, advanced, expert, \
         master and champion"
    );
    let unknown = json!({"game": "dice", "rules": "v2", "seats": ["human", "god"]});
    let refused = api.refused("/api/v1/games", &unknown, 422).await;
    let detail = refused["detail"].as_str().unwrap();
    assert!(names.iter().all(|name| detail.contains(name)), "{detail}");
}

#[tokio::test]
async fn a_game_with_a_perfect_seat_is_played() {
    let server = Server::start().await;
    let api = server.api();
    let seats = ["perfect", "random"];
    let table = api
        .create(json!({"game": "trilobite", "width": 4, "height": 4, "win": 3, "seats": seats}))
        .await;
    let mut game = table.wait(1).await;
    while game["over"] != true {
        game = table.wait(number(&game["ply"]) + 1).await;
    }
    assert_eq!(game["winners"], json!([0]), "{game}");
}

#[tokio::test]
async fn every_documented_path_returns_a_documented_status() {
    let server = Server::start().await;
    let api = server.api();
    let document = api.json("/openapi.json").await;
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() >= 5, "{paths:?}");
    let table = two_humans(&api).await;
    for (path, item) in paths {
        let url = format!("{}{}", api.url, path.replace("{id}", &table.id));
        for (method, operation) in item.as_object().unwrap() {
            let verb: Method = method.to_uppercase().parse().unwrap();
            let response = api.client.request(verb, &url).send().await.unwrap();
            let status = response.status().as_u16().to_string();
            assert!(
                operation["responses"].get(&status).is_some(),
                "{method} {path} answered {status}"
            );
        }
    }
}

#[tokio::test]
async fn invalid_json_is_400_and_invalid_values_are_422() {
    let server = Server::start().await;
    let api = server.api();
    let send = async |body: String| {
        let request = api.client.post(format!("{}/api/v1/games", api.url));
        let request = request.header("content-type", "application/json");
        request.body(body).send().await.unwrap()
    };
    for text in [
        "",
        "{",
        "nonsense",
        "{\"game\":\"dice\",\"size\":NaN}",
        "{\"game\":\"dice\"} x",
        "\u{0}",
    ] {
        problem(send(text.to_owned()).await, 400).await;
    }
    let deep = "[".repeat(3_000);
    let status = send(deep).await.status();
    assert!(status == 400 || status == 422, "{status}");
    for text in [
        r#"{}"#,
        r#"[]"#,
        r#"null"#,
        r#""dice""#,
        r#"{"game":"chess"}"#,
        r#"{"game":"dice","game":"dice"}"#,
        r#"{"game":"dice","colour":"red"}"#,
        r#"{"game":"dice","rules":"v5"}"#,
        r#"{"game":"dice","size":1}"#,
        r#"{"game":"dice","size":9}"#,
        r#"{"game":"dice","size":300}"#,
        r#"{"game":"dice","size":-1}"#,
        r#"{"game":"dice","size":2.5}"#,
        r#"{"game":"dice","size":"5"}"#,
        r#"{"game":"dice","players":1}"#,
        r#"{"game":"dice","players":7}"#,
        r#"{"game":"dice","players":0,"seats":[]}"#,
        r#"{"game":"dice","players":255}"#,
        r#"{"game":"dice","size":2,"players":6}"#,
        r#"{"game":"dice","max_dice":1}"#,
        r#"{"game":"dice","max_dice":9}"#,
        r#"{"game":"dice","seed":-1}"#,
        r#"{"game":"dice","seed":18446744073709551616}"#,
        r#"{"game":"dice","seats":["human"]}"#,
        r#"{"game":"dice","seats":["human","human","human","deep blue"]}"#,
        r#"{"game":"dice","pace":"slow"}"#,
        r#"{"game":"dice","rules":"v1","start":{"board":[[0,1]],"player":0,"spare":0,"first_move":true}}"#,
        r#"{"game":"dice","rules":"v1","start":{"board":[[0,1],[0,1],[1,1],[2,1]],"player":0,"spare":0,"first_move":true}}"#,
        r#"{"game":"dice","rules":"v1","start":{"board":[[0,1],[0,1],[1,1],[1,0]],"player":0,"spare":0,"first_move":true}}"#,
        r#"{"game":"dice","rules":"v1","start":{"board":[[0,1],[0,1],[1,1],[1,4]],"player":0,"spare":0,"first_move":true}}"#,
        r#"{"game":"dice","rules":"v1","start":{"board":[[0,1],[0,1],[1,1],[1,1]],"player":2,"spare":0,"first_move":true}}"#,
        r#"{"game":"dice","rules":"v1","seed":1,"start":{"board":[[0,1],[0,2],[1,1],[1,1]],"player":0,"spare":0,"first_move":true}}"#,
    ] {
        let problem = problem(send(text.to_owned()).await, 422).await;
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{text}");
    }
}

#[tokio::test]
async fn an_invalid_or_illegal_ply_is_422_and_changes_nothing() {
    let server = Server::start().await;
    let api = server.api();
    let table = rolled_attack_game(&api).await;
    let before = table.state().await;
    for body in [
        json!({}),
        json!({"ply": 0}),
        json!({"path": null}),
        json!({"ply": -1, "path": null}),
        json!({"ply": 0, "path": [0]}),
        json!({"ply": 0, "path": [0, 1, 2]}),
        json!({"ply": 0, "path": "pass"}),
        json!({"ply": 0, "path": [0, 4]}),
        json!({"ply": 0, "path": [0, 256]}),
        json!({"ply": 0, "path": [255, 0]}),
        json!({"ply": 0, "path": [0, 0]}),
        json!({"ply": 0, "path": [0, 1]}),
        json!({"ply": 0, "path": [2, 0]}),
        json!({"ply": 0, "path": [1, 2]}),
        json!({"ply": 0, "path": null}),
        json!({"ply": 0, "path": [0, 2], "x": 1}),
        json!({"ply": 4_294_967_296_u64, "path": null}),
        json!([0, null]),
    ] {
        let response = table.send(0, "/moves", &body).await;
        assert_ne!(response.status(), 200, "{body} was played");
        problem(response, 422).await;
    }
    assert_eq!(table.state().await, before);
}

#[tokio::test]
async fn other_errors_have_their_status() {
    let server = Server::start().await;
    let api = server.api();
    let (table, other) = (two_humans(&api).await, two_humans(&api).await);
    let ply = json!({"ply": 0, "path": [0, 3]});
    for rest in ["/moves", "/resign"] {
        let body = match rest {
            "/moves" => ply.clone(),
            _ => json!({}),
        };
        let path = table.path(rest);
        let unauthenticated = api.post(&path, &body).await;
        assert_eq!(unauthenticated.headers()["www-authenticate"], "Bearer");
        problem(unauthenticated, 401).await;
        // An empty token counts as no token.
        api.refused_as("", &path, &body, 401).await;
        for token in [other.token(0), "nonsense", "AAAAAAAAAAAAAAAAAAAAAA"] {
            api.refused_as(token, &path, &body, 403).await;
            // A client without a seat in this game learns nothing about the cells it names.
            for unfit in [
                json!({"ply": 0, "path": "pass"}),
                json!({"ply": 0, "path": [0, 99]}),
                json!({"ply": 7, "path": [0, 99]}),
            ] {
                if rest == "/moves" {
                    api.refused_as(token, &path, &unfit, 403).await;
                }
            }
        }
        for (kind, body, status) in [
            ("text/plain", &*body.to_string(), 415),
            ("application/json", "{", 400),
        ] {
            let request = api.client.post(format!("{}{path}", api.url));
            let request = request.bearer_auth(table.token(0));
            let request = request.header("content-type", kind).body(body.to_owned());
            problem(request.send().await.unwrap(), status).await;
        }
        let unknown = path.replace(&table.id, "00000000");
        api.refused_as(table.token(0), &unknown, &body, 404).await;
    }
    // Player b is not to move; player a names a ply that is not reached yet.
    assert_eq!(
        problem(table.post(1, 0, &Value::Null).await, 409).await["ply"],
        0
    );
    assert_eq!(
        problem(table.post(0, 5, &Value::Null).await, 409).await["ply"],
        0
    );
    table.play(0, 0, &json!([0, 3])).await;
    assert_eq!(
        problem(table.post(0, 0, &json!([1, 3])).await, 409).await["ply"],
        1
    );
    assert_eq!(
        problem(table.post(1, 0, &json!([0, 3])).await, 409).await["ply"],
        1
    );

    for id in [
        "00000000",
        "x",
        "%00",
        "..",
        "0000000000000000000",
        "ILOUILOU",
    ] {
        for rest in ["", "/moves", "/record", "/events"] {
            let path = format!("/api/v1/games/{id}{rest}").replace("/..", "/%2e%2e%2f");
            problem(api.get(&path).await, 404).await;
        }
    }
    problem(api.get("/api/v1/nothing").await, 404).await;
    for (method, path, allowed) in [
        ("PUT", "/api/v1/games".to_owned(), "GET"),
        ("PUT", "/api/v1/games".to_owned(), "POST"),
        ("DELETE", table.path(""), "GET"),
        ("PUT", table.path("/moves"), "POST"),
        ("GET", table.path("/resign"), "POST"),
        ("POST", table.path("/record"), "GET"),
        ("POST", table.path("/events"), "GET"),
    ] {
        let verb: Method = method.parse().unwrap();
        let response = server.person().request(verb, &path).send().await.unwrap();
        let allow = response.headers()["allow"].to_str().unwrap().to_owned();
        assert!(allow.contains(allowed), "{method} {path}: {allow}");
        problem(response, 405).await;
    }
}

/// A client without a seat in the game learns nothing about the action that it names, in the API and on pages.
#[tokio::test]
async fn credentials_are_checked_before_the_action() {
    let server = Server::start().await;
    let api = server.api();
    let new = json!({"game": "trilobite", "seats": ["human", "human"]});
    let (table, other) = (api.create(new.clone()).await, api.create(new).await);
    for cell in [json!(9999), json!(-1), json!("a"), Value::Null] {
        let body = json!({"ply": 0, "cell": cell});
        let path = table.path("/moves");
        api.refused_as(other.token(0), &path, &body, 403).await;
        api.refused_as(table.token(0), &path, &body, 422).await;
    }
    let page = async |cookie: &str| {
        let posted = api.client.post(format!("{}/g/{}/moves", api.url, table.id));
        let form = [("ply", "0"), ("cell", "9999")];
        let sent = posted.header("cookie", cookie).form(&form).send().await;
        sent.unwrap().status().as_u16()
    };
    assert_eq!(page("dod=AAAAAAAAAAAAAAAAAAAAAA").await, 403);
    assert_eq!(page("").await, 401);
    // On the book's page, a cross-site request cannot find out whether a hex can be chosen.
    let request = api.client.get(format!("{}/game.html?chosen=x", api.url));
    let answer = request.header("sec-fetch-site", "cross-site").send().await;
    assert_eq!(answer.unwrap().status(), 403);
}

/// A player makes a ply at one server and resigns at another one that does not know the ply yet: the game is over,
/// and its record contains the ply.
#[tokio::test]
async fn a_resignation_includes_plies_of_other_instances() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory());
    let mut servers = Vec::new();
    for _ in 0..2 {
        servers.push(Server::on(store.clone()).await);
    }
    let new = json!({"game": "dice", "rules": "v4", "size": 4, "players": 2, "seats": ["human", "book"], "seed": 3});
    let here = servers[0].api().create(new).await;
    assert_eq!(here.state().await["ply"], 0);
    let there = here.on_server(&servers[1].api());
    let path = likely(&there.moves().await);
    there.play(0, 0, &path).await;
    assert_eq!(
        here.state().await["ply"],
        0,
        "the first server does not know the ply"
    );
    let resign = here.path("/resign");
    let ended = here.api.post_as(here.token(0), &resign, &json!({})).await;
    assert_eq!(ended.status(), 200);
    let ended: Value = ended.json().await.unwrap();
    assert_eq!(ended["over"], true, "{ended}");
    let record = here.record().await;
    assert_eq!(record["plies"][0]["path"], path, "{record}");
}

#[tokio::test]
async fn the_list_of_levels_contains_their_ratings() {
    use dice_of_doom::arena::RatingsFile;

    const SHIPPED: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/games/level_ratings.json"
    ));

    let server = Server::start().await;
    let listed = server.api().json("/api/v1/levels?game=dice").await;
    let shipped: RatingsFile = serde_json::from_str(SHIPPED).unwrap();
    let usual = shipped
        .for_game(r#"{"game":"dice","rules":"v4","size":5,"players":4,"max_dice":5}"#)
        .unwrap();
    for entry in listed["levels"].as_array().unwrap() {
        let level: Level = entry["name"].as_str().unwrap().parse().unwrap();
        let rung = usual.level_rating(level);
        let rating = rung.and_then(|rung| rung.rating).map(|found| found.mean);
        let book = rung.and_then(|rung| rung.book).map(|found| found.mean);
        assert_eq!(entry["rating"].as_f64(), rating, "{level}");
        assert_eq!(entry["book"].as_f64(), book, "{level}");
    }
    assert!(listed["levels"][3]["book"].is_f64(), "{listed}");
}

/// Programs whose HTTP library compresses long bodies are told what to change. `identity` is no compression.
#[tokio::test]
async fn compressed_bodies_are_rejected() {
    let server = Server::start().await;
    let api = server.api();
    let send = |path: &str, coding: &'static str| {
        let request = api.client.post(server.url(path));
        let request = request
            .header("content-type", "application/json")
            .header("content-encoding", coding);
        request.body(json!({"game": "dice"}).to_string()).send()
    };
    for (path, coding) in [
        ("/api/v1/games", "gzip"),
        ("/api/v1/records", "br"),
        ("/games", "zstd"),
    ] {
        let answer = send(path, coding).await.unwrap();
        assert_eq!(answer.status(), 415, "{path}");
        assert_eq!(answer.headers()["accept-encoding"], "identity", "{path}");
    }
    let detail = &problem(send("/api/v1/games", "gzip").await.unwrap(), 415).await["detail"];
    assert!(detail.as_str().unwrap().contains("compressed"), "{detail}");
    let plain = send("/api/v1/games", "Identity").await.unwrap();
    assert_eq!(plain.status(), 201);
}
