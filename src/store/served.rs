//! The periods in which a server was ready to receive plies.

/// The most periods that are kept, the newest ones.
pub const MAX_SERVED_PERIODS: u32 = 1_000;

/// A period in which a server was ready, in Unix milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServedPeriod {
    pub from_ms: i64,
    pub until_ms: i64,
}

impl ServedPeriod {
    /// Records in `periods` what [`record_served`](super::ServedStore::record_served) says.
    pub(super) fn record(periods: &mut Vec<ServedPeriod>, now_ms: i64, gap_ms: i64) {
        // The clock was set back.
        periods.retain(|period| period.from_ms <= now_ms);
        match periods.last_mut() {
            Some(newest) if now_ms.saturating_sub(newest.until_ms) <= gap_ms => {
                newest.until_ms = now_ms;
            }
            _ => periods.push(ServedPeriod {
                from_ms: now_ms,
                until_ms: now_ms,
            }),
        }
        let oldest = periods.len().saturating_sub(MAX_SERVED_PERIODS as usize);
        periods.drain(..oldest);
    }
}
