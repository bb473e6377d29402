//! Requests: a line is parsed into its `id` as it was written, its `op` and its other fields; and what
//! can be wrong with them.

use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::game_adapters::JsonFields;

/// What kind of trouble a request is. The names never change; new ones may come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineErrorCode {
    /// The line is no JSON in UTF-8. Its answer has the id `null`.
    BadJson,
    /// The line is longer than 1 MiB. Its answer has the id `null`.
    TooLong,
    /// A field is missing, unknown, there twice or of the wrong kind.
    BadRequest,
    /// There is no such op.
    UnknownOp,
    /// There is no such game.
    UnknownGame,
    /// There is no such level.
    UnknownLevel,
    /// A number is outside its range.
    OutOfRange,
    /// The position is impossible, or is not written as positions are.
    BadPosition,
    /// The record is none, or does not hold; the message says where.
    BadRecord,
    /// A choice was asked for where the game is over.
    GameOver,
    /// This game, or this program, does not have what was asked for.
    Unsupported,
    /// The request would compute more than one request may.
    TooLarge,
    /// It was stopped before it was done, by the op `stop`.
    Stopped,
    /// A fault of this program; please report the line.
    Internal,
}

impl EngineErrorCode {
    /// Every code.
    pub const ALL: [EngineErrorCode; 14] = [
        EngineErrorCode::BadJson,
        EngineErrorCode::TooLong,
        EngineErrorCode::BadRequest,
        EngineErrorCode::UnknownOp,
        EngineErrorCode::UnknownGame,
        EngineErrorCode::UnknownLevel,
        EngineErrorCode::OutOfRange,
        EngineErrorCode::BadPosition,
        EngineErrorCode::BadRecord,
        EngineErrorCode::GameOver,
        EngineErrorCode::Unsupported,
        EngineErrorCode::TooLarge,
        EngineErrorCode::Stopped,
        EngineErrorCode::Internal,
    ];
}

const MOST_MESSAGE_BYTES: usize = 300;

/// The error that a request is answered with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EngineError {
    /// The code, for programs.
    pub code: EngineErrorCode,
    /// The message, for people.
    pub message: String,
}

impl EngineError {
    pub(super) fn new(code: EngineErrorCode, message: impl fmt::Display) -> EngineError {
        let mut message = message.to_string();
        // Messages quote the request, which may be a mebibyte long.
        if message.len() > MOST_MESSAGE_BYTES {
            message.truncate(message.floor_char_boundary(MOST_MESSAGE_BYTES));
            message.push('…');
        }
        EngineError { code, message }
    }

    /// The number called `name` is not between `least` and `most`.
    pub(super) fn range(
        name: &str,
        least: impl fmt::Display,
        most: impl fmt::Display,
    ) -> EngineError {
        let message = format!("{name} is a number from {least} to {most}");
        EngineError::new(EngineErrorCode::OutOfRange, message)
    }
}

/// A line that is an object.
#[derive(Debug)]
pub(super) struct EngineRequest {
    /// Exactly as it was written.
    pub(super) id: Option<Box<RawValue>>,
    /// What to do.
    pub(super) op: Result<String, EngineError>,
    /// Everything else.
    pub(super) fields: JsonFields,
}

impl EngineRequest {
    /// Takes a line apart.
    pub(super) fn read(line: &[u8]) -> Result<Self, EngineError> {
        let text = std::str::from_utf8(line)
            .map_err(|error| EngineError::new(EngineErrorCode::BadJson, error))?;
        let line: &RawValue = serde_json::from_str(text).map_err(|error| {
            // The error says line 1 for every request, because each is parsed alone.
            EngineError::new(EngineErrorCode::BadJson, format!("no JSON: {error}"))
        })?;
        let bad = |error| EngineError::new(EngineErrorCode::BadRequest, error);
        let mut fields = JsonFields::read(line.get()).map_err(bad)?;
        let id = fields.take_raw("id").map_err(bad)?;
        let op = match fields.take_raw("op").map_err(bad) {
            Ok(Some(op)) => serde_json::from_str(op.get()).map_err(|_| {
                EngineError::new(EngineErrorCode::BadRequest, "op is the name of an op")
            }),
            Ok(None) => Err(EngineError::new(
                EngineErrorCode::BadRequest,
                "the field `op` is missing",
            )),
            Err(twice) => Err(twice),
        };
        Ok(EngineRequest { id, op, fields })
    }
}
