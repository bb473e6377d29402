//! The program: parses the command line, calls the library, prints errors.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use dice_of_doom::arena::Progress;
use dice_of_doom::arena::tune;
use dice_of_doom::engine::Engine;
use dice_of_doom::faces::Registry;
use dice_of_doom::faces::terminal::Paint;
use dice_of_doom::options::{self, Arena, Command, Options, Play, Serve};
use dice_of_doom::templates::Language;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    let games = Registry::house();
    let options = Options::parse_from(&games, std::env::args_os());
    let options = options.unwrap_or_else(|error| error.exit());
    log_to_stderr();
    match run(options.chosen(), &games) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("dice-of-doom: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command, games: &Registry) -> Outcome {
    match command {
        Command::Serve(options) => serve(&options, games.clone()),
        Command::Play(options) => play(&options, games),
        Command::Arena(options) => arena(&options, games),
        Command::Tune(options) => tune(options),
        Command::Engine(options) => engine(options, games),
        Command::Completions { shell } => {
            let mut options = Options::command(games);
            clap_complete::generate(shell, &mut options, "dice-of-doom", &mut io::stdout());
            Ok(())
        }
    }
}

fn play(options: &Play, games: &Registry) -> Outcome {
    let game = options.terminal_game(games, rand::random());
    let game = game.unwrap_or_else(|problem| bad_usage(games, "play", &problem));
    let output = io::stdout().lock();
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let paint = if output.is_terminal() && !plain {
        Paint::Colour
    } else {
        Paint::Plain
    };
    let text = games.text(Language::default());
    Ok(game.play(io::stdin().lock(), output, paint, text)?)
}

fn arena(options: &Arena, games: &Registry) -> Outcome {
    let asked = options.contest(games);
    let (contest, game) = asked.unwrap_or_else(|problem| bad_usage(games, "arena", &problem));
    let progress = Progress::on_stderr(contest.most_boards(game.players()));
    let report = game.contest(&contest, &progress)?;
    let printed = if options.json {
        format!("{}\n", serde_json::to_string(&report)?)
    } else {
        report.to_string()
    };
    match io::stdout().lock().write_all(printed.as_bytes()) {
        // Whoever read has had enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Ends the program as clap ends it.
fn bad_usage(games: &Registry, command: &str, problem: &str) -> ! {
    let mut usage = Options::command(games);
    usage.build();
    let command = usage.find_subcommand_mut(command);
    let command = command.expect("main runs what the options name");
    command.error(ErrorKind::ValueValidation, problem).exit()
}

fn tune(options: options::Tune) -> Outcome {
    let options::Tune { games, seed } = options;
    let report = |line: &str| eprintln!("{line}");
    write!(io::stdout().lock(), "{}", tune::file(games, seed, &report))?;
    Ok(())
}

fn engine(options: options::Engine, games: &Registry) -> Outcome {
    let output = io::BufWriter::new(io::stdout().lock());
    let mut engine = Engine::new(games.clone(), options.limits());
    Ok(engine.run(io::stdin().lock(), output)?)
}

fn log_to_stderr() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .init();
}

#[tokio::main]
async fn serve(options: &Serve, games: Registry) -> Outcome {
    let config = options.config()?;
    let stop = CancellationToken::new();
    // Before anything listens: whoever has seen the address may end the program.
    let signals = Signals::hear()?;
    tokio::spawn(signals.into_stop(stop.clone()));
    dice_of_doom::web::run(games, config, stop).await
}

/// SIGTERM and Ctrl-C.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    /// The first signal asks for an orderly end, the second ends at once.
    async fn into_stop(mut self, stop: CancellationToken) {
        self.next().await;
        stop.cancel();
        self.next().await;
        std::process::exit(1);
    }
}

#[cfg(unix)]
impl Signals {
    fn hear() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    fn hear() -> io::Result<Self> {
        Ok(Signals {})
    }

    async fn next(&mut self) {
        // Without a way to hear Ctrl-C the system's own way of ending programs remains.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
