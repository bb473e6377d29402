//! Strategies that forecast one ply ahead and search no further.

use rand::RngExt;

use super::{Agent, AgentRng, ChosenAction, ChosenActionOf, SearchLimit};
use crate::game::{ByPlayer, Game, Player};
use crate::search::{
    ActionProbability, ActionProgress, LeafBatch, OpponentModel, PositionEvaluator, SearchProgress,
    StopToken, WinShares, uniform,
};

/// Plays the action that promises most one ply ahead; between equals the generator decides.
#[derive(Clone, Copy, Debug)]
pub struct OnePlyAgent<F>(pub F);

impl<G: Game, F: PositionEvaluator<G>> Agent<G> for OnePlyAgent<F> {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        _: SearchLimit,
        rng: &mut AgentRng,
        stop: &StopToken,
    ) -> ChosenActionOf<G> {
        let outlook = OnePlyValues::of(&self.0, game, position);
        let best: Vec<usize> = outlook.best_actions().collect();
        outlook.choice(best[rng.random_range(0..best.len())], stop)
    }
}

impl<G: Game, F: PositionEvaluator<G>> OpponentModel<G> for OnePlyAgent<F> {
    fn foretell(&self, game: &G, position: &G::Position) -> Vec<ActionProbability<G>> {
        let outlook = OnePlyValues::of(&self.0, game, position);
        uniform(outlook.best_actions().map(|at| outlook.actions[at].0))
    }
}

/// What each action of a position promises one ply ahead.
pub(super) struct OnePlyValues<G: Game> {
    mover: Player,
    /// Each action in the order of the game, with what everybody may expect of it.
    pub(super) actions: Vec<(G::Action, WinShares)>,
    /// Positions looked at.
    nodes: u64,
}

impl<G: Game> OnePlyValues<G> {
    pub(super) fn of(
        forecast: &impl PositionEvaluator<G>,
        game: &G,
        position: &G::Position,
    ) -> Self {
        let mover = game.status(position).mover();
        let mover = mover.expect("the game goes on, so somebody is on turn");
        let mut leaves = LeafBatch::default();
        let mut probabilities = Vec::new();
        let actions = game.legal_actions(position).map(|action| {
            let before = probabilities.len();
            leaves.push_outcomes(game, position, action, |probability, _| {
                probabilities.push(probability);
            });
            (action, probabilities.len() - before)
        });
        let actions: Vec<(G::Action, usize)> = actions.collect();
        leaves.evaluate(forecast, game, position);
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

    /// What each action promises whoever is on turn.
    pub(super) fn action_values(&self) -> impl Iterator<Item = f32> {
        self.actions.iter().map(|(_, shares)| shares[self.mover])
    }

    /// The most that an action promises.
    pub(super) fn max_value(&self) -> f32 {
        self.action_values().fold(f32::NEG_INFINITY, f32::max)
    }

    /// The actions that promise most.
    fn best_actions(&self) -> impl Iterator<Item = usize> {
        let most = self.max_value();
        let promised = self.action_values().enumerate();
        promised.filter_map(move |(at, share)| (share >= most).then_some(at))
    }

    /// The choice of the action with this number, shown to whoever watches.
    fn choice(&self, at: usize, stop: &StopToken) -> ChosenActionOf<G> {
        let (action, shares) = self.actions[at];
        if let Some(watch) = stop.watch() {
            let actions = self
                .actions
                .iter()
                .map(|&(_, shares)| ActionProgress { visits: 1, shares });
            watch.publish(SearchProgress {
                simulations: self.nodes,
                shares,
                actions: actions.collect(),
            });
        }
        ChosenAction {
            action,
            shares: Some(shares),
            nodes: self.nodes,
        }
    }
}
