//! The report of a load test, as text and as JSON. Times are in microseconds.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::stats::{LatencyHistogram, LoadStats, RequestKind};
use super::{LoadPlan, Workload, schedule, stats};

/// The report of a load test.
#[derive(Clone, Debug, Serialize)]
pub struct LoadReport {
    /// The servers.
    pub servers: Vec<String>,
    /// The kind of scheduled requests: plies or pages.
    pub what: &'static str,
    /// The duration of the schedule in seconds.
    pub took_s: f64,
    /// The rate of the schedule per second.
    pub rate: f64,
    /// The number of scheduled requests.
    pub due: u64,
    /// The number of requests sent; requests still due at the end were not sent.
    pub sent: u64,
    /// The number of completed requests.
    pub done: u64,
    /// Completed requests per second.
    pub done_per_second: f64,
    /// The number of completed requests that the server had already executed, because the first response was lost.
    pub repeated: u64,
    /// The number of failed requests; those with status 429 are not counted.
    pub failed: u64,
    /// The number of responses with status 429.
    pub told_to_wait: u64,
    /// The number of failures by their text.
    pub failures: BTreeMap<String, u64>,
    /// The number of games created; they remain on the server.
    pub games: u64,
    /// The requests by kind.
    pub requests: Vec<RequestReport>,
    /// The events of watchers.
    pub events: EventReport,
    /// The wake delays of this program's timers, which are not part of any latency.
    pub clock_late: Percentiles,
}

/// The responses to one kind of request.
#[derive(Clone, Debug, Serialize)]
pub struct RequestReport {
    /// The kind of request.
    pub kind: &'static str,
    /// The number of responses by status.
    pub statuses: BTreeMap<u16, u64>,
    /// The size of the bodies of successful responses, as sent.
    pub bytes: u64,
    /// From when the request was due to the end of a successful response.
    pub since_due: Percentiles,
    /// From when the request was sent to the end of a successful response.
    pub since_sent: Percentiles,
}

/// The ply events that watchers received.
#[derive(Clone, Debug, Serialize)]
pub struct EventReport {
    /// The number of acknowledged plies, counted once for each watcher of their game.
    pub expected: u64,
    /// The number of events received in order, without duplicates.
    pub received: u64,
    /// The number of missing events.
    pub missed: u64,
    /// The number of duplicate events.
    pub repeated: u64,
    /// The number of events that followed a gap.
    pub out_of_order: u64,
    /// The number of streams that ended before their game and were resumed after the last event.
    pub resumed: u64,
    /// From the acknowledgement of a ply to its event; 0 if the event came first.
    pub since_acknowledged: Percentiles,
    /// From when the ply was sent to its event.
    pub since_sent: Percentiles,
}

/// Percentiles of latencies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Percentiles {
    /// The number of samples.
    pub count: u64,
    /// The median.
    pub p50_us: u64,
    /// The 90th percentile.
    pub p90_us: u64,
    /// The 99th percentile.
    pub p99_us: u64,
    /// The 99.9th percentile.
    pub p999_us: u64,
    /// The maximum.
    pub max_us: u64,
}

impl LoadReport {
    pub(super) fn from_stats(plan: &LoadPlan, elapsed: Duration, stats: &LoadStats) -> Self {
        // The lock of one kind must be released before the next one is acquired.
        let games = stats.answers(RequestKind::Game).since_sent.count();
        let done = stats.done.get();
        let seconds = elapsed.as_secs_f64().max(plan.duration.as_secs_f64());
        LoadReport {
            servers: plan.servers.iter().map(ToString::to_string).collect(),
            what: match plan.workload {
                Workload::Games(_) => "plies",
                Workload::Page { .. } => "pages",
            },
            took_s: elapsed.as_secs_f64(),
            rate: plan.rate,
            due: schedule::due_count(plan.rate, plan.duration),
            sent: stats.sent.get(),
            done,
            done_per_second: done as f64 / seconds,
            repeated: stats.repeated.get(),
            failed: stats.failed.get(),
            told_to_wait: stats.rate_limited.get(),
            failures: stats.failures(),
            games,
            requests: RequestReport::all(stats),
            events: EventReport::from_stats(&stats.events.lock()),
            clock_late: Percentiles::from_histogram(&stats.wake_delays.lock()),
        }
    }

    /// Whether no client would have noticed a problem: all requests succeeded, and all events arrived once and in
    /// order.
    #[must_use]
    pub fn is_flawless(&self) -> bool {
        let EventReport {
            missed,
            repeated,
            out_of_order,
            ..
        } = self.events;
        self.failed == 0
            && missed == 0
            && repeated == 0
            && out_of_order == 0
            && self.done == self.sent
    }
}

impl RequestReport {
    /// The requests of each kind that was requested.
    pub(super) fn all(stats: &LoadStats) -> Vec<Self> {
        let requests = RequestKind::ALL.into_iter().filter_map(|kind| {
            let answers = stats.answers(kind);
            let was_requested = !answers.by_status.is_empty();
            was_requested.then(|| RequestReport {
                kind: kind.name(),
                statuses: answers.by_status.clone(),
                bytes: answers.bytes,
                since_due: Percentiles::from_histogram(&answers.since_due),
                since_sent: Percentiles::from_histogram(&answers.since_sent),
            })
        });
        requests.collect()
    }
}

impl EventReport {
    fn from_stats(events: &stats::EventStats) -> Self {
        EventReport {
            expected: events.expected,
            received: events.received,
            missed: events.missed,
            repeated: events.repeated,
            out_of_order: events.out_of_order,
            resumed: events.resumed,
            since_acknowledged: Percentiles::from_histogram(&events.since_acknowledged),
            since_sent: Percentiles::from_histogram(&events.since_sent),
        }
    }
}

impl Percentiles {
    fn from_histogram(times: &LatencyHistogram) -> Self {
        Percentiles {
            count: times.count(),
            p50_us: times.value_at_percentile(50.0),
            p90_us: times.value_at_percentile(90.0),
            p99_us: times.value_at_percentile(99.0),
            p999_us: times.value_at_percentile(99.9),
            max_us: times.max(),
        }
    }

    pub(super) fn write_row(&self, f: &mut fmt::Formatter<'_>, what: &str) -> fmt::Result {
        let Percentiles {
            count,
            p50_us,
            p90_us,
            p99_us,
            p999_us,
            max_us,
        } = *self;
        if count == 0 {
            return Ok(());
        }
        write!(f, "{what:<32}{count:>10}")?;
        for us in [p50_us, p90_us, p99_us, p999_us, max_us] {
            write!(f, "{:>10}", milliseconds(us))?;
        }
        writeln!(f)
    }
}

/// Formats microseconds as milliseconds with fewer decimals for larger values.
fn milliseconds(us: u64) -> String {
    let ms = us as f64 / 1000.0;
    match us {
        0..10_000 => format!("{ms:.2}"),
        10_000..100_000 => format!("{ms:.1}"),
        _ => format!("{ms:.0}"),
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoadReport {
            servers,
            what,
            rate,
            due,
            sent,
            done,
            done_per_second,
            ..
        } = self;
        writeln!(
            f,
            "{}: {rate} {what} a second asked for, {done_per_second:.1} a second done",
            servers.join(", ")
        )?;
        writeln!(f, "{done} {what} done, of {sent} sent, of {due} due")?;
        writeln!(f)?;
        writeln!(
            f,
            "{:<32}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "milliseconds", "count", "p50", "p90", "p99", "p99.9", "longest"
        )?;
        for RequestReport {
            kind,
            since_due,
            since_sent,
            ..
        } in &self.requests
        {
            let is_due = ["ply", "page"].contains(kind);
            if is_due {
                since_due.write_row(f, &format!("{kind}, since it was due"))?;
            }
            since_sent.write_row(f, &format!("{kind}, since it was sent"))?;
        }
        let events = &self.events;
        events
            .since_acknowledged
            .write_row(f, "event, since acknowledged")?;
        events
            .since_sent
            .write_row(f, "event, since its ply was sent")?;
        self.clock_late
            .write_row(f, "this program's clock was late")?;
        writeln!(f)?;
        for RequestReport { kind, statuses, .. } in &self.requests {
            let statuses = statuses
                .iter()
                .map(|(status, count)| format!("{status} {count} times"));
            writeln!(f, "{kind}: {}", statuses.collect::<Vec<_>>().join(", "))?;
        }
        if events.expected > 0 || events.received > 0 {
            writeln!(
                f,
                "events: {} received of {}; {} missed, {} twice, {} out of order; {} streams were resumed",
                events.received,
                events.expected,
                events.missed,
                events.repeated,
                events.out_of_order,
                events.resumed
            )?;
        }
        write!(
            f,
            "{} failed, {} were told to wait",
            self.failed, self.told_to_wait
        )?;
        if self.repeated > 0 {
            write!(
                f,
                ", {} had been kept when they were asked again",
                self.repeated
            )?;
        }
        writeln!(f)?;
        for (why, count) in &self.failures {
            writeln!(f, "  {count} times {why}")?;
        }
        if self.games > 0 {
            writeln!(f, "{} games were begun, and stay on the server", self.games)?;
        }
        Ok(())
    }
}
