//! Change notifications between processes through LISTEN/NOTIFY. They are only hints: notifications are lost
//! while the connection is down, and a receiver of [`ChangeNotification::Missed`] must poll.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnection, PgListener, PgPool};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::heartbeat::Heartbeat;
use crate::store::GameId;
use crate::store::notification::{ChangeNotification, GameChange};

/// The channel name in the database.
pub(super) const CHANNEL: &str = "games";

/// Capacity of a receiver's buffer; a receiver that falls further behind misses notifications.
pub(super) const WAITING: usize = 1024;

/// Pause before a reconnect.
const PAUSE: Duration = Duration::from_millis(100);

/// Sends notifications, which PostgreSQL delivers when the transaction commits.
pub(super) async fn notify(
    connection: &mut PgConnection,
    rings: &[(&GameId, GameChange)],
) -> Result<(), sqlx::Error> {
    if rings.is_empty() {
        return Ok(());
    }
    let words: Vec<String> = rings.iter().map(|(id, news)| payload(id, news)).collect();
    sqlx::query("SELECT pg_notify($1, word) FROM unnest($2) AS word")
        .bind(CHANNEL)
        .bind(words)
        .execute(connection)
        .await?;
    Ok(())
}

fn payload(id: &GameId, news: &GameChange) -> String {
    match news {
        GameChange::Entries(entries) => format!("{id} entries {entries}"),
        GameChange::Seats(revision) => format!("{id} seats {revision}"),
        GameChange::Rematch(rematch) => format!("{id} rematch {rematch}"),
    }
}

/// Parses a payload; `None` for unknown payloads, which a later release may send.
fn read(word: &str) -> Option<ChangeNotification> {
    let mut parts = word.split(' ');
    let id = parts.next()?.parse().ok()?;
    let (kind, what) = (parts.next()?, parts.next()?);
    let news = match kind {
        "entries" => GameChange::Entries(what.parse().ok()?),
        "seats" => GameChange::Seats(what.parse().ok()?),
        "rematch" => GameChange::Rematch(what.parse().ok()?),
        _ => return None,
    };
    Some(ChangeNotification::Game(id, news))
}

/// Receives notifications on a connection of its own until the store is closed.
pub(super) async fn listen(
    pool: PgPool,
    rings: broadcast::Sender<ChangeNotification>,
    pulse: Arc<Heartbeat>,
    closing: CancellationToken,
) {
    let listening = async {
        loop {
            if let Err(error) = receive(&pool, &rings, &pulse).await {
                tracing::debug!(%error, "the connection for notifications was lost");
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    closing.run_until_cancelled(listening).await;
    pool.close().await;
}

/// Receives notifications until the connection is lost.
async fn receive(
    pool: &PgPool,
    rings: &broadcast::Sender<ChangeNotification>,
    pulse: &Heartbeat,
) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.ignore_pool_close_event(true);
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    // Sent after LISTEN, so that a receiver that polls now misses nothing.
    let _ = rings.send(ChangeNotification::Missed);
    while let Some(heard) = listener.try_recv().await? {
        if pulse.is_heartbeat(heard.payload()) {
            continue;
        }
        if let Some(ring) = read(heard.payload()) {
            // There may be no receiver.
            let _ = rings.send(ring);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_round_trip_and_unknown_ones_are_ignored() {
        let (id, other) = (GameId::random(), GameId::random());
        for news in [
            GameChange::Entries(17),
            GameChange::Seats(2),
            GameChange::Rematch(other),
        ] {
            assert_eq!(
                read(&payload(&id, &news)),
                Some(ChangeNotification::Game(id.clone(), news))
            );
        }
        for noise in [
            "",
            "a b c",
            &format!("{id} later 3"),
            &format!("{id} seats"),
        ] {
            assert_eq!(read(noise), None, "{noise:?}");
        }
    }
}
