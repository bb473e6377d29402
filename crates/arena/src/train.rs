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
pub use exploit::exploit;
pub use fixed_opponent::{FixedOpponentParseError, FixedOpponentSpec};
pub use job::{RULES, TrainError, TrainingJob};

use measure::{StrengthMeasurement, network_player, opponent_player};

/// The seed of the measurements, independent of the training seed.
const MEASUREMENT_SEED: u64 = 1;

/// The number of boards of a measurement; each is played in all rotations.
const MEASUREMENT_BOARDS: u32 = 250;

/// Trains a network for strong play: against itself and, in the fraction `league` of the games, against fixed opponents
/// if there are any. `report` receives a line of progress once a minute and at the end.
///
/// # Errors
/// When the parameters are invalid, or a file cannot be used.
pub fn train(
    job: &TrainingJob,
    opponents: &[FixedOpponentSpec],
    league: f32,
    mut report: impl FnMut(&str),
) -> Result<(), TrainError> {
    let boards = job.boards()?;
    let opponents = opponents.iter().map(|spec| spec.load(&boards));
    let opponents = opponents.collect::<Result<Vec<FixedOpponent>, _>>()?;
    let training_opponents = match opponents.is_empty() {
        true => TrainingOpponents::SelfPlay,
        false => TrainingOpponents::League {
            opponents,
            part: league,
        },
    };
    let book = FixedOpponent::from(Level::Book);
    let measure = |board: &DiceOfDoom, net: &QuantizedNetwork| {
        let share =
            StrengthMeasurement::new(board, MEASUREMENT_SEED, MEASUREMENT_BOARDS, job.threads)
                .measure_win_share(|| network_player(net), || opponent_player(&book));
        format!("against the book {share}")
    };
    job.run(boards, training_opponents, measure, &mut report)?;
    Ok(())
}
