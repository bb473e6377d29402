//! The adapters of a game: its ports to the platform's front ends (web pages, JSON, engine protocol, terminal,
//! command line). The concrete game type is erased here and nowhere else.
//!
//! In addition to its rules ([`SerializableGame`](crate::serialization::SerializableGame)) and its computer
//! players ([`AgentProvider`](crate::level::AgentProvider)), a game implements each adapter:
//!
//! | Adapter | Content |
//! |---|---|
//! | [`BoardPage`] | its board on web pages, and [the other pages](page::GamePages) that it has |
//! | [`GameFormat`](crate::formats::GameFormat) | JSON and notation of positions and actions |
//! | [`EngineAdapter`] | searches that the engine protocol offers |
//! | [`TerminalAdapter`] | terminal output |
//! | [`RegistrableGame`] | translations and command-line flags |
//!
//! Most methods have defaults; docs/new-game.md adds a game with them. [`Registry::with_game`] then adds it to every
//! front end. Code above this layer sees only four object-safe traits, which are implemented here once for all
//! registered games: [`GameType`] (a kind of game), [`ConfiguredGame`] (a game with parameters), [`LiveGame`] (a game in
//! progress) and [`GamePosition`] (a position). Actions cross this boundary as an index among the legal ones
//! ([`ActionIndex`]), and positions as JSON.
//!
//! Below this layer (sessions, records, search, arena) the game type is a generic parameter.

pub mod analysis_board;
mod arena_players;
pub mod book_page;
mod card;
pub mod cli;
mod computer_player;
mod configured_game;
pub mod dice_audit;
pub mod engine;
pub mod exercise;
pub mod form;
mod game_type;
pub mod hint;
pub mod json;
pub mod level_ratings;
mod live_game;
pub mod live_page;
pub mod log;
pub mod page;
mod position;
pub mod position_analysis;
pub mod prelude;
pub mod puzzle;
mod record;
mod registry;
pub mod review;
pub mod terminal;

pub mod dice_of_doom;
pub mod trilobite;

pub use card::{GameCard, RecordCounts};
pub use cli::{FlagValue, GameFlag};
pub use computer_player::ComputerPlayer;
pub use configured_game::{ConfiguredGame, DealError, StartPosition};

pub use engine::EngineAdapter;
pub use form::FormFields;
pub use game_type::GameType;
pub use live_game::{
    ActionError, ActionIndex, LiveGame, LiveGameRef, PreparedPly, SubmittedAction,
};
pub use page::{BoardPage, ErrorText, FormError, GamePages};
pub use position::GamePosition;
pub use position_analysis::{AnalysedAction, AnalysisCost, PositionAnalysis};
pub use record::{ParsedRecord, record_error_message};
pub use registry::{Registry, UnknownGameError, install_weights};

pub use terminal::TerminalAdapter;

/// A game that can be registered. It implements every adapter, and says what belongs to none of them.
pub trait RegistrableGame: BoardPage + EngineAdapter + TerminalAdapter {
    /// What it shows in addition to its board.
    const PAGES: GamePages<Self> = GamePages::NONE;

    /// The command-line flags that set it up, one for each field of [`GameFormat::New`](crate::formats::GameFormat::New) that can be chosen there.
    const FLAGS: &'static [GameFlag] = &[];

    /// Its texts: language tag (`en`) and Fluent source. In addition to the keys that its adapters use, a game may
    /// describe its levels under `level-book-about-` followed by a level variant, which is the game's name for most
    /// games.
    const TRANSLATIONS: &'static [(&'static str, &'static str)];

    /// The variants of its level descriptions, that of the default parameters first. If there are several, the key
    /// `levels-at-` followed by a variant says for which parameters it applies.
    const LEVEL_VARIANTS: &'static [&'static str] = &[Self::NAME];

    /// The variant for these parameters, one of [`RegistrableGame::LEVEL_VARIANTS`].
    fn level_variant(&self) -> &'static str {
        Self::NAME
    }

    /// The games for which level ratings are published, the default first.
    fn rated_games() -> Vec<Self> {
        Vec::new()
    }

    /// Whether no player has a large advantage at the start. One-click games are redealt until this holds.
    fn is_balanced(&self, _start: &Self::Position) -> bool {
        true
    }
}
