//! A game with its numbers: what a table is set up with.

use std::fmt::Debug;
use std::sync::Arc;

use serde_json::value::RawValue;
use thiserror::Error;

use super::arena_players::ArenaPlayers;
use super::engine::{EnginePosition, TypedEnginePosition};
use super::json::raw;
use super::{
    ErrorText, FieldError, JsonFields, LiveGameRef, LocalizationAdapter, PageAdapter,
    RegistrableGame,
};
use crate::arena::{ArenaConfig, ArenaError, ArenaProgress, ArenaReport};
use crate::rng;
use crate::serialization::NamedParameters;
use crate::session::Session;
use crate::templates::message::LocalizedMessage;

/// A start position as it is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartPosition {
    /// Deal one from this number: the same number deals the same position.
    Deal(u64),
    /// Exactly this position, as its game writes it (JSON).
    Exactly(String),
}

/// Why no game can be set up.
#[derive(Clone, Debug, Error)]
pub enum DealError {
    /// The numbers make no game, the start does not fit them, or no deal can be played.
    #[error("{0}")]
    Setup(ErrorText),
    /// A field of the parameters or of the start is missing, unknown, or something else.
    #[error("{0}")]
    Field(#[from] FieldError),
}

impl DealError {
    pub(super) fn setup<G: RegistrableGame>(error: &G::SetupError) -> Self {
        DealError::Setup(ErrorText {
            sentence: error.to_string(),
            said: G::setup_error_text(error),
        })
    }
}

/// A game whose numbers were checked, whatever its kind.
pub trait ConfiguredGame: Debug + Send + Sync {
    /// The name of its kind, in URLs, records and commands.
    fn name(&self) -> &'static str;

    /// The way in which its levels think: it chooses the sentences that describe them.
    fn way(&self) -> &'static str;

    /// What is played, as a heading says it.
    fn numbers(&self) -> LocalizedMessage;

    /// How many seats the table has.
    fn players(&self) -> u8;

    /// The name and the parameters as headers of records keep them (JSON).
    fn parameters_text(&self) -> String;

    /// A new game.
    ///
    /// # Errors
    /// When the start does not fit the parameters, or no deal can be played.
    fn begin(&self, start: &StartPosition) -> Result<LiveGameRef, DealError>;

    /// A seed whose deal leaves nobody far ahead, looked for from this one on; this one where there is none
    /// within 256 deals.
    fn even_seed(&self, seed: u64) -> u64;

    /// A position of this game, for questions about it.
    ///
    /// # Errors
    /// When it is not written as positions are, or cannot be one of this game.
    fn spot(&self, position: JsonFields) -> Result<Box<dyn EnginePosition>, FieldError>;

    /// A position of this game as an arena begins with it (JSON); the game and its parameters need not be
    /// written.
    ///
    /// # Errors
    /// When it is not written as positions are, or cannot be one of this game.
    fn opening(&self, position: JsonFields) -> Result<String, FieldError>;

    /// Plays an arena of levels and programs.
    ///
    /// # Errors
    /// When the contest does not fit the game, or its journal cannot be used.
    fn contest(
        &self,
        contest: &ArenaConfig,
        progress: &ArenaProgress,
    ) -> Result<ArenaReport, ArenaError>;
}

/// So many deals are looked at for an even one: on the usual board about one of six is even.
const EVEN_DEALS: u64 = 256;

impl<G: RegistrableGame> ConfiguredGame for G {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn way(&self) -> &'static str {
        LocalizationAdapter::level_variant(self)
    }

    fn numbers(&self) -> LocalizedMessage {
        PageAdapter::description(self)
    }

    fn players(&self) -> u8 {
        crate::game::Game::players(self)
    }

    fn parameters_text(&self) -> String {
        serde_json::to_string(&NamedParameters::of(self)).expect("parameters are plain values")
    }

    fn begin(&self, start: &StartPosition) -> Result<LiveGameRef, DealError> {
        let position = match start {
            StartPosition::Exactly(text) => {
                let setup: Result<G::Setup, _> = serde_json::from_str(text);
                let setup = setup.map_err(|error| FieldError::within("start", &error))?;
                self.position_from_setup(&setup)
            }
            StartPosition::Deal(seed) => self.deal(&mut rng::deal_rng(*seed)),
        };
        let position = position.map_err(|error| DealError::setup::<G>(&error))?;
        Ok(Arc::new(Session::new(*self, position)))
    }

    fn even_seed(&self, seed: u64) -> u64 {
        let mut seeds = (0..EVEN_DEALS).map(|more| seed.wrapping_add(more));
        let even = seeds.find(|&seed| {
            let dealt = self.deal(&mut rng::deal_rng(seed));
            dealt.is_ok_and(|start| self.is_balanced(&start))
        });
        even.unwrap_or(seed)
    }

    fn spot(&self, position: JsonFields) -> Result<Box<dyn EnginePosition>, FieldError> {
        let position = self.parse_position(position)?;
        Ok(Box::new(TypedEnginePosition {
            game: *self,
            position,
        }))
    }

    fn opening(&self, mut position: JsonFields) -> Result<String, FieldError> {
        let own = JsonFields::of(&NamedParameters::of(self));
        let written = position.split(&own.names().collect::<Vec<_>>());
        for name in written.names() {
            if written.first(name).map(RawValue::get) != own.first(name).map(RawValue::get) {
                return Err(FieldError(format!("{name}: this is another game")));
            }
        }
        let position = self.parse_position(position)?;
        Ok(raw(&self.to_setup(&position)).get().to_owned())
    }

    fn contest(
        &self,
        contest: &ArenaConfig,
        progress: &ArenaProgress,
    ) -> Result<ArenaReport, ArenaError> {
        contest.run(*self, &ArenaPlayers, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Player;
    use crate::games::dice_of_doom::{DiceOfDoom, Rules};

    #[test]
    fn a_deal_of_a_press_leaves_nobody_far_ahead() {
        let game = DiceOfDoom::preset(Rules::V4);
        for seed in 0..200 {
            let even = game.even_seed(seed);
            let start = game.deal(&mut rng::deal_rng(even)).unwrap();
            for player in Player::all(4) {
                let (hexes, dice) = game.hex_and_dice_count(&start, player);
                assert!((5..=8).contains(&hexes), "{seed}: {hexes} hexes");
                assert!(dice > 0, "{seed}");
            }
            assert_eq!(game.even_seed(even), even, "what is even stays");
        }
    }
}
