//! The command `check`.

use clap::Args;

/// Which database to look at.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    /// The database: the file, as in games.db, or postgres://USER@HOST/DATABASE
    #[arg(value_name = "PATH")]
    pub place: String,
}
