//! The command line. Its help texts are the manual.
//!
//! Without a command the program serves: `dice-of-doom --listen …` is
//! `dice-of-doom serve --listen …`.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use directories::ProjectDirs;

use crate::arena::{Contest, Contestant, Plan, Sprt};
use crate::engine::RequestLimits;
use crate::games::dice_of_doom::{Rules, UnknownRules};
use crate::games::{GameKind, Parameters};
use crate::level::{Level, UnknownLevel};
use crate::seats::{SeatWord, UnknownSeat};
use crate::terminal::{Seat, TerminalGame};
use crate::web::client::Network;
use crate::web::events::StreamLimits;
use crate::web::guard::{Guard, Hosts, Loopback, Throttle};
use crate::web::listen::{self, ConnectionLimits};

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
    /// Play in the terminal
    ///
    /// Numbers choose from the list of moves, ? explains, q leaves; so does the end of input.
    #[command(after_long_help = PLAY_EXAMPLES)]
    Play(Play),
    /// Answer programs: JSON lines over stdin and stdout
    ///
    /// One request object a line, one answer a line, in order; "id" is echoed. Errors are answers,
    /// too; the end of input ends the program. The ops: new, moves, rate, choose, perft, levels.
    #[command(after_long_help = ENGINE_EXAMPLES)]
    Engine(Engine),
    /// Let computers play each other, and measure them
    ///
    /// Every seat plays every player on each board (all rotations); the intervals count boards, not
    /// games. The same seed gives the same numbers on any number of threads; only times differ. For
    /// times to rely on, leave the machine alone and give --threads 1.
    #[command(after_long_help = ARENA_EXAMPLES)]
    Arena(Arena),
    /// Find the weights of Dice of Doom's evaluation by hand anew
    ///
    /// Games of the evaluation against itself, for each kind of rules and number of players; the same
    /// seed gives the same weights. Prints the file crates/games/src/dice_of_doom/forecast/weights.csv, which
    /// is read when the program is built; the arena tells whether it is any better.
    Tune(Tune),
    /// Print completions for a shell
    ///
    /// For example: dice-of-doom completions bash > ~/.local/share/bash-completion/completions/dice-of-doom
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
}

const PLAY_EXAMPLES: &str = "\
Examples:
  dice-of-doom play --rules v2                              you against the computer of the book
  dice-of-doom play --seats book,book,random,book --seed 7  four computers, always the same game
  dice-of-doom play trilobite --width 3 --height 3 --win 3  tic-tac-toe with gravity";

const ARENA_EXAMPLES: &str = "\
Examples:
  dice-of-doom arena --seats greedy,book,book,book               is greedy better than book?
  dice-of-doom arena --seats master:400,master,master,master     what do 400 simulations cost?
  dice-of-doom arena trilobite --seats steady,book --boards 50   the other game
  dice-of-doom arena --ladder random,book,greedy,steady          each against the one before
  dice-of-doom arena --seats steady,greedy,greedy,greedy --sprt 0.25,0.3 --boards 5000
                                                                 as many boards as the answer needs";

const ENGINE_EXAMPLES: &str = r#"Examples of requests:
  {"id":1,"op":"new","game":"dice","rules":"v4","size":5,"players":4,"max_dice":5,"seed":7}
  {"id":2,"op":"moves","position":{"game":"trilobite","width":7,"height":6,"win":4,"columns":"4455"}}
  {"id":3,"op":"levels","game":"dice"}

README.md has a table of the ops and a bot in Python."#;

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

    /// What the accept loop allows.
    #[must_use]
    pub fn limits(&self) -> ConnectionLimits {
        ConnectionLimits {
            connections: self.limit_connections as usize,
            connections_per_address: self.limit_connections_per_address as usize,
            loopback: self.loopback(),
            proxies: self.trusted_proxies.clone(),
            ..ConnectionLimits::default()
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

    /// How many may follow games at a time.
    #[must_use]
    pub fn stream_limits(&self) -> StreamLimits {
        // Streams hold their connections for hours: they must not take the last ones.
        let connections = listen::connections(&self.limits());
        StreamLimits {
            all: (self.limit_streams as usize).min(connections - connections / 8),
            per_game: self.limit_streams_per_game as usize,
            per_address: self.limit_streams_per_address as usize,
            loopback: self.loopback(),
            ..StreamLimits::default()
        }
    }

    fn loopback(&self) -> Loopback {
        if self.limit_loopback {
            Loopback::Limited
        } else {
            Loopback::Exempt
        }
    }
}

/// What to play in the terminal, and who.
#[derive(Args, Clone, Debug)]
pub struct Play {
    /// The game, with its parameters
    #[command(flatten)]
    pub game: Played,

    /// Who sits where, separated by commas: human, or a level
    #[arg(long, value_name = "SEAT,SEAT,…", value_delimiter = ',', value_parser = seat,
          long_help = play_seats())]
    pub seats: Option<Vec<Seat>>,

    /// Repeat a whole game: the board, the dice and what computers choose
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Write the record here when the game is left, as JSON with every face of every die
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// A game and its numbers.
#[derive(Args, Clone, Debug)]
pub struct Played {
    /// The game: dice or trilobite
    #[arg(value_name = "GAME", default_value = "dice", value_parser = game)]
    pub game: GameKind,

    /// The rules: v1, v2, v3, v4 or conquest; they choose the usual side, players and dice
    #[arg(long, value_name = "RULES", help_heading = "Dice of Doom", value_parser = rules)]
    pub rules: Option<Rules>,

    /// Hexes along each side, 2 to 8
    #[arg(long, value_name = "N", help_heading = "Dice of Doom")]
    pub side: Option<u8>,

    /// Players, 2 to 6
    #[arg(long, value_name = "N", help_heading = "Dice of Doom")]
    pub players: Option<u8>,

    /// The most dice on a hex, 2 to 8
    #[arg(long, value_name = "N", help_heading = "Dice of Doom")]
    pub max_dice: Option<u8>,

    /// Columns [default: 8]
    #[arg(long, value_name = "N", help_heading = "Trilobite")]
    pub width: Option<u8>,

    /// Chips that a column holds [default: 7]
    #[arg(long, value_name = "N", help_heading = "Trilobite")]
    pub height: Option<u8>,

    /// Chips in a line that win [default: 4]
    #[arg(long, value_name = "N", help_heading = "Trilobite")]
    pub win: Option<u8>,
}

impl Play {
    /// The game that is asked for; without a seed it takes `fresh_seed`.
    ///
    /// # Errors
    /// One clear sentence when the options do not fit each other.
    pub fn terminal_game(&self, fresh_seed: u64) -> Result<TerminalGame, String> {
        let parameters = self.game.parameters()?;
        let usual = SeatWord::usual(parameters.players()).filter_map(Seat::of);
        let game = TerminalGame {
            parameters,
            seats: self.seats.clone().unwrap_or_else(|| usual.collect()),
            seed: self.seed.unwrap_or(fresh_seed),
            record: self.record.clone(),
        };
        game.check().map_err(|error| error.to_string())?;
        Ok(game)
    }
}

impl Played {
    /// The game that is asked for; its numbers are not checked yet.
    ///
    /// # Errors
    /// One clear sentence when an option of another game is given.
    pub fn parameters(&self) -> Result<Parameters, String> {
        match self.game {
            GameKind::Dice => {
                let others = [
                    ("--width", self.width.is_some()),
                    ("--height", self.height.is_some()),
                    ("--win", self.win.is_some()),
                ];
                none_of(GameKind::Trilobite, &others)?;
                let rules = self.rules.unwrap_or(Rules::V4);
                let (players, max_dice, side) = rules.defaults();
                Ok(Parameters::Dice {
                    rules,
                    size: self.side.unwrap_or(side),
                    players: self.players.unwrap_or(players),
                    max_dice: self.max_dice.unwrap_or(max_dice),
                })
            }
            GameKind::Trilobite => {
                let others = [
                    ("--rules", self.rules.is_some()),
                    ("--side", self.side.is_some()),
                    ("--players", self.players.is_some()),
                    ("--max-dice", self.max_dice.is_some()),
                ];
                none_of(GameKind::Dice, &others)?;
                Ok(Parameters::Trilobite {
                    width: self.width.unwrap_or(8),
                    height: self.height.unwrap_or(7),
                    win: self.win.unwrap_or(4),
                })
            }
        }
    }
}

/// No option of another game may be given.
fn none_of(other: GameKind, options: &[(&str, bool)]) -> Result<(), String> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(format!("{option} is an option of the game {other}")),
        None => Ok(()),
    }
}

/// Who plays whom, and how often.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("who").required(true))]
pub struct Arena {
    /// The game, with its parameters
    #[command(flatten)]
    pub game: Played,

    /// Who sits where, one for each player: LEVEL or LEVEL:SIMULATIONS
    #[arg(long, value_name = "SEAT,SEAT,…", value_delimiter = ',', group = "who",
          long_help = arena_seats())]
    pub seats: Vec<Contestant>,

    /// Let each of these play against the one before: one of it, the other on all other seats
    #[arg(long, value_name = "CONTESTANT,…", value_delimiter = ',', group = "who", num_args = 0..=1,
          default_missing_value = LADDER.as_str(), long_help = arena_ladder())]
    pub ladder: Vec<Contestant>,

    /// Stop as soon as it is clear whether the first seat's share is LOW or HIGH
    ///
    /// A generalised sequential probability ratio test over boards, with 5 % for either error; it
    /// looks after every 20 boards and gives up at --boards. All seats of the first contestant count;
    /// where everybody is the same, the first seat alone.
    #[arg(long, value_name = "LOW,HIGH", conflicts_with = "ladder")]
    pub sprt: Option<Sprt>,

    /// Boards to play, each in all rotations
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub boards: u32,

    /// Chooses the boards, the dice and what computers choose
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Boards played at once [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Keep finished boards in this file; the same arena goes on there, also with more --boards
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}

/// How to find weights.
#[derive(Args, Clone, Copy, Debug)]
pub struct Tune {
    /// Games for each table of weights
    #[arg(long, value_name = "N", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub games: u32,

    /// Repeats everything
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl Arena {
    /// The arena that is asked for.
    ///
    /// # Errors
    /// One clear sentence when the options do not fit each other.
    pub fn contest(&self) -> Result<Contest, String> {
        let plan = match self.sprt {
            _ if !self.ladder.is_empty() => Plan::Ladder(self.ladder.clone()),
            Some(sprt) => Plan::Change(self.seats.clone(), sprt),
            None => Plan::Table(self.seats.clone()),
        };
        let contest = Contest {
            plan,
            boards: self.boards,
            seed: self.seed,
            threads: self
                .threads
                .and_then(|threads| NonZeroUsize::new(usize::from(threads))),
            resume: self.resume.clone(),
        };
        let players = self.game.parameters()?.players();
        contest.check(players).map_err(|error| error.to_string())?;
        Ok(contest)
    }
}

/// How to answer programs.
#[derive(Args, Clone, Copy, Debug)]
pub struct Engine {
    /// Positions that one request may look at; beyond them it is answered "too-large"
    #[arg(long, value_name = "N", default_value_t = RequestLimits::default().nodes,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub limit_nodes: u64,
}

impl Engine {
    /// What a request may cost.
    #[must_use]
    pub const fn limits(&self) -> RequestLimits {
        RequestLimits {
            nodes: self.limit_nodes,
        }
    }
}

fn game(name: &str) -> Result<GameKind, String> {
    let names = GameKind::ALL.map(GameKind::name).join(" and ");
    name.parse()
        .map_err(|unknown| format!("{unknown}; there are {names}"))
}

fn rules(name: &str) -> Result<Rules, UnknownRules> {
    name.parse()
}

fn seat(name: &str) -> Result<Seat, String> {
    let seat = match name.parse() {
        Ok(word) => Seat::of(word).ok_or_else(|| UnknownLevel(name.to_owned())),
        Err(UnknownSeat(unknown)) => Err(unknown),
    };
    seat.map_err(|unknown| format!("a seat is human or a level: {unknown}"))
}

/// The ladder that nobody named: every level but the last, whose games take longest by far.
static LADDER: LazyLock<String> = LazyLock::new(|| {
    let [usual @ .., _] = Level::ALL.map(Level::name);
    usual.join(",")
});

fn play_seats() -> String {
    let levels = Level::ALL.map(Level::name).join(", ");
    format!(
        "Who sits where, separated by commas: human, or a level\n\n\
         One for each player. The default is human, then book. The levels, weakest first: {levels}."
    )
}

fn arena_seats() -> String {
    let levels = Level::listed();
    format!(
        "Who sits where, one for each player: LEVEL or LEVEL:SIMULATIONS\n\n\
         The levels are {levels}; master:400 is master with 400 simulations a decision. Seats of the \
         same contestant are counted together."
    )
}

fn arena_ladder() -> String {
    let usual = LADDER.replace(',', ", ");
    format!(
        "Let each of these play against the one before: one of it, the other on all other seats\n\n\
         Prints whether each step is above par, and ratings over all games, for which tables mixed \
         from the whole ladder are played, too. Without names: {usual}."
    )
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

    #[track_caller]
    fn terminal_game(line: &str) -> Result<TerminalGame, String> {
        match parse(line) {
            Ok(Command::Play(play)) => play.terminal_game(1),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn terminal_games_as_usual() {
        let usual = terminal_game("play").unwrap();
        let book = Seat::Level(Level::Book);
        assert_eq!(usual.seats, [Seat::Human, book, book, book]);
        assert_eq!(
            usual.parameters,
            terminal_game("play dice --rules v4").unwrap().parameters
        );
        assert_eq!(usual.seed, 1);
        let trilobite = terminal_game("play trilobite --seed 7").unwrap();
        assert_eq!(
            (trilobite.seats, trilobite.seed),
            (vec![Seat::Human, book], 7)
        );
    }

    #[test]
    fn terminal_games_that_do_not_fit() {
        for line in [
            "play --width 3",
            "play trilobite --side 3",
            "play --players 7",
            "play --seats human",
            "play --rules v1 --players 5",
        ] {
            assert!(terminal_game(line).is_err(), "{line}");
        }
    }

    #[test]
    fn streams_have_limits_and_leave_connections_for_pages() {
        let limits = serve("--limit-streams-per-game 3 --limit-streams-per-address 2");
        let limits = limits.stream_limits();
        assert_eq!((limits.per_game, limits.per_address), (3, 2));
        let few = serve("--limit-connections 16 --limit-streams 99").stream_limits();
        assert_eq!(few.all, 14);
        assert_eq!(serve("--limit-streams 1").stream_limits().all, 1);
    }

    #[test]
    fn bad_usage_is_exit_code_2() {
        for line in [
            "--listen 8080",
            "--listen nowhere",
            "--limit-games-per-minute 0",
            "--limit-streams 0",
            "--keep-days -1",
            "--trusted-proxy ten",
            "dance",
            "play chess",
            "play --rules v5",
            "play --seats human,god",
            "engine --limit-nodes 0",
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
    fn help_offers_only_the_databases_there_are() {
        let help = parse("serve --help").unwrap_err().to_string();
        assert!(help.contains("sqlite:PATH or memory:"), "{help}");
        assert!(!help.contains("postgres"), "{help}");
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
