//! Cursor pagination of lists of games, ordered by activity.

use std::fmt;
use std::str::FromStr;

use crate::secret::SecretHash;

/// A long list of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameList {
    /// The games that this browser, or whoever has this token, made or sits in, book games excluded.
    Of(SecretHash),
    /// The games that everybody may watch and that are not marked finished: neither private nor of the book's
    /// page, with at least one person.
    Watchable,
}

/// Where a game stands among others by activity: what a list goes on after.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PageCursor {
    /// Unix time of its activity, in milliseconds.
    pub(super) active_ms: i64,
    /// Counts creations.
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

/// The text is no place of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this is no place in a list")]
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

/// A part of a long list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GamePage {
    /// The games, in the list's order.
    pub games: Vec<super::GameId>,
    /// Where the last of them stands; `None` on an empty page, which is the one after the last.
    pub next: Option<PageCursor>,
}
