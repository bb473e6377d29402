//! The strategy that does not think: any legal action.

use rand::Rng;

use super::{Agent, AgentRng, ChosenAction, ChosenActionOf, SearchLimit};
use crate::game::Game;
use crate::search::{ActionProbability, OpponentModel, StopToken, uniform};

/// Plays random legal actions, all equally likely, in any game.
#[derive(Clone, Copy, Debug)]
pub struct RandomAgent;

impl RandomAgent {
    /// A random legal action of a position that is not over.
    ///
    /// # Panics
    /// When the game is over.
    pub fn random_action<G: Game>(game: &G, position: &G::Position, rng: &mut impl Rng) -> G::Action {
        let mut actions = game.legal_actions(position);
        let count = actions.clone().count() as u64;
        // 64 random bits for at most some hundreds of actions: none is favoured by more than 2^-55.
        let drawn = (u128::from(rng.next_u64()) * u128::from(count)) >> 64;
        let action = actions.nth(drawn as usize);
        action.expect("the game goes on, so there is an action")
    }
}

impl<G: Game> Agent<G> for RandomAgent {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        _: SearchLimit,
        rng: &mut AgentRng,
        _: &StopToken,
    ) -> ChosenActionOf<G> {
        ChosenAction {
            action: RandomAgent::random_action(game, position, rng),
            shares: None,
            nodes: 0,
        }
    }
}

impl<G: Game> OpponentModel<G> for RandomAgent {
    fn foretell(&self, game: &G, position: &G::Position) -> Vec<ActionProbability<G>> {
        uniform(game.legal_actions(position))
    }
}
