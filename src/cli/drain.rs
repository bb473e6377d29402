//! The command `drain`.

use clap::Args;

#[derive(Args, Clone, Copy, Debug)]
pub struct DrainArgs {
    /// The process ID of the server
    #[arg(value_name = "PID", value_parser = clap::value_parser!(i32).range(2..))]
    pub pid: i32,
}
