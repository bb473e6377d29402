//! Serialization of Trilobite: parameters, positions and notation.

use dice_of_doom_core::serialization::SerializableGame;
use rand::Rng;

use super::{Column, IllegalActionError, Parameters, Position, Setup, SetupError, Trilobite};

impl SerializableGame for Trilobite {
    const NAME: &'static str = "trilobite";

    type Parameters = Parameters;
    type Setup = Setup;
    type SetupError = SetupError;
    type IllegalActionError = IllegalActionError;

    fn from_parameters(parameters: &Parameters) -> Result<Self, SetupError> {
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

    fn position_from_setup(&self, setup: &Setup) -> Result<Position, SetupError> {
        Trilobite::position(self, setup)
    }

    fn to_setup(&self, position: &Position) -> Setup {
        Trilobite::setup(self, position)
    }

    /// `.../.../1.2 1 8`: the cells row by row from the top, the side to move (1 or 2), and the cell of the
    /// last chip, or - if there is none.
    fn notation(&self, position: &Position) -> String {
        let mut text = String::new();
        for cell in 0..self.cells() {
            if cell > 0 && cell.is_multiple_of(self.width()) {
                text.push('/');
            }
            match self.chip(position, cell) {
                Some(player) => text += &(player.number() + 1).to_string(),
                None => text.push('.'),
            }
        }
        let last = self.last_move(position).map(|cell| cell.to_string());
        let last = last.as_deref().unwrap_or("-");
        text + &format!(" {} {last}", position.player().number() + 1)
    }

    fn check_action(&self, position: &Position, column: Column) -> Result<(), IllegalActionError> {
        Trilobite::check_action(self, position, column)
    }
}

#[cfg(test)]
mod tests {
    use dice_of_doom_core::game::Game as _;

    use super::*;

    #[test]
    fn the_notation_of_a_position_never_changes() {
        let game = Trilobite::new(3, 3, 3).unwrap();
        assert_eq!(game.notation(&game.empty()), ".../.../... 1 -");
        let opened = game.apply(&game.empty(), "b".parse().unwrap(), ());
        assert_eq!(game.notation(&opened), ".../.../.1. 2 7");
    }
}
