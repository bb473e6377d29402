//! The pages of a game: what is drawn of its positions, what is said of its plies and its end, and what
//! the player to move may click.
//!
//! What is decided here is plain values of [`crate::templates`]; how they look is not known here. What
//! all games share, such as who sits where and whom a page waits for, is the business of the server.

use std::fmt;
use std::sync::Arc;

use maud::Markup;

use super::FieldError;
use super::book::{BookGame, BookPage};
use super::form::Form;
use super::json::Wired;
use crate::game::Player;
use crate::record::{Ending, Step};
use crate::session::Session;
use crate::templates::Board;
use crate::templates::buttons::OnTable;
use crate::templates::page::Draw;
use crate::templates::players::Tally;
use crate::templates::prompt::Asked;
use crate::templates::said::Said;
use crate::templates::text::Text;
use crate::tree::GameTree;

/// A game that has pages.
pub trait Pictured: Wired {
    /// The game's own kind of board.
    type Picture: Board + 'static;
    /// What the player to move has chosen so far; it lives in the address of the page.
    type Chosen: Copy + Default;

    /// Which sentence says what people call the game.
    const TITLE_KEY: &'static str;
    /// Which sentence says so in the form that sets up a game.
    const FORM_TITLE_KEY: &'static str;
    /// Which sentence stands on the button of the start page that begins a game; the first game of the
    /// registry needs none.
    const PLAY_KEY: Option<&'static str>;
    /// The counts of each player.
    const TALLY: Tally;

    /// A board on which nothing can be clicked.
    fn still(&self, position: &Self::Position) -> Self::Picture;

    /// Marks what the last ply did.
    fn mark_last(&self, board: &mut Self::Picture, last: &Step<'_, Self>);

    /// What a query chooses for the player to move.
    ///
    /// # Errors
    /// When it cannot be read, or cannot be chosen here.
    fn choose(tree: &impl GameTree<Game = Self>, query: &Form) -> Result<Self::Chosen, Declined>;

    /// Puts the links of the player to move on a board, and says what can be done. `here` is the address
    /// of the page without a choice.
    fn offer(
        tree: &impl GameTree<Game = Self>,
        chosen: Self::Chosen,
        here: &str,
        board: &mut Self::Picture,
    ) -> Offer;

    /// What somebody is told who has never played, in the first turn, before anything is chosen; `plies`
    /// of theirs are played already. `None` where the usual sentence says enough.
    fn first_words(_tree: &impl GameTree<Game = Self>, _plies: u32) -> Option<Said> {
        None
    }

    /// The action that the fields of a form name.
    ///
    /// # Errors
    /// When they name none, or the board has no such place. The rules are asked elsewhere.
    fn read_move(&self, form: &Form) -> Result<Self::Action, Declined>;

    /// What a player has on the board, as [`Pictured::TALLY`] counts it.
    fn counts(&self, position: &Self::Position, player: Player) -> Vec<u32>;

    /// The heading of the list of players.
    fn turn(&self, now: &Now) -> Said;

    /// A ply, as it is told.
    fn event(&self, step: &Step<'_, Self>) -> Event;

    /// The turn to which a line of the log belongs; `None` where every ply is a turn.
    fn log_turn(turn: u32) -> Option<u32>;

    /// What stands in the place of [`Event::strip`] before there was any.
    fn no_strip() -> Option<Arc<dyn OnTable>> {
        None
    }

    /// What happened since the reader's last turn: it stands in the place of the strip until the reader
    /// does something, and may be marked on the board.
    fn since(
        &self,
        _since: Since<'_, Self>,
        _board: &mut Self::Picture,
    ) -> Option<Arc<dyn OnTable>> {
        None
    }

    /// How far the game has come, on a card.
    fn stage(&self, now: &Now) -> Said;

    /// Who won.
    fn verdict(&self, end: &End<'_, Self>) -> Said;

    /// How a player did, where that is another heading than who won.
    fn place(&self, _end: &End<'_, Self>, _player: Player) -> Option<Said> {
        None
    }

    /// Why the game is over.
    fn reason(&self, end: &End<'_, Self>) -> Said;

    /// The course of a finished game, drawn, where there is more to it than its end.
    fn course(_session: &Session<Self>) -> Option<Arc<dyn OnTable>> {
        None
    }

    /// Why an action is not legal.
    fn refused(refusal: &Self::Refusal) -> Said;

    /// Why parameters make no game, or no position can be made.
    fn problem(error: &Self::SetupError) -> Said;

    /// What the form that sets up a game asks, filled in with what was sent.
    fn form(sent: &Form) -> Arc<dyn Draw>;

    /// The parameters that a form asks for.
    ///
    /// # Errors
    /// What cannot be read; numbers are checked when the game is built.
    fn read_form(sent: &Form) -> Result<Self::Parameters, Declined>;

    /// The seats that a form names.
    fn named_seats(sent: &Form) -> Vec<String> {
        sent.list("seats")
    }

    /// The part of the rules page.
    fn rules(text: &Text) -> Markup;

    /// A position worth looking at, for the start page.
    fn hero() -> Option<Arc<dyn Board>> {
        None
    }

    /// What the page of settings shows beside the choices.
    fn example() -> Option<Arc<dyn Draw>> {
        None
    }

    /// How the book's page plays this game, where it does.
    fn book_game() -> Option<BookGame> {
        None
    }

    /// A session of it on the book's page.
    fn book_page(_session: &Session<Self>) -> Option<&dyn BookPage> {
        None
    }
}

/// Why a choice or a form of a page names no action.
#[derive(Clone, PartialEq, Debug)]
pub enum Declined {
    /// It is not written as this game's are; programs read the sentence.
    Unfit(String),
    /// It can be read, and people read why it is not possible.
    Said(Said),
}

impl From<FieldError> for Declined {
    fn from(FieldError(sentence): FieldError) -> Self {
        Declined::Unfit(sentence)
    }
}

impl From<Said> for Declined {
    fn from(said: Said) -> Self {
        Declined::Said(said)
    }
}

/// Why a game does not do what it was asked to, in the words of programs and of pages.
#[derive(Clone, PartialEq, Debug)]
pub struct Reason {
    /// What programs read.
    pub sentence: String,
    /// What people read.
    pub said: Said,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// What the player to move can do.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What is asked.
    pub asked: Asked,
    /// The corner with the way on.
    pub corner: Option<Arc<dyn OnTable>>,
    /// What can be played, as buttons.
    pub buttons: Option<Arc<dyn OnTable>>,
}

/// How far a game has come at one of its positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Now {
    /// Plies played so far.
    pub ply: u32,
    /// The turn, counted from 1.
    pub turn: u32,
    /// Whether somebody is to move.
    pub progress: Progress,
}

impl Now {
    /// Whether nobody is to move any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.progress == Progress::Over
    }
}

/// Whether a game goes on at one of its positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Somebody is to move.
    GoesOn,
    /// It is over.
    Over,
}

/// A ply, as it is told.
#[derive(Clone, Debug)]
pub struct Event {
    /// What happened.
    pub said: Said,
    /// The ids of the board's elements that it concerns, with blanks between them.
    pub marks: Option<String>,
    /// What it looked like.
    pub strip: Option<Arc<dyn OnTable>>,
}

/// What was played since the reader's last turn.
#[derive(Clone, Debug)]
pub struct Since<'a, G: Pictured> {
    /// Whose turn it is, and who reads.
    pub reader: Player,
    /// From the end of the reader's last turn on, or from the start of the game.
    pub steps: &'a [Step<'a, G>],
    /// What would stand in the strip.
    pub strip: Option<Arc<dyn OnTable>>,
}

/// The end of a game.
#[derive(Clone, Debug)]
pub struct End<'a, G: Pictured> {
    /// The last position.
    pub position: &'a G::Position,
    /// The winners, in the book's order.
    pub winners: &'a [Player],
    /// The ending, where the rules did not end it.
    pub ending: Option<Ending>,
    /// Plies played.
    pub plies: u32,
}
