//! A day of many players on the board of the day: each browser opens the start page, views the page of the day, plays its
//! scored game and views the result. A part of them then solves the puzzle of the day or views its record, and all return
//! to the start page.
//!
//! Several browsers play at a time, and each sends the next request after the last response. A browser receives what
//! one with scripts does: the page of the day, the page of the game once, its changing part after each own ply and
//! when it is its turn again, and the result; not the events and positions while others move, and no static files,
//! which browsers keep. The policy asks the JSON API for the legal moves and for the end of the others' turns; these
//! bytes are not counted. It attacks at the best odds, with some noise, while they are above a limit of the browser.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use axum::http::{HeaderName, Uri, header};
use dice_of_doom::clock::now_ms;
use dice_of_doom::day::Day;
use flate2::read::GzDecoder;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::client::{HttpAnswer, LoadClient, LoadRequest, RequestBody};
use super::report::RequestReport;
use super::stats::{LoadStats, RequestKind};
use super::{Consent, LoadProgress, LoadRun, LoadTestError};

/// How long a browser may play.
const GAME_TIMEOUT: Duration = Duration::from_secs(600);

/// The shares of browsers that go on to the puzzle of the day, and to their record.
const PUZZLE_SHARE: f64 = 0.5;
const RECORD_SHARE: f64 = 0.3;

const FRAGMENT: HeaderName = HeaderName::from_static("x-fragment");

/// The configuration of a simulated day.
#[derive(Clone, Debug)]
pub struct DayPlan {
    /// The server; only scheme, host and port of the address are used.
    pub server: Uri,
    /// The number of browsers.
    pub players: u32,
    /// How many of them play at a time.
    pub at_once: u32,
    /// The turns after which a browser resigns; `None` to play to the end.
    pub turns: Option<u32>,
    /// The seed of all decisions.
    pub seed: u64,
    /// The process id of the server, to measure its memory (Linux).
    pub process: Option<u32>,
    /// The file of the server's SQLite database, to measure its growth.
    pub database: Option<PathBuf>,
    /// Whether a server other than this machine may be tested.
    pub consent: Consent,
}

/// The report of a simulated day. Times are in microseconds.
#[derive(Clone, Debug, Serialize)]
pub struct DayReport {
    /// The number of browsers that began.
    pub players: u32,
    /// The number of them that saw their result.
    pub finished: u32,
    /// The duration in seconds.
    pub took_s: f64,
    /// The requests by kind.
    pub requests: Vec<RequestReport>,
    /// The bytes of pages that a browser received, without headers; compressed.
    pub bytes_per_player: f64,
    /// The growth of the server's memory at its maximum, divided by the players.
    pub memory_per_player: Option<f64>,
    /// The maximum of the server's memory.
    pub max_memory: Option<u64>,
    /// The processor time of the server in seconds, divided by the players.
    pub processor_per_player: Option<f64>,
    /// The growth of the database with its write-ahead log, divided by the players.
    pub database_per_player: Option<f64>,
    /// The number of failed requests.
    pub failed: u64,
    /// The number of failures by their text.
    pub failures: std::collections::BTreeMap<String, u64>,
}

/// The state that all browsers share.
struct DayRun {
    run: LoadRun,
    plan: DayPlan,
    /// The number of the next browser.
    next: AtomicU32,
    finished: AtomicU32,
    max_memory: AtomicU64,
}

/// Simulates the day; `report_progress` is called once a second, with the number of finished browsers.
///
/// # Errors
/// [`LoadTestError`] when it could not start: the server does not respond, or may not be tested.
pub async fn run_day_test(
    plan: &DayPlan,
    stop: CancellationToken,
    report_progress: impl Fn(LoadProgress),
) -> Result<DayReport, LoadTestError> {
    let servers = [plan.server.clone()];
    let client = LoadClient::open(&servers, plan.consent, plan.at_once, "/daily").await?;
    let day = Arc::new(DayRun {
        run: LoadRun {
            client,
            stats: LoadStats::default(),
            stop,
        },
        plan: plan.clone(),
        next: AtomicU32::new(0),
        finished: AtomicU32::new(0),
        max_memory: AtomicU64::new(0),
    });
    let memory = day.measure_memory();
    let processor = plan.process.and_then(processor_time);
    let database = plan.database.as_deref().and_then(database_bytes);
    let start = Instant::now();
    let mut browsers = JoinSet::new();
    for _ in 0..plan.at_once.min(plan.players) {
        let day = Arc::clone(&day);
        browsers.spawn(async move {
            while let Some(number) = day.next_player() {
                Browser::new(&day, number).play_day().await;
            }
        });
    }
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    while !browsers.is_empty() {
        tokio::select! {
            _ = browsers.join_next() => {}
            _ = seconds.tick() => {
                day.measure_memory();
                let progress = day.run.stats.progress(start.elapsed());
                let done = day.finished.load(Ordering::Relaxed).into();
                report_progress(LoadProgress { done, ..progress });
            }
        }
    }
    Ok(day.report(start.elapsed(), (memory, processor), database))
}

impl DayRun {
    fn next_player(&self) -> Option<u32> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.plan.players && !self.run.stop.is_cancelled()).then_some(number)
    }

    /// The memory of the server now.
    fn measure_memory(&self) -> Option<u64> {
        let bytes = resident_bytes(self.plan.process?)?;
        self.max_memory.fetch_max(bytes, Ordering::Relaxed);
        Some(bytes)
    }

    /// The report; `memory`, `processor` and `database` are what was measured at the start.
    fn report(
        &self,
        took: Duration,
        (memory, processor): (Option<u64>, Option<Duration>),
        database: Option<u64>,
    ) -> DayReport {
        self.measure_memory();
        let begun = self.next.load(Ordering::Relaxed).min(self.plan.players);
        let each = |bytes: u64| bytes as f64 / f64::from(begun.max(1));
        let requests = RequestReport::all(&self.run.stats);
        let pages = requests.iter().filter(|request| {
            ![RequestKind::Moves, RequestKind::State]
                .map(RequestKind::name)
                .contains(&request.kind)
        });
        let bytes: u64 = pages.map(|request| request.bytes).sum();
        let max_memory = self.max_memory.load(Ordering::Relaxed);
        let grown = self.plan.database.as_deref().and_then(database_bytes);
        let grown = grown
            .zip(database)
            .map(|(after, before)| after.saturating_sub(before));
        DayReport {
            players: begun,
            finished: self.finished.load(Ordering::Relaxed),
            took_s: took.as_secs_f64(),
            requests,
            bytes_per_player: each(bytes),
            memory_per_player: memory.map(|memory| each(max_memory.saturating_sub(memory))),
            max_memory: memory.map(|_| max_memory),
            processor_per_player: self
                .plan
                .process
                .and_then(processor_time)
                .zip(processor)
                .map(|(after, before)| {
                    after.saturating_sub(before).as_secs_f64() / f64::from(begun.max(1))
                }),
            database_per_player: grown.map(each),
            failed: self.run.stats.failed.get(),
            failures: self.run.stats.failures(),
        }
    }
}

/// One browser and its game.
struct Browser<'a> {
    day: &'a DayRun,
    rng: StdRng,
    /// It ends its turn when no attack has better odds.
    min_odds: f64,
    cookies: BTreeMap<String, String>,
    deadline: Instant,
}

#[derive(Deserialize)]
struct DayStateReply {
    ply: u32,
    /// Nobody when the game is over.
    player: Option<usize>,
    over: bool,
}

#[derive(Deserialize)]
struct DayMovesReply {
    moves: Vec<DayMoveReply>,
}

#[derive(Deserialize)]
struct DayMoveReply {
    /// From, to; `None` to end the turn.
    path: Option<(u8, u8)>,
    odds: Option<f64>,
}

impl<'a> Browser<'a> {
    fn new(day: &'a DayRun, number: u32) -> Self {
        let mut rng = StdRng::seed_from_u64(day.plan.seed.wrapping_add(number.into()));
        Browser {
            day,
            min_odds: rng.random_range(0.45..0.8),
            rng,
            cookies: BTreeMap::new(),
            deadline: Instant::now() + GAME_TIMEOUT,
        }
    }

    /// `None` if a request failed, which is counted.
    async fn play_day(mut self) -> Option<()> {
        self.page(RequestKind::StartPage, "/").await?;
        self.page(RequestKind::DailyPage, "/daily").await?;
        let form = format!("day={}", Day::of_ms(now_ms()));
        let begun = self.post(RequestKind::Game, "/daily", &form).await?;
        let game = begun
            .headers
            .get(header::LOCATION)?
            .to_str()
            .ok()?
            .to_owned();
        let id = game.strip_prefix("/g/")?.to_owned();
        self.page(RequestKind::Page, &game).await?;
        let mut state: DayStateReply = self.json(&format!("/api/v1/games/{id}")).await?;
        let mut turns = 0;
        while !state.over {
            if state.player != Some(0) {
                let next = state.ply + 1;
                state = self
                    .json(&format!("/api/v1/games/{id}?wait={next}"))
                    .await?;
                if state.player == Some(0) {
                    self.fragment(&game).await?;
                }
                continue;
            }
            let ply = state.ply;
            if self.day.plan.turns.is_some_and(|most| turns >= most) {
                let form = format!("ply={ply}");
                self.post(RequestKind::Ply, &format!("{game}/resign"), &form)
                    .await?;
            } else {
                let action = self.choose(&id).await?;
                turns += u32::from(action.is_none());
                let form = match action {
                    Some((from, to)) => format!("ply={ply}&from={from}&to={to}"),
                    None => format!("ply={ply}&pass=1"),
                };
                self.post(RequestKind::Ply, &format!("{game}/moves"), &form)
                    .await?;
            }
            self.fragment(&game).await?;
            state = self.json(&format!("/api/v1/games/{id}")).await?;
        }
        let result = self.page(RequestKind::ResultPage, "/daily").await?;
        if result.status.is_success() {
            self.day.finished.fetch_add(1, Ordering::Relaxed);
        }
        if self.rng.random_bool(PUZZLE_SHARE) {
            self.solve_puzzle().await?;
        }
        if self.rng.random_bool(RECORD_SHARE) {
            self.page(RequestKind::RecordPage, "/me").await?;
        }
        self.page(RequestKind::StartPage, "/").await?;
        Some(())
    }

    /// Views the list of puzzles, opens the puzzle of the day and answers it with its first choice.
    async fn solve_puzzle(&mut self) -> Option<()> {
        let list = self.page(RequestKind::PuzzlePage, "/puzzles").await?;
        let mut list_text = String::new();
        GzDecoder::new(&*list.body)
            .read_to_string(&mut list_text)
            .ok()?;
        let (_, rest) = list_text.split_once("href=\"/puzzles/")?;
        let puzzle = format!("/puzzles/{}", rest.split('"').next()?);
        self.page(RequestKind::PuzzlePage, &puzzle).await?;
        let answered = self
            .post(RequestKind::PuzzlePage, &puzzle, "answer=1")
            .await?;
        let answer = answered.headers.get(header::LOCATION)?.to_str().ok()?;
        self.page(RequestKind::PuzzlePage, answer).await?;
        Some(())
    }

    /// The best attack, or `None` to end the turn.
    async fn choose(&mut self, id: &str) -> Option<Option<(u8, u8)>> {
        let path = format!("/api/v1/games/{id}/moves");
        let cookies = self.cookies();
        let headers = [(header::COOKIE, cookies.as_str())];
        let request = LoadRequest {
            headers: &headers,
            ..LoadRequest::get(0, RequestKind::Moves, &path, self.deadline)
        };
        let moves: DayMovesReply = self.day.run.request_json(&request).await?;
        let can_end = moves.moves.iter().any(|one| one.path.is_none());
        let attacks = moves
            .moves
            .iter()
            .filter_map(|one| Some((one.path?, one.odds?)));
        let attacks = attacks.map(|(path, odds)| (path, odds + self.rng.random_range(0.0..0.1)));
        let best = attacks.max_by(|a, b| a.1.total_cmp(&b.1));
        Some(
            best.filter(|(_, odds)| !can_end || *odds > self.min_odds)
                .map(|(path, _)| path),
        )
    }

    async fn json<T: serde::de::DeserializeOwned>(&self, path: &str) -> Option<T> {
        let cookies = self.cookies();
        let headers = [(header::COOKIE, cookies.as_str())];
        let request = LoadRequest {
            headers: &headers,
            ..LoadRequest::get(0, RequestKind::State, path, self.deadline)
        };
        self.day.run.request_json(&request).await
    }

    async fn page(&mut self, kind: RequestKind, path: &str) -> Option<HttpAnswer> {
        let request = LoadRequest::get(0, kind, path, self.deadline);
        self.send(request, None).await
    }

    async fn fragment(&mut self, path: &str) -> Option<HttpAnswer> {
        let request = LoadRequest::get(0, RequestKind::Fragment, path, self.deadline);
        self.send(request, Some((FRAGMENT, "1"))).await
    }

    async fn post(&mut self, kind: RequestKind, path: &str, form: &str) -> Option<HttpAnswer> {
        let request = LoadRequest {
            method: axum::http::Method::POST,
            body: RequestBody::Form(form),
            ..LoadRequest::get(0, kind, path, self.deadline)
        };
        self.send(request, None).await
    }

    /// Sends a request as a browser, and keeps the cookies that the server sets.
    async fn send(
        &mut self,
        request: LoadRequest<'_>,
        further: Option<(HeaderName, &str)>,
    ) -> Option<HttpAnswer> {
        let cookies = self.cookies();
        let headers = [
            (header::COOKIE, cookies.as_str()),
            (header::ACCEPT_ENCODING, "gzip"),
        ];
        let headers: Vec<_> = headers.into_iter().chain(further).collect();
        let request = LoadRequest {
            headers: &headers,
            ..request
        };
        let answer = self.day.run.request_until_done(&request).await?;
        for set in answer.headers.get_all(header::SET_COOKIE) {
            let (name, value) = set.to_str().ok()?.split(';').next()?.split_once('=')?;
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        Some(answer)
    }

    fn cookies(&self) -> String {
        let pairs = self.cookies.iter();
        let pairs: Vec<_> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        pairs.join("; ")
    }
}

/// The resident memory of a process, on Linux.
fn resident_bytes(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The processor time of a process in its code and in the system, on Linux, which counts it in hundredths of a second.
fn processor_time(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name may contain spaces, so the fields are counted after it.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 10))
}

/// The size of a SQLite database with its write-ahead log.
fn database_bytes(file: &Path) -> Option<u64> {
    let main = fs::metadata(file).ok()?.len();
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    let log = fs::metadata(log).map_or(0, |log| log.len());
    Some(main + log)
}

impl fmt::Display for DayReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DayReport {
            players,
            finished,
            took_s,
            ..
        } = self;
        writeln!(
            f,
            "{finished} of {players} players finished the board of the day in {took_s:.0} s"
        )?;
        writeln!(f)?;
        writeln!(
            f,
            "{:<32}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "milliseconds", "count", "p50", "p90", "p99", "p99.9", "longest"
        )?;
        for request in &self.requests {
            request.since_sent.write_row(f, request.kind)?;
        }
        writeln!(f)?;
        writeln!(f, "bytes sent per player: {:.0}", self.bytes_per_player)?;
        for request in &self.requests {
            let each = request.bytes as f64 / request.since_sent.count.max(1) as f64;
            writeln!(f, "  {}: {each:.0} each", request.kind)?;
        }
        if let (Some(each), Some(most)) = (self.memory_per_player, self.max_memory) {
            writeln!(
                f,
                "memory per player: {each:.0} bytes; of the server at most {} MB",
                most / 1_000_000
            )?;
        }
        if let Some(each) = self.processor_per_player {
            writeln!(
                f,
                "processor time of the server per player: {:.1} ms",
                each * 1000.0
            )?;
        }
        if let Some(each) = self.database_per_player {
            writeln!(f, "database per player: {each:.0} bytes")?;
        }
        writeln!(f, "{} failed", self.failed)?;
        for (why, count) in &self.failures {
            writeln!(f, "  {count} times {why}")?;
        }
        Ok(())
    }
}
