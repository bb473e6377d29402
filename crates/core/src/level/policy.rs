//! Agents that choose by a function of the position, without a search.

use super::{Agent, AgentRng, ChosenActionOf, SearchLimit};
use crate::game::Game;
use crate::search::StopToken;

/// Chooses with a function of the game, the position and the generator, whatever the search limit.
#[derive(Clone, Copy, Debug)]
pub struct PolicyAgent<F>(pub F);

impl<G, F> Agent<G> for PolicyAgent<F>
where
    G: Game,
    F: FnMut(&G, &G::Position, &mut AgentRng) -> ChosenActionOf<G> + Send,
{
    fn choose_action(
        &mut self,
        game: &G,
        position: &G::Position,
        _: SearchLimit,
        rng: &mut AgentRng,
        _: &StopToken,
    ) -> ChosenActionOf<G> {
        self.0(game, position, rng)
    }
}
