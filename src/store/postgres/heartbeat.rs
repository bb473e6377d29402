//! The pulse of this process: once a second it rings the bell for itself, and measures how long a question waits for a
//! connection and how far the bell is behind. One clock is enough for it, for it hears what it has rung.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgPool;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::notifications::CHANNEL;
use crate::store::{GameId, metrics};

/// How often it beats.
const BEAT: Duration = Duration::from_secs(1);

/// The last beat that was not heard yet.
#[derive(Debug)]
pub(super) struct Heartbeat {
    /// Tells the beats of processes apart.
    name: String,
    last: Mutex<(u64, Option<Instant>)>,
}

impl Heartbeat {
    pub(super) fn new() -> Self {
        Heartbeat {
            name: GameId::random().to_string(),
            last: Mutex::new((0, None)),
        }
    }

    fn next(&self) -> String {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = (last.0 + 1, Some(Instant::now()));
        self.word(last.0)
    }

    fn word(&self, number: u64) -> String {
        format!("{} beat {number}", self.name)
    }

    /// Whether this was rung for a process itself, and not about a game.
    pub(super) fn hears(&self, word: &str) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if word == self.word(last.0)
            && let Some(since) = last.1.take()
        {
            metrics::heard(since.elapsed());
        }
        word.split(' ').nth(1) == Some("beat")
    }

    /// Beats until the archive is closed.
    pub(super) async fn beat(&self, readers: &PgPool, closing: &CancellationToken) {
        let beating = async {
            loop {
                tokio::time::sleep(BEAT).await;
                let since = Instant::now();
                // While the database is away nothing is measured.
                let Ok(mut connection) = readers.acquire().await else {
                    continue;
                };
                metrics::connected(since.elapsed());
                let query = sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL);
                if let Err(error) = query.bind(self.next()).execute(&mut *connection).await {
                    tracing::debug!(%error, "the bell could not be rung");
                }
            }
        };
        closing.run_until_cancelled(beating).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_hears_its_own_beat_once_and_those_of_others_are_about_no_game() {
        let (mine, other) = (Heartbeat::new(), Heartbeat::new());
        let word = mine.next();
        assert!(other.hears(&word) && mine.hears(&word));
        assert_eq!(mine.last.lock().unwrap().1, None);
        assert!(!mine.hears(&format!("{} entries 3", GameId::random())));
    }
}
