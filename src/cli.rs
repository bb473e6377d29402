//! The command line. Its help texts are the manual.
//!
//! Without a command the program serves: `dice-of-doom --listen …` is
//! `dice-of-doom serve --listen …`. The flags of games come from the games
//! ([`Flagged`](crate::game_adapters::Flagged)).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};

use crate::game_adapters::Registry;

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
pub use value_parser::ListedValueParser;
pub use verify::VerifyArgs;
pub use weights::WeightsArgs;

/// The version of the programs, with the commit that a release was built from.
pub const VERSION: &str = env!("DOD_VERSION");

/// Play, watch, study and program Dice of Doom, the dice-conquest game of Land of Lisp.
///
/// Without a command it serves: open the address that it prints in a browser.
#[derive(Parser, Clone, Debug)]
#[command(name = "dice-of-doom", version = VERSION, args_conflicts_with_subcommands = true)]
#[command(after_help = "Exit codes: 0 done, 2 bad usage, 1 anything else.\n\
    Logs go to stderr; RUST_LOG chooses what is logged, for example RUST_LOG=debug.\n\
    Every option may stand in the environment, too: --limit-tables 100 is DOD_LIMIT_TABLES=100; a list has commas.")]
pub struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,
    #[command(flatten)]
    serve: ServeArgs,
    #[command(flatten)]
    logging: LoggingArgs,
    /// Take what is not said here from this file
    ///
    /// TOML, with a section for each command and the names of its options: limit-tables = 100 under
    /// [serve], and a list where an option takes several values. The command line comes first, then the environment, then the file. Sections for commands of
    /// dice-of-doom-lab are skipped.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
}

/// The commands that this program had once, and dice-of-doom-lab has now. A file of settings may have sections for them.
const LAB: [&str; 5] = ["exploit", "ladder", "load", "train", "tune"];

/// One sentence about where a command is, when it is no command of this program any more.
#[must_use]
pub fn moved_command_message(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(asked)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let name = LAB.into_iter().find(|name| name == asked)?;
    Some(format!(
        "{name} is a command of dice-of-doom-lab now: cargo run --release --package dice-of-doom-lab -- {name}"
    ))
}

impl Cli {
    /// The command line, with the names and the flags of these games.
    #[must_use]
    pub fn command(games: &Registry) -> clap::Command {
        let with_games = |command| game_args::add_game_args(command, games);
        let command = <Cli as CommandFactory>::command()
            .mut_subcommand("play", with_games)
            .mut_subcommand("arena", with_games);
        config_layers::add_variables(command)
    }

    /// What these words ask for, the program's name among them.
    ///
    /// # Errors
    /// Bad usage, and the wish for help.
    pub fn parse_from<W>(
        games: &Registry,
        words: impl IntoIterator<Item = W>,
    ) -> Result<Self, clap::Error>
    where
        W: Into<OsString> + Clone,
    {
        config_layers::parse(Cli::command(games), words, |name| LAB.contains(&name))
    }

    /// What is logged, and how.
    #[must_use]
    pub const fn logging(&self) -> LoggingArgs {
        self.logging
    }

    /// What to do; `serve` when no command is named.
    #[must_use]
    pub fn into_command(self) -> CliCommand {
        self.command.unwrap_or(CliCommand::Serve(self.serve))
    }
}

/// The commands of the program.
#[derive(Subcommand, Clone, Debug)]
pub enum CliCommand {
    /// Serve the game to browsers and programs (the default)
    ///
    /// Games are kept in a database and go on after a restart. SIGTERM, Ctrl-C or another signal ends the
    /// server within two seconds; no move is lost.
    Serve(ServeArgs),
    /// Play in the terminal
    ///
    /// Numbers choose from the list of moves, ? explains, q leaves; so does the end of input.
    #[command(after_long_help = play::EXAMPLES)]
    Play(PlayArgs),
    /// Answer programs: JSON lines over stdin and stdout
    ///
    /// One request object a line, one answer a line, in order; "id" is echoed. Errors are answers,
    /// too; empty lines have none; the end of input ends the program. The ops: new, moves, rate, choose,
    /// stop, perft, levels, notation. "stop" is heard while a line before it is answered.
    #[command(after_long_help = engine::EXAMPLES)]
    Engine(EngineArgs),
    /// Rate positions: one a line on stdin, one answer (JSON) a line on stdout
    ///
    /// A position is written in notation, or as lines of the engine have it. The answer is that of the
    /// engine's op choose, with the best actions; its id is the number of the line. Empty lines and lines
    /// that begin with # are skipped.
    #[command(after_long_help = rate::EXAMPLES)]
    Rate(RateArgs),
    /// Let computers play each other, and measure them
    ///
    /// Every seat plays every player on each board (all rotations); the intervals count boards, not
    /// games. The same seed gives the same numbers on any number of threads; only times differ. For
    /// times to rely on, leave the machine alone and give --threads 1.
    #[command(after_long_help = arena::EXAMPLES)]
    Arena(ArenaArgs),
    /// Look whether a database of games is whole
    ///
    /// Reads every page and every game, checks the seals of each and replays it by the rules. Prints a
    /// line for each damage and one at the end; the exit code is 0 when all is whole, 1 when something
    /// is damaged and 2 when there is no such database. Nothing is changed, and a server may have the
    /// database open.
    Check(CheckArgs),
    /// Copy all games from one database into another
    ///
    /// From SQLite to PostgreSQL, back, or within one kind. The source is read as it is at one moment, and a server
    /// may go on with it; the target must have no server. Each game is read back and compared. Interrupted, the same
    /// command goes on where it was. Prints how many games there are and a checksum of their seals, which
    /// databases with the same games share.
    Copy(CopyArgs),
    /// Copy all games into a new file, while a server may go on with them
    ///
    /// The file is a SQLite database, whatever the games are kept in, and is as they were at one moment. It holds the
    /// seeds of games that go on: keep it as you keep the database. Under its name it appears when it is whole.
    Backup(BackupArgs),
    /// Copy the games of a backup into a database
    ///
    /// The database is to be empty, or to have nothing but games of the backup. It must have no server meanwhile.
    Restore(BackupArgs),
    /// Remove games in which nothing has happened for long
    ///
    /// Finished or not. No server may have the database open; a server forgets finished games by itself with
    /// --keep-days.
    Prune(PruneArgs),
    /// End a server of this machine in good order, and wait until it has gone
    ///
    /// The same as SIGTERM, with the wait: the server says that it is not ready for its --drain-seconds, sends
    /// those who follow games to other servers, gives its computers' games to them and ends. No move is lost. Only
    /// its own user and root may ask for it.
    Drain(DrainArgs),
    /// Check records of games: the rules, and that the dice were sealed before the first roll
    ///
    /// Nobody is asked. Every entry is played again, every roll is made again from the opened seed, and the
    /// seal, the commitment, the end and the winners are compared. Prints a line for each record: what
    /// holds, or the first thing that does not; the exit code is 1 when something does not. A file has one
    /// record, an array of them, or one after another. docs/fair-dice.md says what this shows.
    Verify(VerifyArgs),
    /// Write records in notation, and games in notation as records
    ///
    /// Reads what the command verify reads, checks it, and prints each game in the other form: JSON, a
    /// record a line, or the notation of docs/notation.md.
    Convert(VerifyArgs),
    /// Say what was luck in a finished game, and what every decision cost
    ///
    /// Reads the record of a game, judges each decision with the search of the strongest level, and prints
    /// for every player what the dice and the decisions came to, and the decisions that cost most. It
    /// says what /g/ID/review of a server says. How far it has come is told on a terminal.
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
    /// For example: dice-of-doom man > dice-of-doom.1; with the name of a command, that command's page.
    Man {
        /// The command whose page it is; without it, the program's
        command: Option<String>,
    },
}

impl CliCommand {
    /// The file of weights to play with instead of those that the program brings along.
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
        let words = std::iter::once("dice-of-doom").chain(line.split_whitespace());
        Cli::parse_from(&Registry::builtin(), words).map(Cli::into_command)
    }

    #[track_caller]
    fn serve(line: &str) -> ServeArgs {
        match parse(line) {
            Ok(CliCommand::Serve(serve)) => serve,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_definitions_agree() {
        Cli::command(&Registry::builtin()).debug_assert();
    }

    #[test]
    fn no_flag_of_a_game_can_take_the_place_of_an_argument() {
        use crate::game_adapters::cli::RESERVED;

        let mut options = <Cli as CommandFactory>::command();
        options.build();
        let mut taken = std::collections::BTreeSet::new();
        for name in ["play", "arena"] {
            let command = options.find_subcommand(name).unwrap();
            let arguments = command.get_arguments().map(clap::Arg::get_id);
            let groups = command.get_groups().map(clap::ArgGroup::get_id);
            let names = arguments.chain(groups).map(clap::Id::as_str);
            // The groups of a command's own options begin with a capital letter.
            taken.extend(names.filter(|name| name.starts_with(char::is_lowercase)));
        }
        // The others are those of the lab, whose tests look for all of them.
        let free: Vec<_> = taken
            .iter()
            .filter(|name| !RESERVED.contains(name))
            .collect();
        assert!(free.is_empty(), "{free:?}");
    }

    #[test]
    fn commands_that_moved_are_told_where_they_are() {
        for (line, name) in [
            ("train --games 10", "train"),
            ("exploit --help", "exploit"),
            ("-v tune", "tune"),
            ("ladder dice --output a.json", "ladder"),
            ("load --url http://127.0.0.1:8080 --json", "load"),
            ("help load", "load"),
        ] {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
            let told = moved_command_message(&error).unwrap();
            assert!(
                told.starts_with(&format!("{name} is a command of dice-of-doom-lab")),
                "{told}"
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
    fn terminal_games_as_usual() {
        let usual = terminal_game("play").unwrap();
        let book = TerminalSeat::Level(Level::Book.into());
        assert_eq!(usual.seats, [TerminalSeat::Human, book, book, book]);
        let same = terminal_game("play dice --rules v4").unwrap();
        assert_eq!(
            usual.setting.parameters_text(),
            same.setting.parameters_text()
        );
        assert_eq!(usual.seed, 1);
        let trilobite = terminal_game("play trilobite --seed 7").unwrap();
        assert_eq!(
            (trilobite.seats, trilobite.seed),
            (vec![TerminalSeat::Human, book], 7)
        );
    }

    #[test]
    fn terminal_games_that_do_not_fit() {
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
    fn streams_have_limits_and_leave_connections_for_pages() {
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
    fn bad_usage_is_exit_code_2() {
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
    fn help_is_no_error() {
        assert_eq!(parse("--help").unwrap_err().exit_code(), 0);
        assert_eq!(parse("serve --help").unwrap_err().exit_code(), 0);
    }

    #[test]
    fn help_offers_only_the_databases_there_are() {
        let help = parse("serve --help").unwrap_err().to_string();
        let kinds = "sqlite:PATH, postgres://USER@HOST/DATABASE or memory:";
        assert!(help.contains(kinds), "{help}");
    }

    #[test]
    fn a_file_of_settings_stands_in_for_what_is_not_said() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dice.toml");
        let with = |text: &str, line: &str| {
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
            let Ok(CliCommand::Serve(served)) = with(text, line) else {
                panic!("{line}")
            };
            check(&served, 7);
            assert!(served.limit_loopback);
            assert_eq!(served.hosts.len(), 2);
        }
        let Ok(CliCommand::Serve(served)) = with(text, "serve --limit-tables 8") else {
            panic!("the command line comes first")
        };
        check(&served, 8);
        let Ok(CliCommand::Play(play)) = with(text, "play --seats book,book,book,book") else {
            panic!("another command")
        };
        assert_eq!(play.seed, Some(5));
        // One file may serve both programs.
        assert!(with("[load]\nrate = 5\n[ladder]\nboards = 1", "serve").is_ok());
        for (text, problem) in [
            ("[serve]\ntables = 7", "serve has no option tables"),
            ("[dance]\na = 1", "there is no command dance"),
            ("listen = \"127.0.0.1:9\"", "outside of any section"),
            ("[serve]\nlimit-tables = 0", "limit-tables"),
            ("[serve]\nlimit-tables = 1979-05-27", "a word, a number"),
            ("[serve", "1"),
        ] {
            let told = with(text, "serve").unwrap_err().to_string();
            assert!(told.contains(problem), "{text}: {told}");
        }
        let missing = parse("serve --config /nowhere/dice.toml").unwrap_err();
        assert!(
            missing.to_string().contains("/nowhere/dice.toml"),
            "{missing}"
        );
    }

    #[test]
    fn every_option_has_a_name_in_the_environment() {
        let mut options = Cli::command(&Registry::builtin());
        options.build();
        let commands = std::iter::once(&options).chain(options.get_subcommands());
        for command in commands {
            for arg in command.get_arguments() {
                let named = arg.get_env().is_some();
                let wanted = arg
                    .get_long()
                    .is_some_and(|long| long != "help" && long != "version");
                assert_eq!(named, wanted, "{} {}", command.get_name(), arg.get_id());
            }
        }
    }

    #[test]
    fn completions_know_words() {
        let mut options = Cli::command(&Registry::builtin());
        let mut script = Vec::new();
        clap_complete::generate(
            clap_complete::Shell::Bash,
            &mut options,
            "dice-of-doom",
            &mut script,
        );
        let script = String::from_utf8(script).unwrap();
        for words in [
            "v1 v2 v3 v4 conquest",
            "human novice random book greedy",
            "en ja ru",
            "dice trilobite",
        ] {
            assert!(script.contains(words), "{words}");
        }
    }
}
