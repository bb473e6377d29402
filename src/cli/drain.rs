//! The command `drain`.

use clap::Args;

/// Which server is to end.
#[derive(Args, Clone, Copy, Debug)]
pub struct DrainArgs {
    /// The number of its process, as the system tells
    #[arg(value_name = "PID", value_parser = clap::value_parser!(i32).range(2..))]
    pub pid: i32,
}
