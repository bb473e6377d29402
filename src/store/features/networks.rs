//! Hashes of client networks. They limit what one network adds to public counts, and cannot be traced to an address
//! once the key of their day is deleted.

use super::{daily, puzzles};
use crate::day::Day;
use crate::store::sql::connection::{ChangeConnection, params};
use crate::store::sql::row::row;
use crate::store::{Store, StoreError};

/// The most answers to a puzzle, and results of a board of the day, that public counts take of one client network and
/// day.
pub const COUNTED_PER_NETWORK: u32 = 3;

row! {
    /// The random key with which the networks of a day are hashed.
    #[derive(Clone, PartialEq, Eq)]
    pub struct NetworkKey {
        pub day: Day,
        pub key: [u8; 32],
    }
}

/// The hash of a client network with the key of a day.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NetworkHash {
    pub day: Day,
    pub hash: [u8; 32],
}

impl std::fmt::Debug for NetworkKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NetworkKey({}, ..)", self.day)
    }
}

/// Locks the key of a day, so that servers count the rows with its hashes one after the other; false if it has been
/// deleted.
pub(super) async fn lock_network_key(
    connection: &mut dyn ChangeConnection,
    day: Day,
) -> Result<bool, sqlx::Error> {
    let statement = "UPDATE network_key SET day = day WHERE day = $1";
    Ok(connection.execute(statement, params![day]).await? > 0)
}

impl dyn Store {
    /// Stores the key of a day unless it has one.
    pub async fn add_network_key(&self, key: NetworkKey) -> Result<(), StoreError> {
        let statement = "INSERT INTO network_key (day, key) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        let values = params![key.day, &key.key];
        self.execute(statement, values).await.map(drop)
    }

    pub async fn network_key(&self, day: Day) -> Result<Option<NetworkKey>, StoreError> {
        let query = "SELECT * FROM network_key WHERE day = $1";
        self.fetch_optional(query, params![day]).await
    }

    /// Deletes the keys of the days before this one, and all hashes with them.
    pub async fn forget_networks(&self, before: Day) -> Result<(), StoreError> {
        let statements = [
            "DELETE FROM network_key WHERE day < $1",
            puzzles::FORGET_NETWORKS,
            daily::FORGET_NETWORKS,
        ];
        self.execute_all(&statements, params![before]).await
    }
}
