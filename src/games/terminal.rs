//! The terminal adapter.

use crate::formats::GameFormat;
use crate::game::Player;
use crate::record::Ply;
use crate::templates::localization::Translations;

mod colour;

pub use colour::ColourMode;

/// A game's terminal output.
pub trait TerminalAdapter: GameFormat {
    /// The player to move, or who would be if the game were not over (by default the first).
    fn player(&self, position: &Self::Position) -> Player {
        self.status(position).mover().unwrap_or(Player::FIRST)
    }

    /// The name of a player, by default the book's letter.
    fn player_letter(&self, player: Player) -> String {
        player.to_string()
    }

    /// The board, without a final line break.
    fn board(&self, position: &Self::Position, paint: ColourMode) -> String;

    /// The board's coordinates as used in actions.
    fn label_map(&self) -> String {
        String::new()
    }

    /// The message key of the sentence above the map.
    fn label_map_help(&self) -> &'static str {
        "terminal-help-notation"
    }

    /// An action in the book's menu, by default its notation.
    fn action_menu(&self, action: Self::Action, _text: &Translations) -> String {
        action.to_string()
    }

    /// The result of a roll, if dice were rolled.
    fn roll_text(_ply: &Ply<Self>, _text: &Translations) -> Option<String> {
        None
    }
}
