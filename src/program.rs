//! What both programs share: logging, printing, signals and exit codes.

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
use crate::game_adapters;

/// How many lines of the log may wait for a slow reader; more are lost.
const LINES: usize = 16_384;

/// What a command ends with.
pub type CommandResult = Result<(), Box<dyn Error + Send + Sync>>;

/// Starts the log, installs the given weights, and runs `work`. An error is written to stderr as one line that begins
/// with the program's name.
pub fn run(
    name: &str,
    logging: LoggingArgs,
    weights: Option<&Path>,
    work: impl FnOnce() -> CommandResult,
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
fn install_weights(file: &Path) -> CommandResult {
    let name = file.display();
    let bytes = std::fs::read(file).map_err(|error| format!("{name}: {error}"))?;
    let games = game_adapters::install_weights(&bytes);
    let games = games.map_err(|error| format!("{name}: {error}"))?;
    tracing::info!(%games, "weights of your own");
    Ok(())
}

/// A thread of its own writes to stderr, and lines that it cannot write are lost: a full disk, a closed
/// pipe or a reader that stands still behind stderr must not stop a game.
fn log_to_stderr(logging: LoggingArgs) -> (NonBlocking, WorkerGuard) {
    let asked = std::env::var_os("RUST_LOG");
    let asked = asked.map(|filter| filter.to_string_lossy().into_owned());
    // The parser takes whatever it does not know for the name of a module.
    let is_filter = |filter: &&String| !filter.is_empty() && !filter.contains(char::is_control);
    let chosen = asked.as_ref().filter(is_filter);
    let chosen = chosen.and_then(|filter| filter.parse().ok());
    let is_misread = asked.is_some() && chosen.is_none();
    let filter: Targets = chosen.unwrap_or_else(|| Targets::new().with_default(logging.level()));
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
    if is_misread {
        let asked = asked.unwrap_or_default();
        tracing::warn!(
            "RUST_LOG is {asked:?} in the environment, which says nothing of what to log"
        );
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
pub fn print(text: &str) -> CommandResult {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Prints the manual of a program, or of one of its commands.
///
/// # Errors
/// When it cannot be written.
pub fn man(mut program: Command, command: Option<&str>) -> CommandResult {
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

/// Does this when a signal asks the program to end, and ends the program as shells expect it then. For commands that
/// have something to do before.
///
/// # Errors
/// When the system refuses to install a handler, or to start a thread.
pub fn before_signalled_end(last: impl Fn() + Send + 'static) -> io::Result<()> {
    on_signals(move |first| {
        last();
        std::process::exit(exit_code(first));
    })
}

/// Raises `stop` at the first signal that asks the program to end; the second ends it at once.
///
/// # Errors
/// When the system refuses to install a handler, or to start a thread.
pub fn stop_on_signal(stop: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut has_come = false;
    on_signals(move |signal| {
        if has_come {
            std::process::exit(exit_code(signal));
        }
        has_come = true;
        stop();
    })
}

/// Does this at every signal that asks the program to end, on a thread of its own.
fn on_signals(mut then: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::hear()?
    };
    std::thread::Builder::new().spawn(move || {
        loop {
            then(runtime.block_on(signals.next()));
        }
    })?;
    Ok(())
}

/// What a shell says of a program that a signal has ended.
const fn exit_code(signal: i32) -> i32 {
    128 + signal
}

/// The signals that end a program which does not handle them, but for those that no program can handle and those that
/// say that the program itself is at fault.
#[derive(Debug)]
pub struct Signals {
    #[cfg(unix)]
    heard: Vec<(i32, tokio::signal::unix::Signal)>,
}

#[cfg(unix)]
impl Signals {
    /// Installs the signal handlers. A signal that was ignored when the program began stays ignored, as `nohup` wants it,
    /// except SIGINT and SIGQUIT, which shells ignore for what they start in the background, and SIGTERM.
    ///
    /// # Errors
    /// When the system refuses to install a handler.
    pub fn hear() -> io::Result<Self> {
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
        let heard = all.map(|number| Ok((number, signal(SignalKind::from_raw(number))?)));
        Ok(Signals {
            heard: heard.collect::<io::Result<_>>()?,
        })
    }

    /// Waits for the next one, and answers its number.
    pub async fn next(&mut self) -> i32 {
        std::future::poll_fn(|context| {
            let mut signals = self.heard.iter_mut();
            let come = signals.find_map(|(number, signal)| {
                signal.poll_recv(context).is_ready().then_some(*number)
            });
            come.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// The signals that this process ignores, each as the bit below its number; none where the system does not tell.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap_or(0))
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

    /// Waits for the next one, and answers its number.
    pub async fn next(&mut self) -> i32 {
        // Without a way to hear Ctrl-C the system's own way of ending programs remains.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        2
    }
}
