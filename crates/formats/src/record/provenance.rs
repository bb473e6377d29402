//! Provenance of a game: who played it, and the seeds of its deal and its dice.

use std::fmt::Display;
use std::num::NonZeroU64;

use dice_of_doom_core::level::{AgentProvider, Level, LevelSpec};
use serde::{Deserialize, Serialize};

use super::ArenaJson;
use crate::{FieldError, GameFormat};

/// Who played a game, and what is needed to reproduce it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The players in order; empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<RecordPlayerJson>,
    /// The seed of the deal, the dice and the agents' random choices, if the game came from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    /// The game of an arena, if it is one.
    pub arena: Option<ArenaJson>,
}

/// The maximum length of a name in bytes; the name of a program is its command.
const MAX_NAME_BYTES: usize = 1024;

impl Provenance {
    /// Nothing is known.
    pub const UNKNOWN: Provenance = Provenance {
        seats: Vec::new(),
        seed: None,
        arena: None,
    };

    /// Checks the provenance against the players and the levels of the game.
    ///
    /// # Errors
    /// The first inconsistency.
    pub(crate) fn validate<G: GameFormat + AgentProvider>(
        &self,
        game: &G,
    ) -> Result<(), FieldError> {
        let players = game.players();
        let numbers = self.seats.iter().map(|seat| seat.player);
        if !self.seats.is_empty() && !numbers.eq(0..players) {
            return Err(FieldError(format!(
                "seats: one for each player, 0 to {}",
                players - 1
            )));
        }
        for seat in &self.seats {
            let invalid =
                |why: &dyn Display| FieldError(format!("seats: player {}: {why}", seat.player));
            seat.validate().map_err(|why| invalid(&why))?;
            if let Some(level) = seat.level {
                G::check_level(G::TITLE, level).map_err(|why| invalid(&why))?;
            }
        }
        let forfeit = self.arena.as_ref().and_then(|arena| arena.forfeit.as_ref());
        if forfeit.is_some_and(|forfeit| forfeit.player.number() >= players) {
            return Err(FieldError("arena: the game has no such player".to_owned()));
        }
        Ok(())
    }
}

/// A player in a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordPlayerJson {
    /// The number of the player, counted from 0.
    pub player: u8,
    /// The kind of player.
    pub kind: RecordPlayerKind,
    /// The name of the player; of a program in an arena, its command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The level of a computer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The number of simulations for each decision of a computer. Absent if it is the level's own number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulations: Option<u64>,
}

/// A kind of player: a person (`human`), a computer (`level`), a program, or nobody yet (`open`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordPlayerKind {
    /// A person.
    Human,
    /// A computer of a level.
    Level,
    /// A program.
    Program,
    /// Nobody yet.
    Open,
}

impl RecordPlayerKind {
    const ALL: [RecordPlayerKind; 4] = [
        RecordPlayerKind::Human,
        RecordPlayerKind::Level,
        RecordPlayerKind::Program,
        RecordPlayerKind::Open,
    ];

    /// The name in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RecordPlayerKind::Human => "human",
            RecordPlayerKind::Level => "level",
            RecordPlayerKind::Program => "program",
            RecordPlayerKind::Open => "open",
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        RecordPlayerKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

impl RecordPlayerJson {
    /// A player of this kind, without a name.
    #[must_use]
    pub const fn new(player: u8, kind: RecordPlayerKind) -> Self {
        RecordPlayerJson {
            player,
            kind,
            name: None,
            level: None,
            simulations: None,
        }
    }

    /// A computer.
    #[must_use]
    pub fn level(player: u8, strength: impl Into<LevelSpec>) -> Self {
        let strength = strength.into();
        RecordPlayerJson {
            level: Some(strength.level),
            simulations: strength.simulations.map(NonZeroU64::get),
            ..RecordPlayerJson::new(player, RecordPlayerKind::Level)
        }
    }

    /// The level and simulations, if it was a computer player.
    #[must_use]
    pub fn strength(&self) -> Option<LevelSpec> {
        let simulations = self.simulations.and_then(NonZeroU64::new);
        self.level.map(|level| LevelSpec { level, simulations })
    }

    fn validate(&self) -> Result<(), &'static str> {
        let is_line = |name: &String| {
            let trimmed = name.trim();
            trimmed.len() == name.len() && !name.is_empty() && !name.contains(char::is_control)
        };
        if !self.name.as_ref().is_none_or(is_line) {
            return Err("a name is one line");
        }
        if self
            .name
            .as_ref()
            .is_some_and(|name| name.len() > MAX_NAME_BYTES)
        {
            return Err("a name has at most 1024 bytes");
        }
        match (self.kind, self.level) {
            (RecordPlayerKind::Level, _) if self.name.is_some() => Err("a level has no name"),
            _ if self.simulations == Some(0) => Err("simulations are counted from 1"),
            (RecordPlayerKind::Level, None) => Err("a level has a level"),
            (
                RecordPlayerKind::Human | RecordPlayerKind::Program | RecordPlayerKind::Open,
                Some(_),
            ) => Err("only a level has a level"),
            _ if self.level.is_none() && self.simulations.is_some() => {
                Err("only a level has simulations")
            }
            _ => Ok(()),
        }
    }
}
