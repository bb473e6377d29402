//! Computers' turns on four servers of one PostgreSQL database, which are killed in mid-thought again and again: each
//! ply happens once, and no game starves.
//!
//! A turn is killed in mid-thought when a thread thinks about it as its server is killed: the server is asked how many
//! threads think (`computers_thinking`), and gets its SIGKILL when it has answered, a moment later. Turns that only
//! wait there for a thread die with it too and are not counted. A server is killed whenever fewer than 5 % of the turns
//! that were begun have been killed so.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::loops::{promised, times};
use crate::common::witness::plies;
use crate::common::{Event, HANG, Program, free_port, program};
use crate::server::{self, shared};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;

const SERVERS: usize = 4;

/// Games that are played and watched at the same time.
const GAMES: usize = 16;

/// Threads that think at each server: each kill is to hit several.
const THINKERS: &str = "4";

/// One turn of so many is to be killed in mid-thought.
const ONE_OF: u32 = 20;

/// No game waits longer for its next ply. Whoever takes it over has its lease after two seconds and a half and puts it
/// behind the turns that wait there already; it may be killed again before it has thought. On a machine with little
/// else to do it is a few seconds.
const STARVES: Duration = Duration::from_secs(30);

/// Who plays: long thoughts are what is killed, short ones come in between.
const MIX: [(&str, [&str; 2]); 4] = [
    ("trilobite", ["champion", "book"]),
    ("dice", ["champion", "greedy"]),
    ("trilobite", ["champion", "master"]),
    ("dice", ["expert", "master"]),
];

/// Servers whose addresses stay the same when they are started again.
struct Street {
    database: String,
    ports: [u16; SERVERS],
    figures: [u16; SERVERS],
    servers: Vec<Option<Program>>,
    home: TempDir,
    started: u32,
}

impl Street {
    async fn new() -> Self {
        let mut street = Street {
            database: shared().database().await,
            ports: std::array::from_fn(|_| free_port()),
            figures: std::array::from_fn(|_| free_port()),
            servers: Vec::new(),
            home: tempfile::tempdir().unwrap(),
            started: 0,
        };
        for at in 0..SERVERS {
            let server = street.start(at);
            street.servers.push(Some(server));
        }
        street
    }

    fn start(&mut self, at: usize) -> Program {
        self.started += 1;
        let log = self.home.path().join(format!("log-{}", self.started));
        let mut command = program();
        command.args(["--listen", &format!("127.0.0.1:{}", self.ports[at])]);
        command.args(["--metrics", &format!("127.0.0.1:{}", self.figures[at])]);
        command.args(["--database", &self.database, "--thinkers", THINKERS]);
        command.args(["--limit-games-per-minute", "10000"]);
        Program::run(command, &log)
    }

    fn urls(&self) -> [String; SERVERS] {
        self.ports.map(|port| format!("http://127.0.0.1:{port}"))
    }

    /// Kills a server that thinks, and says about how many turns; 0 where it thought about none and lives.
    async fn kill_in_thought(&mut self, at: usize) -> u32 {
        let url = format!("http://127.0.0.1:{}/metrics", self.figures[at]);
        let asked = Client::new().get(url).send().await.unwrap();
        let figures = asked.text().await.unwrap();
        let figure = figures
            .lines()
            .find_map(|line| line.strip_prefix("computers_thinking "));
        let thinking: f64 = figure.expect("the figure").parse().unwrap();
        if thinking > 0.0 {
            self.servers[at].take().unwrap().kill();
            let server = self.start(at);
            self.servers[at] = Some(server);
        }
        thinking as u32
    }
}

/// What all who watch have seen.
#[derive(Default)]
struct Seen {
    turns: AtomicU32,
    plies: AtomicU32,
    games: AtomicU32,
    longest: Mutex<Duration>,
}

impl Seen {
    fn waited(&self, time: Duration, of: &str) {
        let bound = promised("DOD_TURNS", STARVES);
        assert!(time < bound, "game {of} waited {time:?} for a ply");
        let mut longest = self.longest.lock().unwrap();
        *longest = time.max(*longest);
    }
}

/// Who watches one game after the other, at another server whenever one goes away.
struct Watcher {
    client: Client,
    urls: [String; SERVERS],
    at: usize,
    ways: ChaCha8Rng,
    seen: Arc<Seen>,
    /// So many turns are enough.
    enough: u32,
}

impl Watcher {
    async fn watch(mut self, number: usize) {
        let mut game = 0;
        while self.goes_on() {
            let (kind, levels) = MIX[(number + game) % MIX.len()];
            let id = self.begin(kind, levels, 100 * number + game).await;
            self.seen.games.fetch_add(1, Ordering::Relaxed);
            let heard = self.follow(&id).await;
            let kept = plies(&self.record(&id).await);
            assert!(kept.len() >= heard.len(), "plies of {id} are lost");
            for (heard, kept) in heard.iter().zip(&kept) {
                for field in ["ply", "player", "path", "column", "roll", "at"] {
                    assert_eq!(heard[field], kept[field], "{field}: {heard} {kept}");
                }
            }
            game += 1;
        }
    }

    fn goes_on(&self) -> bool {
        self.seen.turns.load(Ordering::Relaxed) < self.enough
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
            let asked = self.client.post(url).json(&new).send().await;
            if let Ok(answer) = asked
                && let Ok(made) = answer.json::<Value>().await
            {
                let id = made["id"].as_str();
                return id.unwrap_or_else(|| panic!("{new}: {made}")).to_owned();
            }
            self.elsewhere().await;
        }
    }

    /// Goes to any of the others, as a balancer would send it: so no server gets them all.
    async fn elsewhere(&mut self) {
        self.at = (self.at + self.ways.random_range(1..SERVERS)) % SERVERS;
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
            self.elsewhere().await;
        }
    }

    /// The plies of a game until it is over or there were turns enough, each once and in order.
    async fn follow(&mut self, id: &str) -> Vec<Value> {
        let mut heard: Vec<Value> = Vec::new();
        let mut last = Instant::now();
        loop {
            let from = heard.len();
            let url = format!(
                "{}/api/v1/games/{id}/events?from={from}",
                self.urls[self.at]
            );
            let asked = self.client.get(url).send().await;
            if let Ok(mut answer) = asked
                && answer.status() == 200
            {
                let mut rest = String::new();
                while let Ok(chunk) = tokio::time::timeout(HANG, answer.chunk()).await
                    && let Ok(Some(chunk)) = chunk
                {
                    rest += std::str::from_utf8(&chunk).unwrap();
                    while let Some((message, more)) = rest.split_once("\n\n") {
                        let event = Event::parse(message);
                        rest = more.to_owned();
                        if event.event == "over" {
                            return heard;
                        }
                        if event.event == "ply" {
                            self.note(id, &mut heard, event.data);
                            self.seen.waited(last.elapsed(), id);
                            last = Instant::now();
                        }
                    }
                    if !self.goes_on() {
                        return heard;
                    }
                }
            }
            self.seen.waited(last.elapsed(), id);
            self.elsewhere().await;
        }
    }

    fn note(&self, id: &str, heard: &mut Vec<Value>, ply: Value) {
        assert_eq!(ply["ply"], heard.len(), "{id}: a ply twice, or a gap");
        let begins = heard
            .last()
            .is_none_or(|last| last["player"] != ply["player"]);
        self.seen
            .turns
            .fetch_add(u32::from(begins), Ordering::Relaxed);
        self.seen.plies.fetch_add(1, Ordering::Relaxed);
        heard.push(ply);
    }
}

/// `DOD_TURNS=10000 cargo test --test postgres turns:: -- --nocapture`; without a number it is a hundredth of that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_of_servers_killed_in_mid_thought_are_played_once_and_none_starves() {
    if server::is_left_out() {
        return;
    }
    let enough = times("DOD_TURNS", 10_000);
    let mut street = Street::new().await;
    let seen = Arc::new(Seen::default());
    let begun = Instant::now();
    let watchers: Vec<JoinHandle<()>> = (0..GAMES)
        .map(|number| {
            let watcher = Watcher {
                client: Client::new(),
                urls: street.urls(),
                at: number % SERVERS,
                ways: ChaCha8Rng::seed_from_u64(number as u64),
                seen: Arc::clone(&seen),
                enough,
            };
            tokio::spawn(watcher.watch(number))
        })
        .collect();
    let (mut kills, mut killed) = (0, 0);
    let mut next = 0;
    while !watchers.iter().all(JoinHandle::is_finished) {
        assert!(
            !watchers.iter().any(JoinHandle::is_finished)
                || seen.turns.load(Ordering::Relaxed) >= enough,
            "a watcher has failed"
        );
        let turns = seen.turns.load(Ordering::Relaxed);
        if turns < enough && killed * ONE_OF < turns {
            let thinking = street.kill_in_thought(next % SERVERS).await;
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
    assert!(killed * ONE_OF >= enough, "{killed} of {turns} turns");
    for server in street.servers.iter_mut() {
        let (status, _) = server.take().unwrap().terminate();
        assert!(status.success(), "{status}");
    }
    // Each game is replayed by the rules.
    let checked = program()
        .args(["check", &street.database])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    let complained = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success(), "{said}{complained}");
    println!(
        "{turns} turns ({} plies, {} games) on {SERVERS} servers in {took:.0?}: {kills} kills, {killed} turns in \
         mid-thought; each ply once; the longest wait for a ply {:?}; check: {}",
        count(&seen.plies),
        count(&seen.games),
        *seen.longest.lock().unwrap(),
        said.trim().replace('\n', "; ")
    );
}
