//! External programs that answer requests line by line: one process per seat and thread, terminated with the arena.
//!
//! This module does not know the protocol: the caller classifies each line as a response or not, and other lines are
//! ignored until the timeout. A program that timed out, exited or responded wrongly is terminated with all processes
//! that it started (`group`), and started again for the next game. A program that has never responded correctly is
//! started at most [`MAX_START_ATTEMPTS`] times: after that every request fails at once with the last fault, so that
//! the arena ends soon.

use std::io::{self, BufReader, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::ProgramLimits;
use super::group::Group;
use super::match_rules::PlayerClock;
use dice_of_doom_formats::lines::{self, BoundedLine, MAX_LINE_BYTES};
use dice_of_doom_formats::record::{FaultKind, PlayerFault};

/// The maximum number of starts of a program that never responds correctly.
pub const MAX_START_ATTEMPTS: u32 = 3;

/// The beginning of the words of a command that are options for the program.
const OPTION_PREFIX: &str = "option.";

/// The beginning of the words of a command that name what else the program is to be sent.
const SEND_PREFIX: &str = "send=";

/// How long to wait for a program to exit after its input was closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// An external program with its idle processes.
#[derive(Debug)]
pub struct ExternalProgram {
    argv: Vec<String>,
    options: Vec<(String, String)>,
    sends: Vec<String>,
    limits: ProgramLimits,
    state: Mutex<ProcessPool>,
}

#[derive(Debug, Default)]
struct ProcessPool {
    /// Processes that are not in use by a game.
    idle: Vec<Process>,
    has_answered: bool,
    /// The number of faults so far.
    failed_attempts: u32,
    /// The last fault.
    fault: Option<(FaultKind, Option<String>)>,
}

impl ExternalProgram {
    /// Starts the first process of a program. The command is split at spaces, with quotation marks as in a shell. Words
    /// of the form `option.NAME=VALUE` are [options](Self::options), and words of the form `send=WHAT` name [what else is
    /// sent](Self::sends); neither is part of the command.
    ///
    /// # Errors
    /// When the command is malformed or the process cannot be started.
    pub fn start(command: &str, limits: ProgramLimits) -> io::Result<Self> {
        let invalid = |message| io::Error::new(io::ErrorKind::InvalidInput, message);
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| invalid("a quotation mark is not closed"))?;
        let (mut argv, mut options, mut sends) = (Vec::new(), Vec::new(), Vec::new());
        for word in words {
            let option = word.strip_prefix(OPTION_PREFIX);
            if let Some((name, value)) = option.and_then(|option| option.split_once('=')) {
                options.push((name.to_owned(), value.to_owned()));
            } else if let Some(what) = word.strip_prefix(SEND_PREFIX) {
                sends.push(what.to_owned());
            } else {
                argv.push(word);
            }
        }
        if argv.is_empty() {
            return Err(invalid("there are only options"));
        }
        let first = Process::start(&argv)?;
        Ok(ExternalProgram {
            argv,
            options,
            sends,
            limits,
            state: Mutex::new(ProcessPool {
                idle: vec![first],
                ..ProcessPool::default()
            }),
        })
    }

    /// The names and values of the options in the command, in order.
    #[must_use]
    pub fn options(&self) -> &[(String, String)] {
        &self.options
    }

    /// What else the command asks to be sent, in order; the caller knows the names.
    #[must_use]
    pub fn sends(&self) -> &[String] {
        &self.sends
    }

    /// A session for one game.
    pub fn start_session(&self) -> ProgramSession<'_> {
        ProgramSession {
            program: self,
            process: None,
        }
    }
}

/// The classification of a program's line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply<T> {
    /// The response.
    Answer(T),
    /// An invalid response, such as an illegal action.
    Wrong,
    /// Another line, such as a greeting or a progress report.
    Other,
}

/// How long to wait for a response, besides the grace.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AnswerTime {
    /// The time of the program's limits.
    Limits,
    /// The remaining time of a clock.
    Clock(PlayerClock),
    /// No time, because nothing is to be computed.
    Grace,
}

/// The fault, with the line or the exit status that shows it.
type Failure = (FaultKind, Option<String>);

/// A program in one game. Dropping it makes the process available to other games.
#[derive(Debug)]
pub struct ProgramSession<'p> {
    program: &'p ExternalProgram,
    process: Option<Process>,
}

impl ProgramSession<'_> {
    /// Sends a request line; `parse` classifies each line that is received.
    ///
    /// # Errors
    /// When no response arrives in time, the response is invalid, or the program exits.
    pub fn request<T>(
        &mut self,
        line: &str,
        time: AnswerTime,
        parse: impl Fn(&str) -> Reply<T>,
    ) -> Result<T, PlayerFault> {
        let fault = match self.request_reply(line, time, parse) {
            Ok(answer) => {
                self.program.state.lock().has_answered = true;
                return Ok(answer);
            }
            Err(fault) => fault,
        };
        self.process = None;
        let mut state = self.program.state.lock();
        state.failed_attempts += 1;
        state.fault = Some(fault.clone());
        Err(PlayerFault::new(fault.0, line, fault.1.as_deref()))
    }

    fn request_reply<T>(
        &mut self,
        line: &str,
        time: AnswerTime,
        parse: impl Fn(&str) -> Reply<T>,
    ) -> Result<T, Failure> {
        let process = match &mut self.process {
            Some(process) => process,
            None => {
                let mut state = self.program.state.lock();
                match &state.fault {
                    Some(fault)
                        if !state.has_answered && state.failed_attempts >= MAX_START_ATTEMPTS =>
                    {
                        return Err(fault.clone());
                    }
                    _ => {}
                }
                let idle = state.idle.pop();
                drop(state);
                let process = idle.map_or_else(|| Process::start(&self.program.argv), Ok);
                let process =
                    process.map_err(|error| (FaultKind::Crash, Some(error.to_string())))?;
                self.process.insert(process)
            }
        };
        let limits = &self.program.limits;
        let time = match time {
            AnswerTime::Limits => limits.answer_time(),
            AnswerTime::Clock(clock) => clock.remaining,
            AnswerTime::Grace => Duration::ZERO,
        };
        process.request(line, parse, |is_first| limits.with_grace(time, is_first))
    }
}

impl Drop for ProgramSession<'_> {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            self.program.state.lock().idle.push(process);
        }
    }
}

/// A running process; dropping it terminates it.
#[derive(Debug)]
struct Process {
    group: Group,
    /// `None` after the input was closed.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    is_fresh: bool,
}

impl Process {
    fn start(argv: &[String]) -> io::Result<Self> {
        let [program, arguments @ ..] = argv else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let mut command = Command::new(program);
        command.args(arguments);
        let mut group = Group::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let leader = group.leader();
        let (input, output) = (leader.stdin.take(), leader.stdout.take());
        // At most one unread line is buffered; a program that writes more blocks.
        let (sender, lines) = sync_channel(1);
        let output = output.ok_or(io::ErrorKind::BrokenPipe)?;
        thread::Builder::new().spawn(move || {
            let mut output = BufReader::new(output);
            let mut buffer = Vec::new();
            while let Ok(Some(line)) = lines::read_line(&mut output, &mut buffer) {
                let text = match line {
                    BoundedLine::Bytes(line) => String::from_utf8_lossy(line).into_owned(),
                    BoundedLine::TooLong => format!("a line of more than {MAX_LINE_BYTES} bytes"),
                };
                if sender.send(text).is_err() {
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

    fn request<T>(
        &mut self,
        line: &str,
        parse: impl Fn(&str) -> Reply<T>,
        timeout: impl Fn(bool) -> Duration,
    ) -> Result<T, Failure> {
        let timeout = timeout(std::mem::take(&mut self.is_fresh));
        let started = Instant::now();
        let written = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        if written.is_err() {
            return Err(self.crash_failure());
        }
        let mut last_ignored = None;
        loop {
            let remaining = timeout.saturating_sub(started.elapsed());
            match self.lines.recv_timeout(remaining) {
                Ok(line) => match parse(&line) {
                    Reply::Answer(answer) => return Ok(answer),
                    Reply::Wrong => return Err((FaultKind::Illegal, Some(line))),
                    Reply::Other if !line.trim().is_empty() => last_ignored = Some(line),
                    Reply::Other => {}
                },
                Err(RecvTimeoutError::Disconnected) => return Err(self.crash_failure()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // The time limit also applies if the program never stops writing.
            if started.elapsed() >= timeout {
                // Failures are handled when the process is dropped.
                let _ = self.group.terminate();
                return Err((FaultKind::Timeout, last_ignored));
            }
        }
    }

    fn crash_failure(&mut self) -> Failure {
        let status = self.terminate().map(|status| status.to_string());
        (FaultKind::Crash, status)
    }

    /// Closes the input, waits for the process to exit, and kills it with all processes that it started if it does not.
    /// Returns the status if it exited by itself.
    fn terminate(&mut self) -> Option<ExitStatus> {
        self.input = None;
        let started = Instant::now();
        let mut has_ended = false;
        while !has_ended && started.elapsed() < EXIT_TIMEOUT {
            match self.group.has_leader_ended() {
                Ok(true) | Err(_) => has_ended = true,
                Ok(false) => thread::sleep(Duration::from_millis(2)),
            }
        }
        let status = self.group.terminate().ok();
        status.filter(|_| has_ended)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.terminate();
    }
}
