//! A custom static evaluation: its ratings on a board of version 4.
//!
//! ```sh
//! cargo run --release -p dice-of-doom-games --example evaluation
//! ```

use dice_of_doom_core::game::{Game, Player};
use dice_of_doom_core::search::{StaticEvaluation, expectimax};
use dice_of_doom_core::tree::{GameTree, LazyTree};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Position, Rules};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// The size of the largest cluster plus 0.1 per die.
struct LargestCluster;

impl StaticEvaluation<DiceOfDoom> for LargestCluster {
    fn evaluate(&self, game: &DiceOfDoom, position: &Position, player: Player) -> f64 {
        let (_, dice) = game.hex_and_dice_count(position, player);
        f64::from(game.largest_cluster(position, player)) + 0.1 * f64::from(dice)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut ChaCha8Rng::seed_from_u64(7))?;
    let player = start.player();

    // Two plies of the lazy tree, with exact win probabilities.
    let tree = LazyTree::new(&game, start).limit_depth(2);
    let analysis = expectimax(&tree, &LargestCluster, player);
    for (action, rating) in &analysis.ratings {
        println!("{action:>6}  {rating:.2}");
    }
    let action = analysis.action().ok_or("the first player can attack")?;
    assert!(game.legal_actions(&start).any(|legal| legal == action));
    println!(
        "{player} plays {action}, after {} positions",
        analysis.nodes
    );
    Ok(())
}
