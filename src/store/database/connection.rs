//! Connections to either database: statements with values in, rows out.

use std::borrow::Cow;

use async_trait::async_trait;
use sqlx::postgres::{PgConnection, PgRow, Postgres};
use sqlx::sqlite::{Sqlite, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Database, Row as _, SqlSafeStr};

use super::statements::{POSTGRES, SQLITE, Statements};
use crate::day::Day;
use crate::secret::{Nonce, SecretHash};
use crate::store::chain_hash::ChainHash;
use crate::store::id::GameId;

/// In which SQL statements are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// The statements that differ between the databases.
    pub(in crate::store) fn statements(self) -> &'static Statements {
        match self {
            Dialect::Sqlite => &SQLITE,
            Dialect::Postgres => &POSTGRES,
        }
    }

    /// The text of a statement in which `IN ($1[])` stands for "is one of the texts in `$1`", a JSON array.
    fn text(self, statement: &'static str) -> Cow<'static, str> {
        if !statement.contains("IN ($1[])") {
            return statement.into();
        }
        let list = match self {
            Dialect::Sqlite => "IN (SELECT value FROM json_each($1))",
            // PostgreSQL expects few elements in an array and then uses an index; it expects many rows of a function.
            Dialect::Postgres => "= ANY (ARRAY (SELECT json_array_elements_text($1::json)))",
        };
        statement.replace("IN ($1[])", list).into()
    }
}

/// A parameter of a statement. Nulls are typed, as PostgreSQL requires.
#[derive(Clone, Debug)]
pub enum SqlValue {
    Integer(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

macro_rules! values {
    ($($variant:ident: $type:ty, $value:ident => $column:expr;)*) => {$(
        impl From<$type> for SqlValue {
            fn from($value: $type) -> Self {
                SqlValue::$variant(Some($column))
            }
        }

        impl From<Option<$type>> for SqlValue {
            fn from(value: Option<$type>) -> Self {
                SqlValue::$variant(value.map(|$value| $column))
            }
        }
    )*};
}

values! {
    Integer: i64, number => number;
    Integer: u32, number => number.into();
    Integer: bool, flag => flag.into();
    Integer: Day, day => day.number().into();
    Text: String, text => text;
    Text: &String, text => text.clone();
    Text: &str, text => text.to_owned();
    Text: &GameId, id => id.to_string();
    Bytes: &SecretHash, hash => hash.as_bytes().to_vec();
    Bytes: &ChainHash, hash => hash.as_bytes().to_vec();
    Bytes: &Nonce, nonce => nonce.as_bytes().to_vec();
    Bytes: &[u8; 32], bytes => bytes.to_vec();
    Bytes: &[u8], bytes => bytes.to_vec();
}

/// The parameters of a statement: `params![&browser, day]`.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$($crate::store::SqlValue::from($value)),*]
    };
}
pub(crate) use params;

/// A row of a result.
pub enum SqlRow {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl SqlRow {
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

    /// The name of the first column.
    pub(in crate::store) fn first_column(&self) -> &str {
        use sqlx::Column as _;
        match self {
            SqlRow::Sqlite(row) => row.columns().first().map_or("", |column| column.name()),
            SqlRow::Postgres(row) => row.columns().first().map_or("", |column| column.name()),
        }
    }
}

/// A connection, or a transaction on one.
#[async_trait]
pub trait SqlConnection: Send {
    fn dialect(&self) -> Dialect;

    /// Runs a statement; returns the number of rows written.
    async fn execute(
        &mut self,
        statement: &'static str,
        values: &[SqlValue],
    ) -> Result<u64, sqlx::Error>;

    async fn fetch_all(
        &mut self,
        statement: &'static str,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, sqlx::Error>;

    /// Like [`SqlConnection::execute`], with a statement about a table of the schema.
    async fn execute_built(
        &mut self,
        statement: String,
        values: &[SqlValue],
    ) -> Result<u64, sqlx::Error>;

    /// Like [`SqlConnection::fetch_all`], with a statement about a table of the schema.
    async fn fetch_built(
        &mut self,
        statement: String,
        values: &[SqlValue],
    ) -> Result<Vec<SqlRow>, sqlx::Error>;
}

macro_rules! sql_connection {
    ($connection:ty, $database:ident) => {
        #[async_trait]
        impl SqlConnection for $connection {
            fn dialect(&self) -> Dialect {
                Dialect::$database
            }

            async fn execute(
                &mut self,
                statement: &'static str,
                values: &[SqlValue],
            ) -> Result<u64, sqlx::Error> {
                let text = Dialect::$database.text(statement);
                self.execute_built(text.into_owned(), values).await
            }

            async fn fetch_all(
                &mut self,
                statement: &'static str,
                values: &[SqlValue],
            ) -> Result<Vec<SqlRow>, sqlx::Error> {
                let text = Dialect::$database.text(statement);
                self.fetch_built(text.into_owned(), values).await
            }

            async fn execute_built(
                &mut self,
                statement: String,
                values: &[SqlValue],
            ) -> Result<u64, sqlx::Error> {
                let query = query::<$database>(AssertSqlSafe(statement), values);
                Ok(query.execute(self).await?.rows_affected())
            }

            async fn fetch_built(
                &mut self,
                statement: String,
                values: &[SqlValue],
            ) -> Result<Vec<SqlRow>, sqlx::Error> {
                let query = query::<$database>(AssertSqlSafe(statement), values);
                let rows = query.fetch_all(self).await?;
                Ok(rows.into_iter().map(SqlRow::$database).collect())
            }
        }
    };
}

sql_connection!(SqliteConnection, Sqlite);
sql_connection!(PgConnection, Postgres);

type BoundQuery<'q, D> = sqlx::query::Query<'q, D, <D as Database>::Arguments>;

fn query<'q, D: Database>(statement: impl SqlSafeStr, values: &[SqlValue]) -> BoundQuery<'q, D>
where
    for<'t> Option<i64>: sqlx::Encode<'t, D> + sqlx::Type<D>,
    for<'t> Option<&'t str>: sqlx::Encode<'t, D> + sqlx::Type<D>,
    for<'t> Option<&'t [u8]>: sqlx::Encode<'t, D> + sqlx::Type<D>,
{
    let query = sqlx::query::<D>(statement);
    values.iter().fold(query, |query, value| match value {
        SqlValue::Integer(number) => query.bind(*number),
        SqlValue::Text(text) => query.bind(text.as_deref()),
        SqlValue::Bytes(bytes) => query.bind(bytes.as_deref()),
    })
}
