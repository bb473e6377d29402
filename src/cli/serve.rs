//! The command `serve`.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use directories::ProjectDirs;

use super::WeightsArgs;
use super::value_parser::ListedValueParser;
use crate::service::{RetentionPolicy, ServiceSettings, StorageQuota};
use crate::web::Config;
use crate::web::base_path::BasePath;
use crate::web::client::IpNetwork;
use crate::web::connections::{ConnectionLimits, ListenAddress, SocketAccess};
use crate::web::events::StreamLimits;
use crate::web::guard::RequestGuard;
use crate::web::hosts::{AllowedHosts, HostName};
use crate::web::rate_limit::LoopbackPolicy;
use crate::web::site_url::PublicUrl;

/// How to serve.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// Where to listen: ADDR:PORT or unix:PATH (may be given again)
    ///
    /// Port 0 takes a free port; the address printed has the real one. 0.0.0.0:8080 or `[::]:8080`
    /// lets others on your network play. A Unix socket is for a proxy on this machine: what it says in
    /// X-Forwarded-For and X-Forwarded-Proto is believed. Sockets that systemd passes (LISTEN_FDS) take
    /// the place of all these.
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

    /// Where games are kept: sqlite:PATH, postgres://USER@HOST/DATABASE or memory:
    ///
    /// The default is a SQLite file in your user's data directory. memory: forgets everything at
    /// the end. Several servers may share a PostgreSQL database; the limits below are each server's own. A
    /// password is better given in DATABASE_URL or PGPASSWORD than on the command line, where
    /// everybody on this machine can read it; docs/postgres.md has more.
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    pub database: Option<String>,

    /// Start although plies that were acknowledged are lost
    ///
    /// Where the SQLite file or its log is gone, cut or older than it was when a server ended unexpectedly,
    /// a start without this option is refused, so that what is missing can be put back.
    #[arg(long)]
    pub accept_data_loss: bool,

    /// Answer to this host name too (may be given again)
    ///
    /// The name alone, such as dice.example: no https://, no port, no path. localhost and every
    /// address literal are always answered. Other names must be given, so that no foreign site can
    /// reach this server by pointing its own name here (DNS rebinding).
    #[arg(long = "host", value_name = "NAME", value_delimiter = ',')]
    pub hosts: Vec<HostName>,

    /// Believe X-Forwarded-For, -Host and -Proto from this proxy (may be given again)
    ///
    /// An address or a network such as 10.0.0.0/8. Name your proxy here if you have one, or limits
    /// count everybody's requests as the proxy's own, and a proxy on this machine as exempt. It
    /// must pass the Host header on, or send it as X-Forwarded-Host, or see --public-url.
    /// docs/operations.md has settings for some proxies.
    #[arg(long = "trusted-proxy", value_name = "ADDR", value_delimiter = ',')]
    pub trusted_proxies: Vec<IpNetwork>,

    /// Where browsers find this server: scheme and host, and a path if a proxy shows it under one
    ///
    /// Links that people pass on begin with it, its host is answered as by --host, and its pages may
    /// send forms even where a proxy rewrites the Host header. A path in it is the base path.
    #[arg(long, value_name = "URL")]
    pub public_url: Option<PublicUrl>,

    /// The path under which browsers find this server, such as /dice
    ///
    /// For a proxy that shows the server at a path of its own. The proxy may take the path off before
    /// it forwards a request, or leave it.
    #[arg(long, value_name = "PATH")]
    pub base_path: Option<BasePath>,

    /// Weights of one's own
    #[command(flatten)]
    pub weights: WeightsArgs,

    /// New games a minute from one address
    #[arg(long, value_name = "N", default_value_t = 30, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit_games_per_minute: u32,

    /// Megabytes a day that one address may have kept: new games, moves and uploaded records
    ///
    /// A game counts as 4 kB and a move as 256 bytes, so 50 MB are 195,000 moves; a record counts as what it
    /// takes in the database.
    #[arg(long, value_name = "MB", default_value_t = 50, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=4_294))]
    pub limit_kept_mb_per_day: u32,

    /// Moves a second from one address
    #[arg(long, value_name = "N", default_value_t = 50, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit_moves_per_second: u32,

    /// Pages and other readings a second from one address
    ///
    /// Files that every page uses, such as scripts, are free.
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit_reads_per_second: u32,

    /// Games in memory
    ///
    /// Beyond it those leave memory at which nobody has looked for the longest time; they come back
    /// when somebody does. Games that are followed or thought about stay.
    #[arg(long, value_name = "N", default_value_t = 20_000, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub limit_tables: u32,

    /// Take no new games when the database uses this many megabytes; games that have begun go on
    ///
    /// Without it the database may grow as long as the disk has room.
    #[arg(long, value_name = "MB", help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub limit_database_mb: Option<u32>,

    /// Take no new games when the disk of the database has fewer megabytes left; 0 does not look
    #[arg(long, value_name = "MB", default_value_t = 64, help_heading = "Limits")]
    pub limit_free_disk_mb: u32,

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
    #[arg(long, value_name = "N", help_heading = "How long games are kept",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub keep_days: Option<u32>,

    /// Forget games whose record was uploaded after this many days; 0: never
    #[arg(
        long,
        value_name = "N",
        default_value_t = 30,
        help_heading = "How long games are kept"
    )]
    pub keep_uploaded_days: u32,

    /// Forget games that people began and left after this many days without a ply; 0: never
    ///
    /// By default as --keep-days.
    #[arg(long, value_name = "N", help_heading = "How long games are kept")]
    pub keep_abandoned_days: Option<u32>,

    /// Forget games in which nobody has played after this many days; 0: never
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "How long games are kept"
    )]
    pub keep_untouched_days: u32,

    /// The same where a seat is open or a second person sits, who may come late; 0: never
    #[arg(
        long,
        value_name = "N",
        default_value_t = 30,
        help_heading = "How long games are kept"
    )]
    pub keep_awaited_days: u32,

    /// Serve figures for Prometheus at http://ADDR:PORT/metrics, apart from the game
    ///
    /// For example 127.0.0.1:9100. They are for operators: do not listen where the public can reach.
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub metrics: Option<SocketAddr>,

    /// Before the end say for so many seconds that the server is not ready, and answer meanwhile
    ///
    /// For several servers behind a balancer that asks for /readyz: give it the time in which the balancer
    /// notices. The end itself takes at most two seconds more, and a second signal ends at once.
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(0..=600))]
    pub drain_seconds: u16,

    /// Threads on which computers may think; by default one less than the machine has cores
    ///
    /// Plies of a few milliseconds have one thread more, so that no long thought keeps them waiting.
    /// Time to think is shared by network (IPv6: by /64), then by browser.
    #[arg(long, value_name = "N", hide_short_help = true,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub thinkers: Option<u16>,

    /// Megabytes that thinking computers may remember in all
    ///
    /// A turn begins when what it may come to remember has room: up to 220 of them for a champion on
    /// the largest board, 100 on the usual one. One network takes half at most, or one turn.
    #[arg(long, value_name = "MIB", hide_short_help = true, default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub thinking_memory: u32,
}

impl ServeArgs {
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
    /// One clear sentence when there is no place to keep games in, or two options contradict each other.
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
            storage_quota: StorageQuota {
                max_bytes: self.limit_database_mb.map(megabytes),
                min_free_bytes: megabytes(self.limit_free_disk_mb),
            },
            retention: self.retention_policy(),
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
            kept_mb_per_day: self.limit_kept_mb_per_day,
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

    /// For how long the server says that it is not ready before it ends.
    #[must_use]
    pub fn drain(&self) -> Duration {
        Duration::from_secs(self.drain_seconds.into())
    }

    /// For how long games are kept.
    fn retention_policy(&self) -> RetentionPolicy {
        // On the command line 0 stands for ever.
        let days = |days: u32| (days > 0).then_some(days);
        RetentionPolicy {
            uploaded_days: days(self.keep_uploaded_days),
            finished_days: self.keep_days,
            abandoned_days: self.keep_abandoned_days.map_or(self.keep_days, days),
            untouched_days: days(self.keep_untouched_days),
            awaited_days: days(self.keep_awaited_days),
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
    let found = all.find(|access| access.name() == word);
    found.ok_or_else(|| {
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
    fn the_base_path_is_said_once() {
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
    fn check_keep(line: &str, finished: Option<u32>, unfinished: [Option<u32>; 3]) {
        let words = std::iter::once("serve").chain(line.split_whitespace());
        let [abandoned_days, untouched_days, awaited_days] = unfinished;
        let expect = RetentionPolicy {
            uploaded_days: Some(30),
            finished_days: finished,
            abandoned_days,
            untouched_days,
            awaited_days,
        };
        assert_eq!(
            Line::parse_from(words).serve.retention_policy(),
            expect,
            "{line:?}"
        );
    }

    #[test]
    fn each_kind_of_game_is_kept_as_asked() {
        check_keep("", None, [None, Some(1), Some(30)]);
        check_keep("--keep-days 7", Some(7), [Some(7), Some(1), Some(30)]);
        let switched = "--keep-days 7 --keep-abandoned-days 90 --keep-awaited-days 5";
        check_keep(switched, Some(7), [Some(90), Some(1), Some(5)]);
        let never = "--keep-days 7 --keep-abandoned-days 0 --keep-untouched-days 0";
        check_keep(never, Some(7), [None, None, Some(30)]);
    }
}
