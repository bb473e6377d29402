//! The engine: JSON lines over stdin and stdout, for bots, scripts and measurements. It is to this
//! platform what UCI is to chess.
//!
//! One request object a line, one answer a line, in order. The request's `id`, any JSON value, comes
//! back exactly as it was written (`null` if there is none): `{"id":…,"ok":{…}}` or
//! `{"id":…,"error":{"code":"…","message":"…"}}`, the codes being those of [`EngineErrorCode`]. Whatever is on a
//! line, the program goes on; empty lines have no answer; the end of input ends the program.
//!
//! | op | further fields | `ok` |
//! |---|---|---|
//! | `new` | a position's parameters, optional `seed` | `position`: dealt as the server deals |
//! | `moves` | `position` | the legal moves in the book's order, with the positions that follow |
//! | `rate` | `position`, `search`, `depth` | `ratings`, `chosen` (the first maximum), `nodes` |
//! | `choose` | `position`, optional `level` (book, or that of `--as`), `seed`, and `budget_ms` or `nodes`, `lines`, `info` | `index`, the action, `win`, `nodes`, `positions`, `elapsed_ms`, `lines` |
//! | `stop` | | nothing (`{}`); what stands before it is answered soon: `choose` with the best so far, `rate` and `perft` with the error `stopped` |
//! | `perft` | `position`, `depth` | `nodes`: the sequences of exactly that length |
//! | `levels` | `game` | `levels`, weakest first |
//! | `notation` | `record` or `text` | `text` and `record`: the game in notation and as a record |
//!
//! A position is an object, or a text in its game's notation (docs/notation.md).
//!
//! A line has at most 1 MiB, and a request looks at no more than [`RequestLimits::nodes`] positions. Without
//! a `seed` chance is drawn from the system.
//!
//! A level that simulates uses its own budget; with `nodes` it makes so many simulations, and with
//! `budget_ms` as many as fit into that time. The other levels ignore both. The same `seed`, position
//! and `nodes` give the same choice on any machine. A level that is not done after a minute, or with
//! `nodes` after ten minutes, answers with the best it has found. `win` is what the level expects each
//! player to get, or null if it makes no forecast.
//!
//! `nodes` is the same number in question and answer: simulations of a level that simulates, positions of
//! one that does not; `positions` counts what was evaluated. With `"lines":k` the answer has the k best
//! actions, each with its `index`, the action, `win` and `visits`, or null from a level that weighs none.
//! With `"info":true` a level that simulates tells every second how far it has come, on lines
//! `{"id":…,"info":{…}}` with the fields of an answer, before the answer itself.
//!
//! What a position or `new` leaves out of a game's parameters is as usual: `{"op":"new","game":"dice"}` deals
//! the board of the first page.
//!
//! ```
//! use dice_of_doom::engine::{Engine, RequestLimits};
//! use dice_of_doom::faces::Registry;
//!
//! let mut engine = Engine::new(Registry::house(), RequestLimits::default());
//! let answer = engine.answer(br#"{"id":7,"op":"levels","game":"dice"}"#);
//! assert!(answer.starts_with(r#"{"id":7,"ok":{"levels":[{"name":"novice","#));
//! let answer = engine.answer(br#"{"id":8,"op":"dance"}"#);
//! assert!(answer.starts_with(r#"{"id":8,"error":{"code":"unknown-op","#));
//! ```

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::game_adapters::{JsonFields, Registry};
use crate::level::Level;
use crate::lines::MOST_BYTES;
use crate::search::StopToken;

mod deadline;
mod input_queue;
mod ops;
mod position;
mod request;

pub use ops::{ChooseOp, RateOp};
pub use request::{EngineError, EngineErrorCode};

use input_queue::{EngineInput, InputQueue};
use request::EngineRequest;

/// How much one request may compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestLimits {
    /// The most positions that `rate` and `perft` look at, at least 1; beyond them the answer is
    /// [`EngineErrorCode::TooLarge`].
    pub nodes: u64,
    /// The most `nodes` that `choose` may be asked for, at least 1.
    pub simulations: u64,
    /// The longest time that `choose` may be given, in milliseconds, at least 1.
    pub budget_ms: u32,
}

impl RequestLimits {
    /// So many positions; `choose` may be asked for as many, or for ten minutes.
    #[must_use]
    pub const fn of(nodes: u64) -> Self {
        RequestLimits {
            nodes,
            simulations: nodes,
            budget_ms: 600_000,
        }
    }
}

impl Default for RequestLimits {
    /// 200 million positions, some ten seconds.
    fn default() -> Self {
        RequestLimits::of(200_000_000)
    }
}

/// The most lines that `choose` may be asked for.
pub const MOST_LINES: i64 = ops::MOST_LINES;

/// A question about a position that was read and checked, and can be answered on any thread.
pub struct EngineQuery(ops::ParsedQuery);

/// What answering a question takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryCost {
    /// On how many threads it is thought about.
    pub threads: usize,
    /// How many bytes may be remembered meanwhile, at most.
    pub bytes: usize,
    /// About how long it takes.
    pub expected: Duration,
}

impl EngineQuery {
    /// What answering it takes.
    #[must_use]
    pub fn cost(&self) -> QueryCost {
        self.0.cost()
    }

    /// The answer, as in a line's `ok`. Slow: never on an async thread. When `stop` is raised a level answers
    /// soon, with the best it has.
    ///
    /// # Errors
    /// As a line's.
    pub fn answer(&self, stop: &StopToken) -> Result<Box<RawValue>, EngineError> {
        // The answer tells how many simulations were made: that is seen where somebody looks.
        self.0.answer(&stop.attach_progress(), &|_| {})
    }
}

/// Answers requests.
#[derive(Clone, Debug)]
pub struct Engine {
    games: Registry,
    limits: RequestLimits,
    level: Level,
}

impl Engine {
    /// An engine that knows these games, and whose requests may cost so much.
    #[must_use]
    pub const fn new(games: Registry, limits: RequestLimits) -> Engine {
        Engine {
            games,
            limits,
            level: Level::Book,
        }
    }

    /// The same engine; this level answers `choose` where a line names none.
    #[must_use]
    pub fn playing_as(self, level: Level) -> Engine {
        Engine { level, ..self }
    }

    /// The question that these fields of a line ask whose op is `rate`.
    ///
    /// # Errors
    /// As a line's that is wrong.
    pub fn rate(&self, fields: JsonFields) -> Result<EngineQuery, EngineError> {
        Ok(EngineQuery(ops::ParsedQuery::rate(fields, self)?))
    }

    /// The question that these fields of a line ask whose op is `choose`. Nothing is told before the answer, so
    /// `info` is refused.
    ///
    /// # Errors
    /// As a line's that is wrong.
    pub fn choose(&self, fields: JsonFields) -> Result<EngineQuery, EngineError> {
        let question = ops::ParsedQuery::choose(fields, self)?;
        if question.wants_info() {
            let message = "info is told between lines alone";
            return Err(EngineError::new(EngineErrorCode::Unsupported, message));
        }
        Ok(EngineQuery(question))
    }

    /// Answers every line of `input` on `output`, until the input ends or nobody reads the output. Lines are
    /// read on a thread of their own, so that `stop` is heard while another line is answered.
    ///
    /// # Errors
    /// When reading or writing fails otherwise than by a closed pipe.
    pub fn run(
        &mut self,
        input: impl BufRead + Send + 'static,
        output: impl Write + Send,
    ) -> io::Result<()> {
        let desk = Arc::new(InputQueue::default());
        let heard = desk.hear(input)?;
        let output = Mutex::new(output);
        let write = |line: &str| {
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            output.write_all(format!("{line}\n").as_bytes())?;
            output.flush()
        };
        // Whether somebody still reads is found out with the answer.
        let tell = |line: &str| drop(write(line));
        for (number, line) in (0..).zip(heard) {
            let answer = match line? {
                EngineInput::Line(line) => {
                    let post = LineContext {
                        line: number,
                        desk: Some(&desk),
                        tell: &tell,
                    };
                    self.respond(&line, &post)
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

    /// The answer to one line, without a line's end. Nobody is told anything meanwhile.
    pub fn answer(&mut self, line: &[u8]) -> String {
        let post = LineContext {
            line: 0,
            desk: None,
            tell: &|_| {},
        };
        self.respond(line, &post)
    }

    /// The answer to a line of more than [`MOST_BYTES`].
    #[must_use]
    pub fn too_long() -> String {
        let message = format!("a line has at most {MOST_BYTES} bytes");
        failed(None, EngineError::new(EngineErrorCode::TooLong, message))
    }

    fn respond(&mut self, line: &[u8], post: &LineContext<'_>) -> String {
        let EngineRequest { id, op, fields } = match EngineRequest::read(line) {
            Ok(request) => request,
            Err(trouble) => return failed(None, trouble),
        };
        let tell = |info: Box<RawValue>| {
            let id = id.as_deref();
            (post.tell)(&written(&InfoResponse { id, info }));
        };
        let heard = RequestContext {
            line: post.line,
            desk: post.desk,
            tell: &tell,
        };
        // A panic in one request must not end a long measurement.
        let done = catch_unwind(AssertUnwindSafe(|| {
            ops::perform(&op?, fields, self, &heard)
        }));
        match done {
            Ok(Ok(ok)) => written(&OkResponse {
                id: id.as_deref(),
                ok,
            }),
            Ok(Err(trouble)) => failed(id.as_deref(), trouble),
            Err(_) => failed(
                id.as_deref(),
                EngineError::new(EngineErrorCode::Internal, "a fault of this program"),
            ),
        }
    }
}

/// Where a line came from, and who hears what is told before its answer.
struct LineContext<'p> {
    line: u64,
    desk: Option<&'p InputQueue>,
    tell: &'p (dyn Fn(&str) + Sync),
}

/// The same for one request.
struct RequestContext<'p> {
    line: u64,
    desk: Option<&'p InputQueue>,
    tell: &'p (dyn Fn(Box<RawValue>) + Sync),
}

impl RequestContext<'_> {
    /// This flag, raised as soon as the line is told to stop.
    fn stop(&self, stop: StopToken) -> StopToken {
        if let Some(desk) = self.desk {
            desk.think(self.line, &stop);
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

fn failed(id: Option<&RawValue>, error: EngineError) -> String {
    written(&ErrorResponse { id, error })
}

fn written(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("answers are plain values with names for keys")
}
