//! Players that do not learn, by name: levels and files of weights.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::TrainError;
use dice_of_doom_core::level::{Strength, UnknownStrength};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::dice_of_doom::nnue::quantized::Net;
use dice_of_doom_games::dice_of_doom::nnue::trained::Weights;
use dice_of_doom_games::dice_of_doom::nnue::training::Opponent;

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
pub enum Frozen {
    /// `LEVEL` or `LEVEL:SIMULATIONS`.
    Level(Strength),
    /// A file of weights, whose name ends in `.net`: its network one ply ahead.
    File(PathBuf),
}

/// Why a text names nobody.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}; a file of weights ends in .net")]
pub struct UnknownFrozen(#[from] UnknownStrength);

impl FromStr for Frozen {
    type Err = UnknownFrozen;
    fn from_str(text: &str) -> Result<Self, UnknownFrozen> {
        match text.ends_with(".net") {
            true => Ok(Frozen::File(text.into())),
            false => Ok(Frozen::Level(text.parse()?)),
        }
    }
}

impl fmt::Display for Frozen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Frozen::Level(strength) => strength.fmt(f),
            Frozen::File(file) => file.display().fmt(f),
        }
    }
}

impl Frozen {
    /// Who plays on these boards.
    pub(super) fn opponent(&self, boards: &[DiceOfDoom]) -> Result<Opponent, TrainError> {
        match self {
            Frozen::Level(strength) => Ok(Opponent::Level(*strength)),
            Frozen::File(file) => net_of(file, boards).map(Opponent::from),
        }
    }
}

/// The network of a file of weights that knows all of these boards.
pub(super) fn net_of(file: &Path, boards: &[DiceOfDoom]) -> Result<Net, TrainError> {
    let file = file.to_owned();
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(error) => return Err(TrainError::File { file, error }),
    };
    let weights = match Weights::from_bytes(&bytes) {
        Ok(weights) => weights,
        Err(error) => return Err(TrainError::Content { file, error }),
    };
    if boards.iter().all(|board| weights.knows(board)) {
        Ok(weights.net().clone())
    } else {
        let games = weights.games();
        Err(TrainError::OtherGame { file, games })
    }
}
