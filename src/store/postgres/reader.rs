//! Opens a database for reading.

use sqlx::{ConnectOptions as _, Executor as _};

use super::BEGIN_SNAPSHOT;
use super::open::{SchemaPresence, find_schema, parse_url};
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
    connection.execute(BEGIN_SNAPSHOT).await.map_err(failed)?;
    Ok(DatabaseReader {
        snapshot: Box::new(connection),
        startup_errors: Vec::new(),
    })
}
