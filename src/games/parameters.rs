//! Which game is played and with which parameters, as it is written in the header of a record, in an
//! answer of the API and on a line of the engine.

use serde::{Deserialize, Serialize};

use super::GameKind;
use super::dice_of_doom::{self, DiceOfDoom, Rules};
use super::trilobite::{self, Trilobite};

/// A game and its parameters as written; they are not checked before [`Parameters::build`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "game", rename_all = "lowercase", deny_unknown_fields)]
pub enum Parameters {
    /// Dice of Doom.
    Dice {
        /// The preset: `v1` … `v4`, `conquest`.
        rules: Rules,
        /// Hexes along each side, 2..=8.
        size: u8,
        /// How many players, 2..=6.
        players: u8,
        /// The most dice on a hex, 2..=8.
        max_dice: u8,
    },
    /// Trilobite, for two.
    Trilobite {
        /// How many columns.
        width: u8,
        /// How many chips a column holds.
        height: u8,
        /// How many chips in a line win.
        win: u8,
    },
}

impl Parameters {
    /// Which game it is.
    #[must_use]
    pub const fn game(&self) -> GameKind {
        match self {
            Parameters::Dice { .. } => GameKind::Dice,
            Parameters::Trilobite { .. } => GameKind::Trilobite,
        }
    }

    /// How many seats the table has.
    #[must_use]
    pub const fn players(&self) -> u8 {
        match self {
            Parameters::Dice { players, .. } => *players,
            Parameters::Trilobite { .. } => 2,
        }
    }
}

impl From<dice_of_doom::Parameters> for Parameters {
    fn from(of: dice_of_doom::Parameters) -> Self {
        Parameters::Dice {
            rules: of.rules,
            size: of.side,
            players: of.players,
            max_dice: of.max_dice,
        }
    }
}

impl From<trilobite::Parameters> for Parameters {
    fn from(of: trilobite::Parameters) -> Self {
        Parameters::Trilobite {
            width: of.width,
            height: of.height,
            win: of.win,
        }
    }
}

/// A game whose numbers were checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnyGame {
    /// Dice of Doom.
    Dice(DiceOfDoom),
    /// Trilobite.
    Trilobite(Trilobite),
}

/// Why the parameters make no game, or a setup no position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AnySetupError {
    /// An error of Dice of Doom.
    #[error("{0}")]
    Dice(#[from] dice_of_doom::SetupError),
    /// An error of Trilobite.
    #[error("{0}")]
    Trilobite(#[from] trilobite::SetupError),
}

impl Parameters {
    /// The game with these numbers.
    ///
    /// # Errors
    /// The first number that is out of its range.
    pub fn build(&self) -> Result<AnyGame, AnySetupError> {
        Ok(match *self {
            Parameters::Dice {
                rules,
                size,
                players,
                max_dice,
            } => AnyGame::Dice(DiceOfDoom::new(rules, size, players, max_dice)?),
            Parameters::Trilobite { width, height, win } => {
                AnyGame::Trilobite(Trilobite::new(width, height, win)?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_written_with_its_name_first() {
        let written = r#"{"game":"trilobite","width":8,"height":7,"win":4}"#;
        let parameters: Parameters = serde_json::from_str(written).expect("as written");
        assert_eq!(parameters.game(), GameKind::Trilobite);
        assert_eq!(parameters.players(), 2);
        let again = serde_json::to_string(&parameters).expect("plain numbers");
        assert_eq!(again, written);
        for wrong in [
            r#"{"game":"trilobite","width":8,"height":7}"#,
            r#"{"game":"trilobite","width":8,"height":7,"win":4,"size":5}"#,
            r#"{"game":"chess","width":8,"height":7,"win":4}"#,
        ] {
            assert!(
                serde_json::from_str::<Parameters>(wrong).is_err(),
                "{wrong}"
            );
        }
    }
}
