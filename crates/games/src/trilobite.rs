//! Trilobite: connect-`win` with gravity. The original tried the book's lazy lists on a large board.
//!
//! [`Trilobite`] holds the parameters, [`Position`] the state. [`rules`] has the rules, [`land_of_lisp`] the
//! computer player of the original, and [`static_evaluation`] its evaluation.
//!
//!
//! ```
//! use dice_of_doom_core::game::{Game, Player, Status};
//! use dice_of_doom_games::trilobite::{Column, Trilobite};
//!
//! // . . .     0 1 2
//! // . . .     3 4 5     cells are counted from the top
//! // 1 . .     6 7 8
//! let game = Trilobite::new(3, 3, 3)?;
//! let opened = game.apply(&game.empty(), "a".parse()?, ());
//! assert_eq!(game.last_move(&opened), Some(6));
//! assert_eq!(game.status(&opened), Status::Turn(Player::new(1)));
//! // By ascending cell, so the taller column comes first.
//! let cells = game.legal_actions(&opened).filter_map(|column| game.landing(&opened, column));
//! assert_eq!(cells.collect::<Vec<u8>>(), [3, 7, 8]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agents;
mod bits;
mod board;
pub mod evaluator;
mod exact_analysis;
pub mod land_of_lisp;
pub mod opening_book;
mod perfect;
mod position;
pub mod rules;
mod serialization;
pub mod solver;
pub mod static_evaluation;
mod threats;

pub use board::{Column, ColumnParseError};
pub use position::{Parameters, Position, Setup, SetupError};
pub use rules::{IllegalActionError, Trilobite};
