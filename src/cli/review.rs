//! The command `review`.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;

use super::{LanguageArgs, WeightsArgs};

#[derive(Args, Clone, Debug)]
pub struct ReviewArgs {
    /// A file with the record of a finished game, as downloaded from record.json; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Simulations for the first analysis of each decision; by default as many as the server uses
    #[arg(long, value_name = "N")]
    pub simulations: Option<NonZeroU64>,
    /// Print the JSON response of the API
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub weights: WeightsArgs,
    #[command(flatten)]
    pub speech: LanguageArgs,
}
