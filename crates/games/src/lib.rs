#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! | module | game |
//! |---|---|
//! | [`dice_of_doom`] | Dice of Doom (Land of Lisp, chapters 15 to 20), versions 1 to 4 and `conquest` |
//! | [`trilobite`] | Trilobite: connect-`win` with gravity |
//!
//! Each game is one folder: rules ([`Game`](dice_of_doom_core::game::Game),
//! [`Roll`](dice_of_doom_core::game::RecordableGame::Roll)), dealing and serialization
//! ([`SerializableGame`](dice_of_doom_core::serialization::SerializableGame)), and the agent of each level
//! ([`AgentProvider`](dice_of_doom_core::level::AgentProvider)). Presentation (pages, JSON, terminal) belongs
//! to the server.

#![warn(missing_docs)]

pub mod dice_of_doom;
pub mod trilobite;
