//! The named playing strengths.
//!
//! A level is a name with a default search budget. The [`Agent`] behind it owns its state, so it can run on another
//! thread and can keep its search tree for the next ply. It receives the game, the position, the earlier actions and
//! its own generator, [`AgentRng`], but never the future dice, which are [a different type](crate::rng::DiceRng).
//! Search limits count simulations, not time, so the same seed and game give the same move on any machine, whatever its
//! load.
//!
//! Each game decides which levels it has and which agent plays at each of them ([`AgentProvider`]).

use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::game::Game;
use crate::move_analysis::MoveAnalyser;
use crate::search::{PositionEvaluator, SearchResult, StopToken, WinShares};

mod one_ply;
mod opponent_inference;
mod policy;
mod puct_agent;
mod random;

pub use crate::rng::AgentRng;
pub use one_ply::OnePlyAgent;
pub use opponent_inference::{ObservedAction, OpponentBeliefs};
pub use policy::PolicyAgent;
pub use puct_agent::PuctAgent;
pub use random::RandomAgent;

/// How much an agent may search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SearchLimit {
    /// The level's default budget.
    #[default]
    Default,
    /// This number of simulations, or of searched positions for [`Level::Perfect`]; other levels ignore it.
    Simulations(NonZeroU64),
    /// No limit: the search runs until the caller requests a stop with the [`StopToken`].
    Infinite,
}

/// The action that an agent chose, and the cost of the search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChosenAction<A> {
    /// The chosen legal action.
    pub action: A,
    /// The expected win shares after the action; `None` if the agent does not evaluate positions.
    pub shares: Option<WinShares>,
    /// The number of positions evaluated.
    pub nodes: u64,
    /// Whether no other action can be better: the lower bound of its value is at least every other's upper bound.
    pub is_exact: bool,
}

impl<A: Copy> ChosenAction<A> {
    /// An action that was chosen without evaluating win shares.
    #[must_use]
    pub const fn without_shares(action: A, nodes: u64) -> Self {
        ChosenAction {
            action,
            shares: None,
            nodes,
            is_exact: false,
        }
    }

    /// The best action of a finished search.
    ///
    /// # Panics
    /// If the search found no action, which happens only if the game is over.
    #[must_use]
    pub fn from_search(analysis: &SearchResult<A>) -> Self {
        let action = analysis.action();
        let action = action.expect("a search of an unfinished game has a best action");
        ChosenAction::without_shares(action, analysis.nodes)
    }
}

/// The [`ChosenAction`] of a game.
pub type ChosenActionOf<G> = ChosenAction<<G as Game>::Action>;

/// A method of choosing actions. It may keep its search tree for the next ply of the same game.
pub trait Agent<G: Game>: Send {
    /// Chooses an action in a position that is not over. After a stop request it returns soon, with the best action
    /// found so far.
    fn choose_action(
        &mut self,
        game: &G,
        position: &G::Position,
        limit: SearchLimit,
        rng: &mut AgentRng,
        stop: &StopToken,
    ) -> ChosenActionOf<G>;

    /// Receives all earlier decisions of the game, oldest first, before it chooses, so that it can model its opponents.
    /// Without this call no opponent is modelled.
    fn observe(&mut self, game: &G, line: &mut dyn Iterator<Item = ObservedAction<G>>) {
        let _ = (game, line);
    }

    /// The number of threads that a search uses.
    fn thread_count(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    /// An upper bound of the memory that the agent holds in this game with this search limit, in bytes; 0 for an agent
    /// without a search tree.
    fn max_memory_bytes(&self, game: &G, limit: SearchLimit) -> usize {
        let _ = (game, limit);
        0
    }
}

/// A named strength.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Level {
    /// A beginner who stops early: a random legal action, biased towards ending the turn if turns have an end.
    Novice,
    /// A random legal action.
    Random,
    /// The computer player of the book.
    Book,
    /// The largest immediate gain, by simple rules.
    Greedy,
    /// The action with the best evaluation one ply ahead.
    Steady,
    /// A very short search, or a blend of a strong and a weak evaluator.
    Advanced,
    /// A short search, or a strong evaluator one ply ahead.
    Expert,
    /// A search of some milliseconds.
    Master,
    /// The longest search.
    Champion,
    /// Proves its moves where it can; only in games with a solver.
    Perfect,
}

impl Level {
    /// All levels, weakest first.
    pub const ALL: &[Level] = &[
        Level::Novice,
        Level::Random,
        Level::Book,
        Level::Greedy,
        Level::Steady,
        Level::Advanced,
        Level::Expert,
        Level::Master,
        Level::Champion,
        Level::Perfect,
    ];

    /// The levels that every game has, weakest first.
    pub const IN_EVERY_GAME: &[Level] = {
        let [in_every_game @ .., Level::Perfect] = Level::ALL else {
            panic!("the last level needs a solver")
        };
        in_every_game
    };

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
            Level::Perfect => "perfect",
        }
    }

    /// The names of all levels, weakest first.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        Level::ALL.iter().map(|level| level.name())
    }

    /// The names of these levels as an English list.
    ///
    /// ```
    /// use dice_of_doom_core::level::Level;
    ///
    /// assert!(Level::joined_names(Level::ALL).starts_with("novice, random, book, "));
    /// assert!(Level::joined_names(Level::IN_EVERY_GAME).ends_with("master and champion"));
    /// ```
    #[must_use]
    pub fn joined_names(levels: &[Level]) -> String {
        let names: Vec<_> = levels.iter().map(|level| level.name()).collect();
        match &names[..] {
            [weaker @ .., last] if !weaker.is_empty() => {
                format!("{} and {last}", weaker.join(", "))
            }
            names => names.concat(),
        }
    }

    /// The next weaker level of a game with these levels, or `None` for the weakest.
    ///
    /// ```
    /// use dice_of_doom_core::level::Level;
    ///
    /// assert_eq!(Level::Greedy.weaker(Level::ALL), Some(Level::Book));
    /// assert_eq!(Level::Novice.weaker(Level::ALL), None);
    /// ```
    #[must_use]
    pub fn weaker(self, levels: &[Level]) -> Option<Self> {
        let weaker = levels.iter().copied().filter(|level| *level < self);
        weaker.max()
    }

    /// The next stronger level of a game with these levels, or `None` for the strongest.
    ///
    /// ```
    /// use dice_of_doom_core::level::Level;
    ///
    /// assert_eq!(Level::Book.stronger(Level::ALL), Some(Level::Greedy));
    /// assert_eq!(Level::Champion.stronger(Level::ALL), Some(Level::Perfect));
    /// assert_eq!(Level::Champion.stronger(Level::IN_EVERY_GAME), None);
    /// ```
    #[must_use]
    pub fn stronger(self, levels: &[Level]) -> Option<Self> {
        let stronger = levels.iter().copied().filter(|level| *level > self);
        stronger.min()
    }

    /// Chooses an action in a position that is not over, with the default budget of the level.
    ///
    /// ```
    /// use dice_of_doom_games::trilobite::Trilobite;
    /// use dice_of_doom_core::level::{AgentRng, Level};
    ///
    /// let game = Trilobite::new(3, 3, 3)?;
    /// let mut rng = AgentRng::seed_from_u64(1);
    /// let column = Level::Book.choose_action(&game, &game.empty(), &mut rng);
    /// assert_eq!(column.to_string(), "a");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the game is over.
    #[must_use]
    pub fn choose_action<G: AgentProvider>(
        self,
        game: &G,
        position: &G::Position,
        rng: &mut AgentRng,
    ) -> G::Action {
        LevelSpec::from(self).choose_action(game, position, rng)
    }
}

/// A level with an optional number of simulations, written `LEVEL` or `LEVEL:SIMULATIONS`.
///
/// ```
/// use dice_of_doom_core::level::{Level, LevelSpec};
///
/// let spec: LevelSpec = "master:400".parse()?;
/// assert_eq!(spec.level, Level::Master);
/// assert_eq!(spec.to_string(), "master:400");
/// assert_eq!("book".parse(), Ok(LevelSpec::from(Level::Book)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LevelSpec {
    /// The level.
    pub level: Level,
    /// The number of simulations; `None` for the default budget of the level.
    pub simulations: Option<NonZeroU64>,
}

impl LevelSpec {
    /// The search limit that this specification sets.
    #[must_use]
    pub fn search_limit(self) -> SearchLimit {
        self.simulations
            .map_or(SearchLimit::Default, SearchLimit::Simulations)
    }

    /// As [`Level::choose_action`], with the search limit of this specification.
    ///
    /// # Panics
    /// If the game is over.
    #[must_use]
    pub fn choose_action<G: AgentProvider>(
        self,
        game: &G,
        position: &G::Position,
        rng: &mut AgentRng,
    ) -> G::Action {
        let mut agent = G::agent(self.level);
        agent
            .choose_action(game, position, self.search_limit(), rng, &StopToken::new())
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

/// Why a text is not a valid [`LevelSpec`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LevelSpecError {
    /// The level name is unknown.
    #[error("{0}")]
    Level(#[from] UnknownLevelError),
    /// The text after the colon is not a valid number of simulations.
    #[error("{0:?} is not a number of simulations; an example: master:400")]
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
        // Only the canonical form is valid, not 0400 or +400.
        if number.to_string() != simulations {
            return Err(LevelSpecError::Simulations(simulations.to_owned()));
        }
        let simulations = Some(number);
        Ok(LevelSpec { level, simulations })
    }
}

/// A game that has an agent for each of its levels.
pub trait AgentProvider: Game {
    /// The levels of the game, weakest first.
    const LEVELS: &'static [Level] = Level::IN_EVERY_GAME;

    /// Creates an agent of this level. For a level that the game lacks it is that of the strongest one below.
    fn agent(level: Level) -> Box<dyn Agent<Self>>;

    /// Checks that the game, which errors call `game`, has this level.
    ///
    /// # Errors
    /// If it has not.
    fn check_level(game: &'static str, level: Level) -> Result<(), MissingLevelError> {
        let missing = MissingLevelError {
            game,
            level,
            levels: Self::LEVELS,
        };
        Self::LEVELS.contains(&level).then_some(()).ok_or(missing)
    }

    /// The version of the [`Self::move_analyser`]. It must be increased with every change of its values, because
    /// reviews store the version that they were made with.
    const EVALUATION_VERSION: u32 = 2;

    /// The static evaluator of the strongest level, which arenas use to separate luck from skill. `None` if the game
    /// has no dice or no level evaluates positions.
    fn evaluator() -> Option<Box<dyn PositionEvaluator<Self>>> {
        None
    }

    /// The analyser that hints and reviews use. `None` if there is none; such a game has neither hints nor reviews.
    fn move_analyser() -> Option<Box<dyn MoveAnalyser<Self>>> {
        None
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of the level is unknown; contains the name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no level called {0:?}; there are {levels}", levels = Level::joined_names(Level::ALL))]
pub struct UnknownLevelError(pub String);

/// The game has no such level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{game} has no level {level}; there are {}", Level::joined_names(.levels))]
pub struct MissingLevelError {
    /// What people call the game.
    pub game: &'static str,
    /// The level that it lacks.
    pub level: Level,
    /// The levels that it has, weakest first.
    pub levels: &'static [Level],
}

impl FromStr for Level {
    type Err = UnknownLevelError;
    fn from_str(name: &str) -> Result<Self, UnknownLevelError> {
        let named = Level::ALL.iter().find(|level| level.name() == name);
        named
            .copied()
            .ok_or_else(|| UnknownLevelError(name.to_owned()))
    }
}
