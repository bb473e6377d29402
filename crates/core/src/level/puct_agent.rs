//! The strategy that searches.

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

/// Plays the best action that a search finds.
pub struct PuctAgent<G: Game, F> {
    puct: PuctSearch<G, F>,
    usual: fn(&G) -> u64,
    trees: NonZeroUsize,
    breadth: Option<fn(&G) -> u64>,
    /// How searches weigh in a game, where that is not the same in all.
    tuning: Option<fn(&G) -> PuctParameters>,
    /// By how much less in win share an action may promise and still count as equally good.
    tolerance: Option<f32>,
    /// What is known of opponents, where anything is looked for.
    readings: Option<OpponentBeliefs<G>>,
}

impl<G: Game, F: PositionEvaluator<G>> PuctAgent<G, F> {
    /// A search with the game's usual number of simulations, over so many trees.
    pub fn new(
        forecast: F,
        tuning: PuctParameters,
        usual: fn(&G) -> u64,
        trees: NonZeroUsize,
    ) -> Self {
        PuctAgent {
            puct: PuctSearch::new(forecast, tuning),
            usual,
            trees,
            breadth: None,
            tuning: None,
            tolerance: None,
            readings: None,
        }
    }

    /// Keeps the memory small that a search may take, in a game whose positions have about so many
    /// actions at most. Without it each tree may take all that any tree may.
    #[must_use]
    pub fn with_max_branching(mut self, breadth: fn(&G) -> u64) -> Self {
        self.breadth = Some(breadth);
        self
    }

    /// Lets searches weigh differently in different games.
    #[must_use]
    pub fn with_parameters(mut self, tuning: fn(&G) -> PuctParameters) -> Self {
        self.tuning = Some(tuning);
        self
    }

    /// Looks whether opponents play in one of these ways, and reckons with it where they do.
    #[must_use]
    pub fn with_opponent_models(mut self, models: Vec<Arc<dyn OpponentModel<G>>>) -> Self {
        self.readings = Some(OpponentBeliefs::new(models));
        self
    }

    /// How many simulations an effort is.
    fn simulations(&self, game: &G, effort: SearchLimit) -> u64 {
        match effort {
            SearchLimit::Usual => (self.usual)(game),
            SearchLimit::Simulations(simulations) => simulations.get(),
            SearchLimit::UntilStopped => u64::MAX,
        }
    }

    /// How many actions and outcomes a tree of so many simulations may have. Each simulation lists the
    /// actions of one position at most, with an outcome or two, and follows what known opponents do; trees share and
    /// repeat so much that there is always room left, which was counted at tables where everybody was known.
    fn tree_capacity_for(&self, game: &G, simulations: u64) -> usize {
        let Some(breadth) = self.breadth else {
            return usize::MAX;
        };
        let each = simulations.div_ceil(self.trees.get() as u64);
        tree_capacity(each, 2 * breadth(game))
    }

    /// Lets the generator choose between actions whose win shares differ by no more than the tolerance.
    /// In a game without chance and dealt boards the search would otherwise play the same game every time.
    #[must_use]
    pub fn with_choice_tolerance(mut self, tolerance: f32) -> Self {
        self.tolerance = Some(tolerance);
        self
    }
}

impl<G, F> Agent<G> for PuctAgent<G, F>
where
    G: Game + Sync,
    G::Position: Send,
    F: PositionEvaluator<G>,
{
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        effort: SearchLimit,
        rng: &mut AgentRng,
        stop: &StopToken,
    ) -> ChosenActionOf<G> {
        let mover = game.status(position).mover();
        let mover = mover.expect("the game goes on, so somebody is on turn");
        let simulations = self.simulations(game, effort);
        if let Some(tuning) = self.tuning {
            self.puct.set_parameters(tuning(game));
        }
        self.puct.set_capacity(self.tree_capacity_for(game, simulations));
        if let Some(readings) = &self.readings {
            self.puct.set_opponent_models(readings.opponent_models_for(game, mover));
        }
        let budget = SearchBudget {
            simulations,
            trees: self.trees,
        };
        let findings = self.puct.search(game, position, budget, rng, stop);
        let mut best = findings.best(mover, rng);
        if let Some(tolerance) = self.tolerance {
            best = pick_near_best(&findings, &best, mover, tolerance, rng);
        }
        ChosenAction {
            action: best.action,
            shares: Some(findings.shares),
            nodes: findings.nodes,
        }
    }

    fn observe(&mut self, game: &G, line: &mut dyn Iterator<Item = ObservedAction<G>>) {
        if let Some(readings) = &mut self.readings {
            readings.update(game, line, self.puct.forecast());
        }
    }

    fn thread_count(&self) -> NonZeroUsize {
        self.trees
    }

    fn max_memory_bytes(&self, game: &G, effort: SearchLimit) -> usize {
        let parts = self.tree_capacity_for(game, self.simulations(game, effort));
        let trees = PuctSearch::<G, F>::max_tree_bytes(parts).saturating_mul(self.trees.get());
        let readings = self
            .readings
            .as_ref()
            .map_or(0, OpponentBeliefs::most_bytes);
        trees.saturating_add(readings)
    }
}

/// One of the actions that a search tried at least half as often as the best and found as good within
/// the tolerance; the best itself where the position is solved.
fn pick_near_best<A: Copy>(
    findings: &PuctResult<A>,
    best: &ActionStats<A>,
    mover: Player,
    tolerance: f32,
    rng: &mut AgentRng,
) -> ActionStats<A> {
    if findings.is_solved {
        return *best;
    }
    let is_as_good = |rated: &&ActionStats<A>| {
        2 * rated.visits >= best.visits && rated.shares[mover] + tolerance >= best.shares[mover]
    };
    let equals: Vec<&ActionStats<A>> = findings.rated.iter().filter(is_as_good).collect();
    *equals[rng.random_range(0..equals.len())]
}
