//! The main program: parses the command line, calls the library, prints errors.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use dice_of_doom::arena::{ArenaProgress, kill_programs};
use dice_of_doom::check::{CheckError, check};
use dice_of_doom::cli::{self, ArenaArgs, Cli, CliCommand, PlayArgs, ServeArgs, VerifyArgs};
use dice_of_doom::clock::now_ms;
use dice_of_doom::drain::drain;
use dice_of_doom::engine::{Engine, RequestLimits};
use dice_of_doom::formats::notation::is_notation;
use dice_of_doom::games::terminal::ColourMode;
use dice_of_doom::games::{self, Registry};
use dice_of_doom::http::connections::{Passed, passed};
use dice_of_doom::lines::{self, BoundedLine};
use dice_of_doom::maintenance::{self, CopyError, CopySummary};
use dice_of_doom::process::{
    self, CommandResult, Signals, exit_with_usage_error, is_coloured, print,
};
use dice_of_doom::search::StopToken;
use dice_of_doom::site::Config;
use dice_of_doom::terminal::Keyboard;
use dice_of_doom::verify::{split_records, verify_files};
use tokio_util::sync::CancellationToken;

/// The time from the end of draining after which the process exits, even if something blocks.
const FORCED_EXIT: Duration = Duration::from_millis(1900);

/// Signals within this time after the first belong to it: `timeout`, for example, sends two.
const SIGNAL_GROUP: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let games = Registry::builtin();
    let options = match Cli::parse_from(&games, std::env::args_os()) {
        Ok(options) => options,
        Err(error) => match cli::moved_command_message(&error) {
            Some(message) => {
                eprintln!("dice-of-doom: {message}");
                return ExitCode::from(2);
            }
            None => error.exit(),
        },
    };
    let logging = options.logging();
    let command = options.into_command();
    let weights = command.weights().map(Path::to_owned);
    process::run("dice-of-doom", logging, weights.as_deref(), || {
        run(command, &games)
    })
}

fn run(command: CliCommand, games: &Registry) -> CommandResult {
    match command {
        CliCommand::Serve(options) => serve(&options, games.clone()),
        CliCommand::Play(options) => play(&options, games),
        CliCommand::Arena(options) => arena(&options, games),
        CliCommand::Engine(options) => engine(options, games),
        CliCommand::Rate(options) => rate(options, games),
        CliCommand::Solve(options) => solve(&options, games),
        CliCommand::Convert(options) => convert(&options, games),
        CliCommand::Check(options) => check_database(&options, games),
        CliCommand::Copy(options) => report_copied(maintenance::copy(
            &options.from,
            &options.to,
            &show_progress,
        )),
        CliCommand::Backup(options) => report_copied(maintenance::backup(
            &options.database,
            &options.file,
            &show_progress,
        )),
        CliCommand::Restore(options) => {
            let from = options.file.display().to_string();
            report_copied(maintenance::copy(&from, &options.database, &show_progress))
        }
        CliCommand::Prune(options) => prune(&options),
        CliCommand::Drain(options) => Ok(drain(options.pid)?),
        CliCommand::Verify(options) => verify(&options, games),
        CliCommand::Review(options) => review(&options, games),
        CliCommand::Completions { shell } => {
            let mut options = Cli::command(games);
            clap_complete::generate(shell, &mut options, "dice-of-doom", &mut io::stdout());
            Ok(())
        }
        CliCommand::Man { command } => {
            process::print_man_page(Cli::command(games), command.as_deref())
        }
    }
}

fn play(options: &PlayArgs, games: &Registry) -> CommandResult {
    let game = options.terminal_game(games, rand::random());
    let game =
        game.unwrap_or_else(|problem| exit_with_usage_error(Cli::command(games), "play", &problem));
    let output = io::stdout().lock();
    let paint = if is_coloured(&output) {
        ColourMode::Colour
    } else {
        ColourMode::Plain
    };
    let text = games.translations(
        options
            .speech
            .requested_language(|name| std::env::var(name).ok()),
    );
    let (input, hangup) = Keyboard::new(io::BufReader::new(io::stdin()))?;
    let stop = StopToken::new();
    let stopping = stop.clone();
    process::stop_on_signal(move || {
        stopping.request_stop();
        hangup.end_input();
    })?;
    Ok(game.play_until(&stop, input, output, paint, text)?)
}

fn arena(options: &ArenaArgs, games: &Registry) -> CommandResult {
    let parsed = options.config(games);
    let (contest, game) = parsed
        .unwrap_or_else(|problem| exit_with_usage_error(Cli::command(games), "arena", &problem));
    // Started programs would continue, as each has its own process group.
    process::on_exit_signal(kill_programs)?;
    let progress = ArenaProgress::on_stderr(contest.max_boards(game.players()));
    let progress = match options.live {
        true => progress.with_games(),
        false => progress,
    };
    let report = game.run_arena(&contest, &progress)?;
    let printed = if options.json {
        format!("{}\n", serde_json::to_string(&report)?)
    } else {
        report.to_string()
    };
    print(&printed)
}

fn engine(options: cli::EngineArgs, games: &Registry) -> CommandResult {
    let output = io::BufWriter::new(io::stdout());
    let engine = Engine::new(games.clone(), options.limits());
    let mut engine = engine.playing_as(options.level);
    Ok(engine.run(io::BufReader::new(io::stdin()), output)?)
}

fn rate(options: cli::RateArgs, games: &Registry) -> CommandResult {
    let mut engine = Engine::new(games.clone(), RequestLimits::default());
    let mut output = io::stdout().lock();
    let (mut input, mut buffer) = (io::stdin().lock(), Vec::new());
    for number in 1.. {
        let answer = match lines::read_line(&mut input, &mut buffer)? {
            None => break,
            Some(BoundedLine::TooLong) => Engine::too_long(),
            Some(BoundedLine::Bytes(line)) => {
                match options.request(number, &String::from_utf8_lossy(line)) {
                    None => continue,
                    Some(request) => engine.answer(request.as_bytes()),
                }
            }
        };
        match output
            .write_all(format!("{answer}\n").as_bytes())
            .and_then(|()| output.flush())
        {
            // The reader has closed the pipe.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    Ok(())
}

fn solve(options: &cli::SolveArgs, games: &Registry) -> CommandResult {
    let mut engine = Engine::new(games.clone(), options.limits());
    let mut output = io::stdout().lock();
    let (mut input, mut buffer) = (io::stdin().lock(), Vec::new());
    let mut wrong_lines = 0;
    for number in 1.. {
        let solved = match lines::read_line(&mut input, &mut buffer)? {
            None => break,
            Some(BoundedLine::TooLong) => Err(format!("more than {} bytes", lines::MAX_LINE_BYTES)),
            Some(BoundedLine::Bytes(line)) => {
                let line = String::from_utf8_lossy(line);
                let Some(request) = options.request(&line) else {
                    continue;
                };
                options.printed(&line, &engine.answer(request.as_bytes()))
            }
        };
        let printed = solved.unwrap_or_else(|error| {
            wrong_lines += 1;
            eprintln!("line {number}: {error}");
            String::new()
        });
        match output
            .write_all(format!("{printed}\n").as_bytes())
            .and_then(|()| output.flush())
        {
            // The reader has closed the pipe.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    match wrong_lines {
        0 => Ok(()),
        _ => Err(format!("{wrong_lines} lines are not positions that can be solved").into()),
    }
}

fn convert(options: &VerifyArgs, games: &Registry) -> CommandResult {
    for file in &options.files {
        let name = file.display();
        let text = match file.as_os_str() == "-" {
            true => io::read_to_string(io::stdin()),
            false => std::fs::read_to_string(file),
        };
        let text = text.map_err(|error| format!("{name}: {error}"))?;
        let records = split_records(&text).map_err(|error| format!("{name}: {error}"))?;
        for (number, record) in (1..).zip(records) {
            let read = games.read_verified_record(&record);
            let (read, _) = read.map_err(|error| format!("{name}, game {number}: {error}"))?;
            let printed = match is_notation(&record) {
                true => format!("{}\n", read.live.record_json(&read.metadata)),
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
async fn check_database(options: &cli::CheckArgs, games: &Registry) -> CommandResult {
    let report = match check(&options.place, games, &mut io::stdout().lock()).await {
        Ok(report) => report,
        Err(CheckError::Open(error)) if !error.is_damage() => {
            exit_with_usage_error(Cli::command(games), "check", &error.to_string())
        }
        Err(error) => return Err(error.into()),
    };
    if report.is_intact() {
        Ok(())
    } else {
        // A database URL may contain a password.
        let is_file = !options.place.contains("://");
        let name = if is_file {
            &options.place
        } else {
            "the database"
        };
        Err(format!("{name} is damaged").into())
    }
}

/// Runs a command that copies games, and prints its result.
#[tokio::main(flavor = "current_thread")]
async fn report_copied(
    copying: impl Future<Output = Result<CopySummary, CopyError>>,
) -> CommandResult {
    let copied = copying.await?;
    Ok(maintenance::print_summary(&copied, io::stdout().lock())?)
}

/// Shows the progress of copying on a terminal.
fn show_progress(done: usize, total: usize) {
    if io::stderr().is_terminal() {
        // Progress is optional: ignore errors.
        let end = if done == total { "\n" } else { "" };
        let _ = write!(io::stderr(), "\r{done} of {total} games{end}");
    }
}

#[tokio::main(flavor = "current_thread")]
async fn prune(options: &cli::PruneArgs) -> CommandResult {
    let days = i64::from(options.older_than);
    let before_ms = now_ms() - days * 24 * 60 * 60 * 1000;
    let removed = maintenance::prune(&options.database, before_ms).await?;
    writeln!(io::stdout(), "{removed} games removed")?;
    Ok(())
}

fn review(options: &cli::ReviewArgs, games: &Registry) -> CommandResult {
    let text = if options.file.as_os_str() == "-" {
        io::read_to_string(io::stdin())?
    } else {
        std::fs::read_to_string(&options.file)
            .map_err(|error| format!("{}: {error}", options.file.display()))?
    };
    let live = games.read_record(&text)?.live;
    let shows_progress = io::stderr().is_terminal();
    let report_progress = |done: u32, of: u32| {
        if shows_progress {
            // Progress is optional: ignore errors.
            let _ = write!(
                io::stderr(),
                "\r{done} of {of}{}",
                if done == of { "\n" } else { "" }
            );
        }
    };
    let simulations = options.simulations.map(std::num::NonZeroU64::get);
    let review = games::review::review(&*live, simulations, report_progress);
    let review = review.ok_or("the game goes on, or has no review")?;
    let printed = if options.json {
        live.review_json(&review).map(|json| format!("{json}\n"))
    } else {
        let spoken = options
            .speech
            .requested_language(|name| std::env::var(name).ok());
        games::review::text_report(&*live, &review, games.translations(spoken))
    };
    let printed = printed.ok_or("the record has no review")?;
    print(&printed)
}

fn verify(options: &VerifyArgs, games: &Registry) -> CommandResult {
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    if verify_files(games, &options.files, input, output)? {
        Ok(())
    } else {
        Err("not every record holds".into())
    }
}

fn serve(options: &ServeArgs, games: Registry) -> CommandResult {
    let config = options.config()?;
    // Before other threads exist, because it removes environment variables.
    serve_at(passed()?, config, options.drain(), games)
}

#[tokio::main]
async fn serve_at(
    sockets: Vec<Passed>,
    config: Config,
    drain: Duration,
    games: Registry,
) -> CommandResult {
    let stop = CancellationToken::new();
    // Before listening, so that the program can be terminated as soon as its address is known.
    let signals = Signals::install()?;
    tokio::spawn(into_stop(signals, stop.clone(), drain));
    dice_of_doom::site::server::run(games, config, sockets, stop).await
}

/// The first signal starts a graceful shutdown, the second exits immediately.
async fn into_stop(mut signals: Signals, stop: CancellationToken, drain: Duration) {
    signals.next().await;
    stop.cancel();
    // A separate thread, because the runtime waits for blocking tasks when it shuts down, for example on a
    // blocked disk. Acknowledged writes are durable by then.
    std::thread::spawn(move || {
        std::thread::sleep(drain + FORCED_EXIT);
        std::process::exit(0);
    });
    let group_end = tokio::time::sleep(SIGNAL_GROUP);
    tokio::pin!(group_end);
    loop {
        tokio::select! {
            () = &mut group_end => break,
            _ = signals.next() => {}
        }
    }
    signals.next().await;
    std::process::exit(1);
}
