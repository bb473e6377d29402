//! What the platform asks of a game beside its rules: a name, its parameters, how it is dealt and how
//! its positions are written down. A table, a record and a line of the engine are written once over
//! this.
//!
//! Not here: how a game looks on a page, in JSON or in a terminal, and its computer players
//! ([`Levelled`](crate::level::Levelled)).

use std::error::Error;
use std::fmt::Debug;

use rand::Rng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::game::{Player, RecordableGame};

/// A game that the platform can seat people at.
pub trait SerializableGame: RecordableGame + Copy + Debug + Send + Sync + 'static {
    /// The name in URLs, records and commands: lower-case letters, digits and hyphens.
    const NAME: &'static str;

    /// The numbers and words that set one game of this kind apart from another, as records write
    /// them; what may be left out when a game is set up is not decided here.
    type Parameters: Serialize + DeserializeOwned + Clone + PartialEq + Debug + Send + Sync;
    /// A position as anybody may write it down.
    type Setup: Serialize + DeserializeOwned + Clone + Debug + Send + Sync;
    /// Why parameters make no game, or no position can be made.
    type SetupError: Error + Send + Sync + 'static;
    /// Why an action is not legal, in the player's words.
    type IllegalActionError: Error + Send + Sync + 'static;

    /// The game with these parameters.
    ///
    /// # Errors
    /// The first number that is out of its range.
    fn from_parameters(parameters: &Self::Parameters) -> Result<Self, Self::SetupError>;

    /// The parameters that build this game.
    fn parameters(&self) -> Self::Parameters;

    /// A start position from the stream of a deal; games without chance begin where they always do.
    ///
    /// # Errors
    /// When no deal can be played.
    fn deal(&self, rng: &mut impl Rng) -> Result<Self::Position, Self::SetupError>;

    /// The position that was written down.
    ///
    /// # Errors
    /// When it cannot be one of this game.
    fn position_from_setup(&self, setup: &Self::Setup) -> Result<Self::Position, Self::SetupError>;

    /// A position, written down.
    fn to_setup(&self, position: &Self::Position) -> Self::Setup;

    /// A position in one line of text, its notation. No version changes the notation of a position:
    /// computers draw their variety from that of the start, so the same start is played the same way.
    fn notation(&self, position: &Self::Position) -> String;

    /// Whether an action is legal here.
    ///
    /// # Errors
    /// Why it is not.
    fn check_action(
        &self,
        position: &Self::Position,
        action: Self::Action,
    ) -> Result<(), Self::IllegalActionError>;

    /// The winners of a position that is over, in the book's order.
    fn winners(&self, position: &Self::Position) -> Vec<Player>;

    /// Whether an action is the last one of its turn: somebody else is to move afterwards, if the
    /// game goes on and has more players left.
    fn ends_turn(action: Self::Action) -> bool;
}

/// A game's name with its parameters, as records and answers begin: the name is the field `game`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NamedParameters<P> {
    /// [`SerializableGame::NAME`].
    pub game: String,
    /// The fields beside it.
    #[serde(flatten)]
    pub parameters: P,
}

impl<P> NamedParameters<P> {
    /// A game, written down.
    pub fn of<G: SerializableGame<Parameters = P>>(game: &G) -> Self {
        NamedParameters {
            game: G::NAME.to_owned(),
            parameters: game.parameters(),
        }
    }
}
