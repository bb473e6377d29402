//! Terminal output of Trilobite.

use crate::game::Player;
use crate::games::terminal::{ColourMode, TerminalAdapter};
use dice_of_doom_games::trilobite::{Position, Trilobite};

impl TerminalAdapter for Trilobite {
    fn player(&self, position: &Position) -> Player {
        position.player()
    }

    /// A number, as letters name the columns.
    fn player_letter(&self, player: Player) -> String {
        (player.number() + 1).to_string()
    }

    /// ```text
    /// . . .
    /// . . .
    /// 1 . 2
    /// a b c
    /// ```
    fn board(&self, position: &Position, paint: ColourMode) -> String {
        let piece = |cell| match self.chip(position, cell) {
            Some(player) => paint.piece(player, &self.player_letter(player)),
            None => ".".to_owned(),
        };
        let cells: Vec<String> = (0..self.cells()).map(piece).collect();
        let rows = cells.chunks(usize::from(self.width()));
        let rows = rows.map(|row| row.join(" "));
        rows.chain([self.label_map()])
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn label_map(&self) -> String {
        let letters: Vec<String> = self.columns().map(|column| column.to_string()).collect();
        letters.join(" ")
    }

    fn label_map_help(&self) -> &'static str {
        "terminal-help-trilobite"
    }
}
