//! Open tables: games with a free seat that anybody may find and join.
//!
//! The creator opens and closes a table. It is listed as long as the creator's page of the game is open, and for
//! [`MAX_ABSENCE_MS`] afterwards, but no longer than [`MAX_LISTED_MS`]; at several servers the store tells them all when
//! the creator was last seen. The list has one table of each client network first, then the second ones, so that no
//! network fills its beginning; among these the one that was opened first comes first.

use std::collections::HashMap;
use std::sync::Arc;

use super::{
    ClientNetwork, Credentials, DisplayName, SeatChange, SeatChangeError, SeatClaimant, Service,
    ServiceError, Snapshot,
};
use crate::game::Player;
use crate::seats::{Invitation, SeatOccupant};
use crate::secret::{Secret, SecretHash};
use crate::store::{GameId, ListedSince, ListedTable, MAX_TABLES_PER_NETWORK, OpenTable};

/// How long a table stays listed after its creator was last seen at it.
const MAX_ABSENCE_MS: i64 = 2 * 60_000;

/// How long a table stays listed after it was opened: a page that remains open does not prove that somebody is there.
const MAX_LISTED_MS: i64 = 60 * 60_000;

/// How many tables of one browser are listed.
const MAX_TABLES_PER_BROWSER: u32 = 3;

/// How many tables are considered for the list.
const MAX_CONSIDERED: u32 = 200;

/// How old the stored time must be before it is stored again.
const SEEN_INTERVAL_MS: i64 = 20_000;

impl Snapshot {
    /// The free seats that anybody may take: a seat to which a program is invited is not one of them.
    #[must_use]
    pub fn free_seats(&self) -> Vec<Player> {
        let is_free = |occupant: &SeatOccupant| match occupant {
            SeatOccupant::Open { invitation } => {
                !matches!(invitation, Some(Invitation::Program { .. }))
            }
            _ => false,
        };
        let seats = Player::all(self.live.players()).zip(&self.seats.seats);
        seats
            .filter(|(_, seat)| !self.live.is_over() && is_free(&seat.occupant))
            .map(|(player, _)| player)
            .collect()
    }

    /// Whether this client may list the game among the open tables.
    #[must_use]
    pub fn can_be_opened_by(&self, credentials: &Credentials) -> bool {
        self.is_host(credentials) && !self.private && !self.free_seats().is_empty()
    }
}

impl Service {
    /// Lists a game among the open tables.
    ///
    /// # Errors
    /// [`SeatChangeError::NotYourSeat`] if this client may not do that, [`SeatChangeError::TooManyTables`] if it has the
    /// maximum of open tables, or the store fails.
    pub async fn open_table(
        &self,
        id: &GameId,
        credentials: &Credentials,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let snapshot = self.snapshot(id).await?;
        if !snapshot.can_be_opened_by(credentials) {
            let why = SeatChangeError::NotYourSeat;
            return Err(ServiceError::SeatChangeRejected { why, snapshot });
        }
        if self.has_all_tables(credentials, id).await? {
            let why = SeatChangeError::TooManyTables;
            return Err(ServiceError::SeatChangeRejected { why, snapshot });
        }
        self.list_table(id, credentials).await?;
        Ok(snapshot)
    }

    /// Lists a table. One that is listed already keeps its place, also if it is opened from another network.
    pub(super) async fn list_table(
        &self,
        id: &GameId,
        host: &Credentials,
    ) -> Result<(), ServiceError> {
        let (store, now_ms) = (&self.shared.store, self.shared.environment.now_ms());
        let listed = store.find_open_table(id).await?;
        let listed = listed.filter(|table| table.opened_ms > self.listed_since().opened_ms);
        let (opened_ms, network) = match listed {
            Some(table) => (table.opened_ms, table.network),
            None => {
                let network = self.counted_network(host.client_network);
                (now_ms, network.map(ClientNetwork::hash))
            }
        };
        let table = OpenTable {
            game: id.clone(),
            opened_ms,
            seen_ms: now_ms,
            network,
        };
        Ok(store.open_table(table).await?)
    }

    /// The network to which limits apply: none for clients on this machine, unless they are limited too.
    fn counted_network(&self, network: Option<ClientNetwork>) -> Option<ClientNetwork> {
        let limits_loopback = self.shared.settings.limit_loopback;
        network.filter(|network| {
            network.is_known() && (limits_loopback || !network.address().is_loopback())
        })
    }

    /// Whether the browser or its client network has the maximum of listed tables, besides this game.
    pub(super) async fn has_all_tables(
        &self,
        host: &Credentials,
        besides: &GameId,
    ) -> Result<bool, ServiceError> {
        let network = self.counted_network(host.client_network);
        let network = network.map(ClientNetwork::hash);
        let (mut of_browser, mut of_network) = (0, 0);
        for ListedTable { table, creator } in self.listed_tables().await? {
            if table.game != *besides {
                of_browser += u32::from(host.matches_browser(creator.as_ref()));
                of_network += u32::from(network.is_some() && table.network == network);
            }
        }
        Ok(of_browser >= MAX_TABLES_PER_BROWSER || of_network >= MAX_TABLES_PER_NETWORK)
    }

    fn listed_since(&self) -> ListedSince {
        let now_ms = self.shared.environment.now_ms();
        ListedSince {
            opened_ms: now_ms.saturating_sub(MAX_LISTED_MS),
            seen_ms: now_ms.saturating_sub(MAX_ABSENCE_MS),
        }
    }

    /// The open tables in the order of the list.
    async fn listed_tables(&self) -> Result<Vec<ListedTable>, ServiceError> {
        let store = &self.shared.store;
        let mut tables = store
            .list_open_tables(self.listed_since(), MAX_CONSIDERED)
            .await?;
        let mut of_browser = HashMap::new();
        tables.retain(|listed| {
            let tables = of_browser.entry(listed.creator).or_insert(0);
            *tables += 1;
            *tables <= MAX_TABLES_PER_BROWSER
        });
        Ok(tables)
    }

    /// Removes the tables that are no longer listed because they were opened too long ago.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn delete_old_tables(&self) -> Result<u64, ServiceError> {
        let opened_until_ms = self.listed_since().opened_ms;
        Ok(self
            .shared
            .store
            .delete_open_tables(opened_until_ms)
            .await?)
    }

    /// Removes a game from the open tables.
    ///
    /// # Errors
    /// [`SeatChangeError::NotYourSeat`] if this client did not create the game, or the store fails.
    pub async fn close_table(
        &self,
        id: &GameId,
        credentials: &Credentials,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let snapshot = self.snapshot(id).await?;
        if !snapshot.is_host(credentials) {
            let why = SeatChangeError::NotYourSeat;
            return Err(ServiceError::SeatChangeRejected { why, snapshot });
        }
        self.shared.store.close_table(id).await?;
        Ok(snapshot)
    }

    /// Records that the creator is at a table that is open, if this client is the creator. Returns whether it is open;
    /// `None` if this client cannot open it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn mark_creator_seen(
        &self,
        snapshot: &Snapshot,
        credentials: &Credentials,
    ) -> Result<Option<bool>, ServiceError> {
        if !snapshot.can_be_opened_by(credentials) {
            return Ok(None);
        }
        let (store, now_ms) = (&self.shared.store, self.shared.environment.now_ms());
        let table = store.find_open_table(&snapshot.id).await?;
        let table = table.filter(|table| table.opened_ms > self.listed_since().opened_ms);
        if let Some(table) = &table
            && now_ms.saturating_sub(table.seen_ms) >= SEEN_INTERVAL_MS
        {
            store.mark_table_seen(&snapshot.id, now_ms).await?;
        }
        Ok(Some(table.is_some()))
    }

    /// Up to `limit` open tables in the order of the list, with the minutes since they were opened.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open_tables(&self, limit: u32) -> Result<Vec<(GameId, u32)>, ServiceError> {
        let now_ms = self.shared.environment.now_ms();
        let tables = self.listed_tables().await?.into_iter();
        let with_minutes = |ListedTable { table, .. }| {
            let minutes = now_ms.saturating_sub(table.opened_ms) / 60_000;
            (table.game, u32::try_from(minutes).unwrap_or(0))
        };
        Ok(tables.take(limit as usize).map(with_minutes).collect())
    }

    /// Takes the next free seat of an open table for a browser. A browser that has a seat keeps it.
    ///
    /// # Errors
    /// [`SeatChangeError::Taken`] if the table is closed or all its seats are taken,
    /// [`SeatChangeError::TooManySeats`] if the browser or its network has not moved yet in the maximum of seats, or the
    /// store fails.
    pub async fn join_table(
        &self,
        id: &GameId,
        credentials: Credentials,
        (secret, name): (Secret, Option<DisplayName>),
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let snapshot = self.snapshot(id).await?;
        if !snapshot.seats_of(&credentials).is_empty() {
            return Ok(snapshot);
        }
        let table = self.shared.store.find_open_table(id).await?;
        let is_listed = table.is_some_and(|table| self.listed_since().includes(&table));
        if !is_listed || snapshot.private {
            let why = SeatChangeError::Taken;
            return Err(ServiceError::SeatChangeRejected { why, snapshot });
        }
        let browser = secret.hash();
        let network = self.counted_network(credentials.client_network);
        self.forget_played_seats(&browser, network).await;
        let reserved = self.shared.unplayed_seats.reserve(id, browser, network);
        let Some(reserved) = reserved else {
            let why = SeatChangeError::TooManySeats;
            return Err(ServiceError::SeatChangeRejected { why, snapshot });
        };
        let by = SeatClaimant::Browser(secret);
        let change = SeatChange::TakeFree { by, name };
        let joined = self.change_seat(id, credentials, change).await?;
        reserved.keep();
        Ok(joined)
    }

    /// The name that this browser's person used last.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn last_name(&self, browser: &SecretHash) -> Result<Option<String>, ServiceError> {
        Ok(self.shared.store.last_name(browser).await?)
    }
}
