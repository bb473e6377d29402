//! What is logged, and how a line looks.

use clap::{Args, ValueEnum};
use tracing::level_filters::LevelFilter;

/// How much is logged, and for whom.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct LoggingArgs {
    /// Log more: -v each request, -vv everything
    ///
    /// RUST_LOG, where it is set, chooses more finely, and this is not looked at.
    #[arg(long, short, global = true, action = clap::ArgAction::Count, help_heading = "Log")]
    pub verbose: u8,

    /// How a line of the log looks: for people, or one JSON object for programs
    #[arg(
        long,
        value_name = "FORMAT",
        global = true,
        value_enum,
        default_value_t,
        help_heading = "Log"
    )]
    pub log_format: LogFormat,
}

/// How a line of the log looks.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

impl LoggingArgs {
    /// The least important lines that are logged.
    #[must_use]
    pub const fn level(self) -> LevelFilter {
        match self.verbose {
            0 => LevelFilter::INFO,
            1 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        }
    }
}
