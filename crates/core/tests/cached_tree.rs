//! The memory of a cached tree.

use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::search::{StaticEvaluation, expectimax};
use dice_of_doom_core::tree::GameTree;
use dice_of_doom_core::tree::cached::CachedNode;
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use rand::SeedableRng;

struct ZeroEvaluation;

impl<G: Game> StaticEvaluation<G> for ZeroEvaluation {
    fn evaluate(&self, _: &G, _: &G::Position, _: Player) -> f64 {
        0.0
    }
}

#[test]
fn a_node_of_the_default_game_takes_at_most_200_bytes() {
    let game = DiceOfDoom::preset(Rules::V4);
    let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
    let start = game.deal(&mut rng).expect("a board with an attack");
    let player = start.player();
    let root = CachedNode::root(start);
    expectimax(&root.cached(&game).limit_depth(3), &ZeroEvaluation, player);
    let (nodes, bytes) = (root.cached_nodes(), root.memory_bytes());
    assert!(nodes > 1_000);
    assert!(bytes / nodes <= 200, "{} bytes a node", bytes / nodes);
    println!("{nodes} nodes of {} bytes", bytes / nodes);
}
