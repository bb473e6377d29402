#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! **The rules are pure functions of plain values. The game tree is a lazy view of the rules, and every other module
//! works on that tree.** From the bottom up:
//!
//! | module | contents |
//! |---|---|
//! | [`game`] | the basic types: players, positions, actions, chance outcomes, rolls |
//! | [`tree`] | the lazy tree of a game, computed on demand or cached |
//! | [`search`] | expectimax, alpha-beta and PUCT, generic over the game |
//! | [`move_analysis`] | the expected win shares after every legal action of a position |
//! | [`level`] | the named playing strengths, and the agents behind them |
//! | [`rng`], [`provably_fair`] | the random generators of deals, dice and agents; dice that can be verified after the game |
//! | [`serialization`] | what a game must provide besides its rules |
//! | [`record`], [`session`] | the record of a game, and a game in progress |
//! | [`review`] | the analysis of a finished game, which separates luck from decisions |
//!
//! No code here blocks, reads a clock or a file, or creates randomness: random generators are passed in as parameters.

#![warn(missing_docs)]

pub mod game;
pub mod level;
pub mod move_analysis;
pub mod provably_fair;
pub mod record;
pub mod review;
pub mod rng;
pub mod search;
pub mod serialization;
pub mod session;
pub mod tree;

pub use rand;
