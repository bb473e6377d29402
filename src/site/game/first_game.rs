//! Detects a browser's first game, whose first turn shows what can be done.

use quick_cache::sync::Cache;

use crate::secret::SecretHash;
use crate::site::shared::app::{App, FeatureState};
use crate::store::GameId;
use crate::tables::{Service, ServiceError};

/// The number of cached results.
const CACHED_RESULTS: usize = 10_000;

/// Cache of whether a game is its browser's first. The store is queried at the browser's first view of the game; games
/// created later do not change the result.
pub(in crate::site) struct FirstGameCache(Cache<(GameId, SecretHash), bool>);

impl FeatureState for FirstGameCache {
    fn new(_: &App) -> Self {
        FirstGameCache(Cache::new(CACHED_RESULTS))
    }
}

impl FirstGameCache {
    /// Whether the browser has played no other game.
    pub(in crate::site) async fn is_first_game(
        &self,
        service: &Service,
        browser: SecretHash,
        game: &GameId,
    ) -> Result<bool, ServiceError> {
        let key = (game.clone(), browser);
        if let Some(known) = self.0.get(&key) {
            return Ok(known);
        }
        let games = service.store().list_games_of(&browser, 2).await?;
        let first = games.iter().all(|other| other == game);
        self.0.insert(key, first);
        Ok(first)
    }
}
