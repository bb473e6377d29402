//! Statistics over all seeds.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn number(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) seeds: Count,
    pub(crate) games: Count,
    pub(crate) entries: Count,
    /// Acknowledged entries, including repeated ones.
    pub(crate) acknowledged: Count,
    /// Entries that were acknowledged as repeated.
    pub(crate) repeated: Count,
    /// Requests that were rejected because the game had changed.
    pub(crate) stale: Count,
    pub(crate) crashes: Count,
    pub(crate) freezes: Count,
    pub(crate) lost_requests: Count,
    pub(crate) lost_responses: Count,
    pub(crate) recovered_responses: Count,
    pub(crate) duplicates: Count,
    pub(crate) fenced: Count,
    pub(crate) notifications_lost: Count,
    pub(crate) channels_broken: Count,
    pub(crate) rematches: Count,
    pub(crate) seats_taken: Count,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            ("seeds", &self.seeds),
            ("games", &self.games),
            ("entries stored", &self.entries),
            ("acknowledged", &self.acknowledged),
            ("of them repeated", &self.repeated),
            ("stale", &self.stale),
            ("rematches", &self.rematches),
            ("seats taken by link", &self.seats_taken),
            ("crashes", &self.crashes),
            ("paused", &self.freezes),
            ("requests lost", &self.lost_requests),
            ("responses lost", &self.lost_responses),
            ("responses recovered", &self.recovered_responses),
            ("duplicated", &self.duplicates),
            ("rejected by fencing", &self.fenced),
            ("notifications lost", &self.notifications_lost),
            ("notification outages", &self.channels_broken),
        ];
        let counts = counts.map(|(name, count)| format!("{} {name}", count.number()));
        f.write_str(&counts.join(", "))
    }
}
