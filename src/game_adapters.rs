//! The faces of a game: what the platform's pages, JSON, engine lines and terminal ask of it, and the
//! one place where the kind of a game is erased.
//!
//! Beside its rules ([`Housed`](crate::serialization::SerializableGame)) and its players
//! ([`Levelled`](crate::level::Levelled)) a game owes one implementation of each face:
//!
//! | face | what it gives |
//! |---|---|
//! | [`Pictured`] | its pages: what is drawn, said and clicked |
//! | [`Wired`] | JSON: of the API, of records, of positions |
//! | [`Spoken`] | the searches that programs may ask the engine for |
//! | [`Printed`] | what it prints in a terminal |
//! | [`Worded`] | its sentences in every language |
//! | [`Flagged`] | its flags on the command line |
//!
//! Then it is a [`Guest`], and [`Registry::with`] seats it everywhere. All that stands above this floor
//! sees only [`Kind`] (a game as it can be set up), [`Setting`] (one with its numbers) and [`LiveGame`]
//! (one that is played): object-safe, and implemented here once for every guest. Actions cross as
//! notation, as records keep them, and positions as JSON; a strategy is erased beside its game
//! ([`Mind`]).
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

pub use cli::{Flag, FlagValue, Flagged};
pub use computer_player::Mind;
pub use configured_game::{DealError, Setting, Start};
pub use dice_audit::LiveFair;
pub use engine::Spoken;
pub use fields::{FieldError, Fields};
pub use form::{Form, KindPage};
pub use game_type::{Kept, Kind, LoadError};
pub use json::Wired;
pub use live_game::{Decided, Live, LiveGame, Refused};
pub use localization::Worded;
pub use page::{Declined, Pictured, Reason};
pub use position_analysis::{WeighedAction, Weighing, WeighingCost};
pub use registry::{Registry, UnknownGame, install_weights};
pub use review::LiveReview;
pub use terminal::Printed;

/// A game that has every face, so that it can be seated everywhere.
pub trait Guest: Wired + Pictured + Spoken + Printed + Worded + Flagged {}

impl<G: Wired + Pictured + Spoken + Printed + Worded + Flagged> Guest for G {}
