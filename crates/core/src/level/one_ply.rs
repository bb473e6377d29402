//! Agents that evaluate one ply ahead and search no further.

use rand::RngExt;

use super::{Agent, AgentRng, ChosenAction, ChosenActionOf, SearchLimit};
use crate::game::{ByPlayer, Game, Player};
use crate::search::{
    ActionProbability, ActionProgress, LeafBatch, OpponentModel, PositionEvaluator, SearchProgress,
    StopToken, WinShares, uniform,
};

/// Plays the action with the highest expected win share one ply ahead; ties are broken at random.
#[derive(Clone, Copy, Debug)]
pub struct OnePlyAgent<F>(pub F);

impl<G: Game, F: PositionEvaluator<G>> Agent<G> for OnePlyAgent<F> {
    fn choose_action(
        &mut self,
        game: &G,
        position: &G::Position,
        _: SearchLimit,
        rng: &mut AgentRng,
        stop: &StopToken,
    ) -> ChosenActionOf<G> {
        let values = OnePlyValues::new(&self.0, game, position);
        let best: Vec<usize> = values.best_actions().collect();
        values.chosen_action(best[rng.random_range(0..best.len())], stop)
    }
}

impl<G: Game, F: PositionEvaluator<G>> OpponentModel<G> for OnePlyAgent<F> {
    fn predict(&self, game: &G, position: &G::Position) -> Vec<ActionProbability<G>> {
        let values = OnePlyValues::new(&self.0, game, position);
        uniform(values.best_actions().map(|index| values.actions[index].0))
    }
}

/// The expected win shares of each action of a position, evaluated one ply ahead.
pub(super) struct OnePlyValues<G: Game> {
    mover: Player,
    /// In the order of the game, with the expected shares after each.
    pub(super) actions: Vec<(G::Action, WinShares)>,
    nodes: u64,
}

impl<G: Game> OnePlyValues<G> {
    pub(super) fn new(
        evaluator: &impl PositionEvaluator<G>,
        game: &G,
        position: &G::Position,
    ) -> Self {
        let mover = game.status(position).mover();
        let mover = mover.expect("an unfinished game has a mover");
        let mut leaves = LeafBatch::default();
        let mut probabilities = Vec::new();
        let actions = game.legal_actions(position).map(|action| {
            let first = probabilities.len();
            leaves.push_outcomes(game, position, action, |probability, _| {
                probabilities.push(probability);
            });
            (action, probabilities.len() - first)
        });
        let actions: Vec<(G::Action, usize)> = actions.collect();
        leaves.evaluate(evaluator, game, position);
        let mut outcomes = probabilities.iter().zip(leaves.shares());
        let actions = actions.into_iter().map(|(action, count)| {
            let outcomes = outcomes.by_ref().take(count);
            let expected = outcomes.fold(WinShares::default(), |sum, (probability, shares)| {
                ByPlayer::from_fn(|player| sum[player] + probability * shares[player])
            });
            (action, expected)
        });
        OnePlyValues {
            mover,
            actions: actions.collect(),
            nodes: probabilities.len() as u64,
        }
    }

    /// The expected win share of the mover for each action.
    pub(super) fn action_values(&self) -> impl Iterator<Item = f32> {
        self.actions.iter().map(|(_, shares)| shares[self.mover])
    }

    /// The highest of the [`Self::action_values`].
    pub(super) fn max_value(&self) -> f32 {
        self.action_values().fold(f32::NEG_INFINITY, f32::max)
    }

    /// The indices of the actions with the highest value.
    fn best_actions(&self) -> impl Iterator<Item = usize> {
        let max = self.max_value();
        let values = self.action_values().enumerate();
        values.filter_map(move |(index, value)| (value >= max).then_some(index))
    }

    /// The chosen action with this index; also publishes the values to an observer of the search.
    fn chosen_action(&self, index: usize, stop: &StopToken) -> ChosenActionOf<G> {
        let (action, shares) = self.actions[index];
        if let Some(progress) = stop.progress() {
            let actions = self
                .actions
                .iter()
                .map(|&(_, shares)| ActionProgress { visits: 1, shares });
            progress.publish(SearchProgress {
                simulations: self.nodes,
                shares,
                actions: actions.collect(),
            });
        }
        ChosenAction {
            action,
            shares: Some(shares),
            nodes: self.nodes,
            is_exact: false,
        }
    }
}
