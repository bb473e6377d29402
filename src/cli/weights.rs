//! The option `--weights` of the commands that play.

use std::path::PathBuf;

use clap::Args;

/// Weights of one's own.
#[derive(Args, Clone, Debug)]
pub struct WeightsArgs {
    /// Let the levels play with the weights of this file where they know the game
    ///
    /// A file that dice-of-doom-lab train wrote. It says which rules, number of players and sides of boards it was
    /// trained for; in all other games the weights that the program brings along play.
    #[arg(id = "weights", long = "weights", value_name = "FILE")]
    pub file: Option<PathBuf>,
}
