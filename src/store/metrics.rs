//! Metrics of the stores: durations of commits and queries, and the notification delay.

use std::time::Duration;

/// Duration of a commit in seconds, including all changes batched in it.
pub const COMMIT: &str = "store_commit_seconds";
/// Committed changes: entries, new games, seats.
pub const CHANGES: &str = "store_changes_total";
/// Duration of a query in seconds, including the wait for a connection and all retries.
pub const QUERY: &str = "store_query_seconds";
/// Wait for a pool connection in seconds, measured once a second.
pub const CONNECTION: &str = "store_connection_wait_seconds";
/// Delay from a commit until its notification is received, in seconds, measured once a second.
pub const NOTIFICATION_DELAY: &str = "notification_delay_seconds";

pub(super) fn record_commit(changes: usize, took: Duration) {
    metrics::counter!(CHANGES).increment(changes as u64);
    metrics::histogram!(COMMIT).record(took.as_secs_f64());
}

pub(super) fn record_query(took: Duration) {
    metrics::histogram!(QUERY).record(took.as_secs_f64());
}

pub(super) fn record_connection(waited: Duration) {
    metrics::histogram!(CONNECTION).record(waited.as_secs_f64());
}

pub(super) fn record_notification(delay: Duration) {
    metrics::histogram!(NOTIFICATION_DELAY).record(delay.as_secs_f64());
}
