//! The store: persists game records and seats, and the rows of features, whose statements stand with the feature
//! (`rows.rs` in a folder of `src/site`).
//!
//! Of a game it stores only primary data and nothing derived from it: a [`GameHeader`], one row per entry (a ply, a
//! takeback, an entropy contribution), at most one ending in the same sequence, and the
//! [`Seats`](crate::seats::Seats). Cards, reviews, counters and the scores of daily games are derived from games and can be
//! computed again. It does not know the rules of the games: games, start positions, actions and
//! rolls are opaque text, and callers check the legality of a ply and the end of a game before they write. Times
//! in rows are passed by callers; only leases, and the day on several servers, follow the database's clock
//! ([`GameStore::clock`]).
//!
//! Every store guarantees:
//! - [`GameStore::append`] returns `Ok` only when the row is durable, and accepts a row only under the next
//!   entry number of its game. This optimistic lock resolves conflicts between browser tabs and between server
//!   instances.
//! - Calls are atomic: a call whose future is dropped has either taken effect completely or not at all.
//!
//! [`sqlite`] uses one file, or memory, [`postgres`] a database server; [`open()`] chooses by URL. All pass the same
//! contract tests, `tests/postgres/store`.

mod browser;
mod cards;
mod chain_hash;
mod change;
mod copy;
mod database;
mod database_time;
mod error;
mod failure;
pub mod hash_chain;
mod id;
mod lease;
mod lists;
mod local_leases;
mod migrations;
mod notification;
mod open;
pub mod postgres;
pub mod reader;
mod retention;
mod served;
mod sql;
pub mod sqlite;
mod stored_game;
mod traits;
mod usage;
mod write_queue;

pub use cards::StoredCard;
pub(crate) use change::ChangeConnection;
pub use change::{Change, ChangeError};
pub(crate) use database::connection::params;
pub use database::connection::{Dialect, SqlRow, SqlValue};
pub(crate) use database::row::{FromRow, RowReadError, SqlColumn, row};
pub use database_time::DatabaseTime;
pub use error::StoreError;
pub(crate) use id::json_ids;
pub use id::{GameId, ParseGameIdError};
pub use lease::{AppendOptions, FencingToken, LeaseResult};
pub use lists::{CursorParseError, GameList, GamePage, PageCursor};
pub use local_leases::{LocalLeases, can_continue, is_last};
pub use notification::{ChangeNotification, GameChange, GameVersion};
pub use open::{OpenError, open, open_accepting_loss, open_alone};
pub use retention::RetentionCutoffs;
pub(crate) use served::ServedTime;
pub use served::{MAX_SERVED_PERIODS, ServedPeriod};
pub use sql::tables::{Table, TableRows};
pub use stored_game::{GameHeader, GameOrigin, StoredEntry, StoredGame};
pub use traits::{ACTIVITY_MS, DataStore, GameStore, LeaseStore, Store};
pub use usage::StorageUsage;
