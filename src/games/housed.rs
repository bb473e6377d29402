//! What the platform asks of a game beside its rules: how it is dealt and how its positions are
//! written down. A table, a record and a line of the engine are written once over this.

use std::error::Error;

use rand::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Parameters;
use super::dice_of_doom::{self, DiceOfDoom};
use super::trilobite::{self, Trilobite};
use crate::game::{Player, Roll};

/// A game of the house.
pub trait Housed: Roll + Copy {
    /// A position as anybody may write it down.
    type Setup: Serialize + DeserializeOwned + Clone;
    /// Why no position can be made.
    type SetupError: Error + Send + Sync + 'static;
    /// Why an action is not legal, in the player's words.
    type Refusal: Error;

    /// The game with its numbers.
    fn parameters(&self) -> Parameters;

    /// A start position from the stream of a deal; games without chance begin where they always do.
    ///
    /// # Errors
    /// When no deal can be played.
    fn deal(&self, rng: &mut impl Rng) -> Result<Self::Position, Self::SetupError>;

    /// The position that was written down.
    ///
    /// # Errors
    /// When it cannot be one of this game.
    fn position(&self, setup: &Self::Setup) -> Result<Self::Position, Self::SetupError>;

    /// A position, written down.
    fn setup(&self, position: &Self::Position) -> Self::Setup;

    /// Whether an action is legal here.
    ///
    /// # Errors
    /// Why it is not.
    fn judge(&self, position: &Self::Position, action: Self::Action) -> Result<(), Self::Refusal>;

    /// The winners of a position that is over, in the book's order.
    fn winners(&self, position: &Self::Position) -> Vec<Player>;
}

impl Housed for DiceOfDoom {
    type Setup = dice_of_doom::Setup;
    type SetupError = dice_of_doom::SetupError;
    type Refusal = dice_of_doom::Refusal;

    fn parameters(&self) -> Parameters {
        Parameters::Dice {
            rules: self.rules(),
            size: self.side(),
            players: crate::game::Game::players(self),
            max_dice: self.max_dice(),
        }
    }

    fn deal(&self, rng: &mut impl Rng) -> Result<Self::Position, Self::SetupError> {
        DiceOfDoom::deal(self, rng)
    }

    fn position(&self, setup: &Self::Setup) -> Result<Self::Position, Self::SetupError> {
        DiceOfDoom::position(self, setup)
    }

    fn setup(&self, position: &Self::Position) -> Self::Setup {
        DiceOfDoom::setup(self, position)
    }

    fn judge(&self, position: &Self::Position, action: Self::Action) -> Result<(), Self::Refusal> {
        DiceOfDoom::judge(self, position, action)
    }

    fn winners(&self, position: &Self::Position) -> Vec<Player> {
        DiceOfDoom::winners(self, position)
    }
}

impl Housed for Trilobite {
    type Setup = trilobite::Setup;
    type SetupError = trilobite::SetupError;
    type Refusal = trilobite::Refusal;

    fn parameters(&self) -> Parameters {
        Parameters::Trilobite {
            width: self.width(),
            height: self.height(),
            win: self.win(),
        }
    }

    fn deal(&self, _: &mut impl Rng) -> Result<Self::Position, Self::SetupError> {
        Ok(self.empty())
    }

    fn position(&self, setup: &Self::Setup) -> Result<Self::Position, Self::SetupError> {
        Trilobite::position(self, setup)
    }

    fn setup(&self, position: &Self::Position) -> Self::Setup {
        Trilobite::setup(self, position)
    }

    fn judge(&self, position: &Self::Position, action: Self::Action) -> Result<(), Self::Refusal> {
        Trilobite::judge(self, position, action)
    }

    fn winners(&self, position: &Self::Position) -> Vec<Player> {
        match crate::game::Game::status(self, position) {
            crate::game::Status::Turn(_) => Vec::new(),
            crate::game::Status::Over(payoffs) => payoffs.winners().iter().collect(),
        }
    }
}
