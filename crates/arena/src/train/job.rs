//! A training job: the configuration, the threads, and the files that it resumes from and writes.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{SIDES, fixed_opponent};
use dice_of_doom_games::dice_of_doom::nnue::codec::NnueFileError;
use dice_of_doom_games::dice_of_doom::nnue::quantized::QuantizedNetwork;
use dice_of_doom_games::dice_of_doom::nnue::training::{
    Training, TrainingConfig, TrainingOpponents, TrainingProgress,
};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

/// The rules for which a network can be trained.
pub const RULES: [&str; 2] = ["v4", "conquest"];

/// The interval between checkpoints, each with a measurement.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// A training configuration with its files.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainingJob {
    /// One of [`RULES`].
    pub rules: String,
    /// The number of players of every game, in [`PLAYERS`](super::PLAYERS).
    pub players: u8,
    /// The sides of the boards, in [`SIDES`], used in turn; at least one. Measurements use the first.
    pub sides: Vec<u8>,
    /// The number of games to learn from.
    pub games: u64,
    /// The seed; the same seed gives the same weights on any number of threads.
    pub seed: u64,
    /// The step size at the start.
    pub rate: f32,
    /// The number of positions per gradient step.
    pub batch: NonZeroUsize,
    /// The weights file to start from; `None` starts from small random weights.
    pub start: Option<PathBuf>,
    /// The number of simulations per choice of the learner; with 0 it looks one ply ahead.
    pub simulations: u64,
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// The checkpoint file: the job resumes from it if it exists, and writes it once a minute and at the end.
    pub checkpoint: Option<PathBuf>,
    /// The weights file, written with every checkpoint and at the end.
    pub output: Option<PathBuf>,
}

/// Why a training job cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The game parameters are invalid.
    #[error("{0}")]
    Game(String),
    /// A file has the wrong content: the checkpoint of another training, or no weights.
    #[error("{file}: {error}")]
    Content {
        /// The file.
        file: PathBuf,
        /// The cause.
        error: NnueFileError,
    },
    /// The weights do not support the games of the training.
    #[error("{file}: these weights are for {games}")]
    OtherGame {
        /// The file.
        file: PathBuf,
        /// The games that the weights support.
        games: String,
    },
    /// A file cannot be read or written.
    #[error("{file}: {error}")]
    File {
        /// The file.
        file: PathBuf,
        /// The cause.
        error: io::Error,
    },
}

impl TrainingJob {
    /// The games to train on, one for each side.
    pub(super) fn boards(&self) -> Result<Vec<DiceOfDoom>, TrainError> {
        let rules = RULES
            .contains(&self.rules.as_str())
            .then(|| self.rules.parse());
        let Some(Ok(rules)) = rules else {
            let trainable = RULES.join(" and ");
            return Err(TrainError::Game(format!(
                "{trainable} can be trained, not {}",
                self.rules
            )));
        };
        let (_, max_dice, _) = Rules::defaults(rules);
        let boards = self.sides.iter().map(|&side| match side {
            known if SIDES.contains(&known) => DiceOfDoom::new(rules, side, self.players, max_dice)
                .map_err(|error| error.to_string()),
            _ => Err(format!(
                "a network knows boards with a side of {} to {}, not {side}",
                SIDES.start(),
                SIDES.end()
            )),
        });
        let boards = boards
            .collect::<Result<Vec<_>, _>>()
            .map_err(TrainError::Game)?;
        if boards.is_empty() {
            return Err(TrainError::Game("name a side to train on".to_owned()));
        }
        Ok(boards)
    }

    /// Runs the training and returns the resulting network. `report` receives a line of progress once a minute and at
    /// the end, which contains the text of `measure` for the first board.
    pub(super) fn run(
        &self,
        boards: Vec<DiceOfDoom>,
        opponents: TrainingOpponents,
        measure: impl Fn(&DiceOfDoom, &QuantizedNetwork) -> String,
        report: &mut impl FnMut(&str),
    ) -> Result<QuantizedNetwork, TrainError> {
        let board = boards[0];
        let start = match &self.start {
            Some(file) => Some(Box::new(fixed_opponent::load_network(file, &boards)?)),
            None => None,
        };
        let config = TrainingConfig {
            opponents,
            start,
            simulations: self.simulations,
            rate: self.rate,
            batch: self.batch.get(),
            ..TrainingConfig::new(boards, self.games, self.seed)
        };
        let mut training = self.load_or_start(config)?;
        let mut last_report = Instant::now();
        let mut save_result = Ok(());
        let format_line = |training: &Training, progress| {
            let strength = measure(&board, &training.network());
            progress_line(training.games(), progress, &strength)
        };
        training.run(self.threads.get(), |training, progress| {
            if last_report.elapsed() >= CHECKPOINT_INTERVAL {
                // The checkpoint is saved before the measurement, which may take long, so that nothing is lost if that
                // is interrupted.
                save_result = self.save_checkpoint(training);
                report(&format_line(training, Some(progress)));
                last_report = Instant::now();
            }
            save_result.is_ok()
        });
        save_result?;
        self.save_checkpoint(&training)?;
        report(&format_line(&training, None));
        Ok(training.network())
    }

    fn load_or_start(&self, config: TrainingConfig) -> Result<Training, TrainError> {
        let Some(file) = self.checkpoint.clone().filter(|file| file.exists()) else {
            return Ok(Training::new(config));
        };
        match std::fs::read(&file) {
            Ok(bytes) => Training::from_bytes(config, &bytes)
                .map_err(|error| TrainError::Content { file, error }),
            Err(error) => Err(TrainError::File { file, error }),
        }
    }

    fn save_checkpoint(&self, training: &Training) -> Result<(), TrainError> {
        if let Some(file) = &self.checkpoint {
            replace_file(file, &training.to_bytes())?;
        }
        match &self.output {
            Some(file) => replace_file(file, &training.weights().to_bytes()),
            None => Ok(()),
        }
    }
}

/// The line of progress.
fn progress_line(games: u64, progress: Option<TrainingProgress>, strength: &str) -> String {
    let progress = progress.map_or(String::new(), |progress| {
        let TrainingProgress {
            loss, positions, ..
        } = progress;
        format!(", {positions:.0} positions each, error {loss:.4}")
    });
    format!("{games} games{progress}, {strength}")
}

/// Replaces a file atomically, so that an interruption leaves the old content.
fn replace_file(file: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let mut new = file.as_os_str().to_owned();
    new.push(".new");
    let result = std::fs::write(&new, bytes).and_then(|()| std::fs::rename(&new, file));
    result.map_err(|error| TrainError::File {
        file: file.to_owned(),
        error,
    })
}
