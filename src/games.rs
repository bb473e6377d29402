//! The games of the house: a closed list, because drawing a game needs to know it anyway.
//!
//! A further game is one folder here, one variant of [`GameKind`], and the arms that the compiler
//! then asks for.

use std::fmt;
use std::str::FromStr;

mod parameters;

pub use dice_of_doom_core::housed::Housed;
pub use dice_of_doom_games::{dice_of_doom, trilobite};
pub use parameters::{AnyGame, AnySetupError, Parameters};

/// Which game is played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameKind {
    /// Dice of Doom.
    Dice,
    /// Trilobite.
    Trilobite,
}

impl GameKind {
    /// Every game, in the order people see.
    pub const ALL: [GameKind; 2] = [GameKind::Dice, GameKind::Trilobite];

    /// The name in URLs, records and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            GameKind::Dice => "dice",
            GameKind::Trilobite => "trilobite",
        }
    }
}

impl fmt::Display for GameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No game has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no game called {0:?}")]
pub struct UnknownGame(pub String);

impl FromStr for GameKind {
    type Err = UnknownGame;
    fn from_str(name: &str) -> Result<Self, UnknownGame> {
        let named = GameKind::ALL.into_iter().find(|game| game.name() == name);
        named.ok_or_else(|| UnknownGame(name.to_owned()))
    }
}
