//! Actions with their notation in records and links, and their chance outcomes.

use std::fmt;
use std::str::FromStr;

use super::board::{Hex, MAX_HEXES};

/// An action of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Ends the turn and places its reinforcements; the notation is `pass`.
    EndTurn,
    /// Attacks a neighbouring hex; the notation is `12-13`.
    Attack {
        /// The attacker's hex.
        from: Hex,
        /// The target hex.
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

/// The text is not an action.
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
                from: parse_hex(from)?,
                to: parse_hex(to)?,
            })
        });
        attack.ok_or_else(|| ActionParseError(text.to_owned()))
    }
}

/// Accepts only the canonical form of a number, because records are compared as text.
fn parse_hex(text: &str) -> Option<Hex> {
    let plain = !text.starts_with('+') && (text == "0" || !text.starts_with('0'));
    let number = text
        .parse()
        .ok()
        .filter(|&number| usize::from(number) < MAX_HEXES);
    number.filter(|_| plain).map(Hex)
}

/// The chance outcome of an action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Outcome {
    /// The only outcome of ending a turn.
    #[default]
    Certain,
    /// The attacker captures the hex.
    Won,
    /// The attacker loses all dice but one.
    Lost,
}
