//! Whoever can be measured in a game, and how one chooses at a board.

use serde::{Deserialize, Serialize};

use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{
    Agent, AgentProvider, AgentRng, ChosenActionOf, LevelSpec, ObservedAction, SearchLimit,
};
use dice_of_doom_core::search::StopToken;

/// Whoever can be measured in a game: a level, a strategy of one's own, a program.
pub trait PlayerFactory<G: Game> {
    /// Sits down for one game; each game begins with somebody new.
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_>;
}

/// An entrant in one game.
pub trait MatchPlayer<G: Game> {
    /// Chooses in a position that is not over, as ply number `ply`.
    ///
    /// # Errors
    /// When there is no choice: the game is forfeited.
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        ply: u32,
        rng: &mut AgentRng,
    ) -> Result<ChosenActionOf<G>, PlayerFault>;

    /// Is told what was decided in the game so far, oldest first, before it chooses.
    fn observe(&mut self, game: &G, line: &mut dyn Iterator<Item = ObservedAction<G>>) {
        let _ = (game, line);
    }
}

/// Why somebody forfeits a game, with the line that did it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerFault {
    /// What kind of fault it is.
    pub fault: FaultKind,
    /// What was asked.
    pub asked: String,
    /// What came back: the line, or the program's exit status; where time was up the last line that was no answer, if
    /// there was one.
    pub answered: Option<String>,
}

/// What kind of fault ended a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// The program ended, or closed its output.
    Crash,
    /// No answer came in time.
    Timeout,
    /// The answer is no legal action, or none at all.
    Illegal,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [FaultKind; 3] = [FaultKind::Crash, FaultKind::Timeout, FaultKind::Illegal];

    /// The word of reports, in the plural.
    #[must_use]
    pub const fn plural_name(self) -> &'static str {
        match self {
            FaultKind::Crash => "crashes",
            FaultKind::Timeout => "timeouts",
            FaultKind::Illegal => "illegal answers",
        }
    }
}

/// More than any line of the platform's games needs.
const MAX_FAULT_LINE_BYTES: usize = 4_000;

impl PlayerFault {
    /// A fault; long lines are cut.
    #[must_use]
    pub fn new(fault: FaultKind, asked: &str, answered: Option<&str>) -> Self {
        let cut = |line: &str| match line.len() {
            0..=MAX_FAULT_LINE_BYTES => line.to_owned(),
            _ => format!("{}…", &line[..line.floor_char_boundary(MAX_FAULT_LINE_BYTES)]),
        };
        PlayerFault {
            fault,
            asked: cut(asked),
            answered: answered.map(cut),
        }
    }
}

/// A strategy at a board. It is kept for the game, so that what it found for a ply helps the next.
pub struct AgentPlayer<G> {
    agent: Box<dyn Agent<G>>,
    limit: SearchLimit,
    stop: StopToken,
}

impl<G: Game> AgentPlayer<G> {
    /// This strategy with its usual effort.
    #[must_use]
    pub fn new(strategy: Box<dyn Agent<G>>) -> Self {
        AgentPlayer::with_limit(strategy, SearchLimit::Usual)
    }

    /// This strategy with so much effort.
    #[must_use]
    pub fn with_limit(strategy: Box<dyn Agent<G>>, effort: SearchLimit) -> Self {
        AgentPlayer {
            agent: strategy,
            limit: effort,
            stop: StopToken::new(),
        }
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
        let AgentPlayer {
            agent: strategy,
            limit: effort,
            stop,
        } = self;
        Ok(strategy.choose(game, position, *effort, rng, stop))
    }

    fn observe(&mut self, game: &G, line: &mut dyn Iterator<Item = ObservedAction<G>>) {
        self.agent.observe(game, line);
    }
}

/// A strategy of one's own, made anew for each game.
///
/// ```
/// use dice_of_doom_arena::{Entrant, Estimate, Own, play_board};
/// use dice_of_doom_core::level::{Level, Levelled};
/// use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
///
/// let game = DiceOfDoom::new(Rules::V4, 3, 2, 5)?;
/// let greedy = Own(|| DiceOfDoom::strategy(Level::Greedy));
/// let random = Own(|| DiceOfDoom::strategy(Level::Random));
/// let seats: [&dyn Entrant<DiceOfDoom>; 2] = [&greedy, &random];
/// let boards = (0..20).map(|board| play_board(&game, 1, board, &seats));
/// let boards = boards.collect::<Result<Vec<_>, _>>()?;
/// let shares: Vec<f64> = boards.iter().map(|board| board.mean_share(0)).collect();
/// assert!(Estimate::of(&shares).low > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AgentFactory<F>(pub F);

impl<G: Game + 'static, F: Fn() -> Box<dyn Agent<G>>> PlayerFactory<G> for AgentFactory<F> {
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_> {
        Box::new(AgentPlayer::new(self.0()))
    }
}

impl<G: Game, E: PlayerFactory<G> + ?Sized> PlayerFactory<G> for &E {
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_> {
        (**self).create_player()
    }
}

impl<G: AgentProvider + 'static> PlayerFactory<G> for LevelSpec {
    fn create_player(&self) -> Box<dyn MatchPlayer<G> + '_> {
        Box::new(AgentPlayer::with_limit(G::agent(self.level), self.effort()))
    }
}
