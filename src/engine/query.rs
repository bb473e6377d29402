//! Queries about a position: the ops `rate`, `choose` and `solve`.

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::deadline::{self, compute_ms};
use super::position;
use super::request::{EngineError, EngineErrorCode, in_range, parse_fields};
use super::solve::{SolveOp, SolveQuery};
use super::{Engine, QueryCost, RequestLimits, raw};
use crate::formats::JsonFields;
use crate::games::GamePosition;
use crate::games::engine::{EngineChoice, KeptSolver, RateError, SearchRequest};
use crate::level::{Level, LevelSpec, LevelSpecError, SearchLimit};
use crate::search::StopToken;

/// The fields of the op `rate`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateOp {
    /// The position: an object, or a string in notation.
    position: Box<RawValue>,
    /// The search: `book`, `expectimax` or, without dice (`v1` to `v3`), `alphabeta` in Dice of Doom; `minimax` or
    /// `alphabeta` in Trilobite.
    search: String,
    /// Search depth in plies, 1 to 12 in Dice of Doom and 1 to 128 in Trilobite. Required, except with `minimax`, which
    /// searches to the end of the game.
    depth: Option<i64>,
}

/// The fields of the op `choose`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChooseOp {
    /// The position: an object, or a string in notation. Optional if `history` is a record; default: its last position.
    position: Option<Box<RawValue>>,
    /// The game so far, from which `master` and `champion` learn how the other players play: a record (an object, or a
    /// string in notation), or a list of the earlier decisions, oldest first, each an object with the `position` before
    /// it and the action. Default: none.
    history: Option<Box<RawValue>>,
    /// The level that chooses, optionally with its number of simulations, as in `master:400`. Default: `book`.
    level: Option<String>,
    /// The search time in milliseconds. Cannot be combined with `nodes`. Used only by levels that search by simulation,
    /// and by `perfect`. Default: the level's own number of simulations.
    budget_ms: Option<i64>,
    /// The number of simulations (of `perfect`: positions). Cannot be combined with `budget_ms`, or with a number of
    /// simulations in `level`. The same position, history, level, `nodes` and `seed` give the same choice.
    nodes: Option<i64>,
    /// The clock of the player who chooses; the engine takes a part of its time, unless it has `budget_ms` or `nodes`.
    clock: Option<EngineClock>,
    /// The seed of levels that choose at random. Default: random.
    seed: Option<u64>,
    /// The number of the best actions to list. Default: none.
    lines: Option<i64>,
    /// Whether progress is reported every second.
    #[serde(default)]
    info: bool,
}

/// The clock of a player.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineClock {
    /// The time left for the whole game, in milliseconds.
    remaining_ms: u64,
    /// The time added after each action, in milliseconds.
    #[serde(default)]
    increment_ms: u64,
}

impl EngineClock {
    /// The time for the next action: most of the increment and a thirtieth of the rest, less than what is left.
    const fn move_time_ms(self) -> u64 {
        let time = self.remaining_ms / 30 + self.increment_ms / 4 * 3;
        let most = self.remaining_ms / 2;
        let time = if time < most { time } else { most };
        if time > 0 { time } else { 1 }
    }
}

/// More than the legal actions of any position.
pub(super) const MAX_LINES: i64 = 1_000;

/// The time limit of a level with a given number of simulations.
const MAX_SIMULATION_TIME: Duration = Duration::from_secs(600);

/// The time limit of a level with its own budget; more than any level needs.
const MAX_DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Minimum estimate of a query: longer than a search that needs no compute slot.
const MIN_EXPECTED: Duration = Duration::from_millis(20);

/// Estimated maximum for the searches of `rate` and for the level champion.
const DEFAULT_EXPECTED: Duration = Duration::from_millis(500);

/// Estimated maximum for the level perfect.
const PERFECT_EXPECTED: Duration = Duration::from_secs(1);

/// Estimated time of one simulation.
const EXPECTED_PER_SIMULATION: Duration = Duration::from_micros(50);

/// The interval of progress reports in ticks: one second.
const TICKS_PER_REPORT: u32 = 10;

/// The tick before a report, at which the search is asked for its progress.
const REQUEST_TICK: u32 = TICKS_PER_REPORT - 1;

/// The search limit of a level, and its time limit.
#[derive(Clone, Copy)]
struct ComputeAllowance {
    limit: SearchLimit,
    time: Duration,
}

/// A validated query about a position.
pub(super) struct ParsedQuery {
    position: Box<dyn GamePosition>,
    kind: QueryKind,
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
    Solve(SolveQuery),
}

impl ParsedQuery {
    pub(super) fn rate(fields: JsonFields, engine: &Engine) -> Result<Self, EngineError> {
        let RateOp {
            position,
            search,
            depth,
        } = parse_fields(fields)?;
        Ok(ParsedQuery {
            position: position::parse_position(&position, &engine.games)?,
            kind: QueryKind::Rate {
                search,
                depth,
                limits: engine.limits,
            },
        })
    }

    pub(super) fn choose(fields: JsonFields, engine: &Engine) -> Result<Self, EngineError> {
        let line: ChooseOp = parse_fields(fields)?;
        let strength = match &line.level {
            Some(name) => name.parse().map_err(|unknown: LevelSpecError| {
                EngineError::new(EngineErrorCode::UnknownLevel, unknown)
            })?,
            None => LevelSpec::from(engine.level),
        };
        let allowance = line.allowance(strength, &engine.limits)?;
        let lines = match line.lines {
            Some(lines) => Some(in_range("lines", lines, 1, MAX_LINES)? as usize),
            None => None,
        };
        let position = position::position_with_history(
            line.position.as_deref(),
            line.history.as_deref(),
            &engine.games,
        )?;
        let has_level = position.configured_game().check_level(strength.level);
        has_level.map_err(|missing| EngineError::new(EngineErrorCode::UnknownLevel, missing))?;
        Ok(ParsedQuery {
            position,
            kind: QueryKind::Choose {
                level: strength.level,
                allowance,
                seed: line.seed.unwrap_or_else(rand::random),
                lines,
                info: line.info,
            },
        })
    }

    pub(super) fn solve(fields: JsonFields, engine: &Engine) -> Result<Self, EngineError> {
        let line: SolveOp = parse_fields(fields)?;
        Ok(ParsedQuery {
            position: position::parse_position(&line.position, &engine.games)?,
            kind: QueryKind::Solve(SolveQuery::new(&line, &engine.limits)?),
        })
    }

    pub(super) fn cost(&self) -> QueryCost {
        let (threads, bytes, expected) = match &self.kind {
            QueryKind::Rate { .. } => (1, 0, DEFAULT_EXPECTED),
            QueryKind::Solve(query) => query.cost(),
            QueryKind::Choose {
                level, allowance, ..
            } => {
                let (threads, bytes) = self.position.cost(*level, allowance.limit);
                let expected = match allowance.limit {
                    SearchLimit::Default => match level {
                        Level::Perfect => PERFECT_EXPECTED,
                        Level::Champion => DEFAULT_EXPECTED,
                        _ => MIN_EXPECTED,
                    },
                    SearchLimit::Simulations(simulations) => {
                        let simulations = u32::try_from(simulations.get()).unwrap_or(u32::MAX);
                        EXPECTED_PER_SIMULATION.saturating_mul(simulations)
                    }
                    SearchLimit::Infinite => allowance.time,
                };
                (threads, bytes, expected.max(MIN_EXPECTED))
            }
        };
        QueryCost {
            threads,
            bytes,
            expected,
        }
    }

    /// The response. With progress attached to `stop` it contains the number of simulations, and `report` is
    /// called every second if the query requests it.
    pub(super) fn answer(
        &self,
        kept: &mut KeptSolver,
        stop: &StopToken,
        report: &(dyn Fn(Box<RawValue>) + Sync),
    ) -> Result<Box<RawValue>, EngineError> {
        let position = &*self.position;
        match &self.kind {
            QueryKind::Rate {
                search,
                depth,
                limits,
            } => rate(position, search, *depth, limits, stop),
            QueryKind::Solve(query) => Ok(raw(&query.answer(position, kept, stop)?)),
            QueryKind::Choose {
                level,
                allowance: ComputeAllowance { limit, time },
                seed,
                lines,
                info,
            } => {
                let start = Instant::now();
                let response = |chosen: EngineChoice| {
                    let elapsed_ms = compute_ms(start, stop);
                    raw(&ChosenJson { chosen, elapsed_ms })
                };
                let progress = stop.progress();
                // A search publishes its progress a moment after it is requested.
                let mut ticks = 0;
                let report_progress = || {
                    let Some(progress) = progress else { return };
                    ticks += 1;
                    match ticks % TICKS_PER_REPORT {
                        0 => {
                            let seen = progress.take();
                            let so_far =
                                seen.and_then(|seen| position.current_choice(&seen, *lines));
                            if let Some(so_far) = so_far {
                                report(response(so_far));
                            }
                        }
                        REQUEST_TICK => progress.request(),
                        _ => {}
                    }
                };
                let report_progress = info.then_some(report_progress);
                let chosen = deadline::run_with_deadline(*time, stop, report_progress, |stop| {
                    position.choose(*level, *limit, *seed, stop, *lines)
                });
                Ok(response(chosen.ok_or_else(EngineError::game_over)?))
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

fn rate(
    position: &dyn GamePosition,
    search: &str,
    depth: Option<i64>,
    limits: &RequestLimits,
    stop: &StopToken,
) -> Result<Box<RawValue>, EngineError> {
    let ratings = position.run_search(&SearchRequest {
        search,
        depth,
        max_nodes: limits.nodes,
        stop,
    });
    let ratings = ratings.map_err(|error| match error {
        RateError::TooLarge | RateError::WholeTreeTooLarge(_) if stop.is_stop_requested() => EngineError::stopped(),
        RateError::WholeTreeTooLarge(instead) => {
            let nodes = limits.nodes;
            let message = format!(
                "{search} looks to the end of the game, whatever the depth: that would be more than {nodes} positions; {instead}"
            );
            EngineError::new(EngineErrorCode::TooLarge, message)
        }
        RateError::Unsupported(message) => EngineError::new(EngineErrorCode::Unsupported, message),
        RateError::NoDepth => EngineError::bad_request("the field `depth` is missing"),
        RateError::Depth { most } => EngineError::out_of_range("depth", 1, most),
        RateError::TooLarge => EngineError::too_large(limits.nodes),
    })?;
    Ok(raw(&ratings))
}

impl ChooseOp {
    /// The fields that a query outside the line protocol does not have.
    pub const LINE_PROTOCOL_FIELDS: [&str; 2] = ["info", "clock"];

    fn allowance(
        &self,
        strength: LevelSpec,
        limits: &RequestLimits,
    ) -> Result<ComputeAllowance, EngineError> {
        let budget = match self.budget_ms {
            Some(ms) => Some(in_range("budget_ms", ms, 1, limits.budget_ms.into())?),
            None => None,
        };
        let max = limits.simulations;
        let within = |nodes: NonZeroU64| Some(nodes).filter(|nodes| nodes.get() <= max);
        let out_of_range = || EngineError::out_of_range("nodes", 1, max);
        let nodes = match self.nodes {
            Some(nodes) => {
                let nodes = u64::try_from(nodes).ok().and_then(NonZeroU64::new);
                Some(nodes.and_then(within).ok_or_else(out_of_range)?)
            }
            None => None,
        };
        let nodes = match (nodes, strength.simulations) {
            (nodes, None) => nodes,
            (None, Some(simulations)) => Some(within(simulations).ok_or_else(out_of_range)?),
            (Some(_), Some(_)) => {
                let message = "give nodes or a level with simulations, not both";
                return Err(EngineError::bad_request(message));
            }
        };
        let clock = self.clock.filter(|_| budget.is_none() && nodes.is_none());
        let budget = budget.or(clock.map(|clock| {
            let most = limits.budget_ms;
            u32::try_from(clock.move_time_ms())
                .unwrap_or(most)
                .min(most)
        }));
        let (limit, time) = match (budget, nodes) {
            (None, None) => (SearchLimit::Default, MAX_DEFAULT_TIME),
            (Some(ms), None) => (SearchLimit::Infinite, Duration::from_millis(ms.into())),
            (None, Some(nodes)) => (SearchLimit::Simulations(nodes), MAX_SIMULATION_TIME),
            (Some(_), Some(_)) => {
                let message = "give budget_ms or nodes, not both";
                return Err(EngineError::bad_request(message));
            }
        };
        Ok(ComputeAllowance { limit, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fields: &str, expected: Option<u64>) {
        let line = format!(r#"{{"position":{{}},{fields}}}"#);
        let line: ChooseOp = serde_json::from_str(&line).unwrap();
        let strength = LevelSpec::from(Level::Master);
        let limits = RequestLimits::default();
        let Ok(allowance) = line.allowance(strength, &limits) else {
            panic!("{fields}");
        };
        let time = matches!(allowance.limit, SearchLimit::Infinite).then_some(allowance.time);
        assert_eq!(time, expected.map(Duration::from_millis), "{fields}");
    }

    #[test]
    fn a_part_of_the_clock_is_the_time_of_an_action() {
        check(
            r#""clock":{"remaining_ms":60000,"increment_ms":1000}"#,
            Some(2_750),
        );
        check(r#""clock":{"remaining_ms":60000}"#, Some(2_000));
        check(
            r#""clock":{"remaining_ms":100,"increment_ms":1000}"#,
            Some(50),
        );
        check(r#""clock":{"remaining_ms":0}"#, Some(1));
        check(r#""clock":{"remaining_ms":60000},"budget_ms":7"#, Some(7));
        check(r#""clock":{"remaining_ms":60000},"nodes":7"#, None);
        check(r#""seed":1"#, None);
    }
}
