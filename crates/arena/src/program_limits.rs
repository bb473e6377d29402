//! The limits of external programs: how much they may compute, and how long to wait for a response.

use dice_of_doom_formats::record::ProgramBudget;
use std::time::Duration;

/// The limits of every program in an arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProgramLimits {
    /// How much the program may compute for each response.
    pub budget: ProgramBudget,
    /// How much longer than its time a response may take; ten times as long for the first response after a program was
    /// started.
    pub grace: Duration,
}

impl Default for ProgramLimits {
    fn default() -> Self {
        ProgramLimits {
            budget: ProgramBudget::ProgramDecides,
            grace: ProgramLimits::GRACE,
        }
    }
}

impl ProgramLimits {
    /// The default grace.
    pub const GRACE: Duration = Duration::from_secs(1);

    /// The time for a response if the budget is not a time.
    pub const MAX_ANSWER_TIME: Duration = Duration::from_secs(60);

    /// The time limit of a response, including the grace.
    #[must_use]
    pub fn answer_timeout(&self, is_first: bool) -> Duration {
        self.with_grace(self.answer_time(), is_first)
    }

    /// The time for a response, without the grace.
    pub(super) fn answer_time(&self) -> Duration {
        match self.budget {
            ProgramBudget::MoveTime(ms) => Duration::from_millis(ms.get().into()),
            ProgramBudget::ProgramDecides | ProgramBudget::Nodes(_) => {
                ProgramLimits::MAX_ANSWER_TIME
            }
        }
    }

    /// This time with the grace.
    pub(super) fn with_grace(&self, time: Duration, is_first: bool) -> Duration {
        let times = if is_first { 10 } else { 1 };
        time.saturating_add(self.grace.saturating_mul(times))
    }
}
