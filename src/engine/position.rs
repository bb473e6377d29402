//! Positions in requests and responses: one object with the game's name, its parameters and the position.

use std::fmt;

use serde_json::value::RawValue;

use super::request::{EngineError, EngineErrorCode};
use crate::formats::fields::from_json;
use crate::formats::{FieldError, JsonFields};
use crate::games::GamePosition;
use crate::games::{GameType, Registry};

/// Takes the name and the parameters of a game out of an object's fields.
///
/// # Errors
/// With the given code, or [`EngineErrorCode::UnknownGame`].
pub(super) fn take_parameters<'r>(
    fields: &mut JsonFields,
    games: &'r Registry,
    code: EngineErrorCode,
) -> Result<(&'r dyn GameType, JsonFields), EngineError> {
    let name = fields.first("game");
    let name = name.ok_or_else(|| EngineError::new(code, "the field `game` is missing"))?;
    let kind = game_named(name, games)?;
    // Only the name: a duplicate field is an error.
    let name = fields.take_raw("game");
    name.map_err(|error| EngineError::new(code, error))?;
    Ok((kind, fields.split(kind.parameter_names())))
}

pub(super) fn game_named<'r>(
    name: &RawValue,
    games: &'r Registry,
) -> Result<&'r dyn GameType, EngineError> {
    let name: Option<String> = serde_json::from_str(name.get()).ok();
    let named = name.and_then(|name| games.game_type(&name).ok());
    named.ok_or_else(|| {
        let message = format!("no such game; there are {}", games.joined_names("and"));
        EngineError::new(EngineErrorCode::UnknownGame, message)
    })
}

/// Parses and validates a position.
pub(super) fn parse_position(
    json: &RawValue,
    games: &Registry,
) -> Result<Box<dyn GamePosition>, EngineError> {
    let mut fields = position_fields(json, games).map_err(bad_position)?;
    let (kind, parameters) = take_parameters(&mut fields, games, EngineErrorCode::BadPosition)?;
    let setting = kind.configure(parameters).map_err(bad_position)?;
    setting.position(fields).map_err(bad_position)
}

/// Parses and validates a position that a request must have.
pub(super) fn required_position(
    json: Option<&RawValue>,
    games: &Registry,
) -> Result<Box<dyn GamePosition>, EngineError> {
    let json = json.ok_or_else(|| EngineError::bad_request("the field `position` is missing"))?;
    parse_position(json, games)
}

/// Parses and validates a position together with the game so far: a record, or a list of decisions.
pub(super) fn position_with_history(
    position: Option<&RawValue>,
    history: Option<&RawValue>,
    games: &Registry,
) -> Result<Box<dyn GamePosition>, EngineError> {
    let Some(history) = history else {
        return required_position(position, games);
    };
    if !history.get().starts_with('[') {
        return position_of_record(position, history, games);
    }
    let decisions: Vec<JsonFields> = from_json(history.get())
        .map_err(|error| EngineError::bad_request(error.within("history")))?;
    let mut position = required_position(position, games)?;
    for (number, mut fields) in decisions.into_iter().enumerate() {
        let decision = fields.take_raw("position").and_then(|before| {
            let before = before.ok_or("the field `position` is missing")?;
            position.add_decision(position_fields(&before, games)?, fields)
        });
        decision.map_err(|error| bad_history(format!("decision {number}: {error}")))?;
    }
    Ok(position)
}

fn position_of_record(
    position: Option<&RawValue>,
    record: &RawValue,
    games: &Registry,
) -> Result<Box<dyn GamePosition>, EngineError> {
    let notation: Option<String> = serde_json::from_str(record.get()).ok();
    let read = games.read_record(notation.as_deref().unwrap_or(record.get()));
    let live = read.map_err(bad_history)?.live;
    if live.is_over() {
        return Err(EngineError::game_over());
    }
    let reached = live.position_with_decisions();
    if let Some(position) = position
        && parse_position(position, games)?.json() != reached.json()
    {
        return Err(bad_history("the record leads to another position"));
    }
    Ok(reached)
}

/// The fields of a position: of an object, or of a text in its game's notation.
fn position_fields(json: &RawValue, games: &Registry) -> Result<JsonFields, FieldError> {
    let notation: Option<String> = serde_json::from_str(json.get()).ok();
    match notation {
        Some(text) => games
            .position_fields(&text)
            .map_err(|error| FieldError(error.to_string())),
        None => JsonFields::parse(json.get()),
    }
}

fn bad_history(error: impl fmt::Display) -> EngineError {
    EngineError::new(EngineErrorCode::BadRecord, format_args!("history: {error}"))
}

fn bad_position(error: impl fmt::Display) -> EngineError {
    EngineError::new(EngineErrorCode::BadPosition, error)
}
