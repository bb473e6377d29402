//! A computer player of any game, with what it remembers.

use std::num::NonZeroUsize;

use super::{LiveGame, RegistrableGame};
use crate::level::{Agent, LevelSpec, ObservedAction, SearchLimit};
use crate::rng;
use crate::search::StopToken;
use crate::session::Session;

/// A computer player, whatever the kind of its game. It may keep what it finds for the next ply.
pub trait ComputerPlayer: Send {
    /// On how many threads it thinks at once.
    fn threads(&self) -> NonZeroUsize;

    /// How many bytes it may come to remember at most in a game like this one.
    fn most_bytes(&self, game: &dyn LiveGame) -> usize;

    /// What it plays, in the game's notation. Slow: never on an async thread. When `stop` is raised it
    /// answers soon, with the best it has. `None` for a game of another kind than its own, or one that
    /// is over.
    fn choose(&mut self, game: &dyn LiveGame, stop: &StopToken) -> Option<String>;
}

/// The player of one kind of game.
pub(super) struct TypedComputerPlayer<G> {
    strategy: Box<dyn Agent<G>>,
    effort: SearchLimit,
}

impl<G: RegistrableGame> TypedComputerPlayer<G> {
    pub(super) fn of(strength: LevelSpec) -> Self {
        TypedComputerPlayer {
            strategy: G::agent(strength.level),
            effort: strength.effort(),
        }
    }
}

impl<G: RegistrableGame> ComputerPlayer for TypedComputerPlayer<G> {
    fn threads(&self) -> NonZeroUsize {
        self.strategy.thread_count()
    }

    fn most_bytes(&self, game: &dyn LiveGame) -> usize {
        let session = game.session::<G>();
        session.map_or(0, |session| {
            self.strategy.max_memory_bytes(session.game(), self.effort)
        })
    }

    fn choose(&mut self, game: &dyn LiveGame, stop: &StopToken) -> Option<String> {
        let session = game.session::<G>()?;
        session.status().mover()?;
        let (rules, position) = (session.game(), session.position());
        // The start tells one game from another, and no version writes it otherwise.
        let start = rules.notation(&session.record().start);
        let start = format!("{} {start}", G::NAME);
        let variety = &mut rng::agent_rng(&start, session.record().len());
        let strategy = &mut self.strategy;
        strategy.observe(rules, &mut decisions(session));
        let choice = strategy.choose(rules, position, self.effort, variety, stop);
        Some(choice.action.to_string())
    }
}

/// What was decided in the game so far and stands, oldest first.
pub(super) fn decisions<G: RegistrableGame>(
    session: &Session<G>,
) -> impl Iterator<Item = ObservedAction<G>> {
    session.line().map(|step| ObservedAction {
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
    fn what_was_taken_back_is_no_decision() {
        let game = Trilobite::new(4, 4, 4).unwrap();
        let mut session = Session::new(game, game.empty());
        let mut rng = AgentRng::seed_from_u64(1);
        for column in ["a", "b", "c"] {
            let player = session.status().mover().unwrap();
            let ply = session.prepare_ply(player, column.parse().unwrap(), &mut rng, 0);
            session = session.with_ply(ply.unwrap()).unwrap();
        }
        let columns = |session: &Session<Trilobite>| {
            let decisions = decisions(session);
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
