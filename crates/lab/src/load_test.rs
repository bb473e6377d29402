//! Load on a server, for its operators: games that are played, watchers who follow them, and pages that are looked at.
//!
//! The loop is open: everything is due at a time that was fixed before the first answer, and its latency is counted
//! from then. A server that stands still for a second is so charged with all that was due in that second, and not
//! with the one request that happened to be on its way (Gil Tene, *How NOT to Measure Latency*, 2013; `wrk2`). The
//! time from when a request was sent, which is what closed loops tell, stands beside it.
//!
//! Nothing of the game is known here but its JSON API: the legal moves are asked for, and one of them is sent. It
//! asks only for what a client may, heeds `Retry-After`, and ends by itself. It does not remove the games that it
//! began, since nobody but an operator can. Other machines than this one get no load unless somebody answers for it.

mod client;
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
use player::LoadPlayer;
pub use report::LoadReport;
use schedule::Schedule;
use stats::LoadStats;
use watcher::Watcher;

/// After the end of the schedule answers and events are waited for so long.
const SETTLING: Duration = Duration::from_secs(10);

/// So many games are begun, and so many streams opened, at a time before the schedule begins.
const AT_ONCE: usize = 64;

/// At most so many readers of pages share the pages that are due.
const MOST_READERS: u32 = 64;

/// What is to be done to which server.
#[derive(Clone, Debug)]
pub struct LoadPlan {
    /// The servers; of an address only scheme, host and port count. Where there are several, they share their games:
    /// players are spread over them, and so are the watchers of each game.
    pub servers: Vec<Uri>,
    /// What is asked of it.
    pub work: Workload,
    /// How often, a second.
    pub rate: f64,
    /// For how long.
    pub lasts: Duration,
    /// Whether a server elsewhere may be asked.
    pub consent: Consent,
}

/// What is asked of a server.
#[derive(Clone, PartialEq, Debug)]
pub enum Workload {
    /// Games are played, followed and looked at; the rate is that of their plies, all games together.
    Games(GameWorkload),
    /// One page is asked for, at the rate.
    Page {
        /// Its path, with its query.
        path: String,
        /// So many ask for it, each over a connection.
        connections: u32,
    },
}

/// Who plays, follows and looks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameWorkload {
    /// Games at a time; one that is over is followed by another.
    pub games: u32,
    /// Streams of events, spread over the games.
    pub watchers: u32,
    /// Pages of the games that are looked at, a second.
    pub pages: f64,
}

/// Whether load may leave this machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Consent {
    /// Nobody has said so.
    None,
    /// Whoever runs this answers for it: the server is theirs, or its operator agrees.
    Given,
}

/// How far a run has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoadProgress {
    /// The time since the schedule began.
    pub since: Duration,
    /// What was done of what is due: plies or pages.
    pub done: u64,
    /// Requests that failed.
    pub failed: u64,
}

/// What all tasks of a run share.
struct LoadRun {
    wire: LoadClient,
    tally: LoadStats,
    /// No new request from here on.
    stop: CancellationToken,
}

/// Puts the load on the server, until it is done or `stop`; `told` hears each second how far it is.
///
/// # Errors
/// [`LoadTestError`] when nothing was begun: no server answers there, or it may not be asked.
pub async fn load(
    plan: &LoadPlan,
    stop: CancellationToken,
    told: impl Fn(LoadProgress),
) -> Result<LoadReport, LoadTestError> {
    let wire = LoadClient::open(plan).await?;
    let run = Arc::new(LoadRun {
        wire,
        tally: LoadStats::default(),
        stop,
    });
    let began = match &plan.work {
        Workload::Games(crowd) => RunningLoad::games(&run, plan, *crowd).await?,
        Workload::Page { path, connections } => RunningLoad::page(&run, plan, path, *connections),
    };
    let RunningLoad {
        schedule,
        mut due,
        mut followers,
        settled,
    } = began;
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    while !due.is_empty() {
        tokio::select! {
            _ = due.join_next() => {}
            _ = seconds.tick() => told(run.tally.progress(schedule.since())),
        }
    }
    let took = schedule.since();
    // Whoever follows a game leaves when it has heard all of it.
    let _ = tokio::time::timeout(SETTLING, async {
        while followers.join_next().await.is_some() {}
    })
    .await;
    settled.cancel();
    while followers.join_next().await.is_some() {}
    Ok(LoadReport::of(plan, took, &run.tally))
}

/// A schedule that has begun.
struct RunningLoad {
    schedule: Schedule,
    /// Who does what is due; they end with the schedule.
    due: JoinSet<()>,
    followers: JoinSet<()>,
    /// Whoever follows a game waits for no more.
    settled: CancellationToken,
}

impl RunningLoad {
    fn page(run: &Arc<LoadRun>, plan: &LoadPlan, path: &str, connections: u32) -> Self {
        let schedule = Schedule::now(plan.lasts);
        let mut due = JoinSet::new();
        for number in 0..connections {
            let pace = schedule.pace(number, connections, plan.rate);
            let pages = page::Pages::One(path.to_owned());
            due.spawn(page::read(Arc::clone(run), number, pages, pace));
        }
        RunningLoad {
            schedule,
            due,
            followers: JoinSet::new(),
            settled: CancellationToken::new(),
        }
    }

    /// All games are there and all streams open before the first ply is due.
    async fn games(
        run: &Arc<LoadRun>,
        plan: &LoadPlan,
        crowd: GameWorkload,
    ) -> Result<Self, LoadTestError> {
        let GameWorkload {
            games,
            watchers,
            pages,
        } = crowd;
        let mut players = seated(run, games).await?;
        let mut followers = JoinSet::new();
        let settled = CancellationToken::new();
        let (opened, mut all_opened) = mpsc::channel::<()>(1);
        let room = Arc::new(Semaphore::new(AT_ONCE));
        for number in 0..watchers {
            let player = &mut players[(number % games) as usize];
            let server = number % games + number / games;
            let watcher = Watcher::new(Arc::clone(run), server, player.listen(), settled.clone());
            followers.spawn(watcher.run(Arc::clone(&room), opened.clone()));
        }
        drop(opened);
        // Each watcher lets go of its end when its stream is open, or could not be opened.
        let _ = all_opened.recv().await;
        let shown = page::ActiveGames::new(players.iter().map(LoadPlayer::game));
        let schedule = Schedule::now(plan.lasts);
        let mut due = JoinSet::new();
        for (number, player) in (0..).zip(players) {
            let pace = schedule.pace(number, games, plan.rate);
            due.spawn(player.run(pace, number as usize, Arc::clone(&shown)));
        }
        if pages > 0.0 {
            let readers = (pages.ceil() as u32).clamp(1, MOST_READERS);
            for number in 0..readers {
                let pace = schedule.pace(number, readers, pages);
                let pages = page::Pages::Games(Arc::clone(&shown));
                due.spawn(page::read(Arc::clone(run), number, pages, pace));
            }
        }
        Ok(RunningLoad {
            schedule,
            due,
            followers,
            settled,
        })
    }
}

/// Players with a game each.
async fn seated(run: &Arc<LoadRun>, games: u32) -> Result<Vec<LoadPlayer>, LoadTestError> {
    let mut seating = JoinSet::new();
    let mut players = Vec::new();
    let until = Instant::now() + SETTLING;
    for number in 0..games {
        if seating.len() >= AT_ONCE {
            players.extend(seating.join_next().await.and_then(Result::ok).flatten());
        }
        seating.spawn(LoadPlayer::seated(Arc::clone(run), number, until));
    }
    while let Some(player) = seating.join_next().await {
        players.extend(player.ok().flatten());
    }
    match players.len() == games as usize {
        true => Ok(players),
        false => Err(LoadTestError::NoGames(run.tally.first_failure())),
    }
}
