//! What is counted over all seeds.

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
    /// Entries that were kept.
    pub(crate) entries: Count,
    /// Entries that people were told to be kept.
    pub(crate) acknowledged: Count,
    /// Entries that people were told to be kept before.
    pub(crate) repeated: Count,
    /// Requests that came too late.
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
            ("entries kept", &self.entries),
            ("acknowledged to people", &self.acknowledged),
            ("of them repeated", &self.repeated),
            ("came too late", &self.stale),
            ("rematches", &self.rematches),
            ("seats taken by link", &self.seats_taken),
            ("crashes", &self.crashes),
            ("stood still", &self.freezes),
            ("requests not reached", &self.lost_requests),
            ("answers lost", &self.lost_responses),
            ("answers found out later", &self.recovered_responses),
            ("delivered twice", &self.duplicates),
            ("refused by fence", &self.fenced),
            ("rings lost", &self.notifications_lost),
            ("bells broken", &self.channels_broken),
        ];
        let counts = counts.map(|(name, count)| format!("{} {name}", count.number()));
        f.write_str(&counts.join(", "))
    }
}
