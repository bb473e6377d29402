//! The commands `train` and `exploit`.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use dice_of_doom::arena;
use dice_of_doom::arena::train::{FixedOpponentParseError, FixedOpponentSpec, PLAYERS, SIDES};
use dice_of_doom::cli::ListedValueParser;
use dice_of_doom::level::{Level, LevelSpec, LevelSpecError};

/// What every training is told.
#[derive(Args, Clone, Debug)]
struct TrainingArgs {
    /// The rules: v4 or conquest
    #[arg(long, default_value = "v4", value_parser = arena::train::RULES)]
    rules: String,
    /// Players of every game
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = one_of(PLAYERS))]
    players: u8,
    /// Sides of the boards, played on in turns
    #[arg(long, value_name = "N,N…", value_delimiter = ',', default_value = "5",
          value_parser = one_of(SIDES))]
    sides: Vec<u8>,
    /// The same seed gives the same weights, on any number of threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The size of the first steps, above 0 and 1 at most; the last is a fiftieth of it
    #[arg(long, value_name = "SIZE", default_value_t = 0.001, value_parser = rate)]
    rate: f32,
    /// Positions of a step
    #[arg(long, value_name = "N", default_value = "64")]
    batch: NonZeroUsize,
    /// Begin with the weights of this file, instead of small random numbers
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Search with so many simulations for each choice and learn what the searches find; with 0 the learner looks one
    /// ply ahead
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=10_000))]
    simulations: u64,
    /// Threads; without it one for each core
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Go on from this file where it exists, and write it once a minute and at the end
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
}

impl TrainingArgs {
    /// What the arena's commands are told.
    fn drill(self, games: u64, output: Option<PathBuf>) -> arena::train::TrainingJob {
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

/// What to train, for how long, and where to keep it.
#[derive(Args, Clone, Debug)]
pub struct TrainArgs {
    #[command(flatten)]
    drill: TrainingArgs,
    /// Games to learn from
    #[arg(long, value_name = "N", default_value_t = 600_000,
          value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Who else plays, without learning: LEVEL, LEVEL:SIMULATIONS or FILE.net
    ///
    /// A file of weights looks one ply ahead. In a part of the games, see --league, every seat but one is drawn
    /// from these and the network itself. Without it the network plays against itself alone.
    #[arg(long, value_name = "OPPONENT,…", value_delimiter = ',', value_parser = frozen())]
    opponents: Vec<FixedOpponentSpec>,
    /// The part of the games in which opponents have seats, 0 to 1
    #[arg(long, value_name = "PART", default_value_t = 0.5, requires = "opponents",
          value_parser = part)]
    league: f32,
    /// Write the weights here, with every checkpoint and at the end
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

/// Whom to beat, and for how long that is learnt.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("whom").required(true))]
pub struct ExploitArgs {
    #[command(flatten)]
    drill: TrainingArgs,
    /// Beat this level: LEVEL or LEVEL:SIMULATIONS
    #[arg(long, value_name = "LEVEL", group = "whom",
          value_parser = ListedValueParser::new(Level::ALL.map(Level::name), strength))]
    level: Option<LevelSpec>,
    /// Beat the network of this file of weights (FILE.net), which looks one ply ahead
    #[arg(long, value_name = "FILE", group = "whom")]
    victim: Option<PathBuf>,
    /// Games to learn from
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Boards of the last measurement, each played in all rotations
    #[arg(long, value_name = "N", default_value_t = 1_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    boards: u32,
    /// Write the weights here, with every checkpoint and at the end
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What `--help` says below the options.
pub(super) const EXAMPLES: &str = "Examples:\n  \
    dice-of-doom-lab train --output mine.net --checkpoint mine.train\n  \
    dice-of-doom-lab train --players 2 --sides 4,5,6 --games 100000 --output two.net\n  \
    dice-of-doom-lab train --opponents book,steady,old.net --league 0.5 --output mine.net";

/// What `--help` of `exploit` says below the options.
pub(super) const EXPLOITS: &str = "Examples:\n  \
    dice-of-doom-lab exploit --level expert --games 100000\n  \
    dice-of-doom-lab exploit --victim mine.net --games 100000 --output against-mine.net";

impl TrainArgs {
    /// What the arena's command is told.
    #[must_use]
    pub fn train(self) -> arena::train::TrainCommand {
        arena::train::TrainCommand {
            drill: self.drill.drill(self.games, Some(self.output)),
            opponents: self.opponents,
            league: self.league,
        }
    }
}

impl ExploitArgs {
    /// What the arena's command is told.
    ///
    /// # Panics
    /// When nobody is to be beaten, which the command line refuses.
    #[must_use]
    pub fn exploit(self) -> arena::train::ExploitCommand {
        let level = self.level.map(FixedOpponentSpec::Level);
        let victim = level.or(self.victim.map(FixedOpponentSpec::File));
        arena::train::ExploitCommand {
            drill: self.drill.drill(self.games, self.output),
            victim: victim.expect("one of both is required"),
            boards: self.boards,
        }
    }
}

/// The words for who does not learn.
fn frozen() -> impl TypedValueParser<Value = FixedOpponentSpec> {
    ListedValueParser::new(Level::ALL.map(Level::name), |word: &str| {
        word.parse()
            .map_err(|unknown: FixedOpponentParseError| unknown.to_string())
    })
}

fn strength(word: &str) -> Result<LevelSpec, String> {
    word.parse()
        .map_err(|unknown: LevelSpecError| unknown.to_string())
}

fn part(word: &str) -> Result<f32, String> {
    match word.parse() {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("a part is a number from 0 to 1".to_owned()),
    }
}

/// A number of this range, both ends included.
fn one_of(range: RangeInclusive<u8>) -> impl TypedValueParser<Value = u8> {
    clap::value_parser!(u8).range(i64::from(*range.start())..=i64::from(*range.end()))
}

fn rate(word: &str) -> Result<f32, String> {
    match word.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1.0 => Ok(rate),
        _ => Err("a size of steps is a number above 0, and 1 at most".to_owned()),
    }
}
