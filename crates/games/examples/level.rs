//! A custom agent that plays a game against three of the book's players.
//!
//! ```sh
//! cargo run --release -p dice-of-doom-games --example level
//! ```

use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::level::{Agent, AgentRng, ChosenAction, Level, SearchLimit};
use dice_of_doom_core::rng::{dice_rng, dice_seed_from_u64};
use dice_of_doom_core::search::StopToken;
use dice_of_doom_core::session::Session;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position, Rules};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Makes the attack with the highest win probability, as long as it exceeds 2/3; then ends the turn.
struct Careful;

impl Agent<DiceOfDoom> for Careful {
    fn choose_action(
        &mut self,
        game: &DiceOfDoom,
        position: &Position,
        _: SearchLimit,
        _: &mut AgentRng,
        _: &StopToken,
    ) -> ChosenAction<Action> {
        let probability = |action: Action| match action {
            Action::EndTurn => 2.0 / 3.0,
            Action::Attack { from, to } => game
                .attack_win_probability(position, from, to)
                .unwrap_or(1.0),
        };
        let actions = game.legal_actions(position);
        let best = actions.max_by(|&one, &other| probability(one).total_cmp(&probability(other)));
        ChosenAction {
            action: best.expect("an unfinished game has an action"),
            shares: None,
            nodes: 1,
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = game.deal(&mut ChaCha8Rng::seed_from_u64(7))?;
    let dice_seed = dice_seed_from_u64(7);
    let mut agent_rng = AgentRng::seed_from_u64(7);
    let mut session = Session::new(game, start);
    while let Status::Turn(mover) = session.status() {
        let position = session.position();
        let action = if mover == Player::FIRST {
            let choice = Careful.choose_action(
                &game,
                position,
                SearchLimit::Default,
                &mut agent_rng,
                &StopToken::new(),
            );
            choice.action
        } else {
            Level::Book.choose_action(&game, position, &mut agent_rng)
        };
        let mut roll = dice_rng(&dice_seed, session.record().len());
        let ply = session.prepare_ply(mover, action, &mut roll, 0)?;
        session = session.with_ply(ply)?;
    }
    let winners = game.winners(session.position());
    println!("{} plies, won by {winners:?}", session.record().len());
    Ok(())
}
