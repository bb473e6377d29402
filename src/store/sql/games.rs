//! Changes of games and their seats.

use std::slice::from_ref;

use async_trait::async_trait;

use super::append::append_new;
use super::decode::parse_seats;
use super::encode::{SeatColumns, WaitingColumns};
use crate::seats::{Seat, Seats, Waiting};
use crate::store::chain_hash::ChainHash;
use crate::store::change::{Change, ChangeConnection, ChangeError};
use crate::store::database::connection::params;
use crate::store::database::row::RowReadError;
use crate::store::error::StoreError;
use crate::store::id::GameId;
use crate::store::notification::GameChange;
use crate::store::stored_game::{GameHeader, GameOrigin, StoredEntry};

pub(super) struct CreateGame {
    pub(super) header: GameHeader,
    pub(super) seats: Seats,
    pub(super) entries: Vec<StoredEntry>,
    /// A change without which the game is not created, either.
    pub(super) together_with: Option<Box<dyn Change>>,
}

impl CreateGame {
    async fn insert(&self, connection: &mut dyn ChangeConnection) -> Result<(), ChangeError> {
        let CreateGame {
            header,
            seats,
            entries,
            ..
        } = self;
        connection.lock_creation().await?;
        if insert_game(connection, header, seats).await? == 0 {
            return Err(StoreError::Exists.into());
        }
        insert_seats(connection, &header.id, &seats.seats).await?;
        append_new(connection, header, entries).await?;
        connection.mark_possibly_due(&header.id).await?;
        if let Some((of, _)) = &header.rematch_of {
            let change = GameChange::Rematch(header.id.clone());
            connection.notify(&[(of, change)]).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl Change for CreateGame {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let Some(change) = &self.together_with else {
            self.insert(connection).await?;
            return Ok(0);
        };
        connection.execute("SAVEPOINT creation", &[]).await?;
        let inserted = self.insert(connection).await;
        let applied = match inserted {
            Ok(()) => change.apply(connection).await,
            Err(error) => Err(error),
        };
        match &applied {
            Ok(_) => {}
            Err(ChangeError::Rejected(_)) => {
                let undo = "ROLLBACK TO SAVEPOINT creation";
                connection.execute(undo, &[]).await?;
            }
            Err(ChangeError::Storage(_)) => return applied,
        }
        let end = "RELEASE SAVEPOINT creation";
        connection.execute(end, &[]).await?;
        applied
    }
}

/// Returns 0 if there is a game with this id, or one that only one game can be.
async fn insert_game(
    connection: &mut dyn ChangeConnection,
    header: &GameHeader,
    seats: &Seats,
) -> Result<u64, sqlx::Error> {
    let (dice, rematch) = (header.dice.as_ref(), header.rematch_of.as_ref());
    let (mut played_on, mut uploaded, mut daily) = (None, None, None);
    match &header.origin {
        Some(GameOrigin::PlayedOn { of, ply }) => played_on = Some((of, *ply)),
        Some(GameOrigin::Uploaded { id, provenance }) => uploaded = Some((id, provenance)),
        Some(GameOrigin::Daily { day }) => daily = Some(*day),
        None => {}
    }
    let waiting = WaitingColumns::new(seats.waiting.as_deref());
    let statement = "INSERT INTO game (id, game, start, dice_seed, dice_salt, pace, creator, book_of, created_ms, active_ms,
            private, replace_after_s, rematch_of, rematch_kind, chain_head, seats_hash, played_on_of, played_on_ply,
            uploaded, takebacks, uploaded_id, hints, provenance, daily, turn_s, waits_for, starts_ms, join_token,
            join_nonce)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
            $22, $23, $24, $25, $26, $27, $28)
        ON CONFLICT DO NOTHING";
    let values = params![
        &header.id,
        &header.game,
        &header.start,
        dice.map(|dice| dice.seed.as_bytes()),
        dice.map(|dice| dice.salt.as_bytes()),
        header.pace.name(),
        header.creator.as_ref(),
        header.book_of.as_ref(),
        header.created_ms,
        header.private,
        header.replace_after_s,
        rematch.map(|(of, _)| of),
        rematch.map(|(_, kind)| kind.name()),
        &ChainHash::header_hash(header),
        &ChainHash::seats_hash(seats),
        played_on.map(|(of, _)| of),
        played_on.map(|(_, ply)| ply),
        uploaded.is_some(),
        header.takebacks,
        uploaded.and_then(|(id, _)| id.as_ref()),
        header.hints,
        uploaded.and_then(|(_, provenance)| provenance.as_ref()),
        daily,
        header.turn_s,
        waiting.waits_for,
        waiting.starts_ms,
        waiting.join_token.as_ref(),
        waiting.join_nonce.as_ref(),
    ];
    connection.execute(statement, values).await
}

/// Reports the new revision.
pub(super) struct ChangeSeats {
    pub(super) id: GameId,
    pub(super) expected_revision: u32,
    pub(super) seats: Vec<Seat>,
    pub(super) waiting: Option<Waiting>,
}

#[async_trait]
impl Change for ChangeSeats {
    fn games(&self) -> &[GameId] {
        from_ref(&self.id)
    }

    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let ChangeSeats {
            id,
            expected_revision,
            seats,
            waiting,
        } = self;
        let query = "SELECT seats_revision, host, waits_for, starts_ms, join_token, join_nonce
            FROM game WHERE id = $1";
        let rows = connection.fetch_all(query, params![id]).await?;
        let row = rows.first().ok_or(StoreError::NotFound)?;
        let damaged = |error: RowReadError| StoreError::Damaged(format!("game {id}: {error}"));
        let mut changed = parse_seats(id, row, &[]).map_err(damaged)?;
        if changed.revision != *expected_revision {
            let revision = changed.revision;
            return Err(StoreError::StaleSeats { revision }.into());
        }
        changed.revision = expected_revision.wrapping_add(1);
        changed.seats.clone_from(seats);
        changed.waiting = waiting.map(Box::new);
        let statement = "UPDATE game SET seats_revision = seats_revision + 1, seats_hash = $2,
                waits_for = $3, starts_ms = $4, join_token = $5, join_nonce = $6
            WHERE id = $1";
        let waiting = WaitingColumns::new(waiting.as_ref());
        let values = params![
            id,
            &ChainHash::seats_hash(&changed),
            waiting.waits_for,
            waiting.starts_ms,
            waiting.join_token.as_ref(),
            waiting.join_nonce.as_ref(),
        ];
        connection.execute(statement, values).await?;
        let statement = "DELETE FROM seat WHERE game = $1";
        connection.execute(statement, params![id]).await?;
        insert_seats(connection, id, seats).await?;
        connection.mark_possibly_due(id).await?;
        let change = GameChange::Seats(changed.revision);
        connection.notify(&[(id, change)]).await?;
        Ok(changed.revision.into())
    }
}

async fn insert_seats(
    connection: &mut dyn ChangeConnection,
    id: &GameId,
    seats: &[Seat],
) -> Result<(), sqlx::Error> {
    let statement = "INSERT INTO seat (game, player, occupant, level, name, browser, token, invitation, joined_by, nonce,
            since_ms)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    for (player, seat) in (0_u32..).zip(seats) {
        let columns = SeatColumns::from_occupant(&seat.occupant);
        let values = params![
            id,
            player,
            columns.occupant,
            columns.level.as_deref(),
            columns.name,
            columns.browser.as_ref(),
            columns.token.as_ref(),
            columns.invitation.as_ref(),
            columns.joined_by.as_ref(),
            columns.nonce.as_ref(),
            seat.since_ms,
        ];
        connection.execute(statement, values).await?;
    }
    Ok(())
}
