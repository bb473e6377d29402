//! Measures what readers wait for beside expensive requests of others, on the real program with an SQLite file:
//!
//! - the processor time of `/me`, `/` and the feed of a browser with 24 uploaded games of 900 plies, right after a restart
//!   and later;
//! - the latency of `/` for another address while 100 connections request these three pages;
//! - the latency of a stranger's hint while another address has four `solve` of five seconds in progress.
//!
//! `cargo bench --bench lists` measures it; without `--bench` (as `cargo test --benches` runs it) it tries a few games
//! and requests. `DOD_PROGRAM=PROGRAM` measures another build of the program.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark may panic on anything unexpected"
)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "background_load/processor.rs"]
mod processor;

use std::net::IpAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{Program, program, records};
use dice_of_doom::games::Registry;
use processor::processor_time;
use reqwest::{Client, StatusCode, header, redirect};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// The size of the measurement.
#[derive(Clone, Copy)]
struct Scale {
    games: usize,
    plies: u32,
    /// Repetitions of each page, for its processor time.
    requests: u32,
    connections: usize,
    /// Requests whose latencies are measured.
    samples: u32,
    solve_ms: u32,
}

const FULL: Scale = Scale {
    games: 24,
    plies: 900,
    requests: 200,
    connections: 100,
    samples: 200,
    solve_ms: 5_000,
};

const QUICK: Scale = Scale {
    games: 2,
    plies: 40,
    requests: 2,
    connections: 2,
    samples: 2,
    solve_ms: 200,
};

/// The time between two requests whose latencies are measured.
const PACE: Duration = Duration::from_millis(50);

const BUSY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 2));
const STRANGER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 3));

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let scale = if full { FULL } else { QUICK };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(measure(scale));
}

async fn measure(scale: Scale) {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path());
    let (cookie, feed) = upload_games(&server, scale).await;
    server.terminate();

    let server = start(folder.path());
    let pages: [(&str, String); 3] = [
        ("/me", "/me".to_owned()),
        ("/", "/".to_owned()),
        ("the feed", feed),
    ];
    let busy = client(BUSY, Some(&cookie));
    for (name, path) in &pages {
        let url = format!("{}{path}", server.url);
        let first = spent(&server, async || drop(get(&busy, &url).await)).await;
        let all = async || {
            for _ in 0..scale.requests {
                get(&busy, &url).await;
            }
        };
        let each = spent(&server, all).await / scale.requests;
        println!("processor time of {name}: {first:.1?} after the restart, then {each:.2?}");
    }

    let stop = Arc::new(AtomicBool::new(false));
    let mut load = JoinSet::new();
    for number in 0..scale.connections {
        let url = format!("{}{}", server.url, pages[number % pages.len()].1);
        let (stop, client) = (Arc::clone(&stop), client(BUSY, Some(&cookie)));
        load.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                get(&client, &url).await;
            }
        });
    }
    let url = format!("{}/", server.url);
    let stranger = client(STRANGER, None);
    let times = sample(scale.samples, async |_| drop(get(&stranger, &url).await)).await;
    report(
        &format!("/ beside {} connections", scale.connections),
        times,
    );
    stop.store(true, Ordering::Relaxed);
    while load.join_next().await.is_some() {}

    let hints = create_games(&server, scale.samples.min(40)).await;
    let stop = Arc::new(AtomicBool::new(false));
    let mut load = JoinSet::new();
    for _ in 0..4 {
        let url = format!("{}/api/v1/solve", server.url);
        let (stop, client) = (Arc::clone(&stop), client(BUSY, None));
        let position = json!({"game": "trilobite", "width": 7, "height": 6, "columns": ""});
        let body =
            json!({"position": position, "book": false, "budget_ms": scale.solve_ms, "each": true});
        load.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let solved = client.post(&url).json(&body).send().await.unwrap();
                assert_eq!(solved.status(), StatusCode::OK);
            }
        });
    }
    let times = sample(hints.len() as u32, async |number| {
        let (id, token) = &hints[number as usize];
        let url = format!("{}/api/v1/games/{id}/hint", server.url);
        let deadline = Instant::now() + Duration::from_secs(60);
        // A hint that takes long is requested again, as the page does.
        while Instant::now() < deadline {
            let hint = stranger.get(&url).bearer_auth(token).send().await.unwrap();
            match hint.status() {
                StatusCode::OK => return,
                StatusCode::SERVICE_UNAVAILABLE => {}
                status => panic!("{status}: {}", hint.text().await.unwrap()),
            }
        }
        panic!("no hint");
    })
    .await;
    report("a hint beside four solve", times);
    stop.store(true, Ordering::Relaxed);
    while load.join_next().await.is_some() {}
}

fn start(folder: &Path) -> Program {
    let mut command = std::env::var_os("DOD_PROGRAM").map_or_else(program, Command::new);
    let database = format!("sqlite:{}", folder.join("games.db").display());
    command
        .env_remove("DATABASE_URL")
        .args(["--listen", "127.0.0.1:0", "--thinkers", "1"])
        .args(["--database", &database]);
    Program::run(command, &folder.join("log"))
}

fn client(from: IpAddr, cookie: Option<&str>) -> Client {
    let mut headers = header::HeaderMap::new();
    headers.extend(cookie.map(|cookie| (header::COOKIE, cookie.parse().unwrap())));
    let client = Client::builder().local_address(from);
    let client = client
        .default_headers(headers)
        .redirect(redirect::Policy::none());
    client.build().unwrap()
}

async fn get(client: &Client, url: &str) -> String {
    let page = client.get(url).send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK, "{url}");
    page.text().await.unwrap()
}

/// Uploads games; returns the browser's cookie and the path of its feed.
async fn upload_games(server: &Program, scale: Scale) -> (String, String) {
    let games = Registry::builtin();
    let parameters = json!({"size": 8, "players": 6, "rules": "conquest"});
    let mut cookie: Option<String> = None;
    let mut uploaded = 0;
    for seed in 0.. {
        if uploaded == scale.games {
            break;
        }
        let record = records::played_to(&games, "dice", &parameters, seed, scale.plies);
        let live = games.read_record(&record).unwrap().live;
        if live.entry_count() < scale.plies {
            continue;
        }
        let client = client(BUSY, cookie.as_deref());
        let form = format!(
            "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n{record}\r\n--x--\r\n"
        );
        let answer = client
            .post(format!("{}/upload", server.url))
            .header(header::CONTENT_TYPE, "multipart/form-data; boundary=x")
            .body(form)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        if let Some(set) = answer.headers().get(header::SET_COOKIE) {
            let set = set.to_str().unwrap();
            cookie = Some(set.split(';').next().unwrap().to_owned());
        }
        uploaded += 1;
    }
    let cookie = cookie.unwrap();
    let client = client(BUSY, Some(&cookie));
    client
        .post(format!("{}/settings/feed", server.url))
        .send()
        .await
        .unwrap();
    let settings = get(&client, &format!("{}/settings", server.url)).await;
    let (_, feed) = settings.split_once("/feed/").unwrap();
    (cookie, format!("/feed/{}", feed.split('"').next().unwrap()))
}

/// Games in which a hint is allowed, with the token of the player to move.
async fn create_games(server: &Program, count: u32) -> Vec<(String, String)> {
    let client = client(STRANGER, None);
    let mut games = Vec::new();
    for seed in 0..count {
        let body =
            json!({"game": "dice", "seed": seed, "seats": ["human", "book", "book", "book"]});
        let created = client
            .post(format!("{}/api/v1/games", server.url))
            .json(&body)
            .send();
        let created: Value = created.await.unwrap().json().await.unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        games.push((text(&created["id"]), text(&created["seats"][0]["token"])));
    }
    games
}

/// The processor time that the server spends meanwhile.
async fn spent(server: &Program, work: impl AsyncFnOnce()) -> Duration {
    let before = processor_time(&server.pid().to_string());
    work().await;
    processor_time(&server.pid().to_string()) - before
}

/// The latencies of requests that are due at regular times.
async fn sample(count: u32, request: impl AsyncFn(u32)) -> Vec<Duration> {
    let begin = Instant::now();
    let mut times = Vec::new();
    for number in 0..count {
        let due = begin + PACE * number;
        tokio::time::sleep_until(due.max(Instant::now()).into()).await;
        let sent = Instant::now();
        request(number).await;
        times.push(sent.elapsed());
    }
    times.sort();
    times
}

fn report(what: &str, times: Vec<Duration>) {
    let quantile = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize];
    println!(
        "{what}: {:.1?} median, {:.1?} p95, {:.1?} p99 of {}",
        quantile(0.5),
        quantile(0.95),
        quantile(0.99),
        times.len()
    );
}
