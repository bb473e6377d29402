//! Everything that belongs to a browser: counted, moved to another browser, deleted, and deleted when it is old.

use std::time::Duration;

use super::shared::browser_rows::BrowserRows;
use super::{daily, feed, puzzles};
use crate::day::Day;
use crate::seats::Credentials;
use crate::secret::SecretHash;
use crate::store::{Store, StoreError, params};
use crate::tables::{Service, ServiceError};

/// The features with rows of browsers.
const FEATURES: [&BrowserRows; 3] = [&daily::ROWS, &feed::ROWS, &puzzles::ROWS];

/// The longest time after which the clock is read again, because it may be set.
const MAX_SLEEP_MS: i64 = 60_000;

/// The shortest one, while the database's clock, which decides, is behind this server's.
const MIN_SLEEP_MS: i64 = 1_000;

/// What is stored for a browser, in numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct RecordSummary {
    /// The games that it created or sits in.
    pub(super) games: u32,
    /// The scores of boards of the day.
    pub(super) days: u32,
    /// The answers to puzzles.
    pub(super) puzzles: u32,
    /// The name that its player used last.
    pub(super) name: Option<String>,
}

/// What is stored for these browsers together.
pub(super) async fn record_summary(
    service: &Service,
    browser: &Credentials,
) -> Result<RecordSummary, ServiceError> {
    let store = service.store();
    let mut games = service.all_games_of(browser).await?;
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

/// Joins the record of a browser to that of another one: its seats, the games that it created, its scores and answers.
/// Its secrets give access to nothing any more. It can be repeated after an interruption.
pub(super) async fn join_records(
    service: &Service,
    from: &Credentials,
    to: &SecretHash,
) -> Result<(), ServiceError> {
    for from in from.browsers().filter(|from| *from != to) {
        service.store().move_browser_data(from, Some(to)).await?;
        service.reload_games_of(from).await?;
    }
    Ok(())
}

/// Deletes a browser's games without other people, leaves the others, in which its seats lose their name and give access
/// to nobody, and deletes all other rows of the browser. It can be repeated after an interruption.
///
/// # Errors
/// If the store fails; a part may have been deleted then.
pub(super) async fn delete_browser(
    service: &Service,
    browser: &Credentials,
) -> Result<(), ServiceError> {
    for id in service.all_games_of(browser).await? {
        match service.leave_or_delete(&id, browser).await {
            Ok(()) | Err(ServiceError::Damaged | ServiceError::NotFound) => {}
            Err(error) => return Err(error),
        }
    }
    for secret in browser.browsers() {
        service.store().move_browser_data(secret, None).await?;
    }
    Ok(())
}

/// Deletes the keys and hashes of client networks of past days at the start and whenever a day is over, so at 00:30 UTC,
/// until the service is closed; a minute later again if the store fails.
pub(super) async fn run_network_deletion(service: Service) {
    let run = async {
        let mut done = None;
        loop {
            let first = service.first_open_day();
            if done != Some(first) {
                match service.store().forget_networks(first).await {
                    Ok(()) => done = Some(first),
                    Err(error) => {
                        tracing::warn!(%error, "the hashes of networks could not be deleted");
                    }
                }
            }
            let until_ms = first.over_ms().saturating_sub(service.now_ms());
            let sleep_ms = until_ms.clamp(MIN_SLEEP_MS, MAX_SLEEP_MS).unsigned_abs();
            tokio::time::sleep(Duration::from_millis(sleep_ms)).await;
        }
    };
    service.run_until_closed(run).await;
}

impl dyn Store {
    /// Moves everything to the browser `to` in one transaction: the seats and the games that the browser created
    /// ([`Seats::move_browser`](crate::seats::Seats::move_browser)), and what the features copy. Where both have an
    /// answer, `to` keeps its own; of two games of a day the one that was begun first counts. The feed and the pairing
    /// code are deleted. Without `to` all but the games is deleted.
    pub async fn move_browser_data(
        &self,
        from: &SecretHash,
        to: Option<&SecretHash>,
    ) -> Result<(), StoreError> {
        let copy = FEATURES.map(|feature| feature.copy).concat();
        self.move_browser(from, to, copy).await
    }

    /// Deletes the answers given, the attempts and scores of days that were over, and the feeds last fetched before this
    /// Unix time in milliseconds.
    pub async fn delete_old_browser_data(&self, before_ms: i64) -> Result<(), StoreError> {
        let statements = FEATURES.map(|feature| feature.delete_old).concat();
        self.execute_all(&statements, params![before_ms]).await
    }

    /// Deletes the keys of the days before this one, and all hashes with them.
    pub async fn forget_networks(&self, before: Day) -> Result<(), StoreError> {
        let mut statements = vec!["DELETE FROM network_key WHERE day < $1"];
        statements.extend(FEATURES.iter().flat_map(|feature| feature.forget_networks));
        self.execute_all(&statements, params![before]).await
    }
}
