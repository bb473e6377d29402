//! Input lines, which are answered in order, and the op `stop_before`, which takes effect while an earlier line is
//! being answered.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use parking_lot::Mutex;

use super::request::EngineRequest;
use crate::lines::{self, BoundedLine};
use crate::search::StopToken;

/// The number of lines that are read ahead; a `stop_before` beyond them does not take effect yet.
const READ_AHEAD: usize = 64;

pub(super) enum EngineInput {
    Line(Vec<u8>),
    /// Longer than the limit.
    TooLong,
}

/// Which lines must stop, and the line being answered.
#[derive(Debug, Default)]
pub(super) struct InputQueue(Mutex<StopState>);

#[derive(Debug, Default)]
struct StopState {
    /// Every line below this number must be answered soon.
    stopped: u64,
    thinking: Option<(u64, StopToken)>,
}

impl InputQueue {
    /// Registers the flag that stops the answer to line `line`.
    pub(super) fn begin_line(&self, line: u64, stop: &StopToken) {
        let mut state = self.0.lock();
        if line < state.stopped {
            stop.request_stop();
        }
        state.thinking = Some((line, stop.clone()));
    }

    /// Stops the answers to all lines before line `line`.
    fn stop_before(&self, line: u64) {
        let mut state = self.0.lock();
        state.stopped = line;
        if let Some((thinking, stop)) = &state.thinking
            && *thinking < line
        {
            stop.request_stop();
        }
    }

    /// Reads lines on a separate thread, which ends with the input or the program.
    pub(super) fn read_input(
        self: &Arc<Self>,
        mut input: impl BufRead + Send + 'static,
    ) -> io::Result<Receiver<io::Result<EngineInput>>> {
        let (sender, lines) = sync_channel(READ_AHEAD);
        let queue = Arc::clone(self);
        thread::Builder::new().spawn(move || {
            let mut buffer = Vec::new();
            let mut number = 0;
            loop {
                let input_line = match lines::read_line(&mut input, &mut buffer) {
                    Ok(None) => break,
                    Ok(Some(BoundedLine::TooLong)) => Ok(EngineInput::TooLong),
                    Ok(Some(BoundedLine::Bytes(line))) if line.trim_ascii().is_empty() => continue,
                    Ok(Some(BoundedLine::Bytes(line))) => {
                        if is_stop(line) {
                            queue.stop_before(number);
                        }
                        Ok(EngineInput::Line(line.to_vec()))
                    }
                    Err(error) => Err(error),
                };
                let is_last = input_line.is_err();
                if sender.send(input_line).is_err() || is_last {
                    break;
                }
                number += 1;
            }
        })?;
        Ok(lines)
    }
}

fn is_stop(line: &[u8]) -> bool {
    let may_be_stop = line.windows(4).any(|word| word == b"stop");
    may_be_stop
        && EngineRequest::parse(line).is_ok_and(|request| request.op.as_deref() == Ok("stop"))
}
