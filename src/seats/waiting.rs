//! A game that waits for players: nothing is played before its start.

use super::DerivedToken;

/// How long a hosted game waits for its start once all seats for people are taken.
pub const START_DELAY_MS: i64 = 8_000;

/// A game before its start. Its open seats wait for people, and people may take the seats of its computers, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The link that takes the next free seat, derived from the host's secret. `None` in a game without a host, and
    /// until the host requests one.
    pub link: Option<DerivedToken>,
    pub start: AwaitedStart,
}

/// What the start of a game waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AwaitedStart {
    /// People who take the open seats.
    People,
    /// This Unix time in milliseconds.
    At(i64),
    /// The host, who wants more people than there were seats for.
    Host,
}

impl AwaitedStart {
    /// The name in the store.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            AwaitedStart::People => "people",
            AwaitedStart::At(_) => "time",
            AwaitedStart::Host => "host",
        }
    }

    #[must_use]
    pub const fn at_ms(self) -> Option<i64> {
        match self {
            AwaitedStart::At(at_ms) => Some(at_ms),
            AwaitedStart::People | AwaitedStart::Host => None,
        }
    }

    /// The inverse of [`AwaitedStart::name`] and [`AwaitedStart::at_ms`].
    #[must_use]
    pub fn from_name(name: &str, at_ms: Option<i64>) -> Option<Self> {
        match (name, at_ms) {
            ("people", None) => Some(AwaitedStart::People),
            ("time", Some(at_ms)) => Some(AwaitedStart::At(at_ms)),
            ("host", None) => Some(AwaitedStart::Host),
            _ => None,
        }
    }
}
