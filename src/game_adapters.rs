//! The faces of a game: what the platform's pages, JSON, engine lines and terminal ask of it, and the
//! one place where the kind of a game is erased.
//!
//! Beside its rules ([`Housed`](crate::serialization::SerializableGame)) and its players
//! ([`Levelled`](crate::level::Levelled)) a game owes one implementation of each face:
//!
//! | face | what it gives |
//! |---|---|
//! | [`PageAdapter`] | its pages: what is drawn, said and clicked |
//! | [`JsonAdapter`] | JSON: of the API, of records, of positions |
//! | [`EngineAdapter`] | the searches that programs may ask the engine for |
//! | [`TerminalAdapter`] | what it prints in a terminal |
//! | [`LocalizationAdapter`] | its sentences in every language |
//! | [`CliAdapter`] | its flags on the command line |
//!
//! Then it is a [`RegistrableGame`], and [`Registry::with`] seats it everywhere. All that stands above this floor
//! sees only [`GameType`] (a game as it can be set up), [`ConfiguredGame`] (one with its numbers) and [`LiveGame`]
//! (one that is played): object-safe, and implemented here once for every guest. Actions cross as
//! notation, as records keep them, and positions as JSON; a strategy is erased beside its game
//! ([`ComputerPlayer`]).
//!
//! Inside, all is typed: sessions, records, searches and the arena.

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
pub use live_game::{ActionError, LiveGame, LiveGameRef, PreparedPly};
pub use localization::LocalizationAdapter;
pub use page::{ErrorText, PageAdapter, SelectionError};
pub use position_analysis::{AnalysedAction, AnalysisCost, PositionAnalysis};
pub use registry::{Registry, UnknownGameError, install_weights};
pub use review::LiveReview;
pub use terminal::TerminalAdapter;

/// A game that has every face, so that it can be seated everywhere.
pub trait RegistrableGame:
    JsonAdapter + PageAdapter + EngineAdapter + TerminalAdapter + LocalizationAdapter + CliAdapter
{
}

impl<
    G: JsonAdapter + PageAdapter + EngineAdapter + TerminalAdapter + LocalizationAdapter + CliAdapter,
> RegistrableGame for G
{
}
