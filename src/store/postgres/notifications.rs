//! Change notifications between processes through LISTEN/NOTIFY. They are only hints: notifications are lost
//! while the connection is down, and a receiver of [`ChangeNotification::Lagged`] must poll.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnection, PgListener, PgPool};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::heartbeat::Heartbeat;
use crate::game::{MAX_PLAYERS, Player};
use crate::seats::SaidPhrase;
use crate::store::id::GameId;
use crate::store::notification::{ChangeNotification, GameChange};

/// The channel name in the database.
pub(super) const CHANNEL: &str = "games";

/// Capacity of a receiver's buffer; a receiver that falls further behind misses notifications.
pub(super) const BUFFERED_NOTIFICATIONS: usize = 1024;

/// Maximum changes in one notification, whose payload has less than 8000 bytes.
const MAX_CHANGES: usize = 64;

/// Pause before a reconnect.
const RECONNECT_PAUSE: Duration = Duration::from_millis(100);

/// Sends notifications, which PostgreSQL delivers when the transaction commits.
pub(super) async fn notify(
    connection: &mut PgConnection,
    changes: &[(&GameId, GameChange)],
) -> Result<(), sqlx::Error> {
    if changes.is_empty() {
        return Ok(());
    }
    let payloads: Vec<String> = changes.chunks(MAX_CHANGES).map(payload).collect();
    sqlx::query("SELECT pg_notify($1, word) FROM unnest($2) AS word")
        .bind(CHANNEL)
        .bind(payloads)
        .execute(connection)
        .await?;
    Ok(())
}

/// The payload of a notification, a line for each change.
fn payload(changes: &[(&GameId, GameChange)]) -> String {
    let lines = changes.iter().map(|(id, change)| line(id, change));
    lines.collect::<Vec<_>>().join("\n")
}

fn line(id: &GameId, change: &GameChange) -> String {
    match change {
        GameChange::Entries(entries) => format!("{id} entries {entries}"),
        GameChange::Seats(revision) => format!("{id} seats {revision}"),
        GameChange::Rematch(rematch) => format!("{id} rematch {rematch}"),
        GameChange::Phrase(said) => {
            let SaidPhrase {
                player,
                phrase,
                at_ms,
            } = said;
            format!("{id} phrase {} {} {at_ms}", player.number(), phrase.name())
        }
    }
}

/// Parses a line of a payload; `None` for unknown ones, which a later release may send.
fn parse_line(text: &str) -> Option<ChangeNotification> {
    let mut parts = text.split(' ');
    let id = parts.next()?.parse().ok()?;
    let (kind, value) = (parts.next()?, parts.next()?);
    let change = match kind {
        "entries" => GameChange::Entries(value.parse().ok()?),
        "seats" => GameChange::Seats(value.parse().ok()?),
        "rematch" => GameChange::Rematch(value.parse().ok()?),
        "phrase" => GameChange::Phrase(SaidPhrase {
            player: Player::try_new(value.parse().ok()?, MAX_PLAYERS as u8)?,
            phrase: parts.next()?.parse().ok()?,
            at_ms: parts.next()?.parse().ok()?,
        }),
        _ => return None,
    };
    Some(ChangeNotification::Changed(id, change))
}

/// Receives notifications on a connection of its own until the store is closed.
pub(super) async fn listen(
    pool: PgPool,
    sender: broadcast::Sender<ChangeNotification>,
    heartbeat: Arc<Heartbeat>,
    closing: CancellationToken,
) {
    let listening = async {
        loop {
            if let Err(error) = receive(&pool, &sender, &heartbeat).await {
                tracing::debug!(%error, "the connection for notifications was lost");
            }
            tokio::time::sleep(RECONNECT_PAUSE).await;
        }
    };
    closing.run_until_cancelled(listening).await;
    pool.close().await;
}

/// Receives notifications until the connection is lost.
async fn receive(
    pool: &PgPool,
    sender: &broadcast::Sender<ChangeNotification>,
    heartbeat: &Heartbeat,
) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.ignore_pool_close_event(true);
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    // Sent after LISTEN, so that a receiver that polls now misses nothing.
    let _ = sender.send(ChangeNotification::Lagged);
    while let Some(received) = listener.try_recv().await? {
        if heartbeat.is_heartbeat(received.payload()) {
            continue;
        }
        for notification in received.payload().lines().filter_map(parse_line) {
            // There may be no receiver.
            let _ = sender.send(notification);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seats::Phrase;

    #[test]
    fn lines_round_trip_and_unknown_ones_are_ignored() {
        let (id, other) = (GameId::random(), GameId::random());
        for change in [
            GameChange::Entries(17),
            GameChange::Seats(2),
            GameChange::Rematch(other),
            GameChange::Phrase(SaidPhrase {
                player: Player::new(1),
                phrase: Phrase::OhNo,
                at_ms: 1_800_000_000_000,
            }),
        ] {
            assert_eq!(
                parse_line(&line(&id, &change)),
                Some(ChangeNotification::Changed(id.clone(), change))
            );
        }
        for noise in [
            "",
            "a b c",
            &format!("{id} later 3"),
            &format!("{id} seats"),
        ] {
            assert_eq!(parse_line(noise), None, "{noise:?}");
        }
    }
}
