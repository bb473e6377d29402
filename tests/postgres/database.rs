//! Games in PostgreSQL, beside the contract of all archives (tests/postgres/store): how a database is opened, what happens
//! when its server goes away, and what holds when several programs write into one database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::loops::times;
use crate::common::witness::{Acknowledged, has, play_until_the_end, plies};
use crate::common::{HANG, House, Program, Server, Table, likely, number};
use crate::cut::{Cut, Proxy};
use crate::server::{self, Postgres, connect, shared};
use dice_of_doom::provably_fair::DiceSecret;
use dice_of_doom::record::{EntryRow, PlyRow};
use dice_of_doom::rng::DiceSeed;
use dice_of_doom::seats::ComputerPace;
use dice_of_doom::store::postgres::{PostgresOpenError, PostgresStore};
use dice_of_doom::store::{
    GameHeader, GameId, GameStore, OpenError, StoreError, StoredEntry, open,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sqlx::{Connection as _, Executor as _};
use tokio::sync::watch;

fn header() -> GameHeader {
    GameHeader {
        id: GameId::random(),
        game: "{}".to_owned(),
        start: "{}".to_owned(),
        dice: DiceSecret::Unsealed(DiceSeed::from_bytes([9; 32])),
        pace: ComputerPace::AtOnce,
        creator: None,
        book_of: None,
        created_ms: 0,
        private: false,
        replace_after_s: None,
        rematch_of: None,
        origin: None,
        takebacks: true,
        hints: false,
    }
}

fn ply(number: u32, action: &str) -> PlyRow {
    PlyRow {
        player: 0,
        action: action.to_owned(),
        roll: String::new(),
        at_ms: i64::from(number),
    }
}

async fn created(archive: &dyn GameStore) -> GameId {
    let header = header();
    let id = header.id.clone();
    archive.create(header, Vec::new()).await.unwrap();
    id
}

async fn entries(archive: &dyn GameStore, id: &GameId) -> Vec<EntryRow> {
    archive.load(id).await.unwrap().unwrap().entries
}

async fn refusal(url: &str) -> PostgresOpenError {
    match open(url).await.err().expect("this cannot be opened") {
        OpenError::Postgres(refusal) => refusal,
        other => panic!("{other}"),
    }
}

async fn sql(url: &str, statements: &'static str) {
    let mut connection = connect(url).await;
    connection.execute(statements).await.unwrap();
    connection.close().await.unwrap();
}

// ---- opening ----

#[tokio::test]
async fn servers_share_a_database_and_whoever_needs_it_alone_waits_for_all() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let one = open(&url).await.unwrap();
    let beside = open(&url).await.unwrap();
    // Whichever of the two is named.
    one.served_at("http://127.0.0.1:8080/");
    beside.served_at("http://127.0.0.1:8080/");
    let id = created(&*one).await;
    // The address is told when the connection is looked at next.
    loop {
        let refused = PostgresStore::open(&url).await.err().unwrap();
        assert!(
            matches!(refused, PostgresOpenError::Owned { .. }),
            "{refused:?}"
        );
        if refused.to_string().contains("http://127.0.0.1:8080/") {
            break;
        }
    }
    one.append(&id, 0, StoredEntry::Ply(ply(0, "a")))
        .await
        .unwrap();
    beside
        .append(&id, 1, StoredEntry::Ply(ply(1, "b")))
        .await
        .unwrap();
    one.close().await;
    assert!(PostgresStore::open(&url).await.is_err(), "one is left");
    beside.close().await;
    let alone = PostgresStore::open(&url).await.unwrap();
    let kept = entries(&alone, &id).await;
    assert_eq!(kept, [ply(0, "a").into(), ply(1, "b").into()]);
    let refused = refusal(&url).await;
    assert!(
        matches!(refused, PostgresOpenError::Owned { .. }),
        "{refused:?}"
    );
    alone.close().await;
    open(&url).await.unwrap().close().await;
}

#[tokio::test]
async fn an_owner_that_was_cut_off_gives_way_to_who_came_meanwhile() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let proxy = Proxy::start(&url).await;
    let one = PostgresStore::open(&proxy.url).await.unwrap();
    let id = created(&one).await;
    // Its connection goes, and with it the lock; it may be back before the other has asked.
    let two = loop {
        proxy.set(Cut::All);
        if let Ok(two) = PostgresStore::open(&url).await {
            break two;
        }
    };
    proxy.set(Cut::Nothing);
    one.broken().cancelled().await;
    let why = one.why_broken().unwrap();
    assert!(why.contains("another server"), "{why}");
    let refused = one.append(&id, 0, StoredEntry::Ply(ply(0, "one"))).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))));
    assert!(
        one.load(&id).await.is_err(),
        "yesterday's board is not shown"
    );
    two.append(&id, 0, StoredEntry::Ply(ply(0, "two")))
        .await
        .unwrap();
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    open(&url).await.unwrap().close().await;
    sql(
        &url,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'later', TRUE, '', 0)",
    )
    .await;
    let refused = refusal(&url).await;
    assert!(
        matches!(refused, PostgresOpenError::TooNew { version: 9999, .. }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn tables_of_others_are_left_alone() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    sql(&url, "CREATE TABLE customer (name TEXT)").await;
    let refused = refusal(&url).await;
    assert!(
        matches!(refused, PostgresOpenError::Foreign { .. }),
        "{refused:?}"
    );
    sql(&url, "DROP TABLE customer").await;
    open(&url).await.unwrap().close().await;
}

#[tokio::test]
async fn who_cannot_be_reached_is_said_without_the_password() {
    for url in [
        "postgres://me:hunter2@127.0.0.1:1/games",
        "postgres://me:hunter2@127.0.0.1:notaport/games",
        "postgres://me:hunter2@localhost/games?host=/nowhere",
        "postgres://me:hunter2@localhost/games?sslmode=hunter2",
    ] {
        let refused = refusal(url).await;
        assert!(
            matches!(
                refused,
                PostgresOpenError::Unreachable { .. } | PostgresOpenError::Address
            ),
            "{url}: {refused:?}"
        );
        assert!(
            !format!("{refused} {refused:?}").contains("hunter2"),
            "{refused}"
        );
    }
    if server::is_left_out() {
        return;
    }
    let refused = refusal(&shared().url("no_such_database")).await;
    assert!(
        refused.to_string().contains("no_such_database"),
        "{refused}"
    );
    assert!(
        matches!(refused, PostgresOpenError::Unreachable { .. }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn many_open_a_new_database_at_once() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let opened = futures_util::future::join_all((0..6).map(|_| PostgresStore::join(&url))).await;
    for archive in opened {
        archive.unwrap().close().await;
    }
}

#[tokio::test]
async fn a_row_that_the_schema_refuses_refuses_only_itself() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let archive = open(&url).await.unwrap();
    let id = created(&*archive).await;
    // PostgreSQL has no such character.
    let (bad, good) = tokio::join!(
        archive.append(&id, 0, StoredEntry::Ply(ply(0, "\0"))),
        archive.append(&id, 0, StoredEntry::Ply(ply(0, "good")))
    );
    assert!(matches!(bad, Err(StoreError::Unavailable(_))), "{bad:?}");
    assert_eq!(good, Ok(()));
    assert_eq!(entries(&*archive, &id).await, [ply(0, "good").into()]);
    archive.close().await;
}

// ---- connections that are lost ----

/// A commit whose answer is lost is neither written twice nor refused, and one that never arrived is made up for.
#[tokio::test]
async fn commits_whose_answers_are_lost_are_known() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let proxy = Proxy::start(&url).await;
    let archive = open(&proxy.url).await.unwrap();
    let id = created(&*archive).await;
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let cuts = times("DOD_CUTS", 1_000);
    for number in 0..cuts {
        proxy.set(match rng.random_range(0..4) {
            0 => Cut::AfterCommit,
            1 => Cut::BeforeCommit,
            2 => Cut::All,
            _ => Cut::Nothing,
        });
        let row = ply(number, "move");
        assert_eq!(
            archive.append(&id, number, StoredEntry::Ply(row)).await,
            Ok(()),
            "{number}"
        );
    }
    proxy.set(Cut::Nothing);
    let kept = entries(&*archive, &id).await;
    assert_eq!(kept.len(), cuts as usize);
    assert!(proxy.cuts() > cuts / 4, "{} cuts", proxy.cuts());
    println!(
        "{cuts} plies over {} cut connections, each once",
        proxy.cuts()
    );
    archive.close().await;
}

/// `DOD_DATABASE_KILLS=10 cargo test --test postgres database::kill_9 -- --nocapture` kills PostgreSQL so often while plies are
/// acknowledged; without a number it is done once.
#[tokio::test]
async fn kill_9_of_postgresql_loses_nothing_acknowledged() {
    if server::is_left_out() {
        return;
    }
    let kills = times("DOD_DATABASE_KILLS", 40);
    let mut postgres = Postgres::start(true);
    let url = postgres.database().await;
    let home = tempfile::tempdir().unwrap();
    let program = Program::start(&url, &home.path().join("log"));
    let api = program.api();
    let (mut acknowledged, mut longest) = (0, Duration::ZERO);
    for round in 0..kills {
        let (mut games, mut beginnings) = (Vec::new(), Vec::new());
        for seed in 0..6 {
            let new = json!({"game": "dice", "rules": "v4", "size": 5, "players": 2,
                "seats": ["human", if seed % 2 == 0 { "human" } else { "random" }], "seed": 100 * round + seed});
            let table = api.create(new).await;
            let noted = Arc::new(Mutex::new(Vec::<Acknowledged>::new()));
            let note = Arc::clone(&noted);
            let (count, mut counted) = watch::channel(0);
            let enough = move |ply| {
                let mut noted = note.lock().unwrap();
                noted.push(ply);
                count.send_replace(noted.len());
                noted.len() < 40
            };
            let player = tokio::spawn(play_until_the_end(table.clone(), enough));
            // A kill that comes before there is anything to lose shows nothing.
            let begun = async move { counted.wait_for(|&plies| plies >= 5).await.is_ok() };
            games.push((table, noted, player));
            beginnings.push(tokio::spawn(begun));
        }
        games[0].0.wait(5 + u64::from(round) % 12).await;
        for begun in beginnings {
            let begun = tokio::time::timeout(HANG, begun).await.unwrap().unwrap();
            assert!(begun, "round {round}: a player has given up");
        }
        postgres.kill();
        let killed: Vec<u64> = {
            let plies = games
                .iter()
                .map(|(_, noted, _)| noted.lock().unwrap().last().map_or(0, |ply| ply.ply));
            plies.collect()
        };
        postgres.start_again();
        let began = Instant::now();
        // What was asked before goes on without anybody asking again.
        let now = games[0].0.wait(killed[0] + 2).await;
        assert!(
            number(&now["ply"]) >= killed[0] + 2 || now["over"] == true,
            "{now}"
        );
        longest = longest.max(began.elapsed());
        for (table, noted, player) in games {
            tokio::time::timeout(HANG, player).await.unwrap().unwrap();
            let kept = plies(&table.record().await);
            let noted = std::mem::take(&mut *noted.lock().unwrap());
            for ply in &noted {
                assert!(has(&kept, ply), "round {round}: {ply:?} is lost");
            }
            acknowledged += noted.len();
        }
        assert_eq!(api.get("/readyz").await.status(), 200);
    }
    let (status, _) = program.terminate();
    assert!(status.success());
    // As another server finds it.
    let archive = open(&url).await.unwrap();
    let page = archive.every(None, 10_000).await.unwrap();
    assert_eq!(page.games.len(), 6 * kills as usize);
    for id in &page.games {
        archive.load(id).await.unwrap().unwrap();
    }
    archive.close().await;
    println!(
        "{kills} kills, {acknowledged} acknowledged plies, none lost; went on after {longest:?} at the latest"
    );
}

// ---- several programs ----

/// `DOD_RACES=10000 cargo test --test postgres one_ply -- --nocapture` has two servers race for so many plies; without
/// a number it is a hundredth of that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_servers_that_want_one_ply_one_gets_it() {
    if server::is_left_out() {
        return;
    }
    let races = times("DOD_RACES", 10_000);
    let url = shared().database().await;
    let mut servers = Vec::new();
    for _ in 0..2 {
        let archive = PostgresStore::join(&url).await.unwrap();
        let house = House {
            archive: Arc::new(archive),
            moves: 10_000_000,
            ..House::default()
        };
        servers.push(Server::of(house).await);
    }
    let (mut run, mut games, mut by_first) = (0, 0, 0);
    while run < races {
        let new = json!({"game": "dice", "rules": "v4", "size": 5, "players": 2, "seats": ["human", "human"], "seed": games});
        games += 1;
        let here = servers[0].api().create(new).await;
        let tables = [here.clone(), here.moved(&servers[1].api())];
        while run < races
            && let now = here.look().await
            && let Some(player) = now["player"].as_u64()
        {
            let ply = number(&now["ply"]);
            let moves = here.moves().await;
            let one = likely(&moves);
            // The same move, or another one.
            let all = moves["moves"].as_array().unwrap();
            let other = all[run as usize % all.len()]["path"].clone();
            let (first, second) = tokio::join!(
                race(&tables[0], player, ply, &one),
                race(&tables[1], player, ply, &other)
            );
            let fresh = [&first, &second]
                .map(|(status, answer)| *status == 200 && answer["repeated"] == false);
            assert_eq!(
                fresh.iter().filter(|won| **won).count(),
                1,
                "race {run}: {first:?} {second:?}"
            );
            let (winner, loser) = if fresh[0] {
                (&first, &second)
            } else {
                (&second, &first)
            };
            by_first += u32::from(fresh[0]);
            assert!(
                loser.0 == 409 || loser.1["repeated"] == true,
                "race {run}: {loser:?}"
            );
            // The same request again, at both: the same answer.
            let won = if fresh[0] { &one } else { &other };
            for table in &tables {
                let (status, again) = race(table, player, ply, won).await;
                assert_eq!(
                    (status, &again["repeated"]),
                    (200, &json!(true)),
                    "race {run}: {again}"
                );
                assert_eq!(again["roll"], winner.1["roll"], "race {run}");
            }
            run += 1;
        }
    }
    println!("{races} races in {games} games, {by_first} won by the first server, one winner each");
}

async fn race(table: &Table, player: u64, ply: u64, path: &Value) -> (u16, Value) {
    let response = table.post(player as usize, ply, path).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

/// The same over the archives alone, with more writers than two and games whose batches cross.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_writers_one_gets_each_number() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let mut archives = Vec::new();
    for _ in 0..3 {
        archives.push(PostgresStore::join(&url).await.unwrap());
    }
    let mut games = Vec::new();
    for _ in 0..8 {
        games.push(created(&archives[0]).await);
    }
    for number in 0..times("DOD_RACES", 10_000) / 20 {
        let racers = games.iter().flat_map(|id| {
            archives
                .iter()
                .zip(["a", "b", "c"])
                .map(move |(archive, name)| async move {
                    let entry = StoredEntry::Ply(ply(number, name));
                    (id, archive.append(id, number, entry).await.is_ok())
                })
        });
        let raced = futures_util::future::join_all(racers).await;
        for id in &games {
            let won = raced.iter().filter(|(of, won)| of == &id && *won).count();
            assert_eq!(won, 1, "game {id}, number {number}");
        }
    }
    for archive in &archives {
        archive.close().await;
    }
}

/// Each tells the others how many watch at it; who has died counts no more after a while, also where the database has
/// forgotten everything.
#[tokio::test]
async fn who_watches_at_one_counts_at_the_others() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let mut archives = Vec::new();
    for _ in 0..3 {
        archives.push(PostgresStore::join(&url).await.unwrap());
    }
    let games = [GameId::random(), GameId::random()];
    let told = |numbers: [u32; 2]| {
        games
            .iter()
            .cloned()
            .zip(numbers)
            .collect::<HashMap<_, _>>()
    };
    let none = HashMap::new();
    assert_eq!(
        archives[0].share_watchers(told([3, 1])).await.unwrap(),
        none
    );
    assert_eq!(
        archives[1].share_watchers(told([2, 5])).await.unwrap(),
        told([3, 1])
    );
    assert_eq!(
        archives[2].share_watchers(none.clone()).await.unwrap(),
        told([5, 6])
    );
    assert_eq!(
        archives[0].share_watchers(told([3, 1])).await.unwrap(),
        told([2, 5])
    );
    // A change is heard with the next question, and so is that nobody is left.
    archives[0].share_watchers(told([4, 1])).await.unwrap();
    assert_eq!(
        archives[2].share_watchers(none.clone()).await.unwrap(),
        told([6, 6])
    );
    archives[0].share_watchers(none.clone()).await.unwrap();
    assert_eq!(
        archives[2].share_watchers(none.clone()).await.unwrap(),
        told([2, 5])
    );
    // Nothing is written where nothing has changed.
    let mut connection = connect(&url).await;
    let row = "SELECT revision, at_ms FROM watching";
    let before: (i64, i64) = sqlx::query_as(row)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    archives[1].share_watchers(told([2, 5])).await.unwrap();
    let after: (i64, i64) = sqlx::query_as(row)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(before, after);
    // As after ten seconds without a word.
    sql(&url, "UPDATE watching SET at_ms = at_ms - 10000").await;
    assert_eq!(
        archives[2].share_watchers(none.clone()).await.unwrap(),
        none
    );
    // As after a crash of the database, which keeps nothing of this: at the next touch all is told again.
    sql(&url, "TRUNCATE watching").await;
    let begun = Instant::now();
    while archives[2].share_watchers(none.clone()).await.unwrap() != told([2, 5]) {
        assert!(begun.elapsed() < HANG);
        archives[1].share_watchers(told([2, 5])).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // Whoever ends in good order is forgotten at once.
    archives[1].close().await;
    assert_eq!(
        archives[2].share_watchers(none.clone()).await.unwrap(),
        none
    );
    for archive in &archives {
        archive.close().await;
    }
}
