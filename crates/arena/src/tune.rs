//! How the weights of Dice of Doom's forecast are found: by temporal differences over games of the
//! forecast against itself (Sutton 1988, TD(λ); Tesauro 1995 for dice). The same seed gives the same
//! weights.
//!
//! Every player plays the action that promises most one ply ahead; one action in twenty is random.
//! After a game each of its positions is trained, from the last to the first, towards a mixture of the
//! result and the forecasts of the positions after it. Steps are divided by each weight's usual
//! gradient and become smaller; the weights found are the mean over the second half of the games.
//!
//! Not here: how strong the weights play, which the arena measures.

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

/// The λ of TD(λ): how much of a position's target comes from what lies beyond the next position.
const LAMBDA: f32 = 0.8;

/// The size of the first steps.
const FIRST_STEP: f32 = 0.02;

/// The size of the last step as a part of the first.
const LAST_STEP: f32 = 0.05;

/// The part of the actions that are random.
const EXPLORATION: f32 = 0.05;

/// The decay of the running mean of squared gradients.
const MEMORY: f32 = 0.9999;

/// Which game's weights are tuned, and over how many games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TuningRun {
    /// The game that is played.
    pub game: DiceOfDoom,
    /// How many games are played.
    pub games: u32,
    /// The same seed gives the same weights.
    pub seed: u64,
}

/// The games whose weights are in the file: each kind of rules with each number of players, on the
/// board of its preset.
#[must_use]
pub fn every_game() -> Vec<DiceOfDoom> {
    let rules = [Rules::V3, Rules::V4, Rules::Conquest];
    let games = rules.into_iter().flat_map(|rules| {
        let (_, max_dice, side) = rules.defaults();
        (2..=MAX_PLAYERS as u8).map(move |players| DiceOfDoom::new(rules, side, players, max_dice))
    });
    games
        .map(|game| game.expect("a preset with other numbers of players"))
        .collect()
}

/// The whole file of weights. All games are tuned at the same time, on all cores; `report` receives a
/// line of progress now and then.
#[must_use]
pub fn file(games: u32, seed: u64, report: &(impl Fn(&str) + Sync)) -> String {
    let tables: Vec<HandcraftedWeights> = every_game()
        .into_par_iter()
        .map(|game| {
            let tune = TuningRun { game, games, seed };
            tune.run(|at| {
                let TuningProgress { games, loss, plies } = at;
                let (rules, players) = (game.rules(), game.players());
                report(&format!(
                    "{rules}, {players} players: {games} games, {plies:.0} plies each, loss {loss:.4}"
                ));
            })
        })
        .collect();
    let mut file = format!("# dice-of-doom-lab tune --games {games} --seed {seed}\n");
    file += &weights::header();
    file.push('\n');
    for (game, weights) in every_game().iter().zip(&tables) {
        file += &weights.lines(RulesFamily::of(game), game.players());
    }
    file
}

/// How far the tuning has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TuningProgress {
    /// Games played.
    pub games: u32,
    /// The mean cross entropy of forecast and target, in nats, of the games since the last report.
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
            // A board on which the first player cannot attack is no game; boards of this size are never so.
            let Ok(start) = self.game.deal(&mut rng) else {
                continue;
            };
            let (seen, result) = self.play(start, &learner.weights, &mut rng);
            let done = number as f32 / self.games as f32;
            let step = FIRST_STEP * (1.0 - (1.0 - LAST_STEP) * done);
            loss += learner.learn(&seen, result, step);
            plies += seen.len();
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

    /// Plays one game; returns the positions on the way, and how it ended.
    fn play(
        &self,
        start: Position,
        weights: &HandcraftedWeights,
        rng: &mut AgentRng,
    ) -> (Vec<TuningSample>, WinShares) {
        let game = &self.game;
        let mut position = start;
        let mut seen = Vec::new();
        loop {
            let mover = match game.status(&position) {
                Status::Over(payoffs) => return (seen, win_shares_of_payoffs(payoffs, game.players())),
                Status::Turn(_) if seen.len() >= MAX_PLIES as usize => {
                    let payoffs = game.adjudicate(&position, PlayerSet::default());
                    return (seen, win_shares_of_payoffs(payoffs, game.players()));
                }
                Status::Turn(mover) => mover,
            };
            let features = features::of(game, &position);
            seen.push(TuningSample {
                mover,
                players: game.players(),
                shares: weights.evaluate(&features, mover, game.players()),
                features,
            });
            let action = if rng.random::<f32>() < EXPLORATION {
                RandomAgent::random_action(game, &position, rng)
            } else {
                self.most_promising(&position, mover, weights)
            };
            let outcome = game.sample_outcome(&position, action, rng);
            position = game.apply(&position, action, outcome);
        }
    }

    fn most_promising(
        &self,
        position: &Position,
        mover: Player,
        weights: &HandcraftedWeights,
    ) -> Action {
        let game = &self.game;
        let promise = |action| {
            let outcomes = game.chance_outcomes(position, action);
            let worth = outcomes.map(|(outcome, probability)| {
                let after = game.apply(position, action, outcome);
                let shares = WeightedEvaluator(weights).value(game, &after);
                probability as f32 * shares[mover]
            });
            worth.sum::<f32>()
        };
        let rated = game
            .legal_actions(position)
            .map(|action| (action, promise(action)));
        let best = rated.max_by(|a, b| a.1.total_cmp(&b.1));
        best.expect("somebody is on turn").0
    }
}

/// A position on the way of a game.
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
    /// Learns from a game, from its end to its start; returns the sum of the cross entropies.
    fn learn(&mut self, game: &[TuningSample], result: WinShares, step: f32) -> f32 {
        let (mut target, mut loss) = (result, 0.0);
        for seen in game.iter().rev() {
            let now = self.weights.evaluate(&seen.features, seen.mover, seen.players);
            for player in Player::all(seen.players) {
                if target[player] > 0.0 {
                    loss -= target[player] * now[player].max(1e-9).ln();
                }
                let number = usize::from(player.number());
                let distance = player.turns_until(seen.mover, seen.players);
                self.step(
                    distance,
                    &seen.features[number],
                    target[player] - now[player],
                    step,
                );
            }
            target = ByPlayer::from_fn(|player| {
                (1.0 - LAMBDA) * seen.shares[player] + LAMBDA * target[player]
            });
        }
        loss
    }

    /// One step of one player's weights; the gradient of the log likelihood is error × feature.
    fn step(&mut self, distance: usize, features: &Features, error: f32, step: f32) {
        let weights = self.weights.0[distance].iter_mut();
        let squares = self.squares[distance].iter_mut();
        for ((weight, square), feature) in weights.zip(squares).zip(features) {
            let gradient = error * feature;
            *square = MEMORY * *square + (1.0 - MEMORY) * gradient * gradient;
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
