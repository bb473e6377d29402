//! The order for a new game, and the seats with which it begins.

use std::num::NonZeroU64;
use std::sync::Arc;

use super::Household;
use super::ServiceError;
use super::display_name::Name;
use super::environment::Machine;
use super::seat_changes::Link;
use crate::game::Player;
use crate::game_adapters::{Live, Setting, Start};
use crate::seats::{
    Invitation, MOST_SIMULATIONS, Pace, PersonKeys, ProgramKeys, Seat, SeatWord, Sitter,
};
use crate::secret::{Secret, SecretHash};
use crate::store::{GameId, Header, Origin, Program};

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
    /// From which network, where it is known: the game's computers think in its name.
    pub household: Option<Household>,
    /// What the first of the creator's own seats is called.
    pub name: Option<Name>,
    /// Only its people see the game.
    pub private: bool,
    /// After so many seconds without a ply the others may let a computer play.
    pub replace_after_s: Option<u32>,
    /// Where it comes from, unless it is set up anew.
    pub origin: Option<Origin>,
    /// Whether plies may be taken back.
    pub takebacks: bool,
    /// Whether people get hints although other people play.
    pub hints: bool,
    /// The program that is asked to take the first open seat.
    pub asked: Option<Asked>,
}

/// A program that is asked to play.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The hash of its token.
    pub token: SecretHash,
    /// What it is called.
    pub name: String,
}

/// Who sets up a game: whoever it is gets the human seats, and the invitations to the open ones.
#[derive(Clone, Debug)]
pub enum Creator {
    /// A program, which is told a token or an invitation for each of these seats, once. Nobody hosts
    /// the game.
    Program,
    /// A program with an identity of its own, whose token opens its seats; it is told the invitations to
    /// open ones. Nobody hosts the game.
    Known(Program),
    /// The browser with this secret: it hosts the game, and its pages show the links.
    Browser(Secret),
    /// The server itself.
    Server,
    /// The book's page of the browser with this secret: the game is that browser's book game.
    BookPage(Secret),
}

impl Creator {
    /// The secret of the browser that hosts the game.
    #[must_use]
    pub const fn browser(&self) -> Option<&Secret> {
        match self {
            Creator::Program | Creator::Known(_) | Creator::Server => None,
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
            household: None,
            name: None,
            private: false,
            replace_after_s: None,
            origin: None,
            takebacks: true,
            hints: false,
            asked: None,
        }
    }

    /// The seats at the beginning, with the secrets that are shown only once.
    fn seats(
        &self,
        id: &GameId,
        now_ms: i64,
        machine: &Machine,
    ) -> (Vec<Seat>, Vec<Option<Secret>>) {
        let mut name = self.name.as_ref();
        let mut asked = self.asked.as_ref();
        let players = Player::all(self.game.players());
        let seats = players.zip(&self.sitters).map(|(player, word)| {
            let (mut sitter, told) = self.creator.seat(*word, id, player, machine);
            if let Sitter::Person { name: shown, .. } | Sitter::Program { name: shown, .. } =
                &mut sitter
            {
                let given = name.take().map(|name| name.as_str().to_owned());
                *shown = given.or_else(|| shown.take());
            }
            if let Sitter::Open { invitation } = &mut sitter
                && let Some(Asked { token, name }) = asked.take()
            {
                let (token, name) = (*token, name.clone());
                *invitation = Some(Invitation::Program { token, name });
            }
            let since_ms = Some(now_ms);
            (Seat { sitter, since_ms }, told)
        });
        seats.unzip()
    }
}

/// A game that has been set up and is not kept yet.
pub(super) struct Draft {
    pub(super) header: Header,
    pub(super) seats: Vec<Seat>,
    /// The secrets that are shown only once.
    pub(super) tokens: Vec<Option<Secret>>,
    pub(super) live: Live,
}

impl Draft {
    /// Deals, and gives out the seats.
    pub(super) fn of(new: &NewGame, machine: &Machine) -> Result<Self, ServiceError> {
        let players = new.game.players();
        if new.sitters.len() != usize::from(players) {
            return Err(ServiceError::Seats { players });
        }
        let told = new.sitters.iter().filter_map(|word| match word {
            SeatWord::Level(strength) => strength.simulations,
            SeatWord::Human | SeatWord::Open => None,
        });
        let mut told = told.map(NonZeroU64::get);
        if told.any(|simulations| simulations > MOST_SIMULATIONS) {
            return Err(ServiceError::Simulations);
        }
        let live = new.game.begin(&new.start)?;
        let (id, created_ms) = (machine.game_id(), machine.now_ms());
        let (seats, tokens) = new.seats(&id, created_ms, machine);
        let creator = match &new.creator {
            Creator::Server => Some(SecretHash::SERVER),
            creator => creator.browser().map(Secret::hash),
        };
        let header = Header {
            id,
            game: new.game.parameters_text(),
            start: live.start_text(),
            dice: machine.dice(),
            pace: new.pace,
            creator,
            book_of: creator.filter(|_| new.creator.is_book_page()),
            created_ms,
            private: new.private,
            replace_after_s: new.replace_after_s,
            rematch_of: None,
            origin: new.origin.clone(),
            takebacks: new.takebacks,
            hints: new.hints,
        };
        Ok(Draft {
            header,
            seats,
            tokens,
            live,
        })
    }
}

impl Creator {
    /// Who sits in a seat of their game as it begins, and the secret that is told once.
    fn seat(
        &self,
        word: SeatWord,
        id: &GameId,
        player: Player,
        machine: &Machine,
    ) -> (Sitter, Option<Secret>) {
        let open = |invitation| Sitter::Open {
            invitation: Some(invitation),
        };
        match (word, self) {
            (SeatWord::Level(level), _) => (Sitter::level(level), None),
            (SeatWord::Open, Creator::Program | Creator::Known(_) | Creator::Server) => {
                let token = machine.secret();
                (open(Invitation::Told(token.hash())), Some(token))
            }
            (SeatWord::Open, Creator::Browser(secret) | Creator::BookPage(secret)) => {
                let link = Link::Invitation.derived(secret, id, player, machine);
                (open(Invitation::Derived(link)), None)
            }
            (SeatWord::Human, Creator::Program | Creator::Server) => {
                let token = machine.secret();
                let keys = ProgramKeys {
                    token: token.hash(),
                    browser: None,
                    joined: None,
                };
                (Sitter::Program { keys, name: None }, Some(token))
            }
            (SeatWord::Human, Creator::Known(program)) => {
                let keys = ProgramKeys {
                    token: program.token,
                    browser: None,
                    joined: None,
                };
                let name = Some(program.name.clone());
                (Sitter::Program { keys, name }, None)
            }
            (SeatWord::Human, Creator::Browser(secret) | Creator::BookPage(secret)) => {
                let back = match self {
                    // The book's page has no place for a link.
                    Creator::BookPage(_) => None,
                    _ => Some(Link::Return.derived(secret, id, player, machine)),
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
