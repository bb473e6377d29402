//! What a game prints in a terminal.

use super::RegistrableGame;
use super::computer_player::decisions;
use super::json::JsonAdapter;
use crate::game::Player;
use crate::level::{AgentRng, LevelSpec};
use crate::record::Ply;
use crate::search::StopToken;
use crate::session::Session;
use crate::templates::localization::Translations;

mod colour;

pub use colour::ColourMode;

/// A game that can be printed.
pub trait TerminalAdapter: JsonAdapter {
    /// Who is to move, or would be.
    fn player(&self, position: &Self::Position) -> Player;

    /// How a player is called: the book's letters, where a game has no others.
    fn letter(&self, player: Player) -> String {
        player.to_string()
    }

    /// The board, its last line without an end.
    fn board(&self, position: &Self::Position, paint: ColourMode) -> String;

    /// The numbers or letters that actions name, where they are on the board.
    fn map(&self) -> String;

    /// The key of the sentence above the map.
    fn help(&self) -> &'static str;

    /// An action in the book's menu.
    fn menu(&self, action: Self::Action, text: &Translations) -> String;

    /// What the dice showed, where there were any.
    fn rolled(ply: &Ply<Self>, text: &Translations) -> Option<String>;
}

/// An action as a menu shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MenuItem {
    /// In the game's notation.
    pub action: String,
    /// For people.
    pub shown: String,
}

/// What the terminal asks of a game that is played.
pub trait LiveTerminal {
    /// How a player is called.
    fn letter(&self, player: Player) -> String;

    /// Whose turn it is, or would be if the game went on: how the player is called.
    fn whose(&self) -> String;

    /// The board, its last line without an end.
    fn board(&self, paint: ColourMode) -> String;

    /// The numbers or letters that actions name, where they are on the board.
    fn map(&self) -> String;

    /// The key of the sentence above the map.
    fn help(&self) -> &'static str;

    /// The legal actions, in the book's order.
    fn menu(&self, text: &Translations) -> Vec<MenuItem>;

    /// The legal action that is written so; several ways to write one are allowed.
    fn meant(&self, words: &str, text: &Translations) -> Option<MenuItem>;

    /// What a new player of this level chooses; `None` where the game is over.
    fn choose(
        &self,
        level: LevelSpec,
        variety: &mut AgentRng,
        text: &Translations,
    ) -> Option<MenuItem>;

    /// What the dice showed at ply number `ply`, where there were any.
    fn rolled(&self, ply: u32, text: &Translations) -> Option<String>;
}

impl<G: RegistrableGame> LiveTerminal for Session<G> {
    fn letter(&self, player: Player) -> String {
        self.game().letter(player)
    }

    fn whose(&self) -> String {
        let game = self.game();
        game.letter(game.player(self.position()))
    }

    fn board(&self, paint: ColourMode) -> String {
        self.game().board(self.position(), paint)
    }

    fn map(&self) -> String {
        self.game().map()
    }

    fn help(&self) -> &'static str {
        self.game().help()
    }

    fn menu(&self, text: &Translations) -> Vec<MenuItem> {
        let actions = self.game().legal_actions(self.position());
        actions.map(|action| item(self, action, text)).collect()
    }

    fn meant(&self, words: &str, text: &Translations) -> Option<MenuItem> {
        let action = words.parse().ok()?;
        let mut actions = self.game().legal_actions(self.position());
        let is_legal = actions.any(|legal| legal == action);
        is_legal.then(|| item(self, action, text))
    }

    fn choose(
        &self,
        level: LevelSpec,
        variety: &mut AgentRng,
        text: &Translations,
    ) -> Option<MenuItem> {
        self.status().mover()?;
        let mut strategy = G::agent(level.level);
        strategy.observe(self.game(), &mut decisions(self));
        let stop = StopToken::new();
        let choice = strategy.choose(self.game(), self.position(), level.effort(), variety, &stop);
        Some(item(self, choice.action, text))
    }

    fn rolled(&self, ply: u32, text: &Translations) -> Option<String> {
        G::rolled(self.record().entries.get(ply as usize)?.ply()?, text)
    }
}

fn item<G: RegistrableGame>(
    session: &Session<G>,
    action: G::Action,
    text: &Translations,
) -> MenuItem {
    MenuItem {
        action: action.to_string(),
        shown: session.game().menu(action, text),
    }
}
