//! What each op does, for every game of the registry.

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

use super::deadline;
use super::position;
use super::request::{EngineError, EngineErrorCode};
use super::{Engine, QueryCost, RequestContext, RequestLimits};
use crate::game_adapters::engine::{EngineChoice, EnginePosition, RateError, SearchRequest};
use crate::game_adapters::level_ratings::measured;
use crate::game_adapters::{DealError, JsonFields, Registry, StartPosition};
use crate::level::{Level, LevelSpec, LevelSpecError, SearchLimit};
use crate::search::StopToken;
use crate::templates::levels::level_about;
use crate::templates::localization::Language;

/// Performs an op; returns the answer's `ok`.
pub(super) fn perform(
    op: &str,
    fields: JsonFields,
    engine: &Engine,
    hearing: &RequestContext<'_>,
) -> Result<Box<RawValue>, EngineError> {
    let Engine { games, limits, .. } = engine;
    match op {
        "new" => new(fields, games),
        "moves" => asked::<MovesOp>(fields)?.answer(games),
        "rate" => {
            ParsedQuery::rate(fields, engine)?.answer(&hearing.stop(StopToken::new()), &|_| {})
        }
        "choose" => {
            let question = ParsedQuery::choose(fields, engine)?;
            question.answer(&hearing.stop(StopToken::with_progress()), hearing.tell)
        }
        "stop" => asked::<StopNow>(fields).map(|now| raw(&now)),
        "perft" => asked::<PerftOp>(fields)?.answer(games, limits, &hearing.stop(StopToken::new())),
        "levels" => levels(fields, games),
        "notation" => asked::<NotationOp>(fields)?.answer(games),
        // Answered for programs that ask, and listed nowhere until there is a solver.
        "solve" => Err(EngineError::new(
            EngineErrorCode::Unsupported,
            "there is no solver yet",
        )),
        _ => {
            let message =
                "no such op; there are new, moves, rate, choose, stop, perft, levels and notation";
            Err(EngineError::new(EngineErrorCode::UnknownOp, message))
        }
    }
}

/// The fields that an op knows.
fn asked<T: serde::de::DeserializeOwned>(fields: JsonFields) -> Result<T, EngineError> {
    let fields = fields.into();
    fields.map_err(|error| EngineError::new(EngineErrorCode::BadRequest, error))
}

fn new(mut fields: JsonFields, games: &Registry) -> Result<Box<RawValue>, EngineError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct NewOp {
        seed: Option<u64>,
    }
    #[derive(Serialize)]
    struct Dealt {
        position: JsonFields,
    }
    let (kind, parameters) = position::parameters(&mut fields, games, EngineErrorCode::BadRequest)?;
    let setting = kind.setting(parameters);
    let NewOp { seed } = match &setting {
        // Parameters that are not written as such come first.
        Err(DealError::Field(error)) => {
            return Err(EngineError::new(EngineErrorCode::BadRequest, error));
        }
        _ => asked(fields)?,
    };
    let setting = setting.map_err(|error| EngineError::new(EngineErrorCode::OutOfRange, error))?;
    let seed = seed.unwrap_or_else(rand::random);
    let dealt = setting.begin(&StartPosition::Deal(seed));
    let dealt = dealt.map_err(|error| EngineError::new(EngineErrorCode::BadPosition, error))?;
    Ok(raw(&Dealt {
        position: position::written(&*dealt),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MovesOp {
    position: Box<RawValue>,
}

impl MovesOp {
    fn answer(&self, games: &Registry) -> Result<Box<RawValue>, EngineError> {
        Ok(position::read(&self.position, games)?.moves())
    }
}

/// The fields of the op `rate`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RateOp {
    /// The position: an object, or a text in its game's notation.
    #[schema(value_type = Object)]
    position: Box<RawValue>,
    /// Which search. Dice of Doom has `book`, `expectimax` and, where nothing is rolled, `alphabeta`; Trilobite
    /// has `minimax` and `alphabeta`.
    search: String,
    /// How many plies to look ahead: 1 to 12 in Dice of Doom and 1 to 128 in Trilobite, whose `minimax` looks to
    /// the end and needs none.
    depth: Option<i64>,
}

/// The fields of the op `choose`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChooseOp {
    /// The position: an object, or a text in its game's notation.
    #[schema(value_type = Object)]
    position: Box<RawValue>,
    /// Who chooses, with a number of simulations (`master:400`) or without; default `book`.
    level: Option<String>,
    /// For so many milliseconds a level simulates; not with `nodes`. Levels that do not simulate ignore both.
    budget_ms: Option<i64>,
    /// So many simulations a level makes: the same seed, position and number give the same choice.
    nodes: Option<i64>,
    /// Chooses between equals; without it chance does.
    seed: Option<u64>,
    /// How many of the best actions are told.
    lines: Option<i64>,
    /// Whether it is told every second how far the level has come.
    #[serde(default)]
    info: bool,
}

/// What ends the work before it; there is nothing to say about it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct StopNow {}

/// More than any position of the games has actions.
pub(super) const MOST_LINES: i64 = 1_000;

/// A level that makes so many simulations as it is told answers after so long in any case.
const MOST_TIME: Duration = Duration::from_secs(600);

/// More time than any level needs for its own budget.
const USUAL_MOST: Duration = Duration::from_secs(60);

/// A question takes at least about so long: longer than a thought that needs no place in a queue.
const LEAST_EXPECTED: Duration = Duration::from_millis(20);

/// What the searches of `rate` and a level's own budget take at most, about.
const USUALLY_EXPECTED: Duration = Duration::from_millis(500);

/// What a simulation takes, about.
const SIMULATION: Duration = Duration::from_micros(50);

/// How much a level may compute, and after which time it has to answer in any case.
#[derive(Clone, Copy)]
struct ComputeAllowance {
    effort: SearchLimit,
    time: Duration,
}

/// A question about a position that was read and checked.
pub(super) struct ParsedQuery {
    spot: Box<dyn EnginePosition>,
    asked: QueryKind,
}

enum QueryKind {
    Rate {
        search: String,
        depth: Option<i64>,
        limits: RequestLimits,
    },
    Choose {
        level: Level,
        allowance: ComputeAllowance,
        seed: u64,
        lines: Option<usize>,
        info: bool,
    },
}

impl ParsedQuery {
    pub(super) fn rate(fields: JsonFields, engine: &Engine) -> Result<Self, EngineError> {
        let RateOp {
            position,
            search,
            depth,
        } = asked(fields)?;
        Ok(ParsedQuery {
            spot: position::read(&position, &engine.games)?,
            asked: QueryKind::Rate {
                search,
                depth,
                limits: engine.limits,
            },
        })
    }

    pub(super) fn choose(fields: JsonFields, engine: &Engine) -> Result<Self, EngineError> {
        let line: ChooseOp = asked(fields)?;
        let strength = match &line.level {
            Some(name) => name.parse().map_err(|unknown: LevelSpecError| {
                EngineError::new(EngineErrorCode::UnknownLevel, unknown)
            })?,
            None => LevelSpec::from(engine.level),
        };
        let allowance = line.allowance(strength, &engine.limits)?;
        let lines = match line.lines {
            Some(lines) => Some(in_range("lines", lines, 1, MOST_LINES)? as usize),
            None => None,
        };
        Ok(ParsedQuery {
            spot: position::read(&line.position, &engine.games)?,
            asked: QueryKind::Choose {
                level: strength.level,
                allowance,
                seed: line.seed.unwrap_or_else(rand::random),
                lines,
                info: line.info,
            },
        })
    }

    /// Whether it asks to be told how far a level has come.
    pub(super) const fn wants_info(&self) -> bool {
        matches!(self.asked, QueryKind::Choose { info: true, .. })
    }

    pub(super) fn cost(&self) -> QueryCost {
        let (threads, bytes, expected) = match &self.asked {
            QueryKind::Rate { .. } => (1, 0, USUALLY_EXPECTED),
            QueryKind::Choose {
                level, allowance, ..
            } => {
                let (threads, bytes) = self.spot.cost(*level, allowance.effort);
                let expected = match allowance.effort {
                    SearchLimit::Usual if *level == Level::Champion => USUALLY_EXPECTED,
                    SearchLimit::Usual => LEAST_EXPECTED,
                    SearchLimit::Simulations(simulations) => {
                        let simulations = u32::try_from(simulations.get()).unwrap_or(u32::MAX);
                        SIMULATION.saturating_mul(simulations)
                    }
                    SearchLimit::UntilStopped => allowance.time,
                };
                (threads, bytes, expected.max(LEAST_EXPECTED))
            }
        };
        QueryCost {
            threads,
            bytes,
            expected,
        }
    }

    /// The answer; with a watched flag it tells how many simulations were made, and `tell` hears every
    /// second how far a level has come, if it was asked to.
    pub(super) fn answer(
        &self,
        stop: &StopToken,
        tell: &(dyn Fn(Box<RawValue>) + Sync),
    ) -> Result<Box<RawValue>, EngineError> {
        let spot = &*self.spot;
        match &self.asked {
            QueryKind::Rate {
                search,
                depth,
                limits,
            } => rated(spot, search, *depth, limits, stop),
            QueryKind::Choose {
                level,
                allowance: ComputeAllowance { effort, time },
                seed,
                lines,
                info,
            } => {
                let begun = Instant::now();
                let told = |chosen: EngineChoice| {
                    let elapsed_ms = in_ms(begun.elapsed());
                    raw(&ChosenJson { chosen, elapsed_ms })
                };
                let watch = stop.watch();
                let look = || {
                    let Some(watch) = watch else { return };
                    if let Some(so_far) = watch.take().and_then(|seen| spot.so_far(&seen, *lines)) {
                        tell(told(so_far));
                    }
                    watch.request();
                };
                if let Some(watch) = watch.filter(|_| *info) {
                    watch.request();
                }
                let look = info.then_some(look);
                let chosen = deadline::within(*time, stop, look, |stop| {
                    spot.choose(*level, *effort, *seed, stop, *lines)
                });
                let over = || EngineError::new(EngineErrorCode::GameOver, "the game is over");
                Ok(told(chosen.ok_or_else(over)?))
            }
        }
    }
}

#[derive(Serialize)]
struct ChosenJson {
    #[serde(flatten)]
    chosen: EngineChoice,
    elapsed_ms: f64,
}

fn rated(
    spot: &dyn EnginePosition,
    search: &str,
    depth: Option<i64>,
    limits: &RequestLimits,
    stop: &StopToken,
) -> Result<Box<RawValue>, EngineError> {
    let ratings = spot.rate(&SearchRequest {
        search,
        depth,
        most_nodes: limits.nodes,
        stop,
    });
    let ratings = ratings.map_err(|why| match why {
        RateError::TooLarge | RateError::WholeTreeTooLarge(_) if stop.is_stop_requested() => stopped(),
        RateError::WholeTreeTooLarge(instead) => {
            let nodes = limits.nodes;
            let message = format!(
                "{search} looks to the end of the game, whatever the depth: that would be more than {nodes} positions; {instead}"
            );
            EngineError::new(EngineErrorCode::TooLarge, message)
        }
        RateError::Unsupported(message) => EngineError::new(EngineErrorCode::Unsupported, message),
        RateError::NoDepth => EngineError::new(EngineErrorCode::BadRequest, "the field `depth` is missing"),
        RateError::Depth { most } => EngineError::range("depth", 1, most),
        RateError::TooLarge => too_large(limits),
    })?;
    Ok(raw(&ratings))
}

impl ChooseOp {
    fn allowance(
        &self,
        strength: LevelSpec,
        limits: &RequestLimits,
    ) -> Result<ComputeAllowance, EngineError> {
        let budget = match self.budget_ms {
            Some(ms) => Some(in_range("budget_ms", ms, 1, limits.budget_ms.into())?),
            None => None,
        };
        let most = limits.simulations;
        let within = |nodes: NonZeroU64| Some(nodes).filter(|nodes| nodes.get() <= most);
        let out_of_range = || EngineError::range("nodes", 1, most);
        let nodes = match self.nodes {
            Some(nodes) => {
                let nodes = u64::try_from(nodes).ok().and_then(NonZeroU64::new);
                Some(nodes.and_then(within).ok_or_else(out_of_range)?)
            }
            None => None,
        };
        let nodes = match (nodes, strength.simulations) {
            (nodes, None) => nodes,
            (None, Some(named)) => Some(within(named).ok_or_else(out_of_range)?),
            (Some(_), Some(_)) => {
                let message = "give nodes or a level with simulations, not both";
                return Err(EngineError::new(EngineErrorCode::BadRequest, message));
            }
        };
        let (effort, time) = match (budget, nodes) {
            (None, None) => (SearchLimit::Usual, USUAL_MOST),
            (Some(ms), None) => (SearchLimit::UntilStopped, Duration::from_millis(ms.into())),
            (None, Some(nodes)) => (SearchLimit::Simulations(nodes), MOST_TIME),
            (Some(_), Some(_)) => {
                let message = "give budget_ms or nodes, not both";
                return Err(EngineError::new(EngineErrorCode::BadRequest, message));
            }
        };
        Ok(ComputeAllowance { effort, time })
    }
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
        let spot = position::read(&self.position, games)?;
        // The empty sequence is one, too.
        let plies = in_range("depth", self.depth, 0, spot.most_plies().into())?;
        let nodes = spot.perft(plies, stop.budget(limits.nodes));
        let nodes = nodes.ok_or_else(|| match stop.is_stop_requested() {
            true => stopped(),
            false => too_large(limits),
        });
        Ok(raw(&Nodes { nodes: nodes? }))
    }
}

/// The levels of a game, with its usual numbers or those that are named. Every level plays every game.
fn levels(mut fields: JsonFields, games: &Registry) -> Result<Box<RawValue>, EngineError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    #[derive(Serialize)]
    struct LevelsAnswer {
        levels: Vec<LevelsAnswerRow>,
    }
    #[derive(Serialize)]
    struct LevelsAnswerRow {
        name: &'static str,
        description: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        rating: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        book: Option<f64>,
    }
    let (kind, parameters) = position::parameters(&mut fields, games, EngineErrorCode::BadRequest)?;
    let Nothing {} = asked(fields)?;
    let setting = kind.setting(parameters).map_err(|error| match error {
        DealError::Field(error) => EngineError::new(EngineErrorCode::BadRequest, error),
        DealError::Setup(error) => EngineError::new(EngineErrorCode::OutOfRange, error),
    })?;
    let text = games.translations(Language::English);
    let measured = measured(&*setting);
    let levels = Level::ALL.into_iter().map(|level| {
        let rung = measured.and_then(|measured| measured.level_rating(level));
        LevelsAnswerRow {
            name: level.name(),
            description: level_about(text, setting.way(), level.name()),
            rating: rung.and_then(|rung| rung.rating).map(|found| found.mean),
            book: rung.and_then(|rung| rung.book).map(|found| found.mean),
        }
    });
    Ok(raw(&LevelsAnswer {
        levels: levels.collect(),
    }))
}

/// A game in one form, to be written in both.
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
                return Err(EngineError::new(
                    EngineErrorCode::BadRequest,
                    "give record or text",
                ));
            }
        };
        let (game, _) =
            game.map_err(|error| EngineError::new(EngineErrorCode::BadRecord, error))?;
        Ok(raw(&Both {
            text: game.notation(),
            record: game.live.record_json(&game.about),
        }))
    }
}

fn in_range(name: &str, number: i64, least: i64, most: i64) -> Result<u32, EngineError> {
    let out_of_range = || EngineError::range(name, least, most);
    if !(least..=most).contains(&number) {
        return Err(out_of_range());
    }
    u32::try_from(number).map_err(|_| out_of_range())
}

fn stopped() -> EngineError {
    EngineError::new(
        EngineErrorCode::Stopped,
        "it was stopped before it was done",
    )
}

fn too_large(limits: &RequestLimits) -> EngineError {
    let message = format!(
        "that would be more than {} positions; ask for less depth",
        limits.nodes
    );
    EngineError::new(EngineErrorCode::TooLarge, message)
}

/// A duration in milliseconds, to the microsecond.
fn in_ms(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

fn raw(answer: &impl Serialize) -> Box<RawValue> {
    to_raw_value(answer).expect("answers are plain values with names for keys")
}
