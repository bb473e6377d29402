//! The capacity of one machine: plies per second, event streams, memory, and bytes of the database, with one server on
//! SQLite and one, two and four on PostgreSQL, all under the load test. docs/speed.md has the table.
//!
//! `cargo bench --package dice-of-doom-lab --bench scale` measures the program that `cargo build --release` has built;
//! without `--bench` (as `cargo test --benches` runs it) each measurement takes one second. Servers, database and load
//! test share the cores.

#![allow(clippy::unwrap_used, reason = "a benchmark may stop at any error")]

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../benches/background_load/processor.rs"]
mod processor;
#[path = "../../../tests/common/postgres.rs"]
mod server;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use common::{Program, program, resident_bytes};
use processor::processor_time;
use serde_json::Value;
use server::{Postgres, connect, is_left_out};

/// The program with the load test.
const LAB: &str = env!("CARGO_BIN_EXE_dice-of-doom-lab");

/// A rate above the capacity: the rate of completed plies is then the maximum.
const MAX_RATE: f64 = 1_000_000.0;

/// The sizes of the measurements.
#[derive(Clone, Copy)]
struct Scale {
    seconds: u32,
    /// The number of games in progress when plies are measured.
    games: u32,
    /// The number of games that are only created, to measure their memory and bytes.
    idle: u32,
    /// The number of streams on two servers, of the games that they follow, and of plies per second in these games.
    streams: (u32, u32, f64),
}

const FULL: Scale = Scale {
    seconds: 20,
    games: 64,
    idle: 5_000,
    streams: (10_000, 500, 100.0),
};

const QUICK: Scale = Scale {
    seconds: 1,
    games: 4,
    idle: 10,
    streams: (40, 10, 10.0),
};

fn main() {
    if is_left_out() {
        println!("skipped: this needs PostgreSQL");
        return;
    }
    let full = std::env::args().any(|argument| argument == "--bench");
    let scale = if full { FULL } else { QUICK };
    let postgres = Postgres::start(true);
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    println!(
        "| servers | plies/s, most | at half of it: p50 | p99 | 99.9 % | µs of processor a ply: servers | database | bytes a ply |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let folder = tempfile::tempdir().unwrap();
    plies(scale, &ServerGroup::sqlite(folder.path()), "one, SQLite");
    for count in [1, 2, 4] {
        let group = runtime.block_on(ServerGroup::postgres(&postgres, count, folder.path()));
        plies(scale, &group, &format!("{count}, PostgreSQL"));
    }
    println!();
    idle(scale, &ServerGroup::sqlite(folder.path()), "SQLite");
    let group = runtime.block_on(ServerGroup::postgres(&postgres, 1, folder.path()));
    idle(scale, &group, "PostgreSQL");
    drop(group);
    println!();
    let group = runtime.block_on(ServerGroup::postgres(&postgres, 2, folder.path()));
    streams(scale, &group);
}

/// Servers that share a database.
struct ServerGroup {
    servers: Vec<Program>,
    database: Database,
}

enum Database {
    Sqlite(PathBuf),
    Postgres {
        url: String,
        /// The id of the database's main process, whose children do the work.
        process: u32,
    },
}

impl ServerGroup {
    fn sqlite(folder: &Path) -> Self {
        let file = folder.join(format!("{}.db", rand::random::<u64>()));
        ServerGroup {
            servers: vec![serve(&format!("sqlite:{}", file.display()), folder)],
            database: Database::Sqlite(file),
        }
    }

    async fn postgres(postgres: &Postgres, count: usize, folder: &Path) -> Self {
        let url = postgres.database().await;
        ServerGroup {
            servers: (0..count).map(|_| serve(&url, folder)).collect(),
            database: Database::Postgres {
                process: postgres.process(),
                url,
            },
        }
    }

    fn load(&self, seconds: u32, rate: f64, arguments: &[&str]) -> Value {
        let mut command = Command::new(LAB);
        command.args(["load", "--json", "--seconds", &seconds.to_string()]);
        command.args(["--rate", &rate.to_string()]).args(arguments);
        for server in &self.servers {
            command.args(["--url", &server.url]);
        }
        let run = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{stderr}");
        let report: Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(report["failed"], 0, "{report}");
        assert_eq!(report["events"]["missed"], 0, "{report}");
        report
    }

    fn servers_cpu_time(&self) -> Duration {
        let times = self
            .servers
            .iter()
            .map(|server| processor_time(&server.pid().to_string()));
        times.sum()
    }

    fn database_cpu_time(&self) -> Duration {
        match &self.database {
            Database::Sqlite(_) => Duration::ZERO,
            Database::Postgres { process, .. } => {
                let mut children = Command::new("pgrep");
                let children = children
                    .args(["-P", &process.to_string()])
                    .output()
                    .unwrap();
                let children = String::from_utf8(children.stdout).unwrap();
                children.split_whitespace().map(processor_time).sum()
            }
        }
    }

    fn memory(&self) -> u64 {
        self.servers
            .iter()
            .map(|server| resident_bytes(server.pid()))
            .sum()
    }

    /// The size of the database, without its write-ahead log.
    fn bytes(&self) -> u64 {
        match &self.database {
            Database::Sqlite(file) => file.metadata().unwrap().len(),
            Database::Postgres { url, .. } => {
                let runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = { runtime }.enable_all().build().unwrap();
                runtime.block_on(async {
                    let mut connection = connect(url).await;
                    let size = sqlx::query_scalar("SELECT pg_database_size(current_database())");
                    let size: i64 = size.fetch_one(&mut connection).await.unwrap();
                    size as u64
                })
            }
        }
    }
}

/// Starts a server with enough open files for its streams.
fn serve(database: &str, folder: &Path) -> Program {
    let mut command = Command::new("sh");
    command
        .env_remove("DATABASE_URL")
        .env("RUST_LOG", "warn")
        .args(["-c", "ulimit -n 16384 2>/dev/null; exec \"$@\"", "sh"])
        .arg(program().get_program())
        .args(["--listen", "127.0.0.1:0", "--database", database]);
    Program::run(command, &folder.join("log"))
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn ms(us: &Value) -> String {
    format!("{:.1} ms", number(us) / 1000.0)
}

/// Measures the maximum rate of plies, and their latency at half of that rate.
fn plies(scale: Scale, group: &ServerGroup, name: &str) {
    let games = ["--games", &scale.games.to_string()];
    // Warm-up: loads code and database pages, and caches the query plans.
    group.load(1, MAX_RATE, &games);
    let bytes = group.bytes();
    let (servers, database) = (group.servers_cpu_time(), group.database_cpu_time());
    let at_max = group.load(scale.seconds, MAX_RATE, &games);
    let done = number(&at_max["done"]);
    let each = |time: Duration| time.as_secs_f64() * 1e6 / done;
    let servers = each(group.servers_cpu_time().saturating_sub(servers));
    let database = each(group.database_cpu_time().saturating_sub(database));
    let bytes = group.bytes().saturating_sub(bytes) as f64 / done;
    let rate = number(&at_max["done_per_second"]);
    let at_half = group.load(scale.seconds, (rate / 2.0).max(1.0), &games);
    let ply = &at_half["requests"][0]["since_due"];
    println!(
        "| {name} | {rate:.0} | {} | {} | {} | {servers:.0} | {database:.0} | {bytes:.0} |",
        ms(&ply["p50_us"]),
        ms(&ply["p99_us"]),
        ms(&ply["p999_us"])
    );
}

/// Measures the memory and bytes of a new game.
fn idle(scale: Scale, group: &ServerGroup, name: &str) {
    group.load(1, 1.0, &["--games", "1"]);
    let (memory, bytes) = (group.memory(), group.bytes());
    let games = ["--games", &scale.idle.to_string()];
    let report = group.load(1, 1.0, &games);
    let created = number(&report["games"]);
    let each = |increase: u64| increase as f64 / created;
    println!(
        "{created} games created on {name}: {:.0} bytes of memory and {:.0} of the database each",
        each(group.memory().saturating_sub(memory)),
        each(group.bytes().saturating_sub(bytes))
    );
}

/// Measures streams on two servers, including events from the other server.
fn streams(scale: Scale, group: &ServerGroup) {
    let (streams, games, rate) = scale.streams;
    let games = games.to_string();
    group.load(1, 1.0, &["--games", &games]);
    let memory_before = group.memory();
    let watcher_count = streams.to_string();
    let arguments = ["--games", &games, "--watchers", &watcher_count];
    let (max_memory, report) = std::thread::scope(|scope| {
        let loading = scope.spawn(|| group.load(scale.seconds, rate, &arguments));
        let mut max_memory = 0;
        while !loading.is_finished() {
            max_memory = max_memory.max(group.memory());
            std::thread::sleep(Duration::from_millis(100));
        }
        (max_memory, loading.join().unwrap())
    });
    let (events, ply) = (&report["events"], &report["requests"][0]["since_due"]);
    println!(
        "{streams} streams on {games} games at {} servers: {} plies, {} events of {}, {} missed, {} twice",
        group.servers.len(),
        report["done"],
        events["received"],
        events["expected"],
        events["missed"],
        events["repeated"]
    );
    for (what, times) in [
        (
            "from a ply acknowledged to its event",
            &events["since_acknowledged"],
        ),
        ("from a ply sent to its event", &events["since_sent"]),
        ("a ply, from when it was due", ply),
    ] {
        println!(
            "{what}: p50 {}, p99 {}, longest {}",
            ms(&times["p50_us"]),
            ms(&times["p99_us"]),
            ms(&times["max_us"])
        );
    }
    println!(
        "memory of the servers: {} MB with the games alone, {} MB at most, {:.1} KB a stream with its part of the games that were begun",
        memory_before / 1_000_000,
        max_memory / 1_000_000,
        max_memory.saturating_sub(memory_before) as f64 / 1e3 / f64::from(streams)
    );
}
