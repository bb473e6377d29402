//! Open tables: games with a free seat that anybody may find and join.
//!
//! The creator opens and closes a table. It is listed as long as the creator's page of the game is open, and for
//! [`MAX_ABSENCE_MS`] afterwards; at several servers the store tells them all when the creator was last seen.

use std::sync::Arc;

use super::{
    Credentials, DisplayName, SeatChange, SeatChangeError, SeatClaimant, Service, ServiceError,
    Snapshot,
};
use crate::game::Player;
use crate::seats::{Invitation, SeatOccupant};
use crate::secret::{Secret, SecretHash};
use crate::store::{GameId, OpenTable};

/// How long a table stays listed after its creator was last seen at it.
const MAX_ABSENCE_MS: i64 = 2 * 60_000;

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
    /// [`SeatChangeError::NotYourSeat`] if this client may not do that, or the store fails.
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
        self.list_table(id).await?;
        Ok(snapshot)
    }

    pub(super) async fn list_table(&self, id: &GameId) -> Result<(), ServiceError> {
        let now_ms = self.shared.environment.now_ms();
        let table = OpenTable {
            game: id.clone(),
            opened_ms: now_ms,
            seen_ms: now_ms,
        };
        Ok(self.shared.store.open_table(table).await?)
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
        if let Some(table) = &table
            && now_ms.saturating_sub(table.seen_ms) >= SEEN_INTERVAL_MS
        {
            store.mark_table_seen(&snapshot.id, now_ms).await?;
        }
        Ok(Some(table.is_some()))
    }

    /// Up to `limit` open tables, newest first, with the minutes since they were opened.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open_tables(&self, limit: u32) -> Result<Vec<(GameId, u32)>, ServiceError> {
        let now_ms = self.shared.environment.now_ms();
        let seen_after_ms = now_ms.saturating_sub(MAX_ABSENCE_MS);
        let tables = self.shared.store.list_open_tables(seen_after_ms, limit);
        let with_minutes = |table: OpenTable| {
            let minutes = now_ms.saturating_sub(table.opened_ms) / 60_000;
            (table.game, u32::try_from(minutes).unwrap_or(0))
        };
        Ok(tables.await?.into_iter().map(with_minutes).collect())
    }

    /// Takes the next free seat of an open table for a browser. A browser that has a seat keeps it.
    ///
    /// # Errors
    /// [`SeatChangeError::Taken`] if the table is closed or all its seats are taken, or the store fails.
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
        let now_ms = self.shared.environment.now_ms();
        let table = self.shared.store.find_open_table(id).await?;
        let is_listed =
            table.is_some_and(|table| table.seen_ms > now_ms.saturating_sub(MAX_ABSENCE_MS));
        if !is_listed || snapshot.private {
            let why = SeatChangeError::Taken;
            return Err(ServiceError::SeatChangeRejected { why, snapshot });
        }
        let by = SeatClaimant::Browser(secret);
        let change = SeatChange::TakeFree { by, name };
        self.change_seat(id, credentials, change).await
    }

    /// The name that this browser's person used last.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn last_name(&self, browser: &SecretHash) -> Result<Option<String>, ServiceError> {
        Ok(self.shared.store.last_name(browser).await?)
    }
}
