mod fields;
pub mod json;
mod kind;
mod live;
mod mind;
mod registry;
mod setting;

pub mod dice_of_doom;
pub mod trilobite;

pub use fields::{FieldError, Fields};
pub use json::Wired;
pub use kind::{Kept, Kind, LoadError};
pub use live::{Decided, Live, LiveGame, Refused};
pub use mind::Mind;
pub use registry::{Registry, UnknownGame};
pub use setting::{DealError, Setting, Start};

use crate::level::Levelled;

/// A game that has every face, so that it can be seated everywhere.
pub trait Guest: Wired + Levelled {}

impl<G: Wired + Levelled> Guest for G {}
