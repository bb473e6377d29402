//! Compares pruning searches with plain ones, and checks which nodes trees create and when.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dice_of_doom_core::game::{Game, Payoffs, Player, PlayerSet, Status};
use dice_of_doom_core::level::{AgentRng, RandomAgent};
use dice_of_doom_core::search::{StaticEvaluation, alpha_beta, expectimax};
use dice_of_doom_core::tree::cached::{CachedNode, NodeBudget};
use dice_of_doom_core::tree::{GameTree, LazyTree};
use dice_of_doom_games::dice_of_doom::{
    DiceOfDoom, Outcome, Rules, land_of_lisp::score::BookScore,
};
use dice_of_doom_games::trilobite::{Trilobite, land_of_lisp};

/// A meaningless evaluation: an integer hashed from position and player.
struct Hashed;

impl<G: Game> StaticEvaluation<G> for Hashed {
    fn evaluate(&self, _: &G, position: &G::Position, player: Player) -> f64 {
        let mut hasher = DefaultHasher::new();
        (position, player).hash(&mut hasher);
        (hasher.finish() % 41) as f64 - 20.0
    }
}

#[test]
fn pruning_finds_the_value_of_the_plain_search() {
    let (mut plain_nodes, mut pruned_nodes) = (0, 0);
    for (rules, side, players, plies) in [
        (Rules::V2, 4, 2, 6),
        (Rules::V2, 3, 4, 6),
        (Rules::V4, 3, 2, 3),
        (Rules::V4, 4, 4, 3),
        (Rules::Conquest, 3, 4, 3),
    ] {
        let game = DiceOfDoom::new(rules, side, players, 5).unwrap();
        for seed in 0..10 {
            let start = game.deal(&mut AgentRng::seed_from_u64(seed)).unwrap();
            let (plain, pruned) = check_pruning(&game, start, plies, &format!("seed {seed}"));
            // Where dice are rolled, nearly nothing is pruned.
            if !rules.is_rolled() {
                plain_nodes += plain;
                pruned_nodes += pruned;
            }
        }
    }
    assert!(
        pruned_nodes * 2 < plain_nodes,
        "{pruned_nodes} of {plain_nodes} nodes"
    );
}

#[test]
fn pruning_finds_the_value_in_trilobite() {
    let (mut plain_nodes, mut pruned_nodes) = (0, 0);
    for (width, height, win, plies) in [
        (1, 1, 1, 3),
        (3, 3, 3, 6),
        (4, 4, 3, 5),
        (7, 6, 4, 4),
        (9, 7, 4, 3),
        (14, 8, 5, 3),
        (1, 127, 127, 9),
    ] {
        let game = Trilobite::new(width, height, win).unwrap();
        for seed in 0..10 {
            let mut rng = AgentRng::seed_from_u64(seed);
            let mut start = game.empty();
            for _ in 0..seed {
                let column = RandomAgent::random_action(&game, &start, &mut rng);
                let next = game.apply(&start, column, ());
                if game.status(&next).is_over() {
                    break;
                }
                start = next;
            }
            let (plain, pruned) = check_pruning(&game, start, plies, &format!("seed {seed}"));
            plain_nodes += plain;
            pruned_nodes += pruned;
        }
    }
    assert!(
        pruned_nodes * 2 < plain_nodes,
        "{pruned_nodes} of {plain_nodes} nodes"
    );
}

/// Compares the searches at one unfinished position; returns the node count of each.
fn check_pruning<G: Game + std::fmt::Debug>(
    game: &G,
    start: G::Position,
    plies: u32,
    at: &str,
) -> (u64, u64) {
    let at = format!("{game:?}, {at}");
    let player = game.status(&start).mover().unwrap();
    let unfolded = || LazyTree::new(game, start.clone()).limit_depth(plies);
    let plain = expectimax(&unfolded(), &Hashed, player);
    let pruned = alpha_beta(&unfolded(), &Hashed, player);
    assert_eq!(pruned.ratings.len(), plain.ratings.len(), "{at}");
    let difference = pruned.value().unwrap() - plain.value().unwrap();
    assert!(difference.abs() < 1e-9, "{at}: off by {difference}");
    let root = CachedNode::root(start.clone());
    // An exhausted cache budget changes what is cached, not the result.
    let budget = NodeBudget::new(500);
    for _ in 0..2 {
        let tree = root.cached_within(game, &budget).limit_depth(plies);
        assert_eq!(expectimax(&tree, &Hashed, player), plain, "{at}");
        assert_eq!(alpha_beta(&tree, &Hashed, player), pruned, "{at}");
    }
    assert_eq!(root.cached_nodes(), 501 - budget.remaining(), "{at}");
    (plain.nodes, pruned.nodes)
}

#[test]
fn the_whole_tree_of_trilobite_is_cached_once() {
    let game = Counting::new(Trilobite::new(3, 3, 3).unwrap());
    let start = game.game.empty();
    let root = CachedNode::root(start);
    let first = expectimax(&root.cached(&game), &Hashed, Player::FIRST);
    assert_eq!(
        (first.nodes, game.made(), root.cached_nodes()),
        (3278, 3277, 3278)
    );
    let again = expectimax(&root.cached(&game), &Hashed, Player::FIRST);
    assert_eq!((again, game.made()), (first, 3277));
    let unfolded = land_of_lisp::minimax(&game.game, &start, 3278).unwrap();
    let node = CachedNode::root(start);
    let cached = land_of_lisp::minimax_on_tree(node.cached(&game.game), 3278).unwrap();
    assert_eq!((cached, node.cached_nodes()), (unfolded, 3278));
}

/// A game that counts the positions that it creates.
struct Counting<G> {
    game: G,
    made: AtomicUsize,
}

impl<G> Counting<G> {
    fn new(game: G) -> Self {
        Counting {
            game,
            made: AtomicUsize::new(0),
        }
    }

    fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }
}

impl<G: Game> Game for Counting<G> {
    type Position = G::Position;
    type Action = G::Action;
    type Outcome = G::Outcome;

    fn players(&self) -> u8 {
        self.game.players()
    }
    fn status(&self, position: &G::Position) -> Status {
        self.game.status(position)
    }
    fn adjudicate(&self, position: &G::Position, gave_up: PlayerSet) -> Payoffs {
        self.game.adjudicate(position, gave_up)
    }
    fn legal_actions(&self, position: &G::Position) -> impl Iterator<Item = G::Action> + Clone {
        self.game.legal_actions(position)
    }
    fn chance_outcomes(
        &self,
        position: &G::Position,
        action: G::Action,
    ) -> impl Iterator<Item = (G::Outcome, f64)> + Clone {
        self.game.chance_outcomes(position, action)
    }
    fn apply(&self, position: &G::Position, action: G::Action, outcome: G::Outcome) -> G::Position {
        self.made.fetch_add(1, Ordering::Relaxed);
        self.game.apply(position, action, outcome)
    }
}

#[test]
fn positions_are_created_only_when_visited() {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut AgentRng::seed_from_u64(2)).unwrap();
    let game = Counting::new(game);
    let root = CachedNode::root(start);
    let view = root.cached(&game);
    assert_eq!((game.made(), root.cached_nodes()), (0, 1), "a tree");
    let count = view.branches().count();
    assert!(count > 4);
    assert_eq!((game.made(), root.cached_nodes()), (0, 1), "its actions");
    let (action, mut chances) = view.branches().nth(3).unwrap();
    let lost = chances.nth(1).unwrap();
    assert_eq!(lost.outcome, Outcome::Lost);
    // `nth` also creates the outcome before it: two positions, and none of another action.
    assert_eq!((game.made(), root.cached_nodes()), (2, 3), "one branch");
    let again = view.branches().nth(3).unwrap().1.last().unwrap();
    assert_eq!(game.made(), 2, "visited again");
    assert_eq!(again.tree.position(), lost.tree.position());
    let child = root.child_after(&game, action, Outcome::Lost);
    assert_eq!(game.made(), 2, "advanced along a visited branch");
    assert!(Arc::ptr_eq(&child, lost.tree.node().unwrap()));
    let other = game.legal_actions(root.position()).next().unwrap();
    root.child_after(&game, other, Outcome::Won);
    assert_eq!(
        (game.made(), root.cached_nodes()),
        (3, 3),
        "advanced along another branch: created, not cached"
    );
}

#[test]
fn a_branch_outlives_the_dropped_tree() {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut AgentRng::seed_from_u64(2)).unwrap();
    let player = start.player();
    let root = CachedNode::root(start);
    expectimax(&root.cached(&game).limit_depth(2), &BookScore, player);
    let action = game.legal_actions(root.position()).next().unwrap();
    let child = root.child_after(&game, action, Outcome::Won);
    let below = child.cached_nodes();
    assert!(below > 10);
    drop(root);
    assert_eq!(child.cached_nodes(), below);
    assert_eq!(Arc::strong_count(&child), 1);
}

/// A game that counts up and practically never ends.
struct Counter;

impl Game for Counter {
    type Position = u32;
    type Action = u8;
    type Outcome = ();

    fn players(&self) -> u8 {
        2
    }
    fn status(&self, &position: &u32) -> Status {
        if position == u32::MAX {
            Status::Over(Payoffs::for_winners(PlayerSet::default()))
        } else {
            Status::Turn(Player::FIRST)
        }
    }
    fn adjudicate(&self, _: &u32, _: PlayerSet) -> Payoffs {
        Payoffs::for_winners(PlayerSet::default())
    }
    fn legal_actions(&self, _: &u32) -> impl Iterator<Item = u8> + Clone {
        std::iter::once(1)
    }
    fn chance_outcomes(&self, _: &u32, _: u8) -> impl Iterator<Item = ((), f64)> + Clone {
        std::iter::once(((), 1.0))
    }
    fn apply(&self, position: &u32, action: u8, (): ()) -> u32 {
        position + u32::from(action)
    }
}

#[test]
fn a_tree_a_million_deep_is_dropped() {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(|| {
        let root = CachedNode::root(0);
        let mut tree = root.cached(&Counter);
        for _ in 0..1_000_000 {
            let below = tree.branches().next().unwrap().1.next().unwrap().tree;
            tree = below;
        }
        assert_eq!(root.cached_nodes(), 1_000_001);
        drop(root);
    });
    thread.unwrap().join().unwrap();
}
