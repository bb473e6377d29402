//! An account of processor time, and how accounts are compared.
//!
//! Only differences count. Where all accounts stand together is called how far they have come: somebody
//! new begins there.

use std::time::Duration;

/// So much time is kept for somebody who asks for nothing in between, as between the turns of a game.
const CREDIT: Duration = Duration::from_secs(1);

/// The processor time that somebody's turns took.
#[derive(Default)]
pub(super) struct TimeAccount {
    pub(super) spent: Duration,
    /// How many turns wait or think now.
    pub(super) turns: usize,
}

impl TimeAccount {
    /// The account of somebody new.
    pub(super) fn begun(reached: Duration) -> Self {
        TimeAccount {
            spent: reached,
            turns: 0,
        }
    }

    /// A turn waits. Whoever was away keeps little of what was not spent then.
    pub(super) fn open(&mut self, reached: Duration) {
        if self.turns == 0 {
            self.spent = self.spent.max(reached.saturating_sub(CREDIT));
        }
        self.turns += 1;
    }

    pub(super) fn correct(&mut self, expected: Duration, took: Duration) {
        self.spent = self.spent.saturating_sub(expected).saturating_add(took);
    }

    /// Whether the account says no more than a new one would.
    pub(super) fn is_spare(&self, reached: Duration) -> bool {
        self.turns == 0 && self.spent.saturating_add(CREDIT) <= reached
    }
}

/// How far accounts have come when somebody spent so much more: as if all who ask had spent it together,
/// but nobody is overtaken who has spent less.
pub(super) fn advanced<'a>(
    reached: Duration,
    spent: Duration,
    accounts: impl Iterator<Item = &'a TimeAccount>,
) -> Duration {
    let (mut busy, mut least) = (0, Duration::MAX);
    for account in accounts.filter(|account| account.turns > 0) {
        busy += 1;
        least = least.min(account.spent);
    }
    reached.max(least.min(reached + spent / busy.max(1)))
}
