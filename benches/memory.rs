//! Measures the memory of the real program: people play against computers with event streams, request pages of all
//! kinds, hints, films, and send malformed requests; then everything is closed.
//!
//! `cargo bench --bench memory` measures ten minutes with 3,000 streams and the minute afterwards; `DOD_MEMORY_S=60`
//! shortens the load. Without `--bench` (as `cargo test --benches` runs it) it tries a few streams for a second.
//! `DOD_PROGRAM=PROGRAM` measures another build of the program.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark may panic on anything unexpected"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::{Program, Table, likely, number, program, resident_bytes};
use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// The size of the measurement.
#[derive(Clone, Copy)]
struct Scale {
    games: usize,
    streams: usize,
    load: Duration,
    after: Duration,
}

/// Pages of a game and others; `{}` is the game's id.
const PATHS: [&str; 16] = [
    "/g/{}",
    "/g/{}?ply=3",
    "/g/{}/dice",
    "/g/{}/replay",
    "/g/{}/share",
    "/g/{}/embed",
    "/g/{}/board.png",
    "/g/{}/game.gif",
    "/api/v1/games/{}",
    "/api/v1/games/{}/record",
    "/api/v1/games/{}/moves",
    "/",
    "/me",
    "/levels",
    "/puzzles",
    "/daily",
];

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let seconds = std::env::var("DOD_MEMORY_S").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    let scale = match full {
        true => Scale {
            games: 300,
            streams: 3_000,
            load: Duration::from_secs(seconds.unwrap_or(600)),
            after: Duration::from_secs(60),
        },
        false => Scale {
            games: 3,
            streams: 6,
            load: Duration::from_secs(1),
            after: Duration::ZERO,
        },
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(measure(scale));
}

async fn measure(scale: Scale) {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path());
    let report = |when: &str| {
        let mib = resident_bytes(server.pid()) as f64 / f64::from(1 << 20);
        println!("{when}: {mib:.0} MiB");
    };
    report("at the start");
    let api = server.api();
    let mut tables = Vec::new();
    for seed in 0..scale.games {
        let new =
            json!({"game": "dice", "seats": ["human", "book", "book", "steady"], "seed": seed});
        tables.push(api.create(new).await);
    }
    let end = Instant::now() + scale.load;
    let mut streams = JoinSet::new();
    for number in 0..scale.streams {
        let table = &tables[number % tables.len()];
        streams.spawn(follow(server.address(), table.path("/events?from=0")));
    }
    let requests = Arc::new(AtomicU64::new(0));
    let mut load = JoinSet::new();
    for table in &tables {
        load.spawn(play(table.clone(), end));
    }
    for seed in 0..8 {
        let ids: Vec<String> = tables.iter().map(|table| table.id.clone()).collect();
        load.spawn(request_pages(
            server.address(),
            ids,
            seed,
            end,
            Arc::clone(&requests),
        ));
    }
    for minute in 1..=scale.load.as_secs() / 60 {
        tokio::time::sleep_until(
            (end - scale.load + Duration::from_secs(60) * minute as u32).into(),
        )
        .await;
        report(&format!("after {minute} minutes"));
    }
    while let Some(done) = load.join_next().await {
        done.unwrap();
    }
    let requests = requests.load(Ordering::Relaxed);
    report(&format!(
        "under load, with {} streams, after {requests} requests",
        streams.len()
    ));
    streams.shutdown().await;
    tokio::time::sleep(scale.after).await;
    report(&format!("{:?} after everything was closed", scale.after));
}

/// Starts the program with an open-file limit that allows all streams.
fn serve(folder: &Path) -> Program {
    let measured = std::env::var_os("DOD_PROGRAM");
    let mut command = Command::new("sh");
    command
        .env_remove("DATABASE_URL")
        .env("RUST_LOG", "error")
        .args(["-c", "ulimit -n 8192 2>/dev/null; exec \"$@\"", "sh"])
        .arg(measured.unwrap_or_else(|| program().get_program().to_owned()))
        .args("--listen 127.0.0.1:0 --limit-streams-per-address 10000 --database".split(' '))
        .arg(format!("sqlite:{}", folder.join("games.db").display()));
    Program::run(command, &folder.join("log"))
}

/// Reads a stream until the task is aborted.
async fn follow(address: String, path: String) {
    let Ok(mut stream) = TcpStream::connect(address).await else {
        return;
    };
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut buffer = [0; 4_096];
    if stream.write_all(request.as_bytes()).await.is_ok() {
        while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
    }
}

/// Plays a game, and after its end another one, a ply a second.
async fn play(mut table: Table, end: Instant) {
    while Instant::now() < end {
        // The server may close an idle connection just when it is used again.
        if let Some(next) = advance(&table).await {
            table = next;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Plays a ply if it is a person's turn; returns a new game if this one is over.
async fn advance(table: &Table) -> Option<Table> {
    let api = &table.api;
    let get = async |rest: &str| -> Option<Value> {
        let url = format!("{}{}", api.url, table.path(rest));
        api.client.get(url).send().await.ok()?.json().await.ok()
    };
    let state = get("").await?;
    match state["player"].as_u64() {
        None => {
            let new = json!({"game": "dice", "seats": ["human", "book", "book", "steady"]});
            let url = format!("{}/api/v1/games", api.url);
            let created = api.client.post(url).json(&new).send().await.ok()?;
            Some(Table::from_created(api, created.json().await.ok()?))
        }
        Some(0) => {
            let body = json!({"ply": number(&state["ply"]), "path": likely(&get("/moves").await?)});
            let url = format!("{}{}", api.url, table.path("/moves"));
            let request = api.client.post(url).bearer_auth(table.token(0));
            drop(request.json(&body).send().await.ok()?);
            None
        }
        Some(_) => None,
    }
}

/// Requests pages and sends malformed requests, one after the other on connections of their own.
async fn request_pages(
    address: String,
    ids: Vec<String>,
    seed: u64,
    end: Instant,
    count: Arc<AtomicU64>,
) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    while Instant::now() < end {
        let id = &ids[rng.random_range(0..ids.len())];
        let path = PATHS[rng.random_range(0..PATHS.len())].replace("{}", id);
        let theme = ["theme-dark", "board-flat", "colours-okabe"][rng.random_range(0..3)];
        let mut request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: look={theme}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
        )
        .into_bytes();
        if rng.random_ratio(1, 4) {
            for _ in 0..rng.random_range(1..8) {
                let at = rng.random_range(0..request.len());
                request[at] = rng.next_u32() as u8;
            }
        }
        if let Ok(mut stream) = TcpStream::connect(&address).await {
            let mut answer = Vec::new();
            // A malformed request may wait for its rest.
            let exchange = async {
                stream.write_all(&request).await?;
                stream.read_to_end(&mut answer).await
            };
            let _ = tokio::time::timeout(Duration::from_secs(2), exchange).await;
        }
        count.fetch_add(1, Ordering::Relaxed);
    }
}
