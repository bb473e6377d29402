//! What a new game shall be, and the seats it begins with.

use super::live::Start;
use super::seats::{Link, Name};
use crate::archive::{GameId, Pace, Seat, Sitter};
use crate::game::Player;
use crate::games::Parameters;
use crate::secret::Secret;

/// What a new game shall be.
#[derive(Clone, Debug)]
pub struct NewGame {
    /// The game and its parameters.
    pub parameters: Parameters,
    /// The start, or how to deal it.
    pub start: Start,
    /// Who sits where; one entry a player.
    pub sitters: Vec<Sitter>,
    /// Whether computers move by themselves.
    pub pace: Pace,
    /// The browser that creates it: it is the host, and human seats are its own.
    pub browser: Option<Secret>,
    /// What the first of its own seats is called.
    pub name: Option<Name>,
    /// Human seats get tokens of their own, and open ones invitations (for programs).
    pub with_tokens: bool,
    /// This is the book game of the browser.
    pub of_the_book: bool,
    /// Only its people see the game.
    pub private: bool,
    /// So many seconds without a ply, and the others may let a computer play.
    pub replace_after_s: Option<u32>,
}

impl NewGame {
    /// A public game that nobody hosts, whose computers move by themselves.
    #[must_use]
    pub fn of(parameters: Parameters, start: Start, sitters: Vec<Sitter>) -> Self {
        NewGame {
            parameters,
            start,
            sitters,
            pace: Pace::AtOnce,
            browser: None,
            name: None,
            with_tokens: false,
            of_the_book: false,
            private: false,
            replace_after_s: None,
        }
    }

    /// The seats as they begin, with the secrets that are told once.
    pub(super) fn seats(&self, id: &GameId, now_ms: i64) -> (Vec<Seat>, Vec<Option<Secret>>) {
        let mut name = self.name.as_ref();
        let players = Player::all(self.parameters.players());
        let seats = players.zip(&self.sitters).map(|(player, sitter)| {
            let mut seat = Seat {
                since_ms: Some(now_ms),
                ..Seat::of(sitter.clone())
            };
            let told = match sitter {
                Sitter::Level(_) => None,
                Sitter::Human | Sitter::Open => self.with_tokens.then(Secret::random),
            };
            let hash = told.as_ref().map(Secret::hash);
            match (sitter, &self.browser) {
                (Sitter::Level(_), _) => {}
                (Sitter::Open, Some(secret)) if told.is_none() => {
                    Link::Invitation.renew(&mut seat, secret, id, player);
                }
                (Sitter::Open, _) => seat.invite = hash,
                (Sitter::Human, browser) => {
                    seat.token = hash;
                    seat.browser = browser.as_ref().map(Secret::hash);
                    seat.name = name.take().map(|name| name.as_str().to_owned());
                    if let (Some(secret), None, false) = (browser, &told, self.of_the_book) {
                        Link::Return.renew(&mut seat, secret, id, player);
                    }
                }
            }
            (seat, told)
        });
        seats.unzip()
    }
}
