//! Dice of Doom as the platform seats it.

use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::housed::Housed;
use rand::Rng;

use super::{Action, DiceOfDoom, Parameters, Position, Refusal, Setup, SetupError};

impl Housed for DiceOfDoom {
    const NAME: &'static str = "dice";

    type Parameters = Parameters;
    type Setup = Setup;
    type SetupError = SetupError;
    type Refusal = Refusal;

    fn build(parameters: &Parameters) -> Result<Self, SetupError> {
        let Parameters {
            rules,
            side,
            players,
            max_dice,
        } = *parameters;
        DiceOfDoom::new(rules, side, players, max_dice)
    }

    fn parameters(&self) -> Parameters {
        Parameters {
            rules: self.rules(),
            side: self.side(),
            players: Game::players(self),
            max_dice: self.max_dice(),
        }
    }

    fn deal(&self, rng: &mut impl Rng) -> Result<Position, SetupError> {
        DiceOfDoom::deal(self, rng)
    }

    fn position(&self, setup: &Setup) -> Result<Position, SetupError> {
        DiceOfDoom::position(self, setup)
    }

    fn setup(&self, position: &Position) -> Setup {
        DiceOfDoom::setup(self, position)
    }

    fn judge(&self, position: &Position, action: Action) -> Result<(), Refusal> {
        DiceOfDoom::judge(self, position, action)
    }

    fn winners(&self, position: &Position) -> Vec<Player> {
        DiceOfDoom::winners(self, position)
    }

    fn ends_turn(action: Action) -> bool {
        action == Action::EndTurn
    }
}
