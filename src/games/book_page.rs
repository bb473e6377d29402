//! The book page, `/game.html`: the part that its game renders. Access and navigation are the server's part.

use std::sync::Arc;

use maud::Markup;

use super::{BoardPage, ConfiguredGame, SubmittedAction};
use crate::game::Player;
use crate::session::Session;
use crate::templates::SiteContext;
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::players::PlayerView;
use crate::templates::prompt::Notice;

/// The game of the book page.
#[derive(Clone)]
pub struct BookGame {
    /// With the book's parameters.
    pub setting: Arc<dyn ConfiguredGame>,
    /// An entry page with a single link, for visitors from other sites.
    pub entry_page: fn(&SiteContext<'_>, &Translations) -> Markup,
}

/// How a game plays the book page.
pub struct BookPages<G: BoardPage> {
    /// The game with the book's parameters.
    pub game: fn() -> G,
    /// An entry page with a single link, for visitors from other sites.
    pub entry_page: fn(&SiteContext<'_>, &Translations) -> Markup,
    pub of: fn(&Session<G>) -> &dyn BookPage,
}

/// The rendering of a session on the book page.
pub trait BookPage {
    /// Checks that the player to move can move from this hex.
    ///
    /// # Errors
    /// If not, the reason in one sentence.
    fn choose(&self, place: u8) -> Result<(), LocalizedMessage>;

    /// The attack between two hexes; it need not be legal.
    fn attack(&self, from: u8, to: u8) -> SubmittedAction;

    fn pass(&self) -> SubmittedAction;

    fn page(
        &self,
        site: &SiteContext<'_>,
        text: &Translations,
        shown: &BookPageInput<'_>,
    ) -> Markup;
}

/// What the book page shows besides the game.
#[derive(Clone, Debug)]
pub struct BookPageInput<'a> {
    pub prompt: BookPrompt,
    /// An error message for a rejected action.
    pub notice: Option<Notice>,
    /// The human players; the others are computers.
    pub people: &'a [Player],
    pub players: Vec<PlayerView>,
}

/// The message of the book page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BookPrompt {
    /// Describes the last ply, or the winner.
    Newest,
    /// Asks where to move from.
    Choose,
    /// Asks where to move to from the selected hex.
    Chosen(u8),
    /// Confirms that the selection was cancelled.
    Cancelled,
    /// A computer is thinking or waits for a compute slot; the page reloads automatically.
    Thinking,
}
