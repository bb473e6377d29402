//! Positions in requests and responses: one object with the game's name, its parameters and the position.

use std::fmt;

use serde_json::value::RawValue;

use super::request::{EngineError, EngineErrorCode};
use crate::game_adapters::engine::EnginePosition;
use crate::game_adapters::{GameType, JsonFields, LiveGame, Registry};

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
) -> Result<Box<dyn EnginePosition>, EngineError> {
    const CODE: EngineErrorCode = EngineErrorCode::BadPosition;
    let compact: Option<String> = serde_json::from_str(json.get()).ok();
    let fields = match compact {
        Some(text) => {
            let fields = games.position_fields(&text);
            fields.map_err(bad_position)
        }
        None => JsonFields::parse(json.get()).map_err(bad_position),
    };
    let mut fields = fields?;
    let (kind, parameters) = take_parameters(&mut fields, games, CODE)?;
    let setting = kind.configure(parameters).map_err(bad_position)?;
    setting.engine_position(fields).map_err(bad_position)
}

fn bad_position(error: impl fmt::Display) -> EngineError {
    EngineError::new(EngineErrorCode::BadPosition, error)
}

/// The start position of a game with its parameters.
pub(super) fn start_fields(dealt: &dyn LiveGame) -> JsonFields {
    let start = JsonFields::parse(&dealt.start_json());
    dealt
        .parameters()
        .and(start.expect("a start position is an object"))
}
