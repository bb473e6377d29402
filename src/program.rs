//! What both programs share: logging, printing, signals and exit codes.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Command;
use clap::error::ErrorKind;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::faces;
use crate::options::{LogFormat, Logging};

/// How many lines of the log may wait for a slow reader; more are lost.
const LINES: usize = 16_384;

/// What a command ends with.
pub type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// Starts the log, installs the given weights, and runs `work`. An error is written to stderr as one line that begins
/// with the program's name.
pub fn run(
    name: &str,
    logging: Logging,
    weights: Option<&Path>,
    work: impl FnOnce() -> Outcome,
) -> ExitCode {
    // Kept until the end: dropping it writes what was logged last, for at most a second.
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

/// Before anything plays: levels do not look again.
fn install_weights(file: &Path) -> Outcome {
    let name = file.display();
    let bytes = std::fs::read(file).map_err(|error| format!("{name}: {error}"))?;
    let games = faces::install_weights(&bytes);
    let games = games.map_err(|error| format!("{name}: {error}"))?;
    tracing::info!(%games, "weights of your own");
    Ok(())
}

/// A thread of its own writes to stderr, and lines that it cannot write are lost: a full disk, a closed
/// pipe or a reader that stands still behind stderr must not stop a game.
fn log_to_stderr(logging: Logging) -> (NonBlocking, WorkerGuard) {
    let chosen = std::env::var("RUST_LOG").ok();
    let chosen = chosen.and_then(|filter| filter.parse::<Targets>().ok());
    let filter = chosen.unwrap_or_else(|| Targets::new().with_default(logging.level()));
    let (log, writing) = NonBlockingBuilder::default()
        .buffered_lines_limit(LINES)
        .finish(io::stderr());
    let lines = tracing_subscriber::fmt::layer().with_writer(log.clone());
    let filtered = tracing_subscriber::registry().with(filter);
    match logging.log_format {
        // Colours are for eyes: in a file they are noise.
        LogFormat::Text => filtered
            .with(lines.with_ansi(is_coloured(&io::stderr())))
            .init(),
        LogFormat::Json => filtered.with(lines.json().flatten_event(true)).init(),
    }
    (log, writing)
}

/// Whether what is written here is seen by a person who does not mind colours (no-color.org).
#[must_use]
pub fn is_coloured(stream: &impl IsTerminal) -> bool {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !plain
}

/// Prints a command's output. A closed pipe is no error.
///
/// # Errors
/// When it cannot be written.
pub fn print(text: &str) -> Outcome {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Prints the manual of a program, or of one of its commands.
///
/// # Errors
/// When it cannot be written.
pub fn man(mut program: Command, command: Option<&str>) -> Outcome {
    program.build();
    let page = match command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(found) => found.clone(),
            None => bad_usage(program, "man", &format!("there is no command {name}")),
        },
    };
    Ok(clap_mangen::Man::new(page).render(&mut io::stdout().lock())?)
}

/// Prints a usage error of this command and exits with code 2.
///
/// # Panics
/// When the program has no such command.
pub fn bad_usage(mut program: Command, command: &str, problem: &str) -> ! {
    program.build();
    let command = program.find_subcommand_mut(command);
    let command = command.expect("main runs what the options name");
    command.error(ErrorKind::ValueValidation, problem).exit()
}

/// SIGTERM and Ctrl-C.
#[derive(Debug)]
pub struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Installs the signal handlers.
    ///
    /// # Errors
    /// When the system refuses to install a handler.
    pub fn hear() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    /// Installs the signal handlers.
    ///
    /// # Errors
    /// When the system refuses to install a handler.
    pub fn hear() -> io::Result<Self> {
        Ok(Signals {})
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        // Without a way to hear Ctrl-C the system's own way of ending programs remains.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
