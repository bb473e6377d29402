//! Background load for benchmarks: games between computer players, each with a waiting client so that they are played
//! without pauses, and statistics of response times.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use crate::common::{Api, Program, number, program};

/// The size of the background load.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// The number of games in progress.
    pub(crate) games: u64,
    /// The level of all their players.
    pub(crate) level: &'static str,
}

impl Scale {
    /// The full load with `--bench`, a small one without it (as `cargo test --benches` runs it), and whether it is the
    /// full one.
    pub(crate) fn from_arguments() -> (Self, bool) {
        let full = std::env::args().any(|argument| argument == "--bench");
        let scale = if full {
            Scale {
                games: 20,
                level: "champion",
            }
        } else {
            Scale {
                games: 2,
                level: "steady",
            }
        };
        (scale, full)
    }
}

/// Starts the real program as at home, without limits per address.
pub(crate) fn server(folder: &Path) -> Program {
    let mut command = program();
    let database = format!("sqlite:{}", folder.join("games.db").display());
    command
        .env("RUST_LOG", "warn")
        .args(["--listen", "127.0.0.1:0", "--database", &database]);
    Program::run(command, &folder.join("log"))
}

/// Keeps `scale.games` games of four in progress until the set is dropped; a finished game is followed by another.
pub(crate) fn games(api: &Api, scale: Scale) -> JoinSet<()> {
    let mut all = JoinSet::new();
    for nth in 0..scale.games {
        let api = api.clone();
        all.spawn(async move {
            for seed in (nth..).step_by(1_000) {
                let seats = [scale.level; 4];
                let new = json!({"game": "dice", "seats": seats, "seed": seed});
                let table = api.create(new).await;
                let mut now = table.state().await;
                while now["over"] != true {
                    now = table.wait(number(&now["ply"]) + 1).await;
                }
            }
        });
    }
    all
}

/// Durations in ascending order.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort();
        Times(times)
    }

    pub(crate) fn report(&self, what: &str) {
        let at = |share: f64| self.0[((self.0.len() - 1) as f64 * share) as usize];
        println!(
            "{what}: p50 {:.1?}, p99 {:.1?}, worst {:.1?} of {}",
            at(0.5),
            at(0.99),
            at(1.0),
            self.0.len()
        );
    }
}

/// The time until the whole page has arrived.
pub(crate) async fn page(api: &Api, path: &str) -> Duration {
    let begun = Instant::now();
    let response = api.get(path).await;
    assert!(response.status().is_success(), "{path}");
    response.bytes().await.unwrap();
    begun.elapsed()
}
