//! Serialization of Dice of Doom: parameters, positions and notation.

use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::serialization::SerializableGame;
use rand::Rng;

use super::{
    Action, DiceOfDoom, EndCondition, Hex, IllegalActionError, Parameters, Position, Setup,
    SetupError,
};

impl DiceOfDoom {
    /// The board as text in the book's form: rows of hexes, each indented half a hex less than the one above.
    #[must_use]
    pub fn slanted_rows(&self, text_of: impl Fn(Hex) -> String) -> String {
        let side = usize::from(self.side());
        let hexes: Vec<String> = self.all_hexes().map(text_of).collect();
        let rows = hexes.chunks(side).zip((1..=side).rev());
        let rows = rows.map(|(row, steps)| format!("{}{}", "  ".repeat(steps), row.join(" ")));
        rows.collect::<Vec<_>>().join("\n")
    }
}

impl SerializableGame for DiceOfDoom {
    const NAME: &'static str = "dice";

    type Parameters = Parameters;
    type Setup = Setup;
    type SetupError = SetupError;
    type IllegalActionError = IllegalActionError;

    fn from_parameters(parameters: &Parameters) -> Result<Self, SetupError> {
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

    fn position_from_setup(&self, setup: &Setup) -> Result<Position, SetupError> {
        DiceOfDoom::position(self, setup)
    }

    fn to_setup(&self, position: &Position) -> Setup {
        DiceOfDoom::setup(self, position)
    }

    /// `a3b1/a1b2 a 0 1`: owner and dice of each hex row by row, the side to move, the spare dice, and 1 if the
    /// mover has not attacked yet; `conquest` adds the quiet turns.
    fn notation(&self, position: &Position) -> String {
        let mut text = String::new();
        for hex in self.all_hexes() {
            let number = hex.number();
            if number > 0 && number.is_multiple_of(self.side()) {
                text.push('/');
            }
            text += &format!("{}{}", position.owner(hex), position.dice(hex));
        }
        let (player, spare) = (position.player(), position.spare());
        text += &format!(" {player} {spare} {}", u8::from(position.first_move()));
        if self.rules().end_condition() == EndCondition::Conquest {
            text += &format!(" {}", position.quiet());
        }
        text
    }

    fn check_action(&self, position: &Position, action: Action) -> Result<(), IllegalActionError> {
        DiceOfDoom::check_action(self, position, action)
    }

    fn winners(&self, position: &Position) -> Vec<Player> {
        DiceOfDoom::winners(self, position)
    }

    fn ends_turn(action: Action) -> bool {
        action == Action::EndTurn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice_of_doom::Rules;

    #[test]
    fn the_notation_of_a_position_never_changes() {
        let board = vec![(0, 3), (1, 1), (0, 1), (1, 2)];
        for (rules, expect) in [
            (Rules::V4, "a3b1/a1b2 a 0 1"),
            (Rules::Conquest, "a3b1/a1b2 a 0 1 0"),
        ] {
            let game = DiceOfDoom::new(rules, 2, 2, 5).unwrap();
            let start = game.position(&Setup::start(board.clone())).unwrap();
            assert_eq!(game.notation(&start), expect);
        }
    }
}
