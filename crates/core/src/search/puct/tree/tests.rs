//! Tests of the internal state of the search tree, with a small game.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fmt;
use std::str::FromStr;

use std::sync::Arc;

use super::*;
use crate::game::{Payoffs, PlayerSet, Status};
use crate::search::{ActionProbability, OpponentModel, uniform};

const PARAMETERS: PuctParameters = PuctParameters {
    c_puct: 1.0,
    full_expansion_visits: 4,
    temperature: 0.1,
    discount: 0.99,
};

/// Lamps: each of two players owns some lamps. In a turn a player tries any number of their lamps; each one lights with
/// probability 1/2 and breaks otherwise. A player who has no lamp to try at the start of a turn ends the game, and the
/// player with the most lit lamps wins.
///
/// The game has all features that the tree supports: tries commute, turns have several plies, and outcomes are random.
#[derive(Clone, Copy, Debug)]
struct Lamps {
    each: u8,
}

/// One bit for each lamp; the lower half belongs to the first player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Position {
    tried: u64,
    lit: u64,
    player: Player,
    has_tried: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Action {
    EndTurn,
    Try(u8),
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::EndTurn => f.write_str("end"),
            Action::Try(lamp) => lamp.fmt(f),
        }
    }
}

impl FromStr for Action {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "end" => Ok(Action::EndTurn),
            lamp => lamp.parse().map(Action::Try),
        }
    }
}

impl Lamps {
    fn start(self) -> Position {
        Position {
            tried: 0,
            lit: 0,
            player: Player::FIRST,
            has_tried: false,
        }
    }

    fn untried(self, position: &Position) -> impl Iterator<Item = u8> + Clone + use<> {
        let first = position.player.number() * self.each;
        let tried = position.tried;
        (first..first + self.each).filter(move |lamp| tried >> lamp & 1 == 0)
    }

    fn lit(self, position: &Position, player: Player) -> u32 {
        let own = (1u64 << self.each) - 1;
        (position.lit >> (player.number() * self.each) & own).count_ones()
    }
}

impl Game for Lamps {
    type Position = Position;
    type Action = Action;
    /// Whether the lamp lights; ending the turn always has the outcome `true`.
    type Outcome = bool;

    fn players(&self) -> u8 {
        2
    }

    fn status(&self, position: &Position) -> Status {
        if position.has_tried || self.untried(position).next().is_some() {
            Status::Turn(position.player)
        } else {
            Status::Over(self.adjudicate(position, PlayerSet::default()))
        }
    }

    fn legal_actions(&self, position: &Position) -> impl Iterator<Item = Action> + Clone {
        let end = position.has_tried.then_some(Action::EndTurn);
        end.into_iter()
            .chain(self.untried(position).map(Action::Try))
    }

    fn chance_outcomes(
        &self,
        _: &Position,
        action: Action,
    ) -> impl Iterator<Item = (bool, f64)> + Clone {
        let outcomes: &[(bool, f64)] = match action {
            Action::EndTurn => &[(true, 1.0)],
            Action::Try(_) => &[(true, 0.5), (false, 0.5)],
        };
        outcomes.iter().copied()
    }

    fn apply(&self, position: &Position, action: Action, lights: bool) -> Position {
        let mut after = *position;
        match action {
            Action::EndTurn => {
                after.player = position.player.next(2);
                after.has_tried = false;
            }
            Action::Try(lamp) => {
                after.tried |= 1 << lamp;
                after.lit |= u64::from(lights) << lamp;
                after.has_tried = true;
            }
        }
        after
    }

    fn adjudicate(&self, position: &Position, _: PlayerSet) -> Payoffs {
        let best = Player::all(2)
            .map(|player| self.lit(position, player))
            .max();
        Payoffs::for_winners(
            Player::all(2)
                .filter(|&player| Some(self.lit(position, player)) == best)
                .collect(),
        )
    }
}

/// Evaluates a position by the proportion of lit lamps.
struct ByLight;

impl PositionEvaluator<Lamps> for ByLight {
    fn win_shares(&self, game: &Lamps, position: &Position) -> WinShares {
        let lit = |player| 1.0 + game.lit(position, player) as f32;
        let all: f32 = Player::all(2).map(lit).sum();
        ByPlayer::for_players(2, |player| lit(player) / all)
    }

    fn prior(&self, _: &Lamps, _: &Position, _: Action) -> f32 {
        0.5
    }
}

fn searched_tree(game: &Lamps, position: &Position, simulations: u64) -> SearchTree<Lamps> {
    let mut tree = SearchTree::new(game, position, &ByLight, OpponentModels::default());
    tree.run_simulations(game, &ByLight, &PARAMETERS, simulations, &StopToken::new());
    tree
}

/// All players except the first have this model.
fn all_but_first<G: Game>(model: &Arc<dyn OpponentModel<G>>) -> OpponentModels<G> {
    OpponentModels::from_fn(|player| (player != Player::FIRST).then(|| Arc::clone(model)))
}

fn check_consistent(tree: &SearchTree<Lamps>) {
    assert_eq!(tree.node_index.len(), tree.nodes.len());
    assert_eq!(tree.positions.len(), tree.nodes.len());
    for ((at, node), position) in (0..).zip(&tree.nodes).zip(&tree.positions) {
        let hash = hash(position, node.turn);
        assert_eq!(tree.index_of(position, node.turn, hash), Some(at));
        let edges = &tree.edges[index_range(&node.edges)];
        let visits: u32 = edges.iter().map(|edge| edge.visits).sum();
        assert_eq!(node.visits, 1 + visits);
        for edge in edges {
            let branches = &tree.branches[index_range(&edge.branches)];
            let visits: u32 = branches.iter().map(|branch| branch.visits).sum();
            assert_eq!(edge.visits, visits);
        }
    }
}

#[test]
fn a_node_adds_one_action_and_then_all() {
    let game = Lamps { each: 5 };
    let parameters = PuctParameters {
        full_expansion_visits: 2,
        ..PARAMETERS
    };
    let mut tree = SearchTree::new(&game, &game.start(), &ByLight, OpponentModels::default());
    tree.run_simulations(&game, &ByLight, &parameters, 2_000, &StopToken::new());
    check_consistent(&tree);
    let mut partly_expanded = 0;
    for (node, position) in tree.nodes.iter().zip(&tree.positions) {
        let edges = &tree.edges[index_range(&node.edges)];
        let listed: Vec<Action> = edges.iter().map(|edge| edge.action).collect();
        let actions: Vec<Action> = game.legal_actions(position).collect();
        if node.has_all_edges {
            assert_eq!(listed, actions);
        } else {
            assert!(listed.len() <= 1 && node.visits <= 2, "{listed:?}");
            assert!(listed.iter().all(|action| actions.contains(action)));
            partly_expanded += 1;
        }
    }
    assert!(
        0 < partly_expanded && partly_expanded < tree.nodes.len(),
        "{partly_expanded}"
    );
}

#[test]
fn commuting_actions_lead_to_one_node() {
    let game = Lamps { each: 2 };
    let tree = searched_tree(&game, &game.start(), 3_000);
    check_consistent(&tree);
    let node_after = |at: u32, action: &str| {
        let action: Action = action.parse().unwrap();
        let node = &tree.nodes[at as usize];
        let edges = tree.edges[index_range(&node.edges)].iter();
        let edge = edges.clone().find(|edge| edge.action == action).unwrap();
        tree.branches[edge.branches.start as usize].node
    };
    let one_way = node_after(node_after(0, "0"), "1");
    let other_way = node_after(node_after(0, "1"), "0");
    assert_ne!(one_way, UNVISITED);
    assert_eq!(one_way, other_way);
}

#[test]
fn a_rerooted_tree_is_consistent() {
    let game = Lamps { each: 4 };
    let start = game.start();
    let mut tree = searched_tree(&game, &start, 300);
    let (nodes, attempt) = (tree.nodes.len(), Action::Try(0));
    let after = game.apply(&start, attempt, true);
    let before = tree.index_of(&after, 0, hash(&after, 0)).unwrap();
    let before = &tree.nodes[before as usize];
    let (visits, shares, mover) = (before.visits, before.shares, before.mover);
    assert!(tree.advance_to(&after));
    check_consistent(&tree);
    let root = &tree.nodes[0];
    assert_eq!((tree.positions[0], root.visits), (after, visits));
    assert_eq!((root.shares, root.mover), (shares, mover));
    assert!(tree.nodes.len() < nodes);
    // The old root was freed, and a position of a later turn is a different node.
    assert!(!tree.advance_to(&start));
    let after_turn = game.apply(&after, Action::EndTurn, true);
    assert!(!tree.advance_to(&after_turn));
    assert_eq!(tree.positions[0], after);
    // The visits of the reused root count, so 100 simulations remain.
    let visits = u64::from(visits) - 1;
    let cost = tree.run_simulations(
        &game,
        &ByLight,
        &PARAMETERS,
        visits + 100,
        &StopToken::new(),
    );
    assert!(cost.simulations == 100 || tree.nodes[0].is_solved);
    check_consistent(&tree);
}

/// Predicts one lamp per turn.
struct Timid;

impl OpponentModel<Lamps> for Timid {
    fn predict(&self, game: &Lamps, position: &Position) -> Vec<ActionProbability<Lamps>> {
        uniform(game.legal_actions(position).take(1))
    }
}

/// Predicts a random legal action.
struct Aimless;

impl OpponentModel<Lamps> for Aimless {
    fn predict(&self, game: &Lamps, position: &Position) -> Vec<ActionProbability<Lamps>> {
        uniform(game.legal_actions(position))
    }
}

/// The expected shares by plain recursion, where the second player follows the model.
fn expected(game: &Lamps, position: &Position, model: &dyn OpponentModel<Lamps>) -> WinShares {
    let mover = match game.status(position) {
        Status::Turn(mover) => mover,
        Status::Over(payoffs) => return payoffs.win_shares(2),
    };
    let after = |action| {
        let mut sum = WinShares::default();
        for (outcome, probability) in game.chance_outcomes(position, action) {
            let after = game.apply(position, action, outcome);
            let mut shares = expected(game, &after, model);
            if game
                .status(&after)
                .mover()
                .is_some_and(|next| next != mover)
            {
                let discount = PARAMETERS.discount;
                shares = combine(shares, equal_shares(2), |shares, equal_shares| {
                    discount * shares + (1.0 - discount) * equal_shares
                });
            }
            sum = combine(sum, shares, |sum, shares| sum + probability as f32 * shares);
        }
        sum
    };
    match mover == Player::FIRST {
        true => game
            .legal_actions(position)
            .map(after)
            .max_by(|one, two| one[mover].total_cmp(&two[mover]))
            .unwrap(),
        false => {
            let predicted = model.predict(game, position).into_iter();
            predicted.fold(WinShares::default(), |sum, (action, probability)| {
                combine(sum, after(action), |sum, shares| sum + probability * shares)
            })
        }
    }
}

#[test]
fn only_predicted_actions_of_a_modelled_player_are_searched() {
    let game = Lamps { each: 3 };
    let start = game.start();
    let models: [Arc<dyn OpponentModel<Lamps>>; 2] = [Arc::new(Timid), Arc::new(Aimless)];
    for (model, full_expansion_visits) in models
        .iter()
        .flat_map(|model| [1, 2, 4].map(|n| (model, n)))
    {
        // With these constants every action is tried.
        let parameters = PuctParameters {
            c_puct: 50.0,
            temperature: 5.0,
            full_expansion_visits,
            ..PARAMETERS
        };
        let mut tree = SearchTree::new(&game, &start, &ByLight, all_but_first(model));
        tree.run_simulations(&game, &ByLight, &parameters, 100_000, &StopToken::new());
        check_consistent(&tree);
        let mut predicted = 0;
        for (node, position) in tree.nodes.iter().zip(&tree.positions) {
            let edges = &tree.edges[index_range(&node.edges)];
            if node.mover != Player::FIRST && !edges.is_empty() {
                let listed = edges.iter().map(|edge| (edge.action, edge.prior));
                assert!(listed.eq(model.predict(&game, position)));
                predicted += 1;
            }
        }
        assert!(predicted > 10, "{predicted}");
        assert!(tree.nodes[0].is_solved);
        let found = tree.nodes[0].shares;
        let exact = expected(&game, &start, model.as_ref());
        assert!(
            (found[Player::FIRST] - exact[Player::FIRST]).abs() < 1e-4,
            "{found:?}, {exact:?}"
        );
        // A search that assumes a strong second player finds a lower value.
        let other = searched_tree(&game, &start, 100_000).nodes[0].shares;
        assert!(
            other[Player::FIRST] < exact[Player::FIRST],
            "{other:?}, {exact:?}"
        );
    }
}

#[test]
fn predicted_actions_are_visited_in_proportion_to_their_probability() {
    let game = Lamps { each: 4 };
    let aimless: Arc<dyn OpponentModel<Lamps>> = Arc::new(Aimless);
    let mut tree = SearchTree::new(&game, &game.start(), &ByLight, all_but_first(&aimless));
    tree.run_simulations(&game, &ByLight, &PARAMETERS, 2_000, &StopToken::new());
    check_consistent(&tree);
    let mut checked = 0;
    for node in &tree.nodes {
        let edges = &tree.edges[index_range(&node.edges)];
        if node.mover == Player::FIRST || edges.is_empty() {
            continue;
        }
        // All actions are evaluated from the first visit on, and solved ones are not followed.
        assert!(edges.iter().all(|edge| !edge.branches.is_empty()));
        if edges.iter().all(|edge| !edge.is_solved) {
            let visits = edges.iter().map(|edge| edge.visits);
            assert!(visits.clone().max() <= visits.min().map(|min| min + 1));
            checked += 1;
        }
        let mut mean = WinShares::default();
        for edge in edges {
            mean = combine(mean, edge.shares, |sum, share| sum + edge.prior * share);
        }
        let differ = combine(mean, node.shares, |one, other| (one - other).abs());
        assert!(
            Player::all(2).all(|player| differ[player] < 1e-5),
            "{differ:?}"
        );
    }
    assert!(checked > 10, "{checked}");
}

#[test]
fn a_tree_stays_within_its_capacity() {
    let game = Lamps { each: 20 };
    let mut tree = SearchTree::new(&game, &game.start(), &ByLight, OpponentModels::default());
    tree.capacity = 5_000;
    tree.run_simulations(&game, &ByLight, &PARAMETERS, u64::MAX, &StopToken::new());
    // The last simulation may exceed the limit.
    assert!(
        (5_000..5_500).contains(&tree.edge_count()),
        "{}",
        tree.edge_count()
    );
    let bytes = tree.edges.capacity() * size_of::<SearchEdge<u8>>()
        + tree.branches.capacity() * size_of::<ChanceEdge>()
        + tree.nodes.capacity() * size_of::<SearchNode>()
        + tree.positions.capacity() * size_of_val(&tree.positions[0])
        + tree.node_index.capacity() * size_of::<(u64, u32)>();
    assert!(bytes <= SearchTree::<Lamps>::max_bytes(5_500), "{bytes}");
}

/// A game in which the first player acts once and the second player acts forever.
#[derive(Clone, Copy, Debug)]
struct Endless;

impl Game for Endless {
    /// The number of actions so far.
    type Position = u64;
    type Action = u8;
    type Outcome = ();

    fn players(&self) -> u8 {
        2
    }

    fn status(&self, &acted: &u64) -> Status {
        Status::Turn(Player::new(u8::from(acted > 0)))
    }

    fn legal_actions(&self, _: &u64) -> impl Iterator<Item = u8> + Clone {
        [0, 1].into_iter()
    }

    fn chance_outcomes(&self, _: &u64, _: u8) -> impl Iterator<Item = ((), f64)> + Clone {
        std::iter::once(((), 1.0))
    }

    fn apply(&self, acted: &u64, _: u8, (): ()) -> u64 {
        acted + 1
    }

    fn adjudicate(&self, _: &u64, _: PlayerSet) -> Payoffs {
        Payoffs::for_winners(PlayerSet::default())
    }
}

struct Even;

impl PositionEvaluator<Endless> for Even {
    fn win_shares(&self, _: &Endless, _: &u64) -> WinShares {
        equal_shares(2)
    }

    fn prior(&self, _: &Endless, _: &u64, _: u8) -> f32 {
        0.5
    }
}

/// Predicts the same action always.
struct Same;

impl OpponentModel<Endless> for Same {
    fn predict(&self, _: &Endless, _: &u64) -> Vec<ActionProbability<Endless>> {
        uniform([0])
    }
}

#[test]
fn a_simulation_with_endless_predictions_ends() {
    let same: Arc<dyn OpponentModel<Endless>> = Arc::new(Same);
    let mut tree = SearchTree::new(&Endless, &0, &Even, all_but_first(&same));
    let cost = tree.run_simulations(&Endless, &Even, &PARAMETERS, 1_000, &StopToken::new());
    assert_eq!(cost.simulations, 1_000);
    // The root and one chain of successors, because both actions of a position lead to the same position.
    assert_eq!(tree.nodes.len(), 1 + MAX_FORCED_STEPS);
}
