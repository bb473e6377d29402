//! Everything that belongs to a browser: counted, moved to another browser, and deleted.

use super::table::TableCommand;
use super::{Credentials, SeatChange, Service, ServiceError, Snapshot};
use crate::seats::SeatOccupant;
use crate::secret::{Secret, SecretHash};
use crate::store::{GameId, GameList};

/// The number of games that are listed at a time.
const BATCH: u32 = 100;

/// What is stored for a browser, in numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RecordSummary {
    /// The games that it created or sits in.
    pub games: u32,
    /// The scores of boards of the day.
    pub days: u32,
    /// The answers to puzzles.
    pub puzzles: u32,
    /// The name that its player used last.
    pub name: Option<String>,
}

impl Snapshot {
    /// Whether nobody but this client sits in the game, has left it to a computer, or has invited the client to it.
    pub(super) fn is_only_of(&self, client: &Credentials) -> bool {
        let occupants = self.seats.seats.iter().map(|seat| &seat.occupant);
        let mut credentials = occupants.filter_map(SeatOccupant::credentials);
        credentials.all(|keys| {
            // A player who came by a link plays in a game of its creator.
            let is_guest = keys.joined_by().is_some() && !client.matches_browser(self.creator());
            client.matches_seat(Some(keys)) && !is_guest
        })
    }
}

impl Service {
    /// Joins the record of a browser to that of another one: its seats, the games that it created, its scores and
    /// answers. Its secrets give access to nothing any more. It can be repeated after an interruption.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn join_records(
        &self,
        from: &Credentials,
        to: &SecretHash,
    ) -> Result<(), ServiceError> {
        for from in from.browsers().filter(|from| *from != to) {
            self.shared.store.move_browser_data(from, Some(to)).await?;
            self.reload_games_of(from).await?;
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

    /// What is stored for these browsers together.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn record_summary(
        &self,
        browser: &Credentials,
    ) -> Result<RecordSummary, ServiceError> {
        let store = &self.shared.store;
        let mut games = self.all_games_of(browser).await?;
        games.sort_unstable();
        games.dedup();
        let mut summary = RecordSummary {
            games: games.len() as u32,
            ..RecordSummary::default()
        };
        for browser in browser.browsers() {
            summary.days += store.daily_scores(browser).await?.len() as u32;
            summary.puzzles += store.puzzle_answers(browser).await?.len() as u32;
            summary.name = summary.name.or(store.last_name(browser).await?);
        }
        Ok(summary)
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
