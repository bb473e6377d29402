//! The command `arena`.

use std::fs;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;

use super::value_parser::ListedValueParser;
use super::{GameArgs, WeightsArgs};
use crate::arena::{
    ArenaConfig, ArenaPlan, Contestant, DecidedGame, MatchClock, MatchRules, ProgramLimits, Sprt,
    Tournament, TournamentFormat,
};
use crate::formats::record::ProgramBudget;
use crate::formats::{FieldError, JsonFields};
use crate::games::{ConfiguredGame, Registry};
use crate::level::Level;
use crate::lines::strip_bom;

pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom arena --seats greedy,book,book,book               is greedy better than book?
  dice-of-doom arena --seats master:400,master,master,master     how much weaker are 400 simulations?
  dice-of-doom arena trilobite --seats steady,book --boards 50   the game Trilobite
  dice-of-doom arena --ladder random,book,greedy,steady          each against the previous one
  dice-of-doom arena --seats steady,greedy,greedy,greedy --sprt 0.25,0.3 --boards 5000
                                                                 as many boards as the test needs
  dice-of-doom arena --seats 'cmd:./mybot --fast,book,book,book' --move-time 100
                                                                 your own program
  dice-of-doom arena --round-robin book,greedy,cmd:./mybot --records games.ndjson
                                                                 everyone against everyone

docs/arena.md describes the protocol for programs, and when a program forfeits a game.";

#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("who").required(true))]
pub struct ArenaArgs {
    #[command(flatten)]
    pub game: GameArgs,

    /// The contestant in each seat: LEVEL, LEVEL:SIMULATIONS or cmd:COMMAND
    #[arg(long, value_name = "SEAT,SEAT,…", value_delimiter = ',', group = "who",
          value_parser = contestants(),
          long_help = arena_seats())]
    pub seats: Vec<Contestant>,

    /// Let each contestant play against the previous one; the opponent takes all other seats
    #[arg(long, value_name = "CONTESTANT,…", value_delimiter = ',', group = "who", num_args = 0..=1,
          value_parser = contestants(),
          default_missing_value = LADDER.as_str(), long_help = arena_ladder())]
    pub ladder: Vec<Contestant>,

    /// Let every pair of contestants play each other, in alternate seats
    ///
    /// Prints for each pair whether its first contestant is above par, and ratings over all games.
    #[arg(long, value_name = "CONTESTANT,…", value_delimiter = ',', group = "who",
          value_parser = contestants())]
    pub round_robin: Vec<Contestant>,

    /// Let the first contestant play against each of the others; the opponent takes all other seats
    ///
    /// Prints for each opponent whether the first is above par against it, and ratings over all games.
    #[arg(long, value_name = "CONTESTANT,…", value_delimiter = ',', group = "who",
          value_parser = contestants())]
    pub gauntlet: Vec<Contestant>,

    /// Stop as soon as a test decides whether the first contestant's share is LOW or HIGH
    ///
    /// A generalised sequential probability ratio test over boards, with error probabilities of 5 %. It is
    /// evaluated after every 20 boards and ends without a decision after --boards. All seats of the first
    /// contestant count, or only the first seat if all contestants are the same. In a round robin or a gauntlet
    /// the test stops each pair separately.
    #[arg(long, value_name = "LOW,HIGH", conflicts_with = "ladder")]
    pub sprt: Option<Sprt>,

    /// Number of boards, each played in all rotations
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub boards: u32,

    /// Random seed for the boards, the dice and the computer players
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Boards to play in parallel [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Store finished boards in this file, and continue from it; --boards may be increased
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    /// Time limit for each move of a program, in milliseconds
    ///
    /// Sent to programs as "budget_ms". Without it a program has one minute per move. Levels are not affected:
    /// they compute the same amount on any machine.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=600_000),
          conflicts_with = "nodes")]
    pub move_time: Option<u32>,

    /// Clock of each player, in seconds: the time for a game, and what is added after each move
    ///
    /// A program or level that has no time left forfeits the game. Programs are sent their clock; levels do not
    /// adapt to it. With several boards in parallel, players share the processor: see --threads.
    #[arg(long, value_name = "TIME+INCREMENT", conflicts_with = "move_time")]
    pub clock: Option<MatchClock>,

    /// Number of simulations or positions that programs should compute for each move
    ///
    /// Sent to programs as "nodes". For a level, use LEVEL:SIMULATIONS instead.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,

    /// Grace period for programs beyond the time limit, in milliseconds; ten times as long just after a program starts
    #[arg(long, value_name = "MS", default_value_t = ProgramLimits::GRACE.as_millis() as u32,
          value_parser = clap::value_parser!(u32).range(1..=600_000))]
    pub grace: u32,

    /// Start from the positions in this file, one per line, instead of random boards; they are repeated as needed
    ///
    /// Each line is a position in the engine's JSON form (the game and its parameters may be omitted) or in
    /// notation. Empty lines and lines that begin with # are skipped.
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,

    /// Play this many random moves on each board before its games, the same for all rotations
    ///
    /// The moves and their dice are drawn from the seed. Without dice, this lets players who always choose the same
    /// move play different games.
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=200))]
    pub opening_plies: u32,

    /// Adjudicate a game after this many moves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MatchRules::MAX_PLIES.into()))]
    pub max_plies: Option<u32>,

    /// Adjudicate a game when one player has had at least this win share after each of the last N moves
    ///
    /// The shares are those of the strongest level's static evaluation. The game also goes on until the player would
    /// win the adjudication by the rules. Only for games with dice.
    #[arg(long, value_name = "SHARE,N")]
    pub decided: Option<DecidedGame>,

    /// Write every game to this file, one JSON record per line, in order
    ///
    /// A record contains the contestant in each seat, the seeds, every ply and every die. The file must not
    /// exist yet, unless --resume continues an arena.
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,

    #[command(flatten)]
    pub weights: WeightsArgs,

    /// Print a line for each finished game on stderr
    #[arg(long)]
    pub live: bool,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}

impl ArenaArgs {
    /// The configuration of the arena, and its game.
    ///
    /// # Errors
    /// The options are inconsistent, or the file of openings is invalid.
    pub fn config(
        &self,
        games: &Registry,
    ) -> Result<(ArenaConfig, Arc<dyn ConfiguredGame>), String> {
        let setting = self.game.configured_game(games)?;
        let tournaments = [
            (TournamentFormat::Ladder, &self.ladder),
            (TournamentFormat::RoundRobin, &self.round_robin),
            (TournamentFormat::Gauntlet, &self.gauntlet),
        ];
        let requested = tournaments
            .into_iter()
            .find(|(_, contestants)| !contestants.is_empty());
        let plan = match (requested, self.sprt) {
            (Some((format, contestants)), sprt) => ArenaPlan::Tournament(Tournament {
                format,
                contestants: contestants.clone(),
                sprt,
            }),
            (None, Some(sprt)) => ArenaPlan::Change(self.seats.clone(), sprt),
            (None, None) => ArenaPlan::Table(self.seats.clone()),
        };
        let mut config = ArenaConfig::new(plan, self.boards);
        config.seed = self.seed;
        config.threads = self
            .threads
            .and_then(|threads| NonZeroUsize::new(usize::from(threads)));
        config.resume = self.resume.clone();
        config.program_limits = self.program_limits();
        config.openings = self.openings(games, &*setting)?;
        config.opening_plies = self.opening_plies;
        config.rules.clock = self.clock;
        config.rules.max_plies = self.max_plies.and_then(NonZeroU32::new);
        config.rules.adjudication = self.decided;
        config.records = self.records.clone();
        let checked = config.check(setting.players());
        checked.map_err(|error| error.to_string())?;
        for contestant in config.plan.contestants() {
            if let Contestant::Level(strength) = contestant {
                let has_level = setting.check_level(strength.level);
                has_level.map_err(|missing| missing.to_string())?;
            }
        }
        Ok((config, setting))
    }

    fn program_limits(&self) -> ProgramLimits {
        let move_time = self.move_time.and_then(NonZeroU32::new);
        let nodes = self.nodes.and_then(NonZeroU64::new);
        let nodes = nodes.map_or(ProgramBudget::ProgramDecides, ProgramBudget::Nodes);
        let mut limits = ProgramLimits::default();
        limits.budget = move_time.map_or(nodes, ProgramBudget::MoveTime);
        limits.grace = Duration::from_millis(self.grace.into());
        limits
    }

    fn openings(
        &self,
        games: &Registry,
        setting: &dyn ConfiguredGame,
    ) -> Result<Vec<String>, String> {
        let Some(path) = &self.openings else {
            return Ok(Vec::new());
        };
        let file = path.display();
        let text = fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
        let lines = (1..).zip(strip_bom(&text).lines().map(str::trim));
        let position_lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let openings = position_lines.map(|(number, line)| {
            let fields = match line.starts_with('{') {
                true => JsonFields::parse(line),
                false => {
                    let fields = games.position_fields(line);
                    fields.map_err(|error| FieldError(error.to_string()))
                }
            };
            let opening = fields.and_then(|position| setting.normalize_opening(position));
            opening.map_err(|error| format!("{file}, line {number}: {error}"))
        });
        let openings = openings.collect::<Result<Vec<_>, String>>()?;
        if openings.is_empty() {
            return Err(format!("{file}: there is no position"));
        }
        Ok(openings)
    }
}

fn contestants() -> impl TypedValueParser<Value = Contestant> {
    ListedValueParser::new(Level::names(), str::parse::<Contestant>)
}

/// The default ladder: every level below champion, because the games of the others take by far the longest.
static LADDER: LazyLock<String> = LazyLock::new(|| {
    let levels = Level::ALL.iter().copied();
    let levels = levels.take_while(|level| *level < Level::Champion);
    levels.map(Level::name).collect::<Vec<_>>().join(",")
});

fn arena_seats() -> String {
    let levels = Level::joined_names(Level::ALL);
    format!(
        "The contestant in each seat: LEVEL, LEVEL:SIMULATIONS or cmd:COMMAND\n\n\
         The levels are {levels}, the last only in games with a solver; master:400 is master with 400 simulations per decision. cmd:./mybot is \
         a program that implements the engine's op choose; the command is split at spaces outside of \
         quotation marks. Words such as option.hash=64 in it are options that are sent with each request; send=games and send=history make the arena send more. The results of seats with the same contestant are combined."
    )
}

fn arena_ladder() -> String {
    let default = LADDER.replace(',', ", ");
    format!(
        "Let each contestant play against the previous one; the opponent takes all other seats\n\n\
         Prints for each step whether it is above par, and ratings over all games; for the ratings, tables \
         with contestants from the whole ladder are also played. Without a value: {default}."
    )
}
