//! The engine protocol: JSON lines over stdin and stdout for bots, scripts and measurements, comparable to UCI
//! in chess.
//!
//! `docs/engine.md` specifies the ops, their fields and the errors. An invalid line never ends the program; the end of
//! the input does.
//!
//! ```
//! use dice_of_doom::engine::{Engine, RequestLimits};
//! use dice_of_doom::games::Registry;
//!
//! let mut engine = Engine::new(Registry::builtin(), RequestLimits::default());
//! let answer = engine.answer(br#"{"id":7,"op":"levels","game":"dice"}"#);
//! assert!(answer.starts_with(r#"{"id":7,"ok":{"levels":[{"name":"novice","#));
//! let answer = engine.answer(br#"{"id":8,"op":"dance"}"#);
//! assert!(answer.starts_with(r#"{"id":8,"error":{"code":"unknown-op","#));
//! ```

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::formats::JsonFields;
use crate::games::Registry;
use crate::games::engine::KeptSolver;
use crate::level::Level;
use crate::lines::MAX_LINE_BYTES;
use crate::search::StopToken;

mod deadline;
mod input_queue;
mod ops;
mod position;
mod query;
mod request;
mod solve;

pub use query::{ChooseOp, RateOp};
pub use request::{EngineError, EngineErrorCode};
pub use solve::{SolveOp, SolvedJson};

use input_queue::{EngineInput, InputQueue};
use request::EngineRequest;

/// Limits of a single request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestLimits {
    /// The maximum number of positions that `rate`, `perft` and `solve` visit, at least 1; beyond it the error is
    /// [`EngineErrorCode::TooLarge`], and `solve` responds with what it has proven.
    pub nodes: u64,
    /// The maximum `nodes` of `choose`, at least 1.
    pub simulations: u64,
    /// The maximum `budget_ms` of `choose` and `solve`, at least 1; also the default of `solve`.
    pub budget_ms: u32,
    /// The maximum size of the solver's transposition table.
    pub table_bytes: usize,
}

impl RequestLimits {
    /// Up to `nodes` positions, and as many simulations or ten minutes for `choose`.
    #[must_use]
    pub const fn with_nodes(nodes: u64) -> Self {
        RequestLimits {
            nodes,
            simulations: nodes,
            budget_ms: 600_000,
            table_bytes: 128 << 20,
        }
    }
}

impl Default for RequestLimits {
    /// 200 million positions, about ten seconds.
    fn default() -> Self {
        RequestLimits::with_nodes(200_000_000)
    }
}

/// The maximum `lines` of `choose`.
pub const MAX_LINES: i64 = query::MAX_LINES;

/// A validated query about a position, which can be answered on any thread.
pub struct EngineQuery(query::ParsedQuery);

/// The resources that a query needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryCost {
    /// The number of threads.
    pub threads: usize,
    /// Upper bound of the memory.
    pub bytes: usize,
    /// A rough estimate.
    pub expected: Duration,
}

impl EngineQuery {
    /// The resources that the query needs.
    #[must_use]
    pub fn cost(&self) -> QueryCost {
        self.0.cost()
    }

    /// The content of `ok` in a response line. CPU-bound: never call it on an async thread. When `stop` is set
    /// a level soon returns its best result so far.
    ///
    /// # Errors
    /// As in a response line.
    pub fn answer(&self, stop: &StopToken) -> Result<Box<RawValue>, EngineError> {
        // Progress must be attached, because the response contains the number of simulations.
        let kept = &mut KeptSolver::default();
        self.0.answer(kept, &stop.attach_progress(), &|_| {})
    }
}

/// Answers requests of the engine protocol.
#[derive(Debug)]
pub struct Engine {
    games: Registry,
    limits: RequestLimits,
    level: Level,
    solver: KeptSolver,
}

impl Engine {
    /// An engine for these games with limits per request.
    #[must_use]
    pub fn new(games: Registry, limits: RequestLimits) -> Engine {
        Engine {
            games,
            limits,
            level: Level::Book,
            solver: KeptSolver::default(),
        }
    }

    /// The same engine with a default level for `choose`.
    #[must_use]
    pub fn playing_as(self, level: Level) -> Engine {
        Engine { level, ..self }
    }

    /// Parses the fields of a `rate` request.
    ///
    /// # Errors
    /// The error of the response line.
    pub fn rate(&self, fields: JsonFields) -> Result<EngineQuery, EngineError> {
        Ok(EngineQuery(query::ParsedQuery::rate(fields, self)?))
    }

    /// Parses the fields of a `solve` request. Those that only the line protocol has are rejected.
    ///
    /// # Errors
    /// The error of the response line.
    pub fn solve(&self, fields: JsonFields) -> Result<EngineQuery, EngineError> {
        reject_line_protocol_fields(&fields, &SolveOp::LINE_PROTOCOL_FIELDS)?;
        Ok(EngineQuery(query::ParsedQuery::solve(fields, self)?))
    }

    /// Parses the fields of a `choose` request. Those that only the line protocol has are rejected.
    ///
    /// # Errors
    /// The error of the response line.
    pub fn choose(&self, fields: JsonFields) -> Result<EngineQuery, EngineError> {
        reject_line_protocol_fields(&fields, &ChooseOp::LINE_PROTOCOL_FIELDS)?;
        Ok(EngineQuery(query::ParsedQuery::choose(fields, self)?))
    }

    /// Answers every line of `input` on `output` until the input ends or the output is closed. Lines are read
    /// on a separate thread, so that `stop` takes effect while an earlier line is being answered.
    ///
    /// # Errors
    /// If reading or writing fails, except because of a closed pipe.
    pub fn run(
        &mut self,
        input: impl BufRead + Send + 'static,
        output: impl Write + Send,
    ) -> io::Result<()> {
        let queue = Arc::new(InputQueue::default());
        let lines = queue.read_input(input)?;
        let output = Mutex::new(output);
        let write = |line: &str| {
            let mut output = output.lock();
            output.write_all(format!("{line}\n").as_bytes())?;
            output.flush()
        };
        // Errors are detected when the response is written.
        let report = |line: &str| drop(write(line));
        for (number, line) in (0..).zip(lines) {
            let answer = match line? {
                EngineInput::Line(line) => {
                    let context = LineContext {
                        line: number,
                        queue: Some(&queue),
                        report: &report,
                    };
                    self.respond(&line, &context)
                }
                EngineInput::TooLong => Engine::too_long(),
            };
            match write(&answer) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
                result => result?,
            }
        }
        Ok(())
    }

    /// The response to one line, without line break and without progress output.
    pub fn answer(&mut self, line: &[u8]) -> String {
        let context = LineContext {
            line: 0,
            queue: None,
            report: &|_| {},
        };
        self.respond(line, &context)
    }

    /// The response to a line of more than [`MAX_LINE_BYTES`] bytes.
    #[must_use]
    pub fn too_long() -> String {
        let message = format!("a line has at most {MAX_LINE_BYTES} bytes");
        error_response(None, EngineError::new(EngineErrorCode::TooLong, message))
    }

    fn respond(&mut self, line: &[u8], context: &LineContext<'_>) -> String {
        let EngineRequest { id, op, fields } = match EngineRequest::parse(line) {
            Ok(request) => request,
            Err(error) => return error_response(None, error),
        };
        let report = |info: Box<RawValue>| {
            let id = id.as_deref();
            (context.report)(&to_json(&InfoResponse { id, info }));
        };
        let context = RequestContext {
            line: context.line,
            queue: context.queue,
            report: &report,
        };
        // A panic in one request must not end a long measurement.
        let mut kept = std::mem::take(&mut self.solver);
        let result = catch_unwind(AssertUnwindSafe(|| {
            ops::execute(&op?, fields, self, &mut kept, &context)
        }));
        if result.is_ok() {
            self.solver = kept;
        }
        match result {
            Ok(Ok(ok)) => to_json(&OkResponse {
                id: id.as_deref(),
                ok,
            }),
            Ok(Err(error)) => error_response(id.as_deref(), error),
            Err(_) => error_response(
                id.as_deref(),
                EngineError::new(EngineErrorCode::Internal, "a fault of this program"),
            ),
        }
    }
}

/// Rejects fields about what a single query lacks: progress output, a player's clock, the table of earlier searches.
fn reject_line_protocol_fields(fields: &JsonFields, names: &[&str]) -> Result<(), EngineError> {
    match names.iter().find(|name| fields.first(name).is_some()) {
        Some(name) => Err(EngineError::new(
            EngineErrorCode::Unsupported,
            format_args!("`{name}` is available only in the line protocol"),
        )),
        None => Ok(()),
    }
}

/// The number of a line, and the output for progress lines.
struct LineContext<'p> {
    line: u64,
    queue: Option<&'p InputQueue>,
    report: &'p (dyn Fn(&str) + Sync),
}

/// The same for one request.
struct RequestContext<'p> {
    line: u64,
    queue: Option<&'p InputQueue>,
    report: &'p (dyn Fn(Box<RawValue>) + Sync),
}

impl RequestContext<'_> {
    /// Registers the flag so that a later `stop` line sets it.
    fn stop(&self, stop: StopToken) -> StopToken {
        if let Some(queue) = self.queue {
            queue.begin_line(self.line, &stop);
        }
        stop
    }
}

#[derive(Serialize)]
struct InfoResponse<'l> {
    id: Option<&'l RawValue>,
    info: Box<RawValue>,
}

#[derive(Serialize)]
struct OkResponse<'l> {
    id: Option<&'l RawValue>,
    ok: Box<RawValue>,
}

#[derive(Serialize)]
struct ErrorResponse<'l> {
    id: Option<&'l RawValue>,
    error: EngineError,
}

fn error_response(id: Option<&RawValue>, error: EngineError) -> String {
    to_json(&ErrorResponse { id, error })
}

fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("responses serialize to JSON")
}

/// The content of `ok` in a response.
fn raw(answer: &impl Serialize) -> Box<RawValue> {
    to_raw_value(answer).expect("responses serialize to JSON")
}
