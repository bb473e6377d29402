//! One game of a training, and what is to be learnt from it.
//!
//! Where every seat is the learner's, all positions are learnt. Where others play, only those that a ply of
//! the learner led to: these are what it compares when it chooses, and among them those after the end of its
//! turn, where somebody else moves. A position where others lead to the learner's turn looks the same as one
//! where its own end of turn leads to theirs, so learning both would blur who of them is the stronger.
//!
//! A target goes back from the end of the game and mixes at every choice of the learner what its best action
//! promised with what came of it. Choices of others are the world's, as dice are: the target passes them as
//! it is, because what the network would promise there is no forecast of what these players do.

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
use dice_of_doom_core::record::MAX_PLIES;
use dice_of_doom_core::rng::AgentRng;
use dice_of_doom_core::search::puct::{PuctParameters, PuctSearch, SearchBudget};
use dice_of_doom_core::search::{StopToken, WinShares, win_shares_of_payoffs};

/// The positions of a game, with a target for each.
#[derive(Clone, Debug, Default)]
pub(super) struct TrainingSamples {
    features: Vec<u16>,
    /// Where the features of each position end.
    ends: Vec<u32>,
    /// By distance from the mover.
    targets: Vec<[f32; MAX_PLAYERS]>,
}

impl TrainingSamples {
    fn add(&mut self, game: &DiceOfDoom, numbers: &NnueParameters, read: &ActiveFeatures) {
        read.each(game, &numbers.layout, |feature| {
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

/// A position on the way.
struct TrainingStep {
    mover: Player,
    /// Whether it is learnt.
    is_learnt: bool,
    /// How the learner chose; nothing where another did.
    own: Option<LearnerDecision>,
    /// Whether the action ended the turn.
    ended_turn: bool,
}

/// A choice of the learner.
struct LearnerDecision {
    /// What the best action promises.
    promised: WinShares,
    /// Whether another action was taken, to see what comes of it.
    explored: bool,
}

/// As levels search, but that nothing is lost on the way: what is discounted at every ply of a game would be next to
/// nothing at its beginning.
const TUNING: PuctParameters = PuctParameters {
    discount: 1.0,
    ..NNUE_PUCT_PARAMETERS
};

/// The learner as it plays the games of a round.
pub(super) struct LearnerPlayer<'a> {
    numbers: &'a NnueParameters,
    /// What searches ask, with how many simulations.
    searches: Option<(QuantizedNetwork, u64)>,
}

impl<'a> LearnerPlayer<'a> {
    pub(super) fn new(course: &TrainingConfig, numbers: &'a NnueParameters) -> Self {
        let searches =
            (course.simulations > 0).then(|| (QuantizedNetwork::of(numbers), course.simulations));
        LearnerPlayer { numbers, searches }
    }

    /// What chooses for it in one game.
    fn agent(&self) -> LearnerAgent {
        match &self.searches {
            Some((net, simulations)) => LearnerAgent::Searching {
                search: Box::new(PuctSearch::new(net.clone(), TUNING)),
                budget: SearchBudget {
                    simulations: *simulations,
                    trees: NonZeroUsize::MIN,
                },
            },
            None => LearnerAgent::Ahead(OnePlyLookahead::default()),
        }
    }
}

/// What chooses for the learner in one game.
enum LearnerAgent {
    Ahead(OnePlyLookahead),
    Searching {
        search: Box<PuctSearch<DiceOfDoom, QuantizedNetwork>>,
        budget: SearchBudget,
    },
}

impl LearnerAgent {
    /// The best action, and what it promises.
    fn best(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        read: &ActiveFeatures,
        numbers: &NnueParameters,
        rng: &mut AgentRng,
    ) -> (Action, WinShares) {
        match self {
            LearnerAgent::Ahead(ahead) => ahead.best(game, position, read, numbers, rng),
            LearnerAgent::Searching { search, budget } => {
                let findings = search.search(game, position, *budget, rng, &StopToken::new());
                let best = findings.best(read.mover(), rng);
                (best.action, best.shares)
            }
        }
    }
}

/// Plays one game.
pub(super) fn play(
    course: &TrainingConfig,
    game: &DiceOfDoom,
    mut seats: SeatAssignment,
    pupil: &LearnerPlayer<'_>,
    rng: &mut AgentRng,
) -> TrainingSamples {
    let numbers = pupil.numbers;
    let mut lesson = TrainingSamples::default();
    let mut steps: Vec<TrainingStep> = Vec::new();
    // What others are told; the learner keeps to the position.
    let mut line: Vec<ObservedAction<DiceOfDoom>> = Vec::new();
    let Ok(mut position) = game.deal(rng) else {
        return lesson;
    };
    let mut chooser = pupil.agent();
    let learns_all = seats.is_self_play(game.players());
    let result = loop {
        let mover = match game.status(&position) {
            Status::Over(payoffs) => break win_shares_of_payoffs(payoffs, game.players()),
            Status::Turn(_) if steps.len() >= MAX_PLIES as usize => {
                let payoffs = game.adjudicate(&position, PlayerSet::default());
                break win_shares_of_payoffs(payoffs, game.players());
            }
            Status::Turn(mover) => mover,
        };
        let read = ActiveFeatures::from_position(game, &numbers.layout, &position);
        let is_learnt = learns_all || steps.last().is_some_and(|step| step.own.is_some());
        if is_learnt {
            lesson.add(game, numbers, &read);
        }
        let (action, own) = match seats.opponent_agent(mover) {
            Some(other) => (other.choose(game, &line, &position, rng), None),
            None => {
                let (best, promised) = chooser.best(game, &position, &read, numbers, rng);
                let explored = rng.random::<f32>() < course.exploration;
                let action = if explored {
                    RandomAgent::random_action(game, &position, rng)
                } else {
                    best
                };
                let promised = if best == Action::EndTurn {
                    discounted(&promised, game, course.discount)
                } else {
                    promised
                };
                (action, Some(LearnerDecision { promised, explored }))
            }
        };
        let outcome = game.sample_outcome(&position, action, rng);
        let next = game.apply(&position, action, outcome);
        let position = std::mem::replace(&mut position, next);
        if !learns_all {
            line.push(ObservedAction { position, action });
        }
        steps.push(TrainingStep {
            mover,
            is_learnt,
            own,
            ended_turn: action == Action::EndTurn,
        });
    };
    lesson.targets = targets(course, game, &steps, result);
    lesson
}

/// The targets of the positions that are learnt, each by distance from its mover.
fn targets(
    course: &TrainingConfig,
    game: &DiceOfDoom,
    steps: &[TrainingStep],
    result: WinShares,
) -> Vec<[f32; MAX_PLAYERS]> {
    let mut target = result;
    let mut targets = Vec::new();
    for step in steps.iter().rev() {
        if step.ended_turn {
            target = discounted(&target, game, course.discount);
        }
        target = match &step.own {
            None => target,
            Some(own) if own.explored => own.promised,
            Some(own) => ByPlayer::from_fn(|player| {
                (1.0 - course.lambda) * own.promised[player] + course.lambda * target[player]
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
    let equal = 1.0 / f32::from(game.players());
    ByPlayer::from_fn(|player| {
        if player.number() < game.players() {
            equal + discount * (shares[player] - equal)
        } else {
            0.0
        }
    })
}

/// Looks one ply ahead.
#[derive(Default)]
struct OnePlyLookahead {
    /// The last attack that failed: its source and what may be expected then.
    failed: Option<(u8, WinShares)>,
}

impl OnePlyLookahead {
    fn best(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        read: &ActiveFeatures,
        numbers: &NnueParameters,
        rng: &mut impl Rng,
    ) -> (Action, WinShares) {
        let mover = read.mover();
        let sums = numbers.sums_of(game, read);
        self.failed = None;
        let mut best: Option<(Action, WinShares)> = None;
        let mut equals = 1;
        for action in game.legal_actions(position) {
            let promised = self.values(game, position, read, &sums, numbers, action);
            let better = best
                .as_ref()
                .map_or(f32::INFINITY, |(_, so_far)| promised[mover] - so_far[mover]);
            if better > 0.0 {
                equals = 1;
                best = Some((action, promised));
            } else if better == 0.0 {
                equals += 1;
                if rng.random_range(0..equals) == 0 {
                    best = Some((action, promised));
                }
            }
        }
        best.expect("somebody is on turn")
    }

    fn values(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        read: &ActiveFeatures,
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
            let known = self.failed.filter(|&(from, _)| Some(from) == source);
            let shares = match known {
                Some((_, shares)) => shares,
                None => {
                    let after = game.apply(position, action, outcome);
                    let shares = after_ply(game, read, sums, numbers, &after);
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

fn after_ply(
    game: &DiceOfDoom,
    read: &ActiveFeatures,
    sums: &FloatAccumulator,
    numbers: &NnueParameters,
    after: &Position,
) -> WinShares {
    match game.status(after) {
        Status::Over(payoffs) => win_shares_of_payoffs(payoffs, game.players()),
        Status::Turn(next) if next == read.mover() => {
            let mut changing = FloatUpdater {
                numbers,
                sums: *sums,
            };
            let there = ActiveFeatures::from_position(game, &numbers.layout, after);
            read.changes(game, &numbers.layout, &there, &mut changing);
            from_distance_order(&numbers.forward(&changing.sums).shares, game, read)
        }
        Status::Turn(_) => numbers.shares(game, after),
    }
}

/// Sums of the first layer while rows are exchanged.
struct FloatUpdater<'a> {
    numbers: &'a NnueParameters,
    sums: FloatAccumulator,
}

impl AccumulatorUpdate for FloatUpdater<'_> {
    #[inline]
    fn change(&mut self, was: usize, is: usize) {
        self.numbers.take(&mut self.sums, was);
        self.numbers.add(&mut self.sums, is);
    }
}
