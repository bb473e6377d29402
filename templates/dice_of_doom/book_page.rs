//! The book's page (Land of Lisp, chapters 19 and 20): the book's messages and links around this program's
//! board.

use maud::{Markup, html};

use super::HexBoardView;
use super::board::{board, table};
use crate::localization::{Translations, letters};
use crate::page::{Refresh, SiteContext, linked, page, stylesheet_link};
use crate::players::{PlayerNames, PlayerView};
use crate::prompt::{Notice, notice};

/// View of the book's page.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BookView {
    /// The board, with the book's links.
    pub board: HexBoardView,
    /// The book's messages, in order.
    pub messages: Vec<BookMessage>,
    /// The link under the messages, if any.
    pub link: Option<BookLink>,
    /// Seconds until the page requests the next computer ply, and its address.
    pub refresh: Option<(u32, String)>,
    /// Why a request was rejected.
    pub notice: Option<Notice>,
    /// The list of players.
    pub players: Vec<PlayerView>,
}

/// The messages of the book's page (Land of Lisp, chapters 19 and 20).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BookMessage {
    /// "Please choose a hex to move from:"
    ChooseSource,
    /// "Now choose a destination:"
    ChooseDestination,
    /// "Move cancelled."
    Cancelled,
    /// "On 5 dice rolled 21. On 1 dice rolled 6."
    Rolled {
        /// The attacker's dice and their sum.
        attack: (u8, u8),
        /// The defender's dice and their sum.
        defend: (u8, u8),
    },
    /// "You may now pass or make another move:"
    MayPass,
    /// "Your reinforcements have been placed."
    Reinforced,
    /// "The computer has moved."
    ComputerMoved,
    /// "The computer is thinking."
    Thinking,
    /// "The winner is a"
    Winner {
        /// The winner.
        player: u8,
    },
    /// "The game is a tie between (a b)"
    Tie {
        /// The winners, in the book's order.
        players: Vec<u8>,
    },
}

/// A link under the messages of the book's page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BookLink {
    /// "pass"
    Pass(String),
    /// "continue"
    Continue(String),
    /// "play again"
    PlayAgain(String),
    /// "look again"
    LookAgain(String),
}

/// Renders the page `/game.html`.
#[must_use]
pub fn book_page(site: &SiteContext<'_>, text: &Translations, view: &BookView) -> Markup {
    let names = PlayerNames::new(text, &view.players);
    let refresh = view
        .refresh
        .clone()
        .map_or(Refresh::Never, |(seconds, to)| Refresh::To(seconds, to));
    // In the book, the link to pass is inside its sentence.
    let pass = match &view.link {
        Some(BookLink::Pass(href)) if view.messages.contains(&BookMessage::MayPass) => {
            Some(href.as_str())
        }
        _ => None,
    };
    let main = html! {
        main #main.book data-plain {
            (stylesheet_link(site, "text-pages.css"))
            h1 { (text.get("book-welcome")) }
            (notice(text, view.notice.as_ref(), &names))
            p.spoken {
                @for message in &view.messages { (book_message(text, message, pass)) " " }
                @match &view.link {
                    Some(BookLink::Pass(href)) if pass.is_none() => { a href=(text.path(href)) { (text.get("book-pass")) } }
                    Some(BookLink::Continue(href)) => { a href=(text.path(href)) { (text.get("book-continue")) } }
                    Some(BookLink::LookAgain(href)) => { a href=(text.path(href)) { (text.get("look-again")) } }
                    Some(BookLink::PlayAgain(href)) => { a href=(text.path(href)) { (text.get("book-again")) } }
                    _ => {}
                }
            }
            div class={ "bd s" (view.board.side) } { (board(text, &site.display, &view.board, &names)) }
            div.more {
                (table(text, &site.display, &view.board, &names))
                p.links { a href=(text.path("/")) { (text.get("book-leave")) } }
            }
        }
    };
    page(site, text, &text.get("book-title"), &refresh, main)
}

/// Renders a message; the book calls its players a, b, c …
fn book_message(text: &Translations, message: &BookMessage, pass: Option<&str>) -> Markup {
    let plain = |key| html! { (text.get(key)) };
    match message {
        BookMessage::ChooseSource => plain("book-choose"),
        BookMessage::ChooseDestination => plain("book-destination"),
        BookMessage::Cancelled => plain("book-cancelled"),
        BookMessage::Rolled { attack, defend } => html! {
            (text.get_with("book-rolled", &[
                ("attackDice", attack.0.into()),
                ("attackSum", attack.1.into()),
                ("defendDice", defend.0.into()),
                ("defendSum", defend.1.into()),
            ]))
        },
        BookMessage::MayPass => match pass {
            Some(href) => linked(&text.get("book-may-pass"), text.path(href)),
            None => html! { (text.get("book-may-pass").replace('|', "")) },
        },
        BookMessage::Reinforced => plain("book-reinforced"),
        BookMessage::ComputerMoved => plain("book-computer"),
        BookMessage::Thinking => plain("book-thinking"),
        BookMessage::Winner { player } => {
            html! { (text.get_with("book-winner", &[("who", letters(*player).as_str().into())])) }
        }
        BookMessage::Tie { players } => {
            let letters = players
                .iter()
                .map(|player| letters(*player))
                .collect::<Vec<_>>()
                .join(" ");
            html! { (text.get_with("book-tie", &[("who", letters.as_str().into())])) }
        }
    }
}
