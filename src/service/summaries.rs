//! Summaries of games: what lists and statistics need of a game, without its record.
//!
//! They are derived from the games and kept in memory, the most recently used ones; a summary is computed again when
//! its game has changed.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::runtime::Handle;

use super::jobs::{ComputeDemand, JobKind};
use super::{ClientNetwork, Credentials, Service, ServiceError, Snapshot};
use crate::game::Player;
use crate::game_adapters::ConfiguredGame;
use crate::review::{Review, ShareBreakdown};
use crate::seats::Seats;
use crate::store::{GameId, GameVersion};

/// The maximum number of a browser's games that are summarised, the newest ones.
pub const MAX_SUMMARIES: u32 = 1_000;

/// The maximum number of summaries in memory, of about half a kilobyte each.
const CACHED_SUMMARIES: usize = 20_000;

/// The number of games that are read in one job, and how long that is expected to take.
const READ_BATCH: usize = 20;
const EXPECTED_READ_TIME: Duration = Duration::from_millis(100);

/// What lists and statistics need of a game.
#[derive(Debug)]
pub struct GameSummary {
    pub id: GameId,
    pub created_ms: i64,
    /// Unix time of the last entry, or of the creation before the first one, in milliseconds.
    pub last_ms: i64,
    /// The game with its parameters.
    pub game: Arc<dyn ConfiguredGame>,
    pub seats: Arc<Seats>,
    /// The winners, several if they tie and none if nobody wins; `None` while the game is in progress.
    pub winners: Option<Vec<Player>>,
    pub is_uploaded: bool,
    /// The number of entries, the ending included.
    entries: u32,
    /// What the review says about each player.
    review: OnceLock<Vec<ShareBreakdown>>,
}

/// The client's part in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnSeat {
    pub player: Player,
    /// Whether the client left, and a computer plays on.
    pub has_left: bool,
}

impl GameSummary {
    fn new(snapshot: &Snapshot) -> Self {
        let live = &snapshot.live;
        GameSummary {
            id: snapshot.id.clone(),
            created_ms: snapshot.created_ms,
            last_ms: live.last_entry_ms().unwrap_or(snapshot.created_ms),
            game: live.configured_game(),
            seats: Arc::clone(&snapshot.seats),
            winners: live.is_over().then(|| live.winners()),
            is_uploaded: snapshot.is_uploaded(),
            entries: live.entry_count() + u32::from(live.ending().is_some()),
            review: OnceLock::new(),
        }
    }

    fn is_of(&self, version: &GameVersion) -> bool {
        (self.entries, self.seats.revision) == (version.entries, version.revision)
    }

    /// The client's only seat; `None` also if it has several.
    #[must_use]
    pub fn own_seat(&self, credentials: &Credentials) -> Option<OwnSeat> {
        let seats = Player::all(self.game.players()).zip(&self.seats.seats);
        let mut own =
            seats.filter(|(_, seat)| credentials.matches_seat(seat.occupant.credentials()));
        let (player, seat) = own.next()?;
        let has_left = !seat.occupant.is_human();
        own.next().is_none().then_some(OwnSeat { player, has_left })
    }

    /// What the review says about a player, if the game is reviewed.
    #[must_use]
    pub fn review_of(&self, player: Player) -> Option<&ShareBreakdown> {
        self.review.get()?.get(usize::from(player.number()))
    }
}

/// The summaries in memory.
pub(super) struct Summaries(Cache<GameId, Arc<GameSummary>>);

impl Default for Summaries {
    fn default() -> Self {
        Summaries(Cache::new(CACHED_SUMMARIES))
    }
}

impl Summaries {
    /// Forgets the summary of a game whose review has changed.
    pub(super) fn forget(&self, id: &GameId) {
        self.0.remove(id);
    }
}

impl Service {
    /// The newest games that this client created or sits in, newest activity first, up to [`MAX_SUMMARIES`].
    ///
    /// # Errors
    /// If the store fails, or [`ServiceError::Busy`].
    pub async fn own_games(
        &self,
        credentials: &Credentials,
        client_network: ClientNetwork,
    ) -> Result<Vec<Arc<GameSummary>>, ServiceError> {
        let mut ids: HashSet<GameId> = HashSet::new();
        for browser in credentials.browsers() {
            ids.extend(self.games_of(browser, MAX_SUMMARIES).await?);
        }
        let ids: Vec<GameId> = ids.into_iter().collect();
        let versions = self.shared.store.versions(&ids).await?;
        let known = &self.shared.summaries.0;
        let mut summaries: Vec<Arc<GameSummary>> = Vec::with_capacity(versions.len());
        let mut missing = Vec::new();
        for version in versions {
            match known.get(&version.id).filter(|known| known.is_of(&version)) {
                Some(known) => summaries.push(known),
                None => missing.push(version.id),
            }
        }
        for batch in missing.chunks(READ_BATCH) {
            let (service, batch) = (self.clone(), batch.to_vec());
            let runtime = Handle::current();
            let read = move |_: &_| runtime.block_on(service.summarise(&batch));
            let demand = ComputeDemand::time(EXPECTED_READ_TIME);
            let read = self.run_job(JobKind::RecordExport, client_network, demand, read);
            summaries.extend(read.await??);
        }
        self.add_reviews(&summaries).await?;
        summaries.sort_by_key(|game| std::cmp::Reverse((game.last_ms, game.created_ms)));
        summaries.truncate(MAX_SUMMARIES as usize);
        Ok(summaries)
    }

    async fn summarise(&self, games: &[GameId]) -> Result<Vec<Arc<GameSummary>>, ServiceError> {
        let mut summaries = Vec::with_capacity(games.len());
        for id in games {
            match self.snapshot_unloaded(id).await {
                Ok(snapshot) => {
                    let summary = Arc::new(GameSummary::new(&snapshot));
                    let known = &self.shared.summaries.0;
                    known.insert(id.clone(), Arc::clone(&summary));
                    summaries.push(summary);
                }
                // One damaged game must not hide the others.
                Err(ServiceError::Damaged | ServiceError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(summaries)
    }

    /// Adds the reviews that were made since the games were summarised.
    async fn add_reviews(&self, games: &[Arc<GameSummary>]) -> Result<(), ServiceError> {
        let unreviewed = games
            .iter()
            .filter(|game| game.winners.is_some() && game.review.get().is_none());
        let unreviewed: Vec<GameId> = unreviewed.map(|game| game.id.clone()).collect();
        let reviewed: HashSet<GameId> = self
            .shared
            .store
            .reviewed(&unreviewed)
            .await?
            .into_iter()
            .collect();
        for game in games {
            if !reviewed.contains(&game.id) || game.review.get().is_some() {
                continue;
            }
            let stored = self.shared.store.review(&game.id).await?;
            let text = stored.and_then(|stored| stored.review);
            // A review in the format of an earlier release does not count.
            let review: Option<Review> = text.and_then(|text| serde_json::from_str(&text).ok());
            let parts = review.map_or_else(Vec::new, |review| {
                let players = 0..review.players();
                players
                    .map(|player| review.share_breakdown(player))
                    .collect()
            });
            let _ = game.review.set(parts);
        }
        Ok(())
    }
}
