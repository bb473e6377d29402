//! The names of contestants.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use dice_of_doom_core::level::{Level, LevelSpec, LevelSpecError};

/// A contestant, in the form of command lines and files.
///
/// ```
/// use dice_of_doom_arena::Contestant;
///
/// let thrifty: Contestant = "master:400".parse()?;
/// assert_eq!(thrifty.to_string(), "master:400");
/// let program: Contestant = "cmd:./mybot --fast".parse()?;
/// assert_eq!(program, Contestant::Program("./mybot --fast".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Contestant {
    /// `LEVEL` or `LEVEL:SIMULATIONS`.
    Level(LevelSpec),
    /// `cmd:COMMAND`: an external program that handles the engine's op `choose`, one request per line.
    Program(String),
    /// `own:NAME`: a custom agent of the caller of this library ([`CustomPlayers`](super::CustomPlayers)).
    Custom(String),
}

const PROGRAM_PREFIX: &str = "cmd:";
const CUSTOM_PREFIX: &str = "own:";

impl From<Level> for Contestant {
    fn from(level: Level) -> Self {
        Contestant::Level(level.into())
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contestant::Level(level) => f.pad(&level.to_string()),
            Contestant::Program(command) => f.pad(&format!("{PROGRAM_PREFIX}{command}")),
            Contestant::Custom(name) => f.pad(&format!("{CUSTOM_PREFIX}{name}")),
        }
    }
}

impl From<Contestant> for String {
    fn from(contestant: Contestant) -> String {
        contestant.to_string()
    }
}

/// Why a text is not a contestant.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContestantParseError {
    /// The text has no prefix and is not a level.
    #[error("{0}")]
    Level(#[from] LevelSpecError),
    /// Nothing follows `cmd:` or `own:`.
    #[error("{0} is followed by nothing; write for example cmd:./mybot")]
    Empty(&'static str),
}

impl FromStr for Contestant {
    type Err = ContestantParseError;
    fn from_str(text: &str) -> Result<Self, ContestantParseError> {
        for (prefix, from_text) in [
            (
                PROGRAM_PREFIX,
                Contestant::Program as fn(String) -> Contestant,
            ),
            (CUSTOM_PREFIX, Contestant::Custom),
        ] {
            if let Some(rest) = text.strip_prefix(prefix) {
                return match rest.trim() {
                    "" => Err(ContestantParseError::Empty(prefix)),
                    rest => Ok(from_text(rest.to_owned())),
                };
            }
        }
        Ok(Contestant::Level(text.parse()?))
    }
}

impl TryFrom<String> for Contestant {
    type Error = ContestantParseError;
    fn try_from(text: String) -> Result<Self, ContestantParseError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_and_from_str_round_trip() {
        for text in [
            "book",
            "master:400",
            "random:1",
            "cmd:./mybot --a:b",
            "own:careful",
        ] {
            let contestant: Contestant = text.parse().expect(text);
            assert_eq!(contestant.to_string(), text);
        }
        for (text, message) in [
            ("god", "there is no level called \"god\""),
            ("cmd: ", "cmd: is followed by nothing"),
            ("master:", "\"\" is not a number of simulations"),
            ("master:0", "\"0\" is not a number of simulations"),
        ] {
            let error = text.parse::<Contestant>().expect_err(text).to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
