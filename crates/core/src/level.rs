//! The named strengths people choose from.
//!
//! A level is a name with an effort of its own; the [`Agent`] behind it owns what it needs, so it
//! can think on another thread, and may keep what it found for the next ply. It sees the game, the
//! position, what was decided before and a generator of its own, [`AgentRng`]: never the dice to come, which are
//! [another type](crate::rng::Dice). Effort is counted in simulations, not in time, so the same
//! seed and game give the same move on a busy machine, too.
//!
//! Each game decides which strategy plays at a level ([`AgentProvider`]).

use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::game::Game;
use crate::move_analysis::MoveAnalyser;
use crate::search::{PositionEvaluator, SearchResult, StopToken, WinShares};

mod one_ply;
mod opponent_inference;
mod puct_agent;
mod random;

pub use crate::rng::AgentRng;
pub use one_ply::OnePlyAgent;
pub use opponent_inference::{ObservedAction, OpponentBeliefs};
pub use puct_agent::PuctAgent;
pub use random::RandomAgent;

/// How much a strategy may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SearchLimit {
    /// The level's own budget.
    #[default]
    Usual,
    /// So many simulations; levels that do not simulate ignore it.
    Simulations(NonZeroU64),
    /// As many simulations as there is time for: the caller raises the [`StopToken`].
    UntilStopped,
}

/// What a strategy chose, and what it cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChosenAction<A> {
    /// One of the legal actions.
    pub action: A,
    /// What the strategy expects each player to get; `None` if it makes no forecast.
    pub shares: Option<WinShares>,
    /// Positions looked at.
    pub nodes: u64,
}

impl<A: Copy> ChosenAction<A> {
    /// What a search of a position that is not over chose.
    ///
    /// # Panics
    /// When the search found no action, which happens only where the game is over.
    #[must_use]
    pub fn of(analysis: &SearchResult<A>) -> Self {
        ChosenAction {
            action: analysis
                .action()
                .expect("a search chooses while the game goes on"),
            shares: None,
            nodes: analysis.nodes,
        }
    }
}

/// The choice of an action of a game.
pub type ChosenActionOf<G> = ChosenAction<<G as Game>::Action>;

/// A way of choosing actions. It may keep what it finds for the next ply of the same game.
pub trait Agent<G: Game>: Send {
    /// Chooses in a position that is not over. When `stop` is raised it returns soon, with the best action
    /// found so far.
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        effort: SearchLimit,
        rng: &mut AgentRng,
        stop: &StopToken,
    ) -> ChosenActionOf<G>;

    /// Is told before it chooses what was decided in the game so far, oldest first: it may conclude how others play.
    /// Whoever is told nothing knows nobody.
    fn observe(&mut self, game: &G, line: &mut dyn Iterator<Item = ObservedAction<G>>) {
        let _ = (game, line);
    }

    /// On how many threads it thinks at the same time.
    fn thread_count(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    /// How many bytes it may come to remember in this game with this effort, at most; 0 for one that
    /// remembers nothing between plies and little while it thinks.
    fn max_memory_bytes(&self, game: &G, effort: SearchLimit) -> usize {
        let _ = (game, effort);
        0
    }
}

/// A named strength.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A beginner who stops early: a random legal action, and often the end of the turn where there are turns to end.
    Novice,
    /// A random legal action.
    Random,
    /// The book's computer player.
    Book,
    /// The largest gain at once, by simple rules.
    Greedy,
    /// The action after which the forecast is best.
    Steady,
    /// A very short search, or a mean of a strong forecast and a weak one.
    Advanced,
    /// A short search, or a strong forecast one ply ahead.
    Expert,
    /// A search of some milliseconds.
    Master,
    /// The longest search.
    Champion,
}

impl Level {
    /// Every level, weakest first.
    pub const ALL: [Level; 9] = [
        Level::Novice,
        Level::Random,
        Level::Book,
        Level::Greedy,
        Level::Steady,
        Level::Advanced,
        Level::Expert,
        Level::Master,
        Level::Champion,
    ];

    /// The name in URLs, records and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Novice => "novice",
            Level::Random => "random",
            Level::Book => "book",
            Level::Greedy => "greedy",
            Level::Steady => "steady",
            Level::Advanced => "advanced",
            Level::Expert => "expert",
            Level::Master => "master",
            Level::Champion => "champion",
        }
    }

    /// The names of all levels, weakest first, as a sentence lists them.
    ///
    /// ```
    /// use dice_of_doom_core::level::Level;
    ///
    /// assert!(Level::listed().starts_with("novice, random, book, "));
    /// assert!(Level::listed().ends_with("master and champion"));
    /// ```
    #[must_use]
    pub fn joined_names() -> String {
        let [weaker @ .., last] = Level::ALL.map(Level::name);
        format!("{} and {last}", weaker.join(", "))
    }

    /// The next weaker level; the weakest has none.
    ///
    /// ```
    /// use dice_of_doom_core::level::Level;
    ///
    /// assert_eq!(Level::Greedy.weaker(), Some(Level::Book));
    /// assert_eq!(Level::Novice.weaker(), None);
    /// ```
    #[must_use]
    pub fn weaker(self) -> Option<Self> {
        Level::ALL.into_iter().rev().find(|level| *level < self)
    }

    /// The next stronger level; the strongest has none.
    ///
    /// ```
    /// use dice_of_doom_core::level::Level;
    ///
    /// assert_eq!(Level::Book.stronger(), Some(Level::Greedy));
    /// assert_eq!(Level::Champion.stronger(), None);
    /// ```
    #[must_use]
    pub fn stronger(self) -> Option<Self> {
        Level::ALL.into_iter().find(|level| *level > self)
    }

    /// The action that this level chooses in a position that is not over.
    ///
    /// ```
    /// use dice_of_doom_games::trilobite::Trilobite;
    /// use dice_of_doom_core::level::{Level, SearchRng};
    ///
    /// let game = Trilobite::new(3, 3, 3)?;
    /// let mut variety = SearchRng::seed_from_u64(1);
    /// let column = Level::Book.choose(&game, &game.empty(), &mut variety);
    /// assert_eq!(column.to_string(), "a");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// When the game is over.
    #[must_use]
    pub fn choose<G: AgentProvider>(
        self,
        game: &G,
        position: &G::Position,
        rng: &mut AgentRng,
    ) -> G::Action {
        LevelSpec::from(self).choose(game, position, rng)
    }
}

/// A level with its effort, written `LEVEL` or `LEVEL:SIMULATIONS`.
///
/// ```
/// use dice_of_doom_core::level::{Level, Strength};
///
/// let thrifty: Strength = "master:400".parse()?;
/// assert_eq!(thrifty.level, Level::Master);
/// assert_eq!(thrifty.to_string(), "master:400");
/// assert_eq!("book".parse(), Ok(Strength::from(Level::Book)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LevelSpec {
    /// The level that plays.
    pub level: Level,
    /// How many simulations it may make; without a number, the level's own budget.
    pub simulations: Option<NonZeroU64>,
}

impl LevelSpec {
    /// How much it may do.
    #[must_use]
    pub fn effort(self) -> SearchLimit {
        self.simulations
            .map_or(SearchLimit::Usual, SearchLimit::Simulations)
    }

    /// As [`Level::choose`], with this effort.
    ///
    /// # Panics
    /// When the game is over.
    #[must_use]
    pub fn choose<G: AgentProvider>(
        self,
        game: &G,
        position: &G::Position,
        rng: &mut AgentRng,
    ) -> G::Action {
        let mut strategy = G::agent(self.level);
        strategy
            .choose(game, position, self.effort(), rng, &StopToken::new())
            .action
    }
}

impl From<Level> for LevelSpec {
    fn from(level: Level) -> Self {
        let simulations = None;
        LevelSpec { level, simulations }
    }
}

impl fmt::Display for LevelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.simulations {
            None => f.write_str(self.level.name()),
            Some(simulations) => write!(f, "{}:{simulations}", self.level),
        }
    }
}

/// Why a text names no strength.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LevelSpecError {
    /// No level has this name.
    #[error("{0}")]
    Level(#[from] UnknownLevelError),
    /// What follows the colon is no number of simulations.
    #[error("{0:?} is no number of simulations; write for example master:400")]
    Simulations(String),
}

impl FromStr for LevelSpec {
    type Err = LevelSpecError;
    fn from_str(text: &str) -> Result<Self, LevelSpecError> {
        let Some((level, simulations)) = text.split_once(':') else {
            return Ok(LevelSpec::from(text.parse::<Level>()?));
        };
        let level = level.parse()?;
        let number: NonZeroU64 = simulations
            .parse()
            .map_err(|_| LevelSpecError::Simulations(simulations.to_owned()))?;
        // One strength has one name: it is not written 0400 or +400.
        if number.to_string() != simulations {
            return Err(LevelSpecError::Simulations(simulations.to_owned()));
        }
        let simulations = Some(number);
        Ok(LevelSpec { level, simulations })
    }
}

/// A game that is played at every level.
pub trait AgentProvider: Game {
    /// A new player of this strength.
    fn agent(level: Level) -> Box<dyn Agent<Self>>;

    /// The version of what [`Self::move_analyser`] says: it goes up with every change of its figures, so that
    /// reviews tell by which they were made.
    const EVALUATION_VERSION: u32 = 2;

    /// What the strongest level expects of a position before it searches: arenas tell luck by it. `None` where nothing
    /// is rolled or no level makes a forecast.
    fn evaluator() -> Option<Box<dyn PositionEvaluator<Self>>> {
        None
    }

    /// What weighs the actions of a position as the strongest level sees them, for hints and reviews;
    /// `None` where no level makes a forecast: then the game has neither.
    fn move_analyser() -> Option<Box<dyn MoveAnalyser<Self>>> {
        None
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No level has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no level called {0:?}; there are {levels}", levels = Level::joined_names())]
pub struct UnknownLevelError(pub String);

impl FromStr for Level {
    type Err = UnknownLevelError;
    fn from_str(name: &str) -> Result<Self, UnknownLevelError> {
        let named = Level::ALL.into_iter().find(|level| level.name() == name);
        named.ok_or_else(|| UnknownLevelError(name.to_owned()))
    }
}
