//! Load test of a server: games that are played, watchers of their event streams, and page requests.
//!
//! The load generator is open-loop: every request has a scheduled time that does not depend on responses, and its
//! latency counts from that time. A pause of the server thus affects the latency of all requests that are due during
//! it, not only that of the request in flight (Gil Tene, *How NOT to Measure Latency*, 2013; `wrk2`). The latency from
//! when a request was sent, as closed-loop generators report it, is reported as well.
//!
//! Only the JSON API is used: the legal moves are requested, and one of them is sent. The client sends only permitted
//! requests, honours `Retry-After`, and ends by itself. It does not delete the games that it created, because only
//! operators can. Only loopback addresses are tested unless consent is given.

mod client;
mod day;
mod game;
mod page;
mod player;
mod report;
mod schedule;
mod sse;
mod stats;
mod watcher;

use std::sync::Arc;
use std::time::Duration;

use axum::http::Uri;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use client::LoadClient;
pub use client::LoadTestError;
pub use day::{DayPlan, DayReport, run_day_test};
use player::LoadPlayer;
pub use report::LoadReport;
use schedule::Schedule;
use stats::LoadStats;
use watcher::Watcher;

/// How long to wait for responses and events after the end of the schedule.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of games that are created, and of streams that are opened, concurrently before the schedule starts.
const MAX_CONCURRENT_SETUPS: usize = 64;

/// The maximum number of tasks that share the page requests.
const MAX_PAGE_READERS: u32 = 64;

/// The configuration of a load test.
#[derive(Clone, Debug)]
pub struct LoadPlan {
    /// The servers; only scheme, host and port of the addresses are used. Several servers must share a database:
    /// players are distributed over them, and so are the watchers of each game.
    pub servers: Vec<Uri>,
    /// The kind of requests.
    pub workload: Workload,
    /// The rate, per second.
    pub rate: f64,
    /// The duration of the schedule.
    pub duration: Duration,
    /// Whether servers other than this machine may be tested.
    pub consent: Consent,
}

/// The kind of requests.
#[derive(Clone, PartialEq, Debug)]
pub enum Workload {
    /// Games with players, watchers and page requests; the rate is that of plies over all games.
    Games(GameWorkload),
    /// Requests of a single page, at the rate.
    Page {
        /// The path of the page with its query.
        path: String,
        /// The number of connections, each of which has its own task.
        connections: u32,
    },
}

/// The numbers of games, watchers and page requests.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameWorkload {
    /// The number of games in progress; a finished game is replaced by a new one.
    pub games: u32,
    /// The number of event streams, distributed over the games.
    pub watchers: u32,
    /// Page requests of games per second.
    pub pages: f64,
}

/// Whether servers other than this machine may be tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Consent {
    /// No consent: only this machine may be tested.
    None,
    /// The server belongs to the user, or its operator agrees.
    Given,
}

/// The progress of a load test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoadProgress {
    /// The time since the start of the schedule.
    pub since: Duration,
    /// The number of completed scheduled requests (plies or pages).
    pub done: u64,
    /// The number of failed requests.
    pub failed: u64,
}

/// The state that all tasks of a load test share.
struct LoadRun {
    client: LoadClient,
    stats: LoadStats,
    /// When cancelled, no new requests are scheduled.
    stop: CancellationToken,
}

/// Runs a load test until its schedule ends or `stop` is cancelled; `report_progress` is called once a second.
///
/// # Errors
/// [`LoadTestError`] when the test could not start: a server does not respond, or may not be tested.
pub async fn run_load_test(
    plan: &LoadPlan,
    stop: CancellationToken,
    report_progress: impl Fn(LoadProgress),
) -> Result<LoadReport, LoadTestError> {
    let (connections, path) = match &plan.workload {
        Workload::Games(games) => (games.games + games.watchers + MAX_PAGE_READERS, "/readyz"),
        Workload::Page { path, connections } => (*connections, path.as_str()),
    };
    let client = LoadClient::open(&plan.servers, plan.consent, connections, path).await?;
    let run = Arc::new(LoadRun {
        client,
        stats: LoadStats::default(),
        stop,
    });
    let running = match &plan.workload {
        Workload::Games(game_workload) => {
            RunningLoad::start_games(&run, plan, *game_workload).await?
        }
        Workload::Page { path, connections } => {
            RunningLoad::start_pages(&run, plan, path, *connections)
        }
    };
    let RunningLoad {
        schedule,
        mut workers,
        mut watcher_tasks,
        settled,
    } = running;
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    while !workers.is_empty() {
        tokio::select! {
            _ = workers.join_next() => {}
            _ = seconds.tick() => report_progress(run.stats.progress(schedule.elapsed())),
        }
    }
    let took = schedule.elapsed();
    // Watchers end when they have received all events of their game.
    let _ = tokio::time::timeout(SETTLE_TIMEOUT, async {
        while watcher_tasks.join_next().await.is_some() {}
    })
    .await;
    settled.cancel();
    while watcher_tasks.join_next().await.is_some() {}
    Ok(LoadReport::from_stats(plan, took, &run.stats))
}

/// A started schedule with its tasks.
struct RunningLoad {
    schedule: Schedule,
    /// The tasks that make scheduled requests; they end with the schedule.
    workers: JoinSet<()>,
    watcher_tasks: JoinSet<()>,
    /// When cancelled, watchers stop waiting for events.
    settled: CancellationToken,
}

impl RunningLoad {
    fn start_pages(run: &Arc<LoadRun>, plan: &LoadPlan, path: &str, connections: u32) -> Self {
        let schedule = Schedule::starting_now(plan.duration);
        let mut workers = JoinSet::new();
        for number in 0..connections {
            let pacer = schedule.pacer(number, connections, plan.rate);
            let pages = page::Pages::One(path.to_owned());
            workers.spawn(page::request_pages(Arc::clone(run), number, pages, pacer));
        }
        RunningLoad {
            schedule,
            workers,
            watcher_tasks: JoinSet::new(),
            settled: CancellationToken::new(),
        }
    }

    /// Creates all games and opens all streams before the schedule starts.
    async fn start_games(
        run: &Arc<LoadRun>,
        plan: &LoadPlan,
        game_workload: GameWorkload,
    ) -> Result<Self, LoadTestError> {
        let GameWorkload {
            games,
            watchers,
            pages,
        } = game_workload;
        let mut players = connect_players(run, games).await?;
        let mut watcher_tasks = JoinSet::new();
        let settled = CancellationToken::new();
        let (opened, mut all_opened) = mpsc::channel::<()>(1);
        let permits = Arc::new(Semaphore::new(MAX_CONCURRENT_SETUPS));
        for number in 0..watchers {
            let player = &mut players[(number % games) as usize];
            let server = number % games + number / games;
            let watcher =
                Watcher::new(Arc::clone(run), server, player.subscribe(), settled.clone());
            watcher_tasks.spawn(watcher.run(Arc::clone(&permits), opened.clone()));
        }
        drop(opened);
        // Each watcher drops its sender when its stream is open or has failed.
        let _ = all_opened.recv().await;
        let active_games = page::ActiveGames::new(players.iter().map(LoadPlayer::game_id));
        let schedule = Schedule::starting_now(plan.duration);
        let mut workers = JoinSet::new();
        for (number, player) in (0..).zip(players) {
            let pacer = schedule.pacer(number, games, plan.rate);
            workers.spawn(player.run(pacer, number as usize, Arc::clone(&active_games)));
        }
        if pages > 0.0 {
            let readers = (pages.ceil() as u32).clamp(1, MAX_PAGE_READERS);
            for number in 0..readers {
                let pacer = schedule.pacer(number, readers, pages);
                let pages = page::Pages::Games(Arc::clone(&active_games));
                workers.spawn(page::request_pages(Arc::clone(run), number, pages, pacer));
            }
        }
        Ok(RunningLoad {
            schedule,
            workers,
            watcher_tasks,
            settled,
        })
    }
}

/// Creates the players, each with a game.
async fn connect_players(run: &Arc<LoadRun>, games: u32) -> Result<Vec<LoadPlayer>, LoadTestError> {
    let mut connecting = JoinSet::new();
    let mut players = Vec::new();
    let deadline = Instant::now() + SETTLE_TIMEOUT;
    for number in 0..games {
        if connecting.len() >= MAX_CONCURRENT_SETUPS {
            players.extend(connecting.join_next().await.and_then(Result::ok).flatten());
        }
        connecting.spawn(LoadPlayer::connect(Arc::clone(run), number, deadline));
    }
    while let Some(player) = connecting.join_next().await {
        players.extend(player.ok().flatten());
    }
    match players.len() == games as usize {
        true => Ok(players),
        false => Err(LoadTestError::NoGames(run.stats.first_failure())),
    }
}
