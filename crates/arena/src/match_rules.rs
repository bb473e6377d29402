//! How games are played beyond the rules of the game itself: clocks, and when a game is adjudicated.

use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use dice_of_doom_core::record::MAX_ENTRIES;

/// The rules of all games of an arena.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MatchRules {
    /// The clock of each player; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<MatchClock>,
    /// The number of plies after which a game is adjudicated, if that is fewer than [`Self::MAX_PLIES`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<NonZeroU32>,
    /// When a decided game is adjudicated; `None` if games are played to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjudication: Option<DecidedGame>,
}

impl MatchRules {
    /// The number of plies after which every game is adjudicated.
    pub const MAX_PLIES: u32 = MAX_ENTRIES;

    /// The number of plies after which these games are adjudicated.
    #[must_use]
    pub fn ply_limit(&self) -> u32 {
        let limit = self.max_plies.map_or(Self::MAX_PLIES, NonZeroU32::get);
        limit.min(Self::MAX_PLIES)
    }

    /// Whether these are the rules of an arena that has none of its own.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == MatchRules::default()
    }
}

/// The time of a player for a whole game, and the time that is added after each of its actions.
///
/// ```
/// use dice_of_doom_arena::MatchClock;
///
/// let clock: MatchClock = "10+0.1".parse()?;
/// assert_eq!((clock.time_ms.get(), clock.increment_ms), (10_000, 100));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchClock {
    /// The time for a game in milliseconds.
    pub time_ms: NonZeroU32,
    /// The increment in milliseconds.
    pub increment_ms: u32,
}

/// The maximum time of a clock, and of its increment: a day.
const MAX_MS: u32 = 86_400_000;

/// The text is not a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("write seconds, or seconds and an increment, for example 10+0.1; at most a day")]
pub struct MatchClockParseError;

impl FromStr for MatchClock {
    type Err = MatchClockParseError;
    fn from_str(text: &str) -> Result<Self, MatchClockParseError> {
        let ms = |seconds: &str| {
            let ms = 1e3 * seconds.trim().parse::<f64>().ok()?;
            // NaN fails every comparison.
            let is_valid = ms >= 0.0 && ms <= f64::from(MAX_MS);
            is_valid.then_some(ms.round() as u32)
        };
        let (time, increment) = text.split_once('+').unwrap_or((text, "0"));
        let time_ms = ms(time).and_then(NonZeroU32::new);
        Ok(MatchClock {
            time_ms: time_ms.ok_or(MatchClockParseError)?,
            increment_ms: ms(increment).ok_or(MatchClockParseError)?,
        })
    }
}

/// A game is decided when the evaluation has given the same player at least `share` of the game after each of `plies`
/// plies in succession, and that player would win an adjudication by the rules.
///
/// ```
/// use dice_of_doom_arena::DecidedGame;
///
/// assert_eq!("0.98,10".parse(), Ok(DecidedGame { share: 0.98, plies: 10 }));
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecidedGame {
    /// The win share, more than a half and less than 1.
    pub share: f64,
    /// The number of plies, from 1.
    pub plies: u32,
}

/// The text is not a rule for decided games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("write a win share between 0.5 and 1 and a number of plies, for example 0.98,10")]
pub struct DecidedGameParseError;

impl FromStr for DecidedGame {
    type Err = DecidedGameParseError;
    fn from_str(text: &str) -> Result<Self, DecidedGameParseError> {
        let (share, plies) = text.split_once(',').ok_or(DecidedGameParseError)?;
        let share = share.trim().parse().map_err(|_| DecidedGameParseError)?;
        let plies = plies.trim().parse().map_err(|_| DecidedGameParseError)?;
        // NaN fails every comparison.
        if share > 0.5 && share < 1.0 && plies > 0 {
            Ok(DecidedGame { share, plies })
        } else {
            Err(DecidedGameParseError)
        }
    }
}

/// The clock of one player in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayerClock {
    /// The time left.
    pub remaining: Duration,
    /// The time that is added after an action.
    pub increment: Duration,
    /// How long after its time an action may still come.
    pub grace: Duration,
}

impl PlayerClock {
    pub(super) fn new(clock: MatchClock, grace: Duration) -> Self {
        PlayerClock {
            remaining: Duration::from_millis(clock.time_ms.get().into()),
            increment: Duration::from_millis(clock.increment_ms.into()),
            grace,
        }
    }

    /// The clock after an action that took this time.
    pub(super) fn after(self, elapsed: Duration) -> Self {
        let remaining = self.remaining.saturating_sub(elapsed) + self.increment;
        PlayerClock { remaining, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_parsed() {
        let clock = |time_ms, increment_ms| MatchClock {
            time_ms: NonZeroU32::new(time_ms).unwrap(),
            increment_ms,
        };
        for (text, expected) in [
            ("10", clock(10_000, 0)),
            ("0.05+0.002", clock(50, 2)),
            ("86400 + 86400", clock(MAX_MS, MAX_MS)),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for text in [
            "", "0", "+1", "-1", "1+", "1+-1", "nan", "inf", "86401", "1+2+3",
        ] {
            assert_eq!(
                text.parse::<MatchClock>(),
                Err(MatchClockParseError),
                "{text}"
            );
        }
    }

    #[test]
    fn invalid_rules_for_decided_games_are_rejected() {
        for text in ["", "0.9", "0.9,0", "0.5,3", "1,3", "nan,3", "0.9,-1", "a,b"] {
            assert_eq!(
                text.parse::<DecidedGame>(),
                Err(DecidedGameParseError),
                "{text}"
            );
        }
    }

    #[test]
    fn a_clock_runs_down_and_is_incremented() {
        let ms = Duration::from_millis;
        let clock: MatchClock = "1+0.1".parse().unwrap();
        let clock = PlayerClock::new(clock, ms(5));
        assert_eq!(clock.after(ms(300)).remaining, ms(800));
        assert_eq!(clock.after(ms(1_004)).remaining, ms(100));
    }
}
