//! The load test: its counts equal those of the server, latencies count from due times, and servers of others are not
//! tested without consent. Mock servers simulate each kind of failure.

use std::convert::Infallible;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use dice_of_doom::http::connections::{self, ConnectionLimits};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use sqlx::{Connection as _, SqliteConnection};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::common::{Program, plain_client, program};
use crate::lab;

/// Runs a load test until it ends by itself.
async fn load(line: String) -> Output {
    let mut command = lab();
    command.arg("load").args(line.split_whitespace());
    tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap()
}

#[track_caller]
fn report(output: &Output) -> Value {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}; {stderr}"))
}

/// The responses to this kind of request, by their status.
fn statuses<'a>(report: &'a Value, kind: &str) -> &'a Value {
    let requests = report["requests"].as_array().unwrap().iter();
    let mut requests = requests.filter(|request| request["kind"] == kind);
    requests
        .next()
        .map_or(&Value::Null, |request| &request["statuses"])
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// The server's own count of these requests, from its metrics.
fn counted(metrics_text: &str, route: &str, method: &str, status: u16) -> u64 {
    let name = "http_requests_total{";
    let lines = metrics_text.lines().filter(|line| line.starts_with(name));
    let labels = [
        format!(r#"route="{route}""#),
        format!(r#"method="{method}""#),
        format!(r#"status="{status}""#),
    ];
    let mut lines = lines.filter(|line| labels.iter().all(|label| line.contains(label.as_str())));
    lines
        .next()
        .map_or(0, |line| line.rsplit(' ').next().unwrap().parse().unwrap())
}

#[tokio::test]
async fn counts_equal_those_of_the_server() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("games.db");
    let metrics = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().to_string()
    };
    let mut command = program();
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--metrics",
        &metrics,
        "--database",
    ]);
    command.arg(format!("sqlite:{}", file.display()));
    let server = Program::run(command, &folder.path().join("log"));
    let output = load(format!(
        "--url {} --games 5 --watchers 12 --rate 150 --pages 30 --seconds 3 --json --strict",
        server.url
    ))
    .await;
    let report = report(&output);
    assert!(output.status.success(), "{report}");
    let metrics_text = plain_client().get(format!("http://{metrics}/metrics"));
    let metrics_text = metrics_text.send().await.unwrap().text().await.unwrap();

    let moves = "/api/v1/games/{id}/moves";
    for (kind, route, method, status) in [
        ("ply", moves, "POST", 200),
        ("legal moves", moves, "GET", 200),
        ("new game", "/api/v1/games", "POST", 201),
        ("page", "/g/{id}", "GET", 200),
        ("stream", "/g/{id}/events", "GET", 200),
    ] {
        let client_count = statuses(&report, kind);
        let server_count = counted(&metrics_text, route, method, status);
        assert_eq!(
            *client_count,
            json!({status.to_string(): server_count}),
            "{kind}: {report}"
        );
    }
    let plies = number(&report["done"]);
    assert_eq!(statuses(&report, "ply")["200"], plies);
    assert_eq!(
        (&report["due"], &report["failed"]),
        (&json!(450), &json!(0))
    );
    assert!(plies > 0 && plies <= 450, "{report}");
    // Each of the twelve watchers follows one of the five players, so each ply has two or three events.
    let events = &report["events"];
    assert_eq!(events["expected"], events["received"]);
    let received = number(&events["received"]);
    assert!((2 * plies..=3 * plies).contains(&received), "{report}");
    assert_eq!(
        events["since_acknowledged"]["count"],
        events["since_sent"]["count"]
    );
    assert!(
        number(&events["since_sent"]["count"]) * 10 > received * 9,
        "{report}"
    );

    let database = format!("sqlite:{}", file.display());
    let mut connection = SqliteConnection::connect(&database).await.unwrap();
    let count = |table: &str| format!("SELECT count(*) FROM {table}");
    for (table, client_count) in [("entry", &report["done"]), ("game", &report["games"])] {
        let all: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(count(table)))
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(all as u64, number(client_count), "{table}");
    }
}

#[tokio::test]
async fn every_browser_of_a_day_leaves_a_score() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("games.db");
    let mut command = program();
    command.args(["--listen", "127.0.0.1:0", "--database"]);
    command.arg(format!("sqlite:{}", file.display()));
    let server = Program::run(command, &folder.path().join("log"));
    let arguments = format!(
        "--url {} --players 5 --at-once 3 --turns 1 --json --process {} --database {}",
        server.url,
        server.pid(),
        file.display()
    );
    let mut command = lab();
    command.arg("day").args(arguments.split_whitespace());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    let report = report(&output.await.unwrap());
    assert_eq!(
        (&report["players"], &report["finished"], &report["failed"]),
        (&json!(5), &json!(5), &json!(0)),
        "{report}"
    );
    for kind in ["daily page", "page", "result page"] {
        assert_eq!(
            *statuses(&report, kind),
            json!({"200": 5}),
            "{kind}: {report}"
        );
    }
    assert_eq!(*statuses(&report, "start page"), json!({"200": 10}));
    for measured in [
        "bytes_per_player",
        "database_per_player",
        "max_memory",
        "processor_per_player",
    ] {
        assert!(
            report[measured].as_f64() > Some(0.0),
            "{measured}: {report}"
        );
    }
    let database = format!("sqlite:{}", file.display());
    let mut connection = SqliteConnection::connect(&database).await.unwrap();
    let scores = "SELECT count(*) FROM daily_score JOIN game ON game.id = daily_score.game";
    let scores: i64 = sqlx::query_scalar(scores)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(scores, 5);
}

/// Starts a mock server and returns its address.
async fn serve(app: Router) -> String {
    let listener = connections::bind("127.0.0.1:0".parse().unwrap())
        .await
        .unwrap();
    let address = listener.local_addr().unwrap();
    let (limits, stop) = (ConnectionLimits::default(), CancellationToken::new());
    tokio::spawn(connections::serve(listener, app, limits, stop));
    format!("http://{address}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_pause_affects_all_requests_that_are_due_during_it() {
    let request_count = Arc::new(AtomicU32::new(0));
    // One of three hundred requests takes a second and a half.
    let page = move || async move {
        if request_count.fetch_add(1, Ordering::Relaxed) == 100 {
            tokio::time::sleep(Duration::from_millis(1_500)).await;
        }
        "page"
    };
    let url = serve(Router::new().route("/page", get(page))).await;
    let output = load(format!(
        "--url {url} --page /page --rate 100 --seconds 3 --json"
    ))
    .await;
    let report = report(&output);
    let page = &report["requests"][0];
    let (due, sent) = (&page["since_due"], &page["since_sent"]);
    // Half of the requests were due during the pause or while the queue was worked off.
    assert!(number(&due["p90_us"]) > 700_000, "{report}");
    // Counted from sending, one request was slow and most were fast.
    assert!(number(&sent["p90_us"]) < 500_000, "{report}");
    for times in [due, sent] {
        assert!(number(&times["max_us"]) >= 1_490_000, "{report}");
    }
    assert_eq!(report["failed"], 0, "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retry_after_is_honoured() {
    let request_count = Arc::new(AtomicU32::new(0));
    let page = move || async move {
        // The first request is the reachability check, which succeeds.
        match request_count.fetch_add(1, Ordering::Relaxed) {
            1 => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "2")]).into_response(),
            _ => "page".into_response(),
        }
    };
    let url = serve(Router::new().route("/page", get(page))).await;
    let output = load(format!(
        "--url {url} --page /page --rate 20 --seconds 3 --json --strict"
    ))
    .await;
    let report = report(&output);
    assert!(output.status.success(), "{report}");
    assert_eq!(
        (&report["told_to_wait"], &report["failed"]),
        (&json!(1), &json!(0))
    );
    let longest = number(&report["requests"][0]["since_due"]["max_us"]);
    assert!((2_000_000..10_000_000).contains(&longest), "{report}");
}

/// A mock server with an endless game and a faulty event stream: the first stream ends after the second event, and the
/// next one repeats that event and omits the third.
async fn faulty_server() -> Router {
    async fn begin() -> Response {
        let seats = vec![json!({"token": "t"}); 2];
        (
            StatusCode::CREATED,
            Json(json!({"id": "g", "ply": 0, "player": 0, "seats": seats})),
        )
            .into_response()
    }
    async fn play(Json(request): Json<Value>) -> Json<Value> {
        let ply = request["ply"].as_u64().unwrap() + 1;
        Json(json!({"ply": ply, "state": {"player": 0}, "over": false, "repeated": ply == 3}))
    }
    async fn events(State(request_count): State<Arc<AtomicU32>>, headers: HeaderMap) -> Response {
        let first = request_count.fetch_add(1, Ordering::Relaxed) == 0;
        let last = headers
            .get("last-event-id")
            .map(|id| id.to_str().unwrap().to_owned());
        let (plies, stays_open): (&[u32], bool) = match first {
            true => (&[0, 1], false),
            false => (&[1, 3, 4], true),
        };
        assert_eq!(last.as_deref(), if first { None } else { Some("1") });
        let mut text = "retry: 10\n\n".to_owned();
        for ply in plies {
            text += &format!("event: ply\nid: {ply}\ndata: {{}}\n\n");
        }
        let events = stream::once(async move { Ok::<_, Infallible>(Bytes::from(text)) });
        match stays_open {
            true => Body::from_stream(events.chain(stream::pending())).into_response(),
            false => Body::from_stream(events).into_response(),
        }
    }
    Router::new()
        .route("/readyz", get(|| async { "ready" }))
        .route("/api/v1/games", post(begin))
        .route(
            "/api/v1/games/g/moves",
            get(|| async { Json(json!({"moves": [{"path": null}]})) }).post(play),
        )
        .route("/g/g/events", get(events))
        .with_state(Arc::new(AtomicU32::new(0)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faulty_event_streams_are_reported() {
    let url = serve(faulty_server().await).await;
    let line = format!("--url {url} --games 1 --watchers 1 --rate 5 --seconds 1 --json --strict");
    let output = load(line).await;
    let report = report(&output);
    assert_eq!(output.status.code(), Some(1), "{report}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("somebody would have noticed"), "{stderr}");
    assert_eq!(
        (&report["done"], &report["repeated"]),
        (&json!(5), &json!(1)),
        "{report}"
    );
    let events = &report["events"];
    for (what, count) in [
        ("expected", 5),
        ("received", 3),
        ("missed", 1),
        ("repeated", 1),
        ("out_of_order", 1),
        ("resumed", 1),
    ] {
        assert_eq!(events[what], count, "{what}: {report}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_are_counted_by_kind() {
    let request_count = Arc::new(AtomicU32::new(0));
    let page = move || async move {
        match request_count.fetch_add(1, Ordering::Relaxed) % 2 {
            0 => StatusCode::OK,
            _ => StatusCode::NOT_FOUND,
        }
    };
    let url = serve(Router::new().route("/page", get(page))).await;
    let output = load(format!(
        "--url {url} --page /page --rate 10 --seconds 2 --json --strict"
    ))
    .await;
    let report = report(&output);
    assert_eq!(output.status.code(), Some(1), "{report}");
    let (sent, failed) = (number(&report["sent"]), number(&report["failed"]));
    assert_eq!(number(&report["done"]) + failed, sent);
    assert_eq!(report["failures"], json!({"page: 404 Not Found": failed}));
    assert!(failed >= 5, "{report}");
}

#[tokio::test]
async fn an_unreachable_server_is_reported_in_one_line() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let output = load(format!("--url http://{address}")).await;
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("Connection refused"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(output.stdout.is_empty());
}

/// 192.0.2.0/24 is reserved for documentation: no host has such an address, and connecting would time out.
#[tokio::test]
async fn other_machines_are_not_tested_without_consent() {
    let started = Instant::now();
    let output = load("--url http://192.0.2.7".into()).await;
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("192.0.2.7 is not this machine"), "{stderr}");
    assert!(stderr.contains("--with-consent"), "{stderr}");
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "it tried to connect"
    );
    for url in ["ftp://127.0.0.1", "127.0.0.1:8080", "/page"] {
        let output = load(format!("--url {url}")).await;
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(
            stderr.contains("write the server's address"),
            "{url}: {stderr}"
        );
    }
}

#[test]
fn invalid_arguments_are_bad_usage() {
    let url = "--url http://127.0.0.1:1";
    for (line, why) in [
        ("--games 3", "--url"),
        ("--page /levels", "--rate"),
        ("--page levels --rate 1", "write a path"),
        (
            "--page /levels --rate 1 --watchers 3",
            "cannot be used with",
        ),
        ("--rate 0", "write a number a second"),
        ("--rate NaN", "write a number a second"),
        ("--seconds 3601", "3600"),
    ] {
        let mut command: Command = lab();
        command.arg("load").args(line.split_whitespace());
        if why != "--url" {
            command.args(url.split_whitespace());
        }
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {stderr}");
        assert!(stderr.contains(why), "{line}: {stderr}");
    }
}
