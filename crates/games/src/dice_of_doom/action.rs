//! What a player chooses, as records and links write it, and what chance answers.

use std::fmt;
use std::str::FromStr;

use super::board::{Hex, MOST_HEXES};

/// What a player chooses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// The turn ends and its reinforcements are placed; the notation is `pass`.
    EndTurn,
    /// From one hex to a neighbour; the notation is `12-13`.
    Attack {
        /// The attacker's hex.
        from: Hex,
        /// The hex attacked.
        to: Hex,
    },
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::EndTurn => f.write_str("pass"),
            Action::Attack { from, to } => write!(f, "{from}-{to}"),
        }
    }
}

/// The text is no action.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is no move; a move is pass or two hexes such as 12-13")]
pub struct ActionParseError(pub String);

impl FromStr for Action {
    type Err = ActionParseError;
    fn from_str(text: &str) -> Result<Self, ActionParseError> {
        if text == "pass" {
            return Ok(Action::EndTurn);
        }
        let attack = text.split_once('-').and_then(|(from, to)| {
            Some(Action::Attack {
                from: hex_in(from)?,
                to: hex_in(to)?,
            })
        });
        attack.ok_or_else(|| ActionParseError(text.to_owned()))
    }
}

/// Only the number as we write it: records compare texts.
fn hex_in(text: &str) -> Option<Hex> {
    let plain = !text.starts_with('+') && (text == "0" || !text.starts_with('0'));
    let number = text
        .parse()
        .ok()
        .filter(|&number| usize::from(number) < MOST_HEXES);
    number.filter(|_| plain).map(Hex)
}

/// What chance answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// A turn's end leaves nothing to chance.
    Sure,
    /// The attacker takes the hex.
    Won,
    /// The attacker loses all dice but one.
    Lost,
}
