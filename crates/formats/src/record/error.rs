//! Errors in game records, as an English sentence for API clients.

use dice_of_doom_core::record::{MAX_ENTRIES, ReplayErrorKind};
use dice_of_doom_core::serialization::SerializableGame;
use thiserror::Error;

use super::FORMAT;
use crate::FieldError;
use crate::notation::NotationError;

/// The last commit that reads records of format 1.
pub const LAST_EARLIER_BUILD: &str = "c1691778";

/// What the rules of a game reject in a record.
#[derive(Debug, Error)]
pub enum RulesError<G: SerializableGame> {
    /// The parameters or the start position.
    #[error("{0}")]
    Setup(G::SetupError),
    /// An action.
    #[error("{0}")]
    Action(G::IllegalActionError),
}

impl<G: SerializableGame> From<RulesError<G>> for String {
    fn from(error: RulesError<G>) -> Self {
        error.to_string()
    }
}

/// Why a text is not a valid game record. `R` is how the reason of a [`RulesError`] is told.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum RecordError<R> {
    /// The text is not JSON; line and column are counted from 1.
    #[error("this is not JSON (line {line}, column {column})")]
    NotJson {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// The text is invalid notation.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// An unsupported version of the format.
    #[error("format: only {FORMAT} is known")]
    Format,
    /// The format of earlier builds.
    #[error(
        "an earlier build wrote this record; the last one that reads it is {LAST_EARLIER_BUILD}"
    )]
    EarlierFormat,
    /// The game is not known.
    #[error("there is no game called {0:?}")]
    UnknownGame(String),
    /// There are more entries than a game can have.
    #[error("plies: a record has at most {MAX_ENTRIES} entries")]
    TooLong,
    /// A field is missing, unknown, duplicate or of another type.
    #[error("{0}")]
    Field(#[from] FieldError),
    /// The parameters or the start position are invalid.
    #[error("the game cannot be set up: {0}")]
    Setup(R),
    /// An entry cannot be parsed.
    #[error("entry {0} cannot be read: {1}")]
    Entry(u32, String),
    /// An entry's action is illegal; the rules give the reason.
    #[error("entry {0} cannot have happened: {1}")]
    Illegal(u32, R),
    /// An entry is valid but impossible at this point of the game.
    #[error("entry {0} cannot have happened: {1}")]
    Replay(u32, ReplayErrorKind),
    /// An entry's roll does not follow from the revealed seed.
    #[error("the dice of entry {0} do not agree")]
    Rolls(u32),
    /// Entropy text was added when it was no longer accepted.
    #[error("the entropy text of entry {0} was added too late or too often")]
    Entropy(u32),
    /// The ending does not follow from the entries.
    #[error("the ending does not match the entries: {0}")]
    End(&'static str),
    /// The data about the dice is inconsistent.
    #[error("the proof of the dice does not match: {0}")]
    Dice(&'static str),
    /// The checksum does not match.
    #[error("seal does not fit")]
    Seal,
}

impl<R> RecordError<R> {
    /// The number of the invalid entry, if the error concerns one.
    #[must_use]
    pub const fn entry(&self) -> Option<u32> {
        match self {
            RecordError::Entry(number, _)
            | RecordError::Illegal(number, _)
            | RecordError::Replay(number, _)
            | RecordError::Rolls(number)
            | RecordError::Entropy(number) => Some(*number),
            RecordError::NotJson { .. }
            | RecordError::Notation(_)
            | RecordError::Format
            | RecordError::EarlierFormat
            | RecordError::UnknownGame(_)
            | RecordError::TooLong
            | RecordError::Field(_)
            | RecordError::Setup(_)
            | RecordError::End(_)
            | RecordError::Dice(_)
            | RecordError::Seal => None,
        }
    }

    /// The location as a JSON pointer (RFC 6901); empty for the whole record.
    #[must_use]
    pub fn pointer(&self) -> String {
        match self {
            RecordError::Format | RecordError::EarlierFormat => "/format".to_owned(),
            RecordError::UnknownGame(_) => "/game".to_owned(),
            RecordError::TooLong => "/plies".to_owned(),
            RecordError::End(_) => "/ending".to_owned(),
            RecordError::Dice(_) => "/dice".to_owned(),
            RecordError::Seal => "/seal".to_owned(),
            other => other
                .entry()
                .map_or_else(String::new, |entry| format!("/plies/{entry}")),
        }
    }

    /// The reason that the rules of the game give.
    #[must_use]
    pub const fn reason(&self) -> Option<&R> {
        match self {
            RecordError::Setup(reason) | RecordError::Illegal(_, reason) => Some(reason),
            _ => None,
        }
    }

    /// Technical details in English, for the author of the file.
    #[must_use]
    pub fn detail(&self) -> Option<String> {
        match self {
            RecordError::Field(error) => Some(error.to_string()),
            RecordError::Notation(error) => Some(error.why.clone()),
            RecordError::Entry(_, detail) => Some(detail.clone()),
            RecordError::End(detail) | RecordError::Dice(detail) => Some((*detail).to_owned()),
            _ => None,
        }
    }
}
