//! The presets of the rules and their differences.
//!
//! They follow the book's versions (Land of Lisp: chapter 15 v1, chapter 18 v2, chapter 19 v3, chapter 20 v4);
//! `conquest` is an addition of this project.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A preset of the rules, named after the book's version.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// Chapter 15: more dice win, on a tiny board.
    V1,
    /// Chapter 18: the same rules on larger boards.
    V2,
    /// Chapter 19: the rules of `V2`, on the board of the book's first browser game.
    V3,
    /// Chapter 20: dice are rolled, clusters are reinforced, four players.
    V4,
    /// Not in the book: like `V4`, but the game continues until one player owns all hexes or no player attacks
    /// any more.
    Conquest,
}

/// How an attack is decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Combat {
    /// The side with more dice wins.
    MoreDice,
    /// Both sides roll; the higher sum wins.
    Rolled,
}

/// How many dice ending a turn brings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reinforcement {
    /// The dice captured in the turn, less one.
    Captured,
    /// The size of the mover's largest connected cluster.
    Cluster,
}

/// When the game ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndCondition {
    /// When a player starts a turn without a possible attack.
    NoAttack,
    /// When one player owns all hexes, or after many turns without an attack.
    Conquest,
}

impl Rules {
    /// All presets, in display order.
    pub const ALL: [Rules; 5] = [Rules::V1, Rules::V2, Rules::V3, Rules::V4, Rules::Conquest];

    /// The name in URLs, records and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Rules::V1 => "v1",
            Rules::V2 => "v2",
            Rules::V3 => "v3",
            Rules::V4 => "v4",
            Rules::Conquest => "conquest",
        }
    }

    /// The names of all presets, joined as in a sentence.
    ///
    /// ```
    /// use dice_of_doom_games::dice_of_doom::Rules;
    ///
    /// assert_eq!(Rules::joined_names("or"), "v1, v2, v3, v4 or conquest");
    /// ```
    #[must_use]
    pub fn joined_names(conjunction: &str) -> String {
        let [earlier @ .., last] = Rules::ALL.map(Rules::name);
        format!("{} {conjunction} {last}", earlier.join(", "))
    }

    /// The default number of players, maximum dice per hex and side.
    #[must_use]
    pub const fn defaults(self) -> (u8, u8, u8) {
        match self {
            Rules::V1 => (2, 3, 2),
            Rules::V2 => (2, 3, 4),
            Rules::V3 => (2, 3, 5),
            Rules::V4 | Rules::Conquest => (4, 5, 5),
        }
    }

    /// How an attack is decided.
    #[must_use]
    pub const fn combat(self) -> Combat {
        match self {
            Rules::V1 | Rules::V2 | Rules::V3 => Combat::MoreDice,
            Rules::V4 | Rules::Conquest => Combat::Rolled,
        }
    }

    /// Whether attacks are decided by rolling dice.
    #[must_use]
    pub const fn is_rolled(self) -> bool {
        matches!(self.combat(), Combat::Rolled)
    }

    /// How many dice ending a turn brings.
    #[must_use]
    pub const fn reinforcement(self) -> Reinforcement {
        match self {
            Rules::V1 | Rules::V2 | Rules::V3 => Reinforcement::Captured,
            Rules::V4 | Rules::Conquest => Reinforcement::Cluster,
        }
    }

    /// When the game ends.
    #[must_use]
    pub const fn end_condition(self) -> EndCondition {
        match self {
            Rules::Conquest => EndCondition::Conquest,
            _ => EndCondition::NoAttack,
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There are no rules with this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there are no rules called {0:?}; there are {rules}", rules = Rules::joined_names("and"))]
pub struct UnknownRulesError(pub String);

impl FromStr for Rules {
    type Err = UnknownRulesError;
    fn from_str(name: &str) -> Result<Self, UnknownRulesError> {
        let named = Rules::ALL.into_iter().find(|rules| rules.name() == name);
        named.ok_or_else(|| UnknownRulesError(name.to_owned()))
    }
}
