//! How far one machine goes: plies a second, streams, memory and bytes of the database, with one server on SQLite
//! and one, two and four on a PostgreSQL, all under the load tool. docs/scale.md has the table.
//!
//! `cargo bench --package dice-of-doom-lab --bench scale` measures the program that `cargo build --release` has built;
//! without `--bench` (as `cargo test --benches` runs it) it tries everything for a second. Servers, database and load
//! share the cores: the sums are those of the machine.

#![allow(
    clippy::unwrap_used,
    reason = "a program for measuring may stop at anything odd"
)]

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

/// The program that puts load on servers.
const LAB: &str = env!("CARGO_BIN_EXE_dice-of-doom-lab");

/// More plies than are possible: the rate of what is done is then the most.
const ALL: f64 = 1_000_000.0;

/// How much is done.
#[derive(Clone, Copy)]
struct Scale {
    seconds: u32,
    /// Games that are played at a time where plies are counted.
    games: u32,
    /// Games that are only begun, where their memory and bytes are counted.
    idle: u32,
    /// Streams on two servers, how many games they follow, and how many plies a second are played in these.
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
    plies(scale, &House::sqlite(folder.path()), "one, SQLite");
    for count in [1, 2, 4] {
        let house = runtime.block_on(House::postgres(&postgres, count, folder.path()));
        plies(scale, &house, &format!("{count}, PostgreSQL"));
    }
    println!();
    idle(scale, &House::sqlite(folder.path()), "SQLite");
    let house = runtime.block_on(House::postgres(&postgres, 1, folder.path()));
    idle(scale, &house, "PostgreSQL");
    drop(house);
    println!();
    let house = runtime.block_on(House::postgres(&postgres, 2, folder.path()));
    streams(scale, &house);
}

/// Servers that share a database.
struct House {
    servers: Vec<Program>,
    database: Database,
}

enum Database {
    Sqlite(PathBuf),
    Postgres {
        url: String,
        /// The first process of the database, whose children do its work.
        process: u32,
    },
}

impl House {
    fn sqlite(folder: &Path) -> Self {
        let file = folder.join(format!("{}.db", rand::random::<u64>()));
        House {
            servers: vec![serve(&format!("sqlite:{}", file.display()), folder)],
            database: Database::Sqlite(file),
        }
    }

    async fn postgres(postgres: &Postgres, count: usize, folder: &Path) -> Self {
        let url = postgres.database().await;
        House {
            servers: (0..count).map(|_| serve(&url, folder)).collect(),
            database: Database::Postgres {
                process: postgres.process(),
                url,
            },
        }
    }

    fn load(&self, seconds: u32, rate: f64, more: &[&str]) -> Value {
        let mut command = Command::new(LAB);
        command.args(["load", "--json", "--seconds", &seconds.to_string()]);
        command.args(["--rate", &rate.to_string()]).args(more);
        for server in &self.servers {
            command.args(["--url", &server.url]);
        }
        let run = command.output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{said}");
        let report: Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(report["failed"], 0, "{report}");
        assert_eq!(report["events"]["missed"], 0, "{report}");
        report
    }

    fn servers_processor(&self) -> Duration {
        let times = self
            .servers
            .iter()
            .map(|server| processor_time(&server.pid().to_string()));
        times.sum()
    }

    fn database_processor(&self) -> Duration {
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

    /// What the games take on the disk, without the log of the database.
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

/// How many plies are acknowledged, and how long half as many take.
fn plies(scale: Scale, house: &House, name: &str) {
    let games = ["--games", &scale.games.to_string()];
    // Pages of the code and of the database are there, and the first plans are made.
    house.load(1, ALL, &games);
    let bytes = house.bytes();
    let (servers, database) = (house.servers_processor(), house.database_processor());
    let most = house.load(scale.seconds, ALL, &games);
    let done = number(&most["done"]);
    let each = |time: Duration| time.as_secs_f64() * 1e6 / done;
    let servers = each(house.servers_processor().saturating_sub(servers));
    let database = each(house.database_processor().saturating_sub(database));
    let bytes = house.bytes().saturating_sub(bytes) as f64 / done;
    let rate = number(&most["done_per_second"]);
    let half = house.load(scale.seconds, (rate / 2.0).max(1.0), &games);
    let ply = &half["requests"][0]["since_due"];
    println!(
        "| {name} | {rate:.0} | {} | {} | {} | {servers:.0} | {database:.0} | {bytes:.0} |",
        ms(&ply["p50_us"]),
        ms(&ply["p99_us"]),
        ms(&ply["p999_us"])
    );
}

/// What a game takes that has just begun.
fn idle(scale: Scale, house: &House, name: &str) {
    house.load(1, 1.0, &["--games", "1"]);
    let (memory, bytes) = (house.memory(), house.bytes());
    let games = ["--games", &scale.idle.to_string()];
    let report = house.load(1, 1.0, &games);
    let begun = number(&report["games"]);
    let each = |more: u64| more as f64 / begun;
    println!(
        "{begun} games begun on {name}: {:.0} bytes of memory and {:.0} of the database each",
        each(house.memory().saturating_sub(memory)),
        each(house.bytes().saturating_sub(bytes))
    );
}

/// Streams on two servers, and events that come from the other one.
fn streams(scale: Scale, house: &House) {
    let (streams, games, rate) = scale.streams;
    let games = games.to_string();
    house.load(1, 1.0, &["--games", &games]);
    let without = house.memory();
    let watched = streams.to_string();
    let more = ["--games", &games, "--watchers", &watched];
    let (most, report) = std::thread::scope(|scope| {
        let loading = scope.spawn(|| house.load(scale.seconds, rate, &more));
        let mut most = 0;
        while !loading.is_finished() {
            most = most.max(house.memory());
            std::thread::sleep(Duration::from_millis(100));
        }
        (most, loading.join().unwrap())
    });
    let (events, ply) = (&report["events"], &report["requests"][0]["since_due"]);
    println!(
        "{streams} streams on {games} games at {} servers: {} plies, {} events of {}, {} missed, {} twice",
        house.servers.len(),
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
        without / 1_000_000,
        most / 1_000_000,
        most.saturating_sub(without) as f64 / 1e3 / f64::from(streams)
    );
}
