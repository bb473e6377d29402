//! What the people at a table say. It is not part of the record: the table keeps the newest phrases while it is loaded,
//! and the store passes them on to the other servers.

use std::sync::Arc;

use super::TableActor;
use crate::seats::{Credentials, Phrase, SaidPhrase};
use crate::tables::error::{PhraseError, ServiceError};
use crate::tables::snapshot::Snapshot;

/// The time between two phrases of a player.
const PHRASE_INTERVAL_MS: i64 = 3_000;

/// The number of newest phrases that are kept.
const MAX_PHRASES: usize = 12;

impl TableActor {
    pub(super) async fn say(
        &mut self,
        credentials: &Credentials,
        phrase: Phrase,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let seats = self.newest().check_can_play(credentials)?;
        let rejected = |why| {
            let snapshot = self.newest();
            Err(ServiceError::PhraseRejected { why, snapshot })
        };
        let mover = self.current.live.mover();
        let own = mover.filter(|mover| seats.contains(mover));
        let own = own.or(seats.first().copied());
        let (Some(player), true) = (own, self.current.has_phrases()) else {
            return rejected(PhraseError::Alone);
        };
        let at_ms = self.shared.environment.now_ms();
        let said = self.current.phrases.iter();
        let last_ms = said
            .filter(|said| said.player == player)
            .map(|said| said.at_ms);
        if last_ms
            .max()
            .is_some_and(|last_ms| at_ms - last_ms < PHRASE_INTERVAL_MS)
        {
            return rejected(PhraseError::TooSoon);
        }
        let said = SaidPhrase {
            player,
            phrase,
            at_ms,
        };
        self.hear(said);
        // It is not said again if the other servers cannot be told.
        if let Err(error) = self
            .shared
            .store
            .announce_phrase(&self.current.id, said)
            .await
        {
            tracing::debug!(id = %self.current.id, %error, "a phrase was not passed on");
        }
        Ok(self.newest())
    }

    /// Adds a phrase that was said at this server or another one.
    pub(super) fn hear(&mut self, said: SaidPhrase) {
        if self.current.phrases.contains(&said) {
            return;
        }
        let mut phrases = self.current.phrases.to_vec();
        phrases.push(said);
        phrases.sort_by_key(|said| said.at_ms);
        let surplus = phrases.len().saturating_sub(MAX_PHRASES);
        phrases.drain(..surplus);
        self.current.phrases = phrases.into();
        self.published.send_replace(Arc::new(self.current.clone()));
    }
}
