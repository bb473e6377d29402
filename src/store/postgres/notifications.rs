//! The bell: what one process has written, the others hear. It is a hint alone, for what is told while the connection
//! is away is lost; whoever hears [`ChangeNotification::Missed`] looks.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnection, PgListener, PgPool};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::heartbeat::Heartbeat;
use crate::store::GameId;
use crate::store::notification::{ChangeNotification, GameChange};

/// What it is called in the database.
pub(super) const CHANNEL: &str = "games";

/// How many rings may wait for whoever hears them; beyond it they are as good as missed.
pub(super) const WAITING: usize = 1024;

/// How long to wait before a lost connection is made anew.
const PAUSE: Duration = Duration::from_millis(100);

/// Rings when the transaction is committed.
pub(super) async fn ring(
    connection: &mut PgConnection,
    rings: &[(&GameId, GameChange)],
) -> Result<(), sqlx::Error> {
    if rings.is_empty() {
        return Ok(());
    }
    let words: Vec<String> = rings.iter().map(|(id, news)| word(id, news)).collect();
    sqlx::query("SELECT pg_notify($1, word) FROM unnest($2) AS word")
        .bind(CHANNEL)
        .bind(words)
        .execute(connection)
        .await?;
    Ok(())
}

fn word(id: &GameId, news: &GameChange) -> String {
    match news {
        GameChange::Entries(entries) => format!("{id} entries {entries}"),
        GameChange::Seats(revision) => format!("{id} seats {revision}"),
        GameChange::Rematch(rematch) => format!("{id} rematch {rematch}"),
    }
}

/// What a word says; a later release may say what this one does not know.
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

/// Listens until the archive is closed, over a connection of its own.
pub(super) async fn listen(
    pool: PgPool,
    rings: broadcast::Sender<ChangeNotification>,
    pulse: Arc<Heartbeat>,
    closing: CancellationToken,
) {
    let listening = async {
        loop {
            if let Err(error) = hear(&pool, &rings, &pulse).await {
                tracing::debug!(%error, "the database's bell is not heard");
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    closing.run_until_cancelled(listening).await;
    pool.close().await;
}

/// Hears until the connection is lost.
async fn hear(
    pool: &PgPool,
    rings: &broadcast::Sender<ChangeNotification>,
    pulse: &Heartbeat,
) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.ignore_pool_close_event(true);
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    // Listening comes first, and then whoever hears this looks: so nothing in between is missed.
    let _ = rings.send(ChangeNotification::Missed);
    while let Some(heard) = listener.try_recv().await? {
        if pulse.hears(heard.payload()) {
            continue;
        }
        if let Some(ring) = read(heard.payload()) {
            // Nobody may be there to hear it.
            let _ = rings.send(ring);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rung_is_understood() {
        let (id, other) = (GameId::random(), GameId::random());
        for news in [
            GameChange::Entries(17),
            GameChange::Seats(2),
            GameChange::Rematch(other),
        ] {
            assert_eq!(
                read(&word(&id, &news)),
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
