//! The PostgreSQL store beyond the common contract (tests/postgres/store): opening a database, failures of its
//! server, and several processes that write to one database.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::acknowledged_plies::{Acknowledged, has, play_until_the_end, plies};
use crate::common::loops::times;
use crate::common::{HANG, Program, Server, Table, likely, number, records};
use crate::cut_proxy::{Cut, Proxy};
use crate::server::{self, Postgres, connect, shared};
use dice_of_doom::record::{EntryRow, PlyRow};
use dice_of_doom::store::postgres::{PostgresOpenError, PostgresStore};
use dice_of_doom::store::{
    GameHeader, GameId, GameList, GameStore as _, OpenError, Store, StoreError, StoredEntry, open,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use sqlx::{Connection as _, Executor as _};
use tokio::sync::watch;

fn header() -> GameHeader {
    GameHeader {
        game: "{}".to_owned(),
        start: "{}".to_owned(),
        ..records::header()
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

async fn created(store: &dyn Store) -> GameId {
    let header = header();
    let id = header.id.clone();
    store.create(header, Vec::new()).await.unwrap();
    id
}

async fn entries(store: &dyn Store, id: &GameId) -> Vec<EntryRow> {
    store.load(id).await.unwrap().unwrap().entries
}

async fn refusal(url: &str) -> PostgresOpenError {
    match open(url).await.err().expect("opening should fail") {
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
async fn servers_share_a_database_and_exclusive_access_waits_for_all() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let first = open(&url).await.unwrap();
    let second = open(&url).await.unwrap();
    // The error names either of the two.
    first.set_public_address("http://127.0.0.1:8080/");
    second.set_public_address("http://127.0.0.1:8080/");
    let id = created(&*first).await;
    // The address is published at the next connection check.
    loop {
        let refused = PostgresStore::open(&url).await.err().unwrap();
        assert!(
            matches!(refused, PostgresOpenError::InUse { .. }),
            "{refused:?}"
        );
        if refused.to_string().contains("http://127.0.0.1:8080/") {
            break;
        }
    }
    first
        .append(&id, 0, StoredEntry::Ply(ply(0, "a")))
        .await
        .unwrap();
    second
        .append(&id, 1, StoredEntry::Ply(ply(1, "b")))
        .await
        .unwrap();
    first.close().await;
    assert!(
        PostgresStore::open(&url).await.is_err(),
        "another server still has it open"
    );
    second.close().await;
    let exclusive = PostgresStore::open(&url).await.unwrap();
    let recorded = entries(&exclusive, &id).await;
    assert_eq!(recorded, [ply(0, "a").into(), ply(1, "b").into()]);
    let refused = refusal(&url).await;
    assert!(
        matches!(refused, PostgresOpenError::InUse { .. }),
        "{refused:?}"
    );
    exclusive.close().await;
    open(&url).await.unwrap().close().await;
}

#[tokio::test]
async fn an_exclusive_owner_that_lost_its_connection_yields_to_the_next() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let proxy = Proxy::start(&url).await;
    let one = PostgresStore::open(&proxy.url).await.unwrap();
    let id = created(&one).await;
    // The connection and with it the lock is lost; the owner may reconnect before the other process tries.
    let two = loop {
        proxy.set(Cut::All);
        if let Ok(two) = PostgresStore::open(&url).await {
            break two;
        }
    };
    proxy.set(Cut::Nothing);
    one.failure().cancelled().await;
    let reason = one.failure_reason().unwrap();
    assert!(reason.contains("another server"), "{reason}");
    let refused = one.append(&id, 0, StoredEntry::Ply(ply(0, "one"))).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))));
    assert!(one.load(&id).await.is_err(), "stale games are not returned");
    two.append(&id, 0, StoredEntry::Ply(ply(0, "two")))
        .await
        .unwrap();
    one.close().await;
    two.close().await;
}

#[tokio::test]
async fn a_newer_schema_and_an_earlier_one_are_rejected() {
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
    sql(
        &url,
        "UPDATE _sqlx_migrations SET checksum = '' WHERE version = 1",
    )
    .await;
    let refused = refusal(&url).await;
    assert!(
        matches!(refused, PostgresOpenError::EarlierBuild { .. }),
        "{refused:?}"
    );
    assert!(refused.to_string().contains("c1691778"), "{refused}");
}

#[tokio::test]
async fn databases_of_other_programs_are_rejected() {
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
async fn connection_errors_do_not_contain_the_password() {
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
async fn a_new_database_can_be_opened_concurrently() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let opened = futures_util::future::join_all((0..6).map(|_| PostgresStore::join(&url))).await;
    for store in opened {
        store.unwrap().close().await;
    }
}

#[tokio::test]
async fn a_row_that_violates_the_schema_is_rejected_alone() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let store = open(&url).await.unwrap();
    let id = created(&*store).await;
    // PostgreSQL text cannot contain NUL.
    let (bad, good) = tokio::join!(
        store.append(&id, 0, StoredEntry::Ply(ply(0, "\0"))),
        store.append(&id, 0, StoredEntry::Ply(ply(0, "good")))
    );
    assert!(matches!(bad, Err(StoreError::Unavailable(_))), "{bad:?}");
    assert_eq!(good, Ok(()));
    assert_eq!(entries(&*store, &id).await, [ply(0, "good").into()]);
    store.close().await;
}

// ---- connections that are lost ----

/// A commit whose reply is lost is neither repeated nor reported as failed, and one that never arrived is
/// retried.
#[tokio::test]
async fn commits_whose_replies_are_lost_take_effect_exactly_once() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let proxy = Proxy::start(&url).await;
    let store = open(&proxy.url).await.unwrap();
    let id = created(&*store).await;
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
        let found = store.append(&id, number, StoredEntry::Ply(row)).await;
        assert_eq!(found, Ok(()), "{number}");
    }
    proxy.set(Cut::Nothing);
    let recorded = entries(&*store, &id).await;
    assert_eq!(recorded.len(), cuts as usize);
    assert!(proxy.cuts() > cuts / 4, "{} cuts", proxy.cuts());
    println!(
        "{cuts} plies over {} cut connections, each stored once",
        proxy.cuts()
    );
    store.close().await;
}

/// `DOD_DATABASE_KILLS=10 cargo test --test postgres database::kill_9 -- --nocapture` kills PostgreSQL ten
/// times while plies are acknowledged; by default a fraction of that.
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
        let (mut games, mut starts) = (Vec::new(), Vec::new());
        for seed in 0..6 {
            let new = json!({"game": "dice", "rules": "v4", "size": 5, "players": 2,
                "seats": ["human", if seed % 2 == 0 { "human" } else { "random" }], "seed": 100 * round + seed});
            let table = api.create(new).await;
            let seen = Arc::new(Mutex::new(Vec::<Acknowledged>::new()));
            let seen_by_player = Arc::clone(&seen);
            let (count, mut counted) = watch::channel(0);
            let keep_playing = move |ply| {
                let mut seen = seen_by_player.lock().unwrap();
                seen.push(ply);
                count.send_replace(seen.len());
                seen.len() < 40
            };
            let player = tokio::spawn(play_until_the_end(table.clone(), keep_playing));
            // A kill before there is anything to lose would test nothing.
            let has_started = async move { counted.wait_for(|&plies| plies >= 5).await.is_ok() };
            games.push((table, seen, player));
            starts.push(tokio::spawn(has_started));
        }
        games[0].0.wait(5 + u64::from(round) % 12).await;
        for has_started in starts {
            let has_started = tokio::time::timeout(HANG, has_started)
                .await
                .unwrap()
                .unwrap();
            assert!(has_started, "round {round}: a player has stopped");
        }
        postgres.kill();
        let killed: Vec<u64> = {
            let plies = games
                .iter()
                .map(|(_, seen, _)| seen.lock().unwrap().last().map_or(0, |ply| ply.ply));
            plies.collect()
        };
        postgres.start_again();
        let began = Instant::now();
        // Pending requests continue without new ones.
        let now = games[0].0.wait(killed[0] + 2).await;
        assert!(
            number(&now["ply"]) >= killed[0] + 2 || now["over"] == true,
            "{now}"
        );
        longest = longest.max(began.elapsed());
        for (table, seen, player) in games {
            tokio::time::timeout(HANG, player).await.unwrap().unwrap();
            let recorded = plies(&table.record().await);
            let seen = std::mem::take(&mut *seen.lock().unwrap());
            for ply in &seen {
                assert!(has(&recorded, ply), "round {round}: {ply:?} is lost");
            }
            acknowledged += seen.len();
        }
        assert_eq!(api.get("/readyz").await.status(), 200);
    }
    let (status, _) = program.terminate();
    assert!(status.success());
    // As another server reads the games.
    let store = open(&url).await.unwrap();
    let page = store.list_games(GameList::All, None, 10_000).await.unwrap();
    assert_eq!(page.games.len(), 6 * kills as usize);
    for id in &page.games {
        store.load(id).await.unwrap().unwrap();
    }
    store.close().await;
    println!(
        "{kills} kills, {acknowledged} acknowledged plies, none lost; continued after at most {longest:?}"
    );
}

// ---- several programs ----

/// `DOD_RACES=10000 cargo test --test postgres one_ply -- --nocapture` lets two servers race for 10,000 plies;
/// by default for a hundredth of that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exactly_one_of_two_servers_that_race_for_one_ply_wins() {
    if server::is_left_out() {
        return;
    }
    let races = times("DOD_RACES", 10_000);
    let url = shared().database().await;
    let mut servers = Vec::new();
    for _ in 0..2 {
        let store = PostgresStore::join(&url).await.unwrap();
        servers.push(Server::on(Arc::new(store)).await);
    }
    let (mut race_number, mut games, mut by_first) = (0, 0, 0);
    while race_number < races {
        let new = json!({"game": "dice", "rules": "v4", "size": 5, "players": 2, "seats": ["human", "human"], "seed": games});
        games += 1;
        let here = servers[0].api().create(new).await;
        let tables = [here.clone(), here.on_server(&servers[1].api())];
        while race_number < races
            && let now = here.state().await
            && let Some(player) = now["player"].as_u64()
        {
            let ply = number(&now["ply"]);
            let moves = here.moves().await;
            let one = likely(&moves);
            // The same move or a different one.
            let all = moves["moves"].as_array().unwrap();
            let other = all[race_number as usize % all.len()]["path"].clone();
            let (first, second) = tokio::join!(
                race(&tables[0], player, ply, &one),
                race(&tables[1], player, ply, &other)
            );
            let won_race = [&first, &second]
                .map(|(status, answer)| *status == 200 && answer["repeated"] == false);
            let found = won_race.iter().filter(|won| **won).count();
            assert_eq!(found, 1, "race {race_number}: {first:?} {second:?}");
            let (winner, loser) = if won_race[0] {
                (&first, &second)
            } else {
                (&second, &first)
            };
            by_first += u32::from(won_race[0]);
            assert!(
                loser.0 == 409 || loser.1["repeated"] == true,
                "race {race_number}: {loser:?}"
            );
            // Repeating the request at either server gives the same answer.
            let won = if won_race[0] { &one } else { &other };
            for table in &tables {
                let (status, again) = race(table, player, ply, won).await;
                assert_eq!(
                    (status, &again["repeated"]),
                    (200, &json!(true)),
                    "race {race_number}: {again}"
                );
                assert_eq!(again["roll"], winner.1["roll"], "race {race_number}");
            }
            race_number += 1;
        }
    }
    println!("{races} races in {games} games, {by_first} won by the first server, one winner each");
}

async fn race(table: &Table, player: u64, ply: u64, path: &Value) -> (u16, Value) {
    let response = table.post(player as usize, ply, path).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

/// The same directly on the stores, with three writers and games whose batches overlap.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exactly_one_of_many_writers_wins_each_entry_number() {
    if server::is_left_out() {
        return;
    }
    let url = shared().database().await;
    let mut stores = Vec::new();
    for _ in 0..3 {
        stores.push(PostgresStore::join(&url).await.unwrap());
    }
    let mut games = Vec::new();
    for _ in 0..8 {
        games.push(created(&stores[0]).await);
    }
    for number in 0..times("DOD_RACES", 10_000) / 20 {
        let racers = games.iter().flat_map(|id| {
            stores
                .iter()
                .zip(["a", "b", "c"])
                .map(move |(store, name)| async move {
                    let entry = StoredEntry::Ply(ply(number, name));
                    (id, store.append(id, number, entry).await.is_ok())
                })
        });
        let raced = futures_util::future::join_all(racers).await;
        for id in &games {
            let won = raced.iter().filter(|(of, won)| of == &id && *won).count();
            assert_eq!(won, 1, "game {id}, number {number}");
        }
    }
    for store in &stores {
        store.close().await;
    }
}
