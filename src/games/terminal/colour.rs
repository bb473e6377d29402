//! Terminal colours.

use crate::game::Player;

/// Whether pieces are printed in their players' colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColourMode {
    Plain,
    /// With ANSI escape sequences.
    Colour,
}

/// ANSI codes for red, blue, green, purple, gold and grey: the players' colours as on the web pages.
const COLOURS: [u8; 6] = [31, 34, 32, 35, 33, 90];

impl ColourMode {
    #[must_use]
    pub fn piece(self, player: Player, piece: &str) -> String {
        match self {
            ColourMode::Plain => piece.to_owned(),
            ColourMode::Colour => {
                let colour = COLOURS[usize::from(player.number())];
                format!("\x1b[1;{colour}m{piece}\x1b[0m")
            }
        }
    }
}
