//! Watchers of a game at both sites, which must receive every entry once and in order. At one site they read the
//! event stream of pages, at the other they subscribe to snapshots in-process. After a crash they resume with the
//! next entry.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use dice_of_doom::formats::entries::EventFormat;
use dice_of_doom::seats::Credentials;
use dice_of_doom::store::GameId;
use dice_of_doom::tables::{ServiceError, Snapshot};
use futures_util::StreamExt as _;
use tokio::time::{Instant, sleep};

use super::instance::Instance;
use super::pages;
use super::world::World;

/// The site whose watchers read the event stream.
const STREAM_SITE: usize = 1;

/// The entries that a watcher has received.
pub(crate) struct WatchLog {
    pub(crate) game: GameId,
    pub(crate) site: usize,
    /// The entries in the JSON of pages, with their times.
    entries: Mutex<Vec<(String, Instant)>>,
}

impl WatchLog {
    pub(crate) fn entries(&self) -> MutexGuard<'_, Vec<(String, Instant)>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the next entry.
    fn next(&self) -> u32 {
        self.entries().len() as u32
    }

    fn receive(&self, world: &World, number: u32, json: &str) {
        let next = self.next();
        if number != next {
            world.trace.fail(&format!(
                "a watcher of {} at {} received entry {number} instead of {next}",
                self.game, self.site
            ));
            return;
        }
        world.trace.log_output(json);
        self.entries().push((json.to_owned(), Instant::now()));
    }
}

/// Starts a watcher at each site.
pub(crate) fn begin(world: &Arc<World>, id: &GameId) {
    for site in 0..2 {
        let log = Arc::new(WatchLog {
            game: id.clone(),
            site,
            entries: Mutex::default(),
        });
        world.notes().watch_logs.push(Arc::clone(&log));
        tokio::spawn(watch(Arc::clone(world), log));
    }
}

async fn watch(world: Arc<World>, log: Arc<WatchLog>) {
    let mut pause = Duration::from_millis(10 + log.site as u64);
    loop {
        sleep(pause).await;
        pause = Duration::from_millis(200 + log.site as u64);
        let Some(instance) = world.sites[log.site].running() else {
            continue;
        };
        let result = async {
            if log.site == STREAM_SITE {
                read_stream(&world, &instance, &log).await
            } else {
                follow(&world, &instance, &log).await
            }
        };
        let result = tokio::select! {
            biased;
            () = instance.gone.cancelled() => continue,
            result = result => result,
        };
        if let Err(error) = result {
            let game = &log.game;
            world
                .trace
                .fail(&format!("a watcher of {game} gets {error}"));
        }
    }
}

/// Receives snapshots until the table is unloaded.
async fn follow(world: &World, instance: &Instance, log: &WatchLog) -> Result<(), String> {
    let watcher = Credentials::default();
    let subscribed = instance.service.subscribe(&log.game, &watcher).await;
    let mut subscription = match subscribed {
        Ok(subscription) => subscription,
        Err(ServiceError::Unavailable) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    loop {
        instance.link.wait_while_paused().await;
        let snapshot = subscription.receive();
        let snapshot = snapshot.map_err(|lost| format!("{lost:?} of a public game"))?;
        receive_snapshot(world, log, &snapshot);
        if subscription.changed().await.is_err() {
            return Ok(());
        }
    }
}

fn receive_snapshot(world: &World, log: &WatchLog, snapshot: &Snapshot) {
    let (next, live) = (log.next(), &snapshot.live);
    if live.entry_count() < next {
        world.trace.fail(&format!(
            "{} went back from {next} entries to {} for a watcher at {}",
            log.game,
            live.entry_count(),
            log.site
        ));
    }
    for sent in live.events(next, usize::MAX, EventFormat::Pages) {
        log.receive(world, sent.number, sent.json.get());
    }
}

/// Reads the event stream to its end.
async fn read_stream(world: &World, instance: &Instance, log: &WatchLog) -> Result<(), String> {
    let path = format!("/g/{}/events?from={}", log.game, log.next());
    let (status, body) = pages::get(instance.app(), &path).await;
    match status {
        StatusCode::OK => {}
        StatusCode::SERVICE_UNAVAILABLE => return Ok(()),
        other => return Err(other.to_string()),
    }
    let (mut chunks, mut text) = (body.into_data_stream(), String::new());
    while let Some(chunk) = chunks.next().await {
        instance.link.wait_while_paused().await;
        let chunk = chunk.map_err(|error| error.to_string())?;
        text.push_str(std::str::from_utf8(&chunk).map_err(|error| error.to_string())?);
        while let Some((event, rest)) = text.split_once("\n\n") {
            if let Some((number, json)) = ply(event) {
                log.receive(world, number, &json);
            }
            text = rest.to_owned();
        }
    }
    Ok(())
}

/// The number and the JSON of the entry that an event `ply` is about.
fn ply(event: &str) -> Option<(u32, String)> {
    let field = |name: &str| {
        let mut lines = event.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    (field("event")? == "ply").then_some(())?;
    let data = field("data")?.strip_prefix(r#"{"event":"ply","#)?;
    Some((field("id")?.parse().ok()?, format!("{{{data}")))
}
