//! PUCT: a tree search that averages, for any number of players and with chance (Kocsis and
//! Szepesvári 2006; Rosin 2011; Silver et al. 2017).
//!
//! - Values are vectors of win shares, and each mover looks at the own one: max^n (Luckhardt and
//!   Irani 1986), so nobody is taken to play against the root's mover only.
//! - Chance is exact: an action's value is the expectation over its outcomes; visits go where an
//!   outcome is furthest behind its probability. Nothing is sampled, so a search has no luck.
//! - A simulation ends by evaluating all outcomes of one action of a new node, or of all its actions
//!   ([`PuctParameters::full_expansion_visits`]). A node that is visited more often has all its actions evaluated, and how they compare
//!   is their prior from then on.
//! - Attacks commute, so a position that is reached on several ways within a turn is one node.
//! - A finished game, and what follows from finished games alone, is solved: it is no longer searched.
//! - Where it is known what a player does ([`OpponentModels`]), a simulation follows that, and ends where somebody is to
//!   choose again, or where it is drawn between several actions.
//! - Later results are discounted a little; otherwise a search that sees a win would not hurry.
//!
//! A search on several threads grows one tree on each and adds their visits up; the trees differ in
//! the priors of the root. So the answer depends on how many trees there are, not on how threads are
//! scheduled.
//!
//! Not here: clocks (see [`StopToken`]), what a position looks like (see [`PositionEvaluator`]).

use std::num::NonZeroUsize;

use rand::{Rng, RngExt};

use super::{
    ActionProgress, OpponentModels, PositionEvaluator, SearchProgress, StopToken, WinShares,
};
use crate::game::{Game, Player};

mod tree;

use tree::{MOST_PARTS, SearchTree};

/// How much a search may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchBudget {
    /// Visits of the root, over all trees; what a kept tree already has counts.
    pub simulations: u64,
    /// How many trees are grown, each on a thread of its own.
    pub trees: NonZeroUsize,
}

/// The constants of the formula.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PuctParameters {
    /// How much the prior weighs against what was found: the c of PUCT.
    pub c_puct: f32,
    /// How many visits a node has had when all its actions are evaluated, 1 or more, its own forecast counted
    /// as one; before that only those are evaluated that are tried.
    pub full_expansion_visits: u32,
    /// By how much less in win share an action must promise for its prior to be e times smaller.
    pub temperature: f32,
    /// How much of an expected share is left when another player's turn lies between, 0..=1; the rest
    /// is shared out equally.
    pub discount: f32,
}

impl PuctParameters {
    /// Whether all actions of a node are evaluated when it has had two visits, so that the priors of the
    /// forecast decide at most which action is tried first.
    const fn expands_fully_early(&self) -> bool {
        self.full_expansion_visits <= 2
    }

    /// Whether one action of a node is tried before all are evaluated.
    const fn tries_first(&self) -> bool {
        self.full_expansion_visits == 2
    }
}

/// Every tree may have so many actions and outcomes: a few positions of the broadest game.
const MIN_CAPACITY: usize = 1 << 12;

/// The most actions and outcomes of a tree of so many simulations, for [`PuctSearch::set_capacity`], where each lists so many on
/// average at most. It is never below what a few positions take.
#[must_use]
pub fn tree_capacity(simulations: u64, each: u64) -> usize {
    let parts = simulations.saturating_mul(each);
    usize::try_from(parts).map_or(usize::MAX, |parts| parts.max(MIN_CAPACITY))
}

/// What a search found about one action of the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ActionStats<A> {
    /// The action.
    pub action: A,
    /// How often it was tried.
    pub visits: u64,
    /// What each player may expect after it.
    pub shares: WinShares,
    /// Whether the shares are exact.
    pub is_solved: bool,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct PuctResult<A> {
    /// Every action of the root, in listed order.
    pub rated: Vec<ActionStats<A>>,
    /// What each player may expect of the root.
    pub shares: WinShares,
    /// Whether the root's shares are exact: a solved action is as good as any other can be.
    pub is_solved: bool,
    /// Simulations done in this search.
    pub simulations: u64,
    /// Positions evaluated in this search.
    pub nodes: u64,
}

impl<A: Copy> PuctResult<A> {
    /// The same, for whoever looks on.
    #[must_use]
    pub fn to_progress(&self) -> SearchProgress {
        let actions = self.rated.iter().map(|rated| ActionProgress {
            visits: rated.visits,
            shares: rated.shares,
        });
        SearchProgress {
            simulations: self.simulations,
            shares: self.shares,
            actions: actions.collect(),
        }
    }

    /// The best action where the root is solved; elsewhere the one tried most often, and of several
    /// such the one worth most to the mover. Chance decides between equals.
    ///
    /// # Panics
    /// When there is no action, which is when the game is over.
    pub fn best(&self, mover: Player, rng: &mut impl Rng) -> ActionStats<A> {
        let rank = |rated: &ActionStats<A>| match (self.is_solved, rated.is_solved) {
            (false, _) => (rated.visits, rated.shares[mover]),
            (true, false) => (0, 0.0),
            (true, true) => (1, rated.shares[mover]),
        };
        let better = |a: (u64, f32), b: (u64, f32)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        let best = self
            .rated
            .iter()
            .map(rank)
            .max_by(|&a, &b| better(a, b))
            .expect("the game goes on, so there is an action");
        let equals: Vec<&ActionStats<A>> = self
            .rated
            .iter()
            .filter(|rated| better(rank(rated), best).is_eq())
            .collect();
        *equals[rng.random_range(0..equals.len())]
    }
}

/// A search that keeps its trees, so that the next ply of the same turn goes on from what was found.
pub struct PuctSearch<G: Game, F> {
    forecast: F,
    tuning: PuctParameters,
    opponents: OpponentModels<G>,
    trees: Vec<SearchTree<G>>,
    /// The most actions and outcomes of each tree.
    room: usize,
}

impl<G: Game, F: PositionEvaluator<G>> PuctSearch<G, F> {
    /// A search without any tree yet.
    pub fn new(forecast: F, tuning: PuctParameters) -> Self {
        PuctSearch {
            forecast,
            tuning,
            opponents: OpponentModels::default(),
            trees: Vec::new(),
            room: MOST_PARTS,
        }
    }

    /// From now on searches weigh differently; what was found before stays.
    pub fn set_parameters(&mut self, tuning: PuctParameters) {
        self.tuning = tuning;
    }

    /// From now on searches reckon with these opponents, among whom the player who searches is not known; what was
    /// found with others is forgotten.
    pub fn set_opponent_models(&mut self, opponents: OpponentModels<G>) {
        if self.opponents != opponents {
            self.opponents = opponents;
            self.trees.clear();
        }
    }

    /// What evaluates positions.
    pub fn forecast(&self) -> &F {
        &self.forecast
    }

    /// From now on a tree has at most so many actions and outcomes, and never more than by itself. A
    /// search that gets there ends.
    pub fn set_capacity(&mut self, parts: usize) {
        self.room = parts.min(MOST_PARTS);
    }

    /// How many bytes each tree takes at most that is limited to so many actions and outcomes.
    #[must_use]
    pub fn max_tree_bytes(parts: usize) -> usize {
        SearchTree::<G>::most_bytes(parts.min(MOST_PARTS))
    }

    /// Searches a position that is not over.
    ///
    /// With one tree the answer depends on the position, the budget and earlier searches alone; with
    /// several also on `rng`, which perturbs their priors.
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
        let (forecast, tuning) = (&self.forecast, &self.tuning);
        let mut position = position.clone();
        game.canonicalise(&mut position);
        let position = &position;
        for tree in &mut self.trees {
            if !tree.advance(position) {
                tree.start(game, position, forecast);
            }
        }
        while self.trees.len() < trees {
            let opponents = self.opponents.clone();
            self.trees
                .push(SearchTree::new(game, position, forecast, opponents));
        }
        for tree in &mut self.trees {
            tree.most_parts = self.room;
        }
        let each = budget.simulations.div_ceil(trees as u64);
        let done = if let [tree] = self.trees.as_mut_slice() {
            tree.run_simulations(game, forecast, tuning, each, stop)
        } else {
            for tree in &mut self.trees[1..] {
                tree.perturb_root_priors(game, forecast, tuning, rng);
            }
            std::thread::scope(|scope| {
                let grow =
                    |tree| move || SearchTree::run_simulations(tree, game, forecast, tuning, each, stop);
                let threads: Vec<_> = self
                    .trees
                    .iter_mut()
                    .map(|tree| scope.spawn(grow(tree)))
                    .collect();
                let done = threads.into_iter().map(|thread| {
                    thread
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                });
                done.fold(tree::SearchCost::default(), std::ops::Add::add)
            })
        };
        let findings = tree::findings(&self.trees, done);
        if let Some(watch) = stop.watch() {
            watch.publish(findings.to_progress());
        }
        findings
    }
}
