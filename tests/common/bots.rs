//! Test players that play one game after another through the load balancer, each with a watcher, and what they
//! observed.

#![allow(dead_code, reason = "each test uses what it needs")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::balanced::{BalancedServers, until};
use crate::common::acknowledged_plies::{Acknowledged, has, plies};
use crate::common::{Event, HANG, likely, number};

/// The number of concurrent games, each with a player and a watcher.
const TABLES: u32 = 6;

/// What players and watchers observed at the balancer.
#[derive(Default)]
pub(crate) struct Seen {
    /// Error responses of the servers or the balancer, and requests without a response.
    pub(crate) errors: AtomicU32,
    /// Acknowledged plies.
    pub(crate) plies: AtomicU32,
    /// Plies that were sent again and acknowledged as already played.
    pub(crate) repeated: AtomicU32,
    /// Opened streams.
    pub(crate) streams: AtomicU32,
    pub(crate) error_texts: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

impl Seen {
    fn error(&self, what: String) {
        self.errors.fetch_add(1, Ordering::Relaxed);
        self.error_texts.lock().unwrap().push(what);
    }

    fn is_running(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }
}

/// A person who plays one game after another through the balancer.
struct Bot {
    client: Client,
    url: String,
    seen: Arc<Seen>,
    /// When the last ply was acknowledged.
    last: Arc<Mutex<Instant>>,
}

impl Bot {
    /// The response to a request; an error is counted, and the request is repeated.
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
                self.seen.error_texts.lock().unwrap()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn play(self, seed: u32) {
        for game in 0.. {
            if !self.seen.is_running() {
                return;
            }
            let new = json!({"game": "dice", "rules": "v4", "size": 4, "players": 2,
                "seats": ["human", "book"], "seed": 1000 * seed + game});
            let made = self.ask(reqwest::Method::POST, "", "", Some(&new)).await;
            let id = made["id"].as_str().unwrap().to_owned();
            let token = made["seats"][0]["token"].as_str().unwrap().to_owned();
            let progress = Arc::new(Mutex::new(String::new()));
            let watcher = tokio::spawn(watch(
                self.url.clone(),
                id.clone(),
                Arc::clone(&self.seen),
                Arc::clone(&progress),
            ));
            let acknowledged = self.play_one(&id, &token).await;
            let path = format!("/{id}/record");
            let record = self.ask(reqwest::Method::GET, &path, "", None).await;
            let stored = plies(&record);
            for ply in &acknowledged {
                assert!(has(&stored, ply), "{ply:?} is lost: {record}");
            }
            let received = tokio::time::timeout(HANG / 2, watcher).await;
            let received = received.unwrap_or_else(|_| {
                panic!(
                    "a watcher of {id} receives no end: {}; {} plies",
                    progress.lock().unwrap(),
                    stored.len()
                )
            });
            let received = received.unwrap();
            assert_eq!(received, stored.len() as u64, "plies received of {id}");
        }
    }

    /// Plays a game until it is over; resigns it if the test is about to end.
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
            if !self.seen.is_running() {
                let path = format!("/{id}/resign");
                let resigned = self.ask(reqwest::Method::POST, &path, token, None).await;
                // After a repeated request the game may already be over.
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

/// Follows a game to its end as a browser does: a stream that ends is reopened after the last event. Returns the
/// number of plies received, each once and in order.
async fn watch(url: String, id: String, seen: Arc<Seen>, progress: Arc<Mutex<String>>) -> u64 {
    let client = Client::new();
    let mut received: u64 = 0;
    loop {
        seen.streams.fetch_add(1, Ordering::Relaxed);
        // Before the first event, requests all of them.
        let mut request = client.get(format!("{url}/api/v1/games/{id}/events?from=0"));
        if let Some(last) = u64::checked_sub(received, 1) {
            request = request.header("last-event-id", last);
        }
        let mut rest = String::new();
        *progress.lock().unwrap() += &format!(" asks after {received}");
        if let Ok(mut answer) = request.send().await
            && answer.status() == 200
        {
            *progress.lock().unwrap() += ", is answered";
            while let Ok(Some(chunk)) = answer.chunk().await {
                rest += std::str::from_utf8(&chunk).unwrap();
                while let Some((message, more)) = rest.split_once("\n\n") {
                    let event = Event::parse(message);
                    if event.event == "ply" {
                        assert_eq!(event.data["ply"], received, "{id}: a ply twice, or a gap");
                        received += 1;
                        *progress.lock().unwrap() += &format!(" {received}");
                    }
                    if event.event == "over" {
                        return received;
                    }
                    rest = more.to_owned();
                }
            }
        }
        *progress.lock().unwrap() += ", the stream ends;";
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

pub(crate) type Bots = Vec<(JoinHandle<()>, Arc<Mutex<Instant>>)>;

pub(crate) fn start_bots(servers: &BalancedServers, seen: &Arc<Seen>) -> Bots {
    let bot = |seed| {
        let last = Arc::new(Mutex::new(Instant::now()));
        let bot = Bot {
            client: Client::builder().timeout(HANG).build().unwrap(),
            url: servers.url.clone(),
            seen: Arc::clone(seen),
            last: Arc::clone(&last),
        };
        (tokio::spawn(bot.play(seed)), last)
    };
    (0..TABLES).map(bot).collect()
}

pub(crate) async fn stop_bots(bots: Bots, seen: &Seen) {
    seen.is_over.store(true, Ordering::Relaxed);
    for (bot, _) in bots {
        tokio::time::timeout(HANG, bot).await.unwrap().unwrap();
    }
}

/// Waits until each player has had a ply acknowledged after `since`; returns how long that took.
pub(crate) async fn wait_for_progress(bots: &Bots, since: Instant) -> Duration {
    for (_, last) in bots {
        until(async || *last.lock().unwrap() > since).await;
    }
    since.elapsed()
}
