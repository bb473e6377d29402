//! Who plays for a contestant's name, and how a finished game is written down.

use std::collections::BTreeMap;
use std::fmt;

use super::board::Forfeit;
use super::match_player::{AgentFactory, PlayerFactory};
use super::records::GameNumber;
use super::{ArenaGame, Contestant, ProgramLimits};
use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::Agent;
use dice_of_doom_core::record::Record;
use dice_of_doom_core::serialization::SerializableGame;

/// An entrant that may sit at many boards at once.
pub type BoxedPlayerFactory<'h, G> = Box<dyn PlayerFactory<G> + Send + Sync + 'h>;

/// What a contest asks of whoever gives it.
pub trait ArenaHost<G: SerializableGame>: Sync {
    /// Who plays for this contestant.
    ///
    /// # Errors
    /// Why nobody does, in one sentence.
    fn player_factory(
        &self,
        who: &Contestant,
        terms: &ProgramLimits,
    ) -> Result<BoxedPlayerFactory<'_, G>, String>;

    /// A finished game in one line, for the file of records; `None` where none are written.
    fn record(&self, game: &PlayedGame<'_, G>) -> Option<String> {
        let _ = game;
        None
    }
}

/// A finished game of an arena, with all that it came from.
#[derive(Debug)]
pub struct PlayedGame<'g, G: SerializableGame> {
    /// The seed of the arena.
    pub seed: u64,
    /// Which of its games it is.
    pub number: GameNumber,
    /// Who played each player, in order.
    pub players: Vec<&'g Contestant>,
    /// What programs were told.
    pub terms: &'g ProgramLimits,
    /// Every ply; its ending says who forfeited.
    pub record: Record<G>,
    /// Who forfeited the game, and why.
    pub forfeit: Option<&'g Forfeit>,
}

/// Levels, and strategies of one's own under names: a contestant `own:careful` is the one called `careful`.
///
/// ```
/// use dice_of_doom_arena::{Contest, Lineup, Plan, Progress, Report};
/// use dice_of_doom_core::level::{Level, Levelled};
/// use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
///
/// let lineup = Lineup::new().with("mine", || DiceOfDoom::strategy(Level::Greedy));
/// let seats = ["own:mine", "random"].map(str::parse).into_iter().collect::<Result<_, _>>()?;
/// let contest = Contest::new(Plan::Table(seats), 20);
/// let game = DiceOfDoom::new(Rules::V4, 3, 2, 5)?;
/// let Report::Table(report) = contest.run(game, &lineup, &Progress::hidden())? else {
///     unreachable!("a table");
/// };
/// assert!(report.tally.contestants[0].share.low > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CustomPlayers<G> {
    own: BTreeMap<String, BoxedPlayerFactory<'static, G>>,
}

impl<G: Game + 'static> CustomPlayers<G> {
    /// Levels alone.
    #[must_use]
    pub const fn new() -> Self {
        CustomPlayers {
            own: BTreeMap::new(),
        }
    }

    /// Adds a strategy under a name; it is made anew for each game.
    #[must_use]
    pub fn with_agent(
        mut self,
        name: &str,
        make: impl Fn() -> Box<dyn Agent<G>> + Send + Sync + 'static,
    ) -> Self {
        self.own
            .insert(name.to_owned(), Box::new(AgentFactory(make)));
        self
    }
}

impl<G: Game + 'static> Default for CustomPlayers<G> {
    fn default() -> Self {
        CustomPlayers::new()
    }
}

impl<G> fmt::Debug for CustomPlayers<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.own.keys()).finish()
    }
}

impl<G: ArenaGame> ArenaHost<G> for CustomPlayers<G> {
    fn player_factory(
        &self,
        who: &Contestant,
        _: &ProgramLimits,
    ) -> Result<BoxedPlayerFactory<'_, G>, String> {
        match who {
            Contestant::Level(strength) => Ok(Box::new(*strength)),
            Contestant::Custom(name) => {
                let own = self.own.get(name);
                let own = own.ok_or_else(|| format!("nobody here is called {name}"))?;
                Ok(Box::new(&**own))
            }
            Contestant::Program(_) => Err(format!("{who}: programs play on the command line")),
        }
    }
}
