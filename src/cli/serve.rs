//! The command `serve`.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use etcetera::BaseStrategy as _;

use super::WeightsArgs;
use super::value_parser::ListedValueParser;
use crate::client_network::LoopbackPolicy;
use crate::http::base_path::BasePath;
use crate::http::client::IpNetwork;
use crate::http::connections::{ConnectionLimits, ListenAddress, SocketAccess};
use crate::http::guard::RequestGuard;
use crate::http::hosts::{AllowedHosts, HostName};
use crate::http::site_url::PublicUrl;
use crate::site::Config;
use crate::site::shared::subscribers::StreamLimits;
use crate::tables::{RetentionPolicy, ServiceSettings, StorageQuota};

#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// Address to listen on: ADDR:PORT or unix:PATH (may be repeated)
    ///
    /// Port 0 chooses a free port; the printed address has the actual port. 0.0.0.0:8080 or `[::]:8080`
    /// lets others on your network play. A Unix socket is for a proxy on this machine: its
    /// X-Forwarded-For and X-Forwarded-Proto headers are trusted. Sockets passed by systemd (LISTEN_FDS)
    /// replace all these addresses.
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_delimiter = ','
    )]
    pub listen: Vec<ListenAddress>,

    /// Who may connect to a Unix socket of --listen
    #[arg(long, value_name = "WHO", default_value_t,
          value_parser = ListedValueParser::new(SocketAccess::ALL.map(SocketAccess::name), access))]
    pub socket_access: SocketAccess,

    /// Database for the games: sqlite:PATH, postgres://USER@HOST/DATABASE or memory:
    ///
    /// The default is a SQLite file in your user's data directory. memory: loses everything on exit.
    /// Several servers may share a PostgreSQL database; the limits below apply to each server separately.
    /// Give a password in DATABASE_URL or PGPASSWORD rather than on the command line, where every user
    /// of this machine can read it; see docs/operations.md.
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    pub database: Option<String>,

    /// Start even if acknowledged plies have been lost
    ///
    /// If the SQLite file or its log is missing, truncated or older than it was when a server terminated
    /// unexpectedly, the server does not start without this option, so that the missing data can be restored.
    #[arg(long)]
    pub accept_data_loss: bool,

    /// Accept requests for this host name (may be repeated)
    ///
    /// Only the name, such as dice.example: no https://, no port, no path. localhost and IP addresses
    /// are always accepted. Other names must be listed, so that no other site can reach this server by
    /// pointing its own name at it (DNS rebinding).
    #[arg(long = "host", value_name = "NAME", value_delimiter = ',')]
    pub hosts: Vec<HostName>,

    /// Trust X-Forwarded-For, -Host and -Proto from this proxy (may be repeated)
    ///
    /// An address or a network such as 10.0.0.0/8. If you use a proxy, list it here; otherwise the limits
    /// attribute all requests to the proxy, and exempt them if it runs on this machine. The proxy must
    /// forward the Host header, or send it as X-Forwarded-Host; otherwise see --public-url.
    /// docs/operations.md has settings for some proxies.
    #[arg(long = "trusted-proxy", value_name = "ADDR", value_delimiter = ',')]
    pub trusted_proxies: Vec<IpNetwork>,

    /// Public URL of this server: scheme and host, and a path if a proxy serves it under one
    ///
    /// Shared links begin with it, its host is accepted as with --host, and forms on its pages are accepted
    /// even if a proxy rewrites the Host header. Its path is the base path.
    #[arg(long, value_name = "URL")]
    pub public_url: Option<PublicUrl>,

    /// Path under which browsers reach this server, such as /dice
    ///
    /// For a proxy that serves this server under a path. The proxy may remove the path from the requests
    /// that it forwards, or leave it.
    #[arg(long, value_name = "PATH")]
    pub base_path: Option<BasePath>,

    #[command(flatten)]
    pub weights: WeightsArgs,

    /// New games per minute from one address
    #[arg(long, value_name = "N", default_value_t = 30, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit_games_per_minute: u32,

    /// Megabytes per day that one address may store: new games, moves and uploaded records
    ///
    /// A game counts as 4 kB and a move as 256 bytes, so 50 MB are 195,000 moves; a record counts as its
    /// size in the database.
    #[arg(long, value_name = "MB", default_value_t = 50, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=4_294))]
    pub limit_stored_mb_per_day: u32,

    /// Moves per second from one address
    #[arg(long, value_name = "N", default_value_t = 50, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit_moves_per_second: u32,

    /// Pages and other reads per second from one address
    ///
    /// Static files, such as scripts, are not counted.
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit_reads_per_second: u32,

    /// Maximum number of games in memory
    ///
    /// Beyond it the least recently viewed games are unloaded; they are loaded again on the next view. Games
    /// with viewers or with a computing computer player are not unloaded.
    #[arg(long, value_name = "N", default_value_t = 20_000, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub limit_tables: u32,

    /// Reject new games when the database uses this many megabytes; existing games continue
    ///
    /// Without it the database may grow until the disk is full.
    #[arg(long, value_name = "MB", help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit_database_mb: Option<u32>,

    /// Reject new games when the database's disk has fewer free megabytes than this; 0: no check
    #[arg(long, value_name = "MB", default_value_t = 64, help_heading = "Limits")]
    pub limit_free_disk_mb: u32,

    /// Maximum number of connections, including those of spectators
    ///
    /// Each connection needs a file descriptor: if ulimit -n is lower, fewer are accepted.
    #[arg(long, value_name = "N", default_value_t = 12_000, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_connections: u32,

    /// Maximum number of connections from one address (IPv6: from one /64)
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_connections_per_address: u32,

    /// Maximum number of open event streams: every open page of a game uses one
    ///
    /// If fewer connections are accepted, an eighth of them is reserved for pages.
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_streams: u32,

    /// Maximum number of open event streams of one game, including those of players
    #[arg(long, value_name = "N", default_value_t = 5_000, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_streams_per_game: u32,

    /// Maximum number of open event streams from one address (IPv6: from one /64)
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub limit_streams_per_address: u32,

    /// Also apply the limits per address to this machine (127.0.0.1, ::1)
    #[arg(long, help_heading = "Limits")]
    pub limit_loopback: bool,

    /// Delete finished games after this many days; without it they are never deleted
    #[arg(long, value_name = "N", help_heading = "Retention",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub keep_days: Option<u32>,

    /// Delete games from uploaded records after this many days; 0: never
    #[arg(
        long,
        value_name = "N",
        default_value_t = 30,
        help_heading = "Retention"
    )]
    pub keep_uploaded_days: u32,

    /// Delete unfinished games that people have played after this many days without a ply; 0: never
    ///
    /// The default is the value of --keep-days.
    #[arg(long, value_name = "N", help_heading = "Retention")]
    pub keep_abandoned_days: Option<u32>,

    /// Delete games without any ply by a person after this many days; 0: never
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Retention"
    )]
    pub keep_untouched_days: u32,

    /// The same for games with an open seat or a second person who may arrive late; 0: never
    #[arg(
        long,
        value_name = "N",
        default_value_t = 30,
        help_heading = "Retention"
    )]
    pub keep_awaited_days: u32,

    /// Delete answers to puzzles, scores of boards of the day, and feeds since whose last fetch this many days have
    /// passed; 0: never
    #[arg(
        long,
        value_name = "N",
        default_value_t = 400,
        help_heading = "Retention"
    )]
    pub keep_browser_data_days: u32,

    /// Serve Prometheus metrics at http://ADDR:PORT/metrics, separately from the game
    ///
    /// For example 127.0.0.1:9100. Metrics are for operators: do not use an address that is publicly reachable.
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub metrics: Option<SocketAddr>,

    /// Before shutting down, report for this many seconds that the server is not ready, and keep answering requests
    ///
    /// For several servers behind a load balancer that polls /readyz: choose a time in which the balancer
    /// notices. The shutdown then takes at most two more seconds; a second signal stops the server at once.
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(0..=600))]
    pub drain_seconds: u16,

    /// Compute threads for computer players; the default is one less than the number of cores
    ///
    /// Plies that take a few milliseconds have one additional thread, so that long computations do not delay
    /// them. Compute time is shared fairly between client networks (IPv6: /64), then between browsers.
    #[arg(long, value_name = "N", hide_short_help = true,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub thinkers: Option<u16>,

    /// Total memory for the computations of computer players, in mebibytes
    ///
    /// A turn starts when the memory that it may need is free: up to 220 MiB for a champion on the largest
    /// board, 100 MiB on the default one. One client network uses at most half of the total, or one turn.
    #[arg(long, value_name = "MIB", hide_short_help = true, default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub thinking_memory: u32,
}

impl ServeArgs {
    /// The given URL, or by default that of a SQLite file in the user's data directory.
    ///
    /// # Errors
    /// The user has no home directory.
    pub fn database_url(&self) -> Result<String, String> {
        if let Some(url) = &self.database {
            return Ok(url.clone());
        }
        let directories = etcetera::base_strategy::choose_native_strategy().map_err(|_| {
            "there is no home directory to keep games in; choose a place with --database sqlite:PATH"
        })?;
        let file = directories.data_dir().join("dice-of-doom/games.db");
        Ok(format!("sqlite:{}", file.display()))
    }

    /// The configuration of the server.
    ///
    /// # Errors
    /// There is no default database file, or two options contradict each other.
    pub fn config(&self) -> Result<Config, String> {
        let connections = ConnectionLimits {
            connections: self.limit_connections as usize,
            connections_per_address: self.limit_connections_per_address as usize,
            loopback: self.loopback(),
            proxies: self.trusted_proxies.clone(),
            ..ConnectionLimits::default()
        };
        let mut service = ServiceSettings {
            max_tables: self.limit_tables as usize,
            limit_loopback: self.limit_loopback,
            storage_quota: StorageQuota {
                max_bytes: self.limit_database_mb.map(megabytes),
                min_free_bytes: megabytes(self.limit_free_disk_mb),
            },
            retention: self.retention_policy(),
            loopback: self.loopback(),
            compute_bytes: (self.thinking_memory as usize) << 20,
            ..ServiceSettings::default()
        };
        if let Some(thinkers) = self.thinkers {
            service.compute_threads = usize::from(thinkers);
        }
        let public_host = self.public_url.iter().flat_map(PublicUrl::host_name);
        Ok(Config {
            listen: self.listen.clone(),
            socket_access: self.socket_access,
            database: self.database_url()?,
            accept_data_loss: self.accept_data_loss,
            metrics: self.metrics,
            drain: self.drain(),
            service,
            guard: RequestGuard {
                hosts: AllowedHosts::new(self.hosts.iter().cloned().chain(public_host)),
                proxies: self.trusted_proxies.clone(),
                public_url: self.public_url.clone(),
                base_path: self.base_path()?,
                max_body_bytes: connections.max_body_bytes,
                body_timeout: connections.body_timeout,
                ..RequestGuard::default()
            },
            connections,
            streams: StreamLimits {
                all: self.limit_streams as usize,
                per_game: self.limit_streams_per_game as usize,
                per_address: self.limit_streams_per_address as usize,
                loopback: self.loopback(),
                ..StreamLimits::default()
            },
            stored_mb_per_day: self.limit_stored_mb_per_day,
            games_per_minute: self.limit_games_per_minute,
            moves_per_second: self.limit_moves_per_second,
            reads_per_second: self.limit_reads_per_second,
        })
    }

    fn base_path(&self) -> Result<BasePath, String> {
        let public = self.public_url.as_ref().map(|url| &url.base_path);
        match (&self.base_path, public) {
            (Some(path), Some(public)) if !public.is_root() && path != public => Err(format!(
                "--base-path says {path} and --public-url says {public}; give one of them"
            )),
            (Some(path), _) | (None, Some(path)) => Ok(path.clone()),
            (None, None) => Ok(BasePath::default()),
        }
    }

    /// The time for which the server reports that it is not ready before it shuts down.
    #[must_use]
    pub fn drain(&self) -> Duration {
        Duration::from_secs(self.drain_seconds.into())
    }

    fn retention_policy(&self) -> RetentionPolicy {
        // On the command line 0 means that games are never deleted.
        let days = |days: u32| (days > 0).then_some(days);
        RetentionPolicy {
            uploaded_days: days(self.keep_uploaded_days),
            finished_days: self.keep_days,
            abandoned_days: self.keep_abandoned_days.map_or(self.keep_days, days),
            untouched_days: days(self.keep_untouched_days),
            awaited_days: days(self.keep_awaited_days),
            browser_data_days: days(self.keep_browser_data_days),
        }
    }

    fn loopback(&self) -> LoopbackPolicy {
        if self.limit_loopback {
            LoopbackPolicy::Limited
        } else {
            LoopbackPolicy::Exempt
        }
    }
}

fn megabytes(count: u32) -> u64 {
    u64::from(count) * 1_000_000
}

fn access(word: &str) -> Result<SocketAccess, String> {
    let mut all = SocketAccess::ALL.into_iter();
    let access = all.find(|access| access.name() == word);
    access.ok_or_else(|| {
        format!(
            "write {}",
            SocketAccess::ALL.map(SocketAccess::name).join(", ")
        )
    })
}

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "write an address with its port, such as 127.0.0.1:8080 or [::1]:8080")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        serve: ServeArgs,
    }

    #[test]
    fn conflicting_base_paths_are_rejected() {
        let base_path = |line: &str| {
            let words = std::iter::once("serve").chain(line.split_whitespace());
            let path = Line::parse_from(words).serve.base_path();
            path.map(|path| path.to_string())
        };
        for (line, path) in [
            ("", ""),
            ("--base-path /dice/", "/dice"),
            ("--public-url https://dice.example", ""),
            ("--public-url https://example.org/dice", "/dice"),
            (
                "--public-url https://example.org/dice/ --base-path /dice",
                "/dice",
            ),
            (
                "--public-url https://example.org --base-path /dice",
                "/dice",
            ),
        ] {
            assert_eq!(base_path(line).as_deref(), Ok(path), "{line}");
        }
        assert!(base_path("--public-url https://example.org/a --base-path /b").is_err());
    }

    #[track_caller]
    fn check_retention(line: &str, finished: Option<u32>, unfinished: [Option<u32>; 3]) {
        let words = std::iter::once("serve").chain(line.split_whitespace());
        let [abandoned_days, untouched_days, awaited_days] = unfinished;
        let expect = RetentionPolicy {
            uploaded_days: Some(30),
            finished_days: finished,
            abandoned_days,
            untouched_days,
            awaited_days,
            browser_data_days: Some(400),
        };
        assert_eq!(
            Line::parse_from(words).serve.retention_policy(),
            expect,
            "{line:?}"
        );
    }

    #[test]
    fn each_kind_of_game_has_its_retention_period() {
        check_retention("", None, [None, Some(1), Some(30)]);
        check_retention("--keep-days 7", Some(7), [Some(7), Some(1), Some(30)]);
        let switched = "--keep-days 7 --keep-abandoned-days 90 --keep-awaited-days 5";
        check_retention(switched, Some(7), [Some(90), Some(1), Some(5)]);
        let never = "--keep-days 7 --keep-abandoned-days 0 --keep-untouched-days 0";
        check_retention(never, Some(7), [None, None, Some(30)]);
    }
}
