//! The command `load_test`.

use std::time::Duration;

use axum::http::Uri;
use clap::Args;

use crate::load_test::{Consent, GameWorkload, LoadPlan, Workload};

pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom-lab load --url http://127.0.0.1:8080 --games 200 --watchers 1000 --rate 500
  dice-of-doom-lab load --url http://127.0.0.1:8080 --games 50 --pages 100 --json | jq .events
  dice-of-doom-lab load --url http://127.0.0.1:8080 --page /levels --rate 1000 --connections 4

Times count from when a request was due, which was fixed beforehand: a server that stands still is charged with
all that was due meanwhile. \"Since it was sent\" is what tools tell that wait for an answer before they ask again.
Where the server is asked for more than it can do, the rate of what is done is its most, and the times are those of
a queue: ask for less, such as half of that. The clock ticks once a millisecond: more than a thousand a second over one
connection are due in groups, so give several.";

/// What to ask of which server, and how often.
#[derive(Args, Clone, Debug)]
pub struct LoadArgs {
    /// The server; given again, another one of the same database
    ///
    /// Players are spread over several servers, and so are the watchers of each game. Certificates are checked; SSL_CERT_FILE names others than the system's.
    #[arg(long = "url", value_name = "URL", required = true)]
    pub servers: Vec<Uri>,

    /// Games that are played at a time, by two people each; one that is over is followed by another
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "page",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub games: u32,

    /// Streams of events, spread over the games
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "page",
          value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub watchers: u32,

    /// Plies a second, all games together; with --page, requests a second [default: one for each game]
    #[arg(long, value_name = "R", value_parser = rate)]
    pub rate: Option<f64>,

    /// Pages of the games that are looked at, a second
    #[arg(long, value_name = "R", value_parser = rate, conflicts_with = "page")]
    pub pages: Option<f64>,

    /// Ask for this one page alone, at the rate
    #[arg(long, value_name = "PATH", requires = "rate", value_parser = path)]
    pub page: Option<String>,

    /// Connections over which the page is asked for
    #[arg(long, value_name = "N", default_value_t = 1, requires = "page",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub connections: u32,

    /// For how long, at most an hour; answers and events are waited for up to ten seconds longer
    #[arg(long, value_name = "S", default_value_t = 30,
          value_parser = clap::value_parser!(u32).range(1..=3_600))]
    pub seconds: u32,

    /// Threads of this program
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,

    /// The server is yours, or its operator agrees: without this only this machine may be asked
    #[arg(long)]
    pub with_consent: bool,

    /// End with the exit code 1 when a request failed or an event did not come, each once and in order
    #[arg(long)]
    pub strict: bool,

    /// Print JSON, with times in microseconds
    #[arg(long)]
    pub json: bool,
}

impl LoadArgs {
    /// The load that is asked for.
    #[must_use]
    pub fn plan(&self) -> LoadPlan {
        let usual = f64::from(self.games);
        let work = match &self.page {
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
            work,
            rate: self.rate.unwrap_or(usual),
            lasts: Duration::from_secs(self.seconds.into()),
            consent: match self.with_consent {
                true => Consent::Given,
                false => Consent::None,
            },
        }
    }
}

fn rate(text: &str) -> Result<f64, &'static str> {
    let rate: Option<f64> = text.parse().ok();
    let possible = |rate: &f64| (0.01..=1_000_000.0).contains(rate);
    rate.filter(possible)
        .ok_or("write a number a second, from 0.01 to 1000000")
}

fn path(text: &str) -> Result<String, &'static str> {
    match text.starts_with('/') && text.parse::<Uri>().is_ok() {
        true => Ok(text.to_owned()),
        false => Err("write a path, such as /levels"),
    }
}
