//! Dice of Doom.

pub mod game;
pub mod games;
pub mod search;
pub mod tree;
