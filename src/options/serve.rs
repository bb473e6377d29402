//! The command `serve`.

use std::net::SocketAddr;

use clap::Args;
use directories::ProjectDirs;

use crate::service::Settings;
use crate::web::Config;
use crate::web::client::Network;
use crate::web::events::StreamLimits;
use crate::web::guard::{Guard, Hosts};
use crate::web::listen::ConnectionLimits;
use crate::web::throttle::Loopback;

/// How to serve.
#[derive(Args, Clone, Debug)]
pub struct Serve {
    /// Where to listen
    ///
    /// Port 0 takes a free port; the address printed has the real one. 0.0.0.0:8080 or `[::]:8080`
    /// lets others on your network play.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    pub listen: SocketAddr,

    /// Where games are kept: sqlite:PATH or memory:
    ///
    /// The default is a SQLite file in your user's data directory. memory: forgets everything at
    /// the end.
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    pub database: Option<String>,

    /// Answer to this host name too (may be given again)
    ///
    /// localhost and every address literal are always answered. Other names must be given, so that
    /// no foreign site can reach this server by pointing its own name here (DNS rebinding).
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,

    /// Believe X-Forwarded-For and X-Forwarded-Proto from this proxy (may be given again)
    ///
    /// An address or a network such as 10.0.0.0/8. Name your proxy here if you have one, or limits
    /// count everybody's requests as the proxy's own, and a proxy on this machine as exempt. It
    /// must pass the Host header on.
    #[arg(long = "trusted-proxy", value_name = "ADDR")]
    pub trusted_proxies: Vec<Network>,

    /// New games a minute from one address
    #[arg(long, value_name = "N", default_value_t = 30, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit_games_per_minute: u32,

    /// Moves a second from one address
    #[arg(long, value_name = "N", default_value_t = 50, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit_moves_per_second: u32,

    /// Connections in all, watchers included
    ///
    /// Each needs a file descriptor: where ulimit -n allows fewer, fewer are accepted.
    #[arg(long, value_name = "N", default_value_t = 12_000, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_connections: u32,

    /// Connections from one address (IPv6: from one /64)
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_connections_per_address: u32,

    /// Open streams of events in all: every open page of a game holds one
    ///
    /// Where fewer connections are accepted, an eighth of them is kept for pages.
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_streams: u32,

    /// Open streams of one game, players included
    #[arg(long, value_name = "N", default_value_t = 5_000, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_streams_per_game: u32,

    /// Open streams from one address (IPv6: from one /64)
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_streams_per_address: u32,

    /// Apply the limits per address to this machine (127.0.0.1, ::1) too
    #[arg(long, help_heading = "Limits")]
    pub limit_loopback: bool,

    /// Forget finished games after this many days; without it they are kept for ever
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub keep_days: Option<u32>,

    /// Serve figures for Prometheus at http://ADDR:PORT/metrics, apart from the game
    ///
    /// For example 127.0.0.1:9100. They are for operators: do not listen where the public can reach.
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub metrics: Option<SocketAddr>,

    /// Threads on which computers may think; by default one less than the machine has cores
    #[arg(long, value_name = "N", hide_short_help = true,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub thinkers: Option<u16>,
}

impl Serve {
    /// Where games are kept: as given, or a file in the user's data directory.
    ///
    /// # Errors
    /// One clear sentence when there is no data directory.
    pub fn database_url(&self) -> Result<String, String> {
        if let Some(url) = &self.database {
            return Ok(url.clone());
        }
        let directories = ProjectDirs::from("", "", "dice-of-doom").ok_or(
            "there is no home directory to keep games in; choose a place with --database sqlite:PATH",
        )?;
        let file = directories.data_dir().join("games.db");
        Ok(format!("sqlite:{}", file.display()))
    }

    /// The server that is asked for.
    ///
    /// # Errors
    /// One clear sentence when there is no place to keep games in.
    pub fn config(&self) -> Result<Config, String> {
        let connections = ConnectionLimits {
            connections: self.limit_connections as usize,
            connections_per_address: self.limit_connections_per_address as usize,
            loopback: self.loopback(),
            proxies: self.trusted_proxies.clone(),
            ..ConnectionLimits::default()
        };
        let mut service = Settings::default();
        if let Some(thinkers) = self.thinkers {
            service.thinkers = usize::from(thinkers);
        }
        Ok(Config {
            listen: self.listen,
            database: self.database_url()?,
            metrics: self.metrics,
            keep_days: self.keep_days,
            service,
            guard: Guard {
                hosts: Hosts::new(self.hosts.iter().cloned()),
                proxies: self.trusted_proxies.clone(),
                max_body_bytes: connections.max_body_bytes,
                body_timeout: connections.body_timeout,
            },
            connections,
            streams: StreamLimits {
                all: self.limit_streams as usize,
                per_game: self.limit_streams_per_game as usize,
                per_address: self.limit_streams_per_address as usize,
                loopback: self.loopback(),
                ..StreamLimits::default()
            },
            games_per_minute: self.limit_games_per_minute,
            moves_per_second: self.limit_moves_per_second,
        })
    }

    fn loopback(&self) -> Loopback {
        if self.limit_loopback {
            Loopback::Limited
        } else {
            Loopback::Exempt
        }
    }
}

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "write an address with its port, such as 127.0.0.1:8080 or [::1]:8080")
}
