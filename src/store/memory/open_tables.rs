//! Open tables in memory.

use std::collections::HashMap;

use async_trait::async_trait;

use super::MemoryStore;
use super::game::MemoryGame;
use crate::seats::SeatOccupant;
use crate::secret::SecretHash;
use crate::store::{
    GameId, ListedSince, ListedTable, MAX_TABLES_PER_NETWORK, OpenTable, OpenTableStore, StoreError,
};

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

    async fn delete_open_tables(&self, opened_until_ms: i64) -> Result<u64, StoreError> {
        let mut deleted = 0;
        for game in self.lock_games()?.by_id.values_mut() {
            let table = &mut game.open_table;
            let old = table.take_if(|table| table.opened_ms <= opened_until_ms);
            deleted += u64::from(old.is_some());
        }
        Ok(deleted)
    }

    async fn find_open_table(&self, id: &GameId) -> Result<Option<OpenTable>, StoreError> {
        let games = self.lock_games()?;
        let game = games.by_id.get(id);
        Ok(game.and_then(|game| game.open_table.clone()))
    }

    async fn list_open_tables(
        &self,
        since: ListedSince,
        limit: u32,
    ) -> Result<Vec<ListedTable>, StoreError> {
        let games = self.lock_games()?;
        let listed = games.by_id.values().filter_map(|game| {
            let table = game.open_table.as_ref()?;
            (has_free_seat(game) && since.includes(table)).then(|| ListedTable {
                table: table.clone(),
                creator: game.creator().copied(),
            })
        });
        let mut listed: Vec<ListedTable> = listed.collect();
        listed.sort_by_key(|ListedTable { table, .. }| (table.opened_ms, table.game.clone()));
        let mut of_network = HashMap::new();
        let with_place = listed.into_iter().map(|listed| {
            let place = listed.table.network.map_or(1, |network| {
                let place = of_network.entry(network).or_insert(0);
                *place += 1;
                *place
            });
            (place, listed)
        });
        let mut placed: Vec<(u32, ListedTable)> = with_place
            .filter(|(place, _)| *place <= MAX_TABLES_PER_NETWORK)
            .collect();
        placed.sort_by_key(|(place, _)| *place);
        placed.truncate(limit as usize);
        Ok(placed.into_iter().map(|(_, listed)| listed).collect())
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
