//! A course as the commands run it: for how long, on how many threads, from where it goes on, and where it is
//! kept.

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

/// The rules that a network can be trained for.
pub const RULES: [&str; 2] = ["v4", "conquest"];

/// How often a training is kept and measured.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(60);

/// What is trained, for how long, and where it is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainingJob {
    /// One of [`RULES`].
    pub rules: String,
    /// Players of every game, of [`PLAYERS`](super::PLAYERS).
    pub players: u8,
    /// Sides of the boards, of [`SIDES`], which are played on in turns; at least one. The first is that of the
    /// measurement.
    pub sides: Vec<u8>,
    /// Games that are learnt from.
    pub games: u64,
    /// The same seed gives the same weights, on any number of threads.
    pub seed: u64,
    /// The size of the first steps.
    pub rate: f32,
    /// Positions of a step.
    pub batch: NonZeroUsize,
    /// A file of weights to begin with; without one with small random numbers.
    pub start: Option<PathBuf>,
    /// How many simulations the learner searches with for each choice; with none it looks one ply ahead.
    pub simulations: u64,
    /// On how many threads.
    pub threads: NonZeroUsize,
    /// From where it goes on if the file exists, and where it is kept once a minute.
    pub checkpoint: Option<PathBuf>,
    /// Where the weights are written with every checkpoint and at the end.
    pub output: Option<PathBuf>,
}

/// Why a training cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// There is no such game.
    #[error("{0}")]
    Game(String),
    /// A file holds something else: the checkpoint of another training, or no weights.
    #[error("{file}: {error}")]
    Content {
        /// Its name.
        file: PathBuf,
        /// What is wrong with it.
        error: NnueFileError,
    },
    /// Weights are for other games than those of the training.
    #[error("{file}: these weights are for {games}")]
    OtherGame {
        /// Its name.
        file: PathBuf,
        /// What they are for.
        games: String,
    },
    /// A file cannot be read or written.
    #[error("{file}: {error}")]
    File {
        /// Its name.
        file: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl TrainingJob {
    /// What is played on.
    pub(super) fn boards(&self) -> Result<Vec<DiceOfDoom>, TrainError> {
        let rules = RULES
            .contains(&self.rules.as_str())
            .then(|| self.rules.parse());
        let Some(Ok(rules)) = rules else {
            let there_are = RULES.join(" and ");
            return Err(TrainError::Game(format!(
                "{there_are} can be trained, not {}",
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

    /// Trains to the end of the course, and returns what plays then. `report` receives a line of progress once
    /// a minute and at the end; `measured` says in it how strong the network is on the first board.
    pub(super) fn run(
        &self,
        boards: Vec<DiceOfDoom>,
        company: TrainingOpponents,
        measured: impl Fn(&DiceOfDoom, &QuantizedNetwork) -> String,
        report: &mut impl FnMut(&str),
    ) -> Result<QuantizedNetwork, TrainError> {
        let board = boards[0];
        let start = match &self.start {
            Some(file) => Some(Box::new(fixed_opponent::net_of(file, &boards)?)),
            None => None,
        };
        let course = TrainingConfig {
            company,
            start,
            simulations: self.simulations,
            rate: self.rate,
            batch: self.batch.get(),
            ..TrainingConfig::new(boards, self.games, self.seed)
        };
        let mut training = self.load_or_start(course)?;
        let mut told = Instant::now();
        let mut kept = Ok(());
        let progress_line = |training: &Training, progress| {
            let measured = measured(&board, &training.net());
            line(training.games(), progress, &measured)
        };
        training.run(self.threads.get(), |training, progress| {
            if told.elapsed() >= BETWEEN_CHECKPOINTS {
                // Kept before it is measured, which may take long: nothing is lost if that is interrupted.
                kept = self.save_checkpoint(training);
                report(&progress_line(training, Some(progress)));
                told = Instant::now();
            }
            kept.is_ok()
        });
        kept?;
        self.save_checkpoint(&training)?;
        report(&progress_line(&training, None));
        Ok(training.net())
    }

    fn load_or_start(&self, course: TrainingConfig) -> Result<Training, TrainError> {
        let Some(file) = self.checkpoint.clone().filter(|file| file.exists()) else {
            return Ok(Training::new(course));
        };
        match std::fs::read(&file) {
            Ok(bytes) => Training::from_bytes(course, &bytes)
                .map_err(|error| TrainError::Content { file, error }),
            Err(error) => Err(TrainError::File { file, error }),
        }
    }

    fn save_checkpoint(&self, training: &Training) -> Result<(), TrainError> {
        if let Some(file) = &self.checkpoint {
            replace(file, &training.to_bytes())?;
        }
        match &self.output {
            Some(file) => replace(file, &training.weights().to_bytes()),
            None => Ok(()),
        }
    }
}

/// How far a training has come.
fn line(games: u64, progress: Option<TrainingProgress>, measured: &str) -> String {
    let progress = progress.map_or(String::new(), |progress| {
        let TrainingProgress {
            loss, positions, ..
        } = progress;
        format!(", {positions:.0} positions each, error {loss:.4}")
    });
    format!("{games} games{progress}, {measured}")
}

/// Writes a file anew, so that whoever is interrupted still has the old one.
fn replace(file: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let mut new = file.as_os_str().to_owned();
    new.push(".new");
    let written = std::fs::write(&new, bytes).and_then(|()| std::fs::rename(&new, file));
    written.map_err(|error| TrainError::File {
        file: file.to_owned(),
        error,
    })
}
