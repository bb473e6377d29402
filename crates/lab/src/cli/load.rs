//! The command `load`.

use std::time::Duration;

use axum::http::Uri;
use clap::Args;

use super::client::ClientArgs;
use crate::load_test::{GameWorkload, LoadPlan, Workload};

pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom-lab load --url http://127.0.0.1:8080 --games 200 --watchers 1000 --rate 500
  dice-of-doom-lab load --url http://127.0.0.1:8080 --games 50 --pages 100 --json | jq .events
  dice-of-doom-lab load --url http://127.0.0.1:8080 --page /levels --rate 1000 --connections 4

Latencies count from when a request was due, which is scheduled in advance: a pause of the server affects all
requests that are due during it. \"Since it was sent\" is the latency that closed-loop tools report, which wait for a
response before the next request. If the rate exceeds the capacity of the server, the rate of completed requests is its
maximum, and the latencies are those of a queue: use a lower rate, such as half of that. The clock has a resolution of
one millisecond: above a thousand requests per second over one connection they are sent in groups, so use several
connections.";

/// The options of the command `load`.
#[derive(Args, Clone, Debug)]
pub struct LoadArgs {
    /// The server; repeat the option for other servers of the same database
    ///
    /// Players are distributed over several servers, and so are the watchers of each game. Certificates are verified;
    /// SSL_CERT_FILE replaces the certificates of the system.
    #[arg(long = "url", value_name = "URL", required = true)]
    pub servers: Vec<Uri>,

    /// Games in progress at a time, with two human players each; a finished game is replaced by a new one
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "page",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub games: u32,

    /// Event streams, distributed over the games
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "page",
          value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub watchers: u32,

    /// Plies per second over all games; with --page, requests per second [default: one per game]
    #[arg(long, value_name = "R", value_parser = parse_rate)]
    pub rate: Option<f64>,

    /// Page requests of games, per second
    #[arg(long, value_name = "R", value_parser = parse_rate, conflicts_with = "page")]
    pub pages: Option<f64>,

    /// Request only this page, at the rate
    #[arg(long, value_name = "PATH", requires = "rate", value_parser = parse_path)]
    pub page: Option<String>,

    /// Connections over which the page is requested
    #[arg(long, value_name = "N", default_value_t = 1, requires = "page",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub connections: u32,

    /// The duration in seconds, at most one hour; responses and events are awaited up to ten seconds longer
    #[arg(long, value_name = "S", default_value_t = 30,
          value_parser = clap::value_parser!(u32).range(1..=3_600))]
    pub seconds: u32,

    /// Exit with code 1 if a request failed or an event was missing, duplicated or out of order
    #[arg(long)]
    pub strict: bool,

    #[command(flatten)]
    pub client: ClientArgs,
}

impl LoadArgs {
    /// The plan that the options describe.
    #[must_use]
    pub fn plan(&self) -> LoadPlan {
        let default_rate = f64::from(self.games);
        let workload = match &self.page {
            Some(path) => Workload::Page {
                path: path.clone(),
                connections: self.connections,
            },
            None => Workload::Games(GameWorkload {
                games: self.games,
                watchers: self.watchers,
                pages: self.pages.unwrap_or(0.0),
            }),
        };
        LoadPlan {
            servers: self.servers.clone(),
            workload,
            rate: self.rate.unwrap_or(default_rate),
            duration: Duration::from_secs(self.seconds.into()),
            consent: self.client.consent(),
        }
    }
}

fn parse_rate(text: &str) -> Result<f64, &'static str> {
    let rate: Option<f64> = text.parse().ok();
    let is_in_range = |rate: &f64| (0.01..=1_000_000.0).contains(rate);
    rate.filter(is_in_range)
        .ok_or("write a number a second, from 0.01 to 1000000")
}

fn parse_path(text: &str) -> Result<String, &'static str> {
    match text.starts_with('/') && text.parse::<Uri>().is_ok() {
        true => Ok(text.to_owned()),
        false => Err("write a path, such as /levels"),
    }
}
