//! The agent that plays the result of a PUCT search.

use std::num::NonZeroUsize;
use std::sync::Arc;

use rand::RngExt;

use super::opponent_inference::OpponentBeliefs;
use super::{Agent, AgentRng, ChosenAction, ChosenActionOf, ObservedAction, SearchLimit};
use crate::game::{Game, Player};
use crate::search::puct::{
    ActionStats, PuctParameters, PuctResult, PuctSearch, SearchBudget, tree_capacity,
};
use crate::search::{OpponentModel, PositionEvaluator, StopToken};

/// Plays the best action of a PUCT search.
pub struct PuctAgent<G: Game, F> {
    puct: PuctSearch<G, F>,
    default_simulations: fn(&G) -> u64,
    trees: NonZeroUsize,
    max_branching: Option<fn(&G) -> u64>,
    /// Parameters that depend on the game; replace those of the search.
    parameters: Option<fn(&G) -> PuctParameters>,
    /// The difference in win share within which actions count as equally good.
    choice_tolerance: Option<f32>,
    /// Only with opponent models.
    beliefs: Option<OpponentBeliefs<G>>,
}

impl<G: Game, F: PositionEvaluator<G>> PuctAgent<G, F> {
    /// A search with `default_simulations` simulations, distributed over `trees` trees.
    pub fn new(
        evaluator: F,
        parameters: PuctParameters,
        default_simulations: fn(&G) -> u64,
        trees: NonZeroUsize,
    ) -> Self {
        PuctAgent {
            puct: PuctSearch::new(evaluator, parameters),
            default_simulations,
            trees,
            max_branching: None,
            parameters: None,
            choice_tolerance: None,
            beliefs: None,
        }
    }

    /// Bounds the memory of a search by the maximum number of actions of a position. Without this call each tree may
    /// grow to the global maximum.
    #[must_use]
    pub fn with_max_branching(mut self, max_branching: fn(&G) -> u64) -> Self {
        self.max_branching = Some(max_branching);
        self
    }

    /// Sets search parameters that depend on the game.
    #[must_use]
    pub fn with_parameters(mut self, parameters: fn(&G) -> PuctParameters) -> Self {
        self.parameters = Some(parameters);
        self
    }

    /// Enables the inference of opponent models: the search uses the model that an opponent seems to follow.
    #[must_use]
    pub fn with_opponent_models(mut self, models: Vec<Arc<dyn OpponentModel<G>>>) -> Self {
        self.beliefs = Some(OpponentBeliefs::new(models));
        self
    }

    fn simulations(&self, game: &G, limit: SearchLimit) -> u64 {
        match limit {
            SearchLimit::Default => (self.default_simulations)(game),
            SearchLimit::Simulations(simulations) => simulations.get(),
            SearchLimit::Infinite => u64::MAX,
        }
    }

    /// The maximum number of actions and outcomes in a tree after this number of simulations. Each simulation adds at
    /// most the actions of one position, one or two outcomes, and the predicted actions of opponents. Transpositions
    /// keep the actual number below this bound; this was measured in games with a model for every opponent.
    fn tree_capacity_for(&self, game: &G, simulations: u64) -> usize {
        let Some(max_branching) = self.max_branching else {
            return usize::MAX;
        };
        let simulations_per_tree = simulations.div_ceil(self.trees.get() as u64);
        tree_capacity(simulations_per_tree, 2 * max_branching(game))
    }

    /// Chooses at random between actions whose win shares differ by at most the tolerance. Without it, the agent plays
    /// the same game every time in a deterministic game with a fixed start.
    #[must_use]
    pub fn with_choice_tolerance(mut self, choice_tolerance: f32) -> Self {
        self.choice_tolerance = Some(choice_tolerance);
        self
    }
}

impl<G, F> Agent<G> for PuctAgent<G, F>
where
    G: Game + Sync,
    G::Position: Send,
    F: PositionEvaluator<G>,
{
    fn choose_action(
        &mut self,
        game: &G,
        position: &G::Position,
        limit: SearchLimit,
        rng: &mut AgentRng,
        stop: &StopToken,
    ) -> ChosenActionOf<G> {
        let mover = game.status(position).mover();
        let mover = mover.expect("an unfinished game has a mover");
        let simulations = self.simulations(game, limit);
        if let Some(parameters) = self.parameters {
            self.puct.set_parameters(parameters(game));
        }
        self.puct
            .set_capacity(self.tree_capacity_for(game, simulations));
        if let Some(beliefs) = &self.beliefs {
            self.puct
                .set_opponent_models(beliefs.opponent_models_for(game, mover));
        }
        let budget = SearchBudget {
            simulations,
            trees: self.trees,
        };
        let result = self.puct.search(game, position, budget, rng, stop);
        let mut best = result.best(mover, rng);
        if let Some(choice_tolerance) = self.choice_tolerance {
            best = pick_near_best(&result, &best, mover, choice_tolerance, rng);
        }
        ChosenAction {
            action: best.action,
            shares: Some(result.shares),
            nodes: result.nodes,
            is_exact: false,
        }
    }

    fn observe(&mut self, game: &G, line: &mut dyn Iterator<Item = ObservedAction<G>>) {
        if let Some(beliefs) = &mut self.beliefs {
            beliefs.update(game, line, self.puct.evaluator());
        }
    }

    fn thread_count(&self) -> NonZeroUsize {
        self.trees
    }

    fn max_memory_bytes(&self, game: &G, limit: SearchLimit) -> usize {
        let capacity = self.tree_capacity_for(game, self.simulations(game, limit));
        let trees = PuctSearch::<G, F>::max_tree_bytes(capacity).saturating_mul(self.trees.get());
        let beliefs = self
            .beliefs
            .as_ref()
            .map_or(0, OpponentBeliefs::max_memory_bytes);
        trees.saturating_add(beliefs)
    }
}

/// A random action among those with at least half the visits of the best action and a win share within the tolerance;
/// the best action itself if the position is solved.
fn pick_near_best<A: Copy>(
    result: &PuctResult<A>,
    best: &ActionStats<A>,
    mover: Player,
    choice_tolerance: f32,
    rng: &mut AgentRng,
) -> ActionStats<A> {
    if result.is_solved {
        return *best;
    }
    let is_as_good = |stats: &&ActionStats<A>| {
        2 * stats.visits >= best.visits
            && stats.shares[mover] + choice_tolerance >= best.shares[mover]
    };
    let candidates: Vec<&ActionStats<A>> = result.actions.iter().filter(is_as_good).collect();
    *candidates[rng.random_range(0..candidates.len())]
}
