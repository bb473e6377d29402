//! Which of some known ways of playing each opponent follows, told by what they did so far (Bayes' rule).
//!
//! Each decision of an opponent speaks for a model or against it: by how much likelier it is under the model than of
//! somebody who is not known, who mostly does what promises most. Opponents often play alike, as computers of one level
//! do, so what one of them does tells something of the others. No way of playing falls further behind the likeliest than
//! a bound, so that a few decisions are enough to take back what was believed.

use std::sync::Arc;

use super::one_ply::OnePlyValues;
use crate::game::{ByPlayer, Game, Player};
use crate::search::{OpponentModel, OpponentModels, PositionEvaluator};

/// A decision of somebody in a game.
#[derive(Clone, Debug)]
pub struct ObservedAction<G: Game> {
    /// Where it was made.
    pub position: G::Position,
    /// What was chosen.
    pub action: G::Action,
}

impl<G: Game> PartialEq for ObservedAction<G> {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position && self.action == other.action
    }
}

/// How often somebody who follows a model does just anything.
const KNOWN_PLAYER_NOISE: f32 = 0.02;

/// How often somebody who is not known does just anything.
const UNKNOWN_PLAYER_NOISE: f32 = 0.15;

/// By how much less in win share an action must promise for somebody who is not known to choose it e times less often.
const TEMPERATURE: f32 = 0.03;

/// How likely somebody follows one of the models, before anything was seen.
const PRIOR_KNOWN_MODEL: f32 = 0.7;

/// How likely all opponents play alike, before anything was seen.
const PRIOR_SAME_MODEL: f32 = 0.6;

/// A model is believed from this probability on.
const MIN_POSTERIOR: f32 = 0.5;

/// No way of playing is taken for less likely than the likeliest by more than this, as a logarithm.
const MAX_LOG_RATIO: f32 = 8.0;

/// So many decisions of a game are read, from its beginning; how somebody plays who changes later is not found out.
const MAX_OBSERVED_ACTIONS: usize = 600;

/// What is known of the opponents in one game.
pub struct OpponentBeliefs<G: Game> {
    models: Vec<Arc<dyn OpponentModel<G>>>,
    /// The decisions that were read, oldest first.
    read: Vec<OpponentObservation<G>>,
}

struct OpponentObservation<G: Game> {
    decision: ObservedAction<G>,
    mover: Player,
    /// For each model the logarithm of how much likelier it makes the decision.
    evidence: Vec<f32>,
}

impl<G: Game> OpponentBeliefs<G> {
    /// Nothing is known yet; these ways of playing are looked for.
    #[must_use]
    pub fn new(models: Vec<Arc<dyn OpponentModel<G>>>) -> Self {
        let read = Vec::new();
        OpponentBeliefs { models, read }
    }

    /// How many bytes it may come to remember.
    #[must_use]
    pub fn most_bytes(&self) -> usize {
        let each = size_of::<OpponentObservation<G>>() + size_of::<f32>() * self.models.len();
        // A list that grows takes up to twice what is in it.
        2 * MAX_OBSERVED_ACTIONS * each
    }

    /// Reads a game up to now. What was read before is not read again; what was taken back since is forgotten.
    pub fn update(
        &mut self,
        game: &G,
        line: impl Iterator<Item = ObservedAction<G>>,
        forecast: &impl PositionEvaluator<G>,
    ) {
        let mut length = 0;
        for decision in line.take(MAX_OBSERVED_ACTIONS) {
            if self
                .read
                .get(length)
                .is_none_or(|read| read.decision != decision)
            {
                self.read.truncate(length);
                self.read.push(self.action_likelihoods(game, decision, forecast));
            }
            length += 1;
        }
        self.read.truncate(length);
    }

    /// What a decision says of each model.
    fn action_likelihoods(
        &self,
        game: &G,
        decision: ObservedAction<G>,
        forecast: &impl PositionEvaluator<G>,
    ) -> OpponentObservation<G> {
        let ObservedAction { position, action } = &decision;
        let models = self.models.iter();
        let foretold: Vec<_> = models.map(|model| model.foretell(game, position)).collect();
        let mover = game.status(position).mover();
        let mover = mover.expect("the game went on, so somebody was on turn");
        let mut evidence = vec![0.0; foretold.len()];
        if foretold.iter().all(Vec::is_empty) {
            return OpponentObservation {
                decision,
                mover,
                evidence,
            };
        }
        let outlook = OnePlyValues::of(forecast, game, position);
        let choices = outlook.actions.len() as f32;
        let most = outlook.max_value();
        let weight = |share: f32| ((share - most) / TEMPERATURE).exp();
        let all: f32 = outlook.action_values().map(weight).sum();
        let chosen = outlook.actions.iter().position(|(one, _)| one == action);
        let promised = chosen.and_then(|chosen| outlook.action_values().nth(chosen));
        let reasoned = promised.map_or(0.0, weight) / all;
        let unknown = (1.0 - UNKNOWN_PLAYER_NOISE) * reasoned + UNKNOWN_PLAYER_NOISE / choices;
        for (evidence, foretold) in evidence.iter_mut().zip(&foretold) {
            // Of a decision that cannot be foretold, or that was none, nothing is learnt.
            if foretold.is_empty() || choices == 1.0 {
                continue;
            }
            let likely = foretold.iter().find(|(foretold, _)| foretold == action);
            let likely = likely.map_or(0.0, |&(_, probability)| probability);
            let under = (1.0 - KNOWN_PLAYER_NOISE) * likely + KNOWN_PLAYER_NOISE / choices;
            *evidence = (under / unknown).ln();
        }
        OpponentObservation {
            decision,
            mover,
            evidence,
        }
    }

    /// Who is known to play how, seen by the player who chooses.
    ///
    /// Either all opponents play alike, which is the likelier beforehand, or each in a way of its own. With the likelihood
    /// ratios L(player, model) of a model to somebody unknown, the prior m of each model and u of nobody known:
    ///
    /// - together: u + Σ m · Π L(player, model), the sum over models, the product over opponents
    /// - each alone: Π (u + Σ m · L(player, model))
    #[must_use]
    pub fn opponent_models_for(&self, game: &G, viewer: Player) -> OpponentModels<G> {
        let evidence = self.log_likelihoods();
        let others = Player::all(game.players()).filter(|&player| player != viewer);
        let likely: Vec<(Player, Vec<f32>)> = others
            .map(|player| {
                (
                    player,
                    evidence[player].iter().map(|log| log.exp()).collect(),
                )
            })
            .collect();
        let models = 0..self.models.len();
        let before = PRIOR_KNOWN_MODEL / self.models.len() as f32;
        let alone = |likely: &[f32]| 1.0 - PRIOR_KNOWN_MODEL + before * likely.iter().sum::<f32>();
        let each: f32 = likely.iter().map(|(_, likely)| alone(likely)).product();
        let alike = |model: usize| {
            let likely = likely.iter().map(|(_, likely)| likely[model]);
            before * likely.product::<f32>()
        };
        let together = 1.0 - PRIOR_KNOWN_MODEL + models.clone().map(alike).sum::<f32>();
        let all = PRIOR_SAME_MODEL * together + (1.0 - PRIOR_SAME_MODEL) * each;
        OpponentModels::from_fn(|player| {
            let (_, theirs) = likely.iter().find(|(other, _)| *other == player)?;
            let rest = each / alone(theirs);
            let probability = |model: usize| {
                (PRIOR_SAME_MODEL * alike(model) + (1.0 - PRIOR_SAME_MODEL) * before * theirs[model] * rest) / all
            };
            let believed = models.clone().map(|model| (probability(model), model));
            let (probability, model) = believed.max_by(|one, two| one.0.total_cmp(&two.0))?;
            (probability >= MIN_POSTERIOR).then(|| Arc::clone(&self.models[model]))
        })
    }

    /// For each player and model the logarithm of how much likelier the model makes what that player did.
    fn log_likelihoods(&self) -> ByPlayer<Vec<f32>> {
        let mut standings = ByPlayer::from_fn(|_| ModelPosterior {
            models: vec![0.0; self.models.len()],
            unknown: 0.0,
        });
        for read in &self.read {
            standings[read.mover].add_evidence(&read.evidence);
        }
        ByPlayer::from_fn(|player| {
            let ModelPosterior { models, unknown } = &standings[player];
            models.iter().map(|model| model - unknown).collect()
        })
    }
}

/// How likely it is that a player follows each of the models, or is not known, as logarithms; the likeliest has 0.
struct ModelPosterior {
    models: Vec<f32>,
    unknown: f32,
}

impl ModelPosterior {
    /// Takes a decision into account.
    fn add_evidence(&mut self, evidence: &[f32]) {
        for (model, evidence) in self.models.iter_mut().zip(evidence) {
            *model += evidence;
        }
        let most = self.models.iter().copied().fold(self.unknown, f32::max);
        for one in self.models.iter_mut().chain([&mut self.unknown]) {
            *one = (*one - most).max(-MAX_LOG_RATIO);
        }
    }
}
