//! How long a hint takes while twenty games of four champions go on: the real program, one address for
//! all, a person who plays and asks before every ply. Pages are fetched meanwhile.
//!
//! `cargo bench --bench hints` measures it; without `--bench` (as `cargo test --benches` runs it) it asks
//! for a few hints.

#![allow(
    clippy::unwrap_used,
    reason = "a program for measuring may stop at anything odd"
)]

mod background_load;
#[path = "../tests/common/mod.rs"]
mod common;

use std::time::{Duration, Instant};

use background_load::{Scale, Times};
use common::{Api, Table, number};
use serde_json::{Value, json};

fn main() {
    let (scale, full) = Scale::asked();
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
    let beside = ask(&api, game, hints).await;
    let Scale { games, level } = scale;
    Times::of(alone).report(&format!("{game}: a hint, nothing else going on"));
    Times::of(beside).report(&format!("{game}: a hint beside {games} games of {level}"));
    reader.abort();
    drop(others);
    program.terminate();
}

/// Asks for so many hints, each of a position that nobody asked for before; how long each took.
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
            // What is asked for again is known already.
            if game == "dice" || plies >= 2 {
                times.push(hint(&table).await);
            }
            if times.len() == hints {
                return times;
            }
            let moves = table.moves().await;
            let moves = moves["moves"].as_array().unwrap();
            // Odd enough that no two games are the same.
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

/// Asks until it is there, as a program does.
async fn hint(table: &Table) -> Duration {
    let begun = Instant::now();
    loop {
        let path = format!("{}{}", table.api.url, table.path("/hint"));
        let request = table.api.client.get(path).bearer_auth(table.token(0));
        let answer = request.send().await.unwrap();
        let status = answer.status();
        let told: Value = answer.json().await.unwrap();
        match status.as_u16() {
            200 => return begun.elapsed(),
            202 | 503 => {}
            _ => panic!("{status}: {told}"),
        }
    }
}

/// Fetches the start page until it is stopped.
async fn pages(api: &Api) {
    loop {
        background_load::page(api, "/").await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
