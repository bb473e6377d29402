//! Tunes the weights of Dice of Doom's handcrafted evaluator with temporal difference learning over self-play games
//! (Sutton 1988, TD(λ); Tesauro 1995 for dice games). The same seed gives the same weights.
//!
//! Every player chooses the action with the highest expected value one ply ahead, except that one action in twenty is
//! random. After a game its positions are trained from the last to the first, towards a mixture of the result and the
//! evaluations of later positions. Each weight's step is divided by its root mean square gradient, and the step size
//! decreases. The result is the mean of the weights over the second half of the games.
//!
//! The strength of the weights is not measured here, but with the arena.

use rand::RngExt;
use rayon::prelude::*;

use dice_of_doom_core::game::{ByPlayer, Game, MAX_PLAYERS, Player, PlayerSet, Status};
use dice_of_doom_core::level::RandomAgent;
use dice_of_doom_core::record::MAX_PLIES;
use dice_of_doom_core::rng::AgentRng;
use dice_of_doom_core::search::{PositionEvaluator, WinShares, win_shares_of_payoffs};
use dice_of_doom_games::dice_of_doom::handcrafted::WeightedEvaluator;
use dice_of_doom_games::dice_of_doom::handcrafted::features::{self, COUNT, Features};
use dice_of_doom_games::dice_of_doom::handcrafted::weights::{
    self, HandcraftedWeights, RulesFamily,
};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position, Rules};

/// The λ of TD(λ): the weight of later targets relative to the next position's evaluation.
const LAMBDA: f32 = 0.8;

/// The step size at the start.
const FIRST_STEP: f32 = 0.02;

/// The step size at the end, relative to that at the start.
const LAST_STEP_RATIO: f32 = 0.05;

/// The probability of a random action.
const EXPLORATION_RATE: f32 = 0.05;

/// The decay per step of the running mean of squared gradients.
const SQUARES_DECAY: f32 = 0.9999;

/// The game to tune, the number of games and the seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TuningRun {
    /// The game with its parameters.
    pub game: DiceOfDoom,
    /// The number of games to play.
    pub games: u32,
    /// The seed; the same seed gives the same weights.
    pub seed: u64,
}

/// The games of the weights file: all rules families with all numbers of players, on the board size of their preset.
#[must_use]
pub fn all_games() -> Vec<DiceOfDoom> {
    let rules = [Rules::V3, Rules::V4, Rules::Conquest];
    let games = rules.into_iter().flat_map(|rules| {
        let (_, max_dice, side) = rules.defaults();
        (2..=MAX_PLAYERS as u8).map(move |players| DiceOfDoom::new(rules, side, players, max_dice))
    });
    games
        .map(|game| game.expect("a preset is valid with every number of players"))
        .collect()
}

/// Tunes all games in parallel on all cores and returns the content of the weights file; `report` receives lines of
/// progress.
#[must_use]
pub fn weights_file(games: u32, seed: u64, report: &(impl Fn(&str) + Sync)) -> String {
    let tables: Vec<HandcraftedWeights> = all_games()
        .into_par_iter()
        .map(|game| {
            let run = TuningRun { game, games, seed };
            run.run(|progress| {
                let TuningProgress { games, loss, plies } = progress;
                let (rules, players) = (game.rules(), game.players());
                report(&format!(
                    "{rules}, {players} players: {games} games, {plies:.0} plies each, loss {loss:.4}"
                ));
            })
        })
        .collect();
    let mut file = format!("# dice-of-doom-lab tune --games {games} --seed {seed}\n");
    file += &weights::csv_header();
    file.push('\n');
    for (game, weights) in all_games().iter().zip(&tables) {
        file += &weights.to_csv_rows(RulesFamily::for_game(game), game.players());
    }
    file
}

/// The progress of a tuning run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TuningProgress {
    /// The number of games played.
    pub games: u32,
    /// The mean cross entropy of evaluation and target per position, in nats, over the games since the last report.
    pub loss: f32,
    /// The mean number of plies of those games.
    pub plies: f32,
}

impl TuningRun {
    /// Plays the games and learns from them; `report` receives the progress ten times.
    #[must_use]
    pub fn run(&self, mut report: impl FnMut(TuningProgress)) -> HandcraftedWeights {
        let mut rng = AgentRng::seed_from_u64(self.seed);
        let mut learner = WeightLearner::default();
        let mut mean = WeightMean::default();
        let every = (self.games / 10).max(1);
        let (mut loss, mut plies) = (0.0, 0);
        for number in 1..=self.games {
            // Deals fail if the first player cannot attack, which does not happen on boards of this size.
            let Ok(start) = self.game.deal(&mut rng) else {
                continue;
            };
            let (samples, result) = self.play(start, &learner.weights, &mut rng);
            let done = number as f32 / self.games as f32;
            let step = FIRST_STEP * (1.0 - (1.0 - LAST_STEP_RATIO) * done);
            loss += learner.learn(&samples, result, step);
            plies += samples.len();
            if number > self.games / 2 {
                mean.add(&learner.weights);
            }
            if number % every == 0 {
                report(TuningProgress {
                    games: number,
                    loss: loss / plies.max(1) as f32,
                    plies: plies as f32 / every as f32,
                });
                (loss, plies) = (0.0, 0);
            }
        }
        mean.weights
    }

    /// Plays one game and returns its positions and its result.
    fn play(
        &self,
        start: Position,
        weights: &HandcraftedWeights,
        rng: &mut AgentRng,
    ) -> (Vec<TuningSample>, WinShares) {
        let game = &self.game;
        let mut position = start;
        let mut samples = Vec::new();
        loop {
            let mover = match game.status(&position) {
                Status::Over(payoffs) => {
                    return (samples, win_shares_of_payoffs(payoffs, game.players()));
                }
                Status::Turn(_) if samples.len() >= MAX_PLIES as usize => {
                    let payoffs = game.adjudicate(&position, PlayerSet::default());
                    return (samples, win_shares_of_payoffs(payoffs, game.players()));
                }
                Status::Turn(mover) => mover,
            };
            let features = features::features_of_position(game, &position);
            samples.push(TuningSample {
                mover,
                players: game.players(),
                shares: weights.evaluate(&features, mover, game.players()),
                features,
            });
            let action = if rng.random::<f32>() < EXPLORATION_RATE {
                RandomAgent::random_action(game, &position, rng)
            } else {
                self.best_action(&position, mover, weights)
            };
            let outcome = game.sample_outcome(&position, action, rng);
            position = game.apply(&position, action, outcome);
        }
    }

    fn best_action(
        &self,
        position: &Position,
        mover: Player,
        weights: &HandcraftedWeights,
    ) -> Action {
        let game = &self.game;
        let expected_value = |action| {
            let outcomes = game.chance_outcomes(position, action);
            let values = outcomes.map(|(outcome, probability)| {
                let after = game.apply(position, action, outcome);
                let shares = WeightedEvaluator(weights).value(game, &after);
                probability as f32 * shares[mover]
            });
            values.sum::<f32>()
        };
        let actions = game
            .legal_actions(position)
            .map(|action| (action, expected_value(action)));
        let best = actions.max_by(|a, b| a.1.total_cmp(&b.1));
        best.expect("the position is not terminal").0
    }
}

/// A position of a game with its evaluation.
struct TuningSample {
    mover: Player,
    players: u8,
    features: [Features; MAX_PLAYERS],
    shares: WinShares,
}

/// The weights, and the running mean of each one's squared gradient.
struct WeightLearner {
    weights: HandcraftedWeights,
    squares: [Features; MAX_PLAYERS],
}

impl Default for WeightLearner {
    fn default() -> Self {
        WeightLearner {
            weights: HandcraftedWeights::default(),
            squares: [[1e-3; COUNT]; MAX_PLAYERS],
        }
    }
}

impl WeightLearner {
    /// Learns from a game, from its end to its start. Returns the sum of the cross entropies.
    fn learn(&mut self, game: &[TuningSample], result: WinShares, step: f32) -> f32 {
        let (mut target, mut loss) = (result, 0.0);
        for sample in game.iter().rev() {
            let evaluation = self
                .weights
                .evaluate(&sample.features, sample.mover, sample.players);
            for player in Player::all(sample.players) {
                if target[player] > 0.0 {
                    loss -= target[player] * evaluation[player].max(1e-9).ln();
                }
                let number = usize::from(player.number());
                let distance = player.turns_until(sample.mover, sample.players);
                self.step(
                    distance,
                    &sample.features[number],
                    target[player] - evaluation[player],
                    step,
                );
            }
            target = ByPlayer::from_fn(|player| {
                (1.0 - LAMBDA) * sample.shares[player] + LAMBDA * target[player]
            });
        }
        loss
    }

    /// One gradient step of one player's weights; the gradient of the log likelihood is error × feature.
    fn step(&mut self, distance: usize, features: &Features, error: f32, step: f32) {
        let weights = self.weights.0[distance].iter_mut();
        let squares = self.squares[distance].iter_mut();
        for ((weight, square), feature) in weights.zip(squares).zip(features) {
            let gradient = error * feature;
            *square = SQUARES_DECAY * *square + (1.0 - SQUARES_DECAY) * gradient * gradient;
            *weight += step * gradient / (square.sqrt() + 1e-4);
        }
    }
}

/// The running mean of many sets of weights.
#[derive(Default)]
struct WeightMean {
    weights: HandcraftedWeights,
    count: f32,
}

impl WeightMean {
    fn add(&mut self, weights: &HandcraftedWeights) {
        self.count += 1.0;
        let all = self.weights.0.iter_mut().zip(&weights.0);
        for (mean, weight) in all.flat_map(|(mean, weights)| mean.iter_mut().zip(weights)) {
            *mean += (weight - *mean) / self.count;
        }
    }
}
