//! Programs that answer lines: started once a seat and thread, asked one line at a time, and ended with
//! the arena.
//!
//! What the lines say is not known here. A program that was late, ended or answered wrongly is ended, and
//! started anew for the next game. One that has never answered well is not started more than
//! [`MOST_TRIES`] times: all that it is asked from then on has the same fault at once, so that an arena
//! with it ends soon.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::Terms;
use super::entrant::{Fault, FaultKind};

/// How often a program is started that never answers well.
pub const MOST_TRIES: u32 = 3;

/// The most bytes of an answer.
const MOST_BYTES: u64 = 1 << 20;

/// How long a program may take to end once nobody asks it any more.
const TO_END: Duration = Duration::from_secs(5);

/// A program that sits at tables.
#[derive(Debug)]
pub struct Program {
    words: Vec<String>,
    terms: Terms,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Processes that are waiting for a game.
    idle: Vec<Process>,
    has_answered: bool,
    /// The faults of a program that has never answered well.
    tries: u32,
    /// The last of them.
    fault: Option<(FaultKind, Option<String>)>,
}

impl Program {
    /// Starts a program for the first time. The command is taken apart at spaces; quotation marks keep
    /// words together, as in a shell.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn start(command: &str, terms: Terms) -> io::Result<Self> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "a quotation mark is not closed",
            )
        })?;
        let first = Process::start(&words)?;
        Ok(Program {
            words,
            terms,
            state: Mutex::new(State {
                idle: vec![first],
                ..State::default()
            }),
        })
    }

    /// Somebody to ask for one game.
    pub fn sit(&self) -> Asked<'_> {
        Asked {
            program: self,
            process: None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What a panicking thread leaves behind is whole: every change is a single step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A program in one game.
#[derive(Debug)]
pub struct Asked<'p> {
    program: &'p Program,
    process: Option<Process>,
}

impl Asked<'_> {
    /// Asks a line; `read` judges the answer.
    ///
    /// # Errors
    /// When there is no answer, or none that `read` takes.
    pub fn ask<T>(&mut self, line: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T, Fault> {
        let answer = self.answer(line);
        let fault = match answer {
            Ok(answer) => match read(&answer) {
                Some(read) => {
                    self.program.state().has_answered = true;
                    return Ok(read);
                }
                None => (FaultKind::Illegal, Some(answer)),
            },
            Err(fault) => fault,
        };
        self.process = None;
        let mut state = self.program.state();
        state.tries += 1;
        state.fault = Some(fault.clone());
        Err(Fault::new(fault.0, line, fault.1.as_deref()))
    }

    fn answer(&mut self, line: &str) -> Result<String, (FaultKind, Option<String>)> {
        let process = match &mut self.process {
            Some(process) => process,
            None => {
                let mut state = self.program.state();
                match &state.fault {
                    Some(fault) if !state.has_answered && state.tries >= MOST_TRIES => {
                        return Err(fault.clone());
                    }
                    _ => {}
                }
                let idle = state.idle.pop();
                drop(state);
                let process = idle.map_or_else(|| Process::start(&self.program.words), Ok);
                let process =
                    process.map_err(|error| (FaultKind::Crash, Some(error.to_string())))?;
                self.process.insert(process)
            }
        };
        process.ask(line, &self.program.terms)
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            self.program.state().idle.push(process);
        }
    }
}

/// A running process; dropping it ends it.
#[derive(Debug)]
struct Process {
    child: Child,
    /// `None` once the process is told that nothing more comes.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    is_fresh: bool,
}

impl Process {
    fn start(words: &[String]) -> io::Result<Self> {
        let [program, arguments @ ..] = words else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        // One line may wait unasked; a program that writes more waits itself.
        let (heard, lines) = sync_channel(1);
        let output = output.ok_or(io::ErrorKind::BrokenPipe)?;
        thread::Builder::new().spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            loop {
                line.clear();
                let read = output
                    .by_ref()
                    .take(MOST_BYTES)
                    .read_until(b'\n', &mut line);
                if !read.is_ok_and(|read| read > 0) {
                    break;
                }
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end_matches(['\r', '\n']).to_owned();
                if heard.send(text).is_err() {
                    break;
                }
            }
        })?;
        Ok(Process {
            child,
            input,
            lines,
            is_fresh: true,
        })
    }

    fn ask(&mut self, line: &str, terms: &Terms) -> Result<String, (FaultKind, Option<String>)> {
        let patience = terms.patience(std::mem::take(&mut self.is_fresh));
        let written = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        // A program may have answered before it closed its input: the answer decides.
        let answer = match (self.lines.recv_timeout(patience), written) {
            (Ok(_), Err(_)) => Err(RecvTimeoutError::Disconnected),
            (answer, _) => answer,
        };
        answer.map_err(|why| match why {
            RecvTimeoutError::Timeout => {
                // It may have ended by now, which is what is wanted.
                let _ = self.child.kill();
                (FaultKind::Timeout, None)
            }
            RecvTimeoutError::Disconnected => {
                let told = self.end().map(|status| status.to_string());
                (FaultKind::Crash, told)
            }
        })
    }

    /// Lets the process end, and ends it where it does not; its status, if it ended by itself.
    fn end(&mut self) -> Option<ExitStatus> {
        self.input = None;
        let begun = Instant::now();
        while begun.elapsed() < TO_END {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => thread::sleep(Duration::from_millis(2)),
                Err(_) => return None,
            }
        }
        // It did not end by itself; if it does now, so much the better.
        let _ = self.child.kill();
        let _ = self.child.wait();
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
