//! Players of an arena: factories that create a player for each game, and the players' choices and faults.

use dice_of_doom_formats::record::{FaultKind, PlayerFault};
use std::time::Instant;

use super::board_result::GameResult;
use super::match_rules::PlayerClock;
use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{
    Agent, AgentProvider, AgentRng, ChosenActionOf, LevelSpec, ObservedAction, SearchLimit,
};
use dice_of_doom_core::search::StopToken;

/// Creates players of one kind: a level, a custom agent or an external program.
pub trait PlayerFactory<G: Game> {
    /// Creates a player for one game; players are not reused in other games.
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_>;
}

/// A player in one game.
pub trait MatchPlayer<G: Game> {
    /// Prepares for the next choice, outside of the time that is measured and that a clock counts.
    ///
    /// # Errors
    /// When the player cannot play; it then forfeits the game.
    fn prepare(&mut self, game: &G, position: &G::Position) -> Result<(), PlayerFault> {
        let _ = (game, position);
        Ok(())
    }

    /// Chooses an action in a position that is not terminal, as ply number `ply`.
    ///
    /// # Errors
    /// When the player gives no legal action; it then forfeits the game.
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        ply: u32,
        rng: &mut AgentRng,
    ) -> Result<ChosenActionOf<G>, PlayerFault>;

    /// Receives the player's clock before each choice, if there are clocks. A player whose action comes later than the
    /// remaining time and the grace returns the fault [`FaultKind::Timeout`].
    fn set_clock(&mut self, clock: &PlayerClock) {
        let _ = clock;
    }

    /// Receives all earlier decisions of the game, oldest first, before each choice.
    fn observe(&mut self, game: &G, history: &mut dyn Iterator<Item = ObservedAction<G>>) {
        let _ = (game, history);
    }

    /// Receives the last position and the result when the game has ended.
    fn finish(&mut self, game: &G, position: &G::Position, result: &GameResult) {
        let _ = (game, position, result);
    }
}

/// An agent in one game. It is retained for the whole game, so that its search tree can be reused.
pub struct AgentPlayer<G> {
    agent: Box<dyn Agent<G>>,
    limit: SearchLimit,
    stop: StopToken,
    clock: Option<PlayerClock>,
}

impl<G: Game> AgentPlayer<G> {
    /// A player with the agent's default search limit.
    #[must_use]
    pub fn new(agent: Box<dyn Agent<G>>) -> Self {
        AgentPlayer::with_limit(agent, SearchLimit::Default)
    }

    /// A player with this search limit.
    #[must_use]
    pub fn with_limit(agent: Box<dyn Agent<G>>, limit: SearchLimit) -> Self {
        AgentPlayer {
            agent,
            limit,
            stop: StopToken::new(),
            clock: None,
        }
    }
}

impl<G: Game> From<Box<dyn Agent<G>>> for AgentPlayer<G> {
    fn from(agent: Box<dyn Agent<G>>) -> Self {
        AgentPlayer::new(agent)
    }
}

impl<G: Game> MatchPlayer<G> for AgentPlayer<G> {
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        _: u32,
        rng: &mut AgentRng,
    ) -> Result<ChosenActionOf<G>, PlayerFault> {
        let started = Instant::now();
        let chosen = (self.agent).choose_action(game, position, self.limit, rng, &self.stop);
        match self.clock {
            Some(clock) if started.elapsed() > clock.remaining.saturating_add(clock.grace) => {
                let asked = format!("an action within {} ms", clock.remaining.as_millis());
                Err(PlayerFault::new(FaultKind::Timeout, &asked, None))
            }
            _ => Ok(chosen),
        }
    }

    fn set_clock(&mut self, clock: &PlayerClock) {
        self.clock = Some(*clock);
    }

    fn observe(&mut self, game: &G, history: &mut dyn Iterator<Item = ObservedAction<G>>) {
        self.agent.observe(game, history);
    }
}

/// A factory of agents or of [`AgentPlayer`]s: calls the function once per game.
///
/// ```
/// use dice_of_doom_arena::{AgentFactory, Estimate, PlayerFactory, play_board};
/// use dice_of_doom_core::level::{AgentProvider, Level};
/// use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
///
/// let game = DiceOfDoom::new(Rules::V4, 3, 2, 5)?;
/// let greedy = AgentFactory(|| DiceOfDoom::agent(Level::Greedy));
/// let random = AgentFactory(|| DiceOfDoom::agent(Level::Random));
/// let seats: [&dyn PlayerFactory<DiceOfDoom>; 2] = [&greedy, &random];
/// let boards = (0..20).map(|board| play_board(&game, 1, board, &seats));
/// let boards = boards.collect::<Result<Vec<_>, _>>()?;
/// let shares: Vec<f64> = boards.iter().map(|board| board.mean_win_share(0)).collect();
/// assert!(Estimate::from_samples(&shares).low > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AgentFactory<F>(pub F);

impl<G, P, F> PlayerFactory<G> for AgentFactory<F>
where
    G: Game + 'static,
    P: Into<AgentPlayer<G>>,
    F: Fn() -> P,
{
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_> {
        Box::new(self.0().into())
    }
}

impl<G: Game, E: PlayerFactory<G> + ?Sized> PlayerFactory<G> for &E {
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_> {
        (**self).create_player()
    }
}

impl<G: AgentProvider + 'static> PlayerFactory<G> for LevelSpec {
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_> {
        Box::new(AgentPlayer::with_limit(
            G::agent(self.level),
            self.search_limit(),
        ))
    }
}
