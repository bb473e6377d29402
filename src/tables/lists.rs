//! Queries over many games.

use super::{Credentials, SeatChange, Service, ServiceError, Snapshot};
use crate::game::Player;
use crate::seats::RematchKind;
use crate::secret::{Secret, SecretHash};
use crate::store::{GameId, GameList, GamePage, PageCursor, StoreError};

/// Maximum rematches per call whose seats are transferred to another secret.
const MAX_REKEYED: u32 = 200;

impl Service {
    /// The newest games in which this browser has a seat, up to `max`.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn games_of(
        &self,
        browser: &SecretHash,
        max: u32,
    ) -> Result<Vec<GameId>, ServiceError> {
        Ok(self.shared.store.list_games_of(browser, max).await?)
    }

    /// After a return to a seat: transfers the seats that followed from it in the game's rematches to the returning
    /// browser. `origin` is the game before the return.
    ///
    /// # Errors
    /// If the store fails; some seats may have been transferred then.
    pub async fn rekey_rematches(
        &self,
        origin: &Snapshot,
        player: Player,
        secret: &Secret,
    ) -> Result<(), ServiceError> {
        let browser_of = |player: Player| {
            origin
                .seat(player)?
                .occupant
                .credentials()?
                .browser()
                .copied()
        };
        let Some(old) = browser_of(player) else {
            return Ok(());
        };
        let mut players = Player::all(origin.live.players());
        // With several seats it is unknown which of them a rematch's seat follows from.
        if players.any(|other| other != player && browser_of(other) == Some(old)) {
            return Ok(());
        }
        let credentials = Credentials {
            browser: Some(old),
            ..Credentials::default()
        };
        let mut games = vec![origin.id.clone()];
        for _ in 0..MAX_REKEYED {
            let Some(game) = games.pop() else { break };
            for (_, id) in self.rematches_of(&game).await? {
                let change = SeatChange::ReplaceSecret {
                    secret: secret.clone(),
                    keeps_name: true,
                };
                match self.change_seat(&id, credentials, change).await {
                    Ok(_) | Err(ServiceError::Damaged | ServiceError::NotFound) => games.push(id),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Up to `limit` games of a list after the cursor `after`. A game may have ended, or been left by its players,
    /// since the query.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn list_games(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, ServiceError> {
        Ok(self.shared.store.list_games(list, after, limit).await?)
    }

    /// Public games that this browser does not play in, up to `max`. A game may have ended, or been left by its
    /// players, since the query.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn watchable_games(
        &self,
        browser: Option<&SecretHash>,
        max: u32,
    ) -> Result<Vec<GameId>, ServiceError> {
        Ok(self.shared.store.list_watchable(browser, max).await?)
    }

    /// # Errors
    /// If the store fails.
    pub async fn rematches_of(
        &self,
        id: &GameId,
    ) -> Result<Vec<(RematchKind, GameId)>, ServiceError> {
        Ok(self.shared.store.rematches_of(id).await?)
    }

    /// This browser's game on the book's page.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn book_game(&self, browser: &SecretHash) -> Result<Option<GameId>, ServiceError> {
        Ok(self.shared.store.book_page_game(browser).await?)
    }

    /// The game that this seat link belongs to.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn find_game_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<GameId>, ServiceError> {
        let store = &self.shared.store;
        let seat = match store.find_seat_by_link(link).await? {
            Some(seat) => Some(seat),
            None => store.find_seat_by_link(&link.to_return_hash()).await?,
        };
        Ok(seat.map(|(id, _)| id))
    }

    /// Checks that the store is operational.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.shared.store.health_check().await
    }
}
