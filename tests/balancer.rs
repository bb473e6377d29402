//! Two servers on one PostgreSQL database behind Debian's HAProxy, with its settings of packaging/containers: players and
//! watchers notice nothing when one server after the other is restarted, and lose nothing when one is killed.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;
#[path = "common/postgres.rs"]
mod server;

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::witness::{Acknowledged, has, plies};
use common::{HANG, Program, likely, number, program};
use reqwest::Client;
use serde_json::{Value, json};
use server::{is_left_out, shared};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// After so long every game goes on, whatever has happened to a server.
const GOES_ON: Duration = Duration::from_secs(3);

/// Tables at which somebody plays, each with a watcher.
const TABLES: u32 = 6;

/// How often a long loop is run: a twentieth unless a number is given.
fn times(name: &str, all: u32) -> u32 {
    match std::env::var(name) {
        Ok(times) => times.parse().expect("a number"),
        Err(_) => all / 20,
    }
}

/// Whether the tests here are left out; says so.
fn is_without_balancer() -> bool {
    if is_left_out() {
        return true;
    }
    let mut found = Command::new("sh");
    found.args(["-c", "command -v haproxy"]);
    let found = found.stdout(Stdio::null()).status().unwrap();
    if !found.success() {
        println!("skipped: haproxy is not there");
    }
    !found.success()
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Two servers behind a balancer.
struct House {
    database: String,
    ports: [u16; 2],
    servers: Vec<Program>,
    url: String,
    balancer: Child,
    home: TempDir,
    started: u32,
}

impl House {
    async fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let (ports, port) = ([free_port(), free_port()], free_port());
        let settings = include_str!("../packaging/containers/haproxy.cfg")
            .replace("bind :8080", &format!("bind 127.0.0.1:{port}"))
            .replace("one:8080", &format!("127.0.0.1:{}", ports[0]))
            .replace("two:8080", &format!("127.0.0.1:{}", ports[1]));
        let file = home.path().join("haproxy.cfg");
        std::fs::write(&file, settings).unwrap();
        let mut house = House {
            database: shared().database().await,
            ports,
            servers: Vec::new(),
            url: format!("http://127.0.0.1:{port}"),
            balancer: Command::new("haproxy")
                .arg("-f")
                .arg(&file)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
            home,
            started: 0,
        };
        for at in 0..2 {
            let server = house.start(at);
            house.servers.push(server);
        }
        for at in 0..2 {
            house.ready(at).await;
        }
        house.balanced().await;
        house
    }

    fn start(&mut self, at: usize) -> Program {
        self.started += 1;
        let log = self.home.path().join(format!("log-{}", self.started));
        let address = format!("127.0.0.1:{}", self.ports[at]);
        let mut command = program();
        command.args(["--listen", &address, "--database", &self.database]);
        command.args(["--trusted-proxy", "127.0.0.1", "--drain-seconds", "2"]);
        Program::run(command, &log)
    }

    async fn answers(url: &str) -> bool {
        let asked = Client::new().get(format!("{url}/readyz")).send().await;
        asked.is_ok_and(|answer| answer.status() == 200)
    }

    async fn ready(&self, at: usize) {
        until(async || Self::answers(&self.servers[at].url).await).await;
    }

    /// Whether the balancer knows a server that is ready.
    async fn balanced(&self) {
        until(async || Self::answers(&self.url).await).await;
    }

    /// A server ends in good order, with the command for it, and another takes its place.
    async fn restart(&mut self, at: usize) {
        let leaving = self.servers.remove(at);
        let pid = leaving.pid().to_string();
        let asked = program().args(["drain", &pid]).spawn().unwrap();
        let url = leaving.url.clone();
        until(async || !Self::answers(&url).await).await;
        let (status, _) = tokio::task::spawn_blocking(move || leaving.ended())
            .await
            .unwrap();
        assert!(status.success(), "{status}");
        let drained = asked.wait_with_output().unwrap();
        assert!(drained.status.success());
        let server = self.start(at);
        self.servers.insert(at, server);
        self.ready(at).await;
    }

    /// A server is killed, and another takes its place.
    async fn kill(&mut self, at: usize) {
        self.servers.remove(at).kill();
        let server = self.start(at);
        self.servers.insert(at, server);
        self.ready(at).await;
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = self.balancer.kill();
        let _ = self.balancer.wait();
    }
}

/// Asks again and again until it is so.
async fn until(is_so: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < HANG);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What players and watchers at the balancer have seen.
#[derive(Default)]
struct Seen {
    /// Answers that were errors of the servers or of the balancer, or no answers at all.
    errors: AtomicU32,
    /// Plies acknowledged.
    plies: AtomicU32,
    /// Plies that were sent again and acknowledged as played before.
    repeated: AtomicU32,
    /// Streams that were begun.
    streams: AtomicU32,
    told: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

impl Seen {
    fn error(&self, what: String) {
        self.errors.fetch_add(1, Ordering::Relaxed);
        self.told.lock().unwrap().push(what);
    }

    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }
}

/// A person who plays one game after the other through the balancer.
struct Bot {
    client: Client,
    url: String,
    seen: Arc<Seen>,
    /// When the last ply was acknowledged.
    last: Arc<Mutex<Instant>>,
}

impl Bot {
    /// The answer to a request; what is an error is asked again.
    async fn ask(
        &self,
        method: reqwest::Method,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> Value {
        let begun = Instant::now();
        loop {
            let url = format!("{}/api/v1/games{path}", self.url);
            let mut request = self.client.request(method.clone(), url);
            if !token.is_empty() {
                request = request.bearer_auth(token);
            }
            if let Some(body) = body {
                request = request.json(body);
            }
            match request.send().await {
                Ok(answer) if answer.status().is_server_error() => {
                    self.seen
                        .error(format!("{method} {path}: {}", answer.status()));
                }
                Ok(answer) => match answer.json().await {
                    Ok(answer) => return answer,
                    Err(error) => self.seen.error(format!("{method} {path}: {error:?}")),
                },
                Err(error) => self.seen.error(format!("{method} {path}: {error:?}")),
            }
            assert!(
                begun.elapsed() < HANG,
                "{:?}",
                self.seen.told.lock().unwrap()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn play(self, seed: u32) {
        for game in 0.. {
            if !self.seen.goes_on() {
                return;
            }
            let new = json!({"game": "dice", "rules": "v4", "size": 4, "players": 2,
                "seats": ["human", "book"], "seed": 1000 * seed + game});
            let made = self.ask(reqwest::Method::POST, "", "", Some(&new)).await;
            let id = made["id"].as_str().unwrap().to_owned();
            let token = made["seats"][0]["token"].as_str().unwrap().to_owned();
            let way = Arc::new(Mutex::new(String::new()));
            let watcher = tokio::spawn(watch(
                self.url.clone(),
                id.clone(),
                Arc::clone(&self.seen),
                Arc::clone(&way),
            ));
            let acknowledged = self.play_one(&id, &token).await;
            let path = format!("/{id}/record");
            let record = self.ask(reqwest::Method::GET, &path, "", None).await;
            let kept = plies(&record);
            for ply in &acknowledged {
                assert!(has(&kept, ply), "{ply:?} is lost: {record}");
            }
            let heard = tokio::time::timeout(HANG / 2, watcher).await;
            let heard = heard.unwrap_or_else(|_| {
                panic!(
                    "a watcher of {id} hears no end: {}; {} plies",
                    way.lock().unwrap(),
                    kept.len()
                )
            });
            let heard = heard.unwrap();
            assert_eq!(heard, kept.len() as u64, "plies heard of {id}");
        }
    }

    /// Plays a game until it is over; if there is not to be another one, it is given up.
    async fn play_one(&self, id: &str, token: &str) -> Vec<Acknowledged> {
        let mut acknowledged = Vec::new();
        let mut ply = 0;
        loop {
            let path = format!("/{id}?wait={ply}");
            let now = self.ask(reqwest::Method::GET, &path, "", None).await;
            if now["over"] == true {
                return acknowledged;
            }
            ply = number(&now["ply"]);
            if !self.seen.goes_on() {
                let path = format!("/{id}/resign");
                let resigned = self.ask(reqwest::Method::POST, &path, token, None).await;
                // Whoever asks again after an error may find the game over.
                let is_over = resigned["over"] == true || resigned["code"] == "over";
                assert!(is_over, "{resigned}");
                return acknowledged;
            }
            if now["player"] != 0 {
                ply += 1;
                continue;
            }
            let path = format!("/{id}/moves");
            let moves = self.ask(reqwest::Method::GET, &path, "", None).await;
            assert!(moves["moves"].is_array(), "{moves}");
            let path = likely(&moves);
            let body = json!({"ply": ply, "path": path});
            let to = format!("/{id}/moves");
            let answer = self
                .ask(reqwest::Method::POST, &to, token, Some(&body))
                .await;
            assert!(
                answer["roll"].is_array() || answer["ply"].is_u64(),
                "{answer}"
            );
            if answer["repeated"] == true {
                self.seen.repeated.fetch_add(1, Ordering::Relaxed);
            }
            let roll = answer["roll"].clone();
            acknowledged.push(Acknowledged { ply, path, roll });
            self.seen.plies.fetch_add(1, Ordering::Relaxed);
            *self.last.lock().unwrap() = Instant::now();
            ply += 1;
        }
    }
}

/// Follows a game to its end as a browser does: a stream that ends is begun again after the last event. How many plies
/// it heard, each once and in order.
async fn watch(url: String, id: String, seen: Arc<Seen>, way: Arc<Mutex<String>>) -> u64 {
    let client = Client::new();
    let mut heard: u64 = 0;
    loop {
        seen.streams.fetch_add(1, Ordering::Relaxed);
        // Whoever has heard none asks for all.
        let mut request = client.get(format!("{url}/api/v1/games/{id}/events?from=0"));
        if let Some(last) = u64::checked_sub(heard, 1) {
            request = request.header("last-event-id", last);
        }
        let mut rest = String::new();
        *way.lock().unwrap() += &format!(" asks after {heard}");
        if let Ok(mut answer) = request.send().await
            && answer.status() == 200
        {
            *way.lock().unwrap() += ", is answered";
            while let Ok(Some(chunk)) = answer.chunk().await {
                rest += std::str::from_utf8(&chunk).unwrap();
                while let Some((message, more)) = rest.split_once("\n\n") {
                    let event = common::Event::parse(message);
                    if event.event == "ply" {
                        assert_eq!(event.data["ply"], heard, "{id}: a ply twice, or a gap");
                        heard += 1;
                        *way.lock().unwrap() += &format!(" {heard}");
                    }
                    if event.event == "over" {
                        return heard;
                    }
                    rest = more.to_owned();
                }
            }
        }
        *way.lock().unwrap() += ", the stream ends;";
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

type Bots = Vec<(JoinHandle<()>, Arc<Mutex<Instant>>)>;

fn bots(house: &House, seen: &Arc<Seen>) -> Bots {
    let bot = |seed| {
        let last = Arc::new(Mutex::new(Instant::now()));
        let bot = Bot {
            client: Client::builder().timeout(HANG).build().unwrap(),
            url: house.url.clone(),
            seen: Arc::clone(seen),
            last: Arc::clone(&last),
        };
        (tokio::spawn(bot.play(seed)), last)
    };
    (0..TABLES).map(bot).collect()
}

async fn end(bots: Bots, seen: &Seen) {
    seen.is_over.store(true, Ordering::Relaxed);
    for (bot, _) in bots {
        tokio::time::timeout(HANG, bot).await.unwrap().unwrap();
    }
}

/// Waits until each bot has had a ply acknowledged since then; how long that took.
async fn all_go_on(bots: &Bots, since: Instant) -> Duration {
    for (_, last) in bots {
        until(async || *last.lock().unwrap() > since).await;
    }
    since.elapsed()
}

/// `DOD_RESTARTS=20 cargo test --test balancer one_after_the_other -- --nocapture`
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_are_restarted_one_after_the_other_and_nobody_notices() {
    if is_without_balancer() {
        return;
    }
    let restarts = times("DOD_RESTARTS", 40);
    let mut house = House::new().await;
    let seen = Arc::new(Seen::default());
    let bots = bots(&house, &seen);
    for restart in 0..restarts {
        let begun = Instant::now();
        house.restart(restart as usize % 2).await;
        all_go_on(&bots, begun).await;
        // The balancer is to know the new server before the other one leaves.
        tokio::time::sleep(Duration::from_millis(1_500)).await;
    }
    end(bots, &seen).await;
    let told = seen.told.lock().unwrap();
    assert!(told.is_empty(), "{told:#?}");
    println!(
        "{restarts} restarts: {} plies acknowledged, {} errors, {} streams begun",
        seen.plies.load(Ordering::Relaxed),
        told.len(),
        seen.streams.load(Ordering::Relaxed)
    );
}

/// `DOD_BALANCED_KILLS=50 cargo test --test balancer kill_9 -- --nocapture`
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_kill_9_all_games_go_on_at_the_other_server() {
    if is_without_balancer() {
        return;
    }
    let kills = times("DOD_BALANCED_KILLS", 50);
    let mut house = House::new().await;
    let seen = Arc::new(Seen::default());
    let bots = bots(&house, &seen);
    let mut longest = Duration::ZERO;
    for kill in 0..kills {
        let begun = Instant::now();
        let killing = house.kill(kill as usize % 2);
        let (took, ()) = tokio::join!(all_go_on(&bots, begun), killing);
        longest = longest.max(took);
        assert!(took < GOES_ON, "{took:?}; {:?}", seen.told.lock().unwrap());
        tokio::time::sleep(Duration::from_millis(1_500)).await;
    }
    end(bots, &seen).await;
    println!(
        "{kills} kills: {} plies acknowledged, {} of them asked for twice, none lost, none twice; {} errors were asked again; all games had gone on after {longest:?}",
        seen.plies.load(Ordering::Relaxed),
        seen.repeated.load(Ordering::Relaxed),
        seen.errors.load(Ordering::Relaxed)
    );
}

#[test]
fn only_a_server_is_drained() {
    let run = |pid: u32| {
        let run = program()
            .args(["drain", &pid.to_string()])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(1), "{said}");
        said
    };
    let said = run(std::process::id());
    assert!(said.contains("is no server of dice-of-doom"), "{said}");
    // The largest number that Linux gives is 4,194,304.
    assert!(run(4_194_305).contains("is no server of dice-of-doom"));
}
