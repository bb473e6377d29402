//! What came of a run, in words and as JSON. Times are microseconds.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::stats::{LatencyHistogram, LoadStats, RequestKind};
use super::{LoadPlan, Workload, schedule, stats};

/// What came of a run.
#[derive(Clone, Debug, Serialize)]
pub struct LoadReport {
    /// The servers.
    pub servers: Vec<String>,
    /// What was done at the rate.
    pub what: &'static str,
    /// How long the schedule lasted, in seconds.
    pub took_s: f64,
    /// What the schedule asked for a second.
    pub rate: f64,
    /// How often something was due.
    pub due: u64,
    /// How often it was sent; what was still due at the end was not.
    pub sent: u64,
    /// How often it was done.
    pub done: u64,
    /// The same a second.
    pub done_per_second: f64,
    /// Of those, how many the server had kept already: the answer to the first request was lost.
    pub repeated: u64,
    /// Requests that were not answered, or not as they should be; those that were told to wait are not among them.
    pub failed: u64,
    /// Requests that were told to wait (429).
    pub told_to_wait: u64,
    /// How often which failure happened.
    pub failures: BTreeMap<String, u64>,
    /// Games that were begun. They stay.
    pub games: u64,
    /// What was asked, by what it was.
    pub requests: Vec<RequestReport>,
    /// What watchers heard.
    pub events: EventReport,
    /// How late the clock of this program woke whoever was in time, which no time contains.
    pub clock_late: Percentiles,
}

/// The answers to one kind of request.
#[derive(Clone, Debug, Serialize)]
pub struct RequestReport {
    /// What was asked for.
    pub kind: &'static str,
    /// How many answers had which status.
    pub statuses: BTreeMap<u16, u64>,
    /// From when it was due to the end of a good answer.
    pub since_due: Percentiles,
    /// From when it was sent.
    pub since_sent: Percentiles,
}

/// What watchers heard of the plies.
#[derive(Clone, Debug, Serialize)]
pub struct EventReport {
    /// Plies acknowledged, once for each watcher of their game.
    pub expected: u64,
    /// Events that came, each once and in order.
    pub received: u64,
    /// Events that did not come.
    pub missed: u64,
    /// Events that came again.
    pub repeated: u64,
    /// Events before which another was missing.
    pub out_of_order: u64,
    /// Streams that ended before their game and were begun again, after the last event.
    pub resumed: u64,
    /// From the acknowledgement of a ply to its event; 0 where the event came first.
    pub since_acknowledged: Percentiles,
    /// From when the ply was sent to its event.
    pub since_sent: Percentiles,
}

/// How long most took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Percentiles {
    /// How many were timed.
    pub count: u64,
    /// Half took no longer.
    pub p50_us: u64,
    /// Nine of ten took no longer.
    pub p90_us: u64,
    /// 99 of a hundred took no longer.
    pub p99_us: u64,
    /// 999 of a thousand took no longer.
    pub p999_us: u64,
    /// The longest.
    pub max_us: u64,
}

impl LoadReport {
    pub(super) fn of(plan: &LoadPlan, took: Duration, tally: &LoadStats) -> Self {
        let requests = RequestKind::ALL.into_iter().filter_map(|kind| {
            let answers = tally.answers(kind);
            let is_asked = !answers.by_status.is_empty();
            is_asked.then(|| RequestReport {
                kind: kind.name(),
                statuses: answers.by_status.clone(),
                since_due: Percentiles::of(&answers.since_due),
                since_sent: Percentiles::of(&answers.since_sent),
            })
        });
        // A count that is held must be let go before the next one is looked at.
        let games = tally.answers(RequestKind::Game).since_sent.count();
        let done = tally.count_done();
        let seconds = took.as_secs_f64().max(plan.lasts.as_secs_f64());
        LoadReport {
            servers: plan.servers.iter().map(ToString::to_string).collect(),
            what: match plan.work {
                Workload::Games(_) => "plies",
                Workload::Page { .. } => "pages",
            },
            took_s: took.as_secs_f64(),
            rate: plan.rate,
            due: schedule::due(plan.rate, plan.lasts),
            sent: tally.count_sent(),
            done,
            done_per_second: done as f64 / seconds,
            repeated: tally.count_repeated(),
            failed: tally.count_failed(),
            told_to_wait: tally.count_told_to_wait(),
            failures: tally.failures(),
            games,
            requests: requests.collect(),
            events: EventReport::of(&tally.events()),
            clock_late: Percentiles::of(&tally.late()),
        }
    }

    /// Whether a player or a watcher would have noticed something: a request failed, or an event is missing, came
    /// again or came in another order.
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

impl EventReport {
    fn of(events: &stats::EventStats) -> Self {
        EventReport {
            expected: events.expected,
            received: events.received,
            missed: events.missed,
            repeated: events.repeated,
            out_of_order: events.out_of_order,
            resumed: events.resumed,
            since_acknowledged: Percentiles::of(&events.since_acknowledged),
            since_sent: Percentiles::of(&events.since_sent),
        }
    }
}

impl Percentiles {
    fn of(times: &LatencyHistogram) -> Self {
        Percentiles {
            count: times.count(),
            p50_us: times.at(50.0),
            p90_us: times.at(90.0),
            p99_us: times.at(99.0),
            p999_us: times.at(99.9),
            max_us: times.most(),
        }
    }

    fn row(&self, f: &mut fmt::Formatter<'_>, what: &str) -> fmt::Result {
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

/// With as many digits as are worth reading.
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
                since_due.row(f, &format!("{kind}, since it was due"))?;
            }
            since_sent.row(f, &format!("{kind}, since it was sent"))?;
        }
        let events = &self.events;
        events
            .since_acknowledged
            .row(f, "event, since acknowledged")?;
        events.since_sent.row(f, "event, since its ply was sent")?;
        self.clock_late.row(f, "this program's clock was late")?;
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
