//! Training of the network: temporal differences over self-play games (Sutton 1988, TD(λ); Tesauro 1995 for
//! dice), and over games against others where the configuration has [`TrainingOpponents`].
//!
//! Training proceeds in rounds of games. While the games of one round are learnt from, those of the next round
//! are played with the previous parameters. So the result depends only on the seed, not on the number of
//! threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::RngExt;
use sha2::{Digest, Sha256};

use super::super::rules::DiceOfDoom;
use super::builtin::weights_for;
use super::codec::{NnueFileError, NnueFileKind, NnueFileReader, NnueFileWriter};
use super::float::NnueParameters;
use super::quantized::QuantizedNetwork;
use super::trained::TrainedNetwork;
use dice_of_doom_core::rng::AgentRng;

mod fingerprint;
mod opponents;
mod optimizer;
mod self_play;

pub use opponents::{FixedOpponent, TrainingOpponents};

use optimizer::AdamOptimizer;
use self_play::{LearnerPlayer, TrainingSamples, play_training_game};

/// The number of games per round.
const GAMES_PER_ROUND: u64 = 64;

/// The configuration of a training run.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainingConfig {
    /// The boards to play on, in rotation; at least one, all with the same number of players.
    pub boards: Vec<DiceOfDoom>,
    /// The total number of games.
    pub games: u64,
    /// The seed; equal seeds give equal parameters.
    pub seed: u64,
    /// The initial learning rate.
    pub rate: f32,
    /// The number of positions per optimizer step, at least 1.
    pub batch: usize,
    /// The final learning rate as a fraction of the initial one.
    pub last: f32,
    /// λ of TD(λ): the weight of later values in a target.
    pub lambda: f32,
    /// The fraction of random actions.
    pub exploration: f32,
    /// The factor at each end of turn by which a share's distance from an equal share shrinks.
    pub discount: f32,
    /// The learner's opponents.
    pub opponents: TrainingOpponents,
    /// The initial network; `None` starts with small random parameters.
    pub start: Option<Box<QuantizedNetwork>>,
    /// The simulations per choice of the learner; 0 means a one-ply lookahead.
    pub simulations: u64,
}

impl TrainingConfig {
    /// The configuration that gave the strongest network.
    ///
    /// # Panics
    /// If there is no board, or not all have the same number of players.
    #[must_use]
    pub fn new(boards: Vec<DiceOfDoom>, games: u64, seed: u64) -> Self {
        let players = boards.first().expect("at least one board").players();
        assert!(boards.iter().all(|board| board.players() == players));
        TrainingConfig {
            boards,
            games,
            seed,
            rate: 0.001,
            batch: 64,
            last: 0.02,
            lambda: 0.7,
            exploration: 0.02,
            discount: 1.0,
            opponents: TrainingOpponents::SelfPlay,
            start: None,
            simulations: 0,
        }
    }

    fn players(&self) -> u8 {
        self.boards[0].players()
    }

    /// Identifies the configuration, and the networks of this release if opponents are levels.
    fn fingerprint(&self) -> u64 {
        let mut digest = Sha256::new_with_prefix(self.fingerprint_text());
        let opponents = self.opponents.opponents().iter();
        if opponents
            .clone()
            .any(|one| matches!(one, FixedOpponent::Level(_)))
        {
            let networks = self.boards.iter().filter_map(weights_for);
            networks.for_each(|weights| digest.update(weights.to_bytes()));
        }
        digest
            .finalize()
            .iter()
            .take(8)
            .fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    /// Plays game `number` of the run.
    fn play_game(
        &self,
        number: u64,
        learner: &LearnerPlayer<'_>,
        rng: &mut AgentRng,
    ) -> TrainingSamples {
        let boards = self.boards.len() as u64;
        let board = &self.boards[(number % boards) as usize];
        let seats = self.opponents.seat_assignment(board, number / boards, rng);
        play_training_game(self, board, seats, learner, rng)
    }
}

/// The format of a checkpoint.
const KIND: NnueFileKind = NnueFileKind {
    letters: *b"DODtrain",
    name: "a training for Dice of Doom",
    version: 1,
};

/// The state of a training run.
#[derive(Clone, PartialEq, Debug)]
pub struct Training {
    config: TrainingConfig,
    optimizer: AdamOptimizer,
    /// The parameters after the previous round, with which the next round is played.
    play_parameters: NnueParameters,
    rounds: u64,
}

/// The progress of a training run.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct TrainingProgress {
    /// The number of games learnt from.
    pub games: u64,
    /// The mean cross entropy of evaluation and target in the last round, in nats.
    pub loss: f32,
    /// The mean number of positions learnt per game in the last round.
    pub positions: f32,
}

impl Training {
    /// A new training run.
    #[must_use]
    pub fn new(config: TrainingConfig) -> Self {
        let mut rng = AgentRng::seed_from_u64(config.seed);
        let start = match &config.start {
            Some(net) => net.to_parameters(),
            None => NnueParameters::random(config.players(), &mut rng),
        };
        Training {
            config,
            play_parameters: start.clone(),
            optimizer: AdamOptimizer::new(start),
            rounds: 0,
        }
    }

    /// The checkpoint of this state.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = NnueFileWriter::new(KIND);
        to.write_number(self.config.fingerprint());
        to.write_number(self.rounds);
        self.play_parameters.write(&mut to);
        self.optimizer.write(&mut to);
        to.finish()
    }

    /// Resumes a training run from a checkpoint of [`Self::to_bytes`].
    ///
    /// # Errors
    /// If the file is not a checkpoint, has another version or configuration, or is damaged.
    pub fn from_bytes(config: TrainingConfig, file: &[u8]) -> Result<Self, NnueFileError> {
        let mut from = NnueFileReader::new(file, KIND)?;
        from.expect_number("course", config.fingerprint())?;
        let rounds = from.read_number()?;
        let before = NnueParameters::read(&mut from)?;
        let learner = AdamOptimizer::read(&mut from)?;
        from.finish()?;
        Ok(Training {
            config,
            optimizer: learner,
            play_parameters: before,
            rounds,
        })
    }

    /// The number of games learnt from.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.rounds * GAMES_PER_ROUND
    }

    /// The resulting network: the quantized running mean of the parameters.
    #[must_use]
    pub fn network(&self) -> QuantizedNetwork {
        QuantizedNetwork::from_parameters(&self.optimizer.mean)
    }

    /// The resulting network with the games that it was trained for.
    #[must_use]
    pub fn weights(&self) -> TrainedNetwork {
        TrainedNetwork::new(&self.config.boards, self.network())
    }

    /// Trains on the given number of threads until all games are played; calls `report` after each round and
    /// stops if it returns false.
    pub fn run(
        &mut self,
        threads: usize,
        mut report: impl FnMut(&Training, TrainingProgress) -> bool,
    ) {
        let rounds = self.config.games.div_ceil(GAMES_PER_ROUND);
        let mut samples = self
            .play_round(self.rounds, threads, &self.play_parameters, || {})
            .0;
        while self.rounds < rounds {
            let fraction_done = self.rounds as f32 / rounds as f32;
            let rate = self.config.rate * self.config.last.powf(fraction_done);
            let batch = self.config.batch;
            let mut learner = self.optimizer.clone();
            let play_parameters = self.optimizer.current.clone();
            let positions: usize = samples.iter().map(TrainingSamples::len).sum();
            let mut rng = self.rng(self.rounds, u64::MAX);
            let mut learn = || learner.learn(&samples, rate, batch, &mut rng);
            let (next_samples, loss) = if self.rounds + 1 < rounds {
                self.play_round(self.rounds + 1, threads, &play_parameters, learn)
            } else {
                (Vec::new(), learn())
            };
            self.optimizer = learner;
            self.play_parameters = play_parameters;
            self.rounds += 1;
            samples = next_samples;
            let progress = TrainingProgress {
                games: self.rounds * GAMES_PER_ROUND,
                loss: loss / positions.max(1) as f32,
                positions: positions as f32 / GAMES_PER_ROUND as f32,
            };
            if !report(self, progress) {
                return;
            }
        }
    }

    /// Plays the games of a round while `meanwhile` runs.
    fn play_round<T>(
        &self,
        round: u64,
        threads: usize,
        parameters: &NnueParameters,
        meanwhile: impl FnOnce() -> T,
    ) -> (Vec<TrainingSamples>, T) {
        let learner = LearnerPlayer::new(&self.config, parameters);
        let next = AtomicU64::new(0);
        let played = Mutex::new(Vec::new());
        let play_games = || {
            loop {
                let game = next.fetch_add(1, Ordering::Relaxed);
                if game >= GAMES_PER_ROUND {
                    return;
                }
                let mut rng = self.rng(round, game);
                let samples =
                    self.config
                        .play_game(round * GAMES_PER_ROUND + game, &learner, &mut rng);
                played
                    .lock()
                    .expect("the mutex is not poisoned")
                    .push((game, samples));
            }
        };
        let result = std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(play_games);
            }
            let result = meanwhile();
            play_games();
            result
        });
        let mut played = played.into_inner().expect("the mutex is not poisoned");
        played.sort_by_key(|&(game, _)| game);
        (
            played.into_iter().map(|(_, samples)| samples).collect(),
            result,
        )
    }

    fn rng(&self, round: u64, game: u64) -> AgentRng {
        let mut seeds = AgentRng::seed_from_u64(self.config.seed ^ (round << 24));
        let seed: u64 = seeds.random();
        AgentRng::seed_from_u64(seed.wrapping_add(game))
    }
}
