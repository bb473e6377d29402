//! The options for the log: level and format.

use clap::{Args, ValueEnum};
use tracing::level_filters::LevelFilter;

#[derive(Args, Clone, Copy, Debug, Default)]
pub struct LoggingArgs {
    /// Log more: -v each request, -vv everything
    ///
    /// RUST_LOG allows finer control; if it is set, this option is ignored.
    #[arg(long, short, global = true, action = clap::ArgAction::Count, help_heading = "Log")]
    pub verbose: u8,

    /// The format of log lines: text for people, or one JSON object per line for programs
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

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// Text for people
    #[default]
    Text,
    /// One JSON object per line
    Json,
}

impl LoggingArgs {
    #[must_use]
    pub const fn level(self) -> LevelFilter {
        match self.verbose {
            0 => LevelFilter::INFO,
            1 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        }
    }
}
