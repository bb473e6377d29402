//! Errors in game records, as an English sentence for API clients and a localized message for users.

use thiserror::Error;

use super::record::FORMAT;
use crate::game_adapters::notation::NotationError;
use crate::game_adapters::{ErrorText, FieldError};
use crate::record::{MAX_ENTRIES, MAX_TAKEBACKS, ReplayErrorKind};
use crate::templates::message::LocalizedMessage;

/// The last commit that reads records of format 1.
const LAST_EARLIER_BUILD: &str = "c1691778";

/// Why a text is not a valid game record.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum RecordError {
    /// The text is not JSON; line and column are counted from 1.
    #[error("this is not JSON (line {line}, column {column})")]
    NotJson { line: usize, column: usize },
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
    Setup(ErrorText),
    /// An entry cannot be parsed.
    #[error("entry {0} cannot be read: {1}")]
    Entry(u32, String),
    /// An entry's action is illegal; the rules give the reason.
    #[error("entry {0} cannot have happened: {1}")]
    Illegal(u32, ErrorText),
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

impl RecordError {
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

    /// The message for users. A [reason](RecordError::reason) follows it, if there is one.
    #[must_use]
    pub fn message(&self) -> LocalizedMessage {
        let message = |key, entry: &u32| LocalizedMessage::new(key).with_value("ply", *entry);
        match self {
            RecordError::NotJson { line, column } => LocalizedMessage::new("record-no-json")
                .with_value("line", *line as u32)
                .with_value("column", *column as u32),
            RecordError::Notation(error) => LocalizedMessage::new("record-notation")
                .with_value("line", error.line as u32)
                .with_value("column", error.column as u32),
            RecordError::Format => {
                LocalizedMessage::new("record-format").with_value("format", u32::from(FORMAT))
            }
            RecordError::EarlierFormat => LocalizedMessage::new("record-earlier-format")
                .with_value("build", LAST_EARLIER_BUILD),
            RecordError::UnknownGame(name) => LocalizedMessage::new("record-game")
                .with_value("name", name.chars().take(40).collect::<String>()),
            RecordError::TooLong => {
                LocalizedMessage::new("record-too-long").with_value("most", MAX_ENTRIES)
            }
            RecordError::Field(_) => LocalizedMessage::new("record-field"),
            RecordError::Setup(_) => LocalizedMessage::new("record-setup"),
            RecordError::Entry(entry, _) => message("record-unread", entry),
            RecordError::Illegal(entry, _) => message("record-illegal", entry),
            RecordError::Rolls(entry) => message("record-rolls", entry),
            RecordError::Replay(entry, kind) => match kind {
                ReplayErrorKind::AfterTheEnd => message("record-after-the-end", entry),
                ReplayErrorKind::WrongPlayer => message("record-wrong-player", entry),
                ReplayErrorKind::IllegalAction => message("record-illegal-move", entry),
                ReplayErrorKind::WrongDice => message("record-wrong-dice", entry),
                ReplayErrorKind::NothingToTakeBack => message("record-takeback", entry),
                ReplayErrorKind::TooManyTakebacks => {
                    message("record-takebacks", entry).with_value("most", MAX_TAKEBACKS)
                }
                ReplayErrorKind::TooManyContributions => message("record-words", entry),
            },
            RecordError::Entropy(entry) => message("record-words-late", entry),
            RecordError::End(_) => LocalizedMessage::new("record-end"),
            RecordError::Dice(_) => LocalizedMessage::new("record-dice"),
            RecordError::Seal => LocalizedMessage::new("record-seal"),
        }
    }

    /// The reason that the rules of the game give, for users.
    #[must_use]
    pub fn reason(&self) -> Option<&LocalizedMessage> {
        match self {
            RecordError::Setup(reason) | RecordError::Illegal(_, reason) => Some(&reason.message),
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
