//! Dice of Doom, the dice-conquest game of *Land of Lisp* (chapters 15–20): rules, trees, searches,
//! records, and a server to play it on.

pub mod archive;
pub mod game;
pub mod games;
pub mod level;
pub mod options;
pub mod record;
pub mod secret;
pub mod search;
pub mod service;
pub mod session;
pub mod tree;
pub mod web;
pub mod wire;

#[path = "../templates/mod.rs"]
pub mod templates;
