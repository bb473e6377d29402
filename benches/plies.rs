//! Measures how many plies a second are acknowledged, and what bounds them: the same games over the store alone, over
//! the service, and over HTTP with the real program; each on `memory:`, on SQLite
//! and, where it is installed, on PostgreSQL.
//!
//! `cargo bench --bench plies` measures it; without `--bench` (as `cargo test --benches` runs it) it tries a few
//! games. Fifty games are played at once. In each the first player makes 32 attacks that are legal whatever the dice
//! show; then a new game is created, which is included in the time.
//!
//! `DOD_BEFORE=PROGRAM cargo bench --bench plies` measures another build of the program alternately with this one, so
//! that one run shows the effect of a change.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark may panic on anything unexpected"
)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/postgres.rs"]
mod postgres;
#[path = "background_load/processor.rs"]
mod processor;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{Program, program};
use dice_of_doom::formats::JsonFields;
use dice_of_doom::games::{ConfiguredGame, Registry, StartPosition, SubmittedAction};
use dice_of_doom::record::PlyRow;
use dice_of_doom::seats::{ComputerPace, Credentials, SeatSpec};
use dice_of_doom::store::{self, GameHeader, GameId, Store, StoredEntry};
use dice_of_doom::tables::{NewGame, Service, ServiceSettings};
use postgres::Postgres;
use processor::processor_time;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// The number of concurrent players, and of games that each of them plays.
#[derive(Clone, Copy)]
struct Crowd {
    players: usize,
    games: usize,
}

const FULL: Crowd = Crowd {
    players: 50,
    games: 20,
};

const QUICK: Crowd = Crowd {
    players: 3,
    games: 1,
};

/// The number of attacks in each game.
const PLIES: u32 = 32;

fn main() {
    let crowd = if std::env::args().any(|argument| argument == "--bench") {
        FULL
    } else {
        QUICK
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let cluster = postgres::is_installed().then(|| Postgres::start(true));
    for round in 1..=2 {
        println!("round {round}");
        for place in ["memory:", "sqlite:", "postgres:"] {
            if place == "postgres:" && cluster.is_none() {
                println!("PostgreSQL is not installed");
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let url = |file: &str| match (place, &cluster) {
                ("postgres:", Some(cluster)) => runtime.block_on(cluster.database()),
                ("memory:", _) => place.to_owned(),
                _ => format!("sqlite:{}", folder.path().join(file).display()),
            };
            runtime.block_on(over_store(crowd, &url("store.db")));
            runtime.block_on(over_service(crowd, &url("service.db")));
            if let Some(before) = std::env::var_os("DOD_BEFORE") {
                let before = Build {
                    layer: "before",
                    program: Command::new(before),
                };
                runtime.block_on(over_http(crowd, &url("before.db"), folder.path(), before));
            }
            let now = Build {
                layer: "HTTP",
                program: program(),
            };
            runtime.block_on(over_http(crowd, &url("http.db"), folder.path(), now));
        }
    }
}

/// A measurement of one layer.
struct Measured {
    layer: &'static str,
    begun: Instant,
    /// The process that does the work, and its processor time at the start.
    process: String,
    processor_before: Duration,
    written_before: u64,
    times: Vec<Duration>,
}

impl Measured {
    fn begin(layer: &'static str, process: &str) -> Self {
        Measured {
            layer,
            process: process.to_owned(),
            processor_before: processor_time(process),
            written_before: bytes_written(process),
            times: Vec::new(),
            begun: Instant::now(),
        }
    }

    async fn gather(mut self, url: &str, mut players: JoinSet<Vec<Duration>>) {
        while let Some(times) = players.join_next().await {
            self.times.extend(times.unwrap());
        }
        let took = self.begun.elapsed();
        let processor = processor_time(&self.process).saturating_sub(self.processor_before);
        let written = bytes_written(&self.process).saturating_sub(self.written_before);
        self.times.sort();
        let plies = self.times.len();
        let at = |share: f64| self.times[((plies - 1) as f64 * share) as usize];
        let scheme = url.split(':').next().unwrap();
        println!(
            "{scheme:>8} {:>7}: {:>6.0} plies/s, p50 {:.2?}, p99 {:.2?}, worst {:.2?}; {:.0} µs of processor and {} bytes on the disk a ply",
            self.layer,
            plies as f64 / took.as_secs_f64(),
            at(0.5),
            at(0.99),
            at(1.0),
            processor.as_secs_f64() * 1e6 / plies as f64,
            written / plies as u64,
        );
    }
}

/// The bytes that a process has written to disks; zero where `/proc` is missing.
fn bytes_written(process: &str) -> u64 {
    let io = std::fs::read_to_string(format!("/proc/{process}/io")).unwrap_or_default();
    let mut fields = io.lines().filter_map(|line| line.split_once(": "));
    let bytes = fields.find_map(|(name, bytes)| (name == "write_bytes").then_some(bytes));
    bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}

async fn over_store(crowd: Crowd, url: &str) {
    let store = store::open(url).await.unwrap();
    let measured = Measured::begin("store", "self");
    let mut players = JoinSet::new();
    for _ in 0..crowd.players {
        let store = Arc::clone(&store);
        players.spawn(async move {
            let mut times = Vec::new();
            for _ in 0..crowd.games {
                append_all(&*store, &mut times).await;
            }
            times
        });
    }
    measured.gather(url, players).await;
    store.close().await;
}

async fn append_all(store: &dyn Store, times: &mut Vec<Duration>) {
    let header = GameHeader {
        id: GameId::random(),
        game: setting().parameters_text(),
        start: start().to_string(),
        dice: None,
        pace: ComputerPace::AtOnce,
        creator: None,
        book_of: None,
        created_ms: 0,
        private: false,
        replace_after_s: None,
        rematch_of: None,
        takebacks: true,
        hints: false,
        turn_s: None,
        origin: None,
    };
    let id = header.id.clone();
    store.create(header, Vec::new()).await.unwrap();
    for number in 0..PLIES {
        let ply = PlyRow {
            player: 0,
            action: action(number),
            roll: "3,4,5|1,2,3".to_owned(),
            at_ms: i64::from(number),
        };
        let begun = Instant::now();
        let appended = store.append(&id, number, StoredEntry::Ply(ply)).await;
        appended.unwrap();
        times.push(begun.elapsed());
    }
}

async fn over_service(crowd: Crowd, url: &str) {
    let store = store::open(url).await.unwrap();
    let service = Service::new(Registry::builtin(), store, ServiceSettings::default());
    let measured = Measured::begin("service", "self");
    let mut players = JoinSet::new();
    for _ in 0..crowd.players {
        let service = service.clone();
        players.spawn(async move {
            let mut times = Vec::new();
            for _ in 0..crowd.games {
                serve_all(&service, &mut times).await;
            }
            times
        });
    }
    measured.gather(url, players).await;
    service.close().await;
}

async fn serve_all(service: &Service, times: &mut Vec<Duration>) {
    let begin = StartPosition::Given(start().to_string());
    let new = NewGame::new(setting(), begin, vec![SeatSpec::Human; 2]);
    let created = service.create(new).await.unwrap();
    let claim = Credentials {
        token: created.tokens[0].as_ref().map(|token| token.hash()),
        browser: None,
        ..Credentials::default()
    };
    for number in 0..PLIES {
        let begun = Instant::now();
        let action = action(number);
        let action = SubmittedAction::Notation(action);
        let played = service.play(&created.snapshot.id, claim, number, action);
        assert!(!played.await.unwrap().repeated);
        times.push(begun.elapsed());
    }
}

/// A build of the program, and the label of its results.
struct Build {
    layer: &'static str,
    program: Command,
}

async fn over_http(crowd: Crowd, url: &str, folder: &Path, build: Build) {
    let mut command = build.program;
    command
        .env("RUST_LOG", "warn")
        .args(["--listen", "127.0.0.1:0", "--database", url]);
    let program = Program::run(command, &folder.join("log"));
    let measured = Measured::begin(build.layer, &program.pid().to_string());
    let mut players = JoinSet::new();
    for _ in 0..crowd.players {
        let address = program.address();
        players.spawn(async move {
            let mut line = HttpConnection::connect(&address).await;
            let mut times = Vec::new();
            for _ in 0..crowd.games {
                post_all(&mut line, &mut times).await;
            }
            times
        });
    }
    measured.gather(url, players).await;
    program.terminate();
}

async fn post_all(line: &mut HttpConnection, times: &mut Vec<Duration>) {
    let new = json!({"game": "dice", "rules": "v4", "size": 8, "players": 2,
                     "seats": ["human", "human"], "start": start()});
    let game = line.post("/api/v1/games", "", &new).await;
    let game: Value = serde_json::from_slice(&game).unwrap();
    let path = format!("/api/v1/games/{}/moves", game["id"].as_str().unwrap());
    let token = game["seats"][0]["token"].as_str().unwrap();
    for number in 0..PLIES {
        let (from, to) = attack(number);
        let body = json!({"ply": number, "path": [from, to]});
        let begun = Instant::now();
        line.post(&path, token, &body).await;
        times.push(begun.elapsed());
    }
}

/// A client with little overhead: one persistent connection.
struct HttpConnection(BufReader<TcpStream>);

impl HttpConnection {
    async fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        HttpConnection(BufReader::new(stream))
    }

    /// Posts a body; returns the body of the response, which must be a success.
    async fn post(&mut self, path: &str, token: &str, body: &Value) -> Vec<u8> {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.0.write_all(request.as_bytes()).await.unwrap();
        let mut status = String::new();
        self.0.read_line(&mut status).await.unwrap();
        let mut length = 0;
        loop {
            let mut header = String::new();
            self.0.read_line(&mut header).await.unwrap();
            if header == "\r\n" {
                break;
            }
            if let Some((name, value)) = header.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap();
            }
        }
        let mut answer = vec![0; length];
        self.0.read_exact(&mut answer).await.unwrap();
        let good = status.starts_with("HTTP/1.1 20");
        assert!(good, "{status}{}", String::from_utf8_lossy(&answer));
        answer
    }
}

fn setting() -> Arc<dyn ConfiguredGame> {
    let fields = JsonFields::parse(r#"{"rules":"v4","size":8,"players":2}"#).unwrap();
    let games = Registry::builtin();
    games.game_type("dice").unwrap().configure(fields).unwrap()
}

/// Eight by eight hexes with three dice each; the first player owns every second row.
fn start() -> Value {
    let board: Vec<[u8; 2]> = (0..64).map(|hex| [(hex / 8) % 2, 3]).collect();
    json!({"board": board, "player": 0, "spare": 0, "first_move": true})
}

/// Every attack goes from an own hex to the one below it, so no two attacks share a hex.
const fn attack(number: u32) -> (u32, u32) {
    let from = number / 8 * 16 + number % 8;
    (from, from + 8)
}

fn action(number: u32) -> String {
    let (from, to) = attack(number);
    format!("{from}-{to}")
}
