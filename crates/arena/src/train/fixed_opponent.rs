//! The names of fixed opponents (players that do not learn): levels and weights files.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::TrainError;
use dice_of_doom_core::level::{LevelSpec, LevelSpecError};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::dice_of_doom::nnue::quantized::QuantizedNetwork;
use dice_of_doom_games::dice_of_doom::nnue::trained::TrainedNetwork;
use dice_of_doom_games::dice_of_doom::nnue::training::FixedOpponent;

/// A fixed opponent, in the form of the command line.
///
/// ```
/// use dice_of_doom_arena::train::FixedOpponentSpec;
///
/// let level: FixedOpponentSpec = "master:400".parse()?;
/// assert_eq!(level.to_string(), "master:400");
/// let file: FixedOpponentSpec = "old/mine.net".parse()?;
/// assert_eq!(file, FixedOpponentSpec::File("old/mine.net".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FixedOpponentSpec {
    /// `LEVEL` or `LEVEL:SIMULATIONS`.
    Level(LevelSpec),
    /// A weights file whose name ends in `.net`: its network plays one ply ahead.
    File(PathBuf),
}

/// Why a text is not a fixed opponent.
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
            FixedOpponentSpec::Level(level) => level.fmt(f),
            FixedOpponentSpec::File(file) => file.display().fmt(f),
        }
    }
}

impl FixedOpponentSpec {
    /// Loads the opponent for games on these boards.
    pub(super) fn load(&self, boards: &[DiceOfDoom]) -> Result<FixedOpponent, TrainError> {
        match self {
            FixedOpponentSpec::Level(level) => Ok(FixedOpponent::Level(*level)),
            FixedOpponentSpec::File(file) => load_network(file, boards).map(FixedOpponent::from),
        }
    }
}

/// Loads the network of a weights file, which must support all of these boards.
pub(super) fn load_network(
    file: &Path,
    boards: &[DiceOfDoom],
) -> Result<QuantizedNetwork, TrainError> {
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
        Ok(weights.network().clone())
    } else {
        let games = weights.description();
        Err(TrainError::OtherGame { file, games })
    }
}
