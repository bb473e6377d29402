//! Measures event streams: 2,000 streams on 500 games in which people and computers move, served by the real program.
//! Every stream must receive every ply once and in order.
//!
//! `cargo bench --bench streams` measures it; without `--bench` (as `cargo test --benches` runs it) it tries a few
//! streams for a moment.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark may panic on anything unexpected"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::process::Command;
use std::time::{Duration, Instant};

use common::{Program, Table, likely, number, program};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;

/// The numbers of streams, games and plies.
#[derive(Clone, Copy)]
struct Crowd {
    games: u64,
    streams_per_game: usize,
    /// Plies of people in each game.
    plies: usize,
    /// The time between two plies.
    pace: Duration,
}

const FULL: Crowd = Crowd {
    games: 500,
    streams_per_game: 4,
    plies: 20,
    pace: Duration::from_secs(1),
};

const QUICK: Crowd = Crowd {
    games: 10,
    streams_per_game: 4,
    plies: 3,
    pace: Duration::from_millis(20),
};

fn main() {
    let crowd = if std::env::args().any(|argument| argument == "--bench") {
        FULL
    } else {
        QUICK
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(measure(crowd));
}

async fn measure(crowd: Crowd) {
    let folder = tempfile::tempdir().unwrap();
    let program = serve(folder.path());
    let api = program.api();
    let mut tables = Vec::new();
    for seed in 0..crowd.games {
        // Every second game has a computer player.
        let other = ["human", "random"][seed as usize % 2];
        let seats = ["human", other];
        let new =
            json!({"game": "dice", "rules": "v4", "players": 2, "seats": seats, "seed": seed});
        tables.push(api.create(new).await);
    }

    let before = resident_kib(program.pid());
    let address = program.address();
    let (last, _) = watch::channel(None);
    let mut followers = Vec::new();
    for (game, table) in tables.iter().enumerate() {
        for _ in 0..crowd.streams_per_game {
            let stream = open_stream(&address, table).await;
            followers.push((
                game,
                tokio::spawn(record_arrivals(stream, game, last.subscribe())),
            ));
        }
    }
    let streams = followers.len();
    let with_streams = resident_kib(program.pid());

    let mut players = Vec::new();
    let begin = Instant::now();
    for (game, table) in tables.iter().enumerate() {
        // The games begin at different times, as those of people do.
        let first = begin + crowd.pace * game as u32 / crowd.games as u32;
        players.push(tokio::spawn(play(table.clone(), crowd, first)));
    }
    let mut acknowledged = Vec::new();
    for player in players {
        acknowledged.push(player.await.unwrap());
    }
    let playing = begin.elapsed();
    let after = resident_kib(program.pid());
    let mut ends = Vec::new();
    for table in &tables {
        ends.push(number(&table.settled().await["ply"]) as usize);
    }
    let plies: usize = ends.iter().sum();
    last.send_replace(Some(ends.clone()));

    let (mut events, mut delays, mut round_trips) = (0, Vec::new(), Vec::new());
    for (game, follower) in followers {
        let arrivals = follower.await.unwrap();
        assert_eq!(arrivals.len(), ends[game], "game {game}: a ply is missing");
        events += arrivals.len();
        for (ply, sent, done) in &acknowledged[game] {
            delays.push(arrivals[*ply].saturating_duration_since(*done));
            round_trips.push(arrivals[*ply].saturating_duration_since(*sent));
        }
    }
    println!(
        "{streams} streams on {} games: {plies} plies in {playing:.1?}, {events} events, each once and in order",
        crowd.games
    );
    report("from a ply acknowledged to its event", delays);
    report("from a ply sent to its event", round_trips);
    let each = |kib: u64| kib.saturating_sub(before) as f64 / streams as f64;
    println!(
        "server: {before} KiB before, {with_streams} KiB with streams ({:.1} KiB each), {after} KiB after play ({:.1} KiB each, games included)",
        each(with_streams),
        each(after),
    );
    let (status, took) = program.terminate();
    println!("SIGTERM with all streams gone: {status}, {took:.0?}");
}

/// Starts the program with an open-file limit that allows all streams.
fn serve(folder: &std::path::Path) -> Program {
    let mut command = Command::new("sh");
    command
        .env_remove("DATABASE_URL")
        .env("RUST_LOG", "warn")
        .args(["-c", "ulimit -n 8192 2>/dev/null; exec \"$@\"", "sh"])
        .arg(program().get_program())
        .args(["--listen", "127.0.0.1:0", "--database"])
        .arg(format!("sqlite:{}", folder.join("games.db").display()));
    Program::run(command, &folder.join("log"))
}

fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

/// Opens a stream and waits for its first bytes.
async fn open_stream(address: &str, table: &Table) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let path = table.path("/events?from=0");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut begun = Vec::new();
    while !begun.windows(16).any(|text| text == b"event: watchers\n") {
        let mut some = [0; 1024];
        let read = stream.read(&mut some).await.unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&begun));
        begun.extend_from_slice(&some[..read]);
        // A computer's first plies could be among these bytes; in these games people move first, or the plies come
        // with the next bytes.
        assert!(!begun.windows(10).any(|text| text == b"event: ply"));
    }
    stream
}

/// The time at which each ply arrived, up to the last one of the game.
async fn record_arrivals(
    mut stream: TcpStream,
    game: usize,
    mut last: watch::Receiver<Option<Vec<usize>>>,
) -> Vec<Instant> {
    let mut arrivals = Vec::new();
    let mut text = Vec::new();
    let mut some = vec![0; 4096];
    loop {
        let enough = |arrivals: &Vec<Instant>, last: &Option<Vec<usize>>| {
            last.as_ref()
                .is_some_and(|ends| arrivals.len() >= ends[game])
        };
        if enough(&arrivals, &last.borrow_and_update()) {
            return arrivals;
        }
        let read = tokio::select! {
            read = stream.read(&mut some) => read.unwrap(),
            changed = last.changed() => { changed.unwrap(); continue }
        };
        assert!(read > 0, "game {game}: the stream ended");
        let now = Instant::now();
        text.extend_from_slice(&some[..read]);
        // A message never spans two chunks of the response, so its lines arrive together.
        let mut done = 0;
        while let Some(at) = find(&text[done..], b"event: ply\nid: ") {
            let number = &text[done + at + 15..];
            let Some(length) = find(number, b"\n") else {
                break;
            };
            let ply: usize = std::str::from_utf8(&number[..length])
                .unwrap()
                .parse()
                .unwrap();
            assert_eq!(ply, arrivals.len(), "game {game}: not in order, or twice");
            arrivals.push(now);
            done += at + 15 + length;
        }
        // The remainder may be the beginning of a message.
        let keep = (text.len() - done).min(64);
        let done = if find(&text[done..], b"event: ply\nid: ").is_some() {
            done
        } else {
            text.len() - keep
        };
        text.drain(..done);
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|some| some == what)
}

/// Plays for all people of a game; returns for each ply when it was sent and when it was acknowledged.
async fn play(table: Table, crowd: Crowd, first: Instant) -> Vec<(usize, Instant, Instant)> {
    let mut acknowledged = Vec::new();
    for ply in 0..crowd.plies {
        tokio::time::sleep_until((first + crowd.pace * ply as u32).into()).await;
        let now = table.settled().await;
        let Some(player) = now["player"].as_u64() else {
            break;
        };
        let at = number(&now["ply"]);
        let path = likely(&table.moves().await);
        let sent = Instant::now();
        table.play(player as usize, at, &path).await;
        acknowledged.push((at as usize, sent, Instant::now()));
    }
    acknowledged
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{what}: p50 {:.2?}, p99 {:.2?}, worst {:.2?}",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
