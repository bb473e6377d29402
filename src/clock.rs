//! The wall clock, read here and nowhere else; everything below takes times as arguments.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 (UTC). A clock set before 1970 counts as 1970.
#[must_use]
pub fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
