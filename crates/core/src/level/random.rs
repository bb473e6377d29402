//! The strategy that does not think: any legal action.

use rand::Rng;

use super::{Choice, ChoiceOf, Effort, SearchRng, Strategy};
use crate::game::Game;
use crate::search::{Foretold, OpponentModel, Stop, uniform};

/// Plays random legal actions, all equally likely, in any game.
#[derive(Clone, Copy, Debug)]
pub struct RandomPlayer;

impl RandomPlayer {
    /// A random legal action of a position that is not over.
    ///
    /// # Panics
    /// When the game is over.
    pub fn pick<G: Game>(game: &G, position: &G::Position, rng: &mut impl Rng) -> G::Action {
        let mut actions = game.actions(position);
        let count = actions.clone().count() as u64;
        // 64 random bits for at most some hundreds of actions: none is favoured by more than 2^-55.
        let drawn = (u128::from(rng.next_u64()) * u128::from(count)) >> 64;
        let action = actions.nth(drawn as usize);
        action.expect("the game goes on, so there is an action")
    }
}

impl<G: Game> Strategy<G> for RandomPlayer {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        _: Effort,
        rng: &mut SearchRng,
        _: &Stop,
    ) -> ChoiceOf<G> {
        Choice {
            action: RandomPlayer::pick(game, position, rng),
            shares: None,
            nodes: 0,
        }
    }
}

impl<G: Game> OpponentModel<G> for RandomPlayer {
    fn foretell(&self, game: &G, position: &G::Position) -> Vec<Foretold<G>> {
        uniform(game.actions(position))
    }
}
