//! The commands `train` and `exploit`: the network of Dice of Doom learns from games against itself and others, or
//! how to beat one player; it is measured now and then, and kept in files.

use dice_of_doom_core::level::{Level, OnePlyAgent};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::dice_of_doom::nnue::quantized::QuantizedNetwork;
use dice_of_doom_games::dice_of_doom::nnue::training::{FixedOpponent, TrainingOpponents};

mod exploit;
mod fixed_opponent;
mod job;
mod measure;

pub use dice_of_doom_games::dice_of_doom::nnue::features::{PLAYERS, SIDES};
pub use exploit::ExploitCommand;
pub use fixed_opponent::{FixedOpponentParseError, FixedOpponentSpec};
pub use job::{RULES, TrainError, TrainingJob};

use measure::{MeasuredPlayer, StrengthMeasurement};

/// The seed of the measurement, whatever the training's.
const SEED: u64 = 1;

/// Boards of the measurement; each is played in all rotations.
const BOARDS: u32 = 250;

/// A training for strong play.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainCommand {
    /// What is learnt, and where it is kept.
    pub drill: TrainingJob,
    /// Who else plays in the games of the league; nobody, then the network plays against itself alone.
    pub opponents: Vec<FixedOpponentSpec>,
    /// The part of the games in which opponents have seats, 0 to 1.
    pub league: f32,
}

impl TrainCommand {
    /// Trains to the end of the course; `report` receives a line of progress once a minute and at the end.
    ///
    /// # Errors
    /// When there is no such game, or a file is not what it should be.
    pub fn run(&self, mut report: impl FnMut(&str)) -> Result<(), TrainError> {
        let boards = self.drill.boards()?;
        let opponents = self.opponents.iter().map(|one| one.opponent(&boards));
        let opponents = opponents.collect::<Result<Vec<FixedOpponent>, _>>()?;
        let company = match opponents.is_empty() {
            true => TrainingOpponents::Alone,
            false => TrainingOpponents::League {
                opponents,
                part: self.league,
            },
        };
        let threads = self.drill.threads;
        let measured = |board: &DiceOfDoom, net: &QuantizedNetwork| {
            let pupil = || MeasuredPlayer::with_default_limit(Box::new(OnePlyAgent(net.clone())));
            let book = FixedOpponent::from(Level::Book);
            let others = || MeasuredPlayer::of(&book);
            let share = StrengthMeasurement::new(board, SEED, BOARDS, threads).share(pupil, others);
            format!("against the book {share}")
        };
        self.drill.run(boards, company, measured, &mut report)?;
        Ok(())
    }
}
