//! The command `check`.

use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    /// The database: a file such as games.db, or postgres://USER@HOST/DATABASE
    #[arg(value_name = "PATH")]
    pub place: String,
}
