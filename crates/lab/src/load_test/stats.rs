//! What is counted during a run: answers, what failed, and how long everything took.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

use super::LoadProgress;
use super::game::EventLatency;

/// So many different failures are told apart.
const MOST_FAILURES: usize = 20;

/// What is asked of a server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RequestKind {
    /// A new game.
    Game,
    /// The legal moves of a position.
    Moves,
    /// A ply.
    Ply,
    /// A page.
    Page,
    /// A stream of events; its time is that until it begins.
    Stream,
}

impl RequestKind {
    pub(super) const ALL: [RequestKind; 5] = [
        RequestKind::Ply,
        RequestKind::Moves,
        RequestKind::Game,
        RequestKind::Page,
        RequestKind::Stream,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            RequestKind::Game => "new game",
            RequestKind::Moves => "legal moves",
            RequestKind::Ply => "ply",
            RequestKind::Page => "page",
            RequestKind::Stream => "stream",
        }
    }
}

/// Times from a microsecond to an hour, to a thousandth.
pub(super) struct LatencyHistogram(Histogram<u64>);

impl Default for LatencyHistogram {
    fn default() -> Self {
        const HOUR_US: u64 = 3_600_000_000;
        let bounds = Histogram::new_with_bounds(1, HOUR_US, 3);
        LatencyHistogram(
            bounds.expect(
                "a microsecond is less than half an hour, and three digits are not too many",
            ),
        )
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

    pub(super) fn at(&self, percentile: f64) -> u64 {
        self.0.value_at_percentile(percentile)
    }

    pub(super) fn most(&self) -> u64 {
        self.0.max()
    }
}

/// What was answered to one kind of request.
#[derive(Default)]
pub(super) struct AnswerStats {
    pub(super) by_status: BTreeMap<u16, u64>,
    /// From when it was due, or from when it was sent where no schedule asks for it, to the end of a good answer.
    pub(super) since_due: LatencyHistogram,
    /// From when it was last sent.
    pub(super) since_sent: LatencyHistogram,
}

/// Everything that is counted.
#[derive(Default)]
pub(super) struct LoadStats {
    kinds: [Mutex<AnswerStats>; RequestKind::ALL.len()],
    failures: Mutex<BTreeMap<String, u64>>,
    failed: AtomicU64,
    sent: AtomicU64,
    done: AtomicU64,
    repeated: AtomicU64,
    told_to_wait: AtomicU64,
    events: Mutex<EventStats>,
    late: Mutex<LatencyHistogram>,
}

/// What watchers heard.
#[derive(Default)]
pub(super) struct EventStats {
    /// Plies acknowledged, once for each watcher of their game.
    pub(super) expected: u64,
    /// Events of plies that came, each once and in order.
    pub(super) received: u64,
    pub(super) missed: u64,
    /// Events that had come before.
    pub(super) repeated: u64,
    /// Events before which another was missing.
    pub(super) out_of_order: u64,
    /// Streams that ended before their game, and were begun again after the last event.
    pub(super) resumed: u64,
    pub(super) since_acknowledged: LatencyHistogram,
    pub(super) since_sent: LatencyHistogram,
}

impl LoadStats {
    pub(super) fn answers(&self, kind: RequestKind) -> MutexGuard<'_, AnswerStats> {
        let at = RequestKind::ALL.iter().position(|known| *known == kind);
        held(&self.kinds[at.expect("all kinds are listed")])
    }

    pub(super) fn status(&self, kind: RequestKind, status: u16) {
        *self.answers(kind).by_status.entry(status).or_default() += 1;
    }

    /// A good answer came.
    pub(super) fn good(&self, kind: RequestKind, since_due: Duration, since_sent: Duration) {
        let mut answers = self.answers(kind);
        answers.since_due.record(since_due);
        answers.since_sent.record(since_sent);
    }

    /// Something that was due was sent.
    pub(super) fn sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Something that was due was done.
    pub(super) fn done(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// The server had done it already: the answer to the first request was lost.
    pub(super) fn repeated(&self) {
        self.repeated.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_repeated(&self) -> u64 {
        self.repeated.load(Ordering::Relaxed)
    }

    /// The server said that it was asked too often.
    pub(super) fn told_to_wait(&self) {
        self.told_to_wait.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_told_to_wait(&self) -> u64 {
        self.told_to_wait.load(Ordering::Relaxed)
    }

    pub(super) fn failed(&self, kind: RequestKind, why: &str) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        let mut failures = held(&self.failures);
        let text = format!("{}: {why}", kind.name());
        if failures.len() < MOST_FAILURES || failures.contains_key(&text) {
            *failures.entry(text).or_default() += 1;
        }
    }

    pub(super) fn count_failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    pub(super) fn failures(&self) -> BTreeMap<String, u64> {
        held(&self.failures).clone()
    }

    /// Any failure; there is one where something did not come about.
    pub(super) fn first_failure(&self) -> String {
        let failures = held(&self.failures);
        failures.keys().next().cloned().unwrap_or_default()
    }

    pub(super) fn woken_late(&self, by: Duration) {
        held(&self.late).record(by);
    }

    pub(super) fn late(&self) -> MutexGuard<'_, LatencyHistogram> {
        held(&self.late)
    }

    /// An event came in its turn.
    pub(super) fn heard(&self, travelled: Option<EventLatency>) {
        let mut events = self.events();
        events.received += 1;
        if let Some(travelled) = travelled {
            events
                .since_acknowledged
                .record(travelled.since_acknowledged);
            events.since_sent.record(travelled.since_sent);
        }
    }

    pub(super) fn events(&self) -> MutexGuard<'_, EventStats> {
        held(&self.events)
    }

    pub(super) fn progress(&self, since: Duration) -> LoadProgress {
        LoadProgress {
            since,
            done: self.count_done(),
            failed: self.count_failed(),
        }
    }
}

/// A panic between lock and unlock leaves counts, and a count is never half written.
fn held<T>(counted: &Mutex<T>) -> MutexGuard<'_, T> {
    counted.lock().unwrap_or_else(PoisonError::into_inner)
}
