//! Dice of Doom.

#[path = "../templates/mod.rs"]
pub mod templates;
