//! The command `check`.

use std::path::PathBuf;

use clap::Args;

/// Which database to look at.
#[derive(Args, Clone, Debug)]
pub struct Check {
    /// The database: the file, as in games.db
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
}
