//! The terminal adapter.

use super::computer_player::mainline_decisions;
use super::live_game::index_of;
use super::{ActionIndex, RegistrableGame};
use crate::formats::GameFormat;
use crate::game::Player;
use crate::level::{AgentRng, LevelSpec};
use crate::record::Ply;
use crate::search::StopToken;
use crate::session::Session;
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

/// Terminal output of a game in progress.
pub trait LiveTerminal {
    /// The name of a player.
    fn player_letter(&self, player: Player) -> String;

    /// The name of the player to move, or who would be if the game were not over.
    fn mover_name(&self) -> String;

    /// The board, without a final line break.
    fn board(&self, paint: ColourMode) -> String;

    /// The board's coordinates as used in actions.
    fn label_map(&self) -> String;

    /// The message key of the sentence above the map.
    fn label_map_help(&self) -> &'static str;

    /// The legal actions, in the book's order.
    fn action_menu(&self, text: &Translations) -> Vec<String>;

    /// The action that a new computer player of this level chooses; `None` if the game is over.
    fn choose_computer_action(&self, level: LevelSpec, rng: &mut AgentRng) -> Option<ActionIndex>;

    /// The result of the roll in ply `ply`, if dice were rolled.
    fn roll_text(&self, ply: u32, text: &Translations) -> Option<String>;
}

impl<G: RegistrableGame> LiveTerminal for Session<G> {
    fn player_letter(&self, player: Player) -> String {
        self.game().player_letter(player)
    }

    fn mover_name(&self) -> String {
        let game = self.game();
        game.player_letter(game.player(self.position()))
    }

    fn board(&self, paint: ColourMode) -> String {
        self.game().board(self.position(), paint)
    }

    fn label_map(&self) -> String {
        self.game().label_map()
    }

    fn label_map_help(&self) -> &'static str {
        self.game().label_map_help()
    }

    fn action_menu(&self, text: &Translations) -> Vec<String> {
        let actions = self.game().legal_actions(self.position());
        let labels = actions.map(|action| self.game().action_menu(action, text));
        labels.collect()
    }

    fn choose_computer_action(&self, level: LevelSpec, rng: &mut AgentRng) -> Option<ActionIndex> {
        self.status().mover()?;
        let mut agent = G::agent(level.level);
        agent.observe(self.game(), &mut mainline_decisions(self));
        let stop = StopToken::new();
        let choice = agent.choose_action(
            self.game(),
            self.position(),
            level.search_limit(),
            rng,
            &stop,
        );
        index_of(self.game(), self.position(), choice.action)
    }

    fn roll_text(&self, ply: u32, text: &Translations) -> Option<String> {
        G::roll_text(self.record().entries.get(ply as usize)?.ply()?, text)
    }
}
