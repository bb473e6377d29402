//! Who plays a first game: the first turn of it points at what can be done.

use quick_cache::sync::Cache;

use crate::secret::SecretHash;
use crate::service::{Service, ServiceError};
use crate::store::GameId;

/// So many answers are remembered.
const REMEMBERED: usize = 10_000;

/// Whether a game is the first of a browser. The archive is asked at the browser's first look at it;
/// another game that is begun later does not make this one the second.
pub(super) struct FirstGameCache(Cache<(GameId, SecretHash), bool>);

impl FirstGameCache {
    pub(super) fn new() -> Self {
        FirstGameCache(Cache::new(REMEMBERED))
    }

    /// Whether the browser has played no game but this one.
    pub(super) async fn begins(
        &self,
        service: &Service,
        browser: SecretHash,
        game: &GameId,
    ) -> Result<bool, ServiceError> {
        let both = (game.clone(), browser);
        if let Some(known) = self.0.get(&both) {
            return Ok(known);
        }
        let games = service.games_of(&browser, 2).await?;
        let first = games.iter().all(|other| other == game);
        self.0.insert(both, first);
        Ok(first)
    }
}
