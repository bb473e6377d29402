//! Moves the games of a browser to another one, within the writer's transaction: with a fixed number of statements,
//! whatever the number of games.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::append::{hex, json_ids};
use super::connection::{BatchConnection, SqlRow};
use super::decode::{
    RowReadError, parse_chain_hash, parse_game_id, parse_game_ids, parse_hash, parse_seats,
};
use super::queries;
use crate::seats::Seats;
use crate::secret::SecretHash;
use crate::store::hash_chain::{ChainHash, IntegrityError};
use crate::store::{GameChange, GameId};

/// Moves the seats of a browser, and the rights of the creator of its games, to another browser. A damaged game stays
/// as it is: nobody can open it.
pub(super) async fn move_games(
    connection: &mut impl BatchConnection,
    from: &SecretHash,
    to: &SecretHash,
) -> Result<(), sqlx::Error> {
    let own = [from.into()];
    let rows = connection.fetch_all(queries::GAMES_TO_MOVE, &own).await?;
    let ids = parse_game_ids(&rows, "id");
    let ids: Vec<&GameId> = ids.iter().collect();
    connection.lock_games(&ids).await?;
    let rows = connection.fetch_all(queries::ROWS_TO_MOVE, &own).await?;
    let mut seats: HashMap<GameId, Vec<SqlRow>> = HashMap::new();
    for row in connection.fetch_all(queries::SEATS_TO_MOVE, &own).await? {
        if let Some(id) = parse_game_id(&row, "game") {
            seats.entry(id).or_default().push(row);
        }
    }
    let mut moved = Vec::new();
    for row in &rows {
        let Some(id) = parse_game_id(row, "id") else {
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
        json!([id.as_str(), hex(&hash)])
    });
    let hashes = Value::Array(hashes.collect()).to_string();
    let ids = json_ids(moved.iter().map(|(id, _)| id));
    let (hashes, ids) = ((&hashes).into(), (&ids).into());
    let (from, to) = (from.into(), to.into());
    let statements = connection.statements();
    for (statement, values) in [
        (statements.move_host, &[hashes, from, to][..]),
        (statements.unlist_return_links, &[ids, from]),
        (statements.move_seats, &[ids, from, to]),
        (statements.list_for_browser, &[ids, to]),
        (statements.unlist_for_browser, &[ids, from]),
    ] {
        connection.execute(statement, values).await?;
    }
    let changes = moved.iter();
    let changes = changes.map(|(id, after)| (id, GameChange::Seats(after.revision)));
    let changes: Vec<_> = changes.collect();
    connection.notify(&changes).await
}

/// The seats of a game after the move; `None` if the browser has no part in it.
fn seats_after(
    id: &GameId,
    game: &SqlRow,
    seats: &[SqlRow],
    (from, to): (&SecretHash, &SecretHash),
) -> Result<Option<Seats>, RowReadError> {
    let mut seats = parse_seats(id, game, seats)?;
    // A new hash would hide the damage.
    if ChainHash::seats_hash(&seats) != parse_chain_hash(game, "seats_seal")? {
        return Err(RowReadError::Damaged(IntegrityError::Seats.to_string()));
    }
    let creator = parse_hash(game, "creator")?;
    let has_moved = seats.move_browser(creator.as_ref(), from, to);
    Ok(has_moved.then_some(seats))
}
