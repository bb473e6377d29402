//! Moves and deletes what belongs to a browser: its seats, the games that it created, and the rows of all tables with a
//! column `browser`.

use std::collections::HashMap;

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::provably_fair::hex;
use crate::seats::Seats;
use crate::secret::SecretHash;
use crate::store::chain_hash::ChainHash;
use crate::store::change::{Change, ChangeConnection, ChangeError};
use crate::store::database::connection::{SqlRow, params};
use crate::store::database::row::RowReadError;
use crate::store::error::StoreError;
use crate::store::hash_chain::IntegrityError;
use crate::store::id::{GameId, json_ids};
use crate::store::notification::GameChange;
use crate::store::sql::decode::parse_seats;
use crate::store::sql::tables::tables_of_browsers;
use crate::store::traits::Store;

struct MoveBrowser {
    from: SecretHash,
    /// Without it, the data is deleted.
    to: Option<SecretHash>,
    /// Statements that copy what `$1` has to `$2`.
    copy: Vec<&'static str>,
}

#[async_trait]
impl Change for MoveBrowser {
    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let from = &self.from;
        if let Some(to) = &self.to {
            move_games(connection, from, to).await?;
            for statement in &self.copy {
                connection.execute(statement, params![from, to]).await?;
            }
        }
        let columns = connection.dialect().statements().columns;
        let columns = connection.fetch_all(columns, params![]).await?;
        for table in tables_of_browsers(&columns)? {
            let delete = format!("DELETE FROM \"{table}\" WHERE browser = $1");
            connection.execute_built(delete, params![from]).await?;
        }
        Ok(0)
    }
}

/// Moves the seats of a browser, and the rights of the creator of its games, to another browser, with a fixed number of
/// statements whatever the number of games. A damaged game stays as it is: nobody can open it.
async fn move_games(
    connection: &mut dyn ChangeConnection,
    from: &SecretHash,
    to: &SecretHash,
) -> Result<(), sqlx::Error> {
    let query = "SELECT id FROM browser_game CROSS JOIN game
        WHERE game.serial = browser_game.serial AND browser = $1 ORDER BY id";
    let rows = connection.fetch_all(query, params![from]).await?;
    let ids: Vec<GameId> = rows.iter().filter_map(|row| row.get("id").ok()).collect();
    connection
        .lock_games(&ids.iter().collect::<Vec<_>>())
        .await?;
    // Read again, now that they are locked.
    let query =
        "SELECT id, creator, seats_revision, seats_hash, host, waits_for, starts_ms, join_token, join_nonce
        FROM browser_game CROSS JOIN game
        WHERE game.serial = browser_game.serial AND browser = $1 ORDER BY id";
    let rows = connection.fetch_all(query, params![from]).await?;
    let query = "SELECT seat.* FROM browser_game CROSS JOIN game CROSS JOIN seat
        WHERE game.serial = browser_game.serial AND seat.game = game.id AND browser_game.browser = $1
        ORDER BY seat.game, seat.player";
    let mut seats: HashMap<GameId, Vec<SqlRow>> = HashMap::new();
    for row in connection.fetch_all(query, params![from]).await? {
        if let Ok(id) = row.get("game") {
            seats.entry(id).or_default().push(row);
        }
    }
    let mut moved = Vec::new();
    for row in &rows {
        let Ok(id) = row.get::<GameId>("id") else {
            continue;
        };
        let seats = seats.remove(&id).unwrap_or_default();
        match seats_after(&id, row, &seats, (from, to)) {
            Ok(after) => moved.extend(after.map(|after| (id, after))),
            Err(error) => tracing::error!(%id, %error, "a damaged game stays with its browser"),
        }
    }
    let hashes = moved.iter().map(|(id, after)| {
        let hash = ChainHash::seats_hash(after);
        json!([id.as_str(), hex(hash.as_bytes())])
    });
    let hashes = Value::Array(hashes.collect()).to_string();
    let move_host = connection.dialect().statements().move_host;
    let values = params![hashes, from, to];
    connection.execute(move_host, values).await?;
    let ids = json_ids(moved.iter().map(|(id, _)| id));
    for (statement, values) in [
        (UNLIST_RETURN_LINKS, params![&ids, from]),
        (MOVE_SEATS, params![&ids, from, to]),
        (LIST_FOR_BROWSER, params![&ids, to]),
        (UNLIST_FOR_BROWSER, params![&ids, from]),
    ] as [(_, &[_]); 4]
    {
        connection.execute(statement, values).await?;
    }
    let changes = moved.iter();
    let changes = changes.map(|(id, after)| (id, GameChange::Seats(after.revision)));
    let changes: Vec<_> = changes.collect();
    connection.notify(&changes).await
}

/// Removes the return links of the seats that the browser `$2` has in the games of a list from the lists of games.
const UNLIST_RETURN_LINKS: &str = "DELETE FROM browser_game WHERE (browser, serial) IN
    (SELECT seat.token, game.serial FROM seat JOIN game ON game.id = seat.game
     WHERE seat.browser = $2 AND seat.nonce IS NOT NULL AND seat.game IN ($1[]))";

/// Moves the seats of the browser `$2` to the browser `$3` in the games of a list, as [`Seats::move_browser`] does. The
/// seat of a person has a nonce if it has a token; that of a program has none.
const MOVE_SEATS: &str = "UPDATE seat SET browser = $3, nonce = NULL,
        token = CASE WHEN nonce IS NULL THEN token END,
        joined_by = CASE WHEN nonce IS NULL AND token IS NOT NULL THEN joined_by END
    WHERE browser = $2 AND game IN ($1[])";

/// Lists the games of a list as those of the browser `$2`.
const LIST_FOR_BROWSER: &str = "INSERT INTO browser_game (browser, serial, active_ms)
        SELECT $2, serial, active_ms FROM game WHERE book_of IS NULL AND id IN ($1[])
    ON CONFLICT DO NOTHING";

/// Removes the games of a list from those of the browser `$2`.
const UNLIST_FOR_BROWSER: &str = "DELETE FROM browser_game WHERE browser = $2
    AND serial IN (SELECT serial FROM game WHERE id IN ($1[]))";

/// The seats of a game after the move; `None` if the browser has no part in it.
fn seats_after(
    id: &GameId,
    game: &SqlRow,
    seats: &[SqlRow],
    (from, to): (&SecretHash, &SecretHash),
) -> Result<Option<Seats>, RowReadError> {
    let mut seats = parse_seats(id, game, seats)?;
    // A new hash would hide the damage.
    if ChainHash::seats_hash(&seats) != game.get("seats_hash")? {
        return Err(RowReadError::Damaged(IntegrityError::Seats.to_string()));
    }
    let creator: Option<SecretHash> = game.get("creator")?;
    let has_moved = seats.move_browser(creator.as_ref(), from, to);
    Ok(has_moved.then_some(seats))
}

impl dyn Store {
    /// Moves the seats of a browser and the games that it created ([`Seats::move_browser`]) to the browser `to`, applies
    /// the statements `copy` with both, and deletes all other rows of the browser, in one transaction. Without `to` all
    /// but the games is deleted.
    pub(crate) async fn move_browser(
        &self,
        from: &SecretHash,
        to: Option<&SecretHash>,
        copy: Vec<&'static str>,
    ) -> Result<(), StoreError> {
        let (from, to) = (*from, to.copied());
        let change = MoveBrowser { from, to, copy };
        self.apply(Box::new(change)).await.map(drop)
    }
}
