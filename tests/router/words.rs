//! Misfits are told in the words of the house: no answer holds those of the libraries that read requests, and
//! fields that nobody knows are refused by name, in forms, too.

use crate::common::{Server, problem};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::json;

/// A browser with a game of its own, and the address of the game.
async fn at_a_table(server: &Server, game: &str) -> (Client, String) {
    let browser = Client::builder().cookie_store(true).build().unwrap();
    let form = [("game", game), ("seats", "human"), ("seats", "human")];
    let form = match game {
        "dice" => [&form[..], &[("rules", "v1")]].concat(),
        _ => form.to_vec(),
    };
    let made = browser.post(server.url("/games")).form(&form).send();
    let made = made.await.unwrap();
    assert_eq!(made.status(), 200, "it leads to the game");
    let path = made.url().path().to_owned();
    (browser, path)
}

async fn as_a_program(request: RequestBuilder) -> Response {
    request
        .header("accept", "application/json")
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn forms_refuse_fields_that_they_do_not_have() {
    let server = Server::start().await;
    for game in ["dice", "trilobite"] {
        let (browser, table) = at_a_table(&server, game).await;
        let own = match game {
            "dice" => ("pass", "1"),
            _ => ("column", "a"),
        };
        for (path, fields) in [
            ("/games", vec![("game", game)]),
            ("/games", vec![]),
            ("/settings", vec![("theme", "dark"), ("next", "/")]),
            ("/language", vec![("language", "en")]),
            ("{}/moves", vec![("ply", "0"), own]),
            ("{}/undo", vec![("ply", "0")]),
            ("{}/resign", vec![("ply", "0")]),
            ("{}/rematch", vec![("board", "same")]),
            (
                "{}/seats",
                vec![("player", "0"), ("do", "name"), ("name", "A")],
            ),
            ("{}/play-on", vec![("ply", "0"), ("seats", "human")]),
            ("{}/entropy", vec![("ply", "0"), ("words", "3 5 2 6")]),
        ] {
            let path = path.replace("{}", &table);
            let unknown = [&fields[..], &[("colour", "1")]].concat();
            let sent = as_a_program(browser.post(server.url(&path)).form(&unknown)).await;
            let refused = problem(sent, 422).await;
            assert_eq!(
                refused["detail"], "there is no field `colour` here",
                "{path} {fields:?}"
            );
        }
        let parts = "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n{}\r\n\
                     --x\r\nContent-Disposition: form-data; name=\"colour\"\r\n\r\n1\r\n--x--\r\n";
        let upload = browser.post(server.url("/upload")).body(parts);
        let upload = upload.header("content-type", "multipart/form-data; boundary=x");
        let refused = problem(as_a_program(upload).await, 422).await;
        assert_eq!(refused["detail"], "there is no field `colour` here");
    }
    // A field of another game is one of the form of new games, and none of a ply.
    let (browser, table) = at_a_table(&server, "dice").await;
    let other = browser.post(server.url(&format!("{table}/moves")));
    let other = other.form(&[("ply", "0"), ("column", "a")]);
    let refused = problem(as_a_program(other).await, 422).await;
    assert_eq!(refused["detail"], "there is no field `column` here");
    let form = [("game", "dice"), ("width", "8"), ("chips", "human")];
    let both = browser.post(server.url("/games")).form(&form);
    assert_eq!(as_a_program(both).await.status(), 200);
}

/// What the readers of JSON, queries, forms and paths say of their own accord, and what Rust calls its types.
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
    "expected",
    "variant",
    "struct",
    "at line",
    "buffer",
    "EOF",
    "utf-8",
];

/// So many of them stand on no page.
const OF_READERS: usize = 15;

async fn told_in_our_words(answer: Response, asked: &str) {
    let status = answer.status();
    assert!(!status.is_server_error(), "{asked}: {status}");
    if !status.is_client_error() {
        return;
    }
    let is_page = answer.headers()["content-type"] == "text/html; charset=utf-8";
    let text = answer.text().await.unwrap();
    // A page may well say that something is expected, and in which letters it is written.
    let most = if is_page { OF_READERS } else { FOREIGN.len() };
    for words in &FOREIGN[..most] {
        let around = text
            .find(words)
            .map(|at| &text[text.floor_char_boundary(at.saturating_sub(60))..]);
        let around: String = around.unwrap_or_default().chars().take(160).collect();
        assert!(!text.contains(words), "{asked}: {words:?} in {around}");
    }
}

/// Whatever is wrong with a body.
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
async fn no_answer_holds_the_words_of_a_library() {
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
                told_in_our_words(sent, &format!("{path} {body}")).await;
            }
        }
        let cut = api
            .client
            .post(server.url(path))
            .header("content-type", "application/json");
        let cut = cut.body(vec![0xff, 0xfe, b'{']).send().await.unwrap();
        told_in_our_words(cut, path).await;
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
        "/levels",
        "/settings",
    ] {
        for query in QUERIES {
            let read = as_a_program(api.client.get(server.url(&format!("{path}{query}")))).await;
            if read.status().is_client_error() {
                told_in_our_words(read, &format!("{path}{query}")).await;
            }
        }
    }
}

#[tokio::test]
async fn forms_that_cannot_be_read_are_told_in_our_words() {
    let server = Server::start().await;
    let (browser, table) = at_a_table(&server, "dice").await;
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
                let sent = browser.request(Method::POST, server.url(path)).body(body);
                let sent = as_a_program(sent.header("content-type", kind)).await;
                told_in_our_words(sent, &format!("{path} {body} {kind}")).await;
            }
        }
    }
}
