//! The games of the house: their rules and their computer players.
//!
//! | room | what lives there |
//! |---|---|
//! | [`dice_of_doom`] | Dice of Doom (Land of Lisp, chapters 15 to 20), versions 1 to 4 and `conquest` |
//! | [`trilobite`] | Trilobite: connect-`win` with gravity |
//!
//! A game is one folder: its rules ([`Game`](dice_of_doom_core::game::Game),
//! [`Roll`](dice_of_doom_core::game::Roll)), how it is dealt and written down
//! ([`SerializableGame`](dice_of_doom_core::serialization::SerializableGame)), and who plays it at each level
//! ([`Levelled`](dice_of_doom_core::level::Levelled)). How it looks on pages, in JSON and in a
//! terminal is the server's affair.

#![warn(missing_docs)]

pub mod dice_of_doom;
pub mod trilobite;
