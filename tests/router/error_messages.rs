//! Error messages are in the program's own words: no response contains texts of the libraries that parse requests,
//! and unknown fields are rejected by name, in forms, too.

use crate::common::{Form, Person, Server, problem};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::json;

/// Somebody who has created a game, and the path of the game.
async fn person_with_game(server: &Server, game: &str) -> (Person, String) {
    let person = server.person();
    let rules = if game == "dice" { "&rules=v1" } else { "" };
    let form = format!("game={game}&seats=human&seats=human{rules}");
    let path = person.create(&form).await;
    (person, path)
}

async fn send_as_program(request: RequestBuilder) -> Response {
    request
        .header("accept", "application/json")
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn forms_reject_unknown_fields() {
    let server = Server::start().await;
    for game in ["dice", "trilobite"] {
        let (person, table) = person_with_game(&server, game).await;
        let own = match game {
            "dice" => "ply=0&pass=1",
            _ => "ply=0&column=a",
        };
        for (path, fields) in [
            ("/games", &*format!("game={game}")),
            ("/games", ""),
            ("/settings", "theme=dark&next=/"),
            ("/language", "language=en"),
            ("{}/moves", own),
            ("{}/undo", "ply=0"),
            ("{}/resign", "ply=0"),
            ("{}/rematch", "board=same"),
            ("{}/seats", "player=0&do=name&name=A"),
            ("{}/play-on", "ply=0&seats=human"),
            ("{}/entropy", "ply=0&words=3+5+2+6"),
        ] {
            let path = path.replace("{}", &table);
            let unknown = format!("{fields}&colour=1");
            let unknown = unknown.fill(person.request(Method::POST, &path));
            let sent = send_as_program(unknown).await;
            let refused = problem(sent, 422).await;
            assert_eq!(
                refused["detail"], "there is no field `colour` here",
                "{path} {fields}"
            );
        }
        let parts = "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n{}\r\n\
                     --x\r\nContent-Disposition: form-data; name=\"colour\"\r\n\r\n1\r\n--x--\r\n";
        let upload = person.request(Method::POST, "/upload").body(parts);
        let upload = upload.header("content-type", "multipart/form-data; boundary=x");
        let refused = problem(send_as_program(upload).await, 422).await;
        assert_eq!(refused["detail"], "there is no field `colour` here");
    }
    // The form of new games accepts fields of other games; the form of a ply does not.
    let (person, table) = person_with_game(&server, "dice").await;
    let other = person.request(Method::POST, &format!("{table}/moves"));
    let other = other.form(&[("ply", "0"), ("column", "a")]);
    let refused = problem(send_as_program(other).await, 422).await;
    assert_eq!(refused["detail"], "there is no field `column` here");
    let form = [("game", "dice"), ("width", "8"), ("chips", "human")];
    let both = person.request(Method::POST, "/games").form(&form);
    assert_eq!(send_as_program(both).await.status(), 303);
}

/// Texts of the parsers of JSON, queries, forms and paths, and names of Rust types.
const FOREIGN: [&str; 22] = [
    "deserialize",
    "invalid type",
    "invalid value",
    "invalid length",
    "unknown field",
    "missing field",
    "duplicate field",
    "unknown variant",
    "serde",
    "axum",
    "found in string",
    "u32",
    "u64",
    "i64",
    "usize",
    ", expected ",
    "variant",
    "struct",
    "at line",
    "buffer",
    "EOF",
    "utf-8",
];

/// The number of leading entries of [`FOREIGN`] that must not occur on pages either.
const FOREIGN_ON_PAGES: usize = 15;

async fn check_response_text(answer: Response, request: &str) {
    let status = answer.status();
    assert!(!status.is_server_error(), "{request}: {status}");
    if !status.is_client_error() {
        return;
    }
    let is_page = answer.headers()["content-type"] == "text/html; charset=utf-8";
    let text = answer.text().await.unwrap();
    // Pages may contain words such as “variant” or “UTF-8”.
    let count = if is_page {
        FOREIGN_ON_PAGES
    } else {
        FOREIGN.len()
    };
    for foreign in &FOREIGN[..count] {
        let around = text
            .find(foreign)
            .map(|at| &text[text.floor_char_boundary(at.saturating_sub(60))..]);
        let around: String = around.unwrap_or_default().chars().take(160).collect();
        assert!(
            !text.contains(foreign),
            "{request}: {foreign:?} in {around}"
        );
    }
}

/// Malformed and invalid request bodies.
const BODIES: [&str; 30] = [
    "",
    "{",
    "nonsense",
    "null",
    "7",
    "[]",
    "\"x\"",
    "{}{}",
    "{\"a\":1e999}",
    "\u{feff}{}",
    r#"{"game":"dice","game":"dice"}"#,
    r#"{"game":7}"#,
    r#"{"game":"dice","seats":"human"}"#,
    r#"{"game":"dice","seats":[7]}"#,
    r#"{"game":"dice","pace":"slow"}"#,
    r#"{"game":"dice","seed":-1}"#,
    r#"{"game":"dice","start":{"board":[[0,1,2]]}}"#,
    r#"{"game":"dice","start":{"board":7}}"#,
    r#"{"game":"trilobite","width":300}"#,
    r#"{"ply":"0"}"#,
    r#"{"ply":0,"path":[0,1,2]}"#,
    r#"{"ply":0,"path":{}}"#,
    r#"{"ply":4294967296}"#,
    r#"{"ply":1.5}"#,
    r#"{"kind":7}"#,
    r#"{"position":{"game":"trilobite","columns":7},"search":"minimax"}"#,
    r#"{"position":{"game":"dice","board":[[0]],"player":0,"spare":0,"first_move":true},"search":"book","depth":1}"#,
    r#"{"position":"trilobite","level":null,"nodes":"many"}"#,
    r#"{"invite":7}"#,
    r#"{"entropy":[],"ply":0}"#,
];

const QUERIES: [&str; 16] = [
    "?ply=x",
    "?ply=-1",
    "?ply=99999999999",
    "?ply=1&ply=2",
    "?ply=",
    "?wait=1.5",
    "?nonsense",
    "?%FF=%FF",
    "?of=%00",
    "?limit=x",
    "?over=perhaps",
    "?after=%20",
    "?game=%C3",
    "?from=x",
    "?player=x",
    "?rolls=7",
];

#[tokio::test]
async fn no_response_contains_texts_of_libraries() {
    let server = Server::start().await;
    let api = server.api();
    let table = api
        .create(json!({"game": "dice", "seats": ["human", "human", "human", "human"]}))
        .await;
    let game = table.path("");
    for path in [
        "/api/v1/games",
        "/api/v1/rate",
        "/api/v1/choose",
        "/api/v1/solve",
        "/api/v1/records",
        &format!("{game}/moves"),
        &format!("{game}/undo"),
        &format!("{game}/entropy"),
        &format!("{game}/resign"),
        &format!("{game}/join"),
        &format!("{game}/rematch"),
        &format!("{game}/step"),
        &format!("{game}/play-on"),
        &format!("{game}/review"),
    ] {
        for body in BODIES {
            for kind in ["application/json", "text/plain"] {
                let sent = api
                    .client
                    .post(server.url(path))
                    .bearer_auth(table.token(0));
                let sent = sent
                    .header("content-type", kind)
                    .body(body)
                    .send()
                    .await
                    .unwrap();
                check_response_text(sent, &format!("{path} {body}")).await;
            }
        }
        let invalid_utf8 = api
            .client
            .post(server.url(path))
            .header("content-type", "application/json");
        let invalid_utf8 = invalid_utf8
            .body(vec![0xff, 0xfe, b'{'])
            .send()
            .await
            .unwrap();
        check_response_text(invalid_utf8, path).await;
    }
    for path in [
        "/api/v1/games",
        "/api/v1/games.ndjson",
        "/api/v1/levels",
        &game,
        &format!("{game}/moves"),
        &format!("{game}/record"),
        &format!("{game}/hint"),
        &format!("{game}/review"),
        "/api/v1/games/%FF",
        "/api/v1/games/%FF/moves",
        "/api/v1/games/x/record",
        &format!("/g/{}/review", table.id),
        &format!("/g/{}/board.svg", table.id),
        &format!("/g/{}/dice", table.id),
        &format!("/g/{}/embed", table.id),
        &format!("/g/{}/x", table.id),
        "/g/%FF/%FF",
        "/analysis",
        "/game.html",
        "/join/%FF",
        "/dice",
        "/learn",
        "/daily",
        "/puzzles",
        "/levels",
        "/settings",
    ] {
        for query in QUERIES {
            let read = send_as_program(api.client.get(server.url(&format!("{path}{query}")))).await;
            if read.status().is_client_error() {
                check_response_text(read, &format!("{path}{query}")).await;
            }
        }
    }
}

#[tokio::test]
async fn malformed_forms_get_readable_errors() {
    let server = Server::start().await;
    let (person, table) = person_with_game(&server, "dice").await;
    for path in [
        "/games",
        "/settings",
        "/language",
        "/upload",
        &format!("{table}/moves"),
        &format!("{table}/undo"),
        &format!("{table}/resign"),
        &format!("{table}/rematch"),
        &format!("{table}/seats"),
        &format!("{table}/play-on"),
        &format!("{table}/entropy"),
        "/join/x",
    ] {
        for body in [
            "",
            "ply",
            "ply=x",
            "ply=-1",
            "ply=1&ply=2",
            "%FF=%FF",
            "player=x&do=name",
            "player=300&do=name",
            "player=0&do=x",
            "player=0",
            "from=x&to=y&ply=0",
            "ply=0&from=999&to=0",
            "seed=x",
            "game=chess",
            "size=x",
            "board=x",
            "opponents=x",
            "ply=0&words=",
            "name=%00",
        ] {
            for kind in [
                "application/x-www-form-urlencoded",
                "application/json",
                "multipart/form-data",
            ] {
                let sent = person.request(Method::POST, path).body(body);
                let sent = send_as_program(sent.header("content-type", kind)).await;
                check_response_text(sent, &format!("{path} {body} {kind}")).await;
            }
        }
    }
}
