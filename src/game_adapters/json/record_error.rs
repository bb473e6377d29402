//! What is wrong with a text that was to be a record: for programs as a sentence, for people as what a page
//! says in their language.

use thiserror::Error;

use crate::game_adapters::notation::NotationError;
use crate::game_adapters::{ErrorText, FieldError};
use crate::record::{MAX_PLIES, MAX_TAKEBACKS, ReplayErrorKind};
use crate::templates::message::LocalizedMessage;

/// Why a text is no record of a game.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum RecordError {
    /// The text is no JSON from here on, both counted from 1.
    #[error("this is no JSON (line {line}, column {column})")]
    NotJson {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// A text in notation does not hold.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// A record of another form than this program's.
    #[error("format: only 1 is known")]
    Format,
    /// No game is called so.
    #[error("there is no game called {0:?}")]
    UnknownGame(String),
    /// There are more entries than a game has.
    #[error("plies: a record has at most {MAX_PLIES} entries")]
    TooLong,
    /// A field of the record is missing, unknown, there twice or something else.
    #[error("{0}")]
    Field(#[from] FieldError),
    /// The game or its start is none.
    #[error("the game cannot be set up: {0}")]
    Setup(ErrorText),
    /// An entry cannot be read.
    #[error("entry {0} cannot be read: {1}")]
    Entry(u32, String),
    /// The rules do not allow an entry's action, and say why.
    #[error("entry {0} cannot have happened: {1}")]
    Illegal(u32, ErrorText),
    /// An entry can be read and cannot have happened.
    #[error("entry {0} cannot have happened: {1}")]
    Replay(u32, ReplayErrorKind),
    /// The dice of an entry do not follow from the opened seed.
    #[error("the dice of entry {0} do not agree")]
    Rolls(u32),
    /// Words were added when none were taken any more.
    #[error("the words of entry {0} were added too late, or too often")]
    Words(u32),
    /// The end does not follow from the entries.
    #[error("the end does not fit: {0}")]
    End(&'static str),
    /// What it says of the dice does not fit.
    #[error("the dice do not fit: {0}")]
    Dice(&'static str),
    /// Its seal is that of another text.
    #[error("seal does not fit")]
    Seal,
}

impl RecordError {
    /// The number of the entry, where it is one that is wrong.
    #[must_use]
    pub const fn entry(&self) -> Option<u32> {
        match self {
            RecordError::Entry(number, _)
            | RecordError::Illegal(number, _)
            | RecordError::Replay(number, _)
            | RecordError::Rolls(number)
            | RecordError::Words(number) => Some(*number),
            RecordError::NotJson { .. }
            | RecordError::Notation(_)
            | RecordError::Format
            | RecordError::UnknownGame(_)
            | RecordError::TooLong
            | RecordError::Field(_)
            | RecordError::Setup(_)
            | RecordError::End(_)
            | RecordError::Dice(_)
            | RecordError::Seal => None,
        }
    }

    /// Where in the record it is, as a JSON pointer (RFC 6901); empty for the whole of it.
    #[must_use]
    pub fn pointer(&self) -> String {
        match self {
            RecordError::Format => "/format".to_owned(),
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

    /// The sentence for people. Where a [reason](RecordError::reason) says more, it comes after this one.
    #[must_use]
    pub fn message(&self) -> LocalizedMessage {
        let of = |key, entry: &u32| LocalizedMessage::new(key).with("ply", *entry);
        match self {
            RecordError::NotJson { line, column } => LocalizedMessage::new("record-no-json")
                .with("line", *line as u32)
                .with("column", *column as u32),
            RecordError::Notation(error) => LocalizedMessage::new("record-notation")
                .with("line", error.line as u32)
                .with("column", error.column as u32),
            RecordError::Format => LocalizedMessage::new("record-format"),
            RecordError::UnknownGame(name) => LocalizedMessage::new("record-game")
                .with("name", name.chars().take(40).collect::<String>()),
            RecordError::TooLong => {
                LocalizedMessage::new("record-too-long").with("most", MAX_PLIES)
            }
            RecordError::Field(_) => LocalizedMessage::new("record-field"),
            RecordError::Setup(_) => LocalizedMessage::new("record-setup"),
            RecordError::Entry(entry, _) => of("record-unread", entry),
            RecordError::Illegal(entry, _) => of("record-illegal", entry),
            RecordError::Rolls(entry) => of("record-rolls", entry),
            RecordError::Replay(entry, fault) => match fault {
                ReplayErrorKind::AfterTheEnd => of("record-after-the-end", entry),
                ReplayErrorKind::WrongPlayer => of("record-wrong-player", entry),
                ReplayErrorKind::IllegalAction => of("record-illegal-move", entry),
                ReplayErrorKind::WrongDice => of("record-wrong-dice", entry),
                ReplayErrorKind::NothingToTakeBack => of("record-takeback", entry),
                ReplayErrorKind::TooManyTakebacks => {
                    of("record-takebacks", entry).with("most", MAX_TAKEBACKS)
                }
                ReplayErrorKind::TooManyContributions => of("record-words", entry),
            },
            RecordError::Words(entry) => of("record-words-late", entry),
            RecordError::End(_) => LocalizedMessage::new("record-end"),
            RecordError::Dice(_) => LocalizedMessage::new("record-dice"),
            RecordError::Seal => LocalizedMessage::new("record-seal"),
        }
    }

    /// What the rules of the game say about it, for people.
    #[must_use]
    pub fn reason(&self) -> Option<&LocalizedMessage> {
        match self {
            RecordError::Setup(reason) | RecordError::Illegal(_, reason) => Some(&reason.said),
            _ => None,
        }
    }

    /// What only somebody can use who wrote the file, in the words of programs.
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
