//! Measures how long the review of a game of about sixty plies takes while twenty games of four champions are in
//! progress, how often its progress changes, and how long pages take meanwhile: the real program and one client
//! address.
//!
//! `cargo bench --bench reviews` measures it; without `--bench` (as `cargo test --benches` runs it) it reviews a short
//! game.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark may panic on anything unexpected"
)]

mod background_load;
#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use background_load::{Scale, Times};
use common::{Api, Table, number};
use reqwest::StatusCode;
use serde_json::{Value, json};

fn main() {
    let (scale, full) = Scale::from_arguments();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        for game in ["dice", "trilobite"] {
            measure(scale, game, full).await;
        }
    });
}

async fn measure(scale: Scale, game: &str, full: bool) {
    let folder = tempfile::tempdir().unwrap();
    let program = background_load::server(folder.path());
    let api = program.api();
    let alone = finished(&api, game, 0, full).await;
    let busy = finished(&api, game, 1_000, full).await;
    let (quiet, _) = review(&alone).await;
    let others = background_load::games(&api, scale);
    let done = Arc::new(AtomicBool::new(false));
    let reader = tokio::spawn(pages(program.api(), busy.clone(), Arc::clone(&done)));
    let (took, seen) = review(&busy).await;
    done.store(true, Ordering::Relaxed);
    let meanwhile = reader.await.unwrap();
    let Scale { games, level } = scale;
    println!(
        "{game}: a review of {} plies in {quiet:.1?} without other games, of {} plies in {took:.1?} beside \
         {games} games of {level}, {seen} changes of the progress seen",
        plies(&alone).await,
        plies(&busy).await,
    );
    meanwhile.report(&format!("{game}: a page meanwhile"));
    drop(others);
    program.terminate();
}

/// A finished game between computer players of about sixty plies; of any length unless `full`.
async fn finished(api: &Api, game: &str, from: u64, full: bool) -> Table {
    let levels = ["greedy", "book", "steady", "expert"];
    for seed in from..from + 1_000 {
        let mut new = json!({"game": game, "seed": seed});
        new["seats"] = if game == "dice" {
            json!(levels)
        } else {
            // Without dice, only other players make another game.
            json!([levels[seed as usize % 4], levels[seed as usize / 4 % 4]])
        };
        let table = api.create(new).await;
        table.settled().await;
        let enough = if game == "dice" { 60..66 } else { 34..57 };
        if !full || enough.contains(&plies(&table).await) {
            return table;
        }
    }
    panic!("no game of {game} has about sixty plies");
}

async fn plies(table: &Table) -> usize {
    table.record().await["plies"].as_array().unwrap().len()
}

/// Requests a review; returns the time until it was complete, and how often its progress had changed.
async fn review(table: &Table) -> (Duration, usize) {
    let begun = Instant::now();
    table.api.post(&table.path("/review"), &json!({})).await;
    let (mut progress, mut seen) = (0, 0);
    loop {
        let answer = table.api.get(&table.path("/review")).await;
        match answer.status() {
            StatusCode::OK => return (begun.elapsed(), seen),
            StatusCode::ACCEPTED => {}
            other => panic!("{other}"),
        }
        let now: Value = answer.json().await.unwrap();
        let done = number(&now["done"]);
        assert!(done >= progress, "progress never decreases");
        seen += usize::from(done > progress);
        progress = done;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Fetches pages one after another with short pauses, among them the review's own.
async fn pages(api: Api, game: Table, done: Arc<AtomicBool>) -> Times {
    let page = |rest: &str| format!("/g/{}{rest}", game.id);
    let paths = ["/".to_owned(), page(""), page("/20"), page("/review")];
    let mut times = Vec::new();
    for path in paths.iter().cycle() {
        if done.load(Ordering::Relaxed) && !times.is_empty() {
            break;
        }
        times.push(background_load::page(&api, path).await);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Times::new(times)
}
