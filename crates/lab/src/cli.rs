//! The command line. Its help texts are the manual.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser, Subcommand};
use dice_of_doom::cli::{self, LoggingArgs, VERSION, config_layers};
use dice_of_doom::game_adapters::Registry;

mod ladder;
mod load;
mod train;
mod tune;

pub use ladder::LadderArgs;
pub use load::LoadArgs;
pub use train::{ExploitArgs, TrainArgs};
pub use tune::TuneArgs;

/// Train the networks of Dice of Doom, measure its levels, and put load on its servers.
///
/// The commands beside the program dice-of-doom, for those who work on it or run a server.
#[derive(Parser, Clone, Debug)]
#[command(name = "dice-of-doom-lab", version = VERSION)]
#[command(after_help = "Exit codes: 0 done, 2 bad usage, 1 anything else.\n\
    Logs go to stderr; RUST_LOG chooses what is logged, for example RUST_LOG=debug.\n\
    Every option may stand in the environment, too: --boards 100 is DOD_BOARDS=100.")]
pub struct LabCli {
    #[command(subcommand)]
    command: LabCommand,
    #[command(flatten)]
    logging: LoggingArgs,
    /// Take what is not said here from this file
    ///
    /// TOML, with a section for each command and the names of its options: boards = 100 under [ladder].
    /// The command line comes first, then the environment, then the file. Sections for commands of dice-of-doom
    /// are skipped.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
}

impl LabCli {
    /// The command line, with the names and the flags of these games.
    #[must_use]
    pub fn command(games: &Registry) -> clap::Command {
        let command = <LabCli as CommandFactory>::command()
            .mut_subcommand("ladder", |command| ladder::with_games(command, games));
        config_layers::from_environment(command)
    }

    /// What these words ask for, the program's name among them.
    ///
    /// # Errors
    /// Bad usage, and the wish for help.
    pub fn parse_from<W: Into<OsString>>(
        games: &Registry,
        words: impl IntoIterator<Item = W>,
    ) -> Result<Self, clap::Error> {
        let program = cli::Cli::command(games);
        config_layers::parse(LabCli::command(games), words, |name| {
            program.find_subcommand(name).is_some()
        })
    }

    /// What is logged, and how.
    #[must_use]
    pub const fn logging(&self) -> LoggingArgs {
        self.logging
    }

    /// What to do.
    #[must_use]
    pub fn chosen(self) -> LabCommand {
        self.command
    }
}

/// The commands of the program.
#[derive(Subcommand, Clone, Debug)]
pub enum LabCommand {
    /// Measure how strong the levels are, for the page /levels
    ///
    /// Lets each level play against the computer player of the book in all other seats, each against the level
    /// below it, and all of them at mixed tables, and writes ratings and win shares with their 95 % intervals
    /// into a file (JSON). The program brings along src/game_adapters/level_ratings.json, which is read when it is
    /// built. Prints the tables of docs/strength.md. The same seed gives the same file on any number of threads.
    #[command(after_long_help = ladder::EXAMPLES)]
    Ladder(LadderArgs),
    /// Find the weights of Dice of Doom's evaluation by hand anew
    ///
    /// Games of the evaluation against itself, for each kind of rules and number of players; the same
    /// seed gives the same weights. Prints the file crates/games/src/dice_of_doom/handcrafted/weights.csv, which
    /// is read when the program is built; the arena tells whether it is any better.
    Tune(TuneArgs),
    /// Train the weights of Dice of Doom's network anew
    ///
    /// The network plays against itself, and against others where --opponents names some, and learns from its
    /// games. How far it has come is told on stderr, once a minute: the games, the mean error of its forecasts,
    /// and its share of wins one ply ahead against the computer player of the book, with the 95 % interval (par
    /// is an equal share). An interrupted training goes on from its checkpoint and ends with the same weights as
    /// an unbroken one. docs/training.md has the commands of the weights that the program brings along.
    #[command(after_long_help = train::EXAMPLES)]
    Train(TrainArgs),
    /// Train a network only to beat one level, and say how far it got
    ///
    /// A fresh network has one seat and learns; the level, or a network of one's own, has all others and does
    /// not. How far it has come is told on stderr once a minute, as the command train tells it, with its share of
    /// wins in that seat; at the end its share over many boards of another seed is printed. The further it is
    /// above par, the more the level leaves to whoever knows it; a level against which nothing is learnt is not
    /// thereby without a weakness.
    #[command(after_long_help = train::EXPLOITS)]
    Exploit(ExploitArgs),
    /// Put load on a server: play, watch and look at a fixed rate, and tell how long everything took
    ///
    /// For operators who want to know how much their server can do, and whether anybody notices when it is
    /// upgraded. Games are set up like all others, are listed, and stay; limits for each address count, so raise
    /// them or ask from the server's own machine. It ends by itself; Ctrl-C ends it earlier, with its report.
    #[command(after_long_help = load::EXAMPLES)]
    Load(LoadArgs),
    /// Print completions for a shell
    ///
    /// For example: dice-of-doom-lab completions bash > ~/.local/share/bash-completion/completions/dice-of-doom-lab
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print the manual as a man page
    ///
    /// For example: dice-of-doom-lab man > dice-of-doom-lab.1; with the name of a command, that command's page.
    Man {
        /// The command whose page it is; without it, the program's
        command: Option<String>,
    },
}

impl LabCommand {
    /// The file of weights to play with instead of those that the program brings along.
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

    use dice_of_doom::game_adapters::cli::RESERVED;

    use super::*;

    fn parse(line: &str) -> Result<LabCommand, clap::Error> {
        let words = std::iter::once("dice-of-doom-lab").chain(line.split_whitespace());
        LabCli::parse_from(&Registry::builtin(), words).map(LabCli::chosen)
    }

    #[test]
    fn the_definitions_agree() {
        LabCli::command(&Registry::builtin()).debug_assert();
    }

    #[test]
    fn no_flag_of_a_game_can_take_the_place_of_an_argument() {
        let mut program = <cli::Cli as CommandFactory>::command();
        let mut lab = <LabCli as CommandFactory>::command();
        program.build();
        lab.build();
        let mut taken = BTreeSet::new();
        for command in [
            program.find_subcommand("play").unwrap(),
            program.find_subcommand("arena").unwrap(),
            lab.find_subcommand("ladder").unwrap(),
        ] {
            let arguments = command.get_arguments().map(clap::Arg::get_id);
            let groups = command.get_groups().map(clap::ArgGroup::get_id);
            let names = arguments.chain(groups).map(clap::Id::as_str);
            // The groups of a command's own options begin with a capital letter.
            taken.extend(names.filter(|name| name.starts_with(char::is_lowercase)));
        }
        assert_eq!(taken.into_iter().collect::<Vec<_>>(), RESERVED);
    }

    #[test]
    fn every_option_has_a_name_in_the_environment() {
        let mut options = LabCli::command(&Registry::builtin());
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
    fn a_file_of_settings_may_be_that_of_the_program_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dice.toml");
        let with = |text: &str| {
            std::fs::write(&file, text).unwrap();
            parse(&format!(
                "ladder --output a.json --config {}",
                file.display()
            ))
        };
        let Ok(LabCommand::Ladder(ladder)) =
            with("[serve]\nlimit-tables = 7\n[ladder]\nboards = 5")
        else {
            panic!("another command")
        };
        assert_eq!(ladder.boards.get(), 5);
        for (text, problem) in [
            ("[ladder]\ntables = 7", "ladder has no option tables"),
            ("[dance]\na = 1", "there is no command dance"),
        ] {
            let told = with(text).unwrap_err().to_string();
            assert!(told.contains(problem), "{text}: {told}");
        }
    }

    #[test]
    fn bad_usage_is_exit_code_2() {
        for line in [
            "",
            "serve",
            "ladder",
            "tune --games 0",
            "train --games 1",
            "load --rate 1",
        ] {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }
}
