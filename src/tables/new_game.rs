//! Requests for new games, and their initial seats.

use std::num::NonZeroU64;
use std::sync::Arc;

use super::display_name::DisplayName;
use super::environment::Environment;
use super::seat_changes::{new_return_link, new_table_link};
use crate::client_network::ClientNetwork;
use crate::game::Player;
use crate::games::{ConfiguredGame, LiveGameRef, StartPosition};
use crate::seats::{
    ComputerPace, Invitation, MAX_SIMULATIONS, PersonCredentials, ProgramCredentials, Seat,
    SeatOccupant, SeatSpec, Seats,
};
use crate::secret::{Secret, SecretHash};
use crate::store::{GameHeader, GameId, GameOrigin};
use crate::tables::error::ServiceError;
use crate::tables::snapshot::Snapshot;

#[derive(Clone, Debug)]
pub struct NewGame {
    pub game: Arc<dyn ConfiguredGame>,
    /// The start position, or how to deal it.
    pub start: StartPosition,
    /// The requested occupants, one per player.
    pub seat_specs: Vec<SeatSpec>,
    pub pace: ComputerPace,
    pub creator: GameCreator,
    /// The client network, if known: it is charged for the game's computers.
    pub client_network: Option<ClientNetwork>,
    /// The name in the first of the creator's own seats.
    pub name: Option<DisplayName>,
    /// Whether only the players can see the game.
    pub private: bool,
    /// The time in seconds without a ply after which other players may let a computer play.
    pub replace_after_s: Option<u32>,
    /// The origin of a game that continues or copies another one.
    pub origin: Option<GameOrigin>,
    pub takebacks: bool,
    /// Whether hints are available even if several people play.
    pub hints: bool,
    /// The seconds that a person has for a turn; `None` without a clock.
    pub turn_s: Option<u32>,
    /// The program that is invited to the first open seat.
    pub invited_program: Option<SeatedProgram>,
}

/// A registered program, as its seats know it.
#[derive(Clone, Debug)]
pub struct SeatedProgram {
    pub token: SecretHash,
    pub name: String,
}

/// The creator of a game, who gets the human seats and the invitations to the open ones.
#[derive(Clone, Debug)]
pub enum GameCreator {
    /// An anonymous program, which receives a token or an invitation for each of these seats, once. The game has no
    /// host.
    Program,
    /// A registered program, whose token gives access to its seats; it receives the invitations to open ones. The game
    /// has no host.
    Registered(SeatedProgram),
    /// The browser with this secret, which hosts the game; its pages show the links.
    Browser(Secret),
    Server,
    /// The book's page in the browser with this secret: the game becomes the browser's book game.
    BookPage(Secret),
}

impl GameCreator {
    /// The secret of the hosting browser.
    #[must_use]
    pub const fn browser(&self) -> Option<&Secret> {
        match self {
            GameCreator::Program | GameCreator::Registered(_) | GameCreator::Server => None,
            GameCreator::Browser(secret) | GameCreator::BookPage(secret) => Some(secret),
        }
    }

    #[must_use]
    pub const fn is_book_page(&self) -> bool {
        matches!(self, GameCreator::BookPage(_))
    }
}

impl NewGame {
    /// A public game created by an anonymous program, whose computers move by themselves.
    #[must_use]
    pub fn new(
        game: Arc<dyn ConfiguredGame>,
        start: StartPosition,
        seat_specs: Vec<SeatSpec>,
    ) -> Self {
        NewGame {
            game,
            start,
            seat_specs,
            pace: ComputerPace::AtOnce,
            creator: GameCreator::Program,
            client_network: None,
            name: None,
            private: false,
            replace_after_s: None,
            origin: None,
            takebacks: true,
            hints: false,
            turn_s: None,
            invited_program: None,
        }
    }

    /// The initial seats, with the secrets that are returned only once.
    fn seats(
        &self,
        id: &GameId,
        now_ms: i64,
        environment: &Environment,
    ) -> (Vec<Seat>, Vec<Option<Secret>>) {
        let mut name = self.name.as_ref();
        let mut invited_program = self.invited_program.as_ref();
        let players = Player::all(self.game.players());
        let seats = players.zip(&self.seat_specs).map(|(player, spec)| {
            let (mut occupant, token) = self.creator.seat(*spec, id, player, environment);
            if let SeatOccupant::Person {
                name: displayed_name,
                ..
            }
            | SeatOccupant::Program {
                name: displayed_name,
                ..
            } = &mut occupant
            {
                let requested_name = name.take().map(|name| name.as_str().to_owned());
                *displayed_name = requested_name.or_else(|| displayed_name.take());
            }
            if let SeatOccupant::Open { invitation } = &mut occupant
                && let Some(program) = invited_program.take()
            {
                let (token, name) = (program.token, program.name.clone());
                *invitation = Some(Invitation::Program { token, name });
            }
            let since_ms = Some(now_ms);
            (Seat { occupant, since_ms }, token)
        });
        seats.unzip()
    }
}

#[derive(Debug)]
pub struct CreatedGame {
    pub snapshot: Arc<Snapshot>,
    /// One entry per seat: the token of a human seat or the invitation to an open one, where the creator is a program.
    /// They are returned only here.
    pub tokens: Vec<Option<Secret>>,
}

/// A new game that is not stored yet.
pub(crate) struct GameDraft {
    pub(crate) header: GameHeader,
    pub(crate) seats: Seats,
    /// The secrets that are returned only once, per seat.
    pub(super) tokens: Vec<Option<Secret>>,
    pub(super) live: LiveGameRef,
}

impl GameDraft {
    /// Deals the start and creates the seats.
    pub(super) fn new(new: &NewGame, environment: &Environment) -> Result<Self, ServiceError> {
        let players = new.game.players();
        if new.seat_specs.len() != usize::from(players) {
            return Err(ServiceError::Seats { players });
        }
        let levels = new.seat_specs.iter().filter_map(|spec| match spec {
            SeatSpec::Level(level) => Some(level),
            SeatSpec::Human | SeatSpec::Open => None,
        });
        for level in levels.clone() {
            new.game.check_level(level.level)?;
        }
        let simulations = levels.filter_map(|level| level.simulations);
        let mut simulations = simulations.map(NonZeroU64::get);
        if simulations.any(|number| number > MAX_SIMULATIONS) {
            return Err(ServiceError::Simulations);
        }
        let live = new.game.new_game(&new.start)?;
        let (id, created_ms) = (environment.game_id(), environment.now_ms());
        let (seats, tokens) = new.seats(&id, created_ms, environment);
        let host = new.creator.browser();
        let link = || host.map(|host| new_table_link(host, &id, environment));
        let seats = Seats::awaiting_players(seats, link);
        let creator = match &new.creator {
            GameCreator::Server => Some(SecretHash::SERVER),
            creator => creator.browser().map(Secret::hash),
        };
        let header = GameHeader {
            id,
            game: new.game.parameters_text(),
            start: live.position_at(0).setup_json(),
            dice: Some(environment.dice()),
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
            turn_s: new.turn_s,
        };
        Ok(GameDraft {
            header,
            seats,
            tokens,
            live,
        })
    }
}

impl GameCreator {
    /// The initial occupant of a seat, with a secret that is returned only once.
    fn seat(
        &self,
        spec: SeatSpec,
        id: &GameId,
        player: Player,
        environment: &Environment,
    ) -> (SeatOccupant, Option<Secret>) {
        match (spec, self) {
            (SeatSpec::Level(level), _) => (SeatOccupant::level(level), None),
            (
                SeatSpec::Open,
                GameCreator::Program | GameCreator::Registered(_) | GameCreator::Server,
            ) => {
                let token = environment.secret();
                let invitation = Some(Invitation::Random(token.hash()));
                (SeatOccupant::Open { invitation }, Some(token))
            }
            (SeatSpec::Open, GameCreator::Browser(_) | GameCreator::BookPage(_)) => {
                (SeatOccupant::Open { invitation: None }, None)
            }
            (SeatSpec::Human, GameCreator::Program | GameCreator::Server) => {
                let token = environment.secret();
                let credentials = ProgramCredentials {
                    token: token.hash(),
                    browser: None,
                    joined_by: None,
                };
                (
                    SeatOccupant::Program {
                        credentials,
                        name: None,
                    },
                    Some(token),
                )
            }
            (SeatSpec::Human, GameCreator::Registered(program)) => {
                let credentials = ProgramCredentials {
                    token: program.token,
                    browser: None,
                    joined_by: None,
                };
                let name = Some(program.name.clone());
                (SeatOccupant::Program { credentials, name }, None)
            }
            (SeatSpec::Human, GameCreator::Browser(secret) | GameCreator::BookPage(secret)) => {
                let return_link = match self {
                    // The book's page shows no links.
                    GameCreator::BookPage(_) => None,
                    _ => Some(new_return_link(secret, id, player, environment)),
                };
                let credentials = PersonCredentials {
                    browser: secret.hash(),
                    return_link,
                    joined_by: None,
                };
                (
                    SeatOccupant::Person {
                        credentials,
                        name: None,
                    },
                    None,
                )
            }
        }
    }
}
