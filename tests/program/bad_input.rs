//! Bad input: pages respond with one sentence, the API with a problem document, every response has its headers,
//! nothing changes, no secret is revealed, and no garbage leads to a 5xx.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::common::{HANG, Program, Server, check_headers, likely, number, problem};
use dice_of_doom::client_network::LoopbackPolicy;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, redirect};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

/// A response read from the socket.
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: String,
}

impl Answer {
    fn content_type(&self) -> &str {
        self.headers
            .get("content-type")
            .map_or("", |kind| kind.to_str().unwrap())
    }

    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

/// Sends bytes unchanged and reads to the end; `None` when there is no response.
/// Sends a request, waits this long for the beginning of the answer, and then ends the sending side: whoever does so at
/// once counts as disconnected.
async fn send(address: &str, bytes: &[u8], patience: Duration) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The server may have rejected the request and closed the connection before all was written.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(patience, stream.read_buf(&mut answer)).await;
    let _ = stream.shutdown().await;
    let read = stream.read_to_end(&mut answer);
    let _ = tokio::time::timeout(HANG, read)
        .await
        .expect("the server hangs");
    let text = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_str(value).unwrap());
    }
    Some(Answer {
        status,
        headers,
        body: body.to_owned(),
    })
}

/// A request, and the expected response.
struct Row {
    what: &'static str,
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Option<(&'static str, String)>,
    status: u16,
}

impl Row {
    fn new(what: &'static str, method: &'static str, path: impl Into<String>, status: u16) -> Self {
        Row {
            what,
            method,
            path: path.into(),
            headers: Vec::new(),
            body: None,
            status,
        }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    fn body(mut self, kind: &'static str, body: impl Into<String>) -> Self {
        self.body = Some((kind, body.into()));
        self
    }

    fn bytes(&self, address: &str) -> Vec<u8> {
        let mut text = format!(
            "{} {} HTTP/1.1\r\nConnection: close\r\n",
            self.method, self.path
        );
        if !self
            .headers
            .iter()
            .any(|(name, _)| *name == "host" || *name == "no-host")
        {
            text += &format!("host: {address}\r\n");
        }
        for (name, value) in self.headers.iter().filter(|(name, _)| *name != "no-host") {
            text += &format!("{name}: {value}\r\n");
        }
        if let Some((kind, body)) = &self.body {
            if !kind.is_empty() {
                text += &format!("content-type: {kind}\r\n");
            }
            text += &format!("content-length: {}\r\n\r\n{body}", body.len());
        } else {
            text += "\r\n";
        }
        text.into_bytes()
    }
}

/// Requests that are bad for any path, of a page or of the API.
fn bad_for_any_path(path: &str) -> Vec<Row> {
    vec![
        Row::new("no host", "GET", path, 400).with("no-host", ""),
        Row::new("two hosts", "GET", path, 400)
            .with("host", "localhost")
            .with("host", "127.0.0.1"),
        Row::new("a foreign host", "GET", path, 421).with("host", "evil.example"),
        Row::new("a rebound host", "GET", path, 421).with("host", "localhost.evil.example:80"),
        Row::new("a host with a user", "GET", path, 400).with("host", "a@localhost"),
        Row::new("a wrong method", "DELETE", path, 405),
        Row::new("a wrong method", "PATCH", path, 405).body(JSON, "{}"),
        Row::new("a cross-site post", "POST", path, 403)
            .with("sec-fetch-site", "cross-site")
            .body(FORM, ""),
        Row::new("a same-site post", "POST", path, 403)
            .with("sec-fetch-site", "same-site")
            .body(FORM, ""),
        Row::new("a foreign origin", "POST", path, 403)
            .with("origin", "http://evil.example")
            .body(FORM, ""),
        Row::new("the origin null", "POST", path, 403)
            .with("origin", "null")
            .body(FORM, ""),
        Row::new("two origins", "POST", path, 403)
            .with("origin", "null")
            .with("origin", "null")
            .body(FORM, ""),
        Row::new("a large body", "POST", path, 413).body(FORM, "x".repeat(65 * 1024)),
        Row::new("long headers", "GET", path, 431).with("x-long", "x".repeat(40_000)),
        Row::new(
            "nothing here",
            "GET",
            format!("{path}/%E2%98%83/nothing"),
            404,
        ),
    ]
}

#[tokio::test]
async fn bad_requests_for_pages_are_refused() {
    let server = Server::start().await;
    let address = server.address.to_string();
    let client = Client::builder()
        .cookie_store(true)
        .redirect(redirect::Policy::none())
        .build()
        .unwrap();
    let made = client
        .post(server.url("/games"))
        .form(&[("rules", "v4"), ("seed", "7")])
        .send()
        .await
        .unwrap();
    assert_eq!(made.status(), 303);
    let cookie = made.headers()["set-cookie"]
        .to_str()
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let game = made.headers()["location"].to_str().unwrap().to_owned();
    let (moves, resign) = (format!("{game}/moves"), format!("{game}/resign"));
    let mine = |row: Row| row.with("cookie", cookie.clone());
    let foreign = "dod=AAAAAAAAAAAAAAAAAAAAAA";
    let mut rows = bad_for_any_path("/games");
    rows.extend([
        Row::new("unknown game", "GET", "/g/00000000", 404),
        Row::new("no id at all", "GET", "/g/x", 404),
        Row::new("an id of bytes", "GET", "/g/%FF%00", 400),
        Row::new("a dotted id", "GET", "/g/..%2f..%2fetc", 404),
        Row::new("unknown ply", "GET", format!("{game}/9"), 404),
        Row::new("no ply at all", "GET", format!("{game}/-1"), 404),
        Row::new("a huge ply", "GET", format!("{game}/99999999999"), 404),
        Row::new("unknown asset", "GET", "/assets/nothing.css", 404),
        Row::new(
            "unknown asset of another build",
            "GET",
            "/assets/0000000000000000/nothing.css",
            404,
        ),
        Row::new("unknown game's log", "GET", "/g/00000000/log", 404),
        Row::new(
            "unknown game's record",
            "GET",
            "/g/00000000/record.json",
            404,
        ),
        Row::new("unknown game's events", "GET", "/g/00000000/events", 404),
        Row::new(
            "events from a word",
            "GET",
            format!("{game}/events?from=x"),
            400,
        ),
        Row::new(
            "events from below",
            "GET",
            format!("{game}/events?from=-1"),
            400,
        ),
        Row::new(
            "events from nowhere",
            "GET",
            format!("{game}/events?from="),
            400,
        ),
        Row::new(
            "events of another kind",
            "GET",
            format!("{game}/events?kind=ply"),
            400,
        ),
        Row::new("events after a word", "GET", format!("{game}/events"), 400)
            .with("last-event-id", "last"),
        Row::new("posted events", "POST", format!("{game}/events"), 405).body(FORM, ""),
        Row::new("a selection of words", "GET", format!("{game}?from=x"), 400),
        Row::new(
            "a selection too large",
            "GET",
            format!("{game}?from=256"),
            400,
        ),
        mine(Row::new(
            "a selection off the board",
            "GET",
            format!("{game}?from=200"),
            422,
        )),
        Row::new("a move without cookie", "POST", &moves, 401).body(FORM, "ply=0&pass=1"),
        Row::new("a move with another's cookie", "POST", &moves, 403)
            .with("cookie", foreign)
            .body(FORM, "ply=0&pass=1"),
        Row::new("a move with nonsense for a cookie", "POST", &moves, 401)
            .with("cookie", "dod=nonsense")
            .body(FORM, "ply=0&pass=1"),
        mine(Row::new("a move as JSON", "POST", &moves, 415).body(JSON, "{}")),
        mine(Row::new("a move of no type", "POST", &moves, 415).body("", "ply=0&pass=1")),
        mine(Row::new("an empty move", "POST", &moves, 422).body(FORM, "")),
        mine(Row::new("a move without ply", "POST", &moves, 422).body(FORM, "pass=1")),
        mine(Row::new("half a move", "POST", &moves, 422).body(FORM, "ply=0&from=3")),
        mine(
            Row::new("a move both ways", "POST", &moves, 422)
                .body(FORM, "ply=0&from=3&to=4&pass=1"),
        ),
        mine(
            Row::new("a move off the board", "POST", &moves, 422).body(FORM, "ply=0&from=3&to=77"),
        ),
        mine(
            Row::new("a number out of range", "POST", &moves, 422)
                .body(FORM, "ply=0&from=3&to=300"),
        ),
        mine(Row::new("a ply twice", "POST", &moves, 422).body(FORM, "ply=0&ply=0&pass=1")),
        mine(Row::new("an early pass", "POST", &moves, 422).body(FORM, "ply=0&pass=1")),
        mine(Row::new("an attack on oneself", "POST", &moves, 422).body(FORM, "ply=0&from=3&to=3")),
        mine(Row::new("a ply to come", "POST", &moves, 409).body(FORM, "ply=7&pass=1")),
        mine(
            Row::new(
                "a move in an unknown game",
                "POST",
                "/g/00000000/moves",
                404,
            )
            .body(FORM, "ply=0&pass=1"),
        ),
        Row::new("resigning without cookie", "POST", &resign, 401).body(FORM, "ply=0"),
        Row::new("resigning for another", "POST", &resign, 403)
            .with("cookie", foreign)
            .body(FORM, "ply=0"),
        mine(Row::new("resigning another ply", "POST", &resign, 409).body(FORM, "ply=3")),
        mine(Row::new("resigning without ply", "POST", &resign, 422).body(FORM, "")),
        Row::new(
            "a rematch of others",
            "POST",
            format!("{game}/rematch"),
            403,
        )
        .with("cookie", foreign)
        .body(FORM, ""),
        Row::new("a game as JSON", "POST", "/games", 415).body(JSON, "{}"),
        Row::new("unknown rules", "POST", "/games", 422).body(FORM, "rules=v9"),
        Row::new("unknown game's name", "POST", "/games", 422).body(FORM, "game=chess"),
        Row::new("a large board", "POST", "/games", 422).body(FORM, "size=9"),
        Row::new("a huge board", "POST", "/games", 422).body(FORM, "size=999999999999"),
        Row::new("too many players", "POST", "/games", 422).body(FORM, "players=6&size=2"),
        Row::new("no players", "POST", "/games", 422).body(FORM, "players=0"),
        Row::new("unknown level", "POST", "/games", 422).body(FORM, "seats=deep+blue"),
        Row::new("a seed of words", "POST", "/games", 422).body(FORM, "seed=%3Cscript%3E"),
        Row::new(
            "an invalid choice on the book's page",
            "GET",
            "/game.html?chosen=%3Cscript%3E",
            400,
        ),
        Row::new(
            "the book's page from elsewhere",
            "GET",
            "/game.html?chosen=1",
            403,
        )
        .with("sec-fetch-site", "cross-site"),
        Row::new(
            "the book's page fetched ahead",
            "GET",
            "/game.html?chosen=1",
            503,
        )
        .with("sec-purpose", "prefetch"),
    ]);
    let before = server
        .service
        .snapshot(&game[3..].parse().unwrap())
        .await
        .unwrap()
        .version();
    let mut wrong = Vec::new();
    for row in &rows {
        let answer = send(&address, &row.bytes(&address), HANG)
            .await
            .unwrap_or_else(|| panic!("{}: no answer", row.what));
        if answer.status != row.status {
            wrong.push(format!(
                "{} ({} {}): {} instead of {}",
                row.what, row.method, row.path, answer.status, row.status
            ));
            continue;
        }
        if answer.status == 431 {
            continue;
        }
        check_headers(&answer.headers, row.what);
        assert!(
            answer.content_type().starts_with("text/html"),
            "{}: {}",
            row.what,
            answer.content_type()
        );
        assert!(
            answer.body.contains("<h1") && answer.body.contains("</html>"),
            "{}: {}",
            row.what,
            answer.body
        );
        assert!(!answer.body.contains("<script>"), "{}", row.what);
        assert!(
            answer.status != 405 || !answer.header("allow").is_empty(),
            "{}",
            row.what
        );
        assert!(
            answer.header("set-cookie").is_empty(),
            "{}: {:?}",
            row.what,
            answer.headers
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let after = server
        .service
        .snapshot(&game[3..].parse().unwrap())
        .await
        .unwrap()
        .version();
    assert_eq!(before, after, "something changed");
}

#[tokio::test]
async fn bad_requests_for_the_api_are_refused() {
    let server = Server::start().await;
    let address = server.address.to_string();
    let api = server.api();
    let table = api.create(json!({"game": "dice", "seed": 7})).await;
    let other = api.create(json!({"game": "dice", "seed": 8})).await;
    let moves = table.path("/moves");
    let bearer = |token: &str| format!("Bearer {token}");
    let mine = |row: Row| row.with("authorization", bearer(table.token(0)));
    let pass = r#"{"ply":0,"path":null}"#;
    let mut rows = bad_for_any_path("/api/v1/games");
    rows.retain(|row| row.what != "nothing here");
    rows.extend([
        Row::new("nothing here", "GET", "/api/v1/nothing", 404),
        Row::new("a page's path", "GET", "/api/v1/g/0", 404),
        Row::new("no token", "POST", &moves, 401).body(JSON, pass),
        Row::new("basic instead", "POST", &moves, 401)
            .with("authorization", "Basic YTpi")
            .body(JSON, pass),
        Row::new("another's token", "POST", &moves, 403)
            .with("authorization", bearer(other.token(0)))
            .body(JSON, pass),
        Row::new("unknown game", "GET", "/api/v1/games/00000000", 404),
        Row::new(
            "unknown game's events",
            "GET",
            "/api/v1/games/00000000/events",
            404,
        ),
        Row::new(
            "events from a word",
            "GET",
            table.path("/events?from=x"),
            400,
        ),
        Row::new(
            "events after less than nothing",
            "GET",
            table.path("/events"),
            400,
        )
        .with("last-event-id", "-1"),
        mine(Row::new("a ply to come", "POST", &moves, 409).body(JSON, r#"{"ply":4,"path":null}"#)),
        mine(Row::new("no JSON", "POST", &moves, 400).body(JSON, "{\"ply\":NaN}")),
        mine(Row::new("a form", "POST", &moves, 415).body(FORM, "ply=0&pass=1")),
        mine(Row::new("an early pass", "POST", &moves, 422).body(JSON, pass)),
        mine(
            Row::new("a field twice", "POST", &moves, 422)
                .body(JSON, r#"{"ply":0,"ply":1,"path":null}"#),
        ),
        mine(
            Row::new("an unknown field", "POST", &moves, 422)
                .body(JSON, r#"{"ply":0,"path":null,"seed":1}"#),
        ),
        mine(Row::new("1e400", "POST", &moves, 400).body(JSON, r#"{"ply":1e400,"path":null}"#)),
        mine(Row::new("a large ply", "POST", &moves, 409).body(JSON, r#"{"ply":1e3,"path":null}"#)),
    ]);
    for row in &rows {
        let answer = send(&address, &row.bytes(&address), HANG)
            .await
            .unwrap_or_else(|| panic!("{}: no answer", row.what));
        assert_eq!(answer.status, row.status, "{}: {}", row.what, answer.body);
        if answer.status == 431 {
            continue;
        }
        check_headers(&answer.headers, row.what);
        assert_eq!(
            answer.content_type(),
            "application/problem+json",
            "{}",
            row.what
        );
        let problem: Value = serde_json::from_str(&answer.body)
            .unwrap_or_else(|error| panic!("{}: {error}", row.what));
        assert_eq!(problem["status"], row.status, "{}", row.what);
        assert!(
            answer.status != 409 || problem["ply"] == 0,
            "{}: {problem}",
            row.what
        );
        assert!(
            answer.status != 405 || !answer.header("allow").is_empty(),
            "{}",
            row.what
        );
    }
    assert_eq!(table.state().await["ply"], 0);
}

#[tokio::test]
async fn deep_json_is_refused() {
    let server = Server::start().await;
    let address = server.address.to_string();
    for deep in [
        "[".repeat(60_000),
        "{\"a\":".repeat(12_000),
        format!("{}1{}", "[".repeat(30_000), "]".repeat(30_000)),
    ] {
        let row = Row::new("deep", "POST", "/api/v1/games", 0).body(JSON, deep);
        let answer = send(&address, &row.bytes(&address), HANG).await.unwrap();
        assert!([400, 422].contains(&answer.status), "{}", answer.body);
    }
}

#[tokio::test]
async fn too_many_requests_are_429_with_retry_after() {
    let server = Server::with(|config| config.loopback = LoopbackPolicy::Limited).await;
    let api = server.api();
    for (path, body) in [
        ("/api/v1/games", json!({"game": "dice"})),
        ("/api/v1/games/00000000/moves", json!({})),
    ] {
        let mut last = api.post(path, &body).await;
        for _ in 0..4 {
            last = api.post(path, &body).await;
        }
        let wait: u64 = last.headers()["retry-after"]
            .to_str()
            .unwrap()
            .parse()
            .unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        check_headers(last.headers(), path);
        problem(last, 429).await;
    }
    let page = api
        .client
        .post(server.url("/games"))
        .form(&[("rules", "v4")])
        .send()
        .await
        .unwrap();
    assert_eq!(page.status(), 429);
    assert!(page.headers().contains_key("retry-after"));
    assert!(page.text().await.unwrap().contains("Take a breath"));
    assert_eq!(api.get("/").await.status(), 200, "reads are not limited");
}

#[tokio::test]
async fn every_page_has_its_headers() {
    let server = Server::start().await;
    let api = server.api();
    let table = api.create(json!({"game": "dice", "seed": 7})).await;
    for path in [
        "/",
        "/me",
        "/rules",
        "/levels",
        "/api",
        "/openapi.json",
        "/game.html",
        "/healthz",
        "/readyz",
        "/nothing",
        "/g/ID",
        "/g/ID/0",
        "/g/ID/log",
        "/g/ID/board.svg",
        "/g/ID/board.png?ply=0",
        "/g/ID/record.json",
        "/g/ID/events",
        "/api/v1/games/ID",
        "/api/v1/games/ID/moves",
        "/api/v1/games/ID/record",
        "/api/v1/games/ID/events",
    ] {
        let path = path.replace("ID", &table.id);
        let answer = api.get(&path).await;
        assert_eq!(
            answer.status(),
            if path == "/nothing" { 404 } else { 200 },
            "{path}"
        );
        check_headers(answer.headers(), &path);
    }
    let head = api.client.head(server.url("/")).send().await.unwrap();
    assert_eq!(head.status(), 200);
    check_headers(head.headers(), "HEAD /");
}

/// Collects all secrets of some games, and everything that is public about them.
#[tokio::test]
async fn no_response_contains_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let program = Program::start_with("memory:", &log, &[("RUST_LOG", "trace")]);
    let api = program.api();
    let seats = ["human", "random", "human", "random"];
    let table = api
        .create(json!({"game": "dice", "seats": seats, "seed": 7}))
        .await;
    let mut secrets: BTreeSet<String> = table.tokens.iter().flatten().cloned().collect();
    assert_eq!(secrets.len(), 2);

    let client = Client::builder()
        .cookie_store(true)
        .redirect(redirect::Policy::none())
        .timeout(HANG)
        .build()
        .unwrap();
    let url = |path: &str| format!("{}{path}", program.url);
    let made = client
        .post(url("/games"))
        .form(&[("rules", "v4"), ("seed", "7")])
        .send()
        .await
        .unwrap();
    let page = made.headers()["location"].to_str().unwrap().to_owned();
    let book = client.get(url("/game.html")).send().await.unwrap();
    for response in [&made, &book] {
        let cookies = response.headers().get_all("set-cookie").iter();
        let mut cookies = cookies.map(|cookie| cookie.to_str().unwrap());
        // The number of a deal is not a secret.
        let cookie = cookies.find(|cookie| !cookie.starts_with("dod_deal="));
        let cookie = cookie.unwrap();
        let value = cookie.split(['=', ';']).nth(1).unwrap();
        assert!(value.len() >= 20, "{cookie}");
        secrets.insert(value.to_owned());
    }
    assert_eq!(secrets.len(), 4);

    let now = table.settled().await;
    let path = likely(&table.moves().await);
    let mut responses = vec![
        table
            .play(number(&now["player"]) as usize, number(&now["ply"]), &path)
            .await
            .to_string(),
    ];
    for path in [
        "/",
        "/games",
        "/game.html",
        "/game.html?chosen=NIL",
        "/game.html?chosen=pass&ply=9",
        "/openapi.json",
        "/g/API",
        "/g/API/0",
        "/g/API/log",
        "/g/API/record.json",
        "/g/API/board.svg",
        "/g/API/embed",
        "/g/API/film",
        "/g/API/99",
        "/api/v1/games/API",
        "/api/v1/games/API/record",
        "/api/v1/games/API/moves",
        "PAGE",
        "PAGE/0",
        "PAGE/log",
        "PAGE/record.json",
        "PAGE?from=77",
        "/nothing",
    ] {
        let path = path.replace("API", &table.id).replace("PAGE", &page);
        let answer = client.get(url(&path)).send().await.unwrap();
        let headers = format!("{:?}", answer.headers());
        responses.push(format!(
            "{path}: {headers} {}",
            answer.text().await.unwrap()
        ));
    }
    // Error responses, with the secret in the request.
    for token in table.tokens.iter().flatten() {
        let body = json!({"ply": 77, "path": null});
        responses.push(
            api.post_as(token, &table.path("/moves"), &body)
                .await
                .text()
                .await
                .unwrap(),
        );
        responses.push(
            api.post_as(token, "/api/v1/games/00000000/moves", &body)
                .await
                .text()
                .await
                .unwrap(),
        );
        responses.push(
            api.post_as(token, &table.path("/resign"), &json!({"ply": 77}))
                .await
                .text()
                .await
                .unwrap(),
        );
    }
    responses.push(
        client
            .post(url(&format!("{page}/moves")))
            .form(&[("ply", "0"), ("pass", "1")])
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap(),
    );
    responses.push(
        client
            .post(url(&format!("{page}/rematch")))
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap(),
    );
    let log = program.log();
    assert!(
        log.contains("DEBUG") || log.contains("TRACE"),
        "the log is awake: {log}"
    );
    responses.push(log);
    for text in &responses {
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "{secret} in {text}");
        }
    }
}

#[tokio::test]
async fn future_dice_are_never_revealed() {
    let server = Server::start().await;
    let api = server.api();
    let table = api.create(json!({"game": "dice", "rules": "v4", "seats": ["human", "human", "human", "human"], "seed": 7})).await;
    let path = likely(&table.moves().await);
    table.play(0, 0, &path).await;
    let stored = server
        .service
        .store()
        .load(&table.id.parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    let seed = stored.header.dice.as_ref().unwrap().seed.as_bytes();
    let hex: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
    let list = serde_json::to_string(&seed.to_vec()).unwrap();
    let start = &list[1..list.len() / 2];
    for path in [
        "/api/v1/games/ID",
        "/api/v1/games/ID/record",
        "/g/ID",
        "/g/ID/log",
        "/g/ID/record.json",
        "/g/ID/board.svg",
    ] {
        let text = api
            .get(&path.replace("ID", &table.id))
            .await
            .text()
            .await
            .unwrap();
        assert!(
            !text.to_lowercase().contains(&hex[..16]) && !text.contains(start),
            "{path}"
        );
    }
    assert!(
        !format!("{stored:?}").contains(start),
        "not in debug output"
    );
}

#[tokio::test]
async fn a_player_hardly_notices_four_hundred_slow_clients() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start("memory:", &folder.path().join("log"));
    let address = program.address();
    let table = program
        .api()
        .create(
            json!({"game": "dice", "rules": "v4", "size": 5, "players": 2,
        "seats": ["human", "human"], "seed": 7}),
        )
        .await;
    let head = "POST /api/v1/games HTTP/1.1\r\nHost: localhost\r\n";
    let mut slow = Vec::new();
    for client in 0..400 {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        let part = match client % 3 {
            0 => "GET / HT".to_owned(),
            1 => head.to_owned(),
            _ => format!("{head}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{{"),
        };
        stream.write_all(part.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let mut took = Vec::new();
    for _ in 0..50 {
        let begin = Instant::now();
        let now = table.state().await;
        took.push(begin.elapsed());
        let Some(player) = now["player"].as_u64() else {
            break;
        };
        let begin = Instant::now();
        let moves = table.moves().await;
        took.push(begin.elapsed());
        let begin = Instant::now();
        table
            .play(player as usize, number(&now["ply"]), &likely(&moves))
            .await;
        took.push(begin.elapsed());
    }
    took.sort();
    let nearly_all = took[took.len() * 95 / 100];
    assert!(
        nearly_all < Duration::from_millis(100),
        "{nearly_all:?} of {took:?}"
    );
    drop(slow);
}

/// Almost valid requests, so that garbage passes the first checks.
fn garbage(rng: &mut ChaCha8Rng, id: &str, token: &str) -> Vec<u8> {
    fn pick<'a>(rng: &mut ChaCha8Rng, from: &[&'a str]) -> &'a str {
        from[rng.next_u32() as usize % from.len()]
    }
    let method = pick(
        rng,
        &[
            "GET", "GET", "POST", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE",
            "G\u{0}T", "PRI",
        ],
    );
    let path = pick(
        rng,
        &[
            "/",
            "/games",
            "/game.html?chosen=X&ply=Y",
            "/game.html?chosen=NIL",
            "/g/ID",
            "/g/ID?from=X&to=Y",
            "/g/ID/X",
            "/g/ID/moves",
            "/g/ID/resign",
            "/g/ID/rematch",
            "/g/ID/log",
            "/g/ID/events?from=-X",
            "/api/v1/games",
            "/api/v1/games/ID",
            "/api/v1/games/ID?ply=X",
            "/api/v1/games/ID/moves",
            "/api/v1/games/ID/resign",
            "/api/v1/games/ID/record",
            "/openapi.json",
            "/assets/X",
            "/X",
            "/%",
            "//",
            "/g/%00",
            "*",
            "http://evil.example/",
            "",
        ],
    );
    let word = |rng: &mut ChaCha8Rng| -> String {
        match rng.next_u32() % 6 {
            0 => (rng.next_u32() % 30).to_string(),
            1 => rng.next_u64().to_string(),
            2 => "-1".to_owned(),
            3 => "%ff%fe".to_owned(),
            4 => "\u{202e}<script>".to_owned(),
            _ => (0..rng.next_u32() % 40)
                .map(|_| char::from(b'!' + (rng.next_u32() % 94) as u8))
                .collect(),
        }
    };
    let path = path
        .replace("ID", id)
        .replace('X', &word(rng))
        .replace('Y', &word(rng));
    let mut body = match rng.next_u32() % 7 {
        0 => String::new(),
        1 => format!("ply={}&from={}&to={}", word(rng), word(rng), word(rng)),
        2 => format!(
            "{{\"ply\":{},\"path\":[{},{}]}}",
            rng.next_u32() % 3,
            word(rng),
            word(rng)
        ),
        3 => format!(
            "{{\"game\":\"dice\",\"size\":{},\"players\":{},\"seed\":{}}}",
            rng.next_u32() % 10,
            rng.next_u32() % 8,
            word(rng)
        ),
        4 => format!(
            "{{\"game\":\"dice\",\"rules\":\"v1\",\"start\":{{\"board\":[[{},1],[0,{}],[1,2],[1,1]],\"player\":{},\"spare\":{},\"first_move\":true}}}}",
            rng.next_u32() % 3,
            rng.next_u32() % 5,
            rng.next_u32() % 3,
            rng.next_u32() % 70_000
        ),
        5 => format!(
            "rules={}&size={}&seats={}&seats=human",
            word(rng),
            rng.next_u32() % 12,
            word(rng)
        ),
        _ => (0..rng.next_u32() % 300)
            .map(|_| char::from((rng.next_u32() % 128) as u8))
            .collect(),
    };
    if rng.next_u32().is_multiple_of(5) && !body.is_empty() {
        let mut end = rng.next_u32() as usize % body.len();
        while !body.is_char_boundary(end) {
            end -= 1;
        }
        body.truncate(end);
    }
    let kind = pick(
        rng,
        &[
            FORM,
            JSON,
            JSON,
            "text/plain",
            "multipart/form-data; boundary=x",
            "application/json; charset=\u{ff}",
        ],
    );
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    match rng.next_u32() % 4 {
        0 => text += &format!("Authorization: Bearer {token}\r\n"),
        1 => text += &format!("Authorization: {}\r\n", word(rng)),
        2 => {
            text += &format!(
                "Cookie: dod={}; dod_book={}; dod_choice={}\r\n",
                word(rng),
                word(rng),
                word(rng)
            )
        }
        _ => {}
    }
    if rng.next_u32().is_multiple_of(6) {
        text += &format!(
            "{}: {}\r\n",
            pick(
                rng,
                &[
                    "If-None-Match",
                    "Accept",
                    "Accept-Encoding",
                    "Origin",
                    "Range",
                    "Expect"
                ]
            ),
            word(rng)
        );
    }
    text += &format!(
        "Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut bytes = (text + &body).into_bytes();
    if rng.next_u32().is_multiple_of(10) {
        let at = rng.next_u32() as usize % bytes.len();
        bytes[at] = rng.next_u32() as u8;
    }
    bytes
}

/// `DOD_GARBAGE` sets the number of requests.
#[tokio::test]
async fn garbage_never_makes_a_5xx() {
    const SEED: u64 = 20_101;
    let rounds = std::env::var("DOD_GARBAGE")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(3_000);
    let server = Server::start().await;
    let address = server.address.to_string();
    let table = server
        .api()
        .create(json!({"game": "dice", "rules": "v4", "seed": 7}))
        .await;
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut answered = BTreeSet::new();
    for round in 0..rounds {
        let bytes = garbage(&mut rng, &table.id, table.token(0));
        let begin = Instant::now();
        let answer = send(&address, &bytes, Duration::from_millis(200)).await;
        let words = || {
            format!(
                "seed {SEED}, request {round}: {}",
                String::from_utf8_lossy(&bytes)
            )
        };
        assert!(begin.elapsed() < Duration::from_secs(20), "{}", words());
        if let Some(answer) = answer {
            assert!(answer.status < 500, "{} for {}", answer.status, words());
            assert!(
                answer.status == 200
                    || answer.header("set-cookie").is_empty()
                    || answer.status == 303
                    || answer.status == 409,
                "{}",
                words()
            );
            answered.insert(answer.status);
        }
    }
    for status in [200, 303, 400, 401, 403, 404, 405, 415, 422] {
        assert!(
            answered.contains(&status),
            "no request was answered {status}: {answered:?}"
        );
    }
    assert_eq!(server.api().get("/readyz").await.status(), 200);
}
