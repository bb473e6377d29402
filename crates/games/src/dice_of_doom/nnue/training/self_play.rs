//! One training game and its samples.
//!
//! In self-play all positions are learnt. Against opponents, only those that follow a ply of the learner: these
//! are the ones that it compares when it chooses, including those after the end of its turn, where an opponent
//! moves. A position where opponents hand over to the learner looks like one where the learner hands over to
//! them, so learning both would blur the difference in strength.
//!
//! Targets are computed backwards from the end of the game (TD(λ)). At each choice of the learner, the target
//! mixes the value of the best action with the later target. Choices of opponents are part of the environment,
//! like dice: the target passes through them unchanged, because the network's value does not predict these
//! players.

use std::num::NonZeroUsize;

use rand::{Rng, RngExt};

use super::super::super::action::Action;
use super::super::super::agents::NNUE_PUCT_PARAMETERS;
use super::super::super::position::Position;
use super::super::super::rules::DiceOfDoom;
use super::super::features::{AccumulatorUpdate, ActiveFeatures};
use super::super::float::{FloatAccumulator, NnueParameters, from_distance_order};
use super::super::quantized::QuantizedNetwork;
use super::TrainingConfig;
use super::opponents::SeatAssignment;
use dice_of_doom_core::game::{ByPlayer, Game, MAX_PLAYERS, Player, PlayerSet, Status};
use dice_of_doom_core::level::{ObservedAction, RandomAgent};
use dice_of_doom_core::record::MAX_ENTRIES;
use dice_of_doom_core::rng::AgentRng;
use dice_of_doom_core::search::puct::{PuctParameters, PuctSearch, SearchBudget};
use dice_of_doom_core::search::{StopToken, WinShares};

/// The learnt positions of a game, with a target for each.
#[derive(Clone, Debug, Default)]
pub(super) struct TrainingSamples {
    features: Vec<u16>,
    /// The end of each position's features.
    ends: Vec<u32>,
    /// Ordered by distance from the mover.
    targets: Vec<[f32; MAX_PLAYERS]>,
}

impl TrainingSamples {
    fn add(&mut self, game: &DiceOfDoom, numbers: &NnueParameters, features: &ActiveFeatures) {
        features.for_each_feature(game, &numbers.layout, |feature| {
            self.features.push(feature as u16)
        });
        self.ends.push(self.features.len() as u32);
    }

    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    pub(super) fn at(&self, at: usize) -> (&[u16], &[f32; MAX_PLAYERS]) {
        let begin = if at == 0 {
            0
        } else {
            self.ends[at - 1] as usize
        };
        (
            &self.features[begin..self.ends[at] as usize],
            &self.targets[at],
        )
    }
}

/// A ply of the game.
struct TrainingStep {
    mover: Player,
    /// Whether the position is a sample.
    is_learnt: bool,
    /// The learner's decision; `None` if an opponent moved.
    learner_decision: Option<LearnerDecision>,
    /// Whether the action ended the turn.
    ended_turn: bool,
}

/// A decision of the learner.
struct LearnerDecision {
    /// The value of the best action.
    value: WinShares,
    /// Whether a random action was played instead.
    explored: bool,
}

/// Like the search of the levels, but without a discount per ply, which would make targets vanish early in the
/// game.
const TRAINING_PUCT_PARAMETERS: PuctParameters = PuctParameters {
    discount: 1.0,
    ..NNUE_PUCT_PARAMETERS
};

/// The learner with the parameters of a round.
pub(super) struct LearnerPlayer<'a> {
    numbers: &'a NnueParameters,
    /// The network and number of simulations, if the learner searches.
    searches: Option<(QuantizedNetwork, u64)>,
}

impl<'a> LearnerPlayer<'a> {
    pub(super) fn new(config: &TrainingConfig, numbers: &'a NnueParameters) -> Self {
        let searches = (config.simulations > 0).then(|| {
            (
                QuantizedNetwork::from_parameters(numbers),
                config.simulations,
            )
        });
        LearnerPlayer { numbers, searches }
    }

    /// A new agent for one game.
    fn agent(&self) -> LearnerAgent {
        match &self.searches {
            Some((net, simulations)) => LearnerAgent::Searching {
                search: Box::new(PuctSearch::new(net.clone(), TRAINING_PUCT_PARAMETERS)),
                budget: SearchBudget {
                    simulations: *simulations,
                    trees: NonZeroUsize::MIN,
                },
            },
            None => LearnerAgent::Ahead(OnePlyLookahead::default()),
        }
    }
}

/// The learner's agent in one game.
enum LearnerAgent {
    Ahead(OnePlyLookahead),
    Searching {
        search: Box<PuctSearch<DiceOfDoom, QuantizedNetwork>>,
        budget: SearchBudget,
    },
}

impl LearnerAgent {
    /// The best action and its value.
    fn best_action(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        features: &ActiveFeatures,
        numbers: &NnueParameters,
        rng: &mut AgentRng,
    ) -> (Action, WinShares) {
        match self {
            LearnerAgent::Ahead(ahead) => ahead.best_action(game, position, features, numbers, rng),
            LearnerAgent::Searching { search, budget } => {
                let findings = search.search(game, position, *budget, rng, &StopToken::new());
                let best = findings.best(features.mover(), rng);
                (best.action, best.shares)
            }
        }
    }
}

/// Plays one game and returns its samples.
pub(super) fn play_training_game(
    config: &TrainingConfig,
    game: &DiceOfDoom,
    mut seats: SeatAssignment,
    learner: &LearnerPlayer<'_>,
    rng: &mut AgentRng,
) -> TrainingSamples {
    let numbers = learner.numbers;
    let mut samples = TrainingSamples::default();
    let mut steps: Vec<TrainingStep> = Vec::new();
    // Observed by the opponents; the learner uses only the position.
    let mut history: Vec<ObservedAction<DiceOfDoom>> = Vec::new();
    let Ok(mut position) = game.deal(rng) else {
        return samples;
    };
    let mut agent = learner.agent();
    let learns_all = seats.is_self_play(game.players());
    let result = loop {
        let mover = match game.status(&position) {
            Status::Over(payoffs) => break payoffs.win_shares(game.players()),
            Status::Turn(_) if steps.len() >= MAX_ENTRIES as usize => {
                let payoffs = game.adjudicate(&position, PlayerSet::default());
                break payoffs.win_shares(game.players());
            }
            Status::Turn(mover) => mover,
        };
        let features = ActiveFeatures::from_position(game, &numbers.layout, &position);
        let is_learnt = learns_all
            || steps
                .last()
                .is_some_and(|step| step.learner_decision.is_some());
        if is_learnt {
            samples.add(game, numbers, &features);
        }
        let (action, own) = match seats.opponent_agent(mover) {
            Some(opponent) => (opponent.choose_action(game, &history, &position, rng), None),
            None => {
                let (best, value) = agent.best_action(game, &position, &features, numbers, rng);
                let explored = rng.random::<f32>() < config.exploration;
                let action = if explored {
                    RandomAgent::random_action(game, &position, rng)
                } else {
                    best
                };
                let value = if best == Action::EndTurn {
                    discounted(&value, game, config.discount)
                } else {
                    value
                };
                (action, Some(LearnerDecision { value, explored }))
            }
        };
        let outcome = game.sample_outcome(&position, action, rng);
        let next = game.apply(&position, action, outcome);
        let position = std::mem::replace(&mut position, next);
        if !learns_all {
            history.push(ObservedAction { position, action });
        }
        steps.push(TrainingStep {
            mover,
            is_learnt,
            learner_decision: own,
            ended_turn: action == Action::EndTurn,
        });
    };
    samples.targets = td_targets(config, game, &steps, result);
    samples
}

/// The targets of the learnt positions, each ordered by distance from its mover.
fn td_targets(
    config: &TrainingConfig,
    game: &DiceOfDoom,
    steps: &[TrainingStep],
    result: WinShares,
) -> Vec<[f32; MAX_PLAYERS]> {
    let mut target = result;
    let mut targets = Vec::new();
    for step in steps.iter().rev() {
        if step.ended_turn {
            target = discounted(&target, game, config.discount);
        }
        target = match &step.learner_decision {
            None => target,
            Some(own) if own.explored => own.value,
            Some(own) => ByPlayer::from_fn(|player| {
                (1.0 - config.lambda) * own.value[player] + config.lambda * target[player]
            }),
        };
        if step.is_learnt {
            let players = game.players();
            let mut by_distance = [0.0; MAX_PLAYERS];
            for player in Player::all(players) {
                by_distance[player.turns_until(step.mover, players)] = target[player];
            }
            targets.push(by_distance);
        }
    }
    targets.reverse();
    targets
}

fn discounted(shares: &WinShares, game: &DiceOfDoom, discount: f32) -> WinShares {
    let equal_share = 1.0 / f32::from(game.players());
    ByPlayer::for_players(game.players(), |player| {
        equal_share + discount * (shares[player] - equal_share)
    })
}

/// A one-ply lookahead with incremental evaluation.
#[derive(Default)]
struct OnePlyLookahead {
    /// The source of the last attack, and the evaluation of its failure, which is the same for all targets.
    failed: Option<(u8, WinShares)>,
}

impl OnePlyLookahead {
    fn best_action(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        features: &ActiveFeatures,
        numbers: &NnueParameters,
        rng: &mut impl Rng,
    ) -> (Action, WinShares) {
        let mover = features.mover();
        let sums = numbers.accumulate_position(game, features);
        self.failed = None;
        let mut best: Option<(Action, WinShares)> = None;
        let mut equals = 1;
        for action in game.legal_actions(position) {
            let value = self.values(game, position, features, &sums, numbers, action);
            let better = best
                .as_ref()
                .map_or(f32::INFINITY, |(_, so_far)| value[mover] - so_far[mover]);
            if better > 0.0 {
                equals = 1;
                best = Some((action, value));
            } else if better == 0.0 {
                equals += 1;
                if rng.random_range(0..equals) == 0 {
                    best = Some((action, value));
                }
            }
        }
        best.expect("an unfinished game has an action")
    }

    fn values(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        features: &ActiveFeatures,
        sums: &FloatAccumulator,
        numbers: &NnueParameters,
        action: Action,
    ) -> WinShares {
        let mut expected = WinShares::default();
        for (nth, (outcome, probability)) in game.chance_outcomes(position, action).enumerate() {
            let source = match action {
                Action::Attack { from, .. } if nth > 0 => Some(from.number()),
                _ => None,
            };
            let cached = self.failed.filter(|&(from, _)| Some(from) == source);
            let shares = match cached {
                Some((_, shares)) => shares,
                None => {
                    let after = game.apply(position, action, outcome);
                    let shares = evaluate_successor(game, features, sums, numbers, &after);
                    if let Some(source) = source {
                        self.failed = Some((source, shares));
                    }
                    shares
                }
            };
            expected =
                ByPlayer::from_fn(|player| expected[player] + probability as f32 * shares[player]);
        }
        expected
    }
}

fn evaluate_successor(
    game: &DiceOfDoom,
    features: &ActiveFeatures,
    sums: &FloatAccumulator,
    numbers: &NnueParameters,
    after: &Position,
) -> WinShares {
    match game.status(after) {
        Status::Over(payoffs) => payoffs.win_shares(game.players()),
        Status::Turn(next) if next == features.mover() => {
            let mut updater = FloatUpdater {
                numbers,
                sums: *sums,
            };
            let target = ActiveFeatures::from_position(game, &numbers.layout, after);
            features.report_changes(game, &numbers.layout, &target, &mut updater);
            from_distance_order(&numbers.forward(&updater.sums).shares, game, features)
        }
        Status::Turn(_) => numbers.win_shares(game, after),
    }
}

/// The sums of the first layer during an incremental update.
struct FloatUpdater<'a> {
    numbers: &'a NnueParameters,
    sums: FloatAccumulator,
}

impl AccumulatorUpdate for FloatUpdater<'_> {
    #[inline]
    fn replace(&mut self, was: usize, is: usize) {
        self.numbers.subtract_row(&mut self.sums, was);
        self.numbers.add_row(&mut self.sums, is);
    }
}
