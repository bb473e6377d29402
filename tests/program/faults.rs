//! Failing storage: the real program with a SQLite file, and `faults/shim.c` in between.
//!
//! `DOD_FAULTS=200 cargo test --test program nth_call -- --nocapture` makes each of the first 200 calls fail in each
//! of five ways; `DOD_CUTS=100 cargo test --test program power_cut -- --nocapture` cuts the power 100 times. Without a
//! number, only a few of them are tried.

mod disk;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::common::acknowledged_plies::{Acknowledged, has, play_until_the_end, plies};
use crate::common::{Api, Home, Program, Table};
use disk::{Change, Syncs, after_cut, read_journal};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

/// The shim, compiled once; `None`, with a printed line, where there is no C compiler.
fn shim() -> Option<&'static Path> {
    static SHIM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = SHIM.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let library = folder.join(format!("shim-{}.so", std::process::id()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/faults/shim.c");
        let compiled = Command::new("cc")
            .args([
                "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o",
            ])
            .args([&library, &source])
            .arg("-ldl")
            .status();
        match compiled {
            Ok(status) => {
                assert!(status.success(), "the shim does not compile");
                Some(library)
            }
            Err(error) => {
                eprintln!("skipped: no C compiler for the shim (cc: {error})");
                None
            }
        }
    });
    made.as_deref()
}

/// A number from the environment.
fn env_number(name: &str, otherwise: usize) -> usize {
    match std::env::var(name) {
        Ok(count) => count.parse().expect("a number"),
        Err(_) => otherwise,
    }
}

/// A folder with a database that the program has created and closed.
fn with_database() -> Home {
    let home = Home::new();
    assert!(home.start().terminate().0.success());
    home
}

fn log_of(home: &Home) -> String {
    fs::read_to_string(home.file("log")).unwrap_or_default()
}

/// The program with the shim in between.
fn shimmed(home: &Home, shim: &Path, variable: &str, value: &str) -> Command {
    let mut command = home.command();
    let log = File::options()
        .create(true)
        .append(true)
        .open(home.file("log"));
    command
        .stderr(log.unwrap())
        .env("LD_PRELOAD", shim)
        .env("DOD_SHIM_PREFIX", home.games())
        .env(variable, value);
    command
}

async fn is_sound(home: &Home) -> bool {
    let options = SqliteConnectOptions::new().filename(home.games());
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    let checked: String = sqlx::query_scalar("PRAGMA integrity_check")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    checked == "ok"
}

/// The acknowledged plies of a table, each with the value of `now` at that time.
type Noted = Arc<Mutex<Vec<(u64, Acknowledged)>>>;

/// A table and its acknowledged plies.
struct Witnessed {
    /// The value of `now` when its creation was acknowledged.
    created: u64,
    table: Table,
    noted: Noted,
}

/// Creates tables and plays at all of them at once, up to the given number of plies each or until the server fails;
/// calls `now` at each acknowledgement.
async fn play(
    api: &Api,
    tables: u64,
    most_plies: usize,
    now: impl Fn() -> u64 + Clone + Send + 'static,
) -> Vec<Witnessed> {
    let mut witnessed = Vec::new();
    let mut players = Vec::new();
    for seed in 0..tables {
        let new = json!({"game": "dice", "rules": "v4", "size": 6, "players": 2, "seats": ["human", "human"], "seed": seed});
        let sent = api
            .client
            .post(format!("{}/api/v1/games", api.url))
            .json(&new)
            .send();
        let Ok(answer) = sent.await else { break };
        if answer.status() != 201 {
            continue;
        }
        let Ok(game) = answer.json::<Value>().await else {
            break;
        };
        let (table, noted) = (Table::from_created(api, game), Noted::default());
        let note = {
            let (noted, now) = (Arc::clone(&noted), now.clone());
            move |ply| {
                let mut noted = noted.lock().unwrap();
                noted.push((now(), ply));
                noted.len() < most_plies
            }
        };
        players.push(tokio::spawn(play_until_the_end(table.clone(), note)));
        witnessed.push(Witnessed {
            created: now(),
            table,
            noted,
        });
    }
    let onlooker = tokio::spawn(read_repeatedly(api.clone()));
    for player in players {
        player.await.unwrap();
    }
    onlooker.abort();
    witnessed
}

/// Reads a game that is not in memory, so that there are reads beside the writes.
async fn read_repeatedly(api: Api) {
    let url = format!("{}/api/v1/games/00000000", api.url);
    while api.client.get(&url).send().await.is_ok() {}
}

/// The number of lost acknowledgements among those up to `until`, and their total number.
async fn count_lost(witnessed: &[Witnessed], api: &Api, until: u64) -> (usize, usize) {
    let (mut missing, mut all) = (0, 0);
    for seen in witnessed.iter().filter(|seen| seen.created <= until) {
        let noted = seen.noted.lock().unwrap().clone();
        let noted: Vec<_> = noted.iter().filter(|(when, _)| *when <= until).collect();
        all += 1 + noted.len();
        let stored = api.get(&seen.table.path("/record")).await;
        if stored.status() != 200 {
            missing += 1 + noted.len();
            continue;
        }
        let stored = plies(&stored.json().await.unwrap());
        missing += noted.iter().filter(|(_, ply)| !has(&stored, ply)).count();
    }
    (missing, all)
}

const KINDS: [&str; 5] = ["eio", "enospc", "short", "read", "shortread"];

/// The results for one kind of fault.
#[derive(Default, Debug)]
struct Tally {
    trials: usize,
    /// Trials in which the fault happened, by its kind.
    struck: BTreeMap<&'static str, usize>,
    /// Trials in which the program did not start, and gave a reason.
    refused: usize,
    /// Trials in which the program ended by itself, and gave a reason.
    ended: usize,
    acknowledged: usize,
}

/// The N-th write, sync, truncation or read fails, in a new database or in an existing one: nothing that was
/// acknowledged is missing, the program ends in an orderly way or with a reason, and the next start is clean.
#[tokio::test]
async fn the_nth_call_fails_and_nothing_acknowledged_is_lost() {
    let Some(shim) = shim() else { return };
    let max_calls = env_number("DOD_FAULTS", 200);
    let is_asked = std::env::var_os("DOD_FAULTS").is_some();
    let made = with_database();
    let mut tally = Tally::default();
    for call in 1..=max_calls {
        for (at, kind) in KINDS.into_iter().enumerate() {
            // A fortieth of all, spread over calls, kinds and both kinds of databases.
            if !is_asked && (call + 8 * at) % 40 != 1 {
                continue;
            }
            let home = Home::new();
            if (call + at) % 3 > 0 {
                fs::copy(made.games(), home.games()).unwrap();
            }
            fail_once(&home, shim, kind, call, &mut tally).await;
        }
    }
    eprintln!("{tally:?}");
    let struck: usize = tally.struck.values().sum();
    assert!(struck * 3 >= tally.trials, "too few faults: {tally:?}");
    assert!(
        tally.acknowledged > tally.trials,
        "too little play: {tally:?}"
    );
}

async fn fail_once(home: &Home, shim: &Path, kind: &'static str, call: usize, tally: &mut Tally) {
    tally.trials += 1;
    let fault = &format!("{kind} {call}");
    let begun = Program::try_run(
        shimmed(home, shim, "DOD_SHIM_FAIL", fault),
        &home.file("log"),
    );
    let witnessed = match begun {
        Err(status) => {
            assert_eq!(status.code(), Some(1), "{fault}: {}", log_of(home));
            tally.refused += 1;
            Vec::new()
        }
        Ok(program) => {
            let witnessed = play(&program.api(), 3, 16, || 0).await;
            let (status, _) = program.terminate();
            let code = status.code();
            assert!(
                matches!(code, Some(0 | 1)),
                "{fault}: {status} {}",
                log_of(home)
            );
            tally.ended += usize::from(code == Some(1));
            witnessed
        }
    };
    let log = log_of(home);
    assert!(!log.contains("panicked"), "{fault}: {log}");
    if log.contains("shim: ") {
        *tally.struck.entry(kind).or_default() += 1;
    } else {
        assert!(!log.contains("dice-of-doom: "), "{fault}: {log}");
    }
    let program = home.start();
    let (missing, all) = count_lost(&witnessed, &program.api(), 0).await;
    tally.acknowledged += all;
    assert_eq!(missing, 0, "{fault}: of {all}; {}", log_of(home));
    assert_eq!(program.api().get("/readyz").await.status(), 200, "{fault}");
    assert!(program.terminate().0.success(), "{fault}: {}", log_of(home));
    assert!(is_sound(home).await, "{fault}");
}

/// A disk that is full from the start is reported in one line, before the program listens.
#[test]
fn a_full_disk_is_reported_before_the_program_listens() {
    let Some(shim) = shim() else { return };
    for home in [Home::new(), with_database()] {
        fs::write(home.file("log"), "").unwrap();
        let command = shimmed(&home, shim, "DOD_SHIM_FAIL", "enospc 1");
        let ended = Program::try_run(command, &home.file("log")).map(|_| "it serves");
        assert_eq!(ended.unwrap_err().code(), Some(1));
        let log = log_of(&home);
        let lines: Vec<_> = log
            .lines()
            .filter(|line| !line.starts_with("shim: "))
            .collect();
        assert_eq!(lines.len(), 1, "{log}");
        assert!(
            lines[0].contains("no room beside") && lines[0].contains("No space left"),
            "{log}"
        );
        assert!(!home.file("games.db.room").exists());
        home.start();
    }
}

/// SIGTERM while a ply waits for a stalled disk: the program still ends in time, and what it had acknowledged before
/// is stored.
#[tokio::test]
async fn sigterm_does_not_wait_for_the_disk() {
    let Some(shim) = shim() else { return };
    let home = with_database();
    let command = shimmed(&home, shim, "DOD_SHIM_FAIL", "stall 30");
    let program = Program::try_run(command, &home.file("log")).unwrap();
    let playing = tokio::spawn({
        let api = program.api();
        async move { play(&api, 1, 1000, || 0).await }
    });
    while !log_of(&home).contains("shim: stall") {
        tokio::task::yield_now().await;
    }
    let (status, took) = tokio::task::spawn_blocking(|| program.terminate())
        .await
        .unwrap();
    assert_eq!(status.code(), Some(0), "{}", log_of(&home));
    assert!(took < Duration::from_secs(2), "{took:?}");
    let witnessed = playing.await.unwrap();
    let program = home.start();
    let (missing, all) = count_lost(&witnessed, &program.api(), 0).await;
    assert_eq!(missing, 0, "of {all}");
    assert!(
        all > 1,
        "nothing was acknowledged before the disk stood still"
    );
}

/// A run of the program with a journal of its file changes.
struct Run {
    home: Home,
    before: BTreeMap<PathBuf, Vec<u8>>,
    changes: Vec<Change>,
    /// The length of the journal when the program was ready.
    open: u64,
    witnessed: Vec<Witnessed>,
}

impl Run {
    async fn new(shim: &Path) -> Self {
        let home = with_database();
        let database = home.games();
        let before = BTreeMap::from([(database.clone(), fs::read(&database).unwrap())]);
        let journal = home.file("journal");
        let command = shimmed(&home, shim, "DOD_SHIM_JOURNAL", journal.to_str().unwrap());
        let program = Program::try_run(command, &home.file("log")).unwrap();
        let length = {
            let journal = journal.clone();
            move || fs::metadata(&journal).unwrap().len()
        };
        let open = length();
        let mut witnessed = play(&program.api(), 12, 60, length.clone()).await;
        // Without writes for a while, the log is checkpointed into the database.
        while fs::metadata(home.file("games.db-wal")).unwrap().len() > 0 {
            tokio::task::yield_now().await;
        }
        witnessed.extend(play(&program.api(), 12, 60, length).await);
        assert!(program.terminate().0.success(), "{}", log_of(&home));
        let changes = read_journal(&fs::read(journal).unwrap());
        let early = witnessed
            .iter()
            .filter_map(|seen| Some(seen.noted.lock().unwrap().last()?.0));
        let early = early.max().unwrap_or_default();
        let moved = changes
            .iter()
            .filter(|change| change.is_of(&database) && change.end < early);
        let moved = moved.count();
        assert!(
            moved > 0,
            "no page moved from the log to the database during play"
        );
        Run {
            home,
            before,
            changes,
            open,
            witnessed,
        }
    }

    /// Cuts the power at a random point; returns the numbers of lost acknowledgements and of all.
    async fn cut(&self, syncs: Syncs, random: &mut ChaCha8Rng) -> (usize, usize) {
        let open = self
            .changes
            .iter()
            .take_while(|change| change.end <= self.open);
        let mut cut = random.random_range(open.count()..=self.changes.len());
        if random.random_bool(0.3) {
            // During a checkpoint from the log to the database.
            let moves = |change: &Change| change.is_of(&self.home.games());
            cut += self.changes[cut..].iter().position(moves).unwrap_or(0);
            cut = self.changes.len().min(cut + random.random_range(0..20));
        }
        let changes = &self.changes[..cut];
        let until = changes.last().map_or(0, |change| change.end);
        let disk = Home::new();
        for (path, content) in after_cut(&self.before, changes, syncs, random) {
            let name = path.strip_prefix(self.home.path()).unwrap();
            fs::write(disk.path().join(name), content).unwrap();
        }
        let Ok(program) = Program::try_run(disk.command(), &disk.file("log")) else {
            eprintln!("it does not start: {}", log_of(&disk));
            return (usize::MAX, 0);
        };
        let found = count_lost(&self.witnessed, &program.api(), until).await;
        assert!(program.terminate().0.success(), "{}", log_of(&disk));
        found
    }
}

/// The number of power cuts that are tried with one run.
const CUTS_OF_A_RUN: usize = 20;

#[tokio::test]
async fn a_power_cut_loses_nothing_acknowledged() {
    let Some(shim) = shim() else { return };
    let (mut left, mut seed) = (env_number("DOD_CUTS", 3), 0);
    let (mut acknowledged, mut cuts) = (0, 0);
    while left > 0 {
        let run = Run::new(shim).await;
        for _ in 0..left.min(CUTS_OF_A_RUN) {
            let random = &mut ChaCha8Rng::seed_from_u64(seed);
            let (missing, all) = run.cut(Syncs::Durable, random).await;
            assert_eq!(missing, 0, "seed {seed}: of {all}");
            (acknowledged, cuts, seed, left) = (acknowledged + all, cuts + 1, seed + 1, left - 1);
        }
    }
    eprintln!("{cuts} cuts, {acknowledged} acknowledgements checked, none lost");
    assert!(acknowledged > cuts, "too few plies");
}

/// The control: on a disk that ignores syncs the same cuts lose plies, and the test detects it.
#[tokio::test]
async fn a_power_cut_on_a_disk_that_ignores_syncs_is_detected() {
    let Some(shim) = shim() else { return };
    let run = Run::new(shim).await;
    let mut losses = 0;
    for seed in 0..3 {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let (missing, _) = run.cut(Syncs::LostAfter(run.open), random).await;
        losses += usize::from(missing > 0);
    }
    eprintln!("{losses} of 3 cuts lost plies on a disk that lies");
    assert!(losses >= 2, "{losses} of 3");
}
