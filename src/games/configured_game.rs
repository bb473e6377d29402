//! A game with its parameters, independent of its Rust type.

use std::fmt::Debug;
use std::sync::Arc;

use thiserror::Error;

use super::arena_players::ArenaPlayers;
use super::computer_player::ComputerPlayer;
use super::form::SettingsForm;
use super::position::{GamePosition, TypedPosition};
use super::position_analysis::{self, AnalysisCost};
use super::{BoardPage, ErrorText, LiveGameRef, RegistrableGame, TerminalAdapter, live_page};
use crate::arena::{ArenaConfig, ArenaError, ArenaProgress, ArenaReport};
use crate::formats::fields::from_json;
use crate::formats::{FieldError, JsonFields, to_raw_json};
use crate::game::Player;
use crate::level::{Level, LevelSpec, MissingLevelError};
use crate::rng;
use crate::serialization::NamedParameters;
use crate::session::Session;
use crate::templates::game::GameTitle;
use crate::templates::message::LocalizedMessage;
use crate::templates::players::CountColumns;

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
            message: (SettingsForm::<G>::OF_GAME.error_text)(error),
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

    /// The name of the game as pages show it.
    fn page_name(&self) -> GameTitle;

    /// The columns of each player's counts.
    fn count_columns(&self) -> CountColumns;

    /// The keyboard shortcut for a hint.
    fn hint_key(&self) -> &'static str;

    /// Whether the game has dice.
    fn has_dice(&self) -> bool;

    /// The cost of analysing a position of this game; `None` if the game has no hints.
    fn analysis_cost(&self) -> Option<AnalysisCost>;

    /// A computer player for this game.
    fn computer_player(&self, level: LevelSpec) -> ComputerPlayer;

    /// The name of a player in the terminal.
    fn player_letter(&self, player: Player) -> String;

    /// The message key of the sentence above the map of the board's coordinates in the terminal, and the map.
    fn label_map(&self) -> (&'static str, String);

    /// The game's name and parameters, the first fields of responses.
    fn parameters(&self) -> JsonFields;

    /// What the board looks like, if that does not depend on the position.
    fn layout(&self) -> JsonFields;

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

    /// A position of this game.
    ///
    /// # Errors
    /// If the fields are invalid or are not a position of this game.
    fn position(&self, position: JsonFields) -> Result<Box<dyn GamePosition>, FieldError>;

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
        config: &ArenaConfig,
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
        BoardPage::description(self)
    }

    fn players(&self) -> u8 {
        crate::game::Game::players(self)
    }

    fn page_name(&self) -> GameTitle {
        live_page::name::<G>()
    }

    fn count_columns(&self) -> CountColumns {
        const NONE: CountColumns = CountColumns {
            headings: &[],
            territory: None,
        };
        G::PAGES.counts.map_or(NONE, |counts| counts.columns)
    }

    fn hint_key(&self) -> &'static str {
        G::PAGES.hints.map_or("h", |hints| hints.key)
    }

    fn has_dice(&self) -> bool {
        // A roll type of size zero holds no dice.
        size_of::<G::Roll>() > 0
    }

    fn analysis_cost(&self) -> Option<AnalysisCost> {
        position_analysis::analysis_cost(self)
    }

    fn computer_player(&self, level: LevelSpec) -> ComputerPlayer {
        ComputerPlayer::new(self, level)
    }

    fn player_letter(&self, player: Player) -> String {
        TerminalAdapter::player_letter(self, player)
    }

    fn label_map(&self) -> (&'static str, String) {
        (self.label_map_help(), TerminalAdapter::label_map(self))
    }

    fn parameters(&self) -> JsonFields {
        JsonFields::from_value(&NamedParameters::from_game(self))
    }

    fn layout(&self) -> JsonFields {
        JsonFields::from_value(&self.layout_json())
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

    fn position(&self, position: JsonFields) -> Result<Box<dyn GamePosition>, FieldError> {
        let position = self.parse_position(position)?;
        Ok(Box::new(TypedPosition {
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
        config: &ArenaConfig,
        progress: &ArenaProgress,
    ) -> Result<ArenaReport, ArenaError> {
        config.run(*self, &ArenaPlayers, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

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
