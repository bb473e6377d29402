//! Lines that are answered one after another, and the op `stop`, which is heard while another is answered.

use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::request::EngineRequest;
use crate::lines::{self, BoundedLine};
use crate::search::StopToken;

/// So many lines are read before they are answered; a `stop` beyond them is not heard yet.
const AHEAD: usize = 64;

/// A line that was read.
pub(super) enum EngineInput {
    /// Its bytes.
    Line(Vec<u8>),
    /// It was too long.
    TooLong,
}

/// Which lines were told to stop, and what is being thought about.
#[derive(Debug, Default)]
pub(super) struct InputQueue(Mutex<StopState>);

#[derive(Debug, Default)]
struct StopState {
    /// Every line below this number is to be answered soon.
    stopped: u64,
    thinking: Option<(u64, StopToken)>,
}

impl InputQueue {
    /// Line number `line` is thought about until this is raised.
    pub(super) fn think(&self, line: u64, stop: &StopToken) {
        let mut state = self.state();
        if line < state.stopped {
            stop.request_stop();
        }
        state.thinking = Some((line, stop.clone()));
    }

    /// Whatever comes before line number `line` is to be answered soon.
    fn stop(&self, line: u64) {
        let mut state = self.state();
        state.stopped = line;
        if let Some((thinking, stop)) = &state.thinking
            && *thinking < line
        {
            stop.request_stop();
        }
    }

    fn state(&self) -> MutexGuard<'_, StopState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads lines on a thread of its own, which ends with the input or the program.
    pub(super) fn hear(
        self: &Arc<Self>,
        mut input: impl BufRead + Send + 'static,
    ) -> io::Result<Receiver<io::Result<EngineInput>>> {
        let (tell, lines) = sync_channel(AHEAD);
        let desk = Arc::clone(self);
        thread::Builder::new().spawn(move || {
            let mut buffer = Vec::new();
            let mut number = 0;
            loop {
                let heard = match lines::next(&mut input, &mut buffer) {
                    Ok(None) => break,
                    Ok(Some(BoundedLine::TooLong)) => Ok(EngineInput::TooLong),
                    Ok(Some(BoundedLine::Bytes(line))) if line.trim_ascii().is_empty() => continue,
                    Ok(Some(BoundedLine::Bytes(line))) => {
                        if is_stop(line) {
                            desk.stop(number);
                        }
                        Ok(EngineInput::Line(line.to_vec()))
                    }
                    Err(error) => Err(error),
                };
                let is_last = heard.is_err();
                if tell.send(heard).is_err() || is_last {
                    break;
                }
                number += 1;
            }
        })?;
        Ok(lines)
    }
}

fn is_stop(line: &[u8]) -> bool {
    let mentions = line.windows(4).any(|word| word == b"stop");
    mentions && EngineRequest::read(line).is_ok_and(|request| request.op.as_deref() == Ok("stop"))
}
