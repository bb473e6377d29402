//! The commands `train` and `exploit`.

use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use dice_of_doom::arena;
use dice_of_doom::arena::train::{FixedOpponentSpec, PLAYERS, SIDES, TrainError};
use dice_of_doom::cli::ListedValueParser;
use dice_of_doom::formats::GameFormat;
use dice_of_doom::level::{AgentProvider, LevelSpec, MissingLevelError};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;

/// The options that `train` and `exploit` share.
#[derive(Args, Clone, Debug)]
struct TrainingArgs {
    /// The rules: v4 or conquest
    #[arg(long, default_value = "v4", value_parser = arena::train::RULES)]
    rules: String,
    /// Players of every game
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = range_parser(PLAYERS))]
    players: u8,
    /// Sides of the boards, used in turn
    #[arg(long, value_name = "N,N…", value_delimiter = ',', default_value = "5",
          value_parser = range_parser(SIDES))]
    sides: Vec<u8>,
    /// The same seed gives the same weights, on any number of threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The step size at the start, above 0 and at most 1; the last step is a fiftieth of it
    #[arg(long, value_name = "SIZE", default_value_t = 0.001, value_parser = parse_step_size)]
    rate: f32,
    /// Positions per gradient step
    #[arg(long, value_name = "N", default_value = "64")]
    batch: NonZeroUsize,
    /// Start from this weights file instead of small random weights
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Simulations of the search for each choice, from which the network learns; with 0 the learner looks one ply ahead
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=10_000))]
    simulations: u64,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// The checkpoint file: resumed from if it exists, and written once a minute and at the end
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
}

impl TrainingArgs {
    /// The training job of these options.
    fn into_job(self, games: u64, output: Option<PathBuf>) -> arena::train::TrainingJob {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        arena::train::TrainingJob {
            rules: self.rules,
            players: self.players,
            sides: self.sides,
            games,
            seed: self.seed,
            rate: self.rate,
            batch: self.batch,
            start: self.from,
            simulations: self.simulations,
            threads: self.threads.unwrap_or_else(cores),
            checkpoint: self.checkpoint,
            output,
        }
    }
}

/// The options of the command `train`.
#[derive(Args, Clone, Debug)]
pub struct TrainArgs {
    #[command(flatten)]
    training: TrainingArgs,
    /// Games to learn from
    #[arg(long, value_name = "N", default_value_t = 600_000,
          value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Fixed opponents, which do not learn: LEVEL, LEVEL:SIMULATIONS or FILE.net
    ///
    /// The network of a weights file looks one ply ahead. In a part of the games, see --league, every seat but one is
    /// drawn from these opponents and the network itself. Without this option the network plays only against itself.
    #[arg(long, value_name = "OPPONENT,…", value_delimiter = ',', value_parser = fixed_opponent_parser())]
    opponents: Vec<FixedOpponentSpec>,
    /// The fraction of games with fixed opponents, 0 to 1
    #[arg(long, value_name = "PART", default_value_t = 0.5, requires = "opponents",
          value_parser = parse_fraction)]
    league: f32,
    /// Write the weights to this file with every checkpoint and at the end
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

/// The options of the command `exploit`.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("whom").required(true))]
pub struct ExploitArgs {
    #[command(flatten)]
    training: TrainingArgs,
    /// The level to beat: LEVEL or LEVEL:SIMULATIONS
    #[arg(long, value_name = "LEVEL", group = "whom",
          value_parser = level_parser())]
    level: Option<LevelSpec>,
    /// The weights file (FILE.net) of the network to beat, which looks one ply ahead
    #[arg(long, value_name = "FILE", group = "whom")]
    victim: Option<PathBuf>,
    /// Games to learn from
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Boards of the final measurement, each played in all rotations
    #[arg(long, value_name = "N", default_value_t = 1_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    boards: u32,
    /// Write the weights to this file with every checkpoint and at the end
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Shown by `--help` below the options.
pub(super) const EXAMPLES: &str = "Examples:\n  \
    dice-of-doom-lab train --output mine.net --checkpoint mine.train\n  \
    dice-of-doom-lab train --players 2 --sides 4,5,6 --games 100000 --output two.net\n  \
    dice-of-doom-lab train --opponents book,steady,old.net --league 0.5 --output mine.net";

/// Shown by `exploit --help` below the options.
pub(super) const EXPLOIT_EXAMPLES: &str = "Examples:\n  \
    dice-of-doom-lab exploit --level expert --games 100000\n  \
    dice-of-doom-lab exploit --victim mine.net --games 100000 --output against-mine.net";

impl TrainArgs {
    /// Trains the network.
    ///
    /// # Errors
    /// When the parameters are invalid, or a file cannot be used.
    pub fn run(self, report: impl FnMut(&str)) -> Result<(), TrainError> {
        let job = self.training.into_job(self.games, Some(self.output));
        arena::train::train(&job, &self.opponents, self.league, report)
    }
}

impl ExploitArgs {
    /// Trains the network and returns the final measurement.
    ///
    /// # Errors
    /// When the parameters are invalid, or a file cannot be used.
    ///
    /// # Panics
    /// When neither a level nor a weights file is given, which the command line prevents.
    pub fn run(self, report: impl FnMut(&str)) -> Result<String, TrainError> {
        let level = self.level.map(FixedOpponentSpec::Level);
        let victim = level.or(self.victim.map(FixedOpponentSpec::File));
        let victim = victim.expect("the argument group requires a level or a weights file");
        let job = self.training.into_job(self.games, self.output);
        arena::train::exploit(&job, &victim, self.boards, report)
    }
}

/// Parses a level of the game that networks are trained for.
fn level_parser() -> impl TypedValueParser<Value = LevelSpec> {
    ListedValueParser::new(level_names(), |text: &str| {
        let strength: LevelSpec = text.parse()?;
        check_level(strength)?;
        Ok::<_, Box<dyn Error + Send + Sync>>(strength)
    })
}

/// Parses a fixed opponent; the levels are listed in the help.
fn fixed_opponent_parser() -> impl TypedValueParser<Value = FixedOpponentSpec> {
    ListedValueParser::new(level_names(), |text: &str| {
        let opponent: FixedOpponentSpec = text.parse()?;
        if let FixedOpponentSpec::Level(strength) = opponent {
            check_level(strength)?;
        }
        Ok::<_, Box<dyn Error + Send + Sync>>(opponent)
    })
}

fn level_names() -> impl Iterator<Item = &'static str> {
    DiceOfDoom::LEVELS.iter().map(|level| level.name())
}

fn check_level(strength: LevelSpec) -> Result<(), MissingLevelError> {
    DiceOfDoom::check_level(DiceOfDoom::TITLE, strength.level)
}

fn parse_fraction(word: &str) -> Result<f32, String> {
    match word.parse() {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("a part is a number from 0 to 1".to_owned()),
    }
}

/// A parser of numbers in this inclusive range.
fn range_parser(range: RangeInclusive<u8>) -> impl TypedValueParser<Value = u8> {
    clap::value_parser!(u8).range(i64::from(*range.start())..=i64::from(*range.end()))
}

fn parse_step_size(word: &str) -> Result<f32, String> {
    match word.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1.0 => Ok(rate),
        _ => Err("a size of steps is a number above 0, and 1 at most".to_owned()),
    }
}
