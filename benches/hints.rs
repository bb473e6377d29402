//! Measures how long a hint takes while twenty games of four champions are in progress: the real program, one client
//! address, and a person who requests a hint before every ply. Pages are fetched meanwhile.
//!
//! `cargo bench --bench hints` measures it; without `--bench` (as `cargo test --benches` runs it) it requests a few
//! hints.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark may panic on anything unexpected"
)]

mod background_load;
#[path = "../tests/common/mod.rs"]
mod common;

use std::time::{Duration, Instant};

use background_load::{Scale, Times};
use common::{Api, Table, number};
use serde_json::{Value, json};

fn main() {
    let (scale, full) = Scale::from_arguments();
    let hints = if full { 100 } else { 2 };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        for game in ["dice", "trilobite"] {
            measure(scale, game, hints).await;
        }
    });
}

async fn measure(scale: Scale, game: &str, hints: usize) {
    let folder = tempfile::tempdir().unwrap();
    let program = background_load::server(folder.path());
    let api = program.api();
    let alone = ask(&api, game, hints.div_ceil(5)).await;
    let others = background_load::games(&api, scale);
    let reader = tokio::spawn({
        let api = program.api();
        async move { pages(&api).await }
    });
    let loaded = ask(&api, game, hints).await;
    let Scale { games, level } = scale;
    Times::new(alone).report(&format!("{game}: a hint, nothing else going on"));
    Times::new(loaded).report(&format!("{game}: a hint beside {games} games of {level}"));
    reader.abort();
    drop(others);
    program.terminate();
}

/// Requests the given number of hints, each for a new position; returns the time that each took.
async fn ask(api: &Api, game: &str, hints: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    for seed in 0.. {
        let mut seats = vec!["human", "book", "book", "book"];
        seats.truncate(if game == "dice" { 4 } else { 2 });
        let table = api
            .create(json!({"game": game, "seats": seats, "seed": seed}))
            .await;
        let mut plies = 0;
        loop {
            let now = table.settled().await;
            if now["player"].is_null() || plies == 10 {
                break;
            }
            // The first positions of Trilobite repeat, and their hints are cached.
            if game == "dice" || plies >= 2 {
                times.push(hint(&table).await);
            }
            if times.len() == hints {
                return times;
            }
            let moves = table.moves().await;
            let moves = moves["moves"].as_array().unwrap();
            // Varies the choice so that no two games are the same.
            let choice = (seed * 7 + plies * 3) as usize % moves.len();
            let mut body = json!({"ply": number(&now["ply"])});
            match moves[choice].get("path") {
                Some(path) => body["path"] = path.clone(),
                None => body["cell"] = moves[choice].clone(),
            }
            let moved = api
                .post_as(table.token(0), &table.path("/moves"), &body)
                .await;
            assert!(moved.status().is_success(), "{body}");
            plies += 1;
        }
    }
    times
}

/// Polls until the hint is there, as a program does; returns the time that it took.
async fn hint(table: &Table) -> Duration {
    let begun = Instant::now();
    loop {
        let path = format!("{}{}", table.api.url, table.path("/hint"));
        let request = table.api.client.get(path).bearer_auth(table.token(0));
        let answer = request.send().await.unwrap();
        let status = answer.status();
        let body: Value = answer.json().await.unwrap();
        match status.as_u16() {
            200 => return begun.elapsed(),
            202 | 503 => {}
            _ => panic!("{status}: {body}"),
        }
    }
}

/// Fetches the start page repeatedly until the task is aborted.
async fn pages(api: &Api) {
    loop {
        background_load::page(api, "/").await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
