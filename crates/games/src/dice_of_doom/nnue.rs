//! An efficiently updatable neural network (NNUE, Nasu 2018) that evaluates positions of Dice of Doom.
//!
//! The inputs are sparse: of many [`features`] a few hundred are active. The first layer sums one weight row
//! per active feature, so after a ply only the rows of changed features are subtracted and added. A second,
//! small layer and a softmax over the players give the win shares.
//!
//! The weights come from self-play, see [`training`]; searches use them quantized to integers.

pub mod builtin;
pub mod codec;
pub mod features;
pub mod float;
pub mod quantized;
mod simd;
pub mod trained;
pub mod training;
