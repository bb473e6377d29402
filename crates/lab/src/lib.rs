//! The commands beside the program `dice-of-doom`, for those who work on it or run a server: they train its networks,
//! measure its levels, and put load on its servers. Players need none of them, so the program is built without them.

pub mod cli;
pub mod load_test;
