//! The ops of the engine protocol, for every registered game. Queries, which may take long, are in `query` and `solve`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::position;
use super::query::ParsedQuery;
use super::request::{EngineError, EngineErrorCode, in_range, parse_fields};
use super::{Engine, RequestContext, RequestLimits, raw};
use crate::formats::{JsonFields, NoFields};
use crate::games::engine::{KeptSolver, StepError};
use crate::games::level_ratings::LevelsJson;
use crate::games::{DealError, Registry, StartPosition};
use crate::search::StopToken;
use crate::templates::localization::Language;

/// The names of all ops.
const OPS: [&str; 13] = [
    "new", "moves", "step", "choose", "rate", "solve", "stop", "perft", "levels", "notation",
    "newgame", "result", "version",
];

/// The ops that can have several positions.
const OPS_WITH_POSITIONS: [&str; 6] = ["moves", "step", "choose", "rate", "solve", "perft"];

/// The maximum number of positions of a request.
const MAX_POSITIONS: usize = 10_000;

/// Executes an op, for each of several positions if the request has `positions`, and returns the content of `ok`.
pub(super) fn execute(
    op: &str,
    mut fields: JsonFields,
    engine: &Engine,
    kept: &mut KeptSolver,
    context: &RequestContext<'_>,
) -> Result<Box<RawValue>, EngineError> {
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    enum PositionResult {
        Ok(Box<RawValue>),
        Error(EngineError),
    }
    #[derive(Serialize)]
    struct PositionResults {
        results: Vec<PositionResult>,
    }
    let positions: Option<Vec<Box<RawValue>>> = take_optional(&mut fields, "positions")?;
    let Some(positions) = positions else {
        return execute_once(op, fields, engine, kept, context);
    };
    if !OPS_WITH_POSITIONS.contains(&op) {
        return Err(EngineError::bad_request(format!(
            "positions: only {} can have several",
            OPS_WITH_POSITIONS.join(", ")
        )));
    }
    if positions.len() > MAX_POSITIONS {
        return Err(EngineError::bad_request(format!(
            "positions: a request has at most {MAX_POSITIONS}"
        )));
    }
    for name in ["position", "history", "info"] {
        if fields.first(name).is_some() {
            return Err(EngineError::bad_request(format!(
                "positions: a request with several has no `{name}`"
            )));
        }
    }
    let actions: Option<Vec<JsonFields>> = match op {
        "step" => take_optional(&mut fields, "actions")?,
        _ => None,
    };
    let seed: Option<u64> = take_optional(&mut fields, "seed")?;
    if (actions.as_ref()).is_some_and(|actions| actions.len() != positions.len()) {
        return Err(EngineError::bad_request(
            "there are not as many actions as positions",
        ));
    }
    let results = (0..).zip(&positions).map(|(index, position)| {
        if context.stop(StopToken::new()).is_stop_requested() {
            return PositionResult::Error(EngineError::stopped());
        }
        let mut fields = fields.clone().with("position", position);
        if let Some(action) = actions.as_ref().and_then(|actions| actions.get(index)) {
            fields = fields.and(action.clone());
        }
        if let Some(seed) = seed {
            fields = fields.with("seed", &seed.wrapping_add(index as u64));
        }
        match execute_once(op, fields, engine, kept, context) {
            Ok(ok) => PositionResult::Ok(ok),
            Err(error) => PositionResult::Error(error),
        }
    });
    Ok(raw(&PositionResults {
        results: results.collect(),
    }))
}

fn execute_once(
    op: &str,
    fields: JsonFields,
    engine: &Engine,
    kept: &mut KeptSolver,
    context: &RequestContext<'_>,
) -> Result<Box<RawValue>, EngineError> {
    let Engine { games, limits, .. } = engine;
    match op {
        "new" => new(fields, games),
        "moves" => parse_fields::<MovesOp>(fields)?.answer(games),
        "step" => step(fields, games),
        "rate" => {
            let query = ParsedQuery::rate(fields, engine)?;
            query.answer(kept, &context.stop(StopToken::new()), &|_| {})
        }
        "choose" => {
            let query = ParsedQuery::choose(fields, engine)?;
            query.answer(
                kept,
                &context.stop(StopToken::with_progress()),
                context.report,
            )
        }
        "solve" => {
            let query = ParsedQuery::solve(fields, engine)?;
            query.answer(kept, &context.stop(StopToken::new()), &|_| {})
        }
        "stop" => parse_fields(fields).map(|NoFields {}| raw(&NoFields {})),
        "perft" => {
            parse_fields::<PerftOp>(fields)?.answer(games, limits, &context.stop(StopToken::new()))
        }
        "levels" => levels(fields, games),
        "notation" => parse_fields::<NotationOp>(fields)?.answer(games),
        // Their fields are for programs that learn.
        "newgame" => {
            *kept = KeptSolver::default();
            Ok(raw(&NoFields {}))
        }
        "result" => Ok(raw(&NoFields {})),
        "version" => parse_fields(fields).map(|NoFields {}| version(games)),
        _ => {
            let message = format!("no such op; there are {}", OPS.join(", "));
            Err(EngineError::new(EngineErrorCode::UnknownOp, message))
        }
    }
}

/// What this engine is and can do.
fn version(games: &Registry) -> Box<RawValue> {
    #[derive(Serialize)]
    struct EngineVersion {
        name: &'static str,
        version: &'static str,
        games: Vec<&'static str>,
        ops: [&'static str; OPS.len()],
    }
    raw(&EngineVersion {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        games: games.names(),
        ops: OPS,
    })
}

/// Takes a field, which may be missing or null.
fn take_optional<T: serde::de::DeserializeOwned>(
    fields: &mut JsonFields,
    name: &str,
) -> Result<Option<T>, EngineError> {
    let value = fields.take::<Option<T>>(name);
    Ok(value.map_err(EngineError::bad_request)?.flatten())
}

fn new(mut fields: JsonFields, games: &Registry) -> Result<Box<RawValue>, EngineError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct NewOp {
        seed: Option<u64>,
    }
    #[derive(Serialize)]
    struct DealtPosition {
        position: JsonFields,
    }
    let (kind, parameters) =
        position::take_parameters(&mut fields, games, EngineErrorCode::BadRequest)?;
    let setting = kind.configure(parameters);
    let NewOp { seed } = match &setting {
        // Report malformed parameters first.
        Err(DealError::Field(error)) => return Err(EngineError::bad_request(error)),
        _ => parse_fields(fields)?,
    };
    let setting = setting.map_err(|error| EngineError::new(EngineErrorCode::OutOfRange, error))?;
    let seed = seed.unwrap_or_else(rand::random);
    let dealt = setting.new_game(&StartPosition::Dealt(seed));
    let dealt = dealt.map_err(|error| EngineError::new(EngineErrorCode::BadPosition, error))?;
    Ok(raw(&DealtPosition {
        position: dealt.position_at(0).json(),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MovesOp {
    position: Box<RawValue>,
    successors: Option<bool>,
}

impl MovesOp {
    fn answer(&self, games: &Registry) -> Result<Box<RawValue>, EngineError> {
        let position = position::parse_position(&self.position, games)?;
        Ok(match self.successors {
            None | Some(true) => position.moves(),
            Some(false) => position.legal_actions(),
        })
    }
}

/// Plays an action, with the given dice or with dice drawn from the seed.
fn step(mut fields: JsonFields, games: &Registry) -> Result<Box<RawValue>, EngineError> {
    let position = fields
        .take_raw("position")
        .map_err(EngineError::bad_request)?;
    let position = position::required_position(position.as_deref(), games)?;
    let roll = fields.take_raw("roll").map_err(EngineError::bad_request)?;
    let seed: Option<u64> = take_optional(&mut fields, "seed")?;
    let seed = seed.unwrap_or_else(rand::random);
    let played = position.step(fields, roll.as_deref(), seed);
    let played = played.map_err(|error| match error {
        StepError::GameOver => EngineError::game_over(),
        StepError::Malformed(error) => EngineError::bad_request(error),
        StepError::Illegal(why) => EngineError::new(EngineErrorCode::IllegalAction, why),
    })?;
    Ok(raw(&played))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PerftOp {
    position: Box<RawValue>,
    depth: i64,
}

impl PerftOp {
    fn answer(
        &self,
        games: &Registry,
        limits: &RequestLimits,
        stop: &StopToken,
    ) -> Result<Box<RawValue>, EngineError> {
        #[derive(Serialize)]
        struct Nodes {
            nodes: u64,
        }
        let position = position::parse_position(&self.position, games)?;
        // The empty sequence counts as one, too.
        let plies = in_range("depth", self.depth, 0, position.max_search_plies().into())?;
        let nodes = position.perft(plies, stop.budget(limits.nodes));
        let nodes = nodes.ok_or_else(|| match stop.is_stop_requested() {
            true => EngineError::stopped(),
            false => EngineError::too_large(limits.nodes),
        });
        Ok(raw(&Nodes { nodes: nodes? }))
    }
}

/// The levels of a game with the given or default parameters.
fn levels(mut fields: JsonFields, games: &Registry) -> Result<Box<RawValue>, EngineError> {
    let (kind, parameters) =
        position::take_parameters(&mut fields, games, EngineErrorCode::BadRequest)?;
    let NoFields {} = parse_fields(fields)?;
    let setting = kind.configure(parameters).map_err(|error| match error {
        DealError::Field(error) => EngineError::bad_request(error),
        DealError::Setup(error) => EngineError::new(EngineErrorCode::OutOfRange, error),
    })?;
    let text = games.translations(Language::English);
    Ok(raw(&LevelsJson::new(&*setting, text)))
}

/// A game in one of two formats, to be returned in both.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NotationOp {
    record: Option<Box<RawValue>>,
    text: Option<String>,
}

impl NotationOp {
    fn answer(&self, games: &Registry) -> Result<Box<RawValue>, EngineError> {
        #[derive(Serialize)]
        struct Both {
            text: String,
            record: Box<RawValue>,
        }
        let game = match (&self.record, &self.text) {
            (Some(record), None) => games.read_verified_record(record.get()),
            (None, Some(text)) => games.read_verified_record(text),
            _ => {
                return Err(EngineError::bad_request("give record or text"));
            }
        };
        let (game, _) =
            game.map_err(|error| EngineError::new(EngineErrorCode::BadRecord, error))?;
        Ok(raw(&Both {
            text: game.notation(),
            record: game.live.record_json(&game.metadata),
        }))
    }
}
