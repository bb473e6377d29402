//! The load tool: what it counts is what the server counts, what it times is what was due, and it does no harm to
//! others. Servers that misbehave are made up here, so that each fault is told.

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
use dice_of_doom::web::connections::{self, ConnectionLimits};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use sqlx::{Connection as _, SqliteConnection};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::common::{Program, plain_client, program};
use crate::lab;

/// Runs the tool. It ends by itself.
async fn load(line: String) -> Output {
    let mut command = lab();
    command.arg("load").args(line.split_whitespace());
    tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap()
}

#[track_caller]
fn report(output: &Output) -> Value {
    let told = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}; {said}"))
}

/// The answers of this kind, by their status.
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

/// What the server itself has counted of these requests.
fn counted(figures: &str, route: &str, method: &str, status: u16) -> u64 {
    let name = "http_requests_total{";
    let lines = figures.lines().filter(|line| line.starts_with(name));
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
async fn it_counts_what_the_server_counts() {
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
    let figures = plain_client().get(format!("http://{metrics}/metrics"));
    let figures = figures.send().await.unwrap().text().await.unwrap();

    let moves = "/api/v1/games/{id}/moves";
    for (kind, route, method, status) in [
        ("ply", moves, "POST", 200),
        ("legal moves", moves, "GET", 200),
        ("new game", "/api/v1/games", "POST", 201),
        ("page", "/g/{id}", "GET", 200),
        ("stream", "/g/{id}/events", "GET", 200),
    ] {
        let ours = statuses(&report, kind);
        let theirs = counted(&figures, route, method, status);
        assert_eq!(
            *ours,
            json!({status.to_string(): theirs}),
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
    // Each watcher follows one of the five players; with twelve of them each ply has two or three.
    let events = &report["events"];
    assert_eq!(events["expected"], events["received"]);
    let heard = number(&events["received"]);
    assert!((2 * plies..=3 * plies).contains(&heard), "{report}");
    assert_eq!(
        events["since_acknowledged"]["count"],
        events["since_sent"]["count"]
    );
    assert!(
        number(&events["since_sent"]["count"]) * 10 > heard * 9,
        "{report}"
    );

    let database = format!("sqlite:{}", file.display());
    let mut kept = SqliteConnection::connect(&database).await.unwrap();
    let count = |table: &str| format!("SELECT count(*) FROM {table}");
    for (table, ours) in [("entry", &report["done"]), ("game", &report["games"])] {
        let all: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(count(table)))
            .fetch_one(&mut kept)
            .await
            .unwrap();
        assert_eq!(all as u64, number(ours), "{table}");
    }
}

/// A server that is made up.
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
async fn a_pause_of_the_server_is_charged_with_all_that_was_due_meanwhile() {
    let asked = Arc::new(AtomicU32::new(0));
    // One request of three hundred waits for a second and a half.
    let page = move || async move {
        if asked.fetch_add(1, Ordering::Relaxed) == 100 {
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
    // Half of all were due during the pause or while the queue behind it was worked off.
    assert!(number(&due["p90_us"]) > 700_000, "{report}");
    // Whoever asks only after the answer sees one slow request, and nine of ten quick ones.
    assert!(number(&sent["p90_us"]) < 500_000, "{report}");
    for times in [due, sent] {
        assert!(number(&times["max_us"]) >= 1_490_000, "{report}");
    }
    assert_eq!(report["failed"], 0, "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_told_to_wait_waits() {
    let asked = Arc::new(AtomicU32::new(0));
    let page = move || async move {
        // The first look whether somebody is there is answered.
        match asked.fetch_add(1, Ordering::Relaxed) {
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

/// A game without rules or end, and a stream of its events that goes wrong as is said: the first stream ends after the
/// second event, and the next one tells that event again and leaves the third one out.
async fn careless() -> Router {
    async fn begin() -> Response {
        let seats = vec![json!({"token": "t"}); 2];
        (
            StatusCode::CREATED,
            Json(json!({"id": "g", "ply": 0, "player": 0, "seats": seats})),
        )
            .into_response()
    }
    async fn play(Json(asked): Json<Value>) -> Json<Value> {
        let ply = asked["ply"].as_u64().unwrap() + 1;
        Json(json!({"ply": ply, "state": {"player": 0}, "over": false, "repeated": ply == 3}))
    }
    async fn events(State(asked): State<Arc<AtomicU32>>, headers: HeaderMap) -> Response {
        let first = asked.fetch_add(1, Ordering::Relaxed) == 0;
        let last = headers
            .get("last-event-id")
            .map(|id| id.to_str().unwrap().to_owned());
        let (told, stays): (&[u32], bool) = match first {
            true => (&[0, 1], false),
            false => (&[1, 3, 4], true),
        };
        assert_eq!(last.as_deref(), if first { None } else { Some("1") });
        let mut text = "retry: 10\n\n".to_owned();
        for ply in told {
            text += &format!("event: ply\nid: {ply}\ndata: {{}}\n\n");
        }
        let told = stream::once(async move { Ok::<_, Infallible>(Bytes::from(text)) });
        match stays {
            true => Body::from_stream(told.chain(stream::pending())).into_response(),
            false => Body::from_stream(told).into_response(),
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
async fn events_that_go_wrong_are_told() {
    let url = serve(careless().await).await;
    let line = format!("--url {url} --games 1 --watchers 1 --rate 5 --seconds 1 --json --strict");
    let output = load(line).await;
    let report = report(&output);
    assert_eq!(output.status.code(), Some(1), "{report}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("somebody would have noticed"), "{told}");
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
async fn failures_are_counted_by_what_they_were() {
    let asked = Arc::new(AtomicU32::new(0));
    let page = move || async move {
        match asked.fetch_add(1, Ordering::Relaxed) % 2 {
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
async fn a_server_that_is_not_there_is_told_in_one_line() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let output = load(format!("--url http://{address}")).await;
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("Connection refused"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(output.stdout.is_empty());
}

/// 192.0.2.0/24 is for documentation: nobody is there, and a connection would hang.
#[tokio::test]
async fn nobody_else_gets_load_unless_somebody_answers_for_it() {
    let begun = Instant::now();
    let output = load("--url http://192.0.2.7".into()).await;
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("192.0.2.7 is not this machine"), "{said}");
    assert!(said.contains("--with-consent"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(5), "it has asked");
    for url in ["ftp://127.0.0.1", "127.0.0.1:8080", "/page"] {
        let output = load(format!("--url {url}")).await;
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("write the server's address"), "{url}: {said}");
    }
}

#[test]
fn what_makes_no_sense_is_bad_usage() {
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
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains(why), "{line}: {said}");
    }
}
