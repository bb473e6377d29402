//! Weighing: every legal action of a position with what each player may expect after it.
//!
//! A [level](crate::level) chooses one action and spends its search there. A hint and a review compare
//! actions, so all of them are searched: first the positions after every action with an equal share of
//! half the budget, then those after the best few, once more and deeper, with the other half. Each
//! position has a tree of its own, so that no action is judged by how often another was tried. A review
//! takes a closer look at single actions: there the simulations go where the chances are.
//!
//! Effort is counted in simulations: the same position and budget give the same answer on a busy
//! machine, too. Expected shares are not discounted, because they are shown to people as chances.
//!
//! Not here: which sentence says why an action is good, and who may ask.

use std::cmp::Ordering;
use std::num::NonZeroUsize;

use crate::game::{ByPlayer, Game, Player};
use crate::rng::AgentRng;
use crate::search::puct::{PuctParameters, PuctSearch, SearchBudget, tree_capacity};
use crate::search::{PositionEvaluator, StopToken, WinShares, win_shares_of_payoffs};

/// One action with what it is worth.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionAnalysis<A> {
    /// The action.
    pub action: A,
    /// What chance may answer, in the order of the lottery.
    pub outcomes: Vec<OutcomeAnalysis>,
    /// What each player may expect: the sum over the outcomes of probability × shares.
    pub shares: WinShares,
    /// Whether the shares are proven and not estimated.
    pub is_exact: bool,
    /// After how many further plies the game is over if everybody plays as well as possible, the
    /// action's own included; only where that is proven.
    pub ends_in: Option<u32>,
}

/// What chance may answer to an action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OutcomeAnalysis {
    /// 0..=1; those of one action sum to 1.
    pub probability: f64,
    /// What each player may expect of the position after it.
    pub shares: WinShares,
}

impl<A> ActionAnalysis<A> {
    /// An action with these outcomes.
    #[must_use]
    pub fn of(action: A, outcomes: Vec<OutcomeAnalysis>) -> Self {
        let sum = |player: Player| {
            let parts = outcomes.iter();
            let parts =
                parts.map(|outcome| outcome.probability * f64::from(outcome.shares[player]));
            parts.sum::<f64>() as f32
        };
        ActionAnalysis {
            shares: ByPlayer::from_fn(sum),
            action,
            outcomes,
            is_exact: false,
            ends_in: None,
        }
    }

    /// Which of two actions comes first for the player who is to choose: the larger share, then a proven
    /// result before a guess, then an early win, a late draw and a late loss.
    #[must_use]
    pub fn compare_actions(&self, other: &Self, mover: Player) -> Ordering {
        let share = other.shares[mover].total_cmp(&self.shares[mover]);
        let proof = other.is_exact.cmp(&self.is_exact);
        let length = match (self.ends_in, other.ends_in) {
            (Some(one), Some(another)) if self.shares[mover] > 0.5 => one.cmp(&another),
            (Some(one), Some(another)) => another.cmp(&one),
            _ => Ordering::Equal,
        };
        share.then(proof).then(length)
    }
}

/// The places of weighed actions from the best for this player to the worst; equals stay in listed order.
#[must_use]
pub fn best_first<A>(weighed: &[ActionAnalysis<A>], mover: Player) -> Vec<usize> {
    let mut places: Vec<usize> = (0..weighed.len()).collect();
    places.sort_by(|&a, &b| weighed[a].compare_actions(&weighed[b], mover));
    places
}

/// A way of weighing the actions of a game.
pub trait MoveAnalyser<G: Game>: Send + Sync {
    /// How many simulations a hint takes: about 300 ms on one thread of a machine with other work.
    fn usual_simulations(&self, game: &G) -> u64;

    /// Weighs every legal action, in listed order; an empty list where the game is over. The answer
    /// depends on the position and the number of simulations alone; `None` when it was stopped before.
    fn analyse(
        &self,
        game: &G,
        position: &G::Position,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<Vec<ActionAnalysis<G::Action>>> {
        self.weigh_beside(game, position, None, simulations, stop)
    }

    /// The same, and this action is looked at as closely as the best ones are.
    fn weigh_beside(
        &self,
        game: &G,
        position: &G::Position,
        played: Option<G::Action>,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<Vec<ActionAnalysis<G::Action>>>;

    /// Weighs one legal action with all simulations; `None` when it was stopped before.
    fn look_closer(
        &self,
        game: &G,
        position: &G::Position,
        action: G::Action,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<ActionAnalysis<G::Action>>;

    /// How many bytes it takes at most while it weighs.
    fn most_bytes(&self, game: &G, simulations: u64) -> usize;

    /// How many bytes a closer look takes at most.
    fn closer_bytes(&self, game: &G, simulations: u64) -> usize;
}

/// So many of the best actions are searched once more.
const CANDIDATES: usize = 6;

/// An outcome's weight beside its probability: even the unlikeliest is looked at a little.
const LEAST_WEIGHT: f64 = 0.02;

/// No tree has more: 50 MB. What a hint spends on one position needs a third of it on the usual board.
const MOST_ROOM: usize = 1 << 18;

/// A simulation of a long search lists about so many actions and outcomes; 13 on the usual board.
const PARTS_A_SIMULATION: u64 = 24;

/// The most actions and outcomes of a tree that looks closer: all simulations may be spent on one position.
fn action_tree_capacity(simulations: u64) -> usize {
    tree_capacity(simulations, PARTS_A_SIMULATION)
}

/// Weighs with a forecast and a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchAnalyser<G, F> {
    /// What estimates a position.
    pub forecast: F,
    /// How the strongest level searches. Its discount is not used.
    pub tuning: PuctParameters,
    /// How many simulations a hint takes.
    pub usual: fn(&G) -> u64,
    /// About how many actions a position has at most.
    pub breadth: fn(&G) -> u64,
}

/// A position that may follow, and what was found about it.
struct AnalysedChild<P> {
    position: P,
    is_over: bool,
    is_exact: bool,
    shares: WinShares,
}

/// The actions of a position, each with its outcomes: a probability, and which child follows.
type ActionOutcomes<A> = Vec<(A, Vec<(f64, usize)>)>;

impl<G, F> SearchAnalyser<G, F>
where
    G: Game + Sync,
    G::Position: Send,
    F: PositionEvaluator<G> + Clone,
{
    /// Searches some of the children anew, each with a part of the simulations that is as large as its
    /// weight among them. False: stopped.
    fn search(
        &self,
        game: &G,
        children: &mut [AnalysedChild<G::Position>],
        mut chosen: Vec<(usize, f64)>,
        (mut simulations, most_room): (u64, usize),
        stop: &StopToken,
    ) -> bool {
        chosen.retain(|&(place, _)| !children[place].is_exact);
        let tuning = PuctParameters {
            discount: 1.0,
            ..self.tuning
        };
        let mut left: f64 = chosen.iter().map(|(_, weight)| weight).sum();
        // With one tree the generator is never asked.
        let rng = &mut AgentRng::seed_from_u64(0);
        for (place, weight) in chosen {
            let share = ((simulations as f64 * (weight / left).min(1.0)) as u64).max(1);
            left -= weight;
            let mut puct = PuctSearch::new(self.forecast.clone(), tuning);
            puct.set_capacity(self.parts(game, share).min(most_room));
            let budget = SearchBudget {
                simulations: share,
                trees: NonZeroUsize::MIN,
            };
            let child = &mut children[place];
            let found = puct.search(game, &child.position, budget, rng, stop);
            if stop.is_stop_requested() {
                return false;
            }
            child.shares = found.shares;
            child.is_exact = found.is_solved;
            // What a solved position did not need goes to those after it.
            simulations = simulations.saturating_sub(found.simulations);
        }
        true
    }

    fn parts(&self, game: &G, simulations: u64) -> usize {
        tree_capacity(simulations, 2 * (self.breadth)(game))
    }
}

impl<G, F> MoveAnalyser<G> for SearchAnalyser<G, F>
where
    G: Game + Sync,
    G::Position: Send,
    F: PositionEvaluator<G> + Clone,
{
    fn usual_simulations(&self, game: &G) -> u64 {
        (self.usual)(game)
    }

    fn weigh_beside(
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
        let (ways, mut children) = action_outcomes(game, position, game.legal_actions(position));
        let all = (0..children.len()).map(|child| (child, 1.0)).collect();
        if !self.search(game, &mut children, all, (simulations / 2, MOST_ROOM), stop) {
            return None;
        }
        let weighed = summed(&ways, &children);
        let mut best = best_first(&weighed, mover);
        let is_played = |place: &usize| Some(ways[*place].0) == played;
        let played = best.iter().position(is_played);
        if let Some(behind) = played.filter(|place| *place >= CANDIDATES) {
            best.swap(CANDIDATES - 1, behind);
        }
        best.truncate(CANDIDATES);
        let of = |place: usize| ways[place].1.iter().map(|&(_, child)| child);
        let mut again: Vec<usize> = best.into_iter().flat_map(of).collect();
        again.sort_unstable();
        again.dedup();
        let again = again.into_iter().map(|child| (child, 1.0)).collect();
        self.search(
            game,
            &mut children,
            again,
            (simulations - simulations / 2, MOST_ROOM),
            stop,
        )
        .then(|| summed(&ways, &children))
    }

    fn look_closer(
        &self,
        game: &G,
        position: &G::Position,
        action: G::Action,
        simulations: u64,
        stop: &StopToken,
    ) -> Option<ActionAnalysis<G::Action>> {
        let (ways, mut children) = action_outcomes(game, position, std::iter::once(action));
        // What is unlikely adds little, and so does an error in it.
        let mut likely = vec![LEAST_WEIGHT; children.len()];
        for &(probability, child) in &ways[0].1 {
            likely[child] += probability;
        }
        let all = likely.into_iter().enumerate().collect();
        let budget = (simulations, action_tree_capacity(simulations));
        self.search(game, &mut children, all, budget, stop)
            .then(|| summed(&ways, &children).swap_remove(0))
    }

    fn most_bytes(&self, game: &G, simulations: u64) -> usize {
        PuctSearch::<G, F>::max_tree_bytes(self.parts(game, simulations / 2).min(MOST_ROOM))
    }

    fn closer_bytes(&self, game: &G, simulations: u64) -> usize {
        let most = action_tree_capacity(simulations);
        PuctSearch::<G, F>::max_tree_bytes(self.parts(game, simulations).min(most))
    }
}

/// What can follow from a position. Attacks from one hex that fail lead to the same position: it is
/// searched once.
fn action_outcomes<G: Game>(
    game: &G,
    position: &G::Position,
    actions: impl Iterator<Item = G::Action>,
) -> (ActionOutcomes<G::Action>, Vec<AnalysedChild<G::Position>>) {
    let mut places = std::collections::HashMap::new();
    let mut children: Vec<AnalysedChild<G::Position>> = Vec::new();
    let mut ways = Vec::new();
    for action in actions {
        let mut outcomes = Vec::new();
        for (outcome, probability) in game.chance_outcomes(position, action) {
            let mut after = game.apply(position, action, outcome);
            game.canonicalise(&mut after);
            let place = *places.entry(after.clone()).or_insert_with(|| {
                children.push(AnalysedChild::new(game, after));
                children.len() - 1
            });
            outcomes.push((probability, place));
        }
        ways.push((action, outcomes));
    }
    (ways, children)
}

impl<P> AnalysedChild<P> {
    fn new<G: Game<Position = P>>(game: &G, position: P) -> Self {
        let over = match game.status(&position) {
            crate::game::Status::Turn(_) => None,
            crate::game::Status::Over(payoffs) => Some(win_shares_of_payoffs(payoffs, game.players())),
        };
        AnalysedChild {
            position,
            is_over: over.is_some(),
            is_exact: over.is_some(),
            shares: over.unwrap_or_default(),
        }
    }
}

fn summed<A: Copy, P>(
    ways: &ActionOutcomes<A>,
    children: &[AnalysedChild<P>],
) -> Vec<ActionAnalysis<A>> {
    let one = |(action, outcomes): &(A, Vec<(f64, usize)>)| {
        let after = || outcomes.iter().map(|&(_, place)| &children[place]);
        let found = outcomes
            .iter()
            .map(|&(probability, place)| OutcomeAnalysis {
                probability,
                shares: children[place].shares,
            });
        ActionAnalysis {
            is_exact: after().all(|child| child.is_exact),
            ends_in: after().all(|child| child.is_over).then_some(1),
            ..ActionAnalysis::of(*action, found.collect())
        }
    };
    ways.iter().map(one).collect()
}
