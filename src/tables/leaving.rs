//! Leaving all games for good.

use super::command::TableCommand;
use crate::seats::{Credentials, SeatOccupant};
use crate::secret::Secret;
use crate::store::{GameId, GameList};
use crate::tables::command::SeatChange;
use crate::tables::error::ServiceError;
use crate::tables::snapshot::Snapshot;
use crate::tables::state::Service;

/// The number of games that are listed at a time.
const BATCH: u32 = 100;

impl Snapshot {
    /// Whether nobody but this client sits in the game, has left it to a computer, or has invited the client to it.
    pub(super) fn is_only_of(&self, client: &Credentials) -> bool {
        let occupants = self.seats.seats.iter().map(|seat| &seat.occupant);
        let mut credentials = occupants.filter_map(SeatOccupant::credentials);
        credentials.all(|credentials| {
            // A player who came by a link plays in a game of its creator.
            let is_guest =
                credentials.joined_by().is_some() && !client.matches_browser(self.creator());
            client.matches_seat(Some(credentials)) && !is_guest
        })
    }
}

impl Service {
    /// Deletes the game if it has no other people, or else leaves it: the browser's seats lose their name and give access
    /// to nobody.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn leave_or_delete(
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
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn all_games_of(
        &self,
        browser: &Credentials,
    ) -> Result<Vec<GameId>, ServiceError> {
        let mut games = Vec::new();
        for secret in browser.browsers() {
            let mut after = None;
            games.extend(self.shared.store.book_page_game(secret).await?);
            loop {
                let list = GameList::Of(*secret);
                let page = self.shared.store.list_games(list, after, BATCH).await?;
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
