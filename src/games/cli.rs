//! Command-line flags that set up a game.

/// Names that no flag of a game may have: the arguments of all commands that play games, including those of the
/// lab.
pub const RESERVED: [&str; 31] = [
    "boards",
    "clock",
    "config",
    "decided",
    "game",
    "gauntlet",
    "grace",
    "help",
    "json",
    "ladder",
    "language",
    "live",
    "log_format",
    "max_plies",
    "move_time",
    "nodes",
    "opening_plies",
    "openings",
    "output",
    "record",
    "records",
    "resume",
    "round_robin",
    "seats",
    "seed",
    "sprt",
    "threads",
    "verbose",
    "weights",
    "who",
    "without",
];

/// A command-line flag that sets one field of a new game.
#[derive(Clone, Copy, Debug)]
pub struct GameFlag {
    /// `side` for `--side`.
    pub name: &'static str,
    /// The field of [`GameFormat::New`](crate::formats::GameFormat::New).
    pub field: &'static str,
    /// The placeholder of the value in the help.
    pub value_name: &'static str,
    /// The help text, in one line.
    pub help: &'static str,
    pub value: FlagValue,
}

/// The values that a flag takes.
#[derive(Clone, Copy, Debug)]
pub enum FlagValue {
    /// A number up to 255; the game checks its range.
    Number,
    /// A word from a list.
    Word {
        /// The valid words, for shell completion.
        words: fn() -> Vec<&'static str>,
        /// Returns an error message for an invalid word.
        check: fn(&str) -> Result<(), String>,
    },
}

impl GameFlag {
    /// Whether one clap argument can serve both flags. Words differ in their check, so only numbers can be
    /// shared.
    pub(super) const fn agrees_with(&self, other: &GameFlag) -> bool {
        matches!(
            (self.value, other.value),
            (FlagValue::Number, FlagValue::Number)
        )
    }

    #[must_use]
    pub const fn number(name: &'static str, field: &'static str, help: &'static str) -> Self {
        GameFlag {
            name,
            field,
            value_name: "N",
            help,
            value: FlagValue::Number,
        }
    }
}
