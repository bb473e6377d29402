//! What a table knows of those who look at it.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::ClientNetwork;

/// When somebody looked last, and in whose name the computers think.
#[derive(Debug, Default)]
pub(super) struct ViewerActivity {
    last: Mutex<Option<Instant>>,
    household: OnceLock<ClientNetwork>,
    bell: Notify,
}

impl ViewerActivity {
    /// Somebody looks now. The first household that is known stays the one that pays.
    pub(super) fn note(&self, household: Option<ClientNetwork>) {
        if let Some(household) = household {
            self.household.get_or_init(|| household);
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.bell.notify_one();
    }

    /// Whether somebody looked within this time before `now`.
    pub(super) fn are_recent(&self, within: Duration, now: Instant) -> bool {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| now.saturating_duration_since(last) < within)
    }

    /// On whose account the computers think, once it is known.
    pub(super) fn household(&self) -> Option<ClientNetwork> {
        self.household.get().copied()
    }

    /// The next look, or one since the last time that this was waited for.
    pub(super) async fn next(&self) {
        self.bell.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_counts_for_a_while_and_the_first_household_pays() {
        let visits = ViewerActivity::default();
        let minute = Duration::from_secs(60);
        assert!(!visits.are_recent(minute, Instant::now()), "nobody looked");
        let before = Instant::now();
        visits.note(None);
        let after = Instant::now();
        assert_eq!(visits.household(), None);
        assert!(visits.are_recent(minute, before + Duration::from_secs(59)));
        assert!(!visits.are_recent(minute, after + minute));
        let [first, second] = [1, 2].map(|host| ClientNetwork::of([192, 0, 2, host].into()));
        visits.note(Some(first));
        visits.note(Some(second));
        assert_eq!(visits.household(), Some(first));
    }
}
