//! The command `verify`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct VerifyArgs {
    /// Files with records, as downloaded from record.json; - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}
