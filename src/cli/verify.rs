//! The command `verify`.

use std::path::PathBuf;

use clap::Args;

/// Which records to check.
#[derive(Args, Clone, Debug)]
pub struct VerifyArgs {
    /// Files with records, as record.json is downloaded; - for the standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}
