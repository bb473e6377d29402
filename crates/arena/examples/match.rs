//! A player of one's own against three of the book: its share of the games with a 95 % interval.
//!
//! ```sh
//! cargo run --release -p dice-of-doom-arena --example match
//! ```

use dice_of_doom_arena::{AgentFactory, Estimate, PlayerFactory, play_board};
use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{Agent, AgentRng, ChosenAction, Level, LevelSpec, SearchLimit};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position, Rules};

/// How many boards are played, each in all four rotations.
const BOARDS: u32 = 100;

/// Attacks where the odds are best, as long as they are better than two to one; then ends the turn.
struct Careful;

impl Agent<DiceOfDoom> for Careful {
    fn choose(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        _: SearchLimit,
        _: &mut AgentRng,
        _: &StopToken,
    ) -> ChosenAction<Action> {
        let odds = |action: Action| match action {
            Action::EndTurn => 2.0 / 3.0,
            Action::Attack { from, to } => game.attack_win_probability(position, from, to).unwrap_or(1.0),
        };
        let actions = game.legal_actions(position);
        let best = actions.max_by(|&one, &other| odds(one).total_cmp(&odds(other)));
        ChosenAction {
            action: best.expect("the game goes on, so there is an action"),
            shares: None,
            nodes: 1,
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = DiceOfDoom::preset(Rules::V4);
    let careful = AgentFactory(|| Box::new(Careful) as Box<dyn Agent<DiceOfDoom>>);
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
