//! Dice of Doom: the map of the house.
//!
//! The rules are pure functions of plain values ([`game`], [`games`]); the game tree is a lazy view
//! of them ([`tree`]); everything else looks at that tree ([`search`], [`level`]).

pub mod game;
pub mod games;
pub mod level;
pub mod search;
pub mod tree;
