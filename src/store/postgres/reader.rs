//! Opens a database for reading.

use sqlx::{ConnectOptions as _, Executor as _, PgConnection};

use super::BEGIN_SNAPSHOT;
use super::open::{SchemaPresence, find_schema, parse_url};
use super::open_error::{PostgresOpenError, database_name};

/// A connection in a transaction that sees one snapshot.
pub(in crate::store) async fn open_snapshot(url: &str) -> Result<PgConnection, PostgresOpenError> {
    let options = parse_url(url)?;
    let failed = |error: sqlx::Error| PostgresOpenError::from_error(&options, &error);
    let mut connection = options.connect().await.map_err(failed)?;
    let database = database_name(&options);
    if find_schema(&options, &mut connection).await? == SchemaPresence::Missing {
        return Err(PostgresOpenError::Empty { database });
    }
    connection.execute(BEGIN_SNAPSHOT).await.map_err(failed)?;
    Ok(connection)
}
