//! What a game provides besides its rules so that it can be stored and transmitted: a name, parameters, dealing, and
//! text forms of its positions. Tables, records and the engine protocol are generic over [`SerializableGame`].
//!
//! Not here: the rendering of a game in pages, JSON or a terminal, and its computer players
//! ([`AgentProvider`](crate::level::AgentProvider)).

use std::error::Error;
use std::fmt::Debug;

use rand::Rng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::game::{Player, RecordableGame, Status};

/// A game that can be set up, stored in records and played on the platform.
pub trait SerializableGame: RecordableGame + Copy + Debug + Send + Sync + 'static {
    /// The name in URLs, records and commands: lower-case letters, digits and hyphens.
    const NAME: &'static str;

    /// The parameters that distinguish games of this kind, as records contain them. Defaults are applied elsewhere.
    type Parameters: Serialize + DeserializeOwned + Clone + PartialEq + Debug + Send + Sync;
    /// The external form of a position, as users and programs write it.
    type Setup: Serialize + DeserializeOwned + Clone + Debug + Send + Sync;
    /// Why parameters or a setup are invalid.
    type SetupError: Error + Send + Sync + 'static;
    /// Why an action is illegal, as a message for the player.
    type IllegalActionError: Error + Send + Sync + 'static;

    /// Creates the game with these parameters.
    ///
    /// # Errors
    /// If a parameter is out of its range; reports the first one.
    fn from_parameters(parameters: &Self::Parameters) -> Result<Self, Self::SetupError>;

    /// The parameters of this game.
    fn parameters(&self) -> Self::Parameters;

    /// Deals a start position; a game without a random start always returns the same one.
    ///
    /// # Errors
    /// If no playable position can be dealt.
    fn deal(&self, rng: &mut impl Rng) -> Result<Self::Position, Self::SetupError>;

    /// Converts a setup to a position.
    ///
    /// # Errors
    /// If it is not a valid position of this game.
    fn position_from_setup(&self, setup: &Self::Setup) -> Result<Self::Position, Self::SetupError>;

    /// Converts a position to its external form.
    fn to_setup(&self, position: &Self::Position) -> Self::Setup;

    /// The notation of a position, one line of text. It must never change between versions: agents seed their
    /// generators from the notation of the start position, so that the same start is always played the same way.
    fn notation(&self, position: &Self::Position) -> String;

    /// Checks whether an action is legal in a position.
    ///
    /// # Errors
    /// Why the action is illegal.
    fn check_action(
        &self,
        position: &Self::Position,
        action: Self::Action,
    ) -> Result<(), Self::IllegalActionError>;

    /// The winners of a finished position, in the order of the book (by default that of the seats).
    fn winners(&self, position: &Self::Position) -> Vec<Player> {
        match self.status(position) {
            Status::Turn(_) => Vec::new(),
            Status::Over(payoffs) => payoffs.winners().iter().collect(),
        }
    }

    /// Whether an action ends the turn, so that another player is to move next unless the game is over or only one
    /// player is left. By default every action does.
    fn ends_turn(_action: Self::Action) -> bool {
        true
    }
}

/// The name of a game with its parameters, the header of records and responses; serialised as the field `game` beside
/// the parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NamedParameters<P> {
    /// [`SerializableGame::NAME`].
    pub game: String,
    /// The parameters, serialised as fields of the same object.
    #[serde(flatten)]
    pub parameters: P,
}

impl<P> NamedParameters<P> {
    /// The name and the parameters of a game.
    pub fn from_game<G: SerializableGame<Parameters = P>>(game: &G) -> Self {
        NamedParameters {
            game: G::NAME.to_owned(),
            parameters: game.parameters(),
        }
    }
}
