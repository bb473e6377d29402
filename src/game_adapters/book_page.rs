//! The page of the book, `/game.html`, for the game that it is about: what it says and draws. Who may
//! play there, and how the page goes from step to step, is the business of the server.

use std::sync::Arc;

use maud::Markup;

use super::ConfiguredGame;
use crate::game::Player;
use crate::templates::SiteContext;
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::players::PlayerView;
use crate::templates::prompt::Notice;

/// The game that the book's page plays.
#[derive(Clone)]
pub struct BookGame {
    /// The game with the book's numbers.
    pub setting: Arc<dyn ConfiguredGame>,
    /// A page with one link, for visitors whom another site sent.
    pub doorstep: fn(&SiteContext<'_>, &Translations) -> Markup,
}

/// What the book's page asks of a game that is played there.
pub trait BookPage {
    /// Whether the player to move can move from this place.
    ///
    /// # Errors
    /// Why not, in one sentence.
    fn choose(&self, place: u8) -> Result<(), LocalizedMessage>;

    /// Moving from one place to another, in the game's notation. The rules are asked elsewhere.
    ///
    /// # Errors
    /// When there is no such place.
    fn between(&self, from: u8, to: u8) -> Result<String, LocalizedMessage>;

    /// Passing, in the game's notation.
    fn pass(&self) -> String;

    /// The page.
    fn page(
        &self,
        site: &SiteContext<'_>,
        text: &Translations,
        shown: &BookPageInput<'_>,
    ) -> Markup;
}

/// What the book's page shows beside the game.
#[derive(Clone, Debug)]
pub struct BookPageInput<'a> {
    /// Its message.
    pub says: BookPrompt,
    /// Something was refused.
    pub notice: Option<Notice>,
    /// Who is a person; the others are computers.
    pub people: &'a [Player],
    /// Who plays.
    pub players: Vec<PlayerView>,
}

/// What the book's page says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BookPrompt {
    /// What the last ply was, or who won.
    Newest,
    /// Where to move from shall be chosen.
    Choose,
    /// It was chosen; where to move to shall be.
    Chosen(u8),
    /// The choice was taken back.
    Cancelled,
    /// A computer waits to think, or thinks; the page looks again by itself.
    Thinking,
}
