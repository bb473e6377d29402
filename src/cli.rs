//! The command line. Its help texts are the manual.
//!
//! `serve` is the default command: `dice-of-doom --listen …` is `dice-of-doom serve --listen …`. Each game defines its
//! own flags ([`RegistrableGame::FLAGS`](crate::games::RegistrableGame::FLAGS)).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};

use crate::games::Registry;

mod arena;
mod check;
pub mod config_layers;
mod drain;
mod engine;
pub mod game_args;
mod language;
mod logging;
mod maintenance;
mod play;
mod rate;
mod review;
mod serve;
mod solve;
mod value_parser;
mod verify;
mod weights;

pub use arena::ArenaArgs;
pub use check::CheckArgs;
pub use drain::DrainArgs;
pub use engine::EngineArgs;
pub use game_args::GameArgs;
pub use language::LanguageArgs;
pub use logging::{LogFormat, LoggingArgs};
pub use maintenance::{BackupArgs, CopyArgs, PruneArgs};
pub use play::PlayArgs;
pub use rate::RateArgs;
pub use review::ReviewArgs;
pub use serve::ServeArgs;
pub use solve::{BoardArgs, SolveArgs};
pub use value_parser::ListedValueParser;
pub use verify::VerifyArgs;
pub use weights::WeightsArgs;

/// The version of the programs, with the commit that a release was built from.
pub const VERSION: &str = env!("DOD_VERSION");

/// Play, watch, study and program Dice of Doom, the dice-conquest game of Land of Lisp.
///
/// Without a command it runs the server: open the printed address in a browser.
#[derive(Parser, Clone, Debug)]
#[command(name = "dice-of-doom", version = VERSION, args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Exit codes: 0 success, 2 bad usage, 1 any other error.\n\
    Logs go to stderr; RUST_LOG sets what is logged, for example RUST_LOG=debug.\n\
    Every option can also be set by an environment variable: --limit-tables 100 is DOD_LIMIT_TABLES=100. Lists are comma-separated."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,
    #[command(flatten)]
    serve: ServeArgs,
    #[command(flatten)]
    logging: LoggingArgs,
    /// Read options from this configuration file
    ///
    /// A TOML file with a section for each command, whose keys are the names of the command's options:
    /// limit-tables = 100 under [serve]. Options with several values take a list. The command line overrides
    /// the environment, and the environment overrides the file. Sections for commands of dice-of-doom-lab are
    /// ignored.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
}

/// The commands that have moved from this program to dice-of-doom-lab. Configuration files may have sections for them.
const LAB: [&str; 4] = ["exploit", "ladder", "load", "train"];

/// The message for a command that has moved to dice-of-doom-lab; `None` for any other error.
#[must_use]
pub fn moved_command_message(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(requested)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let name = LAB.into_iter().find(|name| name == requested)?;
    Some(format!(
        "{name} is a command of dice-of-doom-lab now: cargo run --release --package dice-of-doom-lab -- {name}"
    ))
}

impl Cli {
    /// The clap command, with the names and flags of the given games.
    #[must_use]
    pub fn command(games: &Registry) -> clap::Command {
        let with_games = |command| game_args::add_game_args(command, games);
        let command = <Cli as CommandFactory>::command()
            .mut_subcommand("play", with_games)
            .mut_subcommand("arena", with_games);
        config_layers::add_variables(command)
    }

    /// Parses the arguments; the first one is the program name.
    ///
    /// # Errors
    /// Bad usage, or a request for help or the version.
    pub fn parse_from<W>(
        games: &Registry,
        args: impl IntoIterator<Item = W>,
    ) -> Result<Self, clap::Error>
    where
        W: Into<OsString> + Clone,
    {
        config_layers::parse(Cli::command(games), args, |name| LAB.contains(&name))
    }

    #[must_use]
    pub const fn logging(&self) -> LoggingArgs {
        self.logging
    }

    /// The command to run; `serve` by default.
    #[must_use]
    pub fn into_command(self) -> CliCommand {
        self.command.unwrap_or(CliCommand::Serve(self.serve))
    }
}

#[derive(Subcommand, Clone, Debug)]
pub enum CliCommand {
    /// Serve the game to browsers and programs (the default)
    ///
    /// Games are stored in a database and continue after a restart. SIGTERM, Ctrl-C or another termination
    /// signal stops the server within two seconds; no move is lost.
    Serve(ServeArgs),
    /// Play in the terminal
    ///
    /// Enter a number to choose from the list of moves, ? for an explanation, or q to quit. The game also ends
    /// at the end of the input.
    #[command(after_long_help = play::EXAMPLES)]
    Play(PlayArgs),
    /// Answer programs: JSON lines over stdin and stdout
    ///
    /// Each line has one request object and gets one response line, in order; "id" is echoed. Errors are also
    /// responses; empty lines are ignored; the program exits at the end of the input. The ops: new, moves, step,
    /// choose, rate, solve, stop, perft, levels, notation, newgame, result, version. "stop" takes effect while an
    /// earlier request is being processed.
    #[command(after_long_help = engine::EXAMPLES)]
    Engine(EngineArgs),
    /// Rate positions: one position per line on stdin, one JSON response per line on stdout
    ///
    /// A position is in notation or in the engine's JSON form. The response is that of the engine's op choose,
    /// with the best actions; its id is the line number. Empty lines and lines that begin with # are skipped.
    #[command(after_long_help = rate::EXAMPLES)]
    Rate(RateArgs),
    /// Solve positions: one position per line on stdin, its score on stdout
    ///
    /// A line is the columns that were played from the empty board, counted from 1, a digit each; further words are
    /// ignored, and so are empty lines. The output has the columns, the score for the side to move, the number of positions searched and
    /// the microseconds: 0 for a draw; for a win one more than the chips that the winner then has left of his half of
    /// the cells; for a loss the negative of that. With --nodes a score that is not proven is printed as its bounds,
    /// such as -3..2. A line that is not a position gets an error on stderr and an empty line on stdout; the exit
    /// code is then 1.
    #[command(after_long_help = solve::EXAMPLES)]
    Solve(SolveArgs),
    /// Let computer players play each other, and measure their strength
    ///
    /// Each board is played in all rotations, so every contestant plays from every position; the confidence
    /// intervals are computed over boards, not games. The same seed gives the same results with any number of
    /// threads; only the times differ. For reliable times use an otherwise idle machine and --threads 1.
    #[command(after_long_help = arena::EXAMPLES)]
    Arena(ArenaArgs),
    /// Check the integrity of a database of games
    ///
    /// Reads every page and every game, verifies each game's hash chain and replays the game by the rules.
    /// Prints a line for each error and a summary line; the exit code is 0 if nothing is damaged, 1 if something
    /// is damaged and 2 if there is no such database. Nothing is changed, and a server may have the database
    /// open.
    Check(CheckArgs),
    /// Copy one database into another
    ///
    /// Copies between SQLite and PostgreSQL in either direction, or between two databases of one kind: the games and
    /// the rows of all other tables. The source is read as a snapshot, and a server may keep using it; no server may
    /// use the target. Everything is read back and compared. If interrupted, the same command continues where it
    /// stopped. Prints the number of games and rows, and a checksum of the games' hashes, which is the same for
    /// databases with the same games.
    Copy(CopyArgs),
    /// Copy a database into a new file; a server may keep running
    ///
    /// The file is a SQLite database with a snapshot of everything, also when the source is PostgreSQL. It contains
    /// the secret seeds of games in progress: protect it like the database. The file appears under its name only
    /// when it is complete.
    Backup(BackupArgs),
    /// Copy a backup into a database
    ///
    /// The database must be empty or contain only rows of the backup. No server may use it during the restore.
    Restore(BackupArgs),
    /// Delete games without activity for a given number of days
    ///
    /// Deletes finished and unfinished games. No server may have the database open. A server deletes finished
    /// games itself with --keep-days.
    Prune(PruneArgs),
    /// Shut down a server on this machine gracefully, and wait until it has exited
    ///
    /// The same as SIGTERM, but waits for the exit: the server reports that it is not ready for its
    /// --drain-seconds, redirects the viewers of games to other servers, hands its computer players' games over to
    /// them and exits. No move is lost. Only the server's own user and root may do this.
    Drain(DrainArgs),
    /// Verify game records: the rules, and that the dice were committed before the first roll
    ///
    /// Works offline. Replays every entry, recomputes every roll from the revealed seed, and compares the
    /// checksum, the commitment, the end and the winners. Prints a line for each record: what was verified, or
    /// the first failed check; the exit code is 1 if a check fails. A file contains one record, an array of
    /// records, or several records one after another. docs/fair-dice.md explains what this proves.
    Verify(VerifyArgs),
    /// Convert records from JSON to notation and from notation to JSON
    ///
    /// Accepts the same input as the command verify, checks it, and prints each game in the other form: JSON with
    /// one record per line, or the notation of docs/notation.md.
    Convert(VerifyArgs),
    /// Review a finished game: the effect of luck, and the cost of every decision
    ///
    /// Reads a game record, evaluates each decision with the search of the strongest level, and prints each
    /// player's total gain or loss from the dice and from decisions, and the most costly decisions. The result
    /// is the same as /g/ID/review on a server. Progress is shown on a terminal.
    Review(ReviewArgs),
    /// Print completions for a shell
    ///
    /// For example: dice-of-doom completions bash > ~/.local/share/bash-completion/completions/dice-of-doom
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print the manual as a man page
    ///
    /// For example: dice-of-doom man > dice-of-doom.1. With the name of a command, prints that command's page.
    Man {
        /// The command to print the page of; without it, the page of the program
        command: Option<String>,
    },
}

impl CliCommand {
    /// The file with the weights to use instead of the bundled ones.
    #[must_use]
    pub fn weights(&self) -> Option<&Path> {
        let weights = match self {
            CliCommand::Serve(options) => &options.weights,
            CliCommand::Play(options) => &options.weights,
            CliCommand::Engine(options) => &options.weights,
            CliCommand::Rate(options) => &options.weights,
            CliCommand::Arena(options) => &options.weights,
            CliCommand::Review(options) => &options.weights,
            _ => return None,
        };
        weights.file.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::terminal::{TerminalGame, TerminalSeat};

    fn parse(line: &str) -> Result<CliCommand, clap::Error> {
        let args = std::iter::once("dice-of-doom").chain(line.split_whitespace());
        Cli::parse_from(&Registry::builtin(), args).map(Cli::into_command)
    }

    #[track_caller]
    fn serve(line: &str) -> ServeArgs {
        match parse(line) {
            Ok(CliCommand::Serve(serve)) => serve,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn clap_accepts_the_command_definition() {
        Cli::command(&Registry::builtin()).debug_assert();
    }

    #[test]
    fn the_argument_names_of_play_and_arena_are_reserved() {
        use crate::games::cli::RESERVED;

        let mut options = <Cli as CommandFactory>::command();
        options.build();
        let mut used_names = std::collections::BTreeSet::new();
        for name in ["play", "arena"] {
            let command = options.find_subcommand(name).unwrap();
            let arguments = command.get_arguments().map(clap::Arg::get_id);
            let groups = command.get_groups().map(clap::ArgGroup::get_id);
            let names = arguments.chain(groups).map(clap::Id::as_str);
            // Groups that clap derives from structs begin with a capital letter.
            used_names.extend(names.filter(|name| name.starts_with(char::is_lowercase)));
        }
        // The tests of dice-of-doom-lab check the remaining reserved names.
        let unreserved: Vec<_> = used_names
            .iter()
            .filter(|name| !RESERVED.contains(name))
            .collect();
        assert!(unreserved.is_empty(), "{unreserved:?}");
    }

    #[test]
    fn a_moved_command_is_reported_with_its_new_program() {
        for (line, name) in [
            ("train --games 10", "train"),
            ("exploit --help", "exploit"),
            ("-v train", "train"),
            ("ladder dice --output a.json", "ladder"),
            ("load --url http://127.0.0.1:8080 --json", "load"),
            ("help load", "load"),
        ] {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
            let message = moved_command_message(&error).unwrap();
            assert!(
                message.starts_with(&format!("{name} is a command of dice-of-doom-lab")),
                "{message}"
            );
        }
        for line in ["dance", "serve load", "--listen train", "--help"] {
            assert_eq!(
                moved_command_message(&parse(line).expect_err(line)),
                None,
                "{line}"
            );
        }
    }

    #[test]
    fn serve_is_the_default() {
        check_listen("", &["127.0.0.1:8080"]);
        check_listen("--listen [::1]:0", &["[::1]:0"]);
        check_listen("serve --listen 0.0.0.0:80", &["0.0.0.0:80"]);
        let several = ["127.0.0.1:80", "[::1]:80", "unix:/run/dice.sock"];
        check_listen(
            "--listen 127.0.0.1:80,[::1]:80 --listen unix:/run/dice.sock",
            &several,
        );
        assert_eq!(serve("--host a.example --host b.example").hosts.len(), 2);
        assert_eq!(serve("--host a.example,b.example").hosts.len(), 2);
        assert_eq!(serve("--trusted-proxy 10.0.0.0/8").trusted_proxies.len(), 1);
        assert!(serve("serve --database memory:").database_url().unwrap() == "memory:");
    }

    #[track_caller]
    fn check_listen(line: &str, expect: &[&str]) {
        let listen = serve(line).listen.into_iter();
        let listen: Vec<String> = listen.map(|address| address.to_string()).collect();
        assert_eq!(listen, expect, "{line}");
    }

    #[track_caller]
    fn terminal_game(line: &str) -> Result<TerminalGame, String> {
        match parse(line) {
            Ok(CliCommand::Play(play)) => play.terminal_game(&Registry::builtin(), 1),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn terminal_games_have_defaults() {
        let default = terminal_game("play").unwrap();
        let book = TerminalSeat::Level(Level::Book.into());
        assert_eq!(default.seats, [TerminalSeat::Human, book, book, book]);
        let same = terminal_game("play dice --rules v4").unwrap();
        assert_eq!(
            default.setting.parameters_text(),
            same.setting.parameters_text()
        );
        assert_eq!(default.seed, 1);
        let trilobite = terminal_game("play trilobite --seed 7").unwrap();
        assert_eq!(
            (trilobite.seats, trilobite.seed),
            (vec![TerminalSeat::Human, book], 7)
        );
    }

    #[test]
    fn invalid_terminal_games_are_rejected() {
        for line in [
            "play --width 3",
            "play trilobite --side 3",
            "play --players 7",
            "play --seats human",
            "play --rules v1 --players 5",
        ] {
            assert!(terminal_game(line).is_err(), "{line}");
        }
    }

    #[test]
    fn stream_limits_reserve_connections_for_pages() {
        let stream_limits = |line: &str| {
            let config = serve(&format!("--database memory: {line}")).config();
            config.unwrap().stream_limits()
        };
        let limits = stream_limits("--limit-streams-per-game 3 --limit-streams-per-address 2");
        assert_eq!((limits.per_game, limits.per_address), (3, 2));
        let few = stream_limits("--limit-connections 16 --limit-streams 99");
        assert_eq!(few.all, 14);
        assert_eq!(stream_limits("--limit-streams 1").all, 1);
    }

    #[test]
    fn bad_usage_has_exit_code_2() {
        for line in [
            "--listen 8080",
            "--listen nowhere",
            "--limit-games-per-minute 0",
            "--limit-streams 0",
            "--keep-days -1",
            "--trusted-proxy ten",
            "dance",
            "play chess",
            "play --rules v5",
            "play --seats human,god",
            "engine --limit-nodes 0",
            "completions klingon",
            "--limit-loopback serve",
        ] {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn help_has_exit_code_0() {
        assert_eq!(parse("--help").unwrap_err().exit_code(), 0);
        assert_eq!(parse("serve --help").unwrap_err().exit_code(), 0);
    }

    #[test]
    fn the_help_lists_the_supported_databases() {
        let help = parse("serve --help").unwrap_err().to_string();
        let kinds = "sqlite:PATH, postgres://USER@HOST/DATABASE or memory:";
        assert!(help.contains(kinds), "{help}");
    }

    #[test]
    fn the_configuration_file_sets_options_missing_on_the_command_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dice.toml");
        let parse_with_file = |text: &str, line: &str| {
            std::fs::write(&file, text).unwrap();
            parse(&format!("{line} --config {}", file.display()))
        };
        let check = |served: &ServeArgs, tables: u32| {
            assert_eq!(served.listen, ["127.0.0.1:9".parse().unwrap()]);
            assert_eq!(served.limit_tables, tables);
        };
        let text = "[serve]\nlisten = \"127.0.0.1:9\"\nlimit-tables = 7\nlimit-loopback = true\n\
                    host = [\"a.example\", \"b.example\"]\n[play]\nseed = 5\n";
        for line in ["", "serve"] {
            let Ok(CliCommand::Serve(served)) = parse_with_file(text, line) else {
                panic!("{line}")
            };
            check(&served, 7);
            assert!(served.limit_loopback);
            assert_eq!(served.hosts.len(), 2);
        }
        let Ok(CliCommand::Serve(served)) = parse_with_file(text, "serve --limit-tables 8") else {
            panic!("the command line overrides the file")
        };
        check(&served, 8);
        let Ok(CliCommand::Play(play)) = parse_with_file(text, "play --seats book,book,book,book")
        else {
            panic!("expected the command play")
        };
        assert_eq!(play.seed, Some(5));
        // Both programs can share one file.
        assert!(parse_with_file("[load]\nrate = 5\n[ladder]\nboards = 1", "serve").is_ok());
        for (text, problem) in [
            ("[serve]\ntables = 7", "serve has no option tables"),
            ("[dance]\na = 1", "there is no command dance"),
            ("listen = \"127.0.0.1:9\"", "outside of any section"),
            ("[serve]\nlimit-tables = 0", "limit-tables"),
            ("[serve]\nlimit-tables = 1979-05-27", "a word, a number"),
            ("[serve", "1"),
        ] {
            let message = parse_with_file(text, "serve").unwrap_err().to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
        let missing = parse("serve --config /nowhere/dice.toml").unwrap_err();
        assert!(
            missing.to_string().contains("/nowhere/dice.toml"),
            "{missing}"
        );
    }

    #[test]
    fn every_option_has_an_environment_variable() {
        let mut options = Cli::command(&Registry::builtin());
        options.build();
        let commands = std::iter::once(&options).chain(options.get_subcommands());
        for command in commands {
            for arg in command.get_arguments() {
                let has_variable = arg.get_env().is_some();
                let needs_variable = arg
                    .get_long()
                    .is_some_and(|long| long != "help" && long != "version");
                assert_eq!(
                    has_variable,
                    needs_variable,
                    "{} {}",
                    command.get_name(),
                    arg.get_id()
                );
            }
        }
    }

    #[test]
    fn completions_include_option_values() {
        let mut options = Cli::command(&Registry::builtin());
        let mut script = Vec::new();
        clap_complete::generate(
            clap_complete::Shell::Bash,
            &mut options,
            "dice-of-doom",
            &mut script,
        );
        let script = String::from_utf8(script).unwrap();
        for values in [
            "v1 v2 v3 v4 conquest",
            "human novice random book greedy",
            "en ja ru",
            "dice trilobite",
        ] {
            assert!(script.contains(values), "{values}");
        }
    }
}
