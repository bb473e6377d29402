#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | `game_format` | [`GameFormat`]: what a game provides to be written and read |
//! | [`dice_of_doom`], [`trilobite`] | the formats of each game |
//! | [`fields`], [`lines`], [`position_text`] | the fields of JSON objects; lines of bounded length; compact positions |
//! | [`entries`], [`end_reason`] | entries and events; how a game ended and who won |
//! | `record`, [`dice_proof`] | complete records in JSON; the proof of their dice |
//! | [`notation`] | complete records as text |
//! | [`saved_game`] | games as a database stores them |

#![warn(missing_docs)]

pub mod dice_of_doom;
pub mod dice_proof;
pub mod end_reason;
pub mod entries;
pub mod fields;
mod game_format;
pub mod lines;
pub mod notation;
pub mod position_text;
pub mod record;
pub mod saved_game;
pub mod trilobite;

pub use fields::{FieldError, JsonFields, to_raw_json};
pub use game_format::{ActionFieldsError, ActionListJson, GameFormat, NoFields};
pub use position_text::PositionTextError;
pub use record::{RecordError, RecordJson, RecordMetadata, RulesError};
