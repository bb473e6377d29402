//! The command line. Its help texts are the manual.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser, Subcommand};
use dice_of_doom::cli::{self, LoggingArgs, VERSION, config_layers};
use dice_of_doom::games::Registry;

mod book;
mod client;
mod day;
mod ladder;
mod load;
mod puzzles;
mod train;

pub use book::BookArgs;
pub use client::ClientArgs;
pub use day::DayArgs;
pub use ladder::LadderArgs;
pub use load::LoadArgs;
pub use puzzles::PuzzlesArgs;
pub use train::{ExploitArgs, TrainArgs};

/// Train the networks of Dice of Doom, measure its levels, and load-test its servers.
///
/// Commands for developers and server operators; players need only the program dice-of-doom.
#[derive(Parser, Clone, Debug)]
#[command(name = "dice-of-doom-lab", version = VERSION)]
#[command(after_help = "Exit codes: 0 done, 2 bad usage, 1 anything else.\n\
    Logs go to stderr; RUST_LOG sets the log filter, for example RUST_LOG=debug.\n\
    Every option can also be set in the environment: --boards 100 is DOD_BOARDS=100.")]
pub struct LabCli {
    #[command(subcommand)]
    command: LabCommand,
    #[command(flatten)]
    logging: LoggingArgs,
    /// Read defaults from this file
    ///
    /// TOML, with a section for each command and the names of its options: boards = 100 under [ladder]. The command
    /// line takes precedence over the environment, and the environment over the file. Sections for commands of
    /// dice-of-doom are ignored.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
}

impl LabCli {
    /// The definition of the command line, with the names and the flags of these games.
    #[must_use]
    pub fn command(games: &Registry) -> clap::Command {
        let command = <LabCli as CommandFactory>::command()
            .mut_subcommand("ladder", |command| ladder::with_games(command, games));
        config_layers::add_variables(command)
    }

    /// Parses the arguments, of which the first is the program's name.
    ///
    /// # Errors
    /// For bad usage, and if help or the version is requested.
    pub fn parse_from<W: Into<OsString>>(
        games: &Registry,
        arguments: impl IntoIterator<Item = W>,
    ) -> Result<Self, clap::Error> {
        let program = cli::Cli::command(games);
        config_layers::parse(LabCli::command(games), arguments, |name| {
            program.find_subcommand(name).is_some()
        })
    }

    /// The logging options.
    #[must_use]
    pub const fn logging(&self) -> LoggingArgs {
        self.logging
    }

    /// The command to run.
    #[must_use]
    pub fn into_command(self) -> LabCommand {
        self.command
    }
}

/// The commands of the program.
#[derive(Subcommand, Clone, Debug)]
pub enum LabCommand {
    /// Measure the strength of the levels, for the page /levels
    ///
    /// Each level plays against the level book in all other seats and against the level below it, and all levels play
    /// at mixed tables. Writes ratings and win shares with their 95 % intervals into a file (JSON). The built-in file
    /// is src/games/level_ratings.json, which is read when the program is built. Prints the tables of
    /// docs/strength.md. The same seed gives the same file on any number of threads.
    #[command(after_long_help = ladder::EXAMPLES)]
    Ladder(LadderArgs),
    /// Train the weights of Dice of Doom's network
    ///
    /// The network plays against itself, and against the players given with --opponents, and learns from these games.
    /// Progress is reported on stderr once a minute: the number of games, the mean error of the evaluation, and the win
    /// share one ply ahead against the level book, with the 95 % interval (par is an equal share). An interrupted
    /// training resumes from its checkpoint and gives the same weights as an uninterrupted one. docs/training.md has
    /// the commands that trained the built-in weights.
    #[command(after_long_help = train::EXAMPLES)]
    Train(TrainArgs),
    /// Train a network to beat one level, and report how far it got
    ///
    /// A new network plays in one seat and learns; the level, or a given network, plays in all other seats and does not
    /// learn. Progress is reported on stderr once a minute, as by the command train, with the win share of that seat.
    /// At the end the win share over many boards of another seed is printed. The further it is above par, the more
    /// exploitable the level is. A result at par does not prove that the level has no weakness.
    #[command(after_long_help = train::EXPLOIT_EXAMPLES)]
    Exploit(ExploitArgs),
    /// Make an opening book of Trilobite
    ///
    /// Solves the positions near the start of the game and writes their scores into a file. Progress is reported on
    /// stderr. The file is written every 15 seconds, and the same command continues an interrupted book. docs/solver.md has
    /// the commands that made the built-in books, which are read when the program is built.
    #[command(after_long_help = book::EXAMPLES)]
    Book(BookArgs),
    /// Find puzzles in games between levels
    ///
    /// A puzzle is a position where one action is better than all others by 10 points of win share in a search with
    /// four times as many simulations as a hint, and by 11 points in one like a hint, and that at least one level does
    /// not solve. The same seed gives the same puzzles.
    #[command(after_long_help = puzzles::EXAMPLES)]
    Puzzles(PuzzlesArgs),
    /// Load-test a server: play, watch and request pages at a fixed rate, and report the latencies
    ///
    /// For operators who want to know the capacity of their server, and whether clients notice an upgrade. The games
    /// are created like all others, are listed publicly, and are not deleted. The limits for each address apply, so
    /// raise them or run this on the server's own machine. Ctrl-C ends the test earlier, with its report.
    #[command(after_long_help = load::EXAMPLES)]
    Load(LoadArgs),
    /// Simulate a day of many players on the board of the day, and report latencies, bytes and memory
    ///
    /// Each browser views /daily, plays its scored game by a simple policy and views its result. The games are not
    /// deleted, and their scores are those of the day: test a server of your own.
    #[command(after_long_help = day::EXAMPLES)]
    Day(DayArgs),
    /// Print completions for a shell
    ///
    /// For example: dice-of-doom-lab completions bash > ~/.local/share/bash-completion/completions/dice-of-doom-lab
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print the manual as a man page
    ///
    /// For example: dice-of-doom-lab man > dice-of-doom-lab.1; with the name of a command, the page of that command.
    Man {
        /// The command whose page is printed; without it, the page of the program
        command: Option<String>,
    },
}

impl LabCommand {
    /// The weights file that replaces the built-in weights, if given.
    #[must_use]
    pub fn weights(&self) -> Option<&Path> {
        match self {
            LabCommand::Ladder(options) => options.weights.file.as_deref(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use dice_of_doom::games::cli::RESERVED;

    use super::*;

    fn parse(line: &str) -> Result<LabCommand, clap::Error> {
        let words = std::iter::once("dice-of-doom-lab").chain(line.split_whitespace());
        LabCli::parse_from(&Registry::builtin(), words).map(LabCli::into_command)
    }

    #[test]
    fn command_line_definition_is_valid() {
        LabCli::command(&Registry::builtin()).debug_assert();
    }

    #[test]
    fn reserved_names_cover_all_arguments_of_commands_with_game_flags() {
        let mut program = <cli::Cli as CommandFactory>::command();
        let mut lab = <LabCli as CommandFactory>::command();
        program.build();
        lab.build();
        let mut names_in_use = BTreeSet::new();
        for command in [
            program.find_subcommand("play").unwrap(),
            program.find_subcommand("arena").unwrap(),
            lab.find_subcommand("ladder").unwrap(),
        ] {
            let arguments = command.get_arguments().map(clap::Arg::get_id);
            let groups = command.get_groups().map(clap::ArgGroup::get_id);
            let names = arguments.chain(groups).map(clap::Id::as_str);
            // The argument groups of a command's own options begin with a capital letter.
            names_in_use.extend(names.filter(|name| name.starts_with(char::is_lowercase)));
        }
        assert_eq!(names_in_use.into_iter().collect::<Vec<_>>(), RESERVED);
    }

    #[test]
    fn every_option_has_an_environment_variable() {
        let mut options = LabCli::command(&Registry::builtin());
        options.build();
        let commands = std::iter::once(&options).chain(options.get_subcommands());
        for command in commands {
            for arg in command.get_arguments() {
                let has_variable = arg.get_env().is_some();
                let expects_variable = arg
                    .get_long()
                    .is_some_and(|long| long != "help" && long != "version");
                assert_eq!(
                    has_variable,
                    expects_variable,
                    "{} {}",
                    command.get_name(),
                    arg.get_id()
                );
            }
        }
    }

    #[test]
    fn config_file_may_contain_sections_of_the_main_program() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dice.toml");
        let parse_with_config = |text: &str| {
            std::fs::write(&file, text).unwrap();
            parse(&format!(
                "ladder --output a.json --config {}",
                file.display()
            ))
        };
        let Ok(LabCommand::Ladder(ladder)) =
            parse_with_config("[serve]\nlimit-tables = 7\n[ladder]\nboards = 5")
        else {
            panic!("another command")
        };
        assert_eq!(ladder.boards.get(), 5);
        for (text, message) in [
            ("[ladder]\ntables = 7", "ladder has no option tables"),
            ("[dance]\na = 1", "there is no command dance"),
        ] {
            let error = parse_with_config(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn bad_usage_is_exit_code_2() {
        for line in ["", "serve", "ladder", "train --games 1", "load --rate 1"] {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }
}
