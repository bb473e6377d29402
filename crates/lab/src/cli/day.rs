//! The command `day`.

use std::path::PathBuf;

use axum::http::Uri;
use clap::Args;

use super::client::ClientArgs;
use crate::load_test::DayPlan;

pub(super) const EXAMPLES: &str = "\
Example:
  dice-of-doom serve --database sqlite:/tmp/day.db & server=$!
  dice-of-doom-lab day --url http://127.0.0.1:8080 --players 10000 --process $server --database /tmp/day.db

The bytes are those of pages and responses to forms, compressed and without headers. Static files, event streams and the
positions while others move are not requested. The result page requests an analysis of the game, which the server makes in
the background: memory and database contain those that it has made until the end of the test.";

/// The options of the command `day`.
#[derive(Args, Clone, Debug)]
pub struct DayArgs {
    /// The server
    #[arg(long = "url", value_name = "URL", required = true)]
    pub server: Uri,

    /// Browsers that play
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub players: u32,

    /// Browsers that play at a time
    #[arg(long, value_name = "N", default_value_t = 32,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub at_once: u32,

    /// Each browser resigns after this many turns [default: it plays to the end]
    #[arg(long, value_name = "N")]
    pub turns: Option<u32>,

    /// The seed of the browsers' decisions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// The process id of the server, whose memory is measured; on Linux, if it runs on this machine
    #[arg(long, value_name = "PID")]
    pub process: Option<u32>,

    /// The file of the server's SQLite database, whose growth is measured
    #[arg(long, value_name = "FILE")]
    pub database: Option<PathBuf>,

    #[command(flatten)]
    pub client: ClientArgs,
}

impl DayArgs {
    /// The plan that the options describe.
    #[must_use]
    pub fn plan(&self) -> DayPlan {
        DayPlan {
            server: self.server.clone(),
            players: self.players,
            at_once: self.at_once,
            turns: self.turns,
            seed: self.seed,
            process: self.process,
            database: self.database.clone(),
            consent: self.client.consent(),
        }
    }
}
