//! The option `--weights` of the commands that use levels.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct WeightsArgs {
    /// Use the weights in this file for the games that they were trained for
    ///
    /// A file written by dice-of-doom-lab train. It states the rules, numbers of players and board sizes that it was
    /// trained for; all other games use the bundled weights.
    #[arg(id = "weights", long = "weights", value_name = "FILE")]
    pub file: Option<PathBuf>,
}
