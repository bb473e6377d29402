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
    ArenaConfig, ArenaPlan, Contestant, ContestantParseError, ProgramBudget, ProgramLimits, Sprt,
    Tournament, TournamentFormat,
};
use crate::game_adapters::{ConfiguredGame, FieldError, JsonFields, Registry};
use crate::level::Level;
use crate::lines::strip_bom;

pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom arena --seats greedy,book,book,book               is greedy better than book?
  dice-of-doom arena --seats master:400,master,master,master     what do 400 simulations cost?
  dice-of-doom arena trilobite --seats steady,book --boards 50   the other game
  dice-of-doom arena --ladder random,book,greedy,steady          each against the one before
  dice-of-doom arena --seats steady,greedy,greedy,greedy --sprt 0.25,0.3 --boards 5000
                                                                 as many boards as the answer needs
  dice-of-doom arena --seats 'cmd:./mybot --fast,book,book,book' --move-time 100
                                                                 a program of your own
  dice-of-doom arena --round-robin book,greedy,cmd:./mybot --records games.ndjson
                                                                 everybody against everybody

docs/arena.md says what a program reads and answers, and when it forfeits a game.";

/// Who plays whom, and how often.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("who").required(true))]
pub struct ArenaArgs {
    /// The game, with its parameters
    #[command(flatten)]
    pub game: GameArgs,

    /// Who sits where, one for each player: LEVEL, LEVEL:SIMULATIONS or cmd:COMMAND
    #[arg(long, value_name = "SEAT,SEAT,…", value_delimiter = ',', group = "who",
          value_parser = contestants(),
          long_help = arena_seats())]
    pub seats: Vec<Contestant>,

    /// Let each of these play against the one before: one of it, the other on all other seats
    #[arg(long, value_name = "CONTESTANT,…", value_delimiter = ',', group = "who", num_args = 0..=1,
          value_parser = contestants(),
          default_missing_value = LADDER.as_str(), long_help = arena_ladder())]
    pub ladder: Vec<Contestant>,

    /// Let everybody play against everybody, in alternate seats
    ///
    /// Prints whether each pair's first is above par, and ratings over all games.
    #[arg(long, value_name = "CONTESTANT,…", value_delimiter = ',', group = "who",
          value_parser = contestants())]
    pub round_robin: Vec<Contestant>,

    /// Let the first play against each of the others: one of it, the other on all other seats
    ///
    /// Prints whether the first is above par against each, and ratings over all games.
    #[arg(long, value_name = "CONTESTANT,…", value_delimiter = ',', group = "who",
          value_parser = contestants())]
    pub gauntlet: Vec<Contestant>,

    /// Stop as soon as it is clear whether the first seat's share is LOW or HIGH
    ///
    /// A generalised sequential probability ratio test over boards, with 5 % for either error; it
    /// looks after every 20 boards and gives up at --boards. All seats of the first contestant count;
    /// where everybody is the same, the first seat alone. In a round robin or a gauntlet every pair
    /// stops so.
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

    /// Tell programs to answer within so many milliseconds
    ///
    /// The line says "budget_ms". Without it a program has a minute for an answer. Levels compute what
    /// they always compute, on any machine.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=600_000),
          conflicts_with = "nodes")]
    pub move_time: Option<u32>,

    /// Tell programs to compute so many simulations or positions
    ///
    /// The line says "nodes". Of a level that is written LEVEL:SIMULATIONS.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,

    /// How much later than its time a program may answer, in milliseconds; ten times as long after a start
    #[arg(long, value_name = "MS", default_value_t = ProgramLimits::GRACE.as_millis() as u32,
          value_parser = clap::value_parser!(u32).range(1..=600_000))]
    pub grace: u32,

    /// Begin with these positions instead of dealt boards, one a line, from the first again after the last
    ///
    /// Each line is a position as lines of the engine have it (JSON; the game and its parameters may be
    /// left out), or in notation. Empty lines and lines that begin with # are skipped.
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,

    /// Write every game to this file, a record (JSON) a line, in order
    ///
    /// A record says who sat where, the seeds, every ply and every die. The file must be new, unless
    /// --resume goes on with an arena.
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,

    /// Weights of one's own
    #[command(flatten)]
    pub weights: WeightsArgs,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}

impl ArenaArgs {
    /// The arena that is asked for, and the game that is played in it.
    ///
    /// # Errors
    /// One clear sentence when the options do not fit each other.
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
        let asked = tournaments.into_iter().find(|(_, who)| !who.is_empty());
        let plan = match (asked, self.sprt) {
            (Some((form, contestants)), sprt) => ArenaPlan::Tournament(Tournament {
                format: form,
                contestants: contestants.clone(),
                sprt,
            }),
            (None, Some(sprt)) => ArenaPlan::Change(self.seats.clone(), sprt),
            (None, None) => ArenaPlan::Table(self.seats.clone()),
        };
        let contest = ArenaConfig {
            plan,
            boards: self.boards,
            seed: self.seed,
            threads: self
                .threads
                .and_then(|threads| NonZeroUsize::new(usize::from(threads))),
            resume: self.resume.clone(),
            program_limits: self.program_limits(),
            openings: self.openings(games, &*setting)?,
            records: self.records.clone(),
        };
        let fits = contest.check(setting.players());
        fits.map_err(|error| error.to_string())?;
        Ok((contest, setting))
    }

    fn program_limits(&self) -> ProgramLimits {
        let move_time = self.move_time.and_then(NonZeroU32::new);
        let nodes = self.nodes.and_then(NonZeroU64::new);
        let nodes = nodes.map_or(ProgramBudget::ProgramDecides, ProgramBudget::Nodes);
        ProgramLimits {
            budget: move_time.map_or(nodes, ProgramBudget::MoveTime),
            grace: Duration::from_millis(self.grace.into()),
        }
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
        let written = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let openings = written.map(|(number, line)| {
            let fields = match line.starts_with('{') {
                true => JsonFields::parse(line),
                false => {
                    let found = games.position_fields(line);
                    found.map_err(|error| FieldError(error.to_string()))
                }
            };
            let opening = fields.and_then(|position| setting.parse_opening(position));
            opening.map_err(|error| format!("{file}, line {number}: {error}"))
        });
        let openings = openings.collect::<Result<Vec<_>, String>>()?;
        if openings.is_empty() {
            return Err(format!("{file}: there is no position"));
        }
        Ok(openings)
    }
}

/// The words for who plays; a number of simulations may follow them.
fn contestants() -> impl TypedValueParser<Value = Contestant> {
    ListedValueParser::new(Level::ALL.map(Level::name), |word: &str| {
        word.parse()
            .map_err(|error: ContestantParseError| error.to_string())
    })
}

/// The ladder that nobody named: every level but the last, whose games take longest by far.
static LADDER: LazyLock<String> = LazyLock::new(|| {
    let [usual @ .., _] = Level::ALL.map(Level::name);
    usual.join(",")
});

fn arena_seats() -> String {
    let levels = Level::joined_names();
    format!(
        "Who sits where, one for each player: LEVEL, LEVEL:SIMULATIONS or cmd:COMMAND\n\n\
         The levels are {levels}; master:400 is master with 400 simulations a decision. cmd:./mybot is \
         a program that answers the engine's op choose; its words are taken apart at spaces, and \
         quotation marks keep them together. Seats of the same contestant are counted together."
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
