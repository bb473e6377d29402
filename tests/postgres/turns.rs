//! Computer turns on four servers of one PostgreSQL database, which are repeatedly killed during computation:
//! each ply is played once, and no game starves.
//!
//! A turn counts as killed if a thread is computing it when its server is killed: the server reports the number
//! of busy threads (`computers_thinking`) and then gets SIGKILL. Turns that are only queued die with it, too,
//! and are not counted. A server is killed whenever fewer than 5 % of the started turns have been killed.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::acknowledged_plies::plies;
use crate::common::loops::{promised, times};
use crate::common::{Event, HANG, Program, free_port, program};
use crate::server::{self, shared};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;

const SERVERS: usize = 4;

/// Number of games that are played and watched concurrently.
const GAMES: usize = 16;

/// Compute threads per server: each kill should hit several turns.
const THINKERS: &str = "4";

/// One turn in this many is killed.
const KILL_RATIO: u32 = 20;

/// The maximum wait for a ply. The server that takes over a game gets its lease after two and a half seconds,
/// then queues the turn behind others, and may itself be killed before it has moved. On an otherwise idle
/// machine the wait is a few seconds.
const MAX_PLY_WAIT: Duration = Duration::from_secs(30);

/// The players: long computations to be killed, and short ones in between.
const MIX: [(&str, [&str; 2]); 4] = [
    ("trilobite", ["champion", "book"]),
    ("dice", ["champion", "greedy"]),
    ("trilobite", ["champion", "master"]),
    ("dice", ["expert", "master"]),
];

/// Servers that keep their addresses over restarts.
struct ServerGroup {
    database: String,
    ports: [u16; SERVERS],
    metrics_ports: [u16; SERVERS],
    servers: Vec<Option<Program>>,
    home: TempDir,
    started: u32,
}

impl ServerGroup {
    async fn new() -> Self {
        let mut group = ServerGroup {
            database: shared().database().await,
            ports: std::array::from_fn(|_| free_port()),
            metrics_ports: std::array::from_fn(|_| free_port()),
            servers: Vec::new(),
            home: tempfile::tempdir().unwrap(),
            started: 0,
        };
        for at in 0..SERVERS {
            let server = group.start(at);
            group.servers.push(Some(server));
        }
        group
    }

    fn start(&mut self, at: usize) -> Program {
        self.started += 1;
        let log = self.home.path().join(format!("log-{}", self.started));
        let mut command = program();
        command.args(["--listen", &format!("127.0.0.1:{}", self.ports[at])]);
        command.args([
            "--metrics",
            &format!("127.0.0.1:{}", self.metrics_ports[at]),
        ]);
        command.args(["--database", &self.database, "--thinkers", THINKERS]);
        command.args(["--limit-games-per-minute", "10000"]);
        Program::run(command, &log)
    }

    fn urls(&self) -> [String; SERVERS] {
        self.ports.map(|port| format!("http://127.0.0.1:{port}"))
    }

    /// Kills a server if it is computing; returns the number of turns that were killed, 0 if it was idle.
    async fn kill_in_thought(&mut self, at: usize) -> u32 {
        let url = format!("http://127.0.0.1:{}/metrics", self.metrics_ports[at]);
        let response = Client::new().get(url).send().await.unwrap();
        let metrics = response.text().await.unwrap();
        let value = metrics
            .lines()
            .find_map(|line| line.strip_prefix("computers_thinking "));
        let thinking: f64 = value
            .expect("the server exports the metric")
            .parse()
            .unwrap();
        if thinking > 0.0 {
            self.servers[at].take().unwrap().kill();
            let server = self.start(at);
            self.servers[at] = Some(server);
        }
        thinking as u32
    }
}

/// The totals of all watchers.
#[derive(Default)]
struct Seen {
    turns: AtomicU32,
    plies: AtomicU32,
    games: AtomicU32,
    longest: Mutex<Duration>,
}

impl Seen {
    fn record_wait(&self, time: Duration, of: &str) {
        let bound = promised("DOD_TURNS", MAX_PLY_WAIT);
        assert!(time < bound, "game {of} waited {time:?} for a ply");
        let mut longest = self.longest.lock().unwrap();
        *longest = time.max(*longest);
    }
}

/// A client that watches one game after the other and changes the server when one goes away.
struct Watcher {
    client: Client,
    urls: [String; SERVERS],
    at: usize,
    rng: ChaCha8Rng,
    seen: Arc<Seen>,
    /// Stops after this many turns.
    max_turns: u32,
}

impl Watcher {
    async fn watch(mut self, number: usize) {
        let mut game = 0;
        while self.needs_more_turns() {
            let (kind, levels) = MIX[(number + game) % MIX.len()];
            let id = self.begin(kind, levels, 100 * number + game).await;
            self.seen.games.fetch_add(1, Ordering::Relaxed);
            let received = self.follow(&id).await;
            let recorded = plies(&self.record(&id).await);
            assert!(recorded.len() >= received.len(), "plies of {id} are lost");
            for (received, recorded) in received.iter().zip(&recorded) {
                for field in ["ply", "player", "path", "column", "roll", "at"] {
                    assert_eq!(
                        received[field], recorded[field],
                        "{field}: {received} {recorded}"
                    );
                }
            }
            game += 1;
        }
    }

    fn needs_more_turns(&self) -> bool {
        self.seen.turns.load(Ordering::Relaxed) < self.max_turns
    }

    async fn begin(&mut self, kind: &str, levels: [&str; 2], seed: usize) -> String {
        let mut new = json!({"game": kind, "seats": levels});
        if kind == "dice" {
            new["rules"] = "v4".into();
            new["size"] = 4.into();
            new["players"] = 2.into();
            new["seed"] = seed.into();
        }
        loop {
            let url = format!("{}/api/v1/games", self.urls[self.at]);
            let response = self.client.post(url).json(&new).send().await;
            if let Ok(answer) = response
                && let Ok(created) = answer.json::<Value>().await
            {
                let id = created["id"].as_str();
                return id.unwrap_or_else(|| panic!("{new}: {created}")).to_owned();
            }
            self.switch_server().await;
        }
    }

    /// Switches to a random other server, as a balancer would, so that no server gets all clients.
    async fn switch_server(&mut self) {
        self.at = (self.at + self.rng.random_range(1..SERVERS)) % SERVERS;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    async fn record(&mut self, id: &str) -> Value {
        loop {
            let url = format!("{}/api/v1/games/{id}/record", self.urls[self.at]);
            if let Ok(answer) = self.client.get(url).send().await
                && let Ok(record) = answer.json::<Value>().await
                && record["plies"].is_array()
            {
                return record;
            }
            self.switch_server().await;
        }
    }

    /// Receives the plies of a game, each once and in order, until it is over or enough turns were played.
    async fn follow(&mut self, id: &str) -> Vec<Value> {
        let mut received: Vec<Value> = Vec::new();
        let mut last = Instant::now();
        loop {
            let from = received.len();
            let url = format!(
                "{}/api/v1/games/{id}/events?from={from}",
                self.urls[self.at]
            );
            let response = self.client.get(url).send().await;
            if let Ok(mut answer) = response
                && answer.status() == 200
            {
                let mut buffer = String::new();
                while let Ok(chunk) = tokio::time::timeout(HANG, answer.chunk()).await
                    && let Ok(Some(chunk)) = chunk
                {
                    buffer += std::str::from_utf8(&chunk).unwrap();
                    while let Some((message, remainder)) = buffer.split_once("\n\n") {
                        let event = Event::parse(message);
                        buffer = remainder.to_owned();
                        if event.event == "over" {
                            return received;
                        }
                        if event.event == "ply" {
                            self.record_ply(id, &mut received, event.data);
                            self.seen.record_wait(last.elapsed(), id);
                            last = Instant::now();
                        }
                    }
                    if !self.needs_more_turns() {
                        return received;
                    }
                }
            }
            self.seen.record_wait(last.elapsed(), id);
            self.switch_server().await;
        }
    }

    fn record_ply(&self, id: &str, received: &mut Vec<Value>, ply: Value) {
        assert_eq!(ply["ply"], received.len(), "{id}: a ply twice, or a gap");
        let begins = received
            .last()
            .is_none_or(|last| last["player"] != ply["player"]);
        self.seen
            .turns
            .fetch_add(u32::from(begins), Ordering::Relaxed);
        self.seen.plies.fetch_add(1, Ordering::Relaxed);
        received.push(ply);
    }
}

/// `DOD_TURNS=10000 cargo test --test postgres turns:: -- --nocapture`; by default a hundredth of that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_of_killed_servers_are_played_once_and_none_starves() {
    if server::is_left_out() {
        return;
    }
    let max_turns = times("DOD_TURNS", 10_000);
    let mut servers = ServerGroup::new().await;
    let seen = Arc::new(Seen::default());
    let begun = Instant::now();
    let watchers: Vec<JoinHandle<()>> = (0..GAMES)
        .map(|number| {
            let watcher = Watcher {
                client: Client::new(),
                urls: servers.urls(),
                at: number % SERVERS,
                rng: ChaCha8Rng::seed_from_u64(number as u64),
                seen: Arc::clone(&seen),
                max_turns,
            };
            tokio::spawn(watcher.watch(number))
        })
        .collect();
    let (mut kills, mut killed) = (0, 0);
    let mut next = 0;
    while !watchers.iter().all(JoinHandle::is_finished) {
        assert!(
            !watchers.iter().any(JoinHandle::is_finished)
                || seen.turns.load(Ordering::Relaxed) >= max_turns,
            "a watcher has failed"
        );
        let turns = seen.turns.load(Ordering::Relaxed);
        if turns < max_turns && killed * KILL_RATIO < turns {
            let thinking = servers.kill_in_thought(next % SERVERS).await;
            killed += thinking;
            kills += u32::from(thinking > 0);
            next += 1;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for watcher in watchers {
        watcher.await.unwrap();
    }
    let took = begun.elapsed();
    let count = |of: &AtomicU32| of.load(Ordering::Relaxed);
    let turns = count(&seen.turns);
    assert!(
        killed * KILL_RATIO >= max_turns,
        "{killed} of {turns} turns"
    );
    for server in servers.servers.iter_mut() {
        let (status, _) = server.take().unwrap().terminate();
        assert!(status.success(), "{status}");
    }
    // Each game is replayed by the rules.
    let check = program()
        .args(["check", &servers.database])
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&check.stdout).into_owned();
    let errors = String::from_utf8_lossy(&check.stderr).into_owned();
    assert!(check.status.success(), "{output}{errors}");
    println!(
        "{turns} turns ({} plies, {} games) on {SERVERS} servers in {took:.0?}: {kills} kills, {killed} turns in \
         mid-thought; each ply once; the longest wait for a ply {:?}; check: {}",
        count(&seen.plies),
        count(&seen.games),
        *seen.longest.lock().unwrap(),
        output.trim().replace('\n', "; ")
    );
}
