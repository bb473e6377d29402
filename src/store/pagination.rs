//! Cursor pagination of lists of games.

use std::fmt;
use std::str::FromStr;

use crate::seats::ComputerPace;
use crate::secret::SecretHash;

/// A paginated list of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameList {
    /// The games that this browser, or the holder of this token, created or sits in, without book games.
    Of(SecretHash),
    /// Public, unfinished games with at least one human player, without games of the book's page.
    Watchable,
    /// Unfinished games of this pace: the games to resume after a restart.
    Unfinished(ComputerPace),
    /// All games, finished or not, in order of creation. Games that are created during the listing come last.
    All,
}

/// A game's position in the order of activity: a list continues after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PageCursor {
    /// Unix time of the last activity, in milliseconds.
    pub(super) active_ms: i64,
    /// The game's creation number; breaks ties.
    pub(super) serial: i64,
}

impl PageCursor {
    /// Before all games.
    pub(super) const FIRST: PageCursor = PageCursor {
        active_ms: i64::MAX,
        serial: i64::MAX,
    };
}

impl fmt::Display for PageCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}.{:x}", self.active_ms, self.serial)
    }
}

/// The text is not a valid cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this is not a valid page cursor")]
pub struct CursorParseError;

impl FromStr for PageCursor {
    type Err = CursorParseError;

    fn from_str(text: &str) -> Result<Self, CursorParseError> {
        let (active, serial) = text.split_once('.').ok_or(CursorParseError)?;
        let number = |text| i64::from_str_radix(text, 16).map_err(|_| CursorParseError);
        Ok(PageCursor {
            active_ms: number(active)?,
            serial: number(serial)?,
        })
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GamePage {
    pub games: Vec<super::GameId>,
    /// The cursor after the last game; `None` if the page is empty, that is after the end of the list.
    pub next: Option<PageCursor>,
}
