//! Computer players of any game, with their caches.

use std::num::NonZeroUsize;

use super::live_game::index_of;
use super::{ActionIndex, LiveGame, RegistrableGame};
use crate::level::{Agent, LevelSpec, ObservedAction, SearchLimit};
use crate::rng;
use crate::search::StopToken;
use crate::session::Session;

/// A computer player, independent of the game's type. It may cache search results for its next ply.
pub trait ComputerPlayer: Send {
    /// The number of threads that a search uses.
    fn threads(&self) -> NonZeroUsize;

    /// Upper bound in bytes for its caches in a game like this one.
    fn max_bytes(&self, game: &dyn LiveGame) -> usize;

    /// Chooses an action. CPU-bound: never call it on an async thread. When `stop` is set it soon returns the best
    /// action so far. `None` if the game is of another type or is over.
    fn choose(&mut self, game: &dyn LiveGame, stop: &StopToken) -> Option<ActionIndex>;
}

pub(super) struct TypedComputerPlayer<G> {
    agent: Box<dyn Agent<G>>,
    limit: SearchLimit,
}

impl<G: RegistrableGame> TypedComputerPlayer<G> {
    pub(super) fn new(strength: LevelSpec) -> Self {
        TypedComputerPlayer {
            agent: G::agent(strength.level),
            limit: strength.search_limit(),
        }
    }
}

impl<G: RegistrableGame> ComputerPlayer for TypedComputerPlayer<G> {
    fn threads(&self) -> NonZeroUsize {
        self.agent.thread_count()
    }

    fn max_bytes(&self, game: &dyn LiveGame) -> usize {
        let session = game.session::<G>();
        session.map_or(0, |session| {
            self.agent.max_memory_bytes(session.game(), self.limit)
        })
    }

    fn choose(&mut self, game: &dyn LiveGame, stop: &StopToken) -> Option<ActionIndex> {
        let session = game.session::<G>()?;
        session.status().mover()?;
        let (rules, position) = (session.game(), session.position());
        // Seed the random numbers from the start position's notation: it distinguishes games and is the same in
        // every version.
        let start = rules.notation(&session.record().start);
        let start = format!("{} {start}", G::NAME);
        let random = &mut rng::agent_rng(&start, session.record().len());
        let agent = &mut self.agent;
        agent.observe(rules, &mut mainline_decisions(session));
        let choice = agent.choose_action(rules, position, self.limit, random, stop);
        index_of(rules, position, choice.action)
    }
}

/// The decisions on the game's mainline, oldest first.
pub(super) fn mainline_decisions<G: RegistrableGame>(
    session: &Session<G>,
) -> impl Iterator<Item = ObservedAction<G>> {
    session.mainline().map(|step| ObservedAction {
        position: step.before,
        action: step.ply.action,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::trilobite::Trilobite;
    use crate::record::Takeback;
    use crate::rng::AgentRng;

    #[test]
    fn plies_taken_back_are_not_observed() {
        let game = Trilobite::new(4, 4, 4).unwrap();
        let mut session = Session::new(game, game.empty());
        let mut rng = AgentRng::seed_from_u64(1);
        for column in ["a", "b", "c"] {
            let player = session.status().mover().unwrap();
            let ply = session.prepare_ply(player, column.parse().unwrap(), &mut rng, 0);
            session = session.with_ply(ply.unwrap()).unwrap();
        }
        let columns = |session: &Session<Trilobite>| {
            let decisions = mainline_decisions(session);
            let columns = decisions.map(|decision| decision.action.to_string());
            columns.collect::<String>()
        };
        assert_eq!(columns(&session), "abc");
        let takeback = Takeback {
            player: session.record().entries[1].player(),
            to: 1,
            at_ms: 0,
        };
        let session = session.with_takeback(takeback).unwrap();
        assert_eq!(columns(&session), "a");
    }
}
