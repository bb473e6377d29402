//! Connections to either database: statements with values in, rows out.

use async_trait::async_trait;
use sqlx::postgres::{PgConnection, PgRow, Postgres};
use sqlx::sqlite::{Sqlite, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Database, Row as _, SqlSafeStr};

use super::queries::{POSTGRES, SQLITE, Statements};
use crate::secret::{Nonce, SecretHash};
use crate::store::hash_chain::ChainHash;
use crate::store::lease::AppendOptions;
use crate::store::notification::GameChange;
use crate::store::write_queue::AppendRequest;
use crate::store::{GameId, StoreError, StoredEntry};

/// A parameter of a statement. Nulls are typed, as PostgreSQL requires.
#[derive(Clone, Copy)]
pub(in crate::store) enum SqlValue<'a> {
    Integer(Option<i64>),
    Text(Option<&'a str>),
    Bytes(Option<&'a [u8]>),
}

macro_rules! values {
    ($($variant:ident: $type:ty, $value:ident => $column:expr;)*) => {$(
        impl<'a> From<$type> for SqlValue<'a> {
            fn from($value: $type) -> Self {
                SqlValue::$variant(Some($column))
            }
        }

        impl<'a> From<Option<$type>> for SqlValue<'a> {
            fn from(value: Option<$type>) -> Self {
                SqlValue::$variant(value.map(|$value| $column))
            }
        }
    )*};
}

values! {
    Integer: i64, number => number;
    Integer: u32, number => number.into();
    Integer: u16, number => number.into();
    Integer: bool, flag => flag.into();
    Text: &'a str, text => text;
    Text: &'a String, text => text.as_str();
    Text: &'a GameId, id => id.as_str();
    Bytes: &'a SecretHash, hash => hash.as_bytes().as_slice();
    Bytes: &'a ChainHash, hash => hash.as_bytes().as_slice();
    Bytes: &'a Nonce, nonce => nonce.as_bytes().as_slice();
    Bytes: &'a [u8; 32], bytes => bytes.as_slice();
    Bytes: &'a [u8], bytes => bytes;
}

/// A row of a result.
pub(in crate::store) enum SqlRow {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl SqlRow {
    /// Whether the column exists: databases of earlier releases that are opened read-only lack some.
    pub(in crate::store) fn has(&self, column: &str) -> bool {
        match self {
            SqlRow::Sqlite(row) => row.try_column(column).is_ok(),
            SqlRow::Postgres(row) => row.try_column(column).is_ok(),
        }
    }

    pub(in crate::store) fn integer(&self, column: &str) -> Result<Option<i64>, sqlx::Error> {
        match self {
            SqlRow::Sqlite(row) => row.try_get(column),
            SqlRow::Postgres(row) => row.try_get(column),
        }
    }

    pub(in crate::store) fn text(&self, column: &str) -> Result<Option<&str>, sqlx::Error> {
        match self {
            SqlRow::Sqlite(row) => row.try_get(column),
            SqlRow::Postgres(row) => row.try_get(column),
        }
    }

    pub(in crate::store) fn bytes(&self, column: &str) -> Result<Option<&[u8]>, sqlx::Error> {
        match self {
            SqlRow::Sqlite(row) => row.try_get(column),
            SqlRow::Postgres(row) => row.try_get(column),
        }
    }
}

/// A connection, or a transaction on one.
#[async_trait]
pub(in crate::store) trait SqlConnection: Send {
    /// The statements that differ between the databases.
    fn statements(&self) -> &'static Statements;

    /// Runs a statement; returns the number of rows written.
    async fn execute(
        &mut self,
        statement: &'static str,
        values: &[SqlValue<'_>],
    ) -> Result<u64, sqlx::Error>;

    async fn fetch_all(
        &mut self,
        statement: &'static str,
        values: &[SqlValue<'_>],
    ) -> Result<Vec<SqlRow>, sqlx::Error>;

    /// Like [`SqlConnection::execute`], with a statement about a table of the schema.
    async fn execute_built(
        &mut self,
        statement: String,
        values: &[SqlValue<'_>],
    ) -> Result<u64, sqlx::Error>;

    /// Like [`SqlConnection::fetch_all`], with a statement about a table of the schema.
    async fn fetch_built(
        &mut self,
        statement: String,
        values: &[SqlValue<'_>],
    ) -> Result<Vec<SqlRow>, sqlx::Error>;
}

macro_rules! sql_connection {
    ($connection:ty, $database:ident, $statements:ident) => {
        #[async_trait]
        impl SqlConnection for $connection {
            fn statements(&self) -> &'static Statements {
                &$statements
            }

            async fn execute(
                &mut self,
                statement: &'static str,
                values: &[SqlValue<'_>],
            ) -> Result<u64, sqlx::Error> {
                let query = query::<$database>(statement, values);
                Ok(query.execute(self).await?.rows_affected())
            }

            async fn fetch_all(
                &mut self,
                statement: &'static str,
                values: &[SqlValue<'_>],
            ) -> Result<Vec<SqlRow>, sqlx::Error> {
                let query = query::<$database>(statement, values);
                let rows = query.fetch_all(self).await?;
                Ok(rows.into_iter().map(SqlRow::$database).collect())
            }

            async fn execute_built(
                &mut self,
                statement: String,
                values: &[SqlValue<'_>],
            ) -> Result<u64, sqlx::Error> {
                let query = query::<$database>(AssertSqlSafe(statement), values);
                Ok(query.execute(self).await?.rows_affected())
            }

            async fn fetch_built(
                &mut self,
                statement: String,
                values: &[SqlValue<'_>],
            ) -> Result<Vec<SqlRow>, sqlx::Error> {
                let query = query::<$database>(AssertSqlSafe(statement), values);
                let rows = query.fetch_all(self).await?;
                Ok(rows.into_iter().map(SqlRow::$database).collect())
            }
        }
    };
}

sql_connection!(SqliteConnection, Sqlite, SQLITE);
sql_connection!(PgConnection, Postgres, POSTGRES);

type Query<'q, D> = sqlx::query::Query<'q, D, <D as Database>::Arguments>;

fn query<'q, D: Database>(statement: impl SqlSafeStr, values: &[SqlValue<'_>]) -> Query<'q, D>
where
    for<'t> Option<i64>: sqlx::Encode<'t, D> + sqlx::Type<D>,
    for<'t> Option<&'t str>: sqlx::Encode<'t, D> + sqlx::Type<D>,
    for<'t> Option<&'t [u8]>: sqlx::Encode<'t, D> + sqlx::Type<D>,
{
    let query = sqlx::query::<D>(statement);
    values.iter().fold(query, |query, value| match *value {
        SqlValue::Integer(number) => query.bind(number),
        SqlValue::Text(text) => query.bind(text),
        SqlValue::Bytes(bytes) => query.bind(bytes),
    })
}

/// The writer's connection. The provided methods are for a database that only this process has open; servers
/// that share one override them. Locks are held until the commit.
#[async_trait]
pub(in crate::store) trait BatchConnection: SqlConnection {
    /// The leases of the games of a batch that are stored in the database.
    type Leases: BatchLeases;

    /// Whether the error is a defect in one change rather than in the storage.
    fn is_constraint_violation(error: &sqlx::Error) -> bool;

    /// Locks the rows of existing games.
    async fn lock_games(&mut self, games: &[&GameId]) -> Result<(), sqlx::Error> {
        let _ = games;
        Ok(())
    }

    /// Locks the creation of games, so that games become visible in the order of their serial numbers.
    async fn lock_creation(&mut self) -> Result<(), sqlx::Error> {
        Ok(())
    }

    /// Locks the counters.
    async fn lock_counts(&mut self) -> Result<(), sqlx::Error> {
        Ok(())
    }

    /// Locks and reads the leases of the games of these appends.
    async fn lock_leases(
        &mut self,
        appends: &[&AppendRequest],
    ) -> Result<Self::Leases, sqlx::Error> {
        let _ = appends;
        Ok(Self::Leases::default())
    }

    async fn write_leases(&mut self, leases: &Self::Leases) -> Result<(), sqlx::Error> {
        let _ = leases;
        Ok(())
    }

    /// Marks a game as possibly due after its creation or a change of seats.
    async fn mark_possibly_due(&mut self, id: &GameId) -> Result<(), sqlx::Error> {
        let _ = id;
        Ok(())
    }

    /// Notifies other servers of these changes at the commit.
    async fn notify(&mut self, changes: &[(&GameId, GameChange)]) -> Result<(), sqlx::Error> {
        let _ = changes;
        Ok(())
    }
}

/// The leases of the games of a batch.
pub(in crate::store) trait BatchLeases: Default + Send + Sync {
    /// # Errors
    /// [`StoreError::Fenced`] if the entry's fencing token is not the newest.
    fn check_fence(&self, id: &GameId, options: AppendOptions) -> Result<(), StoreError>;

    /// Records the scheduling data of an append; returns the granted fencing token, 0 for none.
    fn record_append(&mut self, id: &GameId, entry: &StoredEntry, options: AppendOptions) -> u64;
}

/// No leases are stored in the database.
impl BatchLeases for () {
    fn check_fence(&self, _: &GameId, _: AppendOptions) -> Result<(), StoreError> {
        Ok(())
    }

    fn record_append(&mut self, _: &GameId, _: &StoredEntry, _: AppendOptions) -> u64 {
        0
    }
}
