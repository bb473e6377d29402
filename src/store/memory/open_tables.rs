//! Open tables in memory.

use std::cmp::Reverse;

use async_trait::async_trait;

use super::MemoryStore;
use super::game::MemoryGame;
use crate::seats::SeatOccupant;
use crate::secret::SecretHash;
use crate::store::{GameId, OpenTable, OpenTableStore, StoreError};

#[async_trait]
impl OpenTableStore for MemoryStore {
    async fn open_table(&self, table: OpenTable) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let game = games.game_mut(&table.game)?;
        game.open_table = Some(table);
        Ok(())
    }

    async fn mark_table_seen(&self, id: &GameId, at_ms: i64) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let game = games.by_id.get_mut(id);
        if let Some(table) = game.and_then(|game| game.open_table.as_mut()) {
            table.seen_ms = table.seen_ms.max(at_ms);
        }
        Ok(())
    }

    async fn close_table(&self, id: &GameId) -> Result<(), StoreError> {
        if let Some(game) = self.lock_games()?.by_id.get_mut(id) {
            game.open_table = None;
        }
        Ok(())
    }

    async fn find_open_table(&self, id: &GameId) -> Result<Option<OpenTable>, StoreError> {
        let games = self.lock_games()?;
        let game = games.by_id.get(id);
        Ok(game.and_then(|game| game.open_table.clone()))
    }

    async fn list_open_tables(
        &self,
        seen_after_ms: i64,
        limit: u32,
    ) -> Result<Vec<OpenTable>, StoreError> {
        let games = self.lock_games()?;
        let listed = games.by_id.values().filter_map(|game| {
            let table = game.open_table.as_ref()?;
            (has_free_seat(game) && table.seen_ms > seen_after_ms).then(|| table.clone())
        });
        let mut listed: Vec<OpenTable> = listed.collect();
        listed.sort_by_key(|table| (Reverse(table.opened_ms), table.game.clone()));
        listed.truncate(limit as usize);
        Ok(listed)
    }

    async fn last_name(&self, browser: &SecretHash) -> Result<Option<String>, StoreError> {
        let games = self.lock_games()?;
        let name = |game: &MemoryGame| {
            let mut seats = game.stored.seats.seats.iter();
            let own = seats.find_map(|seat| match &seat.occupant {
                SeatOccupant::Person { credentials, name } if credentials.browser == *browser => {
                    name.clone()
                }
                _ => None,
            });
            Some((game.cursor(), own?))
        };
        let named = games.by_id.values();
        let named = named.filter(|game| game.stored.header.book_of.is_none());
        let newest = named.filter_map(name).max_by_key(|(cursor, _)| *cursor);
        Ok(newest.map(|(_, name)| name))
    }
}

/// Whether it is a public, unfinished game with a free seat.
fn has_free_seat(game: &MemoryGame) -> bool {
    let header = &game.stored.header;
    let is_open = |occupant: &SeatOccupant| matches!(occupant, SeatOccupant::Open { .. });
    let mut seats = game.stored.seats.seats.iter();
    !game.is_finished()
        && !header.private
        && header.book_of.is_none()
        && seats.any(|seat| is_open(&seat.occupant))
}
