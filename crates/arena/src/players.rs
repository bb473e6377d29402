//! The host of an arena: provides the players and writes records of finished games.

use std::collections::BTreeMap;
use std::fmt;

use super::match_player::{AgentFactory, PlayerFactory};
use super::{ArenaGame, Contestant, ProgramLimits};
use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::Agent;
use dice_of_doom_core::record::Record;
use dice_of_doom_core::serialization::SerializableGame;
use dice_of_doom_formats::record::{Forfeit, GameNumber};

/// A player factory that can be shared between threads.
pub type BoxedPlayerFactory<'h, G> = Box<dyn PlayerFactory<G> + Send + Sync + 'h>;

/// What an arena needs from its caller.
pub trait ArenaHost<G: SerializableGame>: Sync {
    /// The factory of this contestant's players.
    ///
    /// # Errors
    /// Why the contestant has no player, in one sentence.
    fn player_factory(
        &self,
        contestant: &Contestant,
        limits: &ProgramLimits,
    ) -> Result<BoxedPlayerFactory<'_, G>, String>;

    /// The record of a finished game in one line; `None` if no records are written.
    fn record(&self, game: &PlayedGame<'_, G>) -> Option<String> {
        let _ = game;
        None
    }
}

/// A finished game of an arena with its provenance.
#[derive(Debug)]
#[non_exhaustive]
pub struct PlayedGame<'g, G: SerializableGame> {
    /// The seed of the arena.
    pub seed: u64,
    /// Table, board and rotation of the game.
    pub number: GameNumber,
    /// The contestant of each player, in order.
    pub players: Vec<&'g Contestant>,
    /// The limits of external programs.
    pub program_limits: &'g ProgramLimits,
    /// The record; its ending states a forfeit.
    pub record: Record<G>,
    /// The forfeit that ended the game, if any.
    pub forfeit: Option<&'g Forfeit>,
}

/// A host with the levels and with custom agents: the contestant `own:careful` is the agent added as `careful`.
/// [The documentation of this crate](crate) has an example.
pub struct CustomPlayers<G> {
    factories: BTreeMap<String, BoxedPlayerFactory<'static, G>>,
}

impl<G: Game + 'static> CustomPlayers<G> {
    /// A host with the levels only.
    #[must_use]
    pub const fn new() -> Self {
        CustomPlayers {
            factories: BTreeMap::new(),
        }
    }

    /// Adds an agent under a name; `make` is called once per game.
    #[must_use]
    pub fn with_agent(
        mut self,
        name: &str,
        make: impl Fn() -> Box<dyn Agent<G>> + Send + Sync + 'static,
    ) -> Self {
        self.factories
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
        f.debug_set().entries(self.factories.keys()).finish()
    }
}

impl<G: ArenaGame> ArenaHost<G> for CustomPlayers<G> {
    fn player_factory(
        &self,
        contestant: &Contestant,
        _: &ProgramLimits,
    ) -> Result<BoxedPlayerFactory<'_, G>, String> {
        match contestant {
            Contestant::Level(strength) => match G::check_level(G::NAME, strength.level) {
                Ok(()) => Ok(Box::new(*strength)),
                Err(missing) => Err(missing.to_string()),
            },
            Contestant::Custom(name) => {
                let factory = self.factories.get(name);
                let factory = factory.ok_or_else(|| format!("nobody here is called {name}"))?;
                Ok(Box::new(&**factory))
            }
            Contestant::Program(_) => {
                Err(format!("{contestant}: programs play on the command line"))
            }
        }
    }
}
