//! The commands `copy`, `backup`, `restore` and `prune`.

use std::path::PathBuf;

use clap::Args;

/// From where to where.
#[derive(Args, Clone, Debug)]
pub struct CopyArgs {
    /// The database that is read: sqlite:PATH or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub from: String,

    /// The database that is written: sqlite:PATH or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub to: String,
}

/// What goes into which file, and back.
#[derive(Args, Clone, Debug)]
pub struct BackupArgs {
    /// The database: sqlite:PATH or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    pub database: String,

    /// The file of the backup, a SQLite database
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// What goes.
#[derive(Args, Clone, Debug)]
pub struct PruneArgs {
    /// The database: sqlite:PATH or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    pub database: String,

    /// Remove the games in which nothing has happened for so many days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub older_than: u32,
}
