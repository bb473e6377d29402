//! A small neural network that forecasts how a game of Dice of Doom will end.
//!
//! Its inputs are sparse: a few hundred of many [`features`] are present on a board. The first layer sums
//! one row of numbers for each feature that is present, so that after a ply only the rows of what changed are
//! taken away and added (an efficiently updatable network, Nasu 2018). A second, small layer and a
//! softmax over the players give the win shares.
//!
//! The numbers were found by self-play, see [`training`]; searches use them rounded to whole numbers.

pub mod builtin;
pub mod codec;
pub mod features;
pub mod float;
pub mod quantized;
mod simd;
pub mod trained;
pub mod training;
