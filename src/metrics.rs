//! Metrics for operators: each with its name, its meaning and its labels, and the Prometheus text format.
//!
//! They are a stable interface for dashboards. Recording takes a few atomic operations, whether or not anyone asks for
//! the metrics.

use std::sync::LazyLock;

use prometheus::core::Collector;
use prometheus::proto::{MetricFamily, MetricType};
use prometheus::{
    Gauge, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts,
    TextEncoder,
};

/// Defines the metrics, and [`families`], which lists them.
macro_rules! metrics {
    ($($metric:ident: $kind:ty = $new:expr;)+) => {
        $(pub static $metric: LazyLock<$kind> =
            LazyLock::new(|| $new.expect("the name and the labels are valid"));)+

        /// All metrics with their present values.
        #[must_use]
        pub fn families() -> Vec<MetricFamily> {
            let metrics: [&dyn Collector; _] = [$(&*$metric),+];
            metrics.into_iter().flat_map(Collector::collect).collect()
        }
    };
}

metrics! {
    REQUESTS: IntCounterVec = IntCounterVec::new(
        Opts::new("http_requests_total", "Requests answered"),
        &["route", "method", "status"]
    );
    REQUEST_DURATION: HistogramVec = HistogramVec::new(
        seconds("http_request_duration_seconds", "Time until the answer began"),
        &["route", "method"]
    );
    STREAMS_OPEN: IntGauge = IntGauge::new("streams_open", "Streams of events that are open");
    EVENTS_SENT: IntCounter = IntCounter::new("events_sent_total", "Events sent, once for each stream");
    GAMES_IN_MEMORY: IntGauge = IntGauge::new("games_in_memory", "Games in memory");
    COMPUTERS_WAITING: IntGauge = IntGauge::new(
        "computers_waiting",
        "Turns of computers that wait for a thread"
    );
    COMPUTERS_THINKING: IntGauge = IntGauge::new(
        "computers_thinking",
        "Threads on which computers think"
    );
    LONGEST_WAIT: Gauge = Gauge::new(
        "computers_longest_wait_seconds",
        "Time for which the turn has been waiting that has waited longest, when the queue last moved"
    );
    COMPUTER_WAIT: Histogram = Histogram::with_opts(seconds(
        "computer_wait_seconds",
        "Time that a computer waited for a thread, by ply"
    ));
    COMPUTER_THINK: Histogram = Histogram::with_opts(seconds(
        "computer_think_seconds",
        "Time that a computer thought, by ply"
    ));
    LEASES_HELD: IntGauge = IntGauge::new(
        "leases_held",
        "Games of computers with which this server goes on"
    );
    PLIES_FENCED: IntCounter = IntCounter::new(
        "plies_fenced_total",
        "Plies of computers that came too late: another server had taken the game over"
    );
    CHANGES: IntCounter = IntCounter::new("store_changes_total", "Changes committed to the database");
    COMMIT: Histogram = Histogram::with_opts(seconds(
        "store_commit_seconds",
        "Time that a commit took, with all changes that waited for it"
    ));
    QUERY: Histogram = Histogram::with_opts(seconds(
        "store_query_seconds",
        "Time until PostgreSQL had answered a question, the wait for a connection included"
    ));
    CONNECTION_WAIT: Histogram = Histogram::with_opts(seconds(
        "store_connection_wait_seconds",
        "Time that a question would have waited for a connection, measured once a second"
    ));
    NOTIFICATION_DELAY: Histogram = Histogram::with_opts(seconds(
        "notification_delay_seconds",
        "Time from a commit until another server hears of it, measured once a second"
    ));
}

/// A histogram of durations. Its bounds include 20, 50, 100 and 250 ms, which are documented response times.
fn seconds(name: &str, help: &str) -> HistogramOpts {
    const BOUNDS: [f64; 12] = [
        0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
    ];
    HistogramOpts::new(name, help).buckets(BOUNDS.to_vec())
}

/// All metrics in the text format, without the histograms that have no sample yet.
#[must_use]
pub fn render() -> String {
    let mut families = families();
    families.retain(|family| {
        let is_histogram = family.get_field_type() == MetricType::HISTOGRAM;
        let mut metrics = family.get_metric().iter();
        metrics.any(|metric| !is_histogram || metric.get_histogram().get_sample_count() > 0)
    });
    let text = TextEncoder.encode_to_string(&families);
    text.expect("a family that is left has a metric")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_not_happened_is_zero_or_absent() {
        let text = render();
        assert!(text.contains("\nplies_fenced_total "), "{text}");
        assert!(!text.contains("notification_delay_seconds"), "{text}");
        NOTIFICATION_DELAY.observe(0.02);
        let text = render();
        let bucket = "\nnotification_delay_seconds_bucket{le=\"0.02\"} 1\n";
        assert!(text.contains(bucket), "{text}");
    }
}
