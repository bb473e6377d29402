//! Dice of Doom.

pub mod options;
pub mod web;
