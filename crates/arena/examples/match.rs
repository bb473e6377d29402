//! Plays a custom agent against three players of the book level and prints its win share with a 95 % interval.
//!
//! ```sh
//! cargo run --release -p dice-of-doom-arena --example match
//! ```

use dice_of_doom_arena::{AgentFactory, Estimate, PlayerFactory, play_board};
use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{Agent, AgentRng, ChosenAction, Level, LevelSpec, PolicyAgent};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position, Rules};

/// The number of boards; each is played in all four rotations.
const BOARDS: u32 = 100;

/// Makes the attack with the best odds while they are better than two to one; then ends the turn.
fn careful(game: &DiceOfDoom, position: &Position, _: &mut AgentRng) -> ChosenAction<Action> {
    let odds = |action: Action| match action {
        Action::EndTurn => 2.0 / 3.0,
        Action::Attack { from, to } => game
            .attack_win_probability(position, from, to)
            .unwrap_or(1.0),
    };
    let actions = game.legal_actions(position);
    let best = actions.max_by(|&one, &other| odds(one).total_cmp(&odds(other)));
    ChosenAction::without_shares(best.expect("the position is not terminal"), 1)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = DiceOfDoom::preset(Rules::V4);
    let careful = AgentFactory(|| Box::new(PolicyAgent(careful)) as Box<dyn Agent<DiceOfDoom>>);
    let book = LevelSpec::from(Level::Book);
    let seats: [&dyn PlayerFactory<DiceOfDoom>; 4] = [&careful, &book, &book, &book];
    let mut shares = Vec::new();
    for board in 0..BOARDS {
        shares.push(play_board(&game, 1, board, &seats)?.mean_share(0));
    }
    let Estimate { mean, low, high } = Estimate::from_samples(&shares);
    println!("{mean:.3} of the games, 95 % between {low:.3} and {high:.3}; par is 0.25");
    Ok(())
}
