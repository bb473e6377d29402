//! The faces of a game: what the platform's pages, JSON, engine lines and terminal ask of it, and the
//! one place where the kind of a game is erased.
//!
//! Beside its rules ([`Housed`](crate::housed::Housed)) and its players
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

pub mod book;
mod contest;
pub mod engine;
pub mod fair;
mod fields;
pub mod flags;
pub mod form;
pub mod hint;
pub mod json;
mod kind;
pub mod lab;
mod live;
pub mod live_page;
mod mind;
pub mod notation;
pub mod page;
mod registry;
pub mod review;
mod setting;
pub mod strength;
pub mod terminal;
pub mod weighing;
mod words;

pub mod dice_of_doom;
pub mod trilobite;

pub use engine::Spoken;
pub use fair::LiveFair;
pub use fields::{FieldError, Fields};
pub use flags::{Flag, FlagValue, Flagged};
pub use form::{Form, KindPage};
pub use json::Wired;
pub use kind::{Kept, Kind, LoadError};
pub use live::{Decided, Live, LiveGame, Refused};
pub use mind::Mind;
pub use page::{Declined, Pictured, Reason};
pub use registry::{Registry, UnknownGame, install_weights};
pub use review::LiveReview;
pub use setting::{DealError, Setting, Start};
pub use terminal::Printed;
pub use weighing::{WeighedAction, Weighing, WeighingCost};
pub use words::Worded;

/// A game that has every face, so that it can be seated everywhere.
pub trait Guest: Wired + Pictured + Spoken + Printed + Worded + Flagged {}

impl<G: Wired + Pictured + Spoken + Printed + Worded + Flagged> Guest for G {}
