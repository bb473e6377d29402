//! What the archives tell operators: how long commits and questions take, and how far the bell is behind.

use std::time::Duration;

/// Seconds that a commit took, with all changes that waited for it.
pub const COMMIT: &str = "archive_commit_seconds";
/// Changes that were committed: entries, new games, seats.
pub const CHANGES: &str = "archive_changes_total";
/// Seconds until a question was answered, the wait for a connection and all attempts included.
pub const QUESTION: &str = "archive_question_seconds";
/// Seconds that a question would have waited for a connection, measured once a second.
pub const CONNECTION: &str = "archive_connection_wait_seconds";
/// Seconds from a commit until the bell was heard here, measured once a second.
pub const BELL: &str = "bell_delay_seconds";

/// So many changes were committed together.
pub(super) fn committed(changes: usize, took: Duration) {
    metrics::counter!(CHANGES).increment(changes as u64);
    metrics::histogram!(COMMIT).record(took.as_secs_f64());
}

/// A question was answered, or given up.
pub(super) fn asked(took: Duration) {
    metrics::histogram!(QUESTION).record(took.as_secs_f64());
}

/// A connection was had.
pub(super) fn connected(waited: Duration) {
    metrics::histogram!(CONNECTION).record(waited.as_secs_f64());
}

/// The bell was heard.
pub(super) fn heard(delay: Duration) {
    metrics::histogram!(BELL).record(delay.as_secs_f64());
}
