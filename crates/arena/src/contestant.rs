//! Contestants: a level, and how much it may compute.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use dice_of_doom_core::game::Game;
use dice_of_doom_core::level::{Effort, Level, Levelled, Strategy, UnknownLevel};

/// A level with its effort. Its text form is `LEVEL` or `LEVEL:SIMULATIONS`.
///
/// ```
/// use dice_of_doom_arena::Contestant;
///
/// let thrifty: Contestant = "master:400".parse()?;
/// assert_eq!(thrifty.to_string(), "master:400");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Contestant {
    /// The level that plays.
    pub level: Level,
    /// How many simulations it may make; without a number, the level's own budget.
    pub simulations: Option<NonZeroU64>,
}

/// Whoever can be measured in a game: a [`Contestant`], or a player of one's own.
pub trait Entrant<G: Game> {
    /// The strategy that plays one game; each game begins with a new one.
    fn strategy(&self) -> Box<dyn Strategy<G>>;

    /// The effort that the strategy is given.
    fn effort(&self) -> Effort {
        Effort::Usual
    }
}

impl<G: Levelled> Entrant<G> for Contestant {
    fn strategy(&self) -> Box<dyn Strategy<G>> {
        G::strategy(self.level)
    }

    fn effort(&self) -> Effort {
        self.simulations.map_or(Effort::Usual, Effort::Simulations)
    }
}

impl<G: Game, E: Entrant<G> + ?Sized> Entrant<G> for &E {
    fn strategy(&self) -> Box<dyn Strategy<G>> {
        (**self).strategy()
    }

    fn effort(&self) -> Effort {
        (**self).effort()
    }
}

impl From<Level> for Contestant {
    fn from(level: Level) -> Self {
        let simulations = None;
        Contestant { level, simulations }
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.simulations {
            None => f.pad(self.level.name()),
            Some(simulations) => f.pad(&format!("{}:{simulations}", self.level)),
        }
    }
}

impl From<Contestant> for String {
    fn from(contestant: Contestant) -> String {
        contestant.to_string()
    }
}

/// Why a text names no contestant.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnknownContestant {
    /// No level has this name.
    #[error("{0}")]
    Level(#[from] UnknownLevel),
    /// What follows the colon is no number of simulations.
    #[error("{0:?} is no number of simulations; write for example master:400")]
    Simulations(String),
}

impl FromStr for Contestant {
    type Err = UnknownContestant;
    fn from_str(text: &str) -> Result<Self, UnknownContestant> {
        let Some((level, simulations)) = text.split_once(':') else {
            return Ok(Contestant::from(text.parse::<Level>()?));
        };
        let level = level.parse()?;
        let number = simulations.parse();
        let number = number.map_err(|_| UnknownContestant::Simulations(simulations.to_owned()))?;
        let simulations = Some(number);
        Ok(Contestant { level, simulations })
    }
}

impl TryFrom<String> for Contestant {
    type Error = UnknownContestant;
    fn try_from(text: String) -> Result<Self, UnknownContestant> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contestant_is_written_as_it_is_read() {
        for text in ["book", "master:400", "random:1"] {
            let contestant: Contestant = text.parse().expect(text);
            assert_eq!(contestant.to_string(), text);
        }
        for (text, complaint) in [
            ("god", "there is no level called \"god\""),
            ("master:", "\"\" is no number of simulations"),
            ("master:0", "\"0\" is no number of simulations"),
        ] {
            let error = text.parse::<Contestant>().expect_err(text).to_string();
            assert!(error.starts_with(complaint), "{error}");
        }
    }
}
