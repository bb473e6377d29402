//! The command line. Its help texts are the manual.
//!
//! Without a command the program serves: `dice-of-doom --listen …` is
//! `dice-of-doom serve --listen …`.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use directories::ProjectDirs;

use crate::web::client::Network;
use crate::web::guard::{Guard, Hosts, Loopback, Throttle};
use crate::web::listen::Limits;

/// Play, watch, study and program Dice of Doom, the dice-conquest game of Land of Lisp.
///
/// Without a command it serves: open the address that it prints in a browser.
#[derive(Parser, Clone, Debug)]
#[command(name = "dice-of-doom", version, args_conflicts_with_subcommands = true)]
#[command(after_help = "Exit codes: 0 done, 2 bad usage, 1 anything else.\n\
    Logs go to stderr; RUST_LOG chooses what is logged, for example RUST_LOG=debug.")]
pub struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: Serve,
}

impl Options {
    /// What to do; `serve` when no command is named.
    #[must_use]
    pub fn chosen(self) -> Command {
        self.command.unwrap_or(Command::Serve(self.serve))
    }
}

/// The commands of the program.
#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Serve the game to browsers and programs (the default)
    ///
    /// Games are kept in a database and go on after a restart. SIGTERM or Ctrl-C ends the server
    /// within two seconds; no move is lost.
    Serve(Serve),
    /// Print completions for a shell
    ///
    /// For example: dice-of-doom completions bash > ~/.local/share/bash-completion/completions/dice-of-doom
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
}

/// How to serve.
#[derive(Args, Clone, Debug)]
pub struct Serve {
    /// Where to listen
    ///
    /// Port 0 takes a free port; the address printed has the real one. 0.0.0.0:8080 or `[::]:8080`
    /// lets others on your network play.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    pub listen: SocketAddr,

    /// Where games are kept: sqlite:PATH, postgres://… or memory:
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

    /// Computer players that may think at once; by default one less than the machine has cores
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

    /// What the accept loop allows.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits {
            connections: self.limit_connections as usize,
            connections_per_address: self.limit_connections_per_address as usize,
            loopback: self.loopback(),
            proxies: self.trusted_proxies.clone(),
            ..Limits::default()
        }
    }

    /// What the guard lets through.
    #[must_use]
    pub fn guard(&self) -> Guard {
        let limits = self.limits();
        Guard {
            hosts: Hosts::new(self.hosts.iter().cloned()),
            proxies: self.trusted_proxies.clone(),
            max_body_bytes: limits.max_body_bytes,
            body_timeout: limits.body_timeout,
        }
    }

    /// The limit on new games.
    #[must_use]
    pub fn games_throttle(&self) -> Throttle {
        let minute = Duration::from_secs(60);
        Throttle::new(self.limit_games_per_minute, minute, self.loopback())
    }

    /// The limit on moves.
    #[must_use]
    pub fn moves_throttle(&self) -> Throttle {
        let second = Duration::from_secs(1);
        Throttle::new(self.limit_moves_per_second, second, self.loopback())
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

/// Why the server cannot listen, and what to do about it.
#[must_use]
pub fn listen_error(address: SocketAddr, error: &io::Error) -> String {
    let (ip, port) = (address.ip(), address.port());
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("port {port} on {ip} is taken by another program; choose another with --listen")
        }
        io::ErrorKind::PermissionDenied => format!(
            "port {port} on {ip} needs more rights than this program has; choose one above 1023 with --listen"
        ),
        io::ErrorKind::AddrNotAvailable => {
            format!("this machine has no address {ip}; choose another with --listen")
        }
        _ => format!("cannot listen on {address}: {error}"),
    }
}

/// The address to open in a browser on this machine for a listener at `address`.
#[must_use]
pub fn address_to_open(address: SocketAddr) -> String {
    let ip: IpAddr = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}/", SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Command, clap::Error> {
        let words = std::iter::once("dice-of-doom").chain(line.split_whitespace());
        Options::try_parse_from(words).map(Options::chosen)
    }

    #[track_caller]
    fn serve(line: &str) -> Serve {
        match parse(line) {
            Ok(Command::Serve(serve)) => serve,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_definitions_agree() {
        Options::command().debug_assert();
    }

    #[test]
    fn serve_is_the_default() {
        assert_eq!(serve("").listen, "127.0.0.1:8080".parse().unwrap());
        assert_eq!(serve("--listen [::1]:0").listen, "[::1]:0".parse().unwrap());
        assert_eq!(serve("serve --listen 0.0.0.0:80").listen.port(), 80);
        assert_eq!(serve("--host a.example --host b.example").hosts.len(), 2);
        assert_eq!(serve("--trusted-proxy 10.0.0.0/8").trusted_proxies.len(), 1);
        assert!(serve("serve --database memory:").database_url().unwrap() == "memory:");
    }

    #[test]
    fn bad_usage_is_exit_code_2() {
        for line in [
            "--listen 8080",
            "--listen nowhere",
            "--limit-games-per-minute 0",
            "--keep-days -1",
            "--trusted-proxy ten",
            "dance",
            "completions klingon",
            "--limit-loopback serve",
        ] {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn help_is_no_error() {
        assert_eq!(parse("--help").unwrap_err().exit_code(), 0);
        assert_eq!(parse("serve --help").unwrap_err().exit_code(), 0);
    }

    #[test]
    fn errors_say_what_to_do() {
        let taken = listen_error(
            "127.0.0.1:8080".parse().unwrap(),
            &io::ErrorKind::AddrInUse.into(),
        );
        let expect =
            "port 8080 on 127.0.0.1 is taken by another program; choose another with --listen";
        assert_eq!(taken, expect);
    }

    #[test]
    fn the_address_can_be_opened() {
        let open = |text: &str| address_to_open(text.parse().unwrap());
        assert_eq!(open("127.0.0.1:8080"), "http://127.0.0.1:8080/");
        assert_eq!(open("0.0.0.0:80"), "http://127.0.0.1:80/");
        assert_eq!(open("[::]:8080"), "http://[::1]:8080/");
    }
}
