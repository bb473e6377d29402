//! Trilobite as the platform seats it.

use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::housed::Housed;
use rand::Rng;

use super::{Column, Parameters, Position, Refusal, Setup, SetupError, Trilobite};

impl Housed for Trilobite {
    const NAME: &'static str = "trilobite";

    type Parameters = Parameters;
    type Setup = Setup;
    type SetupError = SetupError;
    type Refusal = Refusal;

    fn build(parameters: &Parameters) -> Result<Self, SetupError> {
        Trilobite::new(parameters.width, parameters.height, parameters.win)
    }

    fn parameters(&self) -> Parameters {
        Parameters {
            width: self.width(),
            height: self.height(),
            win: self.win(),
        }
    }

    fn deal(&self, _: &mut impl Rng) -> Result<Position, SetupError> {
        Ok(self.empty())
    }

    fn position(&self, setup: &Setup) -> Result<Position, SetupError> {
        Trilobite::position(self, setup)
    }

    fn setup(&self, position: &Position) -> Setup {
        Trilobite::setup(self, position)
    }

    fn judge(&self, position: &Position, column: Column) -> Result<(), Refusal> {
        Trilobite::judge(self, position, column)
    }

    fn winners(&self, position: &Position) -> Vec<Player> {
        match self.status(position) {
            Status::Turn(_) => Vec::new(),
            Status::Over(payoffs) => payoffs.winners().iter().collect(),
        }
    }

    fn ends_turn(_: Column) -> bool {
        true
    }
}
