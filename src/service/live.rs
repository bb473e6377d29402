//! The closed list of games, as the service sees them: one variant for each game, and the text forms
//! in which positions and plies are kept. What a game does at the table is written once, over
//! [`Housed`].
//!
//! A new game adds a variant to each enum here; the compiler lists the arms it owes.

use thiserror::Error;

use crate::archive::Stored;
use crate::game::{Player, Players, Status};
use crate::games::dice_of_doom::{self, Action, DiceOfDoom};
use crate::games::trilobite::{self, Column, Trilobite};
use crate::games::{AnyGame, AnySetupError, Housed, Parameters};
use crate::level::{Effort, Level, Levelled, SearchRng, Strategy};
use crate::record::{Ending, Ply, PlyRow, Record, ReplayError, RowError};
use crate::search::Stop;
use crate::session::{self, Session};
use crate::streams::{self, DiceSeed};

/// A start position as it is written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// Deal one; the number makes the deal repeatable.
    Deal(Option<u64>),
    /// Exactly this position of Dice of Doom.
    Dice(dice_of_doom::Setup),
    /// Exactly this position of Trilobite.
    Trilobite(trilobite::Setup),
}

/// An action of any game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnyAction {
    /// Of Dice of Doom.
    Dice(Action),
    /// Of Trilobite.
    Trilobite(Column),
}

impl AnyAction {
    /// Whether somebody else is to move afterwards, if the game goes on and has more players left.
    pub(super) fn ends_turn(self) -> bool {
        match self {
            AnyAction::Dice(action) => action == Action::EndTurn,
            AnyAction::Trilobite(_) => true,
        }
    }
}

/// A computer player of any game, with what it remembers.
pub(super) enum Mind {
    Dice(Box<dyn Strategy<DiceOfDoom>>),
    Trilobite(Box<dyn Strategy<Trilobite>>),
}

impl Mind {
    /// On how many threads it thinks at once.
    pub(super) fn threads(&self) -> usize {
        match self {
            Mind::Dice(mind) => mind.threads().get(),
            Mind::Trilobite(mind) => mind.threads().get(),
        }
    }
}

/// A decided ply of any game.
#[derive(Clone, Debug)]
pub(super) enum AnyPly {
    Dice(Ply<DiceOfDoom>),
    Trilobite(Ply<Trilobite>),
}

/// Why an action was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refused {
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// Somebody else is to move.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The rules of Dice of Doom say why.
    #[error("{0}")]
    Dice(dice_of_doom::Refusal),
    /// The rules of Trilobite say why.
    #[error("{0}")]
    Trilobite(trilobite::Refusal),
    /// An action of another game.
    #[error("this game has no such action")]
    OtherGame,
}

/// Why no game can be set up.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DealError {
    /// The parameters or the start do not fit the game.
    #[error("{0}")]
    Setup(#[from] AnySetupError),
    /// The start is a position of another game.
    #[error("the start is a position of another game")]
    OtherGame,
}

/// Why a stored game cannot go on.
#[derive(Debug, Error)]
pub(super) enum LoadError {
    #[error("the game's parameters cannot be read: {0}")]
    Parameters(serde_json::Error),
    #[error("the game's start cannot be read: {0}")]
    Start(serde_json::Error),
    #[error("the game's start does not fit: {0}")]
    Setup(#[from] AnySetupError),
    #[error("ply {0} cannot be read: {1}")]
    Ply(usize, RowError),
    #[error("the ending cannot be read: {0}")]
    Ending(RowError),
    #[error("{0}")]
    Replay(ReplayError),
}

/// A live game of any kind. Cloning is cheap.
#[derive(Clone, Debug)]
pub enum Live {
    /// A game of Dice of Doom.
    Dice(Session<DiceOfDoom>),
    /// A game of Trilobite.
    Trilobite(Session<Trilobite>),
}

/// The same words for the session of whatever game it is.
macro_rules! session {
    ($live:expr, $session:ident => $answer:expr) => {
        match $live {
            Live::Dice($session) => $answer,
            Live::Trilobite($session) => $answer,
        }
    };
}

impl Live {
    /// A new game.
    ///
    /// # Errors
    /// When the parameters are out of range, the start does not fit them, or no deal can be played.
    pub fn begin(parameters: &Parameters, start: &Start) -> Result<Self, DealError> {
        match (parameters.build()?, start) {
            (AnyGame::Dice(game), Start::Deal(seed)) => begin(game, Err(*seed)).map(Live::Dice),
            (AnyGame::Dice(game), Start::Dice(setup)) => begin(game, Ok(setup)).map(Live::Dice),
            (AnyGame::Trilobite(game), Start::Deal(seed)) => {
                begin(game, Err(*seed)).map(Live::Trilobite)
            }
            (AnyGame::Trilobite(game), Start::Trilobite(setup)) => {
                begin(game, Ok(setup)).map(Live::Trilobite)
            }
            (AnyGame::Dice(_) | AnyGame::Trilobite(_), _) => Err(DealError::OtherGame),
        }
    }

    /// The game of a stored record, replayed and checked.
    pub(super) fn resume(stored: &Stored) -> Result<Self, LoadError> {
        let parameters: Parameters =
            serde_json::from_str(&stored.header.game).map_err(LoadError::Parameters)?;
        match parameters.build()? {
            AnyGame::Dice(game) => resume(game, stored).map(Live::Dice),
            AnyGame::Trilobite(game) => resume(game, stored).map(Live::Trilobite),
        }
    }

    /// The session, if Dice of Doom is played.
    #[must_use]
    pub fn dice(&self) -> Option<&Session<DiceOfDoom>> {
        match self {
            Live::Dice(session) => Some(session),
            Live::Trilobite(_) => None,
        }
    }

    /// The game and its parameters.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        session!(self, session => session.game().parameters().into())
    }

    /// The start position as it is kept (JSON).
    pub(super) fn start_text(&self) -> String {
        session!(self, session => {
            let setup = session.game().setup(&session.record().start);
            serde_json::to_string(&setup).expect("a setup is plain numbers")
        })
    }

    /// The start position, to begin another game with.
    #[must_use]
    pub fn start(&self) -> Start {
        match self {
            Live::Dice(session) => Start::Dice(session.game().setup(&session.record().start)),
            Live::Trilobite(session) => {
                Start::Trilobite(session.game().setup(&session.record().start))
            }
        }
    }

    /// When the last ply was played, in milliseconds since 1970.
    #[must_use]
    pub fn last_ms(&self) -> Option<i64> {
        session!(self, session => session.record().plies.last().map(|ply| ply.at_ms))
    }

    /// How many plies were played.
    #[must_use]
    pub fn ply(&self) -> u32 {
        session!(self, session => session.record().len())
    }

    /// Whose turn it is, or how the game ended.
    #[must_use]
    pub fn status(&self) -> Status {
        session!(self, session => session.status())
    }

    /// Who is to move, while the game goes on.
    #[must_use]
    pub fn mover(&self) -> Option<Player> {
        self.status().mover()
    }

    /// Whether the game is over, by the rules or otherwise.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.status().is_over()
    }

    /// The winners in the book's order; empty while the game goes on, and after a draw without any.
    #[must_use]
    pub fn winners(&self) -> Vec<Player> {
        let Status::Over(payoffs) = self.status() else {
            return Vec::new();
        };
        let winners: Players = payoffs.winners();
        let mut order =
            session!(self, session => Housed::winners(session.game(), session.position()));
        order.retain(|player| winners.contains(*player));
        // After a resignation the count may name others than the board does.
        let rest: Vec<Player> = winners
            .iter()
            .filter(|player| !order.contains(player))
            .collect();
        order.extend(rest);
        order
    }

    /// The ending that is no rule of the game.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        session!(self, session => session.record().ending)
    }

    /// Who played ply number `number`, and what.
    #[must_use]
    pub fn played(&self, number: u32) -> Option<(Player, AnyAction)> {
        session!(self, session => {
            let ply = session.record().plies.get(number as usize)?;
            Some((ply.player, ply.action.into()))
        })
    }

    /// Judges an action and rolls for it; changes nothing.
    pub(super) fn decide(
        &self,
        player: Player,
        action: AnyAction,
        seed: &DiceSeed,
        at_ms: i64,
    ) -> Result<AnyPly, Refused> {
        match (self, action) {
            (Live::Dice(session), AnyAction::Dice(action)) => {
                decide(session, player, action, seed, at_ms).map(AnyPly::Dice)
            }
            (Live::Trilobite(session), AnyAction::Trilobite(column)) => {
                decide(session, player, column, seed, at_ms).map(AnyPly::Trilobite)
            }
            (Live::Dice(_) | Live::Trilobite(_), _) => Err(Refused::OtherGame),
        }
    }

    /// Plays a decided ply; a ply of another game is a fault of the caller and is ignored.
    pub(super) fn apply(&mut self, ply: AnyPly) {
        match (self, ply) {
            (Live::Dice(session), AnyPly::Dice(ply)) => {
                *session = session.after(ply).expect("it was decided at this position");
            }
            (Live::Trilobite(session), AnyPly::Trilobite(ply)) => {
                *session = session.after(ply).expect("it was decided at this position");
            }
            (Live::Dice(_) | Live::Trilobite(_), _) => debug_assert!(false, "another game's ply"),
        }
    }

    /// Ends the game otherwise than by the rules.
    pub(super) fn end(&mut self, ending: Ending) {
        session!(self, session => session.end(ending));
    }

    /// Whether the next number belongs to the ply limit.
    pub(super) fn is_at_limit(&self) -> bool {
        session!(self, session => session.is_at_limit())
    }

    /// A computer player for this game.
    pub(super) fn mind(&self, level: Level) -> Mind {
        match self {
            Live::Dice(_) => Mind::Dice(DiceOfDoom::strategy(level)),
            Live::Trilobite(_) => Mind::Trilobite(Trilobite::strategy(level)),
        }
    }

    /// What a computer plays here. Slow: never on an async thread.
    pub(super) fn choose(&self, mind: &mut Mind, stop: &Stop) -> AnyAction {
        fn of<G: Housed>(
            session: &Session<G>,
            strategy: &mut dyn Strategy<G>,
            variety: &mut SearchRng,
            stop: &Stop,
        ) -> G::Action {
            let (game, position) = (session.game(), session.position());
            let choice = strategy.choose(game, position, Effort::Usual, variety, stop);
            choice.action
        }
        let variety = &mut streams::level_stream(&self.start_text(), self.ply());
        match (self, mind) {
            (Live::Dice(session), Mind::Dice(mind)) => {
                of(session, mind.as_mut(), variety, stop).into()
            }
            (Live::Trilobite(session), Mind::Trilobite(mind)) => {
                of(session, mind.as_mut(), variety, stop).into()
            }
            (Live::Dice(_) | Live::Trilobite(_), _) => {
                unreachable!("a mind plays the game that it was made for")
            }
        }
    }
}

/// A session at the position written down, or at one dealt, from a seed or from the system's
/// randomness.
fn begin<G>(game: G, setup: Result<&G::Setup, Option<u64>>) -> Result<Session<G>, DealError>
where
    G: Housed,
    AnySetupError: From<G::SetupError>,
{
    let position = match setup {
        Ok(setup) => game.position(setup),
        Err(Some(seed)) => game.deal(&mut streams::deal_stream(seed)),
        Err(None) => game.deal(&mut rand::rng()),
    };
    Ok(Session::new(game, position.map_err(AnySetupError::from)?))
}

fn resume<G>(game: G, stored: &Stored) -> Result<Session<G>, LoadError>
where
    G: Housed,
    AnySetupError: From<G::SetupError>,
{
    let setup = serde_json::from_str(&stored.header.start).map_err(LoadError::Start)?;
    let start = game.position(&setup).map_err(AnySetupError::from)?;
    let players = game.players();
    let mut record = Record::new(game, start);
    for (number, row) in stored.plies.iter().enumerate() {
        let ply = row.read(players);
        record
            .plies
            .push(ply.map_err(|why| LoadError::Ply(number, why))?);
    }
    let ending = stored.ending.map(|row| row.read(players));
    record.ending = ending.transpose().map_err(LoadError::Ending)?;
    Session::resume(record).map_err(LoadError::Replay)
}

fn decide<G>(
    session: &Session<G>,
    player: Player,
    action: G::Action,
    seed: &DiceSeed,
    at_ms: i64,
) -> Result<Ply<G>, Refused>
where
    G: Housed,
    Refused: From<G::Refusal>,
{
    let mut dice = streams::dice_stream(seed, session.record().len());
    let decided = session.decide(player, action, &mut dice, at_ms);
    decided.map_err(|refusal| match refusal {
        session::Refusal::Over => Refused::Over,
        session::Refusal::NotYourTurn => Refused::NotYourTurn,
        session::Refusal::Illegal => match session.game().judge(session.position(), action) {
            Err(why) => why.into(),
            Ok(()) => Refused::OtherGame,
        },
    })
}

impl From<dice_of_doom::Refusal> for Refused {
    fn from(why: dice_of_doom::Refusal) -> Self {
        Refused::Dice(why)
    }
}

impl From<trilobite::Refusal> for Refused {
    fn from(why: trilobite::Refusal) -> Self {
        Refused::Trilobite(why)
    }
}

impl From<Action> for AnyAction {
    fn from(action: Action) -> Self {
        AnyAction::Dice(action)
    }
}

impl From<Column> for AnyAction {
    fn from(column: Column) -> Self {
        AnyAction::Trilobite(column)
    }
}

impl AnyPly {
    /// The row that is kept.
    pub(super) fn row(&self) -> PlyRow {
        match self {
            AnyPly::Dice(ply) => PlyRow::of(ply),
            AnyPly::Trilobite(ply) => PlyRow::of(ply),
        }
    }
}
