//! The commands that measure: `arena` and `tune`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use clap::Args;
use clap::builder::TypedValueParser;

use super::Played;
use super::listed::Listed;
use crate::arena::{Contest, Contestant, Plan, Sprt, UnknownContestant};
use crate::faces::{Registry, Setting};
use crate::level::Level;

pub(super) const EXAMPLES: &str = "\
Examples:
  dice-of-doom arena --seats greedy,book,book,book               is greedy better than book?
  dice-of-doom arena --seats master:400,master,master,master     what do 400 simulations cost?
  dice-of-doom arena trilobite --seats steady,book --boards 50   the other game
  dice-of-doom arena --ladder random,book,greedy,steady          each against the one before
  dice-of-doom arena --seats steady,greedy,greedy,greedy --sprt 0.25,0.3 --boards 5000
                                                                 as many boards as the answer needs";

/// Who plays whom, and how often.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("who").required(true))]
pub struct Arena {
    /// The game, with its parameters
    #[command(flatten)]
    pub game: Played,

    /// Who sits where, one for each player: LEVEL or LEVEL:SIMULATIONS
    #[arg(long, value_name = "SEAT,SEAT,…", value_delimiter = ',', group = "who",
          value_parser = contestants(),
          long_help = arena_seats())]
    pub seats: Vec<Contestant>,

    /// Let each of these play against the one before: one of it, the other on all other seats
    #[arg(long, value_name = "CONTESTANT,…", value_delimiter = ',', group = "who", num_args = 0..=1,
          value_parser = contestants(),
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

impl Arena {
    /// The arena that is asked for, and the game that is played in it.
    ///
    /// # Errors
    /// One clear sentence when the options do not fit each other.
    pub fn contest(&self, games: &Registry) -> Result<(Contest, Arc<dyn Setting>), String> {
        let setting = self.game.setting(games)?;
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
        let fits = contest.check(setting.players());
        fits.map_err(|error| error.to_string())?;
        Ok((contest, setting))
    }
}

/// The words for who plays; a number of simulations may follow them.
fn contestants() -> impl TypedValueParser<Value = Contestant> {
    Listed::new(Level::ALL.map(Level::name), |word: &str| {
        word.parse()
            .map_err(|error: UnknownContestant| error.to_string())
    })
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

/// The ladder that nobody named: every level but the last, whose games take longest by far.
static LADDER: LazyLock<String> = LazyLock::new(|| {
    let [usual @ .., _] = Level::ALL.map(Level::name);
    usual.join(",")
});

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
