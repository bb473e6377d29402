//! The command `train`: the network of Dice of Doom learns from games against itself, is measured against the
//! book now and then, and is kept in files.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dice_of_doom_core::level::{Level, Levelled, OnePly, Strategy};
use dice_of_doom_games::dice_of_doom::net::file::FileError;
use dice_of_doom_games::dice_of_doom::net::integer::Net;
use dice_of_doom_games::dice_of_doom::net::training::{Course, Progress, Training};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

use super::{Entrant, Estimate, Own, play_board};

/// The rules that a network can be trained for.
pub const RULES: [&str; 2] = ["v4", "conquest"];

/// How often a training is kept and measured.
const MEASURED: Duration = Duration::from_secs(60);

/// Boards of the measurement; each is played in all rotations.
const BOARDS: u32 = 250;

/// The seed of the measurement, whatever the training's.
const SEED: u64 = 1;

/// What is trained, for how long, and where it is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Train {
    /// One of [`RULES`].
    pub rules: String,
    /// Players of every game, 2 to 6.
    pub players: u8,
    /// Sides of the boards, 4 to 7, which are played on in turns; at least one. The first is that of the
    /// measurement.
    pub sides: Vec<u8>,
    /// Games of the network against itself.
    pub games: u64,
    /// The same seed gives the same weights, on any number of threads.
    pub seed: u64,
    /// On how many threads.
    pub threads: NonZeroUsize,
    /// From where it goes on if the file exists, and where it is kept once a minute.
    pub checkpoint: Option<PathBuf>,
    /// Where the weights are written with every checkpoint and at the end.
    pub output: PathBuf,
}

/// Why a training ends.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// There is no such game.
    #[error("{0}")]
    Game(String),
    /// The checkpoint is none of this training.
    #[error("{file}: {error}")]
    Checkpoint {
        /// Its name.
        file: PathBuf,
        /// What is wrong with it.
        error: FileError,
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

impl Train {
    /// What is learnt.
    ///
    /// # Errors
    /// When there is no such game.
    fn course(&self) -> Result<Course, TrainError> {
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
            4..=7 => DiceOfDoom::new(rules, side, self.players, max_dice)
                .map_err(|error| error.to_string()),
            _ => Err(format!(
                "a network knows boards with a side of 4 to 7, not {side}"
            )),
        });
        let boards = boards
            .collect::<Result<Vec<_>, _>>()
            .map_err(TrainError::Game)?;
        if boards.is_empty() {
            return Err(TrainError::Game("name a side to train on".to_owned()));
        }
        Ok(Course::new(boards, self.games, self.seed))
    }

    /// Trains to the end of the course; `report` receives a line of progress once a minute and at the end.
    ///
    /// # Errors
    /// When there is no such game, or a file is not what it should be.
    pub fn run(&self, mut report: impl FnMut(&str)) -> Result<(), TrainError> {
        let course = self.course()?;
        let board = course.boards[0];
        let mut training = self.begin(course)?;
        let mut told = Instant::now();
        let mut kept = Ok(());
        training.run(self.threads.get(), |training, progress| {
            if told.elapsed() >= MEASURED {
                report(&line(&board, training, Some(progress)));
                kept = self.keep(training);
                told = Instant::now();
            }
            kept.is_ok()
        });
        kept?;
        report(&line(&board, &training, None));
        self.keep(&training)
    }

    fn begin(&self, course: Course) -> Result<Training, TrainError> {
        let Some(file) = self.checkpoint.clone().filter(|file| file.exists()) else {
            return Ok(Training::new(course));
        };
        match std::fs::read(&file) {
            Ok(bytes) => Training::from_bytes(course, &bytes)
                .map_err(|error| TrainError::Checkpoint { file, error }),
            Err(error) => Err(TrainError::File { file, error }),
        }
    }

    fn keep(&self, training: &Training) -> Result<(), TrainError> {
        if let Some(file) = &self.checkpoint {
            replace(file, &training.to_bytes())?;
        }
        replace(&self.output, &training.net().to_bytes())
    }
}

/// How far a training has come.
fn line(board: &DiceOfDoom, training: &Training, progress: Option<Progress>) -> String {
    let share = against_the_book(board, &training.net());
    let (mean, half) = (100.0 * share.mean, 100.0 * share.half_width());
    let progress = progress.map_or(String::new(), |Progress { loss, plies, .. }| {
        format!(", {plies:.0} plies each, error {loss:.4}")
    });
    let games = training.games();
    format!("{games} games{progress}, against the book {mean:.1} ± {half:.1} %")
}

/// The share of wins of a network that looks one ply ahead, the computer players of the book in all other
/// seats.
fn against_the_book(game: &DiceOfDoom, net: &Net) -> Estimate {
    let pupil = Own(|| -> Box<dyn Strategy<DiceOfDoom>> { Box::new(OnePly(net.clone())) });
    let book = Own(|| DiceOfDoom::strategy(Level::Book));
    let mut seats: Vec<&dyn Entrant<DiceOfDoom>> = vec![&pupil];
    seats.resize(
        usize::from(dice_of_doom_core::game::Game::players(game)),
        &book,
    );
    let boards = (0..BOARDS).filter_map(|board| play_board(game, SEED, board, &seats).ok());
    let shares: Vec<f64> = boards.map(|board| board.mean_share(0)).collect();
    Estimate::of(&shares)
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
