//! Cards: what lists show of a game. They are derived from records and may be deleted at any time.

use std::collections::HashMap;

use crate::seats::Seats;
use crate::store::database::connection::{SqlRow, params};
use crate::store::database::row::RowReadError;
use crate::store::error::StoreError;
use crate::store::id::{GameId, json_ids};
use crate::store::sql::decode::GameRows;
use crate::store::stored_game::{GameHeader, StoredGame};
use crate::store::traits::Store;

/// A game without its entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredCard {
    pub header: GameHeader,
    pub seats: Seats,
    /// The number of entries, the ending included.
    pub entries: u32,
    /// The card that was stored last, which may belong to an earlier number of entries.
    pub card: Option<String>,
}

impl StoredCard {
    /// From a game's row with its card, and the rows of its seats.
    fn from_rows(game: SqlRow, seats: Vec<SqlRow>) -> Result<Self, RowReadError> {
        let (entries, card) = (game.get("entries")?, game.get("card")?);
        let StoredGame { header, seats, .. } = GameRows::without_entries(game, seats).decode()?;
        Ok(StoredCard {
            header,
            seats,
            entries,
            card,
        })
    }
}

impl dyn Store {
    /// The given games without their entries, in any order; games that are missing or damaged are skipped. Hashes are
    /// not verified.
    pub async fn cards(&self, games: &[GameId]) -> Result<Vec<StoredCard>, StoreError> {
        let ids = params![json_ids(games)];
        let query =
            "SELECT game.*, card.card AS card FROM game LEFT JOIN card ON card.game = game.id
            WHERE game.id IN ($1[])";
        let rows = self.query(query, ids).await?;
        // The seats are read after the revision in the game's row: a list that is based on an older revision is read
        // again.
        let query = "SELECT * FROM seat WHERE game IN ($1[]) ORDER BY game, player";
        let mut seats: HashMap<GameId, Vec<SqlRow>> = HashMap::new();
        for seat in self.query(query, ids).await? {
            if let Ok(id) = seat.get("game") {
                seats.entry(id).or_default().push(seat);
            }
        }
        let cards = rows.into_iter().filter_map(|row| {
            let seats = seats.remove(&row.get::<GameId>("id").ok()?)?;
            StoredCard::from_rows(row, seats).ok()
        });
        Ok(cards.collect())
    }

    /// Replaces the card of a game; nothing if there is no such game.
    pub async fn store_card(&self, id: &GameId, card: String) -> Result<(), StoreError> {
        let statement = "INSERT INTO card (game, card) SELECT id, $2 FROM game WHERE id = $1
            ON CONFLICT (game) DO UPDATE SET card = excluded.card";
        let stored = self.execute_for(id, statement, params![id, card]).await;
        stored.map(drop)
    }
}
