//! The command `tune`.

use clap::Args;

/// The options of the command `tune`.
#[derive(Args, Clone, Copy, Debug)]
pub struct TuneArgs {
    /// Games for each table of weights
    #[arg(long, value_name = "N", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub games: u32,

    /// The same seed gives the same weights
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}
