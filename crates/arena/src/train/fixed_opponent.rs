//! Players that do not learn, by name: levels and files of weights.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::TrainError;
use dice_of_doom_core::level::{LevelSpec, LevelSpecError};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::dice_of_doom::nnue::quantized::QuantizedNetwork;
use dice_of_doom_games::dice_of_doom::nnue::trained::TrainedNetwork;
use dice_of_doom_games::dice_of_doom::nnue::training::FixedOpponent;

/// Who does not learn, as people write it.
///
/// ```
/// use dice_of_doom_arena::train::Frozen;
///
/// let level: Frozen = "master:400".parse()?;
/// assert_eq!(level.to_string(), "master:400");
/// let file: Frozen = "old/mine.net".parse()?;
/// assert_eq!(file, Frozen::File("old/mine.net".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FixedOpponentSpec {
    /// `LEVEL` or `LEVEL:SIMULATIONS`.
    Level(LevelSpec),
    /// A file of weights, whose name ends in `.net`: its network one ply ahead.
    File(PathBuf),
}

/// Why a text names nobody.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}; a file of weights ends in .net")]
pub struct FixedOpponentParseError(#[from] LevelSpecError);

impl FromStr for FixedOpponentSpec {
    type Err = FixedOpponentParseError;
    fn from_str(text: &str) -> Result<Self, FixedOpponentParseError> {
        match text.ends_with(".net") {
            true => Ok(FixedOpponentSpec::File(text.into())),
            false => Ok(FixedOpponentSpec::Level(text.parse()?)),
        }
    }
}

impl fmt::Display for FixedOpponentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FixedOpponentSpec::Level(strength) => strength.fmt(f),
            FixedOpponentSpec::File(file) => file.display().fmt(f),
        }
    }
}

impl FixedOpponentSpec {
    /// Who plays on these boards.
    pub(super) fn opponent(&self, boards: &[DiceOfDoom]) -> Result<FixedOpponent, TrainError> {
        match self {
            FixedOpponentSpec::Level(strength) => Ok(FixedOpponent::Level(*strength)),
            FixedOpponentSpec::File(file) => net_of(file, boards).map(FixedOpponent::from),
        }
    }
}

/// The network of a file of weights that knows all of these boards.
pub(super) fn net_of(file: &Path, boards: &[DiceOfDoom]) -> Result<QuantizedNetwork, TrainError> {
    let file = file.to_owned();
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(error) => return Err(TrainError::File { file, error }),
    };
    let weights = match TrainedNetwork::from_bytes(&bytes) {
        Ok(weights) => weights,
        Err(error) => return Err(TrainError::Content { file, error }),
    };
    if boards.iter().all(|board| weights.supports(board)) {
        Ok(weights.net().clone())
    } else {
        let games = weights.description();
        Err(TrainError::OtherGame { file, games })
    }
}
