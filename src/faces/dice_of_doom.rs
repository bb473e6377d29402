//! The faces of Dice of Doom.

pub mod json;
