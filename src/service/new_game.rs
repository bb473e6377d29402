//! The order for a new game, and the seats with which it begins.

use super::name::Name;
use super::seats::Link;
use std::sync::Arc;

use crate::archive::GameId;
use crate::faces::{Setting, Start};
use crate::game::Player;
use crate::seats::{Invitation, Pace, PersonKeys, ProgramKeys, Seat, SeatWord, Sitter};
use crate::secret::Secret;

/// The order for a new game.
#[derive(Clone, Debug)]
pub struct NewGame {
    /// The game with its numbers.
    pub game: Arc<dyn Setting>,
    /// The start, or how to deal it.
    pub start: Start,
    /// Who is to sit where; one entry a player.
    pub sitters: Vec<SeatWord>,
    /// Whether computers move by themselves.
    pub pace: Pace,
    /// Who sets it up.
    pub creator: Creator,
    /// What the first of the creator's own seats is called.
    pub name: Option<Name>,
    /// Only its people see the game.
    pub private: bool,
    /// After so many seconds without a ply the others may let a computer play.
    pub replace_after_s: Option<u32>,
}

/// Who sets up a game: whoever it is gets the human seats, and the invitations to the open ones.
#[derive(Clone, Debug)]
pub enum Creator {
    /// A program, which is told a token or an invitation for each of these seats, once. Nobody hosts
    /// the game.
    Program,
    /// The browser with this secret: it hosts the game, and its pages show the links.
    Browser(Secret),
    /// The book's page of the browser with this secret: the game is that browser's book game.
    BookPage(Secret),
}

impl Creator {
    /// The secret of the browser that hosts the game.
    #[must_use]
    pub const fn browser(&self) -> Option<&Secret> {
        match self {
            Creator::Program => None,
            Creator::Browser(secret) | Creator::BookPage(secret) => Some(secret),
        }
    }

    /// Whether it is the book's page.
    #[must_use]
    pub const fn is_book_page(&self) -> bool {
        matches!(self, Creator::BookPage(_))
    }
}

impl NewGame {
    /// A public game that a program sets up, and whose computers move by themselves.
    #[must_use]
    pub fn of(game: Arc<dyn Setting>, start: Start, sitters: Vec<SeatWord>) -> Self {
        NewGame {
            game,
            start,
            sitters,
            pace: Pace::AtOnce,
            creator: Creator::Program,
            name: None,
            private: false,
            replace_after_s: None,
        }
    }

    /// The seats at the beginning, with the secrets that are shown only once.
    pub(super) fn seats(&self, id: &GameId, now_ms: i64) -> (Vec<Seat>, Vec<Option<Secret>>) {
        let mut name = self.name.as_ref();
        let players = Player::all(self.game.players());
        let seats = players.zip(&self.sitters).map(|(player, word)| {
            let (mut sitter, told) = self.creator.seat(*word, id, player);
            if let Sitter::Person { name: shown, .. } | Sitter::Program { name: shown, .. } =
                &mut sitter
            {
                *shown = name.take().map(|name| name.as_str().to_owned());
            }
            let since_ms = Some(now_ms);
            (Seat { sitter, since_ms }, told)
        });
        seats.unzip()
    }
}

impl Creator {
    /// Who sits in a seat of their game as it begins, and the secret that is told once.
    fn seat(&self, word: SeatWord, id: &GameId, player: Player) -> (Sitter, Option<Secret>) {
        let open = |invitation| Sitter::Open {
            invitation: Some(invitation),
        };
        match (word, self) {
            (SeatWord::Level(level), _) => (Sitter::level(level), None),
            (SeatWord::Open, Creator::Program) => {
                let token = Secret::random();
                (open(Invitation::Told(token.hash())), Some(token))
            }
            (SeatWord::Open, Creator::Browser(secret) | Creator::BookPage(secret)) => {
                let link = Link::Invitation.derived(secret, id, player);
                (open(Invitation::Derived(link)), None)
            }
            (SeatWord::Human, Creator::Program) => {
                let token = Secret::random();
                let keys = ProgramKeys {
                    token: token.hash(),
                    browser: None,
                    joined: None,
                };
                (Sitter::Program { keys, name: None }, Some(token))
            }
            (SeatWord::Human, Creator::Browser(secret) | Creator::BookPage(secret)) => {
                let back = match self {
                    // The book's page has no place for a link.
                    Creator::BookPage(_) => None,
                    _ => Some(Link::Return.derived(secret, id, player)),
                };
                let keys = PersonKeys {
                    browser: secret.hash(),
                    back,
                    joined: None,
                };
                (Sitter::Person { keys, name: None }, None)
            }
        }
    }
}
