//! The program: parses the command line, calls the library, prints errors.

use std::error::Error;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use dice_of_doom::arena::{Played, Progress, tune};
use dice_of_doom::check::{CheckError, check};
use dice_of_doom::clock::now_ms;
use dice_of_doom::drain::drain;
use dice_of_doom::engine::{Engine, RequestLimits};
use dice_of_doom::faces::notation::is_notation;
use dice_of_doom::faces::terminal::Paint;
use dice_of_doom::faces::{self, Registry};
use dice_of_doom::load::{Progress as LoadProgress, load};
use dice_of_doom::moving::{self, Copied, MoveError};
use dice_of_doom::options::{
    self, Arena, Command, Ladder, LogFormat, Logging, Options, Play, Serve, Verify,
};
use dice_of_doom::verify::{records_of, verify_files};
use tokio_util::sync::CancellationToken;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// How long after the first signal, and the time to drain, the program ends, whatever still hangs.
const LATEST_END: Duration = Duration::from_millis(1900);

/// Signals so close to the first belong to it: `timeout`, for one, sends two.
const TOGETHER: Duration = Duration::from_millis(500);

/// How many lines of the log may wait for a slow reader; more are lost.
const LINES: usize = 16_384;

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    let games = Registry::house();
    let options = Options::parse_from(&games, std::env::args_os());
    let options = options.unwrap_or_else(|error| error.exit());
    // Kept until the end: dropping it writes what was logged last, for at most a second.
    let (mut log, _writing) = log_to_stderr(options.logging());
    let command = options.chosen();
    let installed = command.weights().map_or(Ok(()), install_weights);
    match installed.and_then(|()| run(command, &games)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = log.write_all(format!("dice-of-doom: {error}\n").as_bytes());
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

fn run(command: Command, games: &Registry) -> Outcome {
    match command {
        Command::Serve(options) => serve(&options, games.clone()),
        Command::Play(options) => play(&options, games),
        Command::Arena(options) => arena(&options, games),
        Command::Ladder(options) => ladder(&options, games),
        Command::Tune(options) => tune(options),
        Command::Train(options) => train(options),
        Command::Exploit(options) => exploit(options),
        Command::Engine(options) => engine(options, games),
        Command::Rate(options) => rate(options, games),
        Command::Convert(options) => convert(&options, games),
        Command::Check(options) => check_database(&options, games),
        Command::Copy(options) => {
            moved(|told| Box::pin(moving::copy(&options.from, &options.to, told)))
        }
        Command::Backup(options) => {
            moved(|told| Box::pin(moving::backup(&options.database, &options.file, told)))
        }
        Command::Restore(options) => {
            let from = options.file.display().to_string();
            moved(|told| Box::pin(moving::copy(&from, &options.database, told)))
        }
        Command::Prune(options) => prune(&options),
        Command::Drain(options) => Ok(drain(options.pid)?),
        Command::Load(options) => put_load(&options),
        Command::Verify(options) => verify(&options, games),
        Command::Review(options) => review(&options, games),
        Command::Completions { shell } => {
            let mut options = Options::command(games);
            clap_complete::generate(shell, &mut options, "dice-of-doom", &mut io::stdout());
            Ok(())
        }
        Command::Man { command } => man(command.as_deref(), games),
    }
}

fn play(options: &Play, games: &Registry) -> Outcome {
    let game = options.terminal_game(games, rand::random());
    let game = game.unwrap_or_else(|problem| bad_usage(games, "play", &problem));
    let output = io::stdout().lock();
    let paint = if is_coloured(&output) {
        Paint::Colour
    } else {
        Paint::Plain
    };
    let text = games.text(options.speech.spoken(|name| std::env::var(name).ok()));
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

fn ladder(options: &Ladder, games: &Registry) -> Outcome {
    let settings = options.settings(games);
    let settings = settings.unwrap_or_else(|problem| bad_usage(games, "ladder", &problem));
    let mut strengths = options.begin()?;
    for setting in settings {
        let parameters = Played::written(setting.parameters_text());
        let parameters = parameters.ok_or("parameters are written in JSON")?;
        let players = setting.players();
        let measured = options.ladder().measure(parameters, players, |contest| {
            setting.contest(contest, &Progress::on_stderr(contest.most_boards(players)))
        });
        let measured = measured?;
        // Nobody need read the table: the file has all of it.
        let _ = writeln!(io::stdout(), "{measured}");
        strengths.take(measured);
        options.keep(&strengths)?;
    }
    Ok(())
}

/// Prints the manual of the program, or of one of its commands.
fn man(command: Option<&str>, games: &Registry) -> Outcome {
    let mut program = Options::command(games);
    program.build();
    let page = match command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(found) => found.clone(),
            None => bad_usage(games, "man", &format!("there is no command {name}")),
        },
    };
    Ok(clap_mangen::Man::new(page).render(&mut io::stdout().lock())?)
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
    // Nobody need read how far it has come.
    let report = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    write!(io::stdout().lock(), "{}", tune::file(games, seed, &report))?;
    Ok(())
}

fn train(options: options::Train) -> Outcome {
    // Nobody need read how far it has come.
    let report = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    Ok(options.train().run(report)?)
}

fn exploit(options: options::Exploit) -> Outcome {
    // Nobody need read how far it has come.
    let report = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    let reached = options.exploit().run(report)?;
    writeln!(io::stdout().lock(), "{reached}")?;
    Ok(())
}

fn engine(options: options::Engine, games: &Registry) -> Outcome {
    let output = io::BufWriter::new(io::stdout());
    let engine = Engine::new(games.clone(), options.limits());
    let mut engine = engine.playing_as(options.level);
    Ok(engine.run(io::BufReader::new(io::stdin()), output)?)
}

fn rate(options: options::Rate, games: &Registry) -> Outcome {
    let mut engine = Engine::new(games.clone(), RequestLimits::default());
    let mut output = io::stdout().lock();
    for (number, line) in (1..).zip(io::stdin().lock().lines()) {
        let Some(request) = options.request(number, &line?) else {
            continue;
        };
        let answer = format!("{}\n", engine.answer(request.as_bytes()));
        match output
            .write_all(answer.as_bytes())
            .and_then(|()| output.flush())
        {
            // Whoever read has had enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    Ok(())
}

fn convert(options: &Verify, games: &Registry) -> Outcome {
    for file in &options.files {
        let name = file.display();
        let text = match file.as_os_str() == "-" {
            true => io::read_to_string(io::stdin()),
            false => std::fs::read_to_string(file),
        };
        let text = text.map_err(|error| format!("{name}: {error}"))?;
        let records = records_of(&text).map_err(|error| format!("{name}: {error}"))?;
        for (number, record) in (1..).zip(records) {
            let read = games.accept_record(&record);
            let (read, _) = read.map_err(|error| format!("{name}, game {number}: {error}"))?;
            let printed = match is_notation(&record) {
                true => format!("{}\n", read.live.record_json(&read.about)),
                false => read.notation(),
            };
            match io::stdout().lock().write_all(printed.as_bytes()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                written => written?,
            }
        }
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn check_database(options: &options::Check, games: &Registry) -> Outcome {
    let found = match check(&options.place, games, io::stdout().lock()).await {
        Ok(found) => found,
        Err(CheckError::Open(error)) if !error.is_damage() => {
            bad_usage(games, "check", &error.to_string())
        }
        Err(error) => return Err(error.into()),
    };
    if found.is_whole() {
        Ok(())
    } else {
        // An address may have a password in it.
        let is_file = !options.place.contains("://");
        let name = if is_file {
            &options.place
        } else {
            "the database"
        };
        Err(format!("{name} is damaged").into())
    }
}

/// Runs a command that copies games, tells how far it has come where somebody watches, and what it has done.
#[tokio::main(flavor = "current_thread")]
async fn moved<'a>(
    begin: impl FnOnce(
        fn(usize, usize),
    ) -> Pin<Box<dyn Future<Output = Result<Copied, MoveError>> + 'a>>,
) -> Outcome {
    let told = |done: usize, of: usize| {
        if io::stderr().is_terminal() {
            // Nobody need read how far it has come.
            let end = if done == of { "\n" } else { "" };
            let _ = write!(io::stderr(), "\r{done} of {of} games{end}");
        }
    };
    let copied = begin(told).await?;
    Ok(moving::tell(&copied, io::stdout().lock())?)
}

#[tokio::main(flavor = "current_thread")]
async fn prune(options: &options::Prune) -> Outcome {
    let days = i64::from(options.older_than);
    let before_ms = now_ms() - days * 24 * 60 * 60 * 1000;
    let removed = moving::prune(&options.database, before_ms).await?;
    writeln!(io::stdout(), "{removed} games removed")?;
    Ok(())
}

fn review(options: &options::Review, games: &Registry) -> Outcome {
    let text = if options.file.as_os_str() == "-" {
        io::read_to_string(io::stdin())?
    } else {
        std::fs::read_to_string(&options.file)
            .map_err(|error| format!("{}: {error}", options.file.display()))?
    };
    let live = games.read_record(&text)?.live;
    let is_watched = io::stderr().is_terminal();
    let told = |done: u32, of: u32| {
        if is_watched {
            // Nobody need read how far it has come.
            let _ = write!(
                io::stderr(),
                "\r{done} of {of}{}",
                if done == of { "\n" } else { "" }
            );
        }
    };
    let simulations = options.simulations.map(std::num::NonZeroU64::get);
    let review = faces::review::review(&*live, simulations, told);
    let review = review.ok_or("the game goes on, or has no review")?;
    let printed = if options.json {
        live.review_json(&review).map(|json| format!("{json}\n"))
    } else {
        let spoken = options.speech.spoken(|name| std::env::var(name).ok());
        faces::review::printed(&*live, &review, games.text(spoken))
    };
    let printed = printed.ok_or("the record has no review")?;
    match io::stdout().lock().write_all(printed.as_bytes()) {
        // Whoever read has had enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

fn verify(options: &Verify, games: &Registry) -> Outcome {
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    if verify_files(games, &options.files, input, output)? {
        Ok(())
    } else {
        Err("not every record holds".into())
    }
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
fn is_coloured(stream: &impl IsTerminal) -> bool {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !plain
}

fn put_load(options: &options::Load) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(options.threads.into())
        .enable_all()
        .build()?;
    let is_watched = io::stderr().is_terminal();
    let told = move |progress: LoadProgress| {
        if is_watched {
            let LoadProgress {
                since,
                done,
                failed,
            } = progress;
            // Nobody need read how far it has come.
            let _ = write!(
                io::stderr(),
                "\r{} s: {done} done, {failed} failed ",
                since.as_secs()
            );
        }
    };
    let plan = options.plan();
    let report = runtime.block_on(async {
        let stop = CancellationToken::new();
        let mut signals = Signals::hear()?;
        let stopped = stop.clone();
        tokio::spawn(async move {
            signals.next().await;
            stopped.cancel();
            signals.next().await;
            std::process::exit(1);
        });
        // On the runtime's own threads, where everything else of it is.
        let running = tokio::spawn(async move { load(&plan, stop, told).await });
        Ok::<_, Box<dyn Error + Send + Sync>>(running.await??)
    })?;
    if is_watched {
        let _ = writeln!(io::stderr());
    }
    let printed = match options.json {
        true => format!("{}\n", serde_json::to_string(&report)?),
        false => report.to_string(),
    };
    match io::stdout().lock().write_all(printed.as_bytes()) {
        // Whoever read has had enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        written => written?,
    }
    match options.strict && !report.is_flawless() {
        true => Err("somebody would have noticed".into()),
        false => Ok(()),
    }
}

#[tokio::main]
async fn serve(options: &Serve, games: Registry) -> Outcome {
    let config = options.config()?;
    let stop = CancellationToken::new();
    // Before anything listens: whoever has seen the address may end the program.
    let signals = Signals::hear()?;
    tokio::spawn(signals.into_stop(stop.clone(), options.drain()));
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
    async fn into_stop(mut self, stop: CancellationToken, drain: Duration) {
        self.next().await;
        stop.cancel();
        // A thread, because the runtime waits at its end for what blocks, such as a disk that stands still.
        // What was acknowledged is on the disk by then.
        std::thread::spawn(move || {
            std::thread::sleep(drain + LATEST_END);
            std::process::exit(0);
        });
        let together = tokio::time::sleep(TOGETHER);
        tokio::pin!(together);
        loop {
            tokio::select! {
                () = &mut together => break,
                () = self.next() => {}
            }
        }
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
