//! The only place that reads the wall clock; other modules take times as arguments.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 (UTC); a clock set before 1970 counts as 1970.
#[must_use]
pub fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
