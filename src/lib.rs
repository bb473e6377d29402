<<<<<<< HEAD
//! Dice of Doom, the dice-conquest game of *Land of Lisp* (chapters 15–20): rules, trees, searches,
//! records, and a server to play it on.
=======
//! Dice of Doom: the map of the house.
//!
//! The rules are pure functions of plain values ([`game`], [`games`]); the game tree is a lazy view
//! of them ([`tree`]); everything else looks at that tree ([`search`], [`level`]).
>>>>>>> core

pub mod archive;
pub mod game;
pub mod games;
pub mod level;
<<<<<<< HEAD
pub mod options;
pub mod record;
pub mod secret;
=======
>>>>>>> core
pub mod search;
pub mod service;
pub mod session;
pub mod tree;
pub mod web;
pub mod wire;

#[path = "../templates/mod.rs"]
pub mod templates;
