//! The op `solve`: the score of a position under perfect play.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::RequestLimits;
use super::deadline::{compute_ms, run_with_deadline};
use super::request::{EngineError, EngineErrorCode, in_range};
use crate::games::GamePosition;
use crate::games::engine::{KeptSolver, ProvenScore, SolveError, SolveRequest};
use crate::search::StopToken;

/// The fields of the op `solve`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolveOp {
    /// The position: an object, or a string in notation. Its game must have a solver.
    pub(super) position: Box<RawValue>,
    /// Whether to return the score after a chip in each column, too. Default: false.
    #[serde(default)]
    each: bool,
    /// Whether positions in the built-in opening book are looked up instead of searched. Not every board size has an
    /// opening book.
    book: Option<bool>,
    /// Whether the table of earlier searches is cleared first.
    #[serde(default)]
    fresh: bool,
    /// The maximum number of positions to search. Default: the highest allowed value.
    nodes: Option<i64>,
    /// The maximum search time in milliseconds. Default: the highest allowed value.
    budget_ms: Option<i64>,
}

impl SolveOp {
    /// The fields that a query outside the line protocol does not have.
    pub const LINE_PROTOCOL_FIELDS: [&str; 1] = ["fresh"];
}

/// The result of the solver.
#[derive(Serialize)]
pub struct SolvedJson {
    /// The score of the position.
    score: ProvenScore,
    /// The score after a chip in each column, from the left; null for a full column. Present if `each` was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<Option<ProvenScore>>>,
    /// The number of positions searched.
    nodes: u64,
    /// The search time in milliseconds.
    elapsed_ms: f64,
}

/// Estimated time of a position that the solver searches.
const EXPECTED_PER_SOLVER_NODE: Duration = Duration::from_nanos(500);

/// A validated op.
pub(super) struct SolveQuery {
    each: bool,
    book: bool,
    fresh: bool,
    max_nodes: u64,
    table_bytes: usize,
    time: Duration,
}

impl SolveQuery {
    pub(super) fn new(line: &SolveOp, limits: &RequestLimits) -> Result<Self, EngineError> {
        let max_nodes = match line.nodes.map(u64::try_from) {
            None => limits.nodes,
            Some(Ok(nodes)) if (1..=limits.nodes).contains(&nodes) => nodes,
            Some(_) => return Err(EngineError::out_of_range("nodes", 1, limits.nodes)),
        };
        let budget_ms = line.budget_ms.unwrap_or(limits.budget_ms.into());
        let budget_ms = in_range("budget_ms", budget_ms, 1, limits.budget_ms.into())?;
        Ok(SolveQuery {
            each: line.each,
            book: line.book.unwrap_or(true),
            fresh: line.fresh,
            max_nodes,
            table_bytes: limits.table_bytes,
            time: Duration::from_millis(budget_ms.into()),
        })
    }

    /// The threads, the bytes and the estimated time.
    pub(super) fn cost(&self) -> (usize, usize, Duration) {
        let nodes = u32::try_from(self.max_nodes).unwrap_or(u32::MAX);
        let expected = EXPECTED_PER_SOLVER_NODE.saturating_mul(nodes);
        (1, self.table_bytes, expected.min(self.time))
    }

    pub(super) fn answer(
        &self,
        position: &dyn GamePosition,
        kept: &mut KeptSolver,
        stop: &StopToken,
    ) -> Result<SolvedJson, EngineError> {
        let start = Instant::now();
        let tick: Option<fn()> = None;
        let solved = run_with_deadline(self.time, stop, tick, |stop| {
            let request = SolveRequest {
                each: self.each,
                book: self.book,
                fresh: self.fresh,
                max_nodes: self.max_nodes,
                table_bytes: self.table_bytes,
                stop,
            };
            position.solve(kept, &request)
        });
        let solved = solved.map_err(|error| match error {
            SolveError::NoSolver => {
                EngineError::new(EngineErrorCode::Unsupported, "this game has no solver")
            }
            SolveError::GameOver => EngineError::game_over(),
        })?;
        Ok(SolvedJson {
            score: solved.score,
            scores: solved.scores,
            nodes: solved.nodes,
            elapsed_ms: compute_ms(start, stop),
        })
    }
}
