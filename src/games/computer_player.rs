//! Computer players of any game, with their caches.

use std::fmt;
use std::num::NonZeroUsize;

use super::live_game::index_of;
use super::{ActionIndex, LiveGame, RegistrableGame};
use crate::level::{LevelSpec, ObservedAction};
use crate::rng;
use crate::search::StopToken;
use crate::session::Session;

type ChooseAction = dyn FnMut(&dyn LiveGame, &StopToken) -> Option<ActionIndex> + Send;

/// A computer player, independent of the game's type. It may cache search results for its next ply.
pub struct ComputerPlayer {
    /// The number of threads that a search uses.
    pub threads: NonZeroUsize,
    /// Upper bound in bytes for its caches.
    pub max_bytes: usize,
    choose: Box<ChooseAction>,
}

impl ComputerPlayer {
    pub(super) fn new<G: RegistrableGame>(game: &G, level: LevelSpec) -> Self {
        let (mut agent, limit) = (G::agent(level.level), level.search_limit());
        ComputerPlayer {
            threads: agent.thread_count(),
            max_bytes: agent.max_memory_bytes(game, limit),
            choose: Box::new(move |live, stop| {
                let session = live.session::<G>()?;
                session.status().mover()?;
                let (rules, position) = (session.game(), session.position());
                // Seed the random numbers from the start position's notation: it distinguishes games and is the same
                // in every version.
                let start = rules.notation(&session.record().start);
                let start = format!("{} {start}", G::NAME);
                let random = &mut rng::agent_rng(&start, session.record().len());
                agent.observe(rules, &mut mainline_decisions(session));
                let choice = agent.choose_action(rules, position, limit, random, stop);
                index_of(rules, position, choice.action)
            }),
        }
    }

    /// Chooses an action. CPU-bound: never call it on an async thread. When `stop` is set it soon returns the best
    /// action so far. `None` if the game is of another type or is over.
    pub fn choose(&mut self, game: &dyn LiveGame, stop: &StopToken) -> Option<ActionIndex> {
        (self.choose)(game, stop)
    }
}

impl fmt::Debug for ComputerPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ComputerPlayer");
        shown
            .field("threads", &self.threads)
            .finish_non_exhaustive()
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
    use crate::record::Takeback;
    use crate::rng::AgentRng;
    use dice_of_doom_games::trilobite::Trilobite;

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
