//! Move analysis: the expected win shares of all players after every legal action of a position.
//!
//! A [level](crate::level) chooses one action and spends its search there. Hints and reviews compare actions, so all of
//! them are searched: first the positions after every action, with equal shares of half the budget, then those after
//! the best few actions again and deeper, with the other half. Each position has its own tree, so the evaluation of an
//! action does not depend on how often others were visited. A review also reanalyses single actions; there the
//! simulations are distributed by probability.
//!
//! Budgets count simulations: the same position and budget give the same result on any machine, whatever its load.
//! Expected win shares are not discounted, because users see them as probabilities.
//!
//! Not here: the texts that explain a hint, and who may request one.

use std::cmp::Ordering;
use std::num::NonZeroUsize;

use crate::game::{ByPlayer, Game, Player};
use crate::rng::AgentRng;
use crate::search::puct::{PuctParameters, PuctSearch, SearchBudget, tree_capacity};
use crate::search::{PositionEvaluator, StopToken, WinShares};

/// The analysis of one action.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionAnalysis<A> {
    /// The analysed action.
    pub action: A,
    /// The chance outcomes, in the order of [`Game::chance_outcomes`].
    pub outcomes: Vec<OutcomeAnalysis>,
    /// The expected win shares: the sum over the outcomes of probability × shares.
    pub shares: WinShares,
    /// Whether the shares are proven, not estimated.
    pub is_exact: bool,
    /// The number of plies until the end of the game with optimal play, including the action itself; only set if
    /// proven.
    pub ends_in: Option<u32>,
}

/// The analysis of one chance outcome of an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OutcomeAnalysis {
    /// The probability, 0..=1; the probabilities of one action sum to 1.
    pub probability: f64,
    /// The expected win shares of the position after the outcome.
    pub shares: WinShares,
}

impl<A> ActionAnalysis<A> {
    /// An action with these outcomes; the shares are computed from them.
    #[must_use]
    pub fn from_outcomes(action: A, outcomes: Vec<OutcomeAnalysis>) -> Self {
        let sum = |player: Player| {
            let products = outcomes.iter();
            let products =
                products.map(|outcome| outcome.probability * f64::from(outcome.shares[player]));
            products.sum::<f64>() as f32
        };
        ActionAnalysis {
            shares: ByPlayer::from_fn(sum),
            action,
            outcomes,
            is_exact: false,
            ends_in: None,
        }
    }

    /// Orders two actions for the player to move, the better one first: by share, then proven before estimated, then by
    /// length: the earlier win, the later draw or loss.
    #[must_use]
    pub fn compare_actions(&self, other: &Self, mover: Player) -> Ordering {
        let share = other.shares[mover].total_cmp(&self.shares[mover]);
        let exactness = other.is_exact.cmp(&self.is_exact);
        let length = match (self.ends_in, other.ends_in) {
            (Some(one), Some(another)) if self.shares[mover] > 0.5 => one.cmp(&another),
            (Some(one), Some(another)) => another.cmp(&one),
            _ => Ordering::Equal,
        };
        share.then(exactness).then(length)
    }
}

/// The indices of the analysed actions from the best for the mover to the worst; ties keep their order.
#[must_use]
pub fn best_first<A>(analyses: &[ActionAnalysis<A>], mover: Player) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..analyses.len()).collect();
    indices.sort_by(|&a, &b| analyses[a].compare_actions(&analyses[b], mover));
    indices
}

/// A method of analysing all actions of a position.
pub trait MoveAnalyser<G: Game>: Send + Sync {
    /// The number of simulations of a hint: about 300 ms on one thread of a machine under load.
    fn default_simulations(&self, game: &G) -> u64;

    /// Analyses every legal action, in the order of the game; the result is empty if the game is over. It only depends
    /// on the position and the number of simulations. Returns `None` if the search was stopped.
    fn analyse(
        &self,
        game: &G,
        position: &G::Position,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<Vec<ActionAnalysis<G::Action>>> {
        self.analyse_including(game, position, None, simulations, stop)
    }

    /// Like [`Self::analyse`], but gives the action `played` as many simulations as the best ones.
    fn analyse_including(
        &self,
        game: &G,
        position: &G::Position,
        played: Option<G::Action>,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<Vec<ActionAnalysis<G::Action>>>;

    /// Analyses one legal action with all simulations. Returns `None` if the search was stopped.
    fn analyse_action(
        &self,
        game: &G,
        position: &G::Position,
        action: G::Action,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<ActionAnalysis<G::Action>>;

    /// The maximum memory of an analysis, in bytes.
    fn max_bytes(&self, game: &G, simulations: u64) -> usize;

    /// The maximum memory of [`Self::analyse_action`], in bytes.
    fn max_action_bytes(&self, game: &G, simulations: u64) -> usize;
}

/// The number of best actions that are searched again.
const CANDIDATES: usize = 6;

/// Added to the probability of each outcome as its search weight, so that unlikely outcomes are also searched.
const MIN_WEIGHT: f64 = 0.02;

/// The maximum number of actions and outcomes in a tree (50 MB). A hint on the default board needs a third of it for
/// one position.
const MAX_TREE_CAPACITY: usize = 1 << 18;

/// The number of actions and outcomes that a simulation of a long search adds; measured as 13 on the default board.
const EDGES_PER_SIMULATION: u64 = 24;

/// The maximum number of actions and outcomes in a tree of [`MoveAnalyser::analyse_action`], where one position may get
/// all simulations.
fn action_tree_capacity(simulations: u64) -> usize {
    tree_capacity(simulations, EDGES_PER_SIMULATION)
}

/// Analyses moves with an evaluator and a PUCT search.
#[derive(Clone, Copy, Debug)]
pub struct SearchAnalyser<G, F> {
    /// The evaluator of positions.
    pub evaluator: F,
    /// The search parameters of the strongest level. The discount is not used.
    pub parameters: PuctParameters,
    /// The number of simulations of a hint.
    pub default_simulations: fn(&G) -> u64,
    /// An estimate of the maximum number of actions of a position.
    pub max_branching: fn(&G) -> u64,
}

/// A possible next position with its search result.
struct AnalysedChild<P> {
    position: P,
    is_over: bool,
    is_exact: bool,
    shares: WinShares,
}

/// The actions of a position, each with its outcomes as probability and index of the child.
type ActionOutcomes<A> = Vec<(A, Vec<(f64, usize)>)>;

impl<G, F> SearchAnalyser<G, F>
where
    G: Game + Sync,
    G::Position: Send,
    F: PositionEvaluator<G> + Clone,
{
    /// Searches the chosen children again. Each gets a part of the simulations in proportion to its weight. Returns
    /// false if stopped.
    fn search(
        &self,
        game: &G,
        children: &mut [AnalysedChild<G::Position>],
        mut chosen: Vec<(usize, f64)>,
        (mut simulations, max_capacity): (u64, usize),
        stop: &StopToken,
    ) -> bool {
        chosen.retain(|&(index, _)| !children[index].is_exact);
        let parameters = PuctParameters {
            discount: 1.0,
            ..self.parameters
        };
        let mut weight_left: f64 = chosen.iter().map(|(_, weight)| weight).sum();
        // A search with one tree does not use the generator.
        let rng = &mut AgentRng::seed_from_u64(0);
        for (index, weight) in chosen {
            let share = ((simulations as f64 * (weight / weight_left).min(1.0)) as u64).max(1);
            weight_left -= weight;
            let mut puct = PuctSearch::new(self.evaluator.clone(), parameters);
            puct.set_capacity(self.tree_capacity_for(game, share).min(max_capacity));
            let budget = SearchBudget {
                simulations: share,
                trees: NonZeroUsize::MIN,
            };
            let child = &mut children[index];
            let result = puct.search(game, &child.position, budget, rng, stop);
            if stop.is_stop_requested() {
                return false;
            }
            child.shares = result.shares;
            child.is_exact = result.is_solved;
            // Simulations that a solved position did not need go to the following ones.
            simulations = simulations.saturating_sub(result.simulations);
        }
        true
    }

    fn tree_capacity_for(&self, game: &G, simulations: u64) -> usize {
        tree_capacity(simulations, 2 * (self.max_branching)(game))
    }
}

impl<G, F> MoveAnalyser<G> for SearchAnalyser<G, F>
where
    G: Game + Sync,
    G::Position: Send,
    F: PositionEvaluator<G> + Clone,
{
    fn default_simulations(&self, game: &G) -> u64 {
        (self.default_simulations)(game)
    }

    fn analyse_including(
        &self,
        game: &G,
        position: &G::Position,
        played: Option<G::Action>,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<Vec<ActionAnalysis<G::Action>>> {
        let Some(mover) = game.status(position).mover() else {
            return Some(Vec::new());
        };
        let (actions, mut children) = action_outcomes(game, position, game.legal_actions(position));
        let all = (0..children.len()).map(|child| (child, 1.0)).collect();
        if !self.search(
            game,
            &mut children,
            all,
            (simulations / 2, MAX_TREE_CAPACITY),
            stop,
        ) {
            return None;
        }
        let analyses = combine_outcomes(&actions, &children);
        let mut best = best_first(&analyses, mover);
        let is_played = |index: &usize| Some(actions[*index].0) == played;
        let played = best.iter().position(is_played);
        if let Some(rank) = played.filter(|index| *index >= CANDIDATES) {
            best.swap(CANDIDATES - 1, rank);
        }
        best.truncate(CANDIDATES);
        let children_of = |index: usize| actions[index].1.iter().map(|&(_, child)| child);
        let mut candidates: Vec<usize> = best.into_iter().flat_map(children_of).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let candidates = candidates.into_iter().map(|child| (child, 1.0)).collect();
        self.search(
            game,
            &mut children,
            candidates,
            (simulations - simulations / 2, MAX_TREE_CAPACITY),
            stop,
        )
        .then(|| combine_outcomes(&actions, &children))
    }

    fn analyse_action(
        &self,
        game: &G,
        position: &G::Position,
        action: G::Action,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<ActionAnalysis<G::Action>> {
        let (actions, mut children) = action_outcomes(game, position, std::iter::once(action));
        // Unlikely outcomes contribute little to the sum, and so do their errors.
        let mut weights = vec![MIN_WEIGHT; children.len()];
        for &(probability, child) in &actions[0].1 {
            weights[child] += probability;
        }
        let all = weights.into_iter().enumerate().collect();
        let budget = (simulations, action_tree_capacity(simulations));
        self.search(game, &mut children, all, budget, stop)
            .then(|| combine_outcomes(&actions, &children).swap_remove(0))
    }

    fn max_bytes(&self, game: &G, simulations: u64) -> usize {
        PuctSearch::<G, F>::max_tree_bytes(
            self.tree_capacity_for(game, simulations / 2)
                .min(MAX_TREE_CAPACITY),
        )
    }

    fn max_action_bytes(&self, game: &G, simulations: u64) -> usize {
        let capacity = action_tree_capacity(simulations);
        PuctSearch::<G, F>::max_tree_bytes(self.tree_capacity_for(game, simulations).min(capacity))
    }
}

/// The possible next positions. Failed attacks from one hex lead to the same position, which is searched once.
fn action_outcomes<G: Game>(
    game: &G,
    position: &G::Position,
    actions: impl Iterator<Item = G::Action>,
) -> (ActionOutcomes<G::Action>, Vec<AnalysedChild<G::Position>>) {
    let mut indices = std::collections::HashMap::new();
    let mut children: Vec<AnalysedChild<G::Position>> = Vec::new();
    let mut result = Vec::new();
    for action in actions {
        let mut outcomes = Vec::new();
        for (outcome, probability) in game.chance_outcomes(position, action) {
            let mut after = game.apply(position, action, outcome);
            game.canonicalise(&mut after);
            let index = *indices.entry(after.clone()).or_insert_with(|| {
                children.push(AnalysedChild::new(game, after));
                children.len() - 1
            });
            outcomes.push((probability, index));
        }
        result.push((action, outcomes));
    }
    (result, children)
}

impl<P> AnalysedChild<P> {
    fn new<G: Game<Position = P>>(game: &G, position: P) -> Self {
        let over = match game.status(&position) {
            crate::game::Status::Turn(_) => None,
            crate::game::Status::Over(payoffs) => Some(payoffs.win_shares(game.players())),
        };
        AnalysedChild {
            position,
            is_over: over.is_some(),
            is_exact: over.is_some(),
            shares: over.unwrap_or_default(),
        }
    }
}

fn combine_outcomes<A: Copy, P>(
    actions: &ActionOutcomes<A>,
    children: &[AnalysedChild<P>],
) -> Vec<ActionAnalysis<A>> {
    let analyse = |(action, outcomes): &(A, Vec<(f64, usize)>)| {
        let children_after = || outcomes.iter().map(|&(_, index)| &children[index]);
        let outcome_analyses = outcomes
            .iter()
            .map(|&(probability, index)| OutcomeAnalysis {
                probability,
                shares: children[index].shares,
            });
        ActionAnalysis {
            is_exact: children_after().all(|child| child.is_exact),
            ends_in: children_after().all(|child| child.is_over).then_some(1),
            ..ActionAnalysis::from_outcomes(*action, outcome_analyses.collect())
        }
    };
    actions.iter().map(analyse).collect()
}
