//! The command `review`.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;

use super::{LanguageArgs, WeightsArgs};

/// Which record to review, and how thoroughly.
#[derive(Args, Clone, Debug)]
pub struct ReviewArgs {
    /// A file with the record of a finished game, as record.json is downloaded; - for the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Simulations for the first look at a decision; without it as many as the server takes
    #[arg(long, value_name = "N")]
    pub simulations: Option<NonZeroU64>,
    /// Print what the API answers
    #[arg(long)]
    pub json: bool,
    /// Weights of one's own
    #[command(flatten)]
    pub weights: WeightsArgs,
    /// What the review speaks; JSON has no language
    #[command(flatten)]
    pub speech: LanguageArgs,
}
