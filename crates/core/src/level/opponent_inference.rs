//! Bayesian inference of which known model each opponent follows, from the actions observed so far in a game.
//!
//! Each observed action of an opponent contributes, for each model, the likelihood ratio of the model against an
//! unknown player, who mostly plays the actions with the highest value. Opponents often follow the same model, for
//! example computers of one level, so an observation of one of them is also evidence about the others. The log
//! likelihoods are bounded relative to the most likely hypothesis, so that a few observations are enough to revise a
//! belief.

use std::sync::Arc;

use super::one_ply::OnePlyValues;
use crate::game::{ByPlayer, Game, Player};
use crate::search::{OpponentModel, OpponentModels, PositionEvaluator};

/// An action that was chosen in a game.
#[derive(Clone, Debug)]
pub struct ObservedAction<G: Game> {
    /// The position before the action.
    pub position: G::Position,
    /// The chosen action.
    pub action: G::Action,
}

impl<G: Game> PartialEq for ObservedAction<G> {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position && self.action == other.action
    }
}

/// The probability that a player who follows a model plays a random action instead.
const KNOWN_PLAYER_NOISE: f32 = 0.02;

/// The probability that an unknown player plays a random action.
const UNKNOWN_PLAYER_NOISE: f32 = 0.15;

/// The temperature of the softmax that models an unknown player, in win share: an action whose value is lower by this
/// amount is chosen e times less often.
const TEMPERATURE: f32 = 0.03;

/// The prior probability that a player follows one of the models.
const PRIOR_KNOWN_MODEL: f32 = 0.7;

/// The prior probability that all opponents follow the same model.
const PRIOR_SAME_MODEL: f32 = 0.6;

/// The posterior probability from which a model is used in the search.
const MIN_POSTERIOR: f32 = 0.5;

/// The maximum log likelihood ratio between the most likely hypothesis and any other.
const MAX_LOG_RATIO: f32 = 8.0;

/// Only this number of actions is evaluated, from the start of the game; a later change of behaviour is not detected.
const MAX_OBSERVED_ACTIONS: usize = 600;

/// The evidence about the opponents in one game.
pub struct OpponentBeliefs<G: Game> {
    models: Vec<Arc<dyn OpponentModel<G>>>,
    /// Oldest first.
    observations: Vec<OpponentObservation<G>>,
}

struct OpponentObservation<G: Game> {
    observed: ObservedAction<G>,
    mover: Player,
    /// The log likelihood ratio of the action for each model against an unknown player.
    evidence: Vec<f32>,
}

impl<G: Game> OpponentBeliefs<G> {
    /// No observations yet; these models are considered.
    #[must_use]
    pub fn new(models: Vec<Arc<dyn OpponentModel<G>>>) -> Self {
        let observations = Vec::new();
        OpponentBeliefs {
            models,
            observations,
        }
    }

    /// An upper bound of the memory of the observations, in bytes.
    #[must_use]
    pub fn max_memory_bytes(&self) -> usize {
        let each = size_of::<OpponentObservation<G>>() + size_of::<f32>() * self.models.len();
        // A growing vector allocates up to twice its length.
        2 * MAX_OBSERVED_ACTIONS * each
    }

    /// Updates the observations to the given actions of a game. Observations that are already present are not
    /// recomputed; actions that were taken back are removed.
    pub fn update(
        &mut self,
        game: &G,
        actions: impl Iterator<Item = ObservedAction<G>>,
        evaluator: &impl PositionEvaluator<G>,
    ) {
        let mut length = 0;
        for observed in actions.take(MAX_OBSERVED_ACTIONS) {
            if self
                .observations
                .get(length)
                .is_none_or(|observation| observation.observed != observed)
            {
                self.observations.truncate(length);
                self.observations
                    .push(self.action_likelihoods(game, observed, evaluator));
            }
            length += 1;
        }
        self.observations.truncate(length);
    }

    fn action_likelihoods(
        &self,
        game: &G,
        observed: ObservedAction<G>,
        evaluator: &impl PositionEvaluator<G>,
    ) -> OpponentObservation<G> {
        let ObservedAction { position, action } = &observed;
        let models = self.models.iter();
        let predictions: Vec<_> = models.map(|model| model.predict(game, position)).collect();
        let mover = game.status(position).mover();
        let mover = mover.expect("an observed position has a mover");
        let mut evidence = vec![0.0; predictions.len()];
        if predictions.iter().all(Vec::is_empty) {
            return OpponentObservation {
                observed,
                mover,
                evidence,
            };
        }
        let values = OnePlyValues::new(evaluator, game, position);
        let choices = values.actions.len() as f32;
        let max = values.max_value();
        let weight = |share: f32| ((share - max) / TEMPERATURE).exp();
        let sum: f32 = values.action_values().map(weight).sum();
        let index = values
            .actions
            .iter()
            .position(|(candidate, _)| candidate == action);
        let value = index.and_then(|index| values.action_values().nth(index));
        let softmax = value.map_or(0.0, weight) / sum;
        let unknown = (1.0 - UNKNOWN_PLAYER_NOISE) * softmax + UNKNOWN_PLAYER_NOISE / choices;
        for (evidence, prediction) in evidence.iter_mut().zip(&predictions) {
            // No evidence without a prediction or without a choice.
            if prediction.is_empty() || choices == 1.0 {
                continue;
            }
            let predicted = prediction.iter().find(|(candidate, _)| candidate == action);
            let predicted = predicted.map_or(0.0, |&(_, probability)| probability);
            let likelihood = (1.0 - KNOWN_PLAYER_NOISE) * predicted + KNOWN_PLAYER_NOISE / choices;
            *evidence = (likelihood / unknown).ln();
        }
        OpponentObservation {
            observed,
            mover,
            evidence,
        }
    }

    /// The most likely models of the opponents of `viewer`, the player who searches.
    ///
    /// Either all opponents follow the same model, which has the higher prior, or each follows its own. With the
    /// likelihood ratios L(player, model), the prior m of each model and the prior u of an unknown player:
    ///
    /// - same model: u + Σ m · Π L(player, model), the sum over models, the product over opponents
    /// - independent: Π (u + Σ m · L(player, model))
    #[must_use]
    pub fn opponent_models_for(&self, game: &G, viewer: Player) -> OpponentModels<G> {
        let log_ratios = self.log_likelihoods();
        let others = Player::all(game.players()).filter(|&player| player != viewer);
        let ratios: Vec<(Player, Vec<f32>)> = others
            .map(|player| {
                (
                    player,
                    log_ratios[player].iter().map(|log| log.exp()).collect(),
                )
            })
            .collect();
        let models = 0..self.models.len();
        let prior = PRIOR_KNOWN_MODEL / self.models.len() as f32;
        let single_evidence =
            |ratios: &[f32]| 1.0 - PRIOR_KNOWN_MODEL + prior * ratios.iter().sum::<f32>();
        let independent: f32 = ratios
            .iter()
            .map(|(_, ratios)| single_evidence(ratios))
            .product();
        let same_model_evidence = |model: usize| {
            let ratios = ratios.iter().map(|(_, ratios)| ratios[model]);
            prior * ratios.product::<f32>()
        };
        let same_model =
            1.0 - PRIOR_KNOWN_MODEL + models.clone().map(same_model_evidence).sum::<f32>();
        let evidence_total = PRIOR_SAME_MODEL * same_model + (1.0 - PRIOR_SAME_MODEL) * independent;
        OpponentModels::from_fn(|player| {
            let (_, player_ratios) = ratios.iter().find(|(other, _)| *other == player)?;
            let others_evidence = independent / single_evidence(player_ratios);
            let probability = |model: usize| {
                (PRIOR_SAME_MODEL * same_model_evidence(model)
                    + (1.0 - PRIOR_SAME_MODEL) * prior * player_ratios[model] * others_evidence)
                    / evidence_total
            };
            let posteriors = models.clone().map(|model| (probability(model), model));
            let (probability, model) = posteriors.max_by(|a, b| a.0.total_cmp(&b.0))?;
            (probability >= MIN_POSTERIOR).then(|| Arc::clone(&self.models[model]))
        })
    }

    /// For each player and model, the log likelihood ratio of all observations of the player against an unknown player.
    fn log_likelihoods(&self) -> ByPlayer<Vec<f32>> {
        let mut posteriors = ByPlayer::from_fn(|_| ModelPosterior {
            models: vec![0.0; self.models.len()],
            unknown: 0.0,
        });
        for observation in &self.observations {
            posteriors[observation.mover].add_evidence(&observation.evidence);
        }
        ByPlayer::from_fn(|player| {
            let ModelPosterior { models, unknown } = &posteriors[player];
            models.iter().map(|model| model - unknown).collect()
        })
    }
}

/// The log likelihoods of the models and of an unknown player, relative to the highest, which is 0.
struct ModelPosterior {
    models: Vec<f32>,
    unknown: f32,
}

impl ModelPosterior {
    fn add_evidence(&mut self, evidence: &[f32]) {
        for (model, evidence) in self.models.iter_mut().zip(evidence) {
            *model += evidence;
        }
        let max = self.models.iter().copied().fold(self.unknown, f32::max);
        for value in self.models.iter_mut().chain([&mut self.unknown]) {
            *value = (*value - max).max(-MAX_LOG_RATIO);
        }
    }
}
