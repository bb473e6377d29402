//! Hashes of client networks, which limit what one network adds to public counts: HMAC-SHA256 with a random key of the
//! day, which all servers on one database share. When the board of the day is over, the key and the hashes are deleted,
//! and a hash cannot be traced to an address any more.

use crate::client_network::ClientNetwork;
use crate::day::Day;
use crate::secret;
use crate::store::{ChangeConnection, Store, StoreError, params, row};
use crate::tables::Service;

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
pub(in crate::site) async fn lock_network_key(
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
}

/// The hash of a client's network with the key of this day; `None` if limits do not apply to the network, and for days
/// whose key is deleted.
pub(in crate::site) async fn network_hash(
    service: &Service,
    network: ClientNetwork,
    day: Day,
) -> Result<Option<NetworkHash>, StoreError> {
    if service.settings().loopback.is_exempt(network.address()) {
        return Ok(None);
    }
    let store = service.store();
    let mut stored = store.network_key(day).await?;
    if stored.is_none() && day >= service.first_open_day() {
        let key = service.environment().network_key();
        store.add_network_key(NetworkKey { day, key }).await?;
        // Another server may have been faster.
        stored = store.network_key(day).await?;
    }
    Ok(stored.map(|stored| NetworkHash {
        day,
        hash: secret::hash_network(&stored.key, network.address()),
    }))
}
