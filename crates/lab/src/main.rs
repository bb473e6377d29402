//! The program: parses the command line, calls the libraries and prints errors.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use dice_of_doom::arena::{ArenaProgress, GameParametersJson};
use dice_of_doom::games::Registry;
use dice_of_doom::process::{self, CommandResult, Signals, exit_with_usage_error, print};
use dice_of_doom_lab::cli::{
    BookArgs, DayArgs, ExploitArgs, LabCli, LabCommand, LadderArgs, LoadArgs, PuzzlesArgs,
    TrainArgs,
};
use dice_of_doom_lab::load_test::{LoadProgress, LoadTestError, run_day_test, run_load_test};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    let games = Registry::builtin();
    let options = LabCli::parse_from(&games, std::env::args_os());
    let options = options.unwrap_or_else(|error| error.exit());
    let logging = options.logging();
    let command = options.into_command();
    let weights = command.weights().map(Path::to_owned);
    process::run("dice-of-doom-lab", logging, weights.as_deref(), || {
        run(command, &games)
    })
}

fn run(command: LabCommand, games: &Registry) -> CommandResult {
    match command {
        LabCommand::Ladder(options) => ladder(&options, games),
        LabCommand::Train(options) => train(options),
        LabCommand::Exploit(options) => exploit(options),
        LabCommand::Book(options) => book(&options),
        LabCommand::Puzzles(options) => puzzles(&options, games),
        LabCommand::Load(options) => load(&options),
        LabCommand::Day(options) => day(&options),
        LabCommand::Completions { shell } => {
            let mut options = LabCli::command(games);
            clap_complete::generate(shell, &mut options, "dice-of-doom-lab", &mut io::stdout());
            Ok(())
        }
        LabCommand::Man { command } => {
            process::print_man_page(LabCli::command(games), command.as_deref())
        }
    }
}

fn ladder(options: &LadderArgs, games: &Registry) -> CommandResult {
    let configured_games = options.games_to_measure(games);
    let configured_games = configured_games.unwrap_or_else(|problem| {
        exit_with_usage_error(LabCli::command(games), "ladder", &problem)
    });
    let mut ratings = options.load_ratings()?;
    for setting in configured_games {
        let parameters = GameParametersJson::from_json(setting.parameters_text());
        let parameters = parameters.ok_or("parameters are written in JSON")?;
        let players = setting.players();
        let config = options.config(&*setting);
        let game_ratings = config.measure(parameters, players, |arena| {
            setting.run_arena(arena, &ArenaProgress::on_stderr(arena.max_boards(players)))
        });
        let game_ratings = game_ratings?;
        // A failed write is ignored: the file contains the complete result.
        let _ = writeln!(io::stdout(), "{game_ratings}");
        ratings.merge(game_ratings);
        options.save(&ratings)?;
    }
    Ok(())
}

fn train(options: TrainArgs) -> CommandResult {
    // A failed write is ignored: progress is only informative.
    let report = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    Ok(options.run(report)?)
}

fn exploit(options: ExploitArgs) -> CommandResult {
    // A failed write is ignored: progress is only informative.
    let report = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    let result = options.run(report)?;
    writeln!(io::stdout().lock(), "{result}")?;
    Ok(())
}

fn book(options: &BookArgs) -> CommandResult {
    // A failed write is ignored: progress is only informative.
    let mut report = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    Ok(options.run(&mut report)?)
}

fn puzzles(options: &PuzzlesArgs, games: &Registry) -> CommandResult {
    // A failed write is ignored: progress is only informative.
    let mut report = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    options.run(games, &mut report)
}

fn load(options: &LoadArgs) -> CommandResult {
    let plan = options.plan();
    let report = run_test(options.client.threads, async move |stop| {
        run_load_test(&plan, stop, report_progress).await
    })?;
    print_report(&report, options.client.json)?;
    match options.strict && !report.is_flawless() {
        true => Err("somebody would have noticed".into()),
        false => Ok(()),
    }
}

fn day(options: &DayArgs) -> CommandResult {
    let plan = options.plan();
    let report = run_test(options.client.threads, async move |stop| {
        run_day_test(&plan, stop, report_progress).await
    })?;
    print_report(&report, options.client.json)
}

/// Runs a test on its own threads; the first signal ends it earlier, the second one the program.
fn run_test<T: Send + 'static, F>(
    threads: u16,
    test: impl FnOnce(CancellationToken) -> F,
) -> Result<T, Box<dyn Error + Send + Sync>>
where
    F: Future<Output = Result<T, LoadTestError>> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.into())
        .enable_all()
        .build()?;
    let report = runtime.block_on(async {
        let stop = CancellationToken::new();
        let mut signals = Signals::install()?;
        let cancelled = stop.clone();
        tokio::spawn(async move {
            signals.next().await;
            cancelled.cancel();
            signals.next().await;
            std::process::exit(1);
        });
        // Spawned so that it runs on the worker threads like all other tasks.
        Ok::<_, Box<dyn Error + Send + Sync>>(tokio::spawn(test(stop)).await??)
    })?;
    if io::stderr().is_terminal() {
        let _ = writeln!(io::stderr());
    }
    Ok(report)
}

fn report_progress(progress: LoadProgress) {
    if io::stderr().is_terminal() {
        let LoadProgress {
            since,
            done,
            failed,
        } = progress;
        // A failed write is ignored: progress is only informative.
        let _ = write!(
            io::stderr(),
            "\r{} s: {done} done, {failed} failed ",
            since.as_secs()
        );
    }
}

fn print_report(report: &(impl Display + Serialize), json: bool) -> CommandResult {
    let output = match json {
        true => format!("{}\n", serde_json::to_string(report)?),
        false => report.to_string(),
    };
    print(&output)
}
