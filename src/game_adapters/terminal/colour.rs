//! Colours for terminals.

use crate::game::Player;

/// Whether pieces are painted in their players' colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColourMode {
    /// Letters and digits only.
    Plain,
    /// With the escape sequences of terminals.
    Colour,
}

/// Red, blue, green, purple, gold and grey: the players' colours, as on the pages.
const COLOURS: [u8; 6] = [31, 34, 32, 35, 33, 90];

impl ColourMode {
    /// A player's piece, painted or as it is.
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
