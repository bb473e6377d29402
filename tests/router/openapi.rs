//! The OpenAPI document: it is complete and its examples work; and the operations of the API that other tests do not
//! cover. That every response conforms to the document is checked by `common::contract` in every test over HTTP.

use std::collections::BTreeSet;

use crate::common::contract::Contract;
use crate::common::{Server, Table, number, problem, routes};
use dice_of_doom::engine::EngineErrorCode;
use dice_of_doom::http::problem::ProblemKind;
use dice_of_doom::level::Level;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const JSON: &str = "application/json";

async fn document(server: &Server) -> Value {
    server.api().json("/openapi.json").await
}

/// Calls `visit` with a value and every value nested in it.
fn visit_values<'v>(value: &'v Value, visit: &mut impl FnMut(&'v Value)) {
    visit(value);
    match value {
        Value::Array(values) => values.iter().for_each(|value| visit_values(value, visit)),
        Value::Object(fields) => fields.values().for_each(|value| visit_values(value, visit)),
        _ => {}
    }
}

fn operations(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let paths = document["paths"].as_object().unwrap().values();
    paths.flat_map(|item| item.as_object().unwrap())
}

#[tokio::test]
async fn every_reference_resolves_and_every_component_is_used() {
    let server = Server::start().await;
    let document = document(&server).await;
    let mut named = Vec::new();
    visit_values(&document, &mut |value| {
        named.extend(value["$ref"].as_str());
        if let Some(mapping) = value["discriminator"]["mapping"].as_object() {
            named.extend(mapping.values().filter_map(Value::as_str));
        }
    });
    for reference in &named {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for (kind, components) in document["components"].as_object().unwrap() {
        if kind == "securitySchemes" {
            continue;
        }
        for name in components.as_object().unwrap().keys() {
            let reference = format!("#/components/{kind}/{name}");
            assert!(
                named.contains(&reference.as_str()),
                "{reference} is not used"
            );
        }
    }
}

#[tokio::test]
async fn every_operation_has_an_id_and_every_response_a_description() {
    let server = Server::start().await;
    let document = document(&server).await;
    assert_eq!(document["servers"], json!([{"url": "/"}]));
    let mut names = Vec::new();
    for (_, operation) in operations(&document) {
        let name = operation["operationId"].as_str().unwrap();
        assert!(!names.contains(&name), "{name}");
        names.push(name);
        assert!(operation["summary"].is_string(), "{name}");
        let [tag] = &operation["tags"].as_array().unwrap()[..] else {
            panic!("{name} has one tag");
        };
        let mut tags = document["tags"].as_array().unwrap().iter();
        assert!(tags.any(|known| known["name"] == *tag), "{name}: {tag}");
        let answers = operation["responses"].as_object().unwrap();
        for (status, answer) in answers {
            let answer = match answer["$ref"].as_str() {
                Some(reference) => document.pointer(&reference[1..]).unwrap(),
                None => answer,
            };
            let description = answer["description"].as_str();
            assert!(
                description.is_some_and(|text| !text.is_empty()),
                "{name} {status}"
            );
            let failed = status.starts_with('4') || status.starts_with('5');
            let problem = answer["content"].get("application/problem+json");
            assert_eq!(problem.is_some(), failed, "{name} {status}");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = match parameter["$ref"].as_str() {
                Some(reference) => document.pointer(&reference[1..]).unwrap(),
                None => parameter,
            };
            assert!(parameter["description"].is_string(), "{name}: {parameter}");
        }
        let bearer = json!([{"seat": []}]);
        assert_eq!(
            operation["security"] == bearer,
            answers.contains_key("401") && !["list_games", "get_records"].contains(&name),
            "{name}"
        );
    }
    // A token is optional here: it adds effects or identifies a client with more permissions.
    for (path, name) in [
        ("/api/v1/games", "create_game"),
        ("/api/v1/games/{id}/join", "join_game"),
        ("/api/v1/games/{id}/play-on", "play_on"),
    ] {
        let operation = &document["paths"][path]["post"];
        assert_eq!(operation["operationId"], name);
        assert_eq!(operation["security"], json!([{}, {"seat": []}]), "{name}");
    }
    for name in [
        "create_game",
        "get_game",
        "get_moves",
        "play",
        "resign",
        "join_game",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    let codes = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"].clone();
    let all = ProblemKind::ALL.iter().map(|kind| kind.code());
    assert_eq!(codes, json!(all.collect::<Vec<_>>()));
}

/// openapi-generator cannot generate clients for a bare `null` type or for nested alternatives.
#[tokio::test]
async fn client_generators_can_read_every_schema() {
    let server = Server::start().await;
    let document = document(&server).await;
    let null = json!("null");
    let mut alternatives = 0;
    visit_values(&document, &mut |value| {
        let Some(either) = value.get("oneOf").and_then(Value::as_array) else {
            return;
        };
        let (nulls, others): (Vec<_>, Vec<_>) =
            either.iter().partition(|item| item["type"] == null);
        alternatives += nulls.len();
        if let ([_], [other]) = (&nulls[..], &others[..]) {
            assert!(other["type"].is_null(), "null is given twice: {value}");
        }
        assert!(nulls.len() < 2, "{value}");
    });
    let mut null_types = 0;
    visit_values(&document, &mut |value| {
        null_types += usize::from(value.get("type") == Some(&null));
    });
    assert_eq!(
        null_types, alternatives,
        "null occurs only as an alternative"
    );
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        for item in schema["oneOf"].as_array().into_iter().flatten() {
            if let Some(reference) = item["$ref"].as_str() {
                let named = document.pointer(&reference[1..]).unwrap();
                assert!(named.get("oneOf").is_none(), "{name}: {reference}");
            }
        }
    }
}

#[tokio::test]
async fn the_api_page_lists_every_operation() {
    let server = Server::start().await;
    let document = document(&server).await;
    let page = server.api().get("/api").await.text().await.unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        // Operations outside `/api/v1` belong to pages.
        if path.starts_with("/api/v1/") {
            for method in item.as_object().unwrap().keys() {
                let call = format!("<code>{} {path}</code>", method.to_uppercase());
                assert!(page.contains(&call), "{call}");
            }
        }
    }
}

/// The documentation page with the lists of events and error codes.
const DOCS: &str = include_str!("../../docs/api.md");

/// The documentation page of the engine.
const ENGINE_DOCS: &str = include_str!("../../docs/engine.md");

/// The rows of the table under this heading of a document, without the two header lines.
fn rows(document: &'static str, heading: &str) -> Vec<&'static str> {
    let (_, section) = document.split_once(&format!("## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|'));
    rows.skip(2).collect()
}

#[tokio::test]
async fn the_docs_list_every_call() {
    let server = Server::start().await;
    let document = document(&server).await;
    let mut expected = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let methods = item.as_object().unwrap().keys();
        expected.extend(methods.map(|method| format!("`{} {path}`", method.to_uppercase())));
    }
    let (_, calls) = DOCS.split_once("\n## Calls\n").unwrap();
    let rows = calls.split("\n## ").next().unwrap().lines();
    let mut listed: Vec<_> = rows
        .filter_map(|row| row.strip_prefix("| `")?.split_once('`'))
        .map(|(call, _)| format!("`{call}`"))
        .collect();
    expected.sort();
    listed.sort();
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn the_docs_list_every_event() {
    let server = Server::start().await;
    let document = document(&server).await;
    let listed = [
        rows(DOCS, "Events of all games of a program"),
        rows(DOCS, "Events of one game"),
    ]
    .concat();
    let mut names = BTreeSet::new();
    visit_values(&document["components"]["schemas"], &mut |value| {
        let events = value["properties"]["event"]["enum"].as_array();
        names.extend(events.into_iter().flatten().filter_map(Value::as_str));
    });
    assert!(names.len() > 12, "{names:?}");
    for name in names {
        let quoted = format!("`{name}`");
        let mut names = listed.iter().map(|row| row.split('|').nth(1).unwrap());
        assert!(names.any(|names| names.contains(&quoted)), "{name}");
    }
}

#[tokio::test]
async fn the_docs_list_every_error_code() {
    let server = Server::start().await;
    let document = document(&server).await;
    let code = &document["components"]["schemas"]["Problem"]["properties"]["code"];
    let about = code["description"].as_str().unwrap();
    let expected = ProblemKind::ALL.map(|problem| {
        let (code, status) = (problem.code(), problem.status().as_u16());
        let begin = format!("- `{code}`: ");
        let mut lines = about.lines();
        let about = lines.find_map(|line| line.strip_prefix(&begin)).unwrap();
        format!("| `{code}` | {status} | {about} |")
    });
    assert_eq!(rows(DOCS, "Errors"), expected);
    let listed = rows(ENGINE_DOCS, "Errors");
    assert_eq!(listed.len(), EngineErrorCode::ALL.len());
    for (row, code) in listed.iter().zip(EngineErrorCode::ALL) {
        let code = json!(code);
        assert!(
            row.starts_with(&format!("| `{}` | ", code.as_str().unwrap())),
            "{row}"
        );
    }
}

#[tokio::test]
async fn unions_have_one_closed_object_per_game() {
    let server = Server::start().await;
    let document = document(&server).await;
    let schemas = &document["components"]["schemas"];
    let games = server.service.games().names();
    for union in [
        "NewGame", "Game", "Played", "Moves", "Record", "Analysis", "Review",
    ] {
        let discriminator = &schemas[union]["discriminator"];
        assert_eq!(discriminator["propertyName"], "game", "{union}");
        let mapping = discriminator["mapping"].as_object().unwrap();
        assert_eq!(mapping.len(), games.len(), "{union}");
        for (game, reference) in mapping {
            let own = document.pointer(&reference.as_str().unwrap()[1..]).unwrap();
            let parts = own["allOf"].as_array().and_then(|parts| parts.last());
            let own = parts.unwrap_or(own);
            assert_eq!(own["properties"]["game"]["enum"], json!([game]), "{union}");
            assert!(own["required"].as_array().unwrap().contains(&json!("game")));
        }
    }
    for game in ["Dice", "Trilobite"] {
        for closed in [
            format!("New{game}Game"),
            format!("{game}Play"),
            format!("{game}Action"),
            format!("{game}State"),
        ] {
            assert_eq!(schemas[&closed]["additionalProperties"], false, "{closed}");
        }
    }
}

#[tokio::test]
async fn the_examples_of_the_document_work() {
    let server = Server::start().await;
    let api = server.api();
    let document = document(&server).await;
    let examples = |path: &str| {
        let body = &document["paths"][path]["post"]["requestBody"];
        body["content"]["application/json"]["examples"].clone()
    };
    let new = examples("/api/v1/games");
    let plies = examples("/api/v1/games/{id}/moves");
    for game in server.service.games().names() {
        let table = api.create(new[game]["value"].clone()).await;
        let ply = &plies[game]["value"];
        let played = table.send(0, "/moves", ply).await;
        assert_eq!(played.status(), 200, "{ply}");
    }
}

#[tokio::test]
async fn a_game_lists_the_neighbours_of_every_hex() {
    let server = Server::start().await;
    let api = server.api();
    let new = json!({"game": "dice", "size": 3, "players": 2});
    let table = api.create(new).await;
    let neighbors = &table.game["neighbors"];
    assert_eq!(neighbors.as_array().unwrap().len(), 9);
    // Each row is shifted left by half a hex relative to the row above.
    let of_the_middle = neighbors[4].as_array().unwrap().iter();
    let mut of_the_middle: Vec<u64> = of_the_middle.map(number).collect();
    of_the_middle.sort_unstable();
    assert_eq!(of_the_middle, [0, 1, 3, 5, 7, 8]);
    for moved in table.moves().await["moves"].as_array().unwrap() {
        if let Some(path) = moved["path"].as_array() {
            let from = neighbors[number(&path[0]) as usize].as_array().unwrap();
            assert!(from.contains(&path[1]), "{moved}");
        }
    }
    let trilobite = api.create(json!({"game": "trilobite"})).await;
    assert!(trilobite.game.get("neighbors").is_none());
}

#[tokio::test]
async fn whole_numbers_may_be_written_as_decimals() {
    let server = Server::start().await;
    let api = server.api();
    let send = async |body: &'static str| {
        let request = api.client.post(format!("{}/api/v1/games", api.url));
        let request = request.header("content-type", JSON);
        let response = request.body(body).send().await.unwrap();
        let status = response.status().as_u16();
        (status, response.json::<Value>().await.unwrap())
    };
    let (_, plain) = send(r#"{"game":"dice","rules":"v3","size":3,"seed":1000}"#).await;
    let (status, decimal) = send(r#"{"game":"dice","rules":"v3","size":3.0,"seed":1e3}"#).await;
    assert_eq!(status, 201);
    assert_eq!(
        (&decimal["size"], &decimal["state"]),
        (&json!(3), &plain["state"])
    );
    let (status, _) = send(r#"{"game":"dice","size":3.5}"#).await;
    assert_eq!(status, 422);
}

#[tokio::test]
async fn a_game_can_start_at_a_position_in_notation() {
    let server = Server::start().await;
    let api = server.api();
    let dice = json!({"game": "dice", "start": "dice.v4.2.2.3.a2b3a3b1.0.0.1"});
    let table = api.create(dice).await;
    assert_eq!(
        (&table.game["size"], &table.game["max_dice"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(
        table.game["state"]["board"],
        json!([[0, 2], [1, 3], [0, 3], [1, 1]])
    );
    for row in [
        "trilobite.4.4.3.0000000000000000.1 | 2 | start: this is a position of another game",
        "dice.v4.2.2.3.a2b3a3 | 2 | start: this is no position in notation, character 21: a player is missing",
        "dice.v4.2.2.3.a2b3a3b1.0.0.1 | 3 | the board has 4 hexes where 9 are due",
    ] {
        let [start, size, expected] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let size: u8 = size.parse().unwrap();
        let body = json!({"game": "dice", "size": size, "start": start});
        let refused = api.refused("/api/v1/games", &body, 422).await;
        assert_eq!(refused["detail"], expected);
    }
}

#[tokio::test]
async fn validation_errors_are_readable_and_name_the_field() {
    let server = Server::start().await;
    let api = server.api();
    let table = api.create(json!({"game": "dice"})).await;
    for row in [
        r#"/api/v1/games {"game":"dice","colour":1} | there is no field `colour` here"#,
        r#"/api/v1/games {"game":"dice","size":"5"} | size: expected a whole number from 2 to 8, found a text"#,
        r#"/api/v1/games {"game":"dice","size":5.5} | size: expected a whole number from 2 to 8, found 5.5"#,
        r#"/api/v1/games {"game":"dice","size":9} | a board has a side of 2 to 8, not 9"#,
        r#"/api/v1/games {"game":"trilobite","width":300} | width: expected a whole number from 1 to 64, found 300"#,
        r#"/api/v1/games {"game":"dice","turn_s":-1} | turn_s: expected a whole number from 10 to 1209600, found -1"#,
        r#"/api/v1/games {"game":"dice","private":1} | private: expected true or false, found 1"#,
        r#"/api/v1/games {"game":"trilobite","start":{"board":[0]}} | start: the field `player` is missing"#,
        r#"/api/v1/games [] | expected an object, found a list"#,
        r#"GAME/resign {"plie":1} | there is no field `plie` here"#,
        r#"GAME/undo {} | the field `ply` is missing"#,
        r#"GAME/undo {"ply":-1} | ply: expected a whole number from 0 to 4294967295, found -1"#,
        r#"GAME/moves {"ply":0,"path":[0,"1"]} | path[1]: expected a whole number from 0 to 255, found a text"#,
        r#"GAME/moves {"ply":0,"path":[0,25]} | there is no such hex on this board; it has the hexes 0 to 24"#,
    ] {
        let (request, expected) = row.split_once(" | ").unwrap();
        let (path, body) = request.split_once(' ').unwrap();
        let path = path.replace("GAME", &table.path(""));
        let body = serde_json::from_str(body).unwrap();
        let refused = api.refused_as(table.token(0), &path, &body, 422).await;
        assert_eq!(refused["detail"], expected, "{row}");
    }
    let plie = problem(api.get(&table.path("?plie=1")).await, 400).await;
    assert_eq!(plie["detail"], "there is no field `plie` here");
    let invalid_number = problem(api.get(&table.path("?ply=x")).await, 400).await;
    assert_eq!(
        invalid_number["detail"],
        "ply: expected a whole number from 0 to 4294967295"
    );
    let url = format!("{}/api/v1/games", api.url);
    let broken = api.client.post(&url).header("content-type", JSON);
    let broken = problem(broken.body("{\n ,").send().await.unwrap(), 400).await;
    assert_eq!(broken["detail"], "the body is no JSON (line 2, column 2)");
    let typeless = problem(api.client.post(&url).body("{}").send().await.unwrap(), 415).await;
    assert_eq!(typeless["detail"], "send the body as application/json");
    // Forms have the same errors.
    let program = server.person().with("accept", JSON);
    let resign = format!("/g/{}/resign", table.id);
    let refused = problem(program.post(&resign, "ply=0&sure=1").await, 422).await;
    assert_eq!(refused["detail"], "there is no field `sure` here");
}

#[tokio::test]
async fn the_api_page_names_the_host_and_its_resign_example_works() {
    let server = Server::start().await;
    let api = server.api();
    let page = api.get("/api").await.text().await.unwrap();
    assert!(page.contains(&server.url("/api/v1/games")), "{page}");
    assert!(!page.contains("localhost:8080"), "{page}");
    for field in ["neighbors", "spare", "first_move", "quiet", "last_move"] {
        assert!(page.contains(&format!("<code>{field}</code>")), "{field}");
    }
    // Like the example of the page: `curl -X POST` without a body.
    let table = api.create(json!({"game": "dice"})).await;
    let resign = api
        .client
        .post(format!("{}{}", api.url, table.path("/resign")));
    let resigned = resign.bearer_auth(table.token(0)).send().await.unwrap();
    assert_eq!(resigned.status(), 200);
    assert_eq!(
        resigned.json::<Value>().await.unwrap()["ending"],
        "resigned"
    );
}

#[tokio::test]
async fn levels_are_listed_per_game() {
    let server = Server::start().await;
    let api = server.api();
    let listed = api.json("/api/v1/levels?game=trilobite").await;
    let names = listed["levels"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|level| level["name"].as_str().unwrap()).collect();
    assert_eq!(names, Level::names().collect::<Vec<_>>());
    let of_dice = api.json("/api/v1/levels").await;
    assert_ne!(
        of_dice["levels"][0], listed["levels"][0],
        "descriptions differ between games"
    );
    let names = of_dice["levels"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|level| level["name"].as_str().unwrap()).collect();
    assert!(
        names
            .into_iter()
            .eq(Level::IN_EVERY_GAME.iter().map(|level| level.name()))
    );
    problem(api.get("/api/v1/levels?game=chess").await, 422).await;
}

/// Steps a game with computers on request until a human is to move or the game is over.
async fn step_computers(table: &Table, token: &str) -> Value {
    let mut now = table.state().await;
    while now["over"] == false && now["seats"][number(&now["player"]) as usize]["kind"] == "level" {
        let body = json!({"ply": now["ply"]});
        let answer = table.api.post_as(token, &table.path("/step"), &body).await;
        assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(number(&answer["ply"]), number(&now["ply"]) + 1);
        now = table.state().await;
        assert_eq!(now["state"], answer["state"]);
    }
    now
}

#[tokio::test]
async fn computers_on_request_move_when_requested() {
    let server = Server::start().await;
    let api = server.api();
    let new = json!({"game": "trilobite", "width": 4, "height": 3, "win": 3, "pace": "on-request",
        "seats": ["random", "human"]});
    let table = api.create(new).await;
    let body = json!({"ply": 0});
    api.refused(&table.path("/step"), &body, 401).await;
    api.refused_as("nonsense", &table.path("/step"), &body, 403)
        .await;
    let mut now = step_computers(&table, table.token(1)).await;
    let mine = table.refused(1, "/step", &json!({"ply": 1}), 409).await;
    assert_eq!(mine["code"], "not-your-turn");
    while now["over"] == false {
        let cell = table.moves().await["moves"][0].clone();
        let ply = json!({"ply": now["ply"], "cell": cell});
        let played = table.send(1, "/moves", &ply).await;
        assert_eq!(played.status(), 200);
        now = step_computers(&table, table.token(1)).await;
    }
    // In a game of computers alone any viewer can request a ply.
    let computers_only =
        json!({"game": "dice", "rules": "v1", "pace": "on-request", "seats": ["random", "random"]});
    let table = api.create(computers_only).await;
    assert_eq!(step_computers(&table, "").await["over"], true);
}

#[tokio::test]
async fn a_rematch_keeps_the_tokens() {
    let server = Server::start().await;
    let api = server.api();
    let new = json!({"game": "dice", "rules": "v1", "seats": ["human", "human"], "seed": 3});
    let table = api.create(new).await;
    assert_eq!(table.game["seats"][0]["program"], true);
    let path = table.path("/rematch");
    table.refused(0, "/rematch", &json!({}), 409).await;
    table.play_to_the_end().await;
    api.refused_as("nonsense", &path, &json!({}), 403).await;
    let other = json!({"kind": "other"});
    table.refused(0, "/rematch", &other, 422).await;
    let created = table.send(0, "/rematch", &json!({"kind": "new"})).await;
    assert_eq!(created.status(), 201);
    let game: Value = created.json().await.unwrap();
    let again = table.send(1, "/rematch", &json!({})).await;
    let again: Value = again.json().await.unwrap();
    assert_eq!(again["id"], game["id"], "there is one rematch of a kind");
    let second = Table {
        id: game["id"].as_str().unwrap().to_owned(),
        game,
        ..table.clone()
    };
    assert_eq!(second.play_to_the_end().await["over"], true);
}

#[tokio::test]
async fn a_seat_can_have_a_level_with_a_number_of_simulations() {
    let server = Server::start().await;
    let api = server.api();
    let new = json!({"game": "dice", "rules": "v1", "seats": ["human", "expert:30"], "seed": 3});
    let table = api.create(new).await;
    let strengths = |game: &Value| {
        let seats = game["seats"].as_array().unwrap().iter();
        let level_and_simulations = |seat: &Value| json!([seat["level"], seat["simulations"]]);
        seats.map(level_and_simulations).collect::<Vec<_>>()
    };
    let expected = [json!([null, null]), json!(["expert", 30])];
    assert_eq!(strengths(&table.game), expected);
    assert_eq!(strengths(&table.play_to_the_end().await), expected);
    // A rematch keeps the number; an adjusted level has its default.
    for (kind, level) in [
        ("new", json!(["expert", 30])),
        ("easier", json!(["advanced", null])),
    ] {
        let created = table.send(0, "/rematch", &json!({"kind": kind})).await;
        let created: Value = created.json().await.unwrap();
        assert_eq!(strengths(&created)[1], level, "{kind}");
    }
    for row in [
        "expert:50001 | a computer makes at most 50000 simulations a decision here",
        "expert:0 | a seat is human, open or a level: \"0\" is not a number of simulations; an example: master:400",
        "human:3 | a seat is human, open or a level: there is no level called \"human\"; there are novice, random, book, \
         greedy, steady, advanced, expert, master, champion and perfect",
    ] {
        let (word, why) = row.split_once(" | ").unwrap();
        let new = json!({"game": "dice", "rules": "v1", "seats": ["human", word]});
        let refused = api.refused("/api/v1/games", &new, 422).await;
        assert_eq!(refused["detail"], why, "{word}");
    }
}

#[tokio::test]
async fn a_game_in_progress_cannot_be_reviewed() {
    let server = Server::start().await;
    let api = server.api();
    let new = json!({"game": "dice", "rules": "v1", "seats": ["human", "human"]});
    let table = api.create(new).await;
    let review = table.path("/review");
    let refused = api.refused(&review, &json!({}), 409).await;
    assert_eq!(refused["code"], "not-over");
    assert_eq!(
        refused["detail"],
        "the game is not finished: it is reviewed when it is over"
    );
}

/// The contract checks of all other tests depend on this: violations are detected.
#[test]
fn contract_violations_are_detected() {
    let contract = Contract::shared();
    let play = json!({"$ref": "#/components/schemas/Play"});
    assert_eq!(
        contract.mismatch(&play, &json!({"ply": 0, "path": null})),
        None
    );
    for wrong in [
        json!({"ply": 0}),
        json!({"ply": 0, "path": null, "cell": 1}),
        json!({"ply": 0, "path": [1]}),
        json!({"ply": 0, "path": null, "x": 1}),
    ] {
        assert!(contract.mismatch(&play, &wrong).is_some(), "{wrong}");
    }
}

/// The routes below /api/v1, from the source of the site.
fn api_routes() -> BTreeSet<String> {
    let routes = routes().into_iter().map(|(path, _)| path);
    routes.filter(|path| path.starts_with("/api/v1")).collect()
}

#[tokio::test]
async fn the_document_has_every_route_and_method() {
    let server = Server::start().await;
    let document = document(&server).await;
    let paths = document["paths"].as_object().unwrap();
    let documented = paths.keys().filter(|path| path.starts_with("/api/"));
    let documented: BTreeSet<String> = documented.cloned().collect();
    assert_eq!(api_routes(), documented);
    for path in &documented {
        for method in [
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ] {
            let name = method.as_str().to_lowercase();
            let url = server.url(&path.replace("{id}", "none"));
            let sent = server.api().client.request(method, url).send().await;
            let is_allowed = sent.unwrap().status() != StatusCode::METHOD_NOT_ALLOWED;
            let is_documented = paths[path].get(&name).is_some();
            assert_eq!(is_allowed, is_documented, "{name} {path}");
        }
    }
}
