//! The commands `train` and `exploit`: train Dice of Doom's network in games against itself and other players, or to
//! beat one player. The network is measured at intervals and stored in files.

use dice_of_doom_core::level::Level;
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

use measure::{StrengthMeasurement, network_player, opponent_player};

/// The seed of the measurements, independent of the training seed.
const MEASUREMENT_SEED: u64 = 1;

/// The number of boards of a measurement; each is played in all rotations.
const MEASUREMENT_BOARDS: u32 = 250;

/// The command `train`: trains a network for strong play.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainCommand {
    /// The training job.
    pub job: TrainingJob,
    /// The fixed opponents in league games; if empty, the network plays only against itself.
    pub opponents: Vec<FixedOpponentSpec>,
    /// The fraction of games with fixed opponents, 0 to 1.
    pub league: f32,
}

impl TrainCommand {
    /// Runs the training job; `report` receives a line of progress once a minute and at the end.
    ///
    /// # Errors
    /// When the parameters are invalid, or a file cannot be used.
    pub fn run(&self, mut report: impl FnMut(&str)) -> Result<(), TrainError> {
        let boards = self.job.boards()?;
        let opponents = self.opponents.iter().map(|spec| spec.load(&boards));
        let opponents = opponents.collect::<Result<Vec<FixedOpponent>, _>>()?;
        let training_opponents = match opponents.is_empty() {
            true => TrainingOpponents::SelfPlay,
            false => TrainingOpponents::League {
                opponents,
                part: self.league,
            },
        };
        let threads = self.job.threads;
        let measure = |board: &DiceOfDoom, net: &QuantizedNetwork| {
            let book = FixedOpponent::from(Level::Book);
            let share =
                StrengthMeasurement::new(board, MEASUREMENT_SEED, MEASUREMENT_BOARDS, threads)
                    .share(|| network_player(net), || opponent_player(&book));
            format!("against the book {share}")
        };
        self.job
            .run(boards, training_opponents, measure, &mut report)?;
        Ok(())
    }
}
