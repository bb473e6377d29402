//! Several servers on one PostgreSQL database: any of them serves any game, acknowledged changes are visible at
//! all servers at once, and the games of a dead server are continued by the others.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::common::acknowledged_plies::{has, play_until_the_end, plies};
use crate::common::loops::{promised, times};
use crate::common::{Events, HANG, Program, Table, likely, number};
use crate::server::{self, connect, shared};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;
use sqlx::PgConnection;
use tempfile::TempDir;
use tokio::sync::mpsc;

/// Time limit for the other servers to continue the games of a killed server.
const TAKEOVER_LIMIT: Duration = Duration::from_secs(3);

/// Time limit for a watcher to receive a ply, even without notifications.
const DELIVERY_LIMIT: Duration = Duration::from_secs(2);

/// Time limit for another server to take over the games after a clean shutdown; shorter than the duration of a
/// lease.
const HANDOVER_LIMIT: Duration = Duration::from_secs(1);

/// Server processes on one database.
struct Instances {
    url: String,
    home: TempDir,
    started: u32,
}

impl Instances {
    async fn new() -> Self {
        Instances {
            url: shared().database().await,
            home: tempfile::tempdir().unwrap(),
            started: 0,
        }
    }

    fn start(&mut self) -> Program {
        self.started += 1;
        let log = self.home.path().join(format!("log-{}", self.started));
        Program::start(&self.url, &log)
    }
}

/// Plies played at one server are visible at the other immediately.
#[tokio::test]
async fn what_one_server_acknowledges_is_visible_at_the_other_at_once() {
    if server::is_left_out() {
        return;
    }
    let mut instances = Instances::new().await;
    let programs = [instances.start(), instances.start()];
    let apis = [programs[0].api(), programs[1].api()];
    let new = json!({"game": "dice", "rules": "v4", "size": 5, "players": 2, "seats": ["human", "human"], "seed": 3});
    let table = apis[0].create(new).await;
    // Loads the table at both servers.
    let tables = [table.clone(), table.on_server(&apis[1])];
    let mut watching = tables[1].events_from(0).await;
    let mut ply = 0;
    while ply < 50 {
        // The servers alternate.
        let at = ply as usize % 2;
        let now = tables[at].state().await;
        assert_eq!(number(&now["ply"]), ply, "{now}");
        let Some(player) = now["player"].as_u64() else {
            break;
        };
        let moves = tables[at].moves().await;
        tables[at].play(player as usize, ply, &likely(&moves)).await;
        ply += 1;
        for table in &tables {
            assert_eq!(number(&table.state().await["ply"]), ply);
        }
    }
    // A watcher at the other server has received each ply once and in order.
    let received = watching.plies(0, ply - 1).await;
    let recorded = plies(&tables[0].record().await);
    assert_eq!(received.len(), recorded.len());
    for (received, recorded) in received.iter().zip(&recorded) {
        assert_eq!(
            (&received["ply"], &received["roll"]),
            (&recorded["ply"], &recorded["roll"])
        );
    }
    println!("{ply} plies at two servers in turns, each seen at once at both");
}

fn signal(program: &Program, name: &str) {
    let sent = std::process::Command::new("kill")
        .args([name, &program.pid().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// A server is stopped while it computes a move and resumed after another one has played it.
#[tokio::test]
async fn the_move_of_a_server_that_stands_still_past_its_lease_is_rejected() {
    if server::is_left_out() {
        return;
    }
    let mut instances = Instances::new().await;
    let (suspended, other) = (instances.start(), instances.start());
    let new = json!({"game": "dice", "rules": "v4", "size": 5, "players": 2, "seats": ["human", "advanced"], "seed": 5});
    let here = suspended.api().create(new).await;
    let there = here.on_server(&other.api());
    let mut watching = there.events_from(0).await;
    // The person moves until it is the computer's turn.
    let mut ply = 0;
    loop {
        let now = here.state().await;
        if now["player"] != 0 {
            break;
        }
        ply = number(&now["ply"]);
        let path = likely(&here.moves().await);
        here.play(0, ply, &path).await;
    }
    signal(&suspended, "-STOP");
    let stopped = Instant::now();
    let now = there.settled().await;
    let took = stopped.elapsed();
    assert!(
        number(&now["ply"]) > ply && took < promised("DOD_INSTANCE_KILLS", TAKEOVER_LIMIT),
        "{took:?}: {now}"
    );
    signal(&suspended, "-CONT");
    // Both servers show the same game, and it can be continued at either.
    let path = likely(&here.moves().await);
    let ply = number(&now["ply"]);
    here.play(0, ply, &path).await;
    let settled = there.settled().await;
    assert_eq!(plies(&here.record().await), plies(&there.record().await));
    let last = number(&settled["ply"]) - 1;
    assert_eq!(watching.plies(0, last).await.len() as u64, last + 1);
}

/// `DOD_INSTANCE_KILLS=50 cargo test --test postgres instances::after_a_kill_9 -- --nocapture` kills 50 servers
/// while computers and people play; by default a hundredth of that.
#[tokio::test]
async fn after_a_kill_9_the_other_server_continues_all_games() {
    if server::is_left_out() {
        return;
    }
    let kills = times("DOD_INSTANCE_KILLS", 50);
    let bound = promised("DOD_INSTANCE_KILLS", TAKEOVER_LIMIT);
    let mut instances = Instances::new().await;
    let mut survivor = instances.start();
    let (mut longest, mut acknowledged) = (Duration::ZERO, 0);
    for round in 0..kills {
        let victim = instances.start();
        let mut games = Vec::new();
        for seed in 0..6 {
            // Its computers take a moment per move.
            let new = json!({"game": "dice", "rules": "v4", "size": 5, "players": 2,
                "seats": ["human", "advanced"], "seed": 100 * round + seed});
            let table = victim.api().create(new).await;
            let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
            let seen_by_player = std::sync::Arc::clone(&seen);
            let keep_playing = move |ply| {
                seen_by_player.lock().unwrap().push(ply);
                true
            };
            let player = tokio::spawn(play_until_the_end(table.clone(), keep_playing));
            let remote = table.on_server(&survivor.api());
            let watching = remote.events_from(0).await;
            games.push((remote, seen, player, watching));
        }
        games[0].0.wait(4 + u64::from(round) % 7).await;
        victim.kill();
        let killed = Instant::now();
        for (table, seen, player, mut watching) in games {
            tokio::time::timeout(HANG, player).await.unwrap().unwrap();
            // Waits until a person is to move or the game is over: no computer move remains pending.
            let now = table.settled().await;
            longest = longest.max(killed.elapsed());
            let recorded = plies(&table.record().await);
            for ply in &*seen.lock().unwrap() {
                assert!(has(&recorded, ply), "round {round}: {ply:?} is lost");
                acknowledged += 1;
            }
            let received = match number(&now["ply"]).checked_sub(1) {
                Some(last) => watching.plies(0, last).await,
                None => Vec::new(),
            };
            assert_eq!(received.len(), recorded.len(), "round {round}");
        }
        assert!(longest < bound, "continued after {longest:?}");
        // The surviving server is killed next.
        let fresh = instances.start();
        drop(std::mem::replace(&mut survivor, fresh));
    }
    println!(
        "{kills} kills, {acknowledged} acknowledged plies, none lost; all games had continued after {longest:?}"
    );
}

/// Terminates all LISTEN connections of this database; returns their number.
async fn cut_listeners(connection: &mut PgConnection) -> u32 {
    let query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN %'";
    let cut: Vec<bool> = sqlx::query_scalar(query)
        .fetch_all(connection)
        .await
        .unwrap();
    cut.into_iter().map(u32::from).sum()
}

async fn until_both_listen(connection: &mut PgConnection) {
    let query = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN %'";
    let begun = Instant::now();
    loop {
        let listen: i64 = sqlx::query_scalar(query)
            .fetch_one(&mut *connection)
            .await
            .unwrap();
        if listen == 2 {
            return;
        }
        assert!(begun.elapsed() < HANG);
    }
}

/// Reports the time at which each ply arrives, and checks that they arrive once and in order.
fn watch_plies(mut events: Events) -> mpsc::UnboundedReceiver<(u64, Instant)> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for ply in 0.. {
            let event = events.next("ply").await;
            assert_eq!(event.id, Some(ply), "{}", event.data);
            if sender.send((ply, Instant::now())).is_err() {
                return;
            }
        }
    });
    receiver
}

/// `DOD_LISTENER_CUTS=1000 cargo test --test postgres notifications_are_cut -- --nocapture` cuts 1,000 notification
/// connections; by default a hundredth of that.
#[tokio::test]
async fn every_ply_reaches_its_watchers_while_the_notifications_are_cut() {
    if server::is_left_out() {
        return;
    }
    let cuts = times("DOD_LISTENER_CUTS", 1_000);
    let bound = promised("DOD_LISTENER_CUTS", DELIVERY_LIMIT);
    let mut instances = Instances::new().await;
    let programs = [instances.start(), instances.start()];
    let apis = [programs[0].api(), programs[1].api()];
    let mut admin = connect(&instances.url).await;
    let mut rng = ChaCha8Rng::seed_from_u64(29);
    let (mut cut, mut played, mut games) = (0, 0, 0);
    let mut longest = Duration::ZERO;
    while cut < cuts {
        let new = json!({"game": "dice", "rules": "v4", "size": 5, "players": 2, "seats": ["human", "human"], "seed": games});
        games += 1;
        let here = apis[0].create(new).await;
        let there = here.on_server(&apis[1]);
        // Two watchers at the other server, one at the server where the game is played.
        let mut watchers = Vec::new();
        for table in [&there, &there, &here] {
            watchers.push(watch_plies(table.events_from(0).await));
        }
        let mut ply = 0;
        while cut < cuts
            && let Some(player) = here.state().await["player"].as_u64()
        {
            let path = likely(&here.moves().await);
            cut += cut_listeners(&mut admin).await;
            // The ply comes while the listeners are down, reconnecting, or connected again.
            let pause = rng.random_range(0..150);
            tokio::time::sleep(Duration::from_millis(pause)).await;
            here.play(player as usize, ply, &path).await;
            let acknowledged = Instant::now();
            for watcher in &mut watchers {
                let received = tokio::time::timeout(HANG, watcher.recv()).await.unwrap();
                let (number, at) = received.expect("the stream goes on");
                assert_eq!(number, ply);
                longest = longest.max(at.saturating_duration_since(acknowledged));
            }
            assert!(
                longest < bound,
                "received after {longest:?}: {cut} cuts, game {games}, ply {ply}"
            );
            ply += 1;
        }
        played += ply;
    }
    println!(
        "{cut} cuts of listening connections, {played} plies in {games} games: each of three watchers has received each \
         once and in order, {longest:?} after it was acknowledged at the latest"
    );
}

/// The notification connections are cut just before: watchers learn of the rematch at the next poll.
#[tokio::test]
async fn a_rematch_made_elsewhere_is_reported_without_a_notification() {
    if server::is_left_out() {
        return;
    }
    let mut instances = Instances::new().await;
    let (here, there) = (instances.start(), instances.start());
    let mut admin = connect(&instances.url).await;
    let mut longest = Duration::ZERO;
    for seed in 0..5 {
        let new = json!({"game": "dice", "rules": "v4", "size": 5, "players": 2, "seats": ["human", "book"], "seed": seed});
        let table = here.api().create(new).await;
        let ended = table.send(0, "/resign", &json!({})).await;
        let ended: serde_json::Value = ended.json().await.unwrap();
        assert_eq!(ended["over"], true, "{ended}");
        let mut watching = table.on_server(&there.api()).events_from(0).await;
        watching.next("over").await;
        until_both_listen(&mut admin).await;
        assert_eq!(cut_listeners(&mut admin).await, 2);
        let response = table.send(0, "/rematch", &json!({})).await;
        let status = response.status();
        let response: serde_json::Value = response.json().await.unwrap();
        assert_eq!(status, 201, "{response}");
        let begun = Instant::now();
        let event = watching.next("rematch").await;
        assert_eq!(event.data["id"], response["id"], "{response}");
        longest = longest.max(begun.elapsed());
    }
    assert!(
        longest < promised("DOD_LISTENER_CUTS", DELIVERY_LIMIT),
        "{longest:?}"
    );
    println!(
        "five rematches reported without a notification, at most {longest:?} after their creation"
    );
}

/// Waits for the first ply at each table; returns the numbers of the next plies.
async fn next_plies(tables: &[Table]) -> Vec<u64> {
    let mut next = Vec::new();
    for table in tables {
        next.push(number(&table.wait(1).await["ply"]));
    }
    next
}

#[tokio::test]
async fn a_server_that_shuts_down_in_good_order_hands_over_its_games_at_once() {
    if server::is_left_out() {
        return;
    }
    let mut instances = Instances::new().await;
    let (leaving, staying) = (instances.start(), instances.start());
    let mut tables = Vec::new();
    for seed in 0..3 {
        // The only person does not move for a while.
        let level = "champion:5000";
        let new = json!({"game": "dice", "rules": "v4", "size": 5, "players": 6, "seed": seed,
            "seats": [level, level, level, level, level, "human"]});
        tables.push(leaving.api().create(new).await);
    }
    next_plies(&tables).await;
    let mut connection = connect(&instances.url).await;
    let fencing_tokens = "SELECT game, token FROM lease";
    let before: HashMap<String, i64> = sqlx::query_as(fencing_tokens)
        .fetch_all(&mut connection)
        .await
        .unwrap()
        .into_iter()
        .collect();
    let (status, _) = leaving.terminate();
    let ended = Instant::now();
    assert!(status.success(), "{status}");
    let tables: Vec<Table> = tables
        .iter()
        .map(|table| table.on_server(&staying.api()))
        .collect();
    // A game that waits for its person or is over is not due; every other game must have a new lease.
    let due =
        "SELECT game, token, until_ms > (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        FROM lease WHERE due_ms IS NOT NULL";
    loop {
        let due: Vec<(String, i64, bool)> = sqlx::query_as(due)
            .fetch_all(&mut connection)
            .await
            .unwrap();
        let is_left = |(game, fence, is_leased): &(String, i64, bool)| {
            !is_leased || before.get(game).is_some_and(|before| fence <= before)
        };
        let left = due.iter().filter(|one| is_left(one)).count();
        if left == 0 {
            break;
        }
        assert!(
            ended.elapsed() < HANDOVER_LIMIT,
            "{left} left after {:?}",
            ended.elapsed()
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let took = ended.elapsed();
    for table in &tables {
        let now = table.state().await;
        if now["player"] != 5 && now["over"] == false {
            let ply = number(&now["ply"]);
            let then = table.wait(ply + 1).await;
            assert!(number(&then["ply"]) > ply, "{then}");
        }
    }
    println!("the games of a server that ended had the other's leases after {took:?}");
}
