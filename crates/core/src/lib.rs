//! What Dice of Doom is built on, without a server: lazy game trees with chance, the searches on them,
//! records, sessions and streams of chance.
//!
//! **The rules are pure functions of plain values; the game tree is a lazy view of them; everything
//! else looks at that tree.** From the ground up:
//!
//! | room | what lives there |
//! |---|---|
//! | [`game`] | the words of the platform: players, positions, actions, lotteries, rolls |
//! | [`tree`] | a game's lazy tree, computed or remembered |
//! | [`search`] | expectimax, alpha-beta and PUCT, written once for every game |
//! | [`move_analysis`] | every action of a position with what each player may expect after it |
//! | [`level`] | the named strengths that people choose from, and what a computer player is |
//! | [`rng`], [`provably_fair`] | where deals, dice and variety come from; dice that can be checked afterwards |
//! | [`serialization`] | what the platform asks of a game beside its rules |
//! | [`record`], [`session`] | what is kept of a game, and a game that goes on |
//! | [`review`] | what a finished game came to: luck apart from decisions |
//!
//! Nothing here waits, looks at a clock, reads a file or makes randomness: randomness comes in as a
//! parameter. No game lives here; `dice-of-doom-games` has Dice of Doom and Trilobite.

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
