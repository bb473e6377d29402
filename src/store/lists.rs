//! Lists of games, which follow from headers, seats and activity. Damaged rows are skipped, so that they do not hide
//! others.
//!
//! A game's activity is the time of its last entry (of its creation before the first entry) or the time at which somebody
//! last sat down, whichever is later, with a resolution of [`ACTIVITY_MS`](crate::store::ACTIVITY_MS). Ties are ordered by
//! creation, newest first.

use std::fmt;
use std::str::FromStr;

use crate::seats::ComputerPace;
use crate::secret::SecretHash;
use crate::store::database::connection::{SqlRow, params};
use crate::store::database::row::{FromRow, RowReadError};
use crate::store::error::{StoreError, unavailable};
use crate::store::id::GameId;
use crate::store::traits::Store;

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
    active_ms: i64,
    /// The game's creation number; breaks ties.
    serial: i64,
}

impl PageCursor {
    /// Before all games.
    const FIRST: PageCursor = PageCursor {
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

impl FromRow for PageCursor {
    fn from_row(row: &SqlRow) -> Result<Self, RowReadError> {
        Ok(PageCursor {
            active_ms: row.get("active_ms")?,
            serial: row.get("serial")?,
        })
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GamePage {
    pub games: Vec<GameId>,
    /// The cursor after the last game; `None` if the page is empty, that is after the end of the list.
    pub next: Option<PageCursor>,
}

/// A seat of a game.
struct SeatOfLink(GameId, u8);

impl FromRow for SeatOfLink {
    fn from_row(row: &SqlRow) -> Result<Self, RowReadError> {
        Ok(SeatOfLink(row.get("game")?, row.get("player")?))
    }
}

// SQLite joins the tables of a CROSS JOIN in the order in which they are written.
pub(in crate::store) const GAMES_OF: &str =
    "SELECT id, browser_game.active_ms AS active_ms, browser_game.serial AS serial
    FROM browser_game CROSS JOIN game
    WHERE game.serial = browser_game.serial AND browser = $1
      AND (browser_game.active_ms, browser_game.serial) < ($2, $3)
    ORDER BY browser_game.active_ms DESC, browser_game.serial DESC LIMIT $4";

pub(in crate::store) const WATCHABLE: &str = "SELECT id, active_ms, serial FROM game
    WHERE finished_ms IS NULL AND private = 0 AND book_of IS NULL AND people > 0
      AND (active_ms, serial) < ($1, $2)
    ORDER BY active_ms DESC, serial DESC LIMIT $3";

pub(in crate::store) const UNFINISHED: &str = "SELECT id, active_ms, serial FROM game
    WHERE pace = $1 AND finished_ms IS NULL AND (active_ms, serial) < ($2, $3)
    ORDER BY active_ms DESC, serial DESC LIMIT $4";

pub(in crate::store) const ALL_GAMES: &str =
    "SELECT id, active_ms, serial FROM game WHERE serial > $1 ORDER BY serial LIMIT $2";

impl dyn Store {
    /// Up to `limit` games of a list after the cursor `after`, newest activity first. A game that moves up between two
    /// requests may appear on two pages; it appears on at least one unless it leaves the list or is deleted.
    pub async fn list_games(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        let PageCursor { active_ms, serial } = after.unwrap_or(PageCursor::FIRST);
        let (query, values) = match &list {
            GameList::Of(browser) => (
                GAMES_OF,
                params![browser, active_ms, serial, limit].to_vec(),
            ),
            GameList::Watchable => (WATCHABLE, params![active_ms, serial, limit].to_vec()),
            GameList::Unfinished(pace) => {
                let values = params![pace.name(), active_ms, serial, limit];
                (UNFINISHED, values.to_vec())
            }
            GameList::All => {
                let after = after.map_or(i64::MIN, |cursor| cursor.serial);
                (ALL_GAMES, params![after, limit].to_vec())
            }
        };
        let rows = self.query(query, &values).await?;
        let next = rows.last().map(PageCursor::from_row).transpose();
        Ok(GamePage {
            games: rows.iter().filter_map(|row| row.get("id").ok()).collect(),
            next: next.map_err(unavailable)?,
        })
    }

    /// The first page of [`GameList::Of`].
    pub async fn list_games_of(
        &self,
        browser: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let page = self.list_games(GameList::Of(*browser), None, limit).await?;
        Ok(page.games)
    }

    /// The most recently created game whose [`GameHeader::book_of`](crate::store::GameHeader::book_of) is this browser.
    pub async fn book_page_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError> {
        let query = "SELECT id FROM game WHERE book_of = $1 ORDER BY serial DESC LIMIT 1";
        self.fetch_optional(query, params![browser]).await
    }

    /// The seat that a link belongs to: the token is its invitation, the invitation it was taken with, or its own token.
    /// If several match, the seat in the most recently created game.
    pub async fn find_seat_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<(GameId, u8)>, StoreError> {
        let query = "SELECT seat.game, seat.player FROM seat JOIN game ON game.id = seat.game
            WHERE seat.invitation = $1 OR seat.joined_by = $1 OR seat.token = $1
            ORDER BY game.serial DESC, seat.player LIMIT 1";
        let found = self.fetch_optional(query, params![link]).await?;
        Ok(found.map(|SeatOfLink(game, player)| (game, player)))
    }

    /// The game that waits for players whose link this is.
    pub async fn find_waiting_game(&self, link: &SecretHash) -> Result<Option<GameId>, StoreError> {
        let query = "SELECT id FROM game WHERE join_token = $1 ORDER BY serial DESC LIMIT 1";
        self.fetch_optional(query, params![link]).await
    }

    /// The name that this browser's player has in its most recently active game with a name.
    pub async fn last_name(&self, browser: &SecretHash) -> Result<Option<String>, StoreError> {
        let query = "SELECT seat.name
            FROM browser_game CROSS JOIN game CROSS JOIN seat
            WHERE browser_game.browser = $1 AND game.serial = browser_game.serial AND seat.game = game.id
              AND seat.browser = $1 AND seat.occupant = 'human' AND seat.name IS NOT NULL
              AND (seat.token IS NULL OR seat.nonce IS NOT NULL)
            ORDER BY browser_game.active_ms DESC, browser_game.serial DESC, seat.player LIMIT 1";
        self.fetch_optional(query, params![browser]).await
    }
}
