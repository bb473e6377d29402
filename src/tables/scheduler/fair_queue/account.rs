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
    pub(super) fn starting_at(virtual_time: Duration) -> Self {
        TimeAccount {
            spent: virtual_time,
            turns: 0,
        }
    }

    /// Adds a turn. An account that was idle keeps at most `CREDIT`.
    pub(super) fn start_waiting(&mut self, virtual_time: Duration) {
        if self.turns == 0 {
            self.spent = self.spent.max(virtual_time.saturating_sub(CREDIT));
        }
        self.turns += 1;
    }

    pub(super) fn correct(&mut self, expected: Duration, elapsed: Duration) {
        self.spent = self.spent.saturating_sub(expected).saturating_add(elapsed);
    }

    /// Whether the account is idle and equivalent to a new one.
    pub(super) fn is_default(&self, virtual_time: Duration) -> bool {
        self.turns == 0 && self.spent.saturating_add(CREDIT) <= virtual_time
    }
}

/// The virtual time after an account spent `spent`: it advances as if all busy accounts had spent that time together,
/// but not beyond the busy account that spent least.
pub(super) fn advanced<'a>(
    virtual_time: Duration,
    spent: Duration,
    accounts: impl Iterator<Item = &'a TimeAccount>,
) -> Duration {
    let (mut busy, mut min_spent) = (0, Duration::MAX);
    for account in accounts.filter(|account| account.turns > 0) {
        busy += 1;
        min_spent = min_spent.min(account.spent);
    }
    virtual_time.max(min_spent.min(virtual_time + spent / busy.max(1)))
}
