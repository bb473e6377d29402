//! The command `train`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use crate::arena;

/// What to train, for how long, and where to keep it.
#[derive(Args, Clone, Debug)]
pub struct Train {
    /// The rules: v4 or conquest
    #[arg(long, default_value = "v4", value_parser = arena::train::RULES)]
    pub rules: String,
    /// Players of every game
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u8).range(2..=6))]
    pub players: u8,
    /// Sides of the boards, played on in turns
    #[arg(long, value_name = "N,N…", value_delimiter = ',', default_value = "5",
          value_parser = clap::value_parser!(u8).range(4..=7))]
    pub sides: Vec<u8>,
    /// Games of the network against itself
    #[arg(long, value_name = "N", default_value_t = 600_000,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub games: u64,
    /// The same seed gives the same weights, on any number of threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads; without it one for each core
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Go on from this file where it exists, and write it once a minute and at the end
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Write the weights here, with every checkpoint and at the end
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
}

/// What `--help` says below the options.
pub(super) const EXAMPLES: &str = "Examples:\n  \
    dice-of-doom train --output mine.net --checkpoint mine.train\n  \
    dice-of-doom train --players 2 --sides 4,5,6 --games 100000 --output two.net";

impl Train {
    /// What the arena's command is told.
    #[must_use]
    pub fn train(self) -> arena::train::Train {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        arena::train::Train {
            rules: self.rules,
            players: self.players,
            sides: self.sides,
            games: self.games,
            seed: self.seed,
            threads: self.threads.unwrap_or_else(cores),
            checkpoint: self.checkpoint,
            output: self.output,
        }
    }
}
