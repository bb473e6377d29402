//! The options of the commands that send requests to a server.

use clap::Args;

use crate::load_test::Consent;

/// The options of the commands that send requests to a server.
#[derive(Args, Clone, Debug)]
pub struct ClientArgs {
    /// Threads of this program
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,

    /// Confirms that the server is yours or its operator agrees; without this only this machine may be tested
    #[arg(long)]
    pub with_consent: bool,

    /// Print JSON, with times in microseconds
    #[arg(long)]
    pub json: bool,
}

impl ClientArgs {
    /// Whether the server's operator agrees.
    #[must_use]
    pub fn consent(&self) -> Consent {
        match self.with_consent {
            true => Consent::Given,
            false => Consent::None,
        }
    }
}
