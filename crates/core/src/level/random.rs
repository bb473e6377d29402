//! An agent that plays any legal action without searching.

use rand::Rng;

use super::{Agent, AgentRng, ChosenAction, ChosenActionOf, SearchLimit};
use crate::game::Game;
use crate::search::{ActionProbability, OpponentModel, StopToken, uniform};

/// Plays a uniformly random legal action, in any game.
#[derive(Clone, Copy, Debug)]
pub struct RandomAgent;

impl RandomAgent {
    /// A uniformly random legal action of a position.
    ///
    /// # Panics
    /// If the game is over.
    pub fn random_action<G: Game>(
        game: &G,
        position: &G::Position,
        rng: &mut impl Rng,
    ) -> G::Action {
        let mut actions = game.legal_actions(position);
        let count = actions.clone().count() as u64;
        // 64 random bits, at most some hundreds of actions: the bias of each probability is below 2^-55.
        let index = (u128::from(rng.next_u64()) * u128::from(count)) >> 64;
        let action = actions.nth(index as usize);
        action.expect("an unfinished game has a legal action")
    }
}

impl<G: Game> Agent<G> for RandomAgent {
    fn choose_action(
        &mut self,
        game: &G,
        position: &G::Position,
        _: SearchLimit,
        rng: &mut AgentRng,
        _: &StopToken,
    ) -> ChosenActionOf<G> {
        ChosenAction::without_shares(RandomAgent::random_action(game, position, rng), 0)
    }
}

impl<G: Game> OpponentModel<G> for RandomAgent {
    fn predict(&self, game: &G, position: &G::Position) -> Vec<ActionProbability<G>> {
        uniform(game.legal_actions(position))
    }
}
