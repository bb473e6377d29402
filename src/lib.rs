//! Dice of Doom.

pub mod game;
pub mod games;
