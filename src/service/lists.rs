//! What the archive knows of many games at once.

use super::{Credentials, SeatChange, Service, ServiceError, Snapshot};
use crate::game::Player;
use crate::seats::RematchKind;
use crate::secret::{Secret, SecretHash};
use crate::store::{GameId, GameList, GamePage, PageCursor, StoreError};

/// In so many games seats get another secret at once.
const MAX_REKEYED: u32 = 200;

impl Service {
    /// The newest games in which this browser has a seat, at most `most`.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn games_of(
        &self,
        browser: &SecretHash,
        most: u32,
    ) -> Result<Vec<GameId>, ServiceError> {
        Ok(self.shared.archive.games_of(browser, most).await?)
    }

    /// Gives the seats of a browser, in its newest games, to another secret of it. Whoever is interrupted can
    /// begin again.
    ///
    /// # Errors
    /// When the archive fails; some seats may have the new secret then.
    pub async fn rekey(&self, old: &Credentials, secret: &Secret) -> Result<(), ServiceError> {
        for browser in old.browsers() {
            for id in self.games_of(browser, MAX_REKEYED).await? {
                let secret = secret.clone();
                match self.change_seat(&id, *old, SeatChange::Rekey { secret }).await {
                    // One damaged game must not keep the others.
                    Ok(_) | Err(ServiceError::Damaged | ServiceError::NotFound) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Gives the seats that followed from one seat, in the rematches of its game, to the browser that came back to
    /// it. `of` is the game before that.
    ///
    /// # Errors
    /// When the archive fails; some seats may have the new secret then.
    pub async fn rekey_rematches(
        &self,
        of: &Snapshot,
        player: Player,
        secret: &Secret,
    ) -> Result<(), ServiceError> {
        let browser_of = |player: Player| of.seat(player)?.sitter.keys()?.browser().copied();
        let Some(old) = browser_of(player) else {
            return Ok(());
        };
        let mut players = Player::all(of.live.players());
        // The link is one seat's: with several it is not known which of them a rematch follows.
        if players.any(|other| other != player && browser_of(other) == Some(old)) {
            return Ok(());
        }
        let claim = Credentials {
            browser: Some(old),
            ..Credentials::default()
        };
        let mut games = vec![of.id.clone()];
        for _ in 0..MAX_REKEYED {
            let Some(game) = games.pop() else { break };
            for (_, id) in self.rematches_of(&game).await? {
                let secret = secret.clone();
                match self.change_seat(&id, claim, SeatChange::Rekey { secret }).await {
                    Ok(_) | Err(ServiceError::Damaged | ServiceError::NotFound) => games.push(id),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// At most `limit` games of a list, from behind the place `after` on. A game may have ended, or been left by
    /// its people, since the archive was asked.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn listed(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, ServiceError> {
        Ok(self.shared.archive.listed(list, after, limit).await?)
    }

    /// Games of others than this browser that anybody may watch, at most `most`. A game may have ended,
    /// or been left by its people, since the archive was asked.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn watchable(
        &self,
        browser: Option<&SecretHash>,
        most: u32,
    ) -> Result<Vec<GameId>, ServiceError> {
        Ok(self.shared.archive.watchable(browser, most).await?)
    }

    /// The rematches of a game.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn rematches_of(
        &self,
        id: &GameId,
    ) -> Result<Vec<(RematchKind, GameId)>, ServiceError> {
        Ok(self.shared.archive.rematches_of(id).await?)
    }

    /// The game that this browser plays on the book's page.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn book_game(&self, browser: &SecretHash) -> Result<Option<GameId>, ServiceError> {
        Ok(self.shared.archive.book_game(browser).await?)
    }

    /// The game to a seat of which this link leads.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn game_of_link(&self, link: &SecretHash) -> Result<Option<GameId>, ServiceError> {
        let archive = &self.shared.archive;
        let found = match archive.seat_of_link(link).await? {
            Some(found) => Some(found),
            None => archive.seat_of_link(&link.of_return()).await?,
        };
        Ok(found.map(|(id, _)| id))
    }

    /// Whether games can be kept and found now.
    ///
    /// # Errors
    /// Why not.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.shared.archive.check().await
    }
}
