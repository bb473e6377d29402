//! The flags with which a game is set up on the command line.

use super::json::JsonAdapter;

/// A game that the command line sets up.
pub trait CliAdapter: JsonAdapter {
    /// The name that people read above its flags.
    const TITLE: &'static str;

    /// One for each field of [`JsonAdapter::New`] that can be chosen.
    const FLAGS: &'static [GameFlag];
}

/// What no flag of a game may be called: the arguments of the commands that play games, those of the lab among them.
pub const RESERVED: [&str; 26] = [
    "boards",
    "config",
    "game",
    "gauntlet",
    "grace",
    "help",
    "json",
    "ladder",
    "language",
    "log_format",
    "move_time",
    "nodes",
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

/// A flag of the command line that fills one field of a new game.
#[derive(Clone, Copy, Debug)]
pub struct GameFlag {
    /// `side` for `--side`.
    pub name: &'static str,
    /// The field of [`JsonAdapter::New`].
    pub field: &'static str,
    /// What stands for the value in the help.
    pub value_name: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// What may be written.
    pub value: FlagValue,
}

/// What may be written behind a flag.
#[derive(Clone, Copy, Debug)]
pub enum FlagValue {
    /// A number up to 255; the game says which of them it takes.
    Number,
    /// One of the game's words.
    Word {
        /// The words, which completions offer.
        words: fn() -> Vec<&'static str>,
        /// Refuses any other with a sentence.
        check: fn(&str) -> Result<(), String>,
    },
}

impl GameFlag {
    /// Whether one argument of the command line can fill both: it is checked and explained once.
    pub(super) const fn agrees_with(&self, other: &GameFlag) -> bool {
        matches!(
            (self.value, other.value),
            (FlagValue::Number, FlagValue::Number)
        )
    }

    /// A flag with a number.
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
