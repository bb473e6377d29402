//! The statistics of a load test: responses, failures and latencies.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hdrhistogram::Histogram;
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;

use super::LoadProgress;
use super::game::EventLatency;

/// The maximum number of distinct failure texts that are counted.
const MAX_DISTINCT_FAILURES: usize = 20;

/// The kinds of requests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RequestKind {
    /// Creates a game.
    Game,
    /// Requests the legal moves of a position.
    Moves,
    /// Plays a ply.
    Ply,
    /// Requests a page.
    Page,
    /// Requests the page of the day.
    DailyPage,
    /// Requests the result of the day.
    ResultPage,
    /// Requests the start page.
    StartPage,
    /// Requests the list of puzzles or a puzzle.
    PuzzlePage,
    /// Requests the browser's own record.
    RecordPage,
    /// Requests the changing part of a game's page.
    Fragment,
    /// Requests the state of a game.
    State,
    /// Opens an event stream; the latency is that of the response header.
    Stream,
}

impl RequestKind {
    pub(super) const ALL: [RequestKind; 12] = [
        RequestKind::Ply,
        RequestKind::Moves,
        RequestKind::Game,
        RequestKind::Page,
        RequestKind::DailyPage,
        RequestKind::ResultPage,
        RequestKind::StartPage,
        RequestKind::PuzzlePage,
        RequestKind::RecordPage,
        RequestKind::Fragment,
        RequestKind::State,
        RequestKind::Stream,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            RequestKind::Game => "new game",
            RequestKind::Moves => "legal moves",
            RequestKind::Ply => "ply",
            RequestKind::Page => "page",
            RequestKind::DailyPage => "daily page",
            RequestKind::ResultPage => "result page",
            RequestKind::StartPage => "start page",
            RequestKind::PuzzlePage => "puzzle page",
            RequestKind::RecordPage => "record page",
            RequestKind::Fragment => "fragment",
            RequestKind::State => "state",
            RequestKind::Stream => "stream",
        }
    }
}

/// A histogram of latencies from a microsecond to an hour with three significant digits.
pub(super) struct LatencyHistogram(Histogram<u64>);

impl Default for LatencyHistogram {
    fn default() -> Self {
        const HOUR_US: u64 = 3_600_000_000;
        let bounds = Histogram::new_with_bounds(1, HOUR_US, 3);
        LatencyHistogram(bounds.expect("the bounds and the number of digits are valid"))
    }
}

impl LatencyHistogram {
    pub(super) fn record(&mut self, time: Duration) {
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.0.saturating_record(us);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.len()
    }

    pub(super) fn value_at_percentile(&self, percentile: f64) -> u64 {
        self.0.value_at_percentile(percentile)
    }

    pub(super) fn max(&self) -> u64 {
        self.0.max()
    }
}

/// A number of occurrences, counted by several tasks.
#[derive(Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The responses to one kind of request.
#[derive(Default)]
pub(super) struct AnswerStats {
    pub(super) by_status: BTreeMap<u16, u64>,
    /// The latency from when the request was due, or was sent if it is not scheduled, to the end of a successful
    /// response.
    pub(super) since_due: LatencyHistogram,
    /// The latency from when the request was last sent.
    pub(super) since_sent: LatencyHistogram,
    /// The size of the bodies of successful responses, as sent.
    pub(super) bytes: u64,
}

/// All statistics of a load test, shared between tasks.
#[derive(Default)]
pub(super) struct LoadStats {
    kinds: [Mutex<AnswerStats>; RequestKind::ALL.len()],
    failures: Mutex<BTreeMap<String, u64>>,
    pub(super) failed: Counter,
    /// The scheduled requests that were sent.
    pub(super) sent: Counter,
    /// The scheduled requests that were completed.
    pub(super) done: Counter,
    /// The requests that the server had already executed, because the first response was lost.
    pub(super) repeated: Counter,
    /// The responses with status 429.
    pub(super) rate_limited: Counter,
    pub(super) events: Mutex<EventStats>,
    pub(super) wake_delays: Mutex<LatencyHistogram>,
}

/// The events that watchers received.
#[derive(Default)]
pub(super) struct EventStats {
    /// The number of acknowledged plies, counted once for each watcher of their game.
    pub(super) expected: u64,
    /// The number of ply events that were received in order, without duplicates.
    pub(super) received: u64,
    pub(super) missed: u64,
    /// The number of duplicate events.
    pub(super) repeated: u64,
    /// The number of events that followed a gap.
    pub(super) out_of_order: u64,
    /// The number of streams that ended before their game and were resumed after the last event.
    pub(super) resumed: u64,
    pub(super) since_acknowledged: LatencyHistogram,
    pub(super) since_sent: LatencyHistogram,
}

impl LoadStats {
    pub(super) fn answers(&self, kind: RequestKind) -> MutexGuard<'_, AnswerStats> {
        let at = RequestKind::ALL.iter().position(|known| *known == kind);
        self.kinds[at.expect("ALL contains all kinds")].lock()
    }

    pub(super) fn record_status(&self, kind: RequestKind, status: u16) {
        *self.answers(kind).by_status.entry(status).or_default() += 1;
    }

    /// Records the latencies of a successful response.
    pub(super) fn record_success(
        &self,
        kind: RequestKind,
        since_due: Duration,
        since_sent: Duration,
    ) {
        let mut answers = self.answers(kind);
        answers.since_due.record(since_due);
        answers.since_sent.record(since_sent);
    }

    pub(super) fn record_bytes(&self, kind: RequestKind, bytes: usize) {
        self.answers(kind).bytes += bytes as u64;
    }

    pub(super) fn record_failure(&self, kind: RequestKind, why: &str) {
        self.failed.increment();
        let mut failures = self.failures.lock();
        let text = format!("{}: {why}", kind.name());
        if failures.len() < MAX_DISTINCT_FAILURES || failures.contains_key(&text) {
            *failures.entry(text).or_default() += 1;
        }
    }

    pub(super) fn failures(&self) -> BTreeMap<String, u64> {
        self.failures.lock().clone()
    }

    /// The first failure text in alphabetical order; empty without failures.
    pub(super) fn first_failure(&self) -> String {
        let failures = self.failures.lock();
        failures.keys().next().cloned().unwrap_or_default()
    }

    pub(super) fn record_wake_delay(&self, by: Duration) {
        self.wake_delays.lock().record(by);
    }

    /// Records an event that was received in order.
    pub(super) fn record_event(&self, latency: Option<EventLatency>) {
        let mut events = self.events.lock();
        events.received += 1;
        if let Some(latency) = latency {
            events.since_acknowledged.record(latency.since_acknowledged);
            events.since_sent.record(latency.since_sent);
        }
    }

    pub(super) fn progress(&self, since: Duration) -> LoadProgress {
        LoadProgress {
            since,
            done: self.done.get(),
            failed: self.failed.get(),
        }
    }
}
