//! The named strengths people choose from.
//!
//! A level is a name with fixed effort; the [`Strategy`] behind it owns what it needs, so it can
//! think on another thread. It sees the game, the position and a generator of its own: never the
//! stream that the dice come from. Effort is counted in nodes or plies, so the same seed and
//! position give the same move on a loaded machine.

use std::fmt;
use std::str::FromStr;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::game::Game;
use crate::games::dice_of_doom::{self, DiceOfDoom};
use crate::games::trilobite::{self, Trilobite};
use crate::search::Analysis;

/// Where strategies take their variety from; not the dice.
pub type SearchRng = ChaCha8Rng;

/// What a strategy chose, and what it cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice<A> {
    /// One of the legal actions.
    pub action: A,
    /// Positions looked at.
    pub nodes: u64,
}

impl<A: Copy> Choice<A> {
    /// What a search of a position that is not over chose.
    fn of(analysis: &Analysis<A>) -> Self {
        Choice {
            action: analysis
                .action()
                .expect("a search chooses while the game goes on"),
            nodes: analysis.nodes,
        }
    }
}

/// A way of choosing actions.
pub trait Strategy<G: Game>: Send {
    /// Chooses in a position that is not over.
    fn choose(&mut self, game: &G, position: &G::Position, rng: &mut SearchRng) -> ChoiceOf<G>;
}

/// What is chosen in a game.
pub type ChoiceOf<G> = Choice<<G as Game>::Action>;

/// A named strength.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Any legal action.
    Random,
    /// The book's computer player.
    Book,
}

impl Level {
    /// Every level, weakest first.
    pub const ALL: [Level; 2] = [Level::Random, Level::Book];

    /// The name in URLs, records and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Random => "random",
            Level::Book => "book",
        }
    }

    /// The key of the sentence that describes the level to people.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Level::Random => "level-random",
            Level::Book => "level-book",
        }
    }

    /// What this level plays in a position that is not over.
    ///
    /// ```
    /// use dice_of_doom::games::trilobite::Trilobite;
    /// use dice_of_doom::level::{Level, SearchRng};
    /// use rand::SeedableRng;
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
    pub fn choose<G: Levelled>(
        self,
        game: &G,
        position: &G::Position,
        rng: &mut SearchRng,
    ) -> G::Action {
        self.consider(game, position, rng).action
    }

    /// As [`Self::choose`], with what the choice cost.
    ///
    /// # Panics
    /// When the game is over.
    #[must_use]
    pub fn consider<G: Levelled>(
        self,
        game: &G,
        position: &G::Position,
        rng: &mut SearchRng,
    ) -> ChoiceOf<G> {
        G::strategy(self).choose(game, position, rng)
    }
}

/// A game that is played at every level.
pub trait Levelled: Game {
    /// A player of this strength.
    fn strategy(level: Level) -> Box<dyn Strategy<Self>>;
}

impl Levelled for DiceOfDoom {
    fn strategy(level: Level) -> Box<dyn Strategy<Self>> {
        match level {
            Level::Random => Box::new(AnyAction),
            Level::Book => Box::new(ByTheBook),
        }
    }
}

impl Levelled for Trilobite {
    fn strategy(level: Level) -> Box<dyn Strategy<Self>> {
        match level {
            Level::Random => Box::new(AnyAction),
            Level::Book => Box::new(ByTheBook),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No level has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no level called {0:?}; there are random and book")]
pub struct UnknownLevel(pub String);

impl FromStr for Level {
    type Err = UnknownLevel;
    fn from_str(name: &str) -> Result<Self, UnknownLevel> {
        let named = Level::ALL.into_iter().find(|level| level.name() == name);
        named.ok_or_else(|| UnknownLevel(name.to_owned()))
    }
}

/// Plays any legal action, each as likely, in any game.
#[derive(Clone, Copy, Debug)]
pub struct AnyAction;

impl<G: Game> Strategy<G> for AnyAction {
    fn choose(&mut self, game: &G, position: &G::Position, rng: &mut SearchRng) -> ChoiceOf<G> {
        let mut actions = game.actions(position);
        let count = actions.clone().count() as u64;
        // 64 bits among at most some hundreds: no draw favours an action by more than 2^-55.
        let drawn = (u128::from(rng.next_u64()) * u128::from(count)) >> 64;
        let action = actions.nth(drawn as usize);
        Choice {
            action: action.expect("the game goes on, so there is an action"),
            nodes: 0,
        }
    }
}

/// Plays what the computer player of the original plays.
#[derive(Clone, Copy, Debug)]
pub struct ByTheBook;

impl Strategy<DiceOfDoom> for ByTheBook {
    fn choose(
        &mut self,
        game: &DiceOfDoom,
        position: &dice_of_doom::Position,
        _: &mut SearchRng,
    ) -> Choice<dice_of_doom::Action> {
        Choice::of(&dice_of_doom::book::analyse(game, position))
    }
}

impl Strategy<Trilobite> for ByTheBook {
    fn choose(
        &mut self,
        game: &Trilobite,
        position: &trilobite::Position,
        _: &mut SearchRng,
    ) -> Choice<trilobite::Column> {
        Choice::of(&trilobite::book::analyse(game, position))
    }
}
