//! Shared by both programs: logging, output, signals and exit codes.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
#[cfg(unix)]
use std::task::Poll;

use clap::Command;
use clap::error::ErrorKind;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::cli::{LogFormat, LoggingArgs};
use crate::games;

/// The number of log lines that are buffered for a slow reader; further lines are lost.
const MAX_BUFFERED_LINES: usize = 16_384;

pub type CommandResult = Result<(), Box<dyn Error + Send + Sync>>;

/// Initializes logging, installs the given weights, and runs `work`. An error is written to stderr as one line
/// that begins with the program's name.
pub fn run(
    name: &str,
    logging: LoggingArgs,
    weights: Option<&Path>,
    work: impl FnOnce() -> CommandResult,
) -> ExitCode {
    // Kept until the end: dropping it flushes the log, for at most one second.
    let (mut log, _writing) = log_to_stderr(logging);
    let installed = weights.map_or(Ok(()), install_weights);
    match installed.and_then(|()| work()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = log.write_all(format!("{name}: {error}\n").as_bytes());
            ExitCode::FAILURE
        }
    }
}

/// Must run before any search, because levels look weights up only once.
fn install_weights(file: &Path) -> CommandResult {
    let name = file.display();
    let bytes = std::fs::read(file).map_err(|error| format!("{name}: {error}"))?;
    let games = games::install_weights(&bytes);
    let games = games.map_err(|error| format!("{name}: {error}"))?;
    tracing::info!(%games, "installed custom weights");
    Ok(())
}

/// Logs to stderr on a separate thread. Lines that cannot be written are lost: a full disk, a closed pipe or a
/// blocked reader must not stop a game.
fn log_to_stderr(logging: LoggingArgs) -> (NonBlocking, WorkerGuard) {
    let variable = std::env::var_os("RUST_LOG");
    let variable = variable.map(|filter| filter.to_string_lossy().into_owned());
    // The parser interprets any unknown word as a module name.
    let is_filter = |filter: &&String| !filter.is_empty() && !filter.contains(char::is_control);
    let parsed = variable.as_ref().filter(is_filter);
    let parsed = parsed.and_then(|filter| filter.parse().ok());
    let is_invalid = variable.is_some() && parsed.is_none();
    let filter: Targets = parsed.unwrap_or_else(|| Targets::new().with_default(logging.level()));
    let (log, writing) = NonBlockingBuilder::default()
        .buffered_lines_limit(MAX_BUFFERED_LINES)
        .finish(io::stderr());
    let lines = tracing_subscriber::fmt::layer().with_writer(log.clone());
    let filtered = tracing_subscriber::registry().with(filter);
    match logging.log_format {
        // No ANSI escape sequences in files.
        LogFormat::Text => filtered
            .with(lines.with_ansi(is_coloured(&io::stderr())))
            .init(),
        LogFormat::Json => filtered.with(lines.json().flatten_event(true)).init(),
    }
    if is_invalid {
        let variable = variable.unwrap_or_default();
        tracing::warn!("RUST_LOG={variable:?} is not a valid log filter and is ignored");
    }
    (log, writing)
}

/// Whether the output is a terminal and colours are not disabled (no-color.org).
#[must_use]
pub fn is_coloured(stream: &impl IsTerminal) -> bool {
    let is_disabled = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !is_disabled
}

/// Prints a command's output. A closed pipe is not an error.
///
/// # Errors
/// If it cannot be written.
pub fn print(text: &str) -> CommandResult {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Prints the manual page of a program, or of one of its commands.
///
/// # Errors
/// If it cannot be written.
pub fn print_man_page(mut program: Command, command: Option<&str>) -> CommandResult {
    program.build();
    let page = match command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(found) => found.clone(),
            None => exit_with_usage_error(program, "man", &format!("there is no command {name}")),
        },
    };
    Ok(clap_mangen::Man::new(page).render(&mut io::stdout().lock())?)
}

/// Prints a usage error of this command and exits with code 2.
///
/// # Panics
/// If the program has no such command.
pub fn exit_with_usage_error(mut program: Command, command: &str, problem: &str) -> ! {
    program.build();
    let command = program.find_subcommand_mut(command);
    let command = command.expect("the command exists");
    command.error(ErrorKind::ValueValidation, problem).exit()
}

/// Calls `last` when a signal terminates the program, then exits with the code that shells expect. For commands
/// that must clean up.
///
/// # Errors
/// If a signal handler cannot be installed, or a thread cannot be started.
pub fn on_exit_signal(last: impl Fn() + Send + 'static) -> io::Result<()> {
    on_signals(move |first| {
        last();
        std::process::exit(exit_code(first));
    })
}

/// Calls `stop` at the first terminating signal; the second one exits immediately.
///
/// # Errors
/// If a signal handler cannot be installed, or a thread cannot be started.
pub fn stop_on_signal(stop: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut is_stopping = false;
    on_signals(move |signal| {
        if is_stopping {
            std::process::exit(exit_code(signal));
        }
        is_stopping = true;
        stop();
    })
}

/// Calls `then` for every terminating signal, on a separate thread.
fn on_signals(mut handler: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::install()?
    };
    std::thread::Builder::new().spawn(move || {
        loop {
            handler(runtime.block_on(signals.next()));
        }
    })?;
    Ok(())
}

/// The exit code by which shells report termination by a signal.
const fn exit_code(signal: i32) -> i32 {
    128 + signal
}

/// The signals whose default action terminates the process, except those that cannot be handled and those that
/// report a fault of the process.
#[derive(Debug)]
pub struct Signals {
    #[cfg(unix)]
    handlers: Vec<(i32, tokio::signal::unix::Signal)>,
}

#[cfg(unix)]
impl Signals {
    /// Installs the signal handlers. A signal that was ignored when the program started stays ignored, as for
    /// `nohup`, except SIGINT and SIGQUIT, which shells ignore for background jobs, and SIGTERM.
    ///
    /// # Errors
    /// If a signal handler cannot be installed.
    pub fn install() -> io::Result<Self> {
        use rustix::process::Signal;
        use tokio::signal::unix::{SignalKind, signal};
        let always = [Signal::INT, Signal::QUIT, Signal::TERM];
        let others = [
            Signal::HUP,
            Signal::USR1,
            Signal::USR2,
            Signal::ALARM,
            Signal::VTALARM,
            Signal::PROF,
            Signal::XCPU,
            Signal::XFSZ,
            #[cfg(target_os = "linux")]
            Signal::IO,
            #[cfg(target_os = "linux")]
            Signal::POWER,
            #[cfg(target_os = "linux")]
            Signal::STKFLT,
        ];
        let ignored = ignored_signals();
        let others = others.map(Signal::as_raw).into_iter();
        let others = others.filter(|signal| ignored & (1 << (signal - 1)) == 0);
        let all = always.map(Signal::as_raw).into_iter().chain(others);
        let handlers = all.map(|number| Ok((number, signal(SignalKind::from_raw(number))?)));
        Ok(Signals {
            handlers: handlers.collect::<io::Result<_>>()?,
        })
    }

    /// Waits for the next signal and returns its number.
    pub async fn next(&mut self) -> i32 {
        std::future::poll_fn(|context| {
            let mut signals = self.handlers.iter_mut();
            let received = signals.find_map(|(number, signal)| {
                signal.poll_recv(context).is_ready().then_some(*number)
            });
            received.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// The signals that this process ignores, as a mask with bit `number - 1`; 0 where the system does not report
/// them.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap_or(0))
}

#[cfg(not(unix))]
impl Signals {
    /// # Errors
    /// If a signal handler cannot be installed.
    pub fn install() -> io::Result<Self> {
        Ok(Signals {})
    }

    /// Waits for Ctrl-C and returns its number.
    pub async fn next(&mut self) -> i32 {
        // If Ctrl-C cannot be handled, the system's default action remains.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        2
    }
}
