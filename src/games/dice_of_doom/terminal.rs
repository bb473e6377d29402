//! Terminal output of Dice of Doom, in the book's format.

use crate::game::Player;
use crate::games::terminal::{ColourMode, TerminalAdapter};
use crate::record::Ply;
use crate::templates::localization::Translations;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Faces, Position};

impl TerminalAdapter for DiceOfDoom {
    fn player(&self, position: &Position) -> Player {
        position.player()
    }

    /// ```text
    ///     a-3 b-1
    ///   a-1 b-2
    /// ```
    fn board(&self, position: &Position, paint: ColourMode) -> String {
        self.slanted_rows(|hex| {
            let owner = position.owner(hex);
            paint.piece(owner, &format!("{owner}-{}", position.dice(hex)))
        })
    }

    fn label_map(&self) -> String {
        self.slanted_rows(|hex| format!("{:>3}", hex.number()))
    }

    fn label_map_help(&self) -> &'static str {
        "terminal-help-dice"
    }

    fn action_menu(&self, action: Action, text: &Translations) -> String {
        match action {
            Action::EndTurn => text.get("terminal-end-turn").into_owned(),
            Action::Attack { from, to } => format!("{from} -> {to}"),
        }
    }

    fn roll_text(ply: &Ply<Self>, text: &Translations) -> Option<String> {
        let throw = ply.roll.throw()?;
        let count = |faces: &Faces| faces.as_slice().len() as u32;
        let values = [
            ("attackDice", count(&throw.attack).into()),
            ("attackSum", throw.attack.sum().into()),
            ("defendDice", count(&throw.defend).into()),
            ("defendSum", throw.defend.sum().into()),
        ];
        Some(text.get_with("book-rolled", &values).into_owned())
    }
}
