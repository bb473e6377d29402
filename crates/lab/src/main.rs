//! The program: parses the command line, calls the libraries, prints errors.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use dice_of_doom::arena::{ArenaProgress, GameParametersJson, tune};
use dice_of_doom::game_adapters::Registry;
use dice_of_doom::program::{self, CommandResult, Signals, bad_usage, print};
use dice_of_doom_lab::cli::{
    ExploitArgs, LabCli, LabCommand, LadderArgs, LoadArgs, TrainArgs, TuneArgs,
};
use dice_of_doom_lab::load_test::{LoadProgress, load};
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    let games = Registry::builtin();
    let options = LabCli::parse_from(&games, std::env::args_os());
    let options = options.unwrap_or_else(|error| error.exit());
    let logging = options.logging();
    let command = options.chosen();
    let weights = command.weights().map(Path::to_owned);
    program::run("dice-of-doom-lab", logging, weights.as_deref(), || {
        run(command, &games)
    })
}

fn run(command: LabCommand, games: &Registry) -> CommandResult {
    match command {
        LabCommand::Ladder(options) => ladder(&options, games),
        LabCommand::Tune(options) => weigh(options),
        LabCommand::Train(options) => train(options),
        LabCommand::Exploit(options) => exploit(options),
        LabCommand::Load(options) => put_load(&options),
        LabCommand::Completions { shell } => {
            let mut options = LabCli::command(games);
            clap_complete::generate(shell, &mut options, "dice-of-doom-lab", &mut io::stdout());
            Ok(())
        }
        LabCommand::Man { command } => program::man(LabCli::command(games), command.as_deref()),
    }
}

fn ladder(options: &LadderArgs, games: &Registry) -> CommandResult {
    let settings = options.settings(games);
    let settings =
        settings.unwrap_or_else(|problem| bad_usage(LabCli::command(games), "ladder", &problem));
    let mut strengths = options.begin()?;
    for setting in settings {
        let parameters = GameParametersJson::written(setting.parameters_text());
        let parameters = parameters.ok_or("parameters are written in JSON")?;
        let players = setting.players();
        let measured = options.ladder().measure(parameters, players, |contest| {
            setting.contest(
                contest,
                &ArenaProgress::on_stderr(contest.max_boards(players)),
            )
        });
        let measured = measured?;
        // Nobody need read the table: the file has all of it.
        let _ = writeln!(io::stdout(), "{measured}");
        strengths.merge(measured);
        options.keep(&strengths)?;
    }
    Ok(())
}

fn weigh(options: TuneArgs) -> CommandResult {
    let TuneArgs { games, seed } = options;
    // Nobody need read how far it has come.
    let report = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    write!(io::stdout().lock(), "{}", tune::file(games, seed, &report))?;
    Ok(())
}

fn train(options: TrainArgs) -> CommandResult {
    // Nobody need read how far it has come.
    let report = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    Ok(options.train().run(report)?)
}

fn exploit(options: ExploitArgs) -> CommandResult {
    // Nobody need read how far it has come.
    let report = |line: &str| drop(writeln!(io::stderr(), "{line}"));
    let reached = options.exploit().run(report)?;
    writeln!(io::stdout().lock(), "{reached}")?;
    Ok(())
}

fn put_load(options: &LoadArgs) -> CommandResult {
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
    print(&printed)?;
    match options.strict && !report.is_flawless() {
        true => Err("somebody would have noticed".into()),
        false => Ok(()),
    }
}
