//! Programs that answer lines: started once a seat and thread, asked one line at a time, and ended with
//! the arena.
//!
//! What the lines say is not known here: whoever asks says of each line whether it is the answer, and all others are
//! passed over, until the time is up. A program that was late, ended or answered wrongly is ended with all that it has
//! started (`group`), and started anew for the next game. One that has never answered well is not started more than
//! [`MAX_START_ATTEMPTS`] times: all that it is asked from then on has the same fault at once, so that an arena
//! with it ends soon.

use std::io::{self, BufReader, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::ProgramLimits;
use super::group::Group;
use super::lines::{self, BoundedLine, MOST_BYTES};
use super::match_player::{FaultKind, PlayerFault};

/// How often a program is started that never answers well.
pub const MAX_START_ATTEMPTS: u32 = 3;

/// How long a program may take to end once nobody asks it any more.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// A program that sits at tables.
#[derive(Debug)]
pub struct ExternalProgram {
    words: Vec<String>,
    terms: ProgramLimits,
    state: Mutex<ProcessPool>,
}

#[derive(Debug, Default)]
struct ProcessPool {
    /// Processes that are waiting for a game.
    idle: Vec<Process>,
    has_answered: bool,
    /// The faults of a program that has never answered well.
    tries: u32,
    /// The last of them.
    fault: Option<(FaultKind, Option<String>)>,
}

impl ExternalProgram {
    /// Starts a program for the first time. The command is taken apart at spaces; quotation marks keep
    /// words together, as in a shell.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn start(command: &str, terms: ProgramLimits) -> io::Result<Self> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "a quotation mark is not closed",
            )
        })?;
        let first = Process::start(&words)?;
        Ok(ExternalProgram {
            words,
            terms,
            state: Mutex::new(ProcessPool {
                idle: vec![first],
                ..ProcessPool::default()
            }),
        })
    }

    /// Somebody to ask for one game.
    pub fn sit(&self) -> ProgramSession<'_> {
        ProgramSession {
            program: self,
            process: None,
        }
    }

    fn state(&self) -> MutexGuard<'_, ProcessPool> {
        // What a panicking thread leaves behind is whole: every change is a single step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a line of a program is to what it was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply<T> {
    /// The answer.
    Answer(T),
    /// The answer, but none that may be given.
    Wrong,
    /// Something else, such as a greeting or a report of how far it has come.
    Other,
}

/// Why there is no answer, and the line or the exit status that shows it.
type Failure = (FaultKind, Option<String>);

/// A program in one game.
#[derive(Debug)]
pub struct ProgramSession<'p> {
    program: &'p ExternalProgram,
    process: Option<Process>,
}

impl ProgramSession<'_> {
    /// Asks a line; `read` judges what comes back, line by line.
    ///
    /// # Errors
    /// When no answer comes in time, or a wrong one.
    pub fn ask<T>(
        &mut self,
        line: &str,
        read: impl Fn(&str) -> Reply<T>,
    ) -> Result<T, PlayerFault> {
        let fault = match self.answer(line, read) {
            Ok(answer) => {
                self.program.state().has_answered = true;
                return Ok(answer);
            }
            Err(fault) => fault,
        };
        self.process = None;
        let mut state = self.program.state();
        state.tries += 1;
        state.fault = Some(fault.clone());
        Err(PlayerFault::new(fault.0, line, fault.1.as_deref()))
    }

    fn answer<T>(&mut self, line: &str, read: impl Fn(&str) -> Reply<T>) -> Result<T, Failure> {
        let process = match &mut self.process {
            Some(process) => process,
            None => {
                let mut state = self.program.state();
                match &state.fault {
                    Some(fault) if !state.has_answered && state.tries >= MAX_START_ATTEMPTS => {
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
        process.ask(line, read, &self.program.terms)
    }
}

impl Drop for ProgramSession<'_> {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            self.program.state().idle.push(process);
        }
    }
}

/// A running process; dropping it ends it.
#[derive(Debug)]
struct Process {
    group: Group,
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
        let mut command = Command::new(program);
        command.args(arguments);
        let mut group = Group::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let leader = group.leader();
        let (input, output) = (leader.stdin.take(), leader.stdout.take());
        // One line may wait unasked; a program that writes more waits itself.
        let (heard, lines) = sync_channel(1);
        let output = output.ok_or(io::ErrorKind::BrokenPipe)?;
        thread::Builder::new().spawn(move || {
            let mut output = BufReader::new(output);
            let mut buffer = Vec::new();
            while let Ok(Some(line)) = lines::next(&mut output, &mut buffer) {
                let text = match line {
                    BoundedLine::Bytes(line) => String::from_utf8_lossy(line).into_owned(),
                    BoundedLine::TooLong => format!("a line of more than {MOST_BYTES} bytes"),
                };
                if heard.send(text).is_err() {
                    break;
                }
            }
        })?;
        Ok(Process {
            group,
            input,
            lines,
            is_fresh: true,
        })
    }

    fn ask<T>(
        &mut self,
        line: &str,
        read: impl Fn(&str) -> Reply<T>,
        terms: &ProgramLimits,
    ) -> Result<T, Failure> {
        let patience = terms.answer_timeout(std::mem::take(&mut self.is_fresh));
        let begun = Instant::now();
        let written = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        if written.is_err() {
            return Err(self.crashed());
        }
        let mut passed_over = None;
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            match self.lines.recv_timeout(left) {
                Ok(line) => match read(&line) {
                    Reply::Answer(answer) => return Ok(answer),
                    Reply::Wrong => return Err((FaultKind::Illegal, Some(line))),
                    Reply::Other if !line.trim().is_empty() => passed_over = Some(line),
                    Reply::Other => {}
                },
                Err(RecvTimeoutError::Disconnected) => return Err(self.crashed()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // A program that never stops writing is not waited for either.
            if begun.elapsed() >= patience {
                // Whether it can be ended is seen when it is dropped.
                let _ = self.group.end();
                return Err((FaultKind::Timeout, passed_over));
            }
        }
    }

    fn crashed(&mut self) -> Failure {
        let told = self.end().map(|status| status.to_string());
        (FaultKind::Crash, told)
    }

    /// Lets the process end, and ends it where it does not, with all that it has started; its status, if it ended by
    /// itself.
    fn end(&mut self) -> Option<ExitStatus> {
        self.input = None;
        let begun = Instant::now();
        let mut has_ended = false;
        while !has_ended && begun.elapsed() < EXIT_TIMEOUT {
            match self.group.has_leader_ended() {
                Ok(true) | Err(_) => has_ended = true,
                Ok(false) => thread::sleep(Duration::from_millis(2)),
            }
        }
        let status = self.group.end().ok();
        status.filter(|_| has_ended)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
