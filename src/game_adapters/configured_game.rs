//! A game with its parameters, independent of its Rust type.

use std::fmt::Debug;
use std::sync::Arc;

use thiserror::Error;

use super::arena_players::ArenaPlayers;
use super::engine::{EnginePosition, TypedEnginePosition};
use super::{ErrorText, LiveGameRef, PageAdapter, RegistrableGame};
use crate::arena::{ArenaConfig, ArenaError, ArenaProgress, ArenaReport};
use crate::formats::fields::from_json;
use crate::formats::{FieldError, JsonFields, to_raw_json};
use crate::level::{Level, MissingLevelError};
use crate::rng;
use crate::serialization::NamedParameters;
use crate::session::Session;
use crate::templates::message::LocalizedMessage;

/// A requested start position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartPosition {
    /// Dealt from this seed; deterministic.
    Dealt(u64),
    /// Exactly this position (JSON).
    Given(String),
}

/// Why a game cannot be set up.
#[derive(Clone, Debug, Error)]
pub enum DealError {
    /// The parameters or the start position are invalid, or no deal is playable.
    #[error("{0}")]
    Setup(ErrorText),
    /// A field of the parameters or of the start position is missing, unknown or of another type.
    #[error("{0}")]
    Field(#[from] FieldError),
}

impl DealError {
    pub(super) fn from_setup_error<G: RegistrableGame>(error: &G::SetupError) -> Self {
        DealError::Setup(ErrorText {
            sentence: error.to_string(),
            message: G::setup_error_text(error),
        })
    }
}

/// A game with validated parameters.
pub trait ConfiguredGame: Debug + Send + Sync {
    /// The game's name in URLs, records and commands.
    fn name(&self) -> &'static str;

    /// The level variant, which selects the descriptions of levels.
    fn level_variant_name(&self) -> &'static str;

    /// The levels of the game, weakest first.
    fn levels(&self) -> &'static [Level];

    /// Checks that the game has this level.
    ///
    /// # Errors
    /// If it has not.
    fn check_level(&self, level: Level) -> Result<(), MissingLevelError>;

    /// The game with its parameters, as a heading.
    fn heading(&self) -> LocalizedMessage;

    fn players(&self) -> u8;

    /// The name and the parameters as stored in record headers (JSON).
    fn parameters_text(&self) -> String;

    /// Starts a game.
    ///
    /// # Errors
    /// If the start position does not fit the parameters, or no deal is playable.
    fn new_game(&self, start: &StartPosition) -> Result<LiveGameRef, DealError>;

    /// The first seed from `seed` on whose deal gives no player a large advantage; `seed` itself if there is
    /// none within 256 deals.
    fn balanced_seed(&self, seed: u64) -> u64;

    /// A position of this game, for queries of the engine.
    ///
    /// # Errors
    /// If the fields are invalid or are not a position of this game.
    fn engine_position(&self, position: JsonFields) -> Result<Box<dyn EnginePosition>, FieldError>;

    /// Validates a position as the opening of an arena game and returns its JSON. The fields of the game and its
    /// parameters may be omitted; if present, they must be those of this game.
    ///
    /// # Errors
    /// If the fields are invalid or are not a position of this game.
    fn normalize_opening(&self, position: JsonFields) -> Result<String, FieldError>;

    /// Runs an arena of levels and programs.
    ///
    /// # Errors
    /// If the configuration does not fit the game, or its journal is unusable.
    fn run_arena(
        &self,
        contest: &ArenaConfig,
        progress: &ArenaProgress,
    ) -> Result<ArenaReport, ArenaError>;
}

/// The number of deals tried; on the default board about one in six is balanced.
const MAX_DEALS: u64 = 256;

impl<G: RegistrableGame> ConfiguredGame for G {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn level_variant_name(&self) -> &'static str {
        RegistrableGame::level_variant(self)
    }

    fn levels(&self) -> &'static [Level] {
        G::LEVELS
    }

    fn check_level(&self, level: Level) -> Result<(), MissingLevelError> {
        G::check_level(G::TITLE, level)
    }

    fn heading(&self) -> LocalizedMessage {
        PageAdapter::description(self)
    }

    fn players(&self) -> u8 {
        crate::game::Game::players(self)
    }

    fn parameters_text(&self) -> String {
        serde_json::to_string(&NamedParameters::from_game(self))
            .expect("parameters serialize to JSON")
    }

    fn new_game(&self, start: &StartPosition) -> Result<LiveGameRef, DealError> {
        let position = match start {
            StartPosition::Given(text) => {
                let setup: Result<G::Setup, _> = from_json(text);
                let setup = setup.map_err(|error| error.within("start"))?;
                self.position_from_setup(&setup)
            }
            StartPosition::Dealt(seed) => self.deal(&mut rng::deal_rng(*seed)),
        };
        let position = position.map_err(|error| DealError::from_setup_error::<G>(&error))?;
        Ok(Arc::new(Session::new(*self, position)))
    }

    fn balanced_seed(&self, seed: u64) -> u64 {
        let mut seeds = (0..MAX_DEALS).map(|offset| seed.wrapping_add(offset));
        let even = seeds.find(|&seed| {
            let dealt = self.deal(&mut rng::deal_rng(seed));
            dealt.is_ok_and(|start| self.is_balanced(&start))
        });
        even.unwrap_or(seed)
    }

    fn engine_position(&self, position: JsonFields) -> Result<Box<dyn EnginePosition>, FieldError> {
        let position = self.parse_position(position)?;
        Ok(Box::new(TypedEnginePosition {
            game: *self,
            position,
            earlier: Vec::new(),
        }))
    }

    fn normalize_opening(&self, position: JsonFields) -> Result<String, FieldError> {
        let position = self.parse_position_of_this_game(position)?;
        Ok(to_raw_json(&self.to_setup(&position)).get().to_owned())
    }

    fn run_arena(
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
    fn one_click_games_start_balanced() {
        let game = DiceOfDoom::preset(Rules::V4);
        for seed in 0..200 {
            let even = game.balanced_seed(seed);
            let start = game.deal(&mut rng::deal_rng(even)).unwrap();
            for player in Player::all(4) {
                let (hexes, dice) = game.hex_and_dice_count(&start, player);
                assert!((5..=8).contains(&hexes), "{seed}: {hexes} hexes");
                assert!(dice > 0, "{seed}");
            }
            assert_eq!(game.balanced_seed(even), even, "a balanced seed is kept");
        }
    }
}
