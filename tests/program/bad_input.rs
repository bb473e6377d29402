//! Bad input: pages respond with one sentence, the API with a problem document, every response has its headers,
//! nothing changes, no secret is revealed, and no garbage leads to a 5xx.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::common::{
    HANG, Program, Server, check_headers, cookies_of, header_of, likely, number, problem,
};
use dice_of_doom::client_network::LoopbackPolicy;
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
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
    what: String,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<(&'static str, String)>,
    status: u16,
}

impl Row {
    /// Reads `what | method and path | status`, and after them a body, such as `form ply=0` or `json {}`, and headers.
    fn parse(text: &str) -> Self {
        let mut parts = text.split(" | ");
        let [what, request, status] = std::array::from_fn(|_| parts.next().expect(text));
        let (method, path) = request.split_once(' ').expect(text);
        let mut row = Row {
            what: what.to_owned(),
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: None,
            status: status.parse().expect(text),
        };
        for part in parts {
            row = match part.split_once(' ').unwrap_or((part, "")) {
                ("form", body) => row.body(FORM, body),
                ("json", body) => row.body(JSON, body),
                ("untyped", body) => row.body("", body),
                (name, value) => row.with(name.trim_end_matches(':'), value),
            };
        }
        row
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
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
    let read = |row: &str| Row::parse(&row.replace("PATH", path));
    let mut rows = Vec::from(
        [
            "no host | GET PATH | 400 | no-host:",
            "two hosts | GET PATH | 400 | host: localhost | host: 127.0.0.1",
            "a foreign host | GET PATH | 421 | host: evil.example",
            "a rebound host | GET PATH | 421 | host: localhost.evil.example:80",
            "a host with a user | GET PATH | 400 | host: a@localhost",
            "a wrong method | DELETE PATH | 405",
            "a wrong method | PATCH PATH | 405 | json {}",
            "a cross-site post | POST PATH | 403 | sec-fetch-site: cross-site | form",
            "a same-site post | POST PATH | 403 | sec-fetch-site: same-site | form",
            "a foreign origin | POST PATH | 403 | origin: http://evil.example | form",
            "the origin null | POST PATH | 403 | origin: null | form",
            "two origins | POST PATH | 403 | origin: null | origin: null | form",
            "nothing here | GET PATH/%E2%98%83/nothing | 404",
        ]
        .map(read),
    );
    rows.push(read("a large body | POST PATH | 413").body(FORM, "x".repeat(65 * 1024)));
    rows.push(read("long headers | GET PATH | 431").with("x-long", &"x".repeat(40_000)));
    rows
}

#[tokio::test]
async fn bad_requests_for_pages_are_refused() {
    let server = Server::start().await;
    let address = server.address.to_string();
    let made = server.person().post("/games", "rules=v4&seed=7").await;
    assert_eq!(made.status(), 303);
    let cookie = cookies_of(&made);
    let game = header_of(&made, "location").to_owned();
    let read = |row: &str| {
        let row = row.replace("GAME", &game);
        Row::parse(&row.replace("FOREIGN", "dod=AAAAAAAAAAAAAAAAAAAAAA"))
    };
    let mut rows = bad_for_any_path("/games");
    let of_anybody = [
        "unknown game | GET /g/00000000 | 404",
        "no id at all | GET /g/x | 404",
        "an id of bytes | GET /g/%FF%00 | 400",
        "a dotted id | GET /g/..%2f..%2fetc | 404",
        "unknown ply | GET GAME/9 | 404",
        "no ply at all | GET GAME/-1 | 404",
        "a huge ply | GET GAME/99999999999 | 404",
        "unknown asset | GET /assets/nothing.css | 404",
        "unknown asset of another build | GET /assets/0000000000000000/nothing.css | 404",
        "unknown game's log | GET /g/00000000/log | 404",
        "unknown game's record | GET /g/00000000/record.json | 404",
        "unknown game's events | GET /g/00000000/events | 404",
        "events from a word | GET GAME/events?from=x | 400",
        "events from below | GET GAME/events?from=-1 | 400",
        "events from nowhere | GET GAME/events?from= | 400",
        "events of another kind | GET GAME/events?kind=ply | 400",
        "events after a word | GET GAME/events | 400 | last-event-id: last",
        "posted events | POST GAME/events | 405 | form",
        "a selection of words | GET GAME?from=x | 400",
        "a selection too large | GET GAME?from=256 | 400",
        "a move without cookie | POST GAME/moves | 401 | form ply=0&pass=1",
        "a move with another's cookie | POST GAME/moves | 403 | cookie: FOREIGN | form ply=0&pass=1",
        "a move with nonsense for a cookie | POST GAME/moves | 401 | cookie: dod=nonsense | form ply=0&pass=1",
        "resigning without cookie | POST GAME/resign | 401 | form ply=0",
        "resigning for another | POST GAME/resign | 403 | cookie: FOREIGN | form ply=0",
        "a rematch of others | POST GAME/rematch | 403 | cookie: FOREIGN | form",
        "a game as JSON | POST /games | 415 | json {}",
        "unknown rules | POST /games | 422 | form rules=v9",
        "unknown game's name | POST /games | 422 | form game=chess",
        "a large board | POST /games | 422 | form size=9",
        "a huge board | POST /games | 422 | form size=999999999999",
        "too many players | POST /games | 422 | form players=6&size=2",
        "no players | POST /games | 422 | form players=0",
        "unknown level | POST /games | 422 | form seats=deep+blue",
        "a seed of words | POST /games | 422 | form seed=%3Cscript%3E",
        "an invalid choice on the book's page | GET /game.html?chosen=%3Cscript%3E | 400",
        "the book's page from elsewhere | GET /game.html?chosen=1 | 403 | sec-fetch-site: cross-site",
        "the book's page fetched ahead | GET /game.html?chosen=1 | 503 | sec-purpose: prefetch",
    ];
    rows.extend(of_anybody.map(read));
    let of_the_player = [
        "a selection off the board | GET GAME?from=200 | 422",
        "a move as JSON | POST GAME/moves | 415 | json {}",
        "a move of no type | POST GAME/moves | 415 | untyped ply=0&pass=1",
        "an empty move | POST GAME/moves | 422 | form",
        "a move without ply | POST GAME/moves | 422 | form pass=1",
        "half a move | POST GAME/moves | 422 | form ply=0&from=3",
        "a move both ways | POST GAME/moves | 422 | form ply=0&from=3&to=4&pass=1",
        "a move off the board | POST GAME/moves | 422 | form ply=0&from=3&to=77",
        "a number out of range | POST GAME/moves | 422 | form ply=0&from=3&to=300",
        "a ply twice | POST GAME/moves | 422 | form ply=0&ply=0&pass=1",
        "an early pass | POST GAME/moves | 422 | form ply=0&pass=1",
        "an attack on oneself | POST GAME/moves | 422 | form ply=0&from=3&to=3",
        "a ply to come | POST GAME/moves | 409 | form ply=7&pass=1",
        "a move in an unknown game | POST /g/00000000/moves | 404 | form ply=0&pass=1",
        "resigning another ply | POST GAME/resign | 409 | form ply=3",
        "resigning without ply | POST GAME/resign | 422 | form",
    ];
    rows.extend(of_the_player.map(|row| read(row).with("cookie", &cookie)));
    let id = game[3..].parse().unwrap();
    let version = async || server.service.snapshot(&id).await.unwrap().version();
    let before = version().await;
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
        check_headers(&answer.headers, &row.what);
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
    let after = version().await;
    assert_eq!(before, after, "something changed");
}

#[tokio::test]
async fn bad_requests_for_the_api_are_refused() {
    let server = Server::start().await;
    let address = server.address.to_string();
    let api = server.api();
    let table = api.create(json!({"game": "dice", "seed": 7})).await;
    let other = api.create(json!({"game": "dice", "seed": 8})).await;
    let bearer = |token: &str| format!("Bearer {token}");
    let read = |row: &str| {
        let row = row.replace("GAME", &table.path(""));
        Row::parse(&row.replace("PASS", r#"{"ply":0,"path":null}"#))
    };
    let mut rows = bad_for_any_path("/api/v1/games");
    rows.retain(|row| row.what != "nothing here");
    let of_anybody = [
        "nothing here | GET /api/v1/nothing | 404",
        "a page's path | GET /api/v1/g/0 | 404",
        "no token | POST GAME/moves | 401 | json PASS",
        "basic instead | POST GAME/moves | 401 | authorization: Basic YTpi | json PASS",
        "unknown game | GET /api/v1/games/00000000 | 404",
        "unknown game's events | GET /api/v1/games/00000000/events | 404",
        "events from a word | GET GAME/events?from=x | 400",
        "events after less than nothing | GET GAME/events | 400 | last-event-id: -1",
    ];
    rows.extend(of_anybody.map(read));
    let foreign = read("another's token | POST GAME/moves | 403 | json PASS");
    rows.push(foreign.with("authorization", &bearer(other.token(0))));
    let of_the_player = [
        r#"a ply to come | POST GAME/moves | 409 | json {"ply":4,"path":null}"#,
        r#"no JSON | POST GAME/moves | 400 | json {"ply":NaN}"#,
        "a form | POST GAME/moves | 415 | form ply=0&pass=1",
        "an early pass | POST GAME/moves | 422 | json PASS",
        r#"a field twice | POST GAME/moves | 422 | json {"ply":0,"ply":1,"path":null}"#,
        r#"an unknown field | POST GAME/moves | 422 | json {"ply":0,"path":null,"seed":1}"#,
        r#"1e400 | POST GAME/moves | 400 | json {"ply":1e400,"path":null}"#,
        r#"a large ply | POST GAME/moves | 409 | json {"ply":1e3,"path":null}"#,
    ];
    let token = bearer(table.token(0));
    rows.extend(of_the_player.map(|row| read(row).with("authorization", &token)));
    for row in &rows {
        let answer = send(&address, &row.bytes(&address), HANG)
            .await
            .unwrap_or_else(|| panic!("{}: no answer", row.what));
        assert_eq!(answer.status, row.status, "{}: {}", row.what, answer.body);
        if answer.status == 431 {
            continue;
        }
        check_headers(&answer.headers, &row.what);
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
        let row = Row::parse("deep | POST /api/v1/games | 0").body(JSON, deep);
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
    let page = server.person().post("/games", "rules=v4").await;
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
        let status = answer.status();
        assert_eq!(status, if path == "/nothing" { 404 } else { 200 }, "{path}");
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

    let person = program.person();
    let made = person.post("/games", "rules=v4&seed=7").await;
    let page = header_of(&made, "location").to_owned();
    let book = person.get("/game.html").await;
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
        let answer = person.get(&path).await;
        let headers = format!("{:?}", answer.headers());
        responses.push(format!(
            "{path}: {headers} {}",
            answer.text().await.unwrap()
        ));
    }
    // Error responses, with the secret in the request.
    let mut refused = Vec::new();
    for token in table.tokens.iter().flatten() {
        let body = json!({"ply": 77, "path": null});
        for path in [&table.path("/moves"), "/api/v1/games/00000000/moves"] {
            refused.push(api.post_as(token, path, &body).await);
        }
        let body = json!({"ply": 77});
        refused.push(api.post_as(token, &table.path("/resign"), &body).await);
    }
    refused.push(person.post(&format!("{page}/moves"), "ply=0&pass=1").await);
    refused.push(person.post(&format!("{page}/rematch"), "").await);
    for response in refused {
        responses.push(response.text().await.unwrap());
    }
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
