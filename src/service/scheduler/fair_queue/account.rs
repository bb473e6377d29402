//! Accounts of compute time and their virtual time.
//!
//! Only differences between accounts matter. A new account starts at the virtual time, the progress that all busy
//! accounts have made together.

use std::time::Duration;

/// Maximum credit of an account that was idle, as between the turns of a game.
const CREDIT: Duration = Duration::from_secs(1);

/// The compute time charged to one account.
#[derive(Default)]
pub(super) struct TimeAccount {
    pub(super) spent: Duration,
    /// The number of queued or running turns.
    pub(super) turns: usize,
}

impl TimeAccount {
    pub(super) fn starting_at(reached: Duration) -> Self {
        TimeAccount {
            spent: reached,
            turns: 0,
        }
    }

    /// Adds a turn. An account that was idle keeps at most `CREDIT`.
    pub(super) fn start_waiting(&mut self, reached: Duration) {
        if self.turns == 0 {
            self.spent = self.spent.max(reached.saturating_sub(CREDIT));
        }
        self.turns += 1;
    }

    pub(super) fn correct(&mut self, expected: Duration, took: Duration) {
        self.spent = self.spent.saturating_sub(expected).saturating_add(took);
    }

    /// Whether the account is idle and equivalent to a new one.
    pub(super) fn is_default(&self, reached: Duration) -> bool {
        self.turns == 0 && self.spent.saturating_add(CREDIT) <= reached
    }
}

/// The virtual time after an account spent `spent`: it advances as if all busy accounts had spent that time together,
/// but not beyond the busy account that spent least.
pub(super) fn advanced<'a>(
    reached: Duration,
    spent: Duration,
    accounts: impl Iterator<Item = &'a TimeAccount>,
) -> Duration {
    let (mut busy, mut min_spent) = (0, Duration::MAX);
    for account in accounts.filter(|account| account.turns > 0) {
        busy += 1;
        min_spent = min_spent.min(account.spent);
    }
    reached.max(min_spent.min(reached + spent / busy.max(1)))
}
