//! Request lines: parsed into the `id` as it was sent, the `op` and the other fields; and their errors.

use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::formats::JsonFields;

/// Error codes. Existing names are stable; new ones may be added.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineErrorCode {
    /// The line is not JSON in UTF-8. The response has the id `null`.
    BadJson,
    /// The line is longer than 1 MiB. The response has the id `null`.
    TooLong,
    /// A field is missing, unknown, duplicate or of the wrong type.
    BadRequest,
    UnknownOp,
    UnknownGame,
    UnknownLevel,
    /// A number is out of range.
    OutOfRange,
    /// The position is malformed or impossible.
    BadPosition,
    /// The record or the history is malformed or invalid; the message says where.
    BadRecord,
    /// The action of `step` is not legal, or its dice do not fit.
    IllegalAction,
    /// A choice was requested where the game is over.
    GameOver,
    /// This game or this version does not support the request.
    Unsupported,
    /// The request exceeds the limits.
    TooLarge,
    /// Aborted by the op `stop`.
    Stopped,
    /// A bug in this program; please report the line.
    Internal,
}

impl EngineErrorCode {
    pub const ALL: [EngineErrorCode; 15] = [
        EngineErrorCode::BadJson,
        EngineErrorCode::TooLong,
        EngineErrorCode::BadRequest,
        EngineErrorCode::UnknownOp,
        EngineErrorCode::UnknownGame,
        EngineErrorCode::UnknownLevel,
        EngineErrorCode::OutOfRange,
        EngineErrorCode::BadPosition,
        EngineErrorCode::BadRecord,
        EngineErrorCode::IllegalAction,
        EngineErrorCode::GameOver,
        EngineErrorCode::Unsupported,
        EngineErrorCode::TooLarge,
        EngineErrorCode::Stopped,
        EngineErrorCode::Internal,
    ];
}

const MAX_MESSAGE_BYTES: usize = 300;

/// The error of a response.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EngineError {
    pub code: EngineErrorCode,
    pub message: String,
}

impl EngineError {
    pub(super) fn new(code: EngineErrorCode, message: impl fmt::Display) -> EngineError {
        let mut message = message.to_string();
        // Messages quote the request, which can be as long as 1 MiB.
        if message.len() > MAX_MESSAGE_BYTES {
            message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
            message.push('…');
        }
        EngineError { code, message }
    }

    /// A field is missing, unknown, duplicate or of the wrong type.
    pub(super) fn bad_request(message: impl fmt::Display) -> EngineError {
        EngineError::new(EngineErrorCode::BadRequest, message)
    }

    /// The number `name` is not in `min..=max`.
    pub(super) fn out_of_range(
        name: &str,
        min: impl fmt::Display,
        max: impl fmt::Display,
    ) -> EngineError {
        let message = format!("{name} is a number from {min} to {max}");
        EngineError::new(EngineErrorCode::OutOfRange, message)
    }

    pub(super) fn game_over() -> EngineError {
        EngineError::new(EngineErrorCode::GameOver, "the game is over")
    }

    pub(super) fn stopped() -> EngineError {
        EngineError::new(
            EngineErrorCode::Stopped,
            "it was stopped before it was done",
        )
    }

    /// The request needs more than this number of positions.
    pub(super) fn too_large(nodes: u64) -> EngineError {
        let message = format!("that would be more than {nodes} positions; ask for less depth");
        EngineError::new(EngineErrorCode::TooLarge, message)
    }
}

/// A line that is a JSON object.
#[derive(Debug)]
pub(super) struct EngineRequest {
    /// As it was sent.
    pub(super) id: Option<Box<RawValue>>,
    pub(super) op: Result<String, EngineError>,
    /// All other fields.
    pub(super) fields: JsonFields,
}

impl EngineRequest {
    /// Parses a line.
    pub(super) fn parse(line: &[u8]) -> Result<Self, EngineError> {
        let text = std::str::from_utf8(line)
            .map_err(|error| EngineError::new(EngineErrorCode::BadJson, error))?;
        let line: &RawValue = serde_json::from_str(text).map_err(|error| {
            // The location is in line 1 for every request, as each is parsed separately.
            EngineError::new(EngineErrorCode::BadJson, format!("no JSON: {error}"))
        })?;
        let mut fields = JsonFields::parse(line.get()).map_err(EngineError::bad_request)?;
        let id = fields.take_raw("id").map_err(EngineError::bad_request)?;
        let op = match fields.take_raw("op").map_err(EngineError::bad_request) {
            Ok(Some(op)) => serde_json::from_str(op.get())
                .map_err(|_| EngineError::bad_request("op is the name of an op")),
            Ok(None) => Err(EngineError::bad_request("the field `op` is missing")),
            Err(error) => Err(error),
        };
        Ok(EngineRequest { id, op, fields })
    }
}

/// Parses the fields of an op.
pub(super) fn parse_fields<T: serde::de::DeserializeOwned>(
    fields: JsonFields,
) -> Result<T, EngineError> {
    fields.into().map_err(EngineError::bad_request)
}

pub(super) fn in_range(name: &str, number: i64, min: i64, max: i64) -> Result<u32, EngineError> {
    let out_of_range = || EngineError::out_of_range(name, min, max);
    if !(min..=max).contains(&number) {
        return Err(out_of_range());
    }
    u32::try_from(number).map_err(|_| out_of_range())
}
