//! What each game prints in the terminal.

use super::Paint;
use crate::game::Player;
use crate::games::dice_of_doom::{self, DiceOfDoom};
use crate::games::trilobite::{self, Column, Trilobite};
use crate::level::Levelled;
use crate::record::Ply;
use crate::templates::text::Text;
use crate::wire::Wired;

/// A game with words for the terminal.
pub(super) trait Printed: Wired + Levelled {
    /// Who is to move, or would be if the game were not over.
    fn player(&self, position: &Self::Position) -> Player;

    /// The name of a player.
    fn letter(&self, player: Player) -> String;

    /// The board; its last line has no line end.
    fn board(&self, position: &Self::Position, paint: Paint) -> String;

    /// The board with the numbers or letters by which actions name its cells.
    fn map(&self) -> String;

    /// The key of the sentence above the map.
    fn help(&self) -> &'static str;

    /// An action in the book's menu.
    fn menu(&self, action: Self::Action, text: &Text) -> String;

    /// What the dice showed, where there were any.
    fn rolled(ply: &Ply<Self>, text: &Text) -> Option<String>;
}

impl Printed for DiceOfDoom {
    fn player(&self, position: &dice_of_doom::Position) -> Player {
        position.player()
    }

    fn letter(&self, player: Player) -> String {
        player.to_string()
    }

    /// ```text
    ///     a-3 b-1
    ///   a-1 b-2
    /// ```
    fn board(&self, position: &dice_of_doom::Position, paint: Paint) -> String {
        slanted(self, |hex| {
            let owner = position.owner(hex);
            paint.piece(owner, &format!("{owner}-{}", position.dice(hex)))
        })
    }

    fn map(&self) -> String {
        slanted(self, |hex| format!("{:>3}", hex.number()))
    }

    fn help(&self) -> &'static str {
        "terminal-help-dice"
    }

    fn menu(&self, action: dice_of_doom::Action, text: &Text) -> String {
        match action {
            dice_of_doom::Action::EndTurn => text.say("terminal-end-turn").into_owned(),
            dice_of_doom::Action::Attack { from, to } => format!("{from} -> {to}"),
        }
    }

    fn rolled(ply: &Ply<Self>, text: &Text) -> Option<String> {
        let throw = ply.roll.throw()?;
        let dice = |faces: &dice_of_doom::Faces| faces.as_slice().len() as u32;
        let values = [
            ("attackDice", dice(&throw.attack).into()),
            ("attackSum", throw.attack.sum().into()),
            ("defendDice", dice(&throw.defend).into()),
            ("defendSum", throw.defend.sum().into()),
        ];
        Some(text.say_with("book-rolled", &values).into_owned())
    }
}

/// Rows of hexes, each half a hex further left than the one above.
fn slanted(game: &DiceOfDoom, shown: impl Fn(dice_of_doom::Hex) -> String) -> String {
    let side = usize::from(game.side());
    let hexes: Vec<String> = game.all_hexes().map(shown).collect();
    let rows = hexes.chunks(side).zip((1..=side).rev());
    let rows = rows.map(|(row, steps)| format!("{}{}", "  ".repeat(steps), row.join(" ")));
    rows.collect::<Vec<_>>().join("\n")
}

impl Printed for Trilobite {
    fn player(&self, position: &trilobite::Position) -> Player {
        position.player()
    }

    /// Players are called by numbers, because letters are the names of columns.
    fn letter(&self, player: Player) -> String {
        (player.number() + 1).to_string()
    }

    /// ```text
    /// . . .
    /// . . .
    /// 1 . 2
    /// a b c
    /// ```
    fn board(&self, position: &trilobite::Position, paint: Paint) -> String {
        let shown = |cell| match self.chip(position, cell) {
            Some(player) => paint.piece(player, &self.letter(player)),
            None => ".".to_owned(),
        };
        let cells: Vec<String> = (0..self.cells()).map(shown).collect();
        let rows = cells.chunks(usize::from(self.width()));
        let rows = rows.map(|row| row.join(" "));
        rows.chain([self.map()]).collect::<Vec<_>>().join("\n")
    }

    fn map(&self) -> String {
        let letters: Vec<String> = self.columns().map(|column| column.to_string()).collect();
        letters.join(" ")
    }

    fn help(&self) -> &'static str {
        "terminal-help-trilobite"
    }

    fn menu(&self, column: Column, _: &Text) -> String {
        column.to_string()
    }

    fn rolled(_: &Ply<Self>, _: &Text) -> Option<String> {
        None
    }
}
