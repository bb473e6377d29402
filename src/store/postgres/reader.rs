//! Opens a database for reading.

use sqlx::{ConnectOptions as _, Executor as _};

use super::BEGIN_SNAPSHOT;
use super::open::{SchemaPresence, find_schema, newest_migration, parse_url};
use super::open_error::{PostgresOpenError, database_name};
use crate::store::reader::DatabaseReader;

/// Opens a database for reading.
pub(in crate::store) async fn open_reader(url: &str) -> Result<DatabaseReader, PostgresOpenError> {
    let options = parse_url(url)?;
    let failed = |error: sqlx::Error| PostgresOpenError::from_error(&options, &error);
    let mut connection = options.connect().await.map_err(failed)?;
    let database = database_name(&options);
    if find_schema(&options, &mut connection).await? == SchemaPresence::Missing {
        return Err(PostgresOpenError::Empty { database });
    }
    let query = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations";
    let version: i64 = sqlx::query_scalar(query)
        .fetch_one(&mut connection)
        .await
        .map_err(failed)?;
    if version > newest_migration() {
        return Err(PostgresOpenError::TooNew { database, version });
    }
    connection.execute(BEGIN_SNAPSHOT).await.map_err(failed)?;
    Ok(DatabaseReader {
        snapshot: Box::new(connection),
        startup_errors: Vec::new(),
    })
}
