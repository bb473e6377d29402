//! How the numbers of the network are found: temporal differences over games of the network against
//! itself (Sutton 1988, TD(λ); Tesauro 1995 for dice), and against others where a course has [`TrainingOpponents`].
//!
//! Training goes by rounds of games. While the games of a round are learnt from, those of the next are
//! played, with the numbers from before; so the result depends on the seed alone, not on how many threads
//! there are.

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
use self_play::{LearnerPlayer, TrainingSamples, play};

/// Games of a round.
const ROUND: u64 = 64;

/// What is trained, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainingConfig {
    /// The boards that are played on in turns, all with the same number of players; at least one.
    pub boards: Vec<DiceOfDoom>,
    /// How many games are played at the whole.
    pub games: u64,
    /// The same seed gives the same numbers.
    pub seed: u64,
    /// The size of the first steps.
    pub rate: f32,
    /// Positions of a step, 1 or more.
    pub batch: usize,
    /// The size of the last step as a part of the first.
    pub last: f32,
    /// How much of a target comes from what lies beyond the next position.
    pub lambda: f32,
    /// The part of the actions that are random.
    pub exploration: f32,
    /// How much of an expected share is left when a turn ends.
    pub discount: f32,
    /// Who plays besides the learner.
    pub company: TrainingOpponents,
    /// The network that it begins with; without one it begins with small random numbers.
    pub start: Option<Box<QuantizedNetwork>>,
    /// How many simulations the learner searches with for each choice; with none it looks one ply ahead.
    pub simulations: u64,
}

impl TrainingConfig {
    /// The course that played strongest.
    ///
    /// # Panics
    /// When there is no board, or not all have the same number of players.
    #[must_use]
    pub fn new(boards: Vec<DiceOfDoom>, games: u64, seed: u64) -> Self {
        let players = boards.first().expect("a board to train on").players();
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
            company: TrainingOpponents::Alone,
            start: None,
            simulations: 0,
        }
    }

    fn players(&self) -> u8 {
        self.boards[0].players()
    }

    /// Differs between courses, and between releases whose levels play with other networks.
    fn fingerprint(&self) -> u64 {
        let mut digest = Sha256::new_with_prefix(self.fingerprint_text());
        let opponents = self.company.opponents().iter();
        if opponents
            .clone()
            .any(|one| matches!(one, FixedOpponent::Level(_)))
        {
            let known = self.boards.iter().filter_map(weights_for);
            known.for_each(|weights| digest.update(weights.to_bytes()));
        }
        digest
            .finalize()
            .iter()
            .take(8)
            .fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    /// Plays the game with this number.
    fn play(&self, number: u64, pupil: &LearnerPlayer<'_>, rng: &mut AgentRng) -> TrainingSamples {
        let boards = self.boards.len() as u64;
        let board = &self.boards[(number % boards) as usize];
        let seats = self.company.seat_assignment(board, number / boards, rng);
        play(self, board, seats, pupil, rng)
    }
}

/// A file of a training on its way.
const KIND: NnueFileKind = NnueFileKind {
    letters: *b"DODtrain",
    name: "a training for Dice of Doom",
    version: 1,
};

/// Training on its way.
#[derive(Clone, PartialEq, Debug)]
pub struct Training {
    course: TrainingConfig,
    learner: AdamOptimizer,
    /// The numbers of one round before: with them the next round is played.
    before: NnueParameters,
    rounds: u64,
}

/// How far training has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrainingProgress {
    /// Games learnt from.
    pub games: u64,
    /// The mean cross entropy of forecast and target, in nats, of the last round.
    pub loss: f32,
    /// How many positions of a game were learnt, the mean of the last round.
    pub positions: f32,
}

impl Training {
    /// The beginning of a course.
    #[must_use]
    pub fn new(course: TrainingConfig) -> Self {
        let mut rng = AgentRng::seed_from_u64(course.seed);
        let start = match &course.start {
            Some(net) => net.parameters(),
            None => NnueParameters::random(course.players(), &mut rng),
        };
        Training {
            course,
            before: start.clone(),
            learner: AdamOptimizer::new(start),
            rounds: 0,
        }
    }

    /// What is needed to go on from here.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = NnueFileWriter::new(KIND);
        to.number(self.course.fingerprint());
        to.number(self.rounds);
        self.before.write(&mut to);
        self.learner.write(&mut to);
        to.finish()
    }

    /// Goes on with a course where [`Self::to_bytes`] was called.
    ///
    /// # Errors
    /// When it is no file of a training, of another version or course, or damaged.
    pub fn from_bytes(course: TrainingConfig, file: &[u8]) -> Result<Self, NnueFileError> {
        let mut from = NnueFileReader::new(file, KIND)?;
        from.expect("course", course.fingerprint())?;
        let rounds = from.number()?;
        let before = NnueParameters::read(&mut from)?;
        let learner = AdamOptimizer::read(&mut from)?;
        from.finish()?;
        Ok(Training {
            course,
            learner,
            before,
            rounds,
        })
    }

    /// How many games were learnt from.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.rounds * ROUND
    }

    /// What plays: the mean of the numbers over the last rounds, in whole numbers.
    #[must_use]
    pub fn net(&self) -> QuantizedNetwork {
        QuantizedNetwork::of(&self.learner.mean)
    }

    /// The same with the games of the course.
    #[must_use]
    pub fn weights(&self) -> TrainedNetwork {
        TrainedNetwork::new(&self.course.boards, self.net())
    }

    /// Plays and learns on so many threads until the course is done; `report` hears of each round and says
    /// whether to go on.
    pub fn run(
        &mut self,
        threads: usize,
        mut report: impl FnMut(&Training, TrainingProgress) -> bool,
    ) {
        let rounds = self.course.games.div_ceil(ROUND);
        let mut lessons = self.round(self.rounds, threads, &self.before, || {}).0;
        while self.rounds < rounds {
            let done = self.rounds as f32 / rounds as f32;
            let rate = self.course.rate * self.course.last.powf(done);
            let batch = self.course.batch;
            let mut learner = self.learner.clone();
            let plays_with = self.learner.now.clone();
            let positions: usize = lessons.iter().map(TrainingSamples::len).sum();
            let mut rng = self.rng(self.rounds, u64::MAX);
            let mut learns = || learner.learn(&lessons, rate, batch, &mut rng);
            let (next, loss) = if self.rounds + 1 < rounds {
                self.round(self.rounds + 1, threads, &plays_with, learns)
            } else {
                (Vec::new(), learns())
            };
            self.learner = learner;
            self.before = plays_with;
            self.rounds += 1;
            lessons = next;
            let progress = TrainingProgress {
                games: self.rounds * ROUND,
                loss: loss / positions.max(1) as f32,
                positions: positions as f32 / ROUND as f32,
            };
            if !report(self, progress) {
                return;
            }
        }
    }

    /// The games of a round, played while `meanwhile` runs.
    fn round<T>(
        &self,
        round: u64,
        threads: usize,
        numbers: &NnueParameters,
        meanwhile: impl FnOnce() -> T,
    ) -> (Vec<TrainingSamples>, T) {
        let pupil = LearnerPlayer::new(&self.course, numbers);
        let next = AtomicU64::new(0);
        let played = Mutex::new(Vec::new());
        let plays = || {
            loop {
                let game = next.fetch_add(1, Ordering::Relaxed);
                if game >= ROUND {
                    return;
                }
                let mut rng = self.rng(round, game);
                let lesson = self.course.play(round * ROUND + game, &pupil, &mut rng);
                played.lock().expect("nobody panics").push((game, lesson));
            }
        };
        let result = std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(plays);
            }
            let result = meanwhile();
            plays();
            result
        });
        let mut played = played.into_inner().expect("nobody panics");
        played.sort_by_key(|&(game, _)| game);
        (
            played.into_iter().map(|(_, lesson)| lesson).collect(),
            result,
        )
    }

    fn rng(&self, round: u64, game: u64) -> AgentRng {
        let mut seeds = AgentRng::seed_from_u64(self.course.seed ^ (round << 24));
        let seed: u64 = seeds.random();
        AgentRng::seed_from_u64(seed.wrapping_add(game))
    }
}
