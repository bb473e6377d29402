//! Everything that belongs to a browser: moved to another secret, and deleted.

use super::table::TableCommand;
use super::{Credentials, SeatChange, Service, ServiceError, Snapshot};
use crate::seats::SeatOccupant;
use crate::secret::Secret;
use crate::store::{GameId, GameList};

/// The number of games that are listed at a time.
const BATCH: u32 = 100;

impl Snapshot {
    /// Whether this client has a seat, or had one in which a computer plays on.
    fn has_seat_of(&self, client: &Credentials) -> bool {
        let mut seats = self.seats.seats.iter();
        seats.any(|seat| client.matches_seat(seat.occupant.credentials()))
    }

    /// Whether nobody but this client sits in the game, has left it to a computer, or has invited the client to it.
    pub(super) fn is_only_of(&self, client: &Credentials) -> bool {
        let occupants = self.seats.seats.iter().map(|seat| &seat.occupant);
        let mut credentials = occupants.filter_map(SeatOccupant::credentials);
        credentials.all(|keys| {
            // A player who came by a link plays in a game of its creator.
            let is_guest =
                keys.joined_by().is_some() && !client.matches_browser(self.creator.as_ref());
            client.matches_seat(Some(keys)) && !is_guest
        })
    }
}

impl Service {
    /// Moves a browser's seats, scores and answers to puzzles to its new secret. It can be repeated after an
    /// interruption.
    ///
    /// # Errors
    /// If the store fails; a part may have been moved then.
    pub async fn rekey(&self, old: &Credentials, secret: &Secret) -> Result<(), ServiceError> {
        for id in self.all_games_of(old).await? {
            match self.snapshot_unloaded(&id).await {
                Ok(game) if !game.has_seat_of(old) => continue,
                _ => {}
            }
            let change = SeatChange::ReplaceSecret {
                secret: secret.clone(),
                keeps_name: true,
            };
            match self.change_seat(&id, *old, change).await {
                // A damaged game must not block the others.
                Ok(_) | Err(ServiceError::Damaged | ServiceError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        let to = secret.hash();
        for from in old.browsers().filter(|from| **from != to) {
            self.shared.store.move_browser_data(from, Some(&to)).await?;
        }
        Ok(())
    }

    /// Deletes a browser's games without other people, leaves the others, in which its seats lose their name and give
    /// access to nobody, and deletes its scores and answers to puzzles. It can be repeated after an interruption.
    ///
    /// # Errors
    /// If the store fails; a part may have been deleted then.
    pub async fn delete_browser(&self, browser: &Credentials) -> Result<(), ServiceError> {
        for id in self.all_games_of(browser).await? {
            match self.leave_or_delete(&id, browser).await {
                Ok(()) | Err(ServiceError::Damaged | ServiceError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        for secret in browser.browsers() {
            self.shared.store.move_browser_data(secret, None).await?;
        }
        Ok(())
    }

    /// Whether anything is stored for this browser.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn has_browser_data(&self, secret: &Secret) -> Result<bool, ServiceError> {
        let (store, browser) = (&self.shared.store, secret.hash());
        Ok(!store.list_games_of(&browser, 1).await?.is_empty()
            || !store.daily_scores(&browser).await?.is_empty()
            || !store.puzzle_answers(&browser).await?.is_empty())
    }

    async fn leave_or_delete(
        &self,
        id: &GameId,
        browser: &Credentials,
    ) -> Result<(), ServiceError> {
        let credentials = *browser;
        let deleted = self.send_command(id, |reply| TableCommand::Delete { credentials, reply });
        if deleted.await? {
            return Ok(());
        }
        let own = self.snapshot(id).await?.seats_of(browser);
        for _ in &own {
            if !self.snapshot(id).await?.live.is_over() {
                match self.resign(id, *browser, None).await {
                    Ok(_) | Err(ServiceError::NotYourSeat { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        let change = SeatChange::ReplaceSecret {
            secret: Secret::random(),
            keeps_name: false,
        };
        self.change_seat(id, *browser, change).await.map(drop)
    }

    /// All games that the browser created or sits in, its game on the book's page included.
    async fn all_games_of(&self, browser: &Credentials) -> Result<Vec<GameId>, ServiceError> {
        let mut games = Vec::new();
        for secret in browser.browsers() {
            let mut after = None;
            games.extend(self.book_game(secret).await?);
            loop {
                let list = GameList::Of(*secret);
                let page = self.list_games(list, after, BATCH).await?;
                after = page.next;
                let is_last = page.games.len() < BATCH as usize;
                games.extend(page.games);
                if is_last {
                    break;
                }
            }
        }
        Ok(games)
    }
}
