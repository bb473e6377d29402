//! What a game prints in a terminal.

use super::Guest;
use super::computer_player::decisions;
use super::json::Wired;
use crate::game::Player;
use crate::level::{SearchRng, Strength};
use crate::record::Ply;
use crate::search::Stop;
use crate::session::Session;
use crate::templates::localization::Text;

mod colour;

pub use colour::Paint;

/// A game that can be printed.
pub trait Printed: Wired {
    /// Who is to move, or would be.
    fn player(&self, position: &Self::Position) -> Player;

    /// How a player is called: the book's letters, where a game has no others.
    fn letter(&self, player: Player) -> String {
        player.to_string()
    }

    /// The board, its last line without an end.
    fn board(&self, position: &Self::Position, paint: Paint) -> String;

    /// The numbers or letters that actions name, where they are on the board.
    fn map(&self) -> String;

    /// The key of the sentence above the map.
    fn help(&self) -> &'static str;

    /// An action in the book's menu.
    fn menu(&self, action: Self::Action, text: &Text) -> String;

    /// What the dice showed, where there were any.
    fn rolled(ply: &Ply<Self>, text: &Text) -> Option<String>;
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
pub trait LiveText {
    /// How a player is called.
    fn letter(&self, player: Player) -> String;

    /// Whose turn it is, or would be if the game went on: how the player is called.
    fn whose(&self) -> String;

    /// The board, its last line without an end.
    fn board(&self, paint: Paint) -> String;

    /// The numbers or letters that actions name, where they are on the board.
    fn map(&self) -> String;

    /// The key of the sentence above the map.
    fn help(&self) -> &'static str;

    /// The legal actions, in the book's order.
    fn menu(&self, text: &Text) -> Vec<MenuItem>;

    /// The legal action that is written so; several ways to write one are allowed.
    fn meant(&self, words: &str, text: &Text) -> Option<MenuItem>;

    /// What a new player of this level chooses; `None` where the game is over.
    fn choose(&self, level: Strength, variety: &mut SearchRng, text: &Text) -> Option<MenuItem>;

    /// What the dice showed at ply number `ply`, where there were any.
    fn rolled(&self, ply: u32, text: &Text) -> Option<String>;
}

impl<G: Guest> LiveText for Session<G> {
    fn letter(&self, player: Player) -> String {
        self.game().letter(player)
    }

    fn whose(&self) -> String {
        let game = self.game();
        game.letter(game.player(self.position()))
    }

    fn board(&self, paint: Paint) -> String {
        self.game().board(self.position(), paint)
    }

    fn map(&self) -> String {
        self.game().map()
    }

    fn help(&self) -> &'static str {
        self.game().help()
    }

    fn menu(&self, text: &Text) -> Vec<MenuItem> {
        let actions = self.game().actions(self.position());
        actions.map(|action| item(self, action, text)).collect()
    }

    fn meant(&self, words: &str, text: &Text) -> Option<MenuItem> {
        let action = words.parse().ok()?;
        let mut actions = self.game().actions(self.position());
        let is_legal = actions.any(|legal| legal == action);
        is_legal.then(|| item(self, action, text))
    }

    fn choose(&self, level: Strength, variety: &mut SearchRng, text: &Text) -> Option<MenuItem> {
        self.status().mover()?;
        let mut strategy = G::strategy(level.level);
        strategy.observe(self.game(), &mut decisions(self));
        let stop = Stop::new();
        let choice = strategy.choose(self.game(), self.position(), level.effort(), variety, &stop);
        Some(item(self, choice.action, text))
    }

    fn rolled(&self, ply: u32, text: &Text) -> Option<String> {
        G::rolled(self.record().entries.get(ply as usize)?.ply()?, text)
    }
}

fn item<G: Guest>(session: &Session<G>, action: G::Action, text: &Text) -> MenuItem {
    MenuItem {
        action: action.to_string(),
        shown: session.game().menu(action, text),
    }
}
