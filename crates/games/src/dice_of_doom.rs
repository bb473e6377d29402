//! Dice of Doom (Land of Lisp, chapters 15, 18 and 20): conquer hexes with dice.
//!
//! [`DiceOfDoom`] holds the parameters, [`Position`] the state. The rules are in [`rules`]; [`Rules`] lists the
//! differences between the book's versions. Dice rolls and win probabilities are in [`dice`], the book's
//! computer player in [`land_of_lisp`], and its evaluation in [`land_of_lisp::score`].
//!
//! ```
//! use dice_of_doom_core::game::{Game, Status, Player};
//! use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Outcome, Rules, Setup};
//!
//! //   a-2 b-1
//! // a-1 b-1     (each row lies half a hex further left)
//! let game = DiceOfDoom::new(Rules::V4, 2, 2, 5)?;
//! let start = game.position(&Setup::start(vec![(0, 2), (1, 1), (0, 1), (1, 1)]))?;
//! let attack: Action = "0-1".parse()?;
//! assert_eq!(game.check_action(&start, attack), Ok(()));
//! let won = game.apply(&start, attack, Outcome::Won);
//! assert_eq!(game.hex_and_dice_count(&won, Player::FIRST), (3, 3));
//! assert_eq!(game.status(&won), Status::Turn(Player::FIRST));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod agents;
mod board;
pub mod dice;
pub mod handcrafted;
pub mod land_of_lisp;
pub mod nnue;
pub mod opponent_models;
mod position;
mod preset;
pub mod rules;
mod serialization;

pub use action::{Action, ActionParseError, Outcome};
pub use board::Hex;
pub use dice::{AttackRoll, Faces, RollParseError, Throw, win_probability};
pub use position::{Parameters, Position, Setup, SetupError};
pub use preset::{Combat, EndCondition, Reinforcement, Rules, UnknownRulesError};
pub use rules::{DiceOfDoom, IllegalActionError};
