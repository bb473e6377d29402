//! The commands of `dice-of-doom-lab`, for developers and server operators: train the networks, measure the levels, and
//! load-test servers. They are a separate program because players need none of them.

pub mod cli;
pub mod load_test;
