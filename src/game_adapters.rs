//! The adapters of a game: its ports to the platform's front ends (web pages, JSON, engine protocol, terminal,
//! command line). The concrete game type is erased here and nowhere else.
//!
//! In addition to its rules ([`SerializableGame`](crate::serialization::SerializableGame)) and its computer
//! players ([`AgentProvider`](crate::level::AgentProvider)), a game implements each adapter:
//!
//! | Adapter | Content |
//! |---|---|
//! | [`PageAdapter`] | web pages: boards, texts and forms |
//! | [`JsonAdapter`] | JSON of the API, of records and of positions |
//! | [`EngineAdapter`] | searches that the engine protocol offers |
//! | [`TerminalAdapter`] | terminal output |
//! | [`LocalizationAdapter`] | translations |
//! | [`CliAdapter`] | command-line flags |
//!
//! It is then a [`RegistrableGame`], and [`Registry::with_game`] adds it to every front end. Code above this
//! layer sees only the object-safe traits [`GameType`] (a kind of game), [`ConfiguredGame`] (a game with
//! parameters) and [`LiveGame`] (a game in progress), which are implemented here once for all registered games.
//! Actions cross this boundary as an index among the legal ones ([`ActionIndex`]), and positions as JSON. A computer
//! player is erased together with its game ([`ComputerPlayer`]).
//!
//! Below this layer (sessions, records, search, arena) the game type is a generic parameter.

pub mod analysis_board;
mod arena_players;
pub mod book_page;
pub mod cli;
mod computer_player;
mod configured_game;
pub mod dice_audit;
pub mod engine;
mod fields;
pub mod form;
mod game_type;
pub mod hint;
pub mod json;
pub mod level_ratings;
mod live_game;
pub mod live_page;
mod localization;
pub mod notation;
pub mod page;
pub mod position_analysis;
mod registry;
pub mod review;
pub mod terminal;

pub mod dice_of_doom;
pub mod trilobite;

pub use cli::{CliAdapter, FlagValue, GameFlag};
pub use computer_player::ComputerPlayer;
pub use configured_game::{ConfiguredGame, DealError, StartPosition};
pub use dice_audit::LiveDiceAudit;
pub use engine::EngineAdapter;
pub use fields::{FieldError, JsonFields};
pub use form::{FormFields, GameTypePage};
pub use game_type::{GameLoadError, GameType, SavedGame};
pub use json::JsonAdapter;
pub use live_game::{
    ActionError, ActionIndex, LiveGame, LiveGameRef, PreparedPly, SubmittedAction,
};
pub use localization::LocalizationAdapter;
pub use page::{ErrorText, FormError, PageAdapter};
pub use position_analysis::{AnalysedAction, AnalysisCost, PositionAnalysis};
pub use registry::{Registry, UnknownGameError, install_weights};
pub use review::LiveReview;
pub use terminal::TerminalAdapter;

/// A game that implements every adapter, so that it can be registered.
pub trait RegistrableGame:
    JsonAdapter + PageAdapter + EngineAdapter + TerminalAdapter + LocalizationAdapter + CliAdapter
{
}

impl<
    G: JsonAdapter + PageAdapter + EngineAdapter + TerminalAdapter + LocalizationAdapter + CliAdapter,
> RegistrableGame for G
{
}
