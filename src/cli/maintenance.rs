//! The commands `copy`, `backup`, `restore` and `prune`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct CopyArgs {
    /// The source database: sqlite:PATH or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub from: String,

    /// The target database: sqlite:PATH or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub to: String,
}

#[derive(Args, Clone, Debug)]
pub struct BackupArgs {
    /// The database: sqlite:PATH or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    pub database: String,

    /// The backup file, a SQLite database
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

#[derive(Args, Clone, Debug)]
pub struct PruneArgs {
    /// The database: sqlite:PATH or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    pub database: String,

    /// Delete the games without activity for this number of days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub older_than: u32,
}
