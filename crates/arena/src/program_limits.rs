//! What programs are told, and how long they are waited for.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What holds for every program of an arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramLimits {
    /// How much it may compute for an answer.
    pub budget: ProgramBudget,
    /// How much longer than its time an answer may take; ten times as long for the first one after a
    /// program was started.
    pub grace: Duration,
}

/// How much a program may compute for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum ProgramBudget {
    /// As it likes, but no longer than [`ProgramLimits::LONGEST`].
    #[default]
    #[serde(rename = "own")]
    Own,
    /// So many milliseconds.
    #[serde(rename = "budget_ms")]
    MoveTime(NonZeroU32),
    /// So many simulations or positions.
    #[serde(rename = "nodes")]
    Nodes(NonZeroU64),
}

impl ProgramBudget {
    /// Whether the program decides.
    #[must_use]
    pub fn program_decides(&self) -> bool {
        *self == ProgramBudget::Own
    }
}

impl Default for ProgramLimits {
    fn default() -> Self {
        ProgramLimits {
            budget: ProgramBudget::Own,
            grace: ProgramLimits::GRACE,
        }
    }
}

impl ProgramLimits {
    /// The usual grace.
    pub const GRACE: Duration = Duration::from_secs(1);

    /// How long an answer may take where no time was told.
    pub const LONGEST: Duration = Duration::from_secs(60);

    /// How long an answer is waited for.
    #[must_use]
    pub fn answer_timeout(&self, is_first: bool) -> Duration {
        let time = match self.budget {
            ProgramBudget::MoveTime(ms) => Duration::from_millis(ms.get().into()),
            ProgramBudget::Own | ProgramBudget::Nodes(_) => ProgramLimits::LONGEST,
        };
        let times = if is_first { 10 } else { 1 };
        time.saturating_add(self.grace.saturating_mul(times))
    }
}
