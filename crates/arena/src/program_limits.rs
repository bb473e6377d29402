//! The limits of external programs: how much they may compute, and how long to wait for a response.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use serde::{Deserialize, Serialize};

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

/// How much a program may compute for a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum ProgramBudget {
    /// The program decides, within [`ProgramLimits::MAX_ANSWER_TIME`].
    #[default]
    #[serde(rename = "own")]
    ProgramDecides,
    /// A time in milliseconds.
    #[serde(rename = "budget_ms")]
    MoveTime(NonZeroU32),
    /// A number of simulations or positions.
    #[serde(rename = "nodes")]
    Nodes(NonZeroU64),
}

impl ProgramBudget {
    /// Whether the program decides.
    #[must_use]
    pub fn program_decides(&self) -> bool {
        *self == ProgramBudget::ProgramDecides
    }
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
