//! Dice of Doom.

pub mod archive;
pub mod secret;
