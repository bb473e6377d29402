//! Positions of every game, as requests write them and answers show them: the game's name, its
//! parameters and the position in one object.

use std::fmt;

use serde_json::value::RawValue;

use super::request::{EngineError, EngineErrorCode};
use crate::game_adapters::engine::EnginePosition;
use crate::game_adapters::{GameType, JsonFields, LiveGame, Registry};

/// Takes the name and the parameters of a game out of an object's fields.
///
/// # Errors
/// With the code given, and [`EngineErrorCode::UnknownGame`].
pub(super) fn parameters<'r>(
    fields: &mut JsonFields,
    games: &'r Registry,
    code: EngineErrorCode,
) -> Result<(&'r dyn GameType, JsonFields), EngineError> {
    let name = fields.first("game");
    let name = name.ok_or_else(|| EngineError::new(code, "the field `game` is missing"))?;
    let kind = game_named(name, games)?;
    // The name alone: a second one is an error.
    let name = fields.take_raw("game");
    name.map_err(|twice| EngineError::new(code, twice))?;
    Ok((kind, fields.split(kind.parameter_names())))
}

/// The game of this name.
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

/// Reads and checks a position.
pub(super) fn read(
    written: &RawValue,
    games: &Registry,
) -> Result<Box<dyn EnginePosition>, EngineError> {
    const CODE: EngineErrorCode = EngineErrorCode::BadPosition;
    let short: Option<String> = serde_json::from_str(written.get()).ok();
    let fields = match short {
        Some(text) => {
            let found = games.position_fields(&text);
            found.map_err(impossible)
        }
        None => JsonFields::read(written.get()).map_err(impossible),
    };
    let mut fields = fields?;
    let (kind, parameters) = parameters(&mut fields, games, CODE)?;
    let setting = kind.setting(parameters).map_err(impossible)?;
    setting.spot(fields).map_err(impossible)
}

fn impossible(error: impl fmt::Display) -> EngineError {
    EngineError::new(EngineErrorCode::BadPosition, error)
}

/// The start of a game with its parameters.
pub(super) fn written(dealt: &dyn LiveGame) -> JsonFields {
    let start = JsonFields::read(&dealt.start_text());
    dealt.parameters().and(start.expect("a start is an object"))
}
