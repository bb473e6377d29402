//! Measures response times while computers think: 200 computer turns are requested from the real program at once, and
//! pages are fetched meanwhile. Every turn must be answered. All requests come from one address, which leaves the last
//! of several compute threads to others.
//!
//! `cargo bench --bench scheduler` measures it; without `--bench` (as `cargo test --benches` runs it) it tries a few
//! turns.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark may panic on anything unexpected"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{Api, Program, Table, likely, number, program};
use serde_json::{Value, json};

/// The number of turns requested at once, and the level that plays them.
#[derive(Clone, Copy)]
struct Crowd {
    level: &'static str,
    turns: u64,
    thinkers: &'static str,
}

const FULL: [Crowd; 4] = [
    crowd("book", 200, "1"),
    crowd("master", 200, "1"),
    crowd("master", 200, "2"),
    crowd("champion", 8, "2"),
];

const QUICK: [Crowd; 1] = [crowd("expert", 8, "1")];

const fn crowd(level: &'static str, turns: u64, thinkers: &'static str) -> Crowd {
    Crowd {
        level,
        turns,
        thinkers,
    }
}

fn main() {
    let crowds = if std::env::args().any(|argument| argument == "--bench") {
        &FULL[..]
    } else {
        &QUICK[..]
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for &crowd in crowds {
        runtime.block_on(measure(crowd));
    }
}

async fn measure(crowd: Crowd) {
    let Crowd {
        level,
        turns,
        thinkers,
    } = crowd;
    let folder = tempfile::tempdir().unwrap();
    let mut command = program();
    command
        .env("RUST_LOG", "warn")
        .args(["--listen", "127.0.0.1:0", "--thinkers", thinkers])
        .arg("--database")
        .arg(format!(
            "sqlite:{}",
            folder.path().join("games.db").display()
        ));
    let program = Program::run(command, &folder.path().join("log"));
    let api = program.api();

    let mut tables = Vec::new();
    for seed in 0..turns {
        tables.push(ready(&api, level, seed).await);
    }
    let people = json!({"game": "dice", "seats": ["human", "human", "human", "human"]});
    let other = api.create(people).await;
    let idle = pages(&api, &other, None, Until::Pages(300)).await;

    let done = Arc::new(AtomicBool::new(false));
    let reader = tokio::spawn({
        let (api, done) = (program.api(), Arc::clone(&done));
        let busy = tables[tables.len() - 1].clone();
        async move { pages(&api, &other, Some(&busy), Until::Done(&done)).await }
    });
    let begun = Instant::now();
    let mut waiting = Vec::new();
    for table in &tables {
        table.play(0, 1, &Value::Null).await;
        let (sent, table) = (Instant::now(), table.clone());
        waiting.push(tokio::spawn(async move {
            table.settled().await;
            sent.elapsed()
        }));
    }
    let asking = begun.elapsed();
    let mut times = Vec::new();
    for turn in waiting {
        times.push(turn.await.unwrap());
    }
    let all = begun.elapsed();
    done.store(true, Ordering::Relaxed);
    let busy = reader.await.unwrap();

    let mut starts = Vec::new();
    let mut plies = 0;
    for table in &tables {
        let record = table.record().await;
        let played = record["plies"].as_array().unwrap();
        starts.push(number(&played[2]["at"]));
        plies += played.len() - 2;
    }
    let overtaken = starts.windows(2).filter(|two| two[1] < two[0]).count();
    println!(
        "{turns} turns of {level} on {thinkers} compute threads, requested within {asking:.1?}: {plies} plies in {all:.1?}, \
         {overtaken} began to move before one that was requested earlier"
    );
    report("  a turn, from asking to its end", times);
    report("  a page, idle server", idle);
    report("  a page meanwhile", busy);
    // Requests another turn in each game: a server that stops must not wait for them.
    for table in &tables {
        let now = table.state().await;
        if now["player"] == 0 {
            let path = likely(&table.moves().await);
            table.play(0, number(&now["ply"]), &path).await;
        }
    }
    let (status, took) = program.terminate();
    println!("  SIGTERM: {status}, {took:.0?}");
}

/// A game in which a person only has to end the turn.
async fn ready(api: &Api, level: &str, seed: u64) -> Table {
    let new = json!({"game": "dice", "rules": "v4", "players": 2, "seats": ["human", level], "seed": seed});
    let table = api.create(new).await;
    let path = likely(&table.moves().await);
    table.play(0, 0, &path).await;
    table
}

/// When to stop fetching pages.
enum Until<'a> {
    Pages(usize),
    Done(&'a AtomicBool),
}

/// Fetches pages one after another with short pauses; returns how long each took.
async fn pages(api: &Api, game: &Table, busy: Option<&Table>, until: Until<'_>) -> Vec<Duration> {
    let mut paths = vec![
        "/".to_owned(),
        "/rules".to_owned(),
        format!("/g/{}", game.id),
    ];
    // Fetches the board of a game whose computer is thinking, as the page's script does.
    paths.extend(busy.map(|table| format!("/g/{}", table.id)));
    let mut times = Vec::new();
    for path in paths.iter().cycle() {
        let ends = match until {
            Until::Pages(pages) => times.len() >= pages,
            Until::Done(done) => done.load(Ordering::Relaxed),
        };
        if ends {
            break;
        }
        let begun = Instant::now();
        let request = api.client.get(format!("{}{path}", api.url));
        let response = request.header("x-fragment", "1").send().await.unwrap();
        assert!(response.status().is_success(), "{path}");
        response.bytes().await.unwrap();
        times.push(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    times
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{what}: p50 {:.2?}, p99 {:.2?}, worst {:.2?} of {}",
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    );
}
