//! A damaged database is never served as if it were intact: flipped bits, and a file that is removed, replaced,
//! overwritten or truncated while games are played. One server at a time owns a file, and `dice-of-doom check` reports
//! damage.
//!
//! `DOD_FLIPS=1000 DOD_REMOVALS=300 cargo test --test program damage:: -- --nocapture` runs the long loops and prints
//! statistics.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::{HANG, Program, Server, assert_contains, likely, problem, program, records};
use dice_of_doom::games::Registry;
use dice_of_doom::record::PlyRow;
use dice_of_doom::seats::ComputerPace;
use dice_of_doom::store::{GameHeader, GameId, Store, StoreError, StoredEntry, StoredGame, open};
use dice_of_doom::tables::{Service, ServiceError, ServiceSettings};
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use tempfile::TempDir;
use tokio::task::JoinSet;

fn env_number(variable: &str, otherwise: u64) -> u64 {
    let value = std::env::var(variable).ok();
    value
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

async fn open_file(path: &Path) -> Result<Arc<dyn Store>, String> {
    let opened = open(&format!("sqlite:{}", path.display())).await;
    opened.map_err(|error| error.to_string())
}

// ---- flipped bits ----

/// A database with games of all kinds, and their true contents.
struct Truth {
    folder: TempDir,
    games: BTreeMap<GameId, StoredGame>,
}

const FILES: [&str; 3] = ["games.db", "games.db-wal", "games.db.lock"];

impl Truth {
    /// Two copies of one database: one after an orderly end, one as a kill leaves it.
    async fn make() -> [Truth; 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let store = open_file(&path).await.unwrap();
        let server = Server::on(store.clone()).await;
        let api = server.api();
        let mut ids = Vec::new();
        for seed in 0..4 {
            let seats = ["human", ["human", "random"][seed % 2]];
            let new =
                json!({"game": "dice", "rules": "v4", "players": 2, "seats": seats, "seed": seed});
            let table = api.create(new).await;
            table.play_plies(6 * seed + 1).await;
            ids.push(table.id.parse().unwrap());
        }
        for seats in [["human", "human"], ["random", "random"]] {
            let new =
                json!({"game": "trilobite", "width": 3, "height": 3, "win": 2, "seats": seats});
            let table = api.create(new).await;
            if seats[0] == "random" {
                table.wait(9).await;
            }
            ids.push(table.id.parse().unwrap());
        }
        let mut games = BTreeMap::new();
        for id in ids {
            let stored = store.load(&id).await.unwrap().unwrap();
            games.insert(id, stored);
        }
        for (id, stored) in &mut games {
            let revision = stored.seats.revision;
            let seats = stored.seats.seats.iter().rev().cloned().collect();
            store.change_seats(id, revision, seats).await.unwrap();
            *stored = store.load(id).await.unwrap().unwrap();
        }
        let killed = tempfile::tempdir().unwrap();
        for file in FILES {
            std::fs::copy(folder.path().join(file), killed.path().join(file)).unwrap();
        }
        server.stop();
        server.service.close().await;
        let killed = Truth {
            folder: killed,
            games: games.clone(),
        };
        [Truth { folder, games }, killed]
    }

    /// A copy with one flipped bit in one of its files.
    fn damaged(&self, rng: &mut ChaCha8Rng) -> (TempDir, String) {
        let copy = tempfile::tempdir().unwrap();
        let mut sizes = Vec::new();
        for file in FILES {
            let from = self.folder.path().join(file);
            if from.exists() {
                let bytes = std::fs::copy(&from, copy.path().join(file)).unwrap();
                sizes.push((file, bytes));
            }
        }
        let (file, bytes) = *sizes.choose(rng).unwrap();
        // Every tenth flip hits the header of the file, which is small but matters for all of it.
        let within = if rng.random_range(0..10) == 0 {
            100
        } else {
            bytes
        };
        let (at, bit) = (rng.random_range(0..within), rng.random_range(0..8));
        let path = copy.path().join(file);
        let mut whole = std::fs::read(&path).unwrap();
        whole[at as usize] ^= 1 << bit;
        std::fs::write(&path, whole).unwrap();
        (copy, format!("bit {bit} of byte {at} of {file}"))
    }
}

/// How a game of a damaged file was handled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fate {
    /// The store did not open the file, and gave a reason.
    NotOpened,
    Refused,
    Whole,
    Silent,
}

fn fate(truth: &StoredGame, loaded: &Result<Option<StoredGame>, StoreError>) -> Fate {
    match loaded {
        Ok(Some(stored)) if stored == truth => Fate::Whole,
        Ok(_) => Fate::Silent,
        Err(_) => Fate::Refused,
    }
}

/// `DOD_FLIPS` sets the number of flips.
#[tokio::test]
async fn no_flipped_bit_makes_another_game() {
    let flips = env_number("DOD_FLIPS", 50);
    let truths = Truth::make().await;
    let mut fates: BTreeMap<Fate, u64> = BTreeMap::new();
    for flip in 0..flips {
        let mut rng = ChaCha8Rng::seed_from_u64(flip);
        let truth = &truths[flip as usize % 2];
        let (copy, what) = truth.damaged(&mut rng);
        let store = match open_file(&copy.path().join("games.db")).await {
            Ok(store) => store,
            Err(reason) => {
                assert!(!reason.is_empty() && !reason.contains('\n'), "{reason:?}");
                *fates.entry(Fate::NotOpened).or_default() += truth.games.len() as u64;
                continue;
            }
        };
        let service = Service::new(
            Registry::builtin(),
            Arc::clone(&store),
            ServiceSettings::default(),
        );
        for (id, whole) in &truth.games {
            let loaded = store.load(id).await;
            let fate = fate(whole, &loaded);
            assert!(
                fate != Fate::Silent,
                "flip {flip}, {what}: {loaded:?} is no {whole:?}"
            );
            // The service refuses what the store refuses; the other games continue.
            let snapshot = service.snapshot_unloaded(id).await;
            let agrees = matches!(
                (&loaded, &snapshot),
                (Ok(Some(_)), Ok(_))
                    | (Ok(None), Err(ServiceError::NotFound))
                    | (Err(StoreError::Damaged(_)), Err(ServiceError::Damaged))
                    | (Err(_), Err(ServiceError::Unavailable))
            );
            assert!(agrees, "flip {flip}, {what}: {loaded:?} and {snapshot:?}");
            *fates.entry(fate).or_default() += 1;
        }
        service.close().await;
    }
    println!("{flips} flips: {fates:?}");
}

// ---- files that disappear while they are in use ----

/// What happens to the file while games are played.
#[derive(Clone, Copy, Debug)]
enum Mishap {
    Removed,
    RemovedWithLog,
    LogRemoved,
    Moved,
    ReplacedByOlder,
    WrittenOverByOlder,
    Emptied,
    Halved,
    LogEmptied,
}

const MISHAPS: [Mishap; 9] = [
    Mishap::Removed,
    Mishap::RemovedWithLog,
    Mishap::LogRemoved,
    Mishap::Moved,
    Mishap::ReplacedByOlder,
    Mishap::WrittenOverByOlder,
    Mishap::Emptied,
    Mishap::Halved,
    Mishap::LogEmptied,
];

impl Mishap {
    fn apply(self, path: &Path, older: &Path) {
        let log = path.with_file_name("games.db-wal");
        let shorten = |path: &Path, bytes| {
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_len(bytes).unwrap();
        };
        match self {
            Mishap::Removed => std::fs::remove_file(path).unwrap(),
            Mishap::RemovedWithLog => {
                std::fs::remove_file(path).unwrap();
                std::fs::remove_file(log).unwrap();
            }
            Mishap::LogRemoved => std::fs::remove_file(log).unwrap(),
            Mishap::Moved => std::fs::rename(path, path.with_extension("away")).unwrap(),
            Mishap::ReplacedByOlder => std::fs::rename(older, path).unwrap(),
            Mishap::WrittenOverByOlder => {
                std::fs::copy(older, path).unwrap();
            }
            Mishap::Emptied => shorten(path, 0),
            Mishap::Halved => shorten(path, std::fs::metadata(path).unwrap().len() / 2),
            Mishap::LogEmptied => shorten(&log, 0),
        }
    }

    /// The file that must contain everything that was acknowledged before; `None` where that is impossible.
    fn saved_in(self, path: &Path) -> Option<PathBuf> {
        match self {
            Mishap::Removed | Mishap::RemovedWithLog | Mishap::Moved | Mishap::ReplacedByOlder => {
                Some(path.with_file_name("games.db.rescued"))
            }
            Mishap::LogRemoved => Some(path.to_owned()),
            Mishap::WrittenOverByOlder | Mishap::Emptied | Mishap::Halved | Mishap::LogEmptied => {
                None
            }
        }
    }
}

fn header() -> GameHeader {
    GameHeader {
        game: r#"{"game":"dice"}"#.to_owned(),
        start: "{}".to_owned(),
        pace: ComputerPace::OnRequest,
        created_ms: 1,
        ..records::header()
    }
}

fn ply(number: u32) -> StoredEntry {
    StoredEntry::Ply(PlyRow {
        player: 0,
        action: format!("{number}-{}", number + 1),
        roll: "3,4|1".to_owned(),
        at_ms: i64::from(number),
    })
}

/// `DOD_REMOVALS` sets the number of trials.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_acknowledged_into_a_file_that_is_gone() {
    let trials = env_number("DOD_REMOVALS", 18);
    let (mut before, mut saved) = (0, 0);
    for trial in 0..trials {
        let mishap = MISHAPS[trial as usize % MISHAPS.len()];
        let mut rng = ChaCha8Rng::seed_from_u64(trial);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let older = folder.path().join("older.db");
        let store = open_file(&path).await.unwrap();
        let ids: Vec<GameId> = (0..5).map(|_| GameId::random()).collect();
        for id in &ids {
            let header = GameHeader {
                id: id.clone(),
                ..header()
            };
            store.create(header, Vec::new()).await.unwrap();
            store.append(id, 0, ply(0)).await.unwrap();
        }
        // A consistent copy, such as an operator's backup. Every second trial starts with an empty write-ahead log.
        store.close().await;
        std::fs::copy(&path, &older).unwrap();
        let store = open_file(&path).await.unwrap();

        let happened = Arc::new(AtomicBool::new(false));
        let played = Arc::new(AtomicU32::new(0));
        let acknowledged = Arc::new(Mutex::new(BTreeMap::new()));
        let mut players = JoinSet::new();
        for id in &ids {
            let (store, id) = (Arc::clone(&store), id.clone());
            let (happened, played) = (Arc::clone(&happened), Arc::clone(&played));
            let acknowledged = Arc::clone(&acknowledged);
            players.spawn(async move {
                for number in 1.. {
                    let late = happened.load(Ordering::SeqCst);
                    let answer = store.append(&id, number, ply(number)).await;
                    if answer.is_err() {
                        return;
                    }
                    assert!(
                        !late,
                        "trial {trial}, {mishap:?}: ply {number} was acknowledged"
                    );
                    played.fetch_add(1, Ordering::SeqCst);
                    acknowledged.lock().unwrap().insert(id.clone(), number + 1);
                }
            });
        }
        let enough = rng.random_range(20..200);
        while played.load(Ordering::SeqCst) < enough {
            tokio::task::yield_now().await;
        }
        mishap.apply(&path, &older);
        happened.store(true, Ordering::SeqCst);
        let broken = store.failure();
        let noticed = tokio::time::timeout(HANG, broken.cancelled()).await;
        noticed.unwrap_or_else(|_| panic!("trial {trial}: {mishap:?} was not noticed"));
        while let Some(ended) = players.join_next().await {
            ended.unwrap();
        }
        store.close().await;
        let why = store.failure_reason().expect("there is a reason");
        assert!(why.contains("games.db"), "{mishap:?}: {why}");

        let acknowledged = acknowledged.lock().unwrap().clone();
        before += acknowledged.values().sum::<u32>();
        let Some(saved_in) = mishap.saved_in(&path) else {
            continue;
        };
        let again = open_file(&saved_in).await.unwrap();
        for (id, plies) in acknowledged {
            let stored = again.load(&id).await.unwrap().unwrap();
            assert!(
                stored.next_number() >= plies,
                "trial {trial}, {mishap:?}: {} of {plies} plies",
                stored.next_number()
            );
            saved += plies;
        }
        again.close().await;
    }
    println!(
        "{trials} mishaps: {before} plies acknowledged before, none after; {saved} of them saved"
    );
}

/// The loss is noticed even without writes.
#[tokio::test]
async fn a_file_that_disappears_while_idle_is_noticed_and_not_created_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let store = open_file(&path).await.unwrap();
    std::fs::remove_file(&path).unwrap();
    let noticed = tokio::time::timeout(HANG, store.failure().cancelled_owned()).await;
    noticed.expect("the file is checked each second");
    store.close().await;
    let why = store.failure_reason().unwrap();
    assert!(why.contains("removed"), "{why}");
    let refused = open_file(&path).await.err().unwrap();
    assert!(refused.contains("games.db has gone"), "{refused}");
    assert!(!path.exists());
    // Restores the rescued copy.
    std::fs::rename(folder.path().join("games.db.rescued"), &path).unwrap();
    open_file(&path).await.unwrap().close().await;
}

// ---- a write-ahead log that is lost after an unclean end ----

/// What happens to the log between a kill and the next start.
#[derive(Clone, Copy, Debug)]
enum LogLoss {
    Missing,
    Empty,
    Halved,
    /// The pages of the last ply, and of what was written after it.
    CutInLastPly,
    Older,
    Flipped,
}

impl LogLoss {
    const ALL: [LogLoss; 6] = [
        LogLoss::Missing,
        LogLoss::Empty,
        LogLoss::Halved,
        LogLoss::CutInLastPly,
        LogLoss::Older,
        LogLoss::Flipped,
    ];

    fn apply(self, log: &Path, older: &[u8]) {
        let mut whole = std::fs::read(log).unwrap();
        match self {
            LogLoss::Missing => return std::fs::remove_file(log).unwrap(),
            LogLoss::Empty => whole.clear(),
            LogLoss::Halved => whole.truncate(whole.len() / 2),
            LogLoss::CutInLastPly => whole.truncate(older.len() + 1000),
            LogLoss::Older => whole = older.to_vec(),
            LogLoss::Flipped => {
                let middle = whole.len() / 2;
                whole[middle] ^= 1;
            }
        }
        std::fs::write(log, whole).unwrap();
    }

    const fn message(self) -> &'static str {
        match self {
            LogLoss::Missing => "games.db-wal is missing",
            LogLoss::Empty => "games.db-wal is empty",
            _ => "games.db-wal is cut, older or damaged",
        }
    }
}

/// The server is killed while games are played; the log is damaged; the server is started again.
#[tokio::test]
async fn a_killed_server_that_has_lost_its_log_refuses_to_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let database = format!("sqlite:{}", path("games.db").display());
    // The log of a server that has just started, before its games were checkpointed into the database.
    let (killed, older) = 'killed: {
        for _ in 0..20 {
            let program = Program::start(&database, &path("output"));
            let new = json!({"game": "dice", "players": 2, "seats": ["human", "human"], "seed": 1});
            let table = program.api().create(new).await;
            let older = std::fs::read(path("games.db-wal")).unwrap();
            let first = likely(&table.moves().await);
            table.play(0, 0, &first).await;
            program.kill();
            // The log is checkpointed into the database after a second without a ply.
            if std::fs::metadata(path("games.db-wal")).unwrap().len() > older.len() as u64 {
                break 'killed (table, older);
            }
        }
        panic!("a game and a ply take less than a second");
    };
    let image: Vec<Vec<u8>> = FILES.map(|file| std::fs::read(path(file)).unwrap()).into();
    let put_back = || {
        for (file, bytes) in FILES.iter().zip(&image) {
            std::fs::write(path(file), bytes).unwrap();
        }
    };
    let name = path("games.db").display().to_string();
    for loss in LogLoss::ALL {
        put_back();
        loss.apply(&path("games.db-wal"), &older);
        let left = std::fs::read(path("games.db-wal")).ok();
        // Twice: a refused start changes nothing.
        for _ in 0..2 {
            let (code, _, stderr) = run(&["--listen", "127.0.0.1:0", "--database", &database]);
            assert_eq!(code, Some(1), "{loss:?}: {stderr}");
            for expected in [loss.message(), "--accept-data-loss"] {
                assert!(stderr.contains(expected), "{loss:?}: {stderr}");
            }
            assert_eq!(stderr.lines().count(), 1, "{stderr}");
        }
        let (code, stdout, stderr) = run(&["check", &name]);
        assert_eq!(code, Some(1), "{loss:?}: {stdout}{stderr}");
        let output = stdout + &stderr;
        assert!(output.contains(loss.message()), "{loss:?}: {output}");
        let now = std::fs::read(path("games.db-wal")).ok();
        assert!(now == left, "{loss:?}: the log was changed");
    }
    // With consent it continues with fewer entries, and later starts are normal.
    put_back();
    LogLoss::Missing.apply(&path("games.db-wal"), &older);
    let mut accepting = program();
    accepting.args(["--listen", "127.0.0.1:0", "--database", &database]);
    accepting.arg("--accept-data-loss");
    let program = Program::run(accepting, &path("output"));
    problem(program.api().get(&killed.path("")).await, 404).await;
    program.terminate();
    let program = Program::start(&database, &path("output"));
    program.terminate();
    // With its log nothing is lost.
    put_back();
    let program = Program::start(&database, &path("output"));
    assert_eq!(program.api().json(&killed.path("")).await["ply"], 1);
}

/// `check` reports whatever a start refuses.
#[tokio::test]
async fn check_finds_what_a_start_refuses() {
    for truth in Truth::make().await {
        check_finds_what_a_start_of_it_refuses(&truth).await;
    }
}

async fn check_finds_what_a_start_of_it_refuses(truth: &Truth) {
    let whole = std::fs::read(truth.folder.path().join("games.db")).unwrap();
    let at = |text: &[u8]| {
        let mut windows = whole.windows(text.len());
        windows.position(|bytes| bytes == text)
    };
    let migrations = {
        use sha2::Digest as _;
        at(&sha2::Sha384::digest(include_bytes!(
            "../../migrations/sqlite/0003_browser_games.sql"
        )))
    };
    // All 800 bits of the header, or a sample of them.
    let step = (800 / env_number("DOD_FLIPS", 50).min(800)) as usize | 1;
    let header = (0..800).step_by(step).map(|bit| (bit / 8, bit % 8));
    // After a kill they are in the log.
    let listed = migrations.map(|at| (0..48).step_by(step).map(move |byte| (at + byte, 3)));
    for (byte, bit) in header.chain(listed.into_iter().flatten()) {
        let folder = tempfile::tempdir().unwrap();
        for file in &FILES[1..] {
            let _ = std::fs::copy(truth.folder.path().join(file), folder.path().join(file));
        }
        let path = folder.path().join("games.db");
        let mut flipped = whole.clone();
        flipped[byte] ^= 1 << bit;
        std::fs::write(&path, &flipped).unwrap();
        let (code, stdout, stderr) = run(&["check", path.to_str().unwrap()]);
        let complains = code != Some(0);
        match open_file(&path).await {
            Ok(store) => store.close().await,
            Err(refused) => {
                assert!(
                    complains,
                    "byte {byte}, bit {bit}: {refused}, and {stdout}{stderr}"
                );
            }
        }
    }
}

// ---- one game is damaged, and the others continue ----

async fn sql(path: &Path, statement: String) {
    use sqlx::{ConnectOptions as _, Connection as _};
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let mut connection = options.connect().await.unwrap();
    let statement = sqlx::query(sqlx::AssertSqlSafe(statement));
    let changed = statement.execute(&mut connection).await.unwrap();
    assert!(changed.rows_affected() > 0);
    connection.close().await.unwrap();
}

#[tokio::test]
async fn only_the_damaged_game_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let mut tables = Vec::new();
    let serve = async || Server::on(open_file(&path).await.unwrap()).await;
    let server = serve().await;
    for seed in 0..2 {
        let new = json!({"game": "dice", "players": 2, "seats": ["human", "human"], "seed": seed});
        let table = server.api().create(new).await;
        let first = likely(&table.moves().await);
        table.play(0, 0, &first).await;
        tables.push(table);
    }
    server.stop();
    server.service.close().await;
    let [damaged, whole] = [&tables[0].id, &tables[1].id];
    sql(
        &path,
        format!("UPDATE entry SET at_ms = at_ms + 1 WHERE game = '{damaged}'"),
    )
    .await;

    let server = serve().await;
    let api = server.api();
    let error = problem(api.get(&format!("/api/v1/games/{damaged}")).await, 500).await;
    assert_eq!(error["code"], "damaged", "{error}");
    let page = api.get(&format!("/g/{damaged}")).await;
    assert_eq!(page.status(), 500);
    let page = page.text().await.unwrap();
    assert_contains(&page, &["record is damaged and cannot be shown"]);
    assert_eq!(api.json(&format!("/api/v1/games/{whole}")).await["ply"], 1);
    let start = api.get("/").await.text().await.unwrap();
    assert!(start.contains(whole.as_str()) && !start.contains(damaged.as_str()));
    server.service.close().await;
}

// ---- one owner, and the command `check` ----

/// The exit code of a command of the program, its stdout and its stderr.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let ended = program().args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (ended.status.code(), text(ended.stdout), text(ended.stderr))
}

#[tokio::test]
async fn a_second_server_on_one_file_is_refused_and_names_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("games.db").display());
    let log = folder.path().join("log");
    let first = Program::start(&database, &log);
    let new = json!({"game": "dice", "players": 2, "seats": ["human", "human"]});
    let table = first.api().create(new).await;
    let (code, _, stderr) = run(&["--listen", "127.0.0.1:0", "--database", &database]);
    assert_eq!(code, Some(1), "{stderr}");
    for expected in [format!("process {}", first.pid()), first.url.clone()] {
        assert!(stderr.contains(&expected), "{stderr}");
    }
    // The first one continues; after it is killed the second may start at once.
    table.state().await;
    first.kill();
    let second = Program::start(&database, &log);
    second.api().json(&table.path("")).await;
    let (status, _) = second.terminate();
    assert!(status.success());
    assert!(!folder.path().join("games.db.lock").exists());
}

#[tokio::test]
async fn check_reports_damage_while_a_server_runs_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let name = path.to_str().unwrap();
    let program = Program::start(&format!("sqlite:{name}"), &folder.path().join("log"));
    let mut ids = Vec::new();
    for seed in 0..3 {
        let new = json!({"game": "dice", "players": 2, "seats": ["human", "human"], "seed": seed});
        let table = program.api().create(new).await;
        let first = likely(&table.moves().await);
        table.play(0, 0, &first).await;
        ids.push(table.id);
    }
    let whole = "3 games, 3 whole, 0 damaged\n".to_owned();
    let found = run(&["check", name]);
    assert_eq!(found, (Some(0), whole.clone(), String::new()));
    program.terminate();
    assert_eq!(run(&["check", name]), (Some(0), whole, String::new()));
    let files = std::fs::read_dir(folder.path()).unwrap();
    assert_eq!(files.count(), 2, "check leaves nothing behind");

    sql(
        &path,
        format!("UPDATE entry SET roll = '' WHERE game = '{}'", ids[0]),
    )
    .await;
    sql(&path, format!("DELETE FROM seat WHERE game = '{}'", ids[1])).await;
    let (code, stdout, stderr) = run(&["check", name]);
    assert_eq!(code, Some(1), "{stdout}{stderr}");
    for expected in [
        format!("game {}: entry 0 is not as it was written\n", ids[0]),
        format!("game {}: its seats are not as they were written\n", ids[1]),
        "3 games, 1 whole, 2 damaged\n".to_owned(),
    ] {
        assert!(stdout.contains(&expected), "{stdout}");
    }
    assert!(stderr.contains("is damaged"), "{stderr}");

    for other in [folder.path().join("none.db"), folder.path().to_owned()] {
        let (code, _, stderr) = run(&["check", other.to_str().unwrap()]);
        assert_eq!(code, Some(2), "{stderr}");
    }
}
