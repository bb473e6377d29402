//! PUCT: a tree search that averages values, for any number of players and with chance (Kocsis and Szepesvári 2006;
//! Rosin 2011; Silver et al. 2017).
//!
//! - Values are vectors of win shares, and each mover maximises their own: max^n (Luckhardt and Irani 1986), so the
//!   other players are not assumed to play against the root's mover only.
//! - Chance is exact: the value of an action is the expectation over its outcomes, and visits go to the outcome with
//!   the largest deficit relative to its probability. Nothing is sampled, so the result has no sampling noise.
//! - A simulation ends by evaluating all outcomes of one action of a new node, or of all its actions
//!   ([`PuctParameters::full_expansion_visits`]). In a node with more visits all actions are evaluated, and their
//!   values then determine their priors.
//! - Transpositions are merged: a position that is reached by several action orders within a turn is one node.
//! - A finished game is solved, and so is a node whose value follows from solved nodes; solved nodes are not searched
//!   again.
//! - If a player has a model ([`OpponentModels`]), simulations follow its predictions. They end at the next player
//!   without a model, or where the model predicts several actions.
//! - Later results are discounted slightly; otherwise a search that sees a win would delay it.
//!
//! A search on several threads grows one tree on each and adds up their visits; the trees differ in the priors of the
//! root. So the result depends on the number of trees, but not on the scheduling of the threads.
//!
//! Not here: clocks (see [`StopToken`]), knowledge about positions (see [`PositionEvaluator`]).

use std::num::NonZeroUsize;

use rand::{Rng, RngExt};

use super::{
    ActionProgress, OpponentModels, PositionEvaluator, SearchProgress, StopToken, WinShares,
};
use crate::game::{Game, Player};

mod tree;

use tree::{MAX_CAPACITY, SearchTree};

/// The limit of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchBudget {
    /// The number of root visits over all trees, including those of reused trees.
    pub simulations: u64,
    /// The number of trees, each on its own thread.
    pub trees: NonZeroUsize,
}

/// The constants of the PUCT formula.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PuctParameters {
    /// The exploration constant, the weight of the prior.
    pub c_puct: f32,
    /// The number of visits, 1 or more, after which all actions of a node are evaluated; the evaluation of the node
    /// itself counts as one. Before, actions are evaluated only when they are visited.
    pub full_expansion_visits: u32,
    /// The softmax temperature of the priors of evaluated actions: an action whose share is lower by this amount has a
    /// prior smaller by the factor e.
    pub temperature: f32,
    /// The factor, 0..=1, by which an expected share is discounted when the turn passes to another player; the rest is
    /// distributed equally.
    pub discount: f32,
}

impl PuctParameters {
    /// Whether all actions of a node are evaluated by its second visit, so that the priors of the evaluator only affect
    /// which action is tried first.
    const fn expands_fully_early(&self) -> bool {
        self.full_expansion_visits <= 2
    }

    /// Whether one action of a node is tried before all are evaluated.
    const fn tries_one_action_first(&self) -> bool {
        self.full_expansion_visits == 2
    }
}

/// The minimum capacity of a tree in actions and outcomes: a few positions of the game with the most actions.
const MIN_CAPACITY: usize = 1 << 12;

/// The capacity for [`PuctSearch::set_capacity`] of a tree of this number of simulations that each add up to `each`
/// actions and outcomes on average; at least a fixed minimum for a few positions.
#[must_use]
pub fn tree_capacity(simulations: u64, each: u64) -> usize {
    let capacity = simulations.saturating_mul(each);
    usize::try_from(capacity).map_or(usize::MAX, |capacity| capacity.max(MIN_CAPACITY))
}

/// The result of a search for one action of the root.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct ActionStats<A> {
    /// The action of the root.
    pub action: A,
    /// The number of visits.
    pub visits: u64,
    /// The expected shares of each player after the action.
    pub shares: WinShares,
    /// Whether the shares are exact.
    pub is_solved: bool,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct PuctResult<A> {
    /// All actions of the root, in the order of the game.
    pub actions: Vec<ActionStats<A>>,
    /// The expected shares of each player at the root.
    pub shares: WinShares,
    /// Whether the shares of the root are exact: then some solved action is optimal.
    pub is_solved: bool,
    /// The number of simulations of this search.
    pub simulations: u64,
    /// The number of positions evaluated in this search.
    pub nodes: u64,
}

impl<A: Copy> PuctResult<A> {
    /// The result as a progress report.
    #[must_use]
    pub fn to_progress(&self) -> SearchProgress {
        let actions = self.actions.iter().map(|stats| ActionProgress {
            visits: stats.visits,
            shares: stats.shares,
        });
        SearchProgress {
            simulations: self.simulations,
            shares: self.shares,
            actions: actions.collect(),
        }
    }

    /// The best solved action if the root is solved; otherwise the most visited one, and among those the one with the
    /// highest share for the mover. Remaining ties are broken at random.
    ///
    /// # Panics
    /// If there is no action, which means that the game is over.
    pub fn best(&self, mover: Player, rng: &mut impl Rng) -> ActionStats<A> {
        let rank = |stats: &ActionStats<A>| match (self.is_solved, stats.is_solved) {
            (false, _) => (stats.visits, stats.shares[mover]),
            (true, false) => (0, 0.0),
            (true, true) => (1, stats.shares[mover]),
        };
        let compare = |a: (u64, f32), b: (u64, f32)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        let best = self
            .actions
            .iter()
            .map(rank)
            .max_by(|&a, &b| compare(a, b))
            .expect("an unfinished game has a legal action");
        let candidates: Vec<&ActionStats<A>> = self
            .actions
            .iter()
            .filter(|stats| compare(rank(stats), best).is_eq())
            .collect();
        *candidates[rng.random_range(0..candidates.len())]
    }
}

/// A search that keeps its trees, so that the next ply of the same turn reuses them.
pub struct PuctSearch<G: Game, F> {
    evaluator: F,
    parameters: PuctParameters,
    opponents: OpponentModels<G>,
    trees: Vec<SearchTree<G>>,
    /// The maximum number of actions and outcomes in each tree.
    capacity: usize,
}

impl<G: Game, F: PositionEvaluator<G>> PuctSearch<G, F> {
    /// A search without trees.
    pub fn new(evaluator: F, parameters: PuctParameters) -> Self {
        PuctSearch {
            evaluator,
            parameters,
            opponents: OpponentModels::default(),
            trees: Vec::new(),
            capacity: MAX_CAPACITY,
        }
    }

    /// Sets the parameters of later searches; trees are kept.
    pub fn set_parameters(&mut self, parameters: PuctParameters) {
        self.parameters = parameters;
    }

    /// Sets the opponent models for later searches (none for the searching player) and discards trees built with other
    /// models.
    pub fn set_opponent_models(&mut self, opponents: OpponentModels<G>) {
        if self.opponents != opponents {
            self.opponents = opponents;
            self.trees.clear();
        }
    }

    /// The evaluator of positions.
    pub fn evaluator(&self) -> &F {
        &self.evaluator
    }

    /// Limits each tree in later searches to this number of actions and outcomes; a global maximum also applies. A
    /// search ends when a tree is full.
    pub fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity.min(MAX_CAPACITY);
    }

    /// The maximum memory of a tree with this capacity, in bytes.
    #[must_use]
    pub fn max_tree_bytes(capacity: usize) -> usize {
        SearchTree::<G>::max_bytes(capacity.min(MAX_CAPACITY))
    }

    /// Searches a position that is not over.
    ///
    /// With one tree, the result depends only on the position, the budget and earlier searches; with several trees also
    /// on `rng`, which perturbs the priors.
    pub fn search(
        &mut self,
        game: &G,
        position: &G::Position,
        budget: SearchBudget,
        rng: &mut impl Rng,
        stop: &StopToken,
    ) -> PuctResult<G::Action>
    where
        G: Sync,
    {
        let trees = budget.trees.get();
        self.trees.truncate(trees);
        let (evaluator, parameters) = (&self.evaluator, &self.parameters);
        let mut position = position.clone();
        game.canonicalise(&mut position);
        let position = &position;
        for tree in &mut self.trees {
            if !tree.advance_to(position) {
                tree.reset(game, position, evaluator);
            }
        }
        while self.trees.len() < trees {
            let opponents = self.opponents.clone();
            self.trees
                .push(SearchTree::new(game, position, evaluator, opponents));
        }
        for tree in &mut self.trees {
            tree.capacity = self.capacity;
        }
        let simulations_per_tree = budget.simulations.div_ceil(trees as u64);
        let cost = if let [tree] = self.trees.as_mut_slice() {
            tree.run_simulations(game, evaluator, parameters, simulations_per_tree, stop)
        } else {
            for tree in &mut self.trees[1..] {
                tree.perturb_root_priors(game, evaluator, parameters, rng);
            }
            std::thread::scope(|scope| {
                let run = |tree| {
                    move || {
                        SearchTree::run_simulations(
                            tree,
                            game,
                            evaluator,
                            parameters,
                            simulations_per_tree,
                            stop,
                        )
                    }
                };
                let threads: Vec<_> = self
                    .trees
                    .iter_mut()
                    .map(|tree| scope.spawn(run(tree)))
                    .collect();
                let costs = threads.into_iter().map(|thread| {
                    thread
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                });
                costs.fold(tree::SearchCost::default(), std::ops::Add::add)
            })
        };
        let result = tree::collect_result(&self.trees, cost);
        if let Some(progress) = stop.progress() {
            progress.publish(result.to_progress());
        }
        result
    }
}
