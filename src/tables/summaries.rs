//! Summaries of games: what lists and statistics need of a game, without its record.
//!
//! A summary is made from the game's card, which is stored with each entry, so it costs the same however long the game
//! is. The most recently used ones are kept in memory; a summary is made again when its game has changed.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::runtime::Handle;

use super::jobs::{ComputeDemand, JobKind};
use super::served::ServedTime;
use super::{ClientNetwork, Credentials, Service, ServiceError, Snapshot};
use crate::formats::saved_game::SavedGame;
use crate::game::Player;
use crate::game_adapters::{ConfiguredGame, GameCard, LiveGameRef, RecordCounts, Registry};
use crate::review::{Review, ShareBreakdown};
use crate::store::{GameId, GameVersion, StoredCard};

/// An unfinished game without activity for this long is abandoned: 30 days.
const ABANDONED_MS: i64 = 30 * 86_400_000;

/// The maximum number of a browser's games that are summarised, the newest ones.
pub const MAX_SUMMARIES: u32 = 1_000;

/// Approximate size of the cache in bytes.
const CACHE_BYTES: u64 = 12 << 20;

/// Approximate size of a summary in bytes, without its position.
const SUMMARY_BYTES: u64 = 2_048;

/// The number of games that are read in one job, and how long that is expected to take.
const READ_BATCH: usize = 20;
const EXPECTED_READ_TIME: Duration = Duration::from_millis(100);

/// What lists and statistics need of a game.
#[derive(Debug)]
pub struct GameSummary {
    /// The game without its record: its position is the newest one, and it has no entries.
    pub newest: Snapshot,
    pub counts: RecordCounts,
    /// Unix time of the last entry, or of the creation before the first one, in milliseconds.
    pub last_ms: i64,
    /// The game with its parameters.
    pub game: Arc<dyn ConfiguredGame>,
    /// The winners, several if they tie and none if nobody wins; `None` while the game is in progress.
    pub winners: Option<Vec<Player>>,
    /// The number of entries, the ending included.
    entries: u32,
    /// Approximate memory in bytes.
    bytes: u64,
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

fn is_abandoned(last_ms: i64, now_ms: i64) -> bool {
    now_ms.saturating_sub(last_ms) > ABANDONED_MS
}

impl GameSummary {
    /// The summary of a game with this card, whose stored form has so many bytes.
    fn new(snapshot: Snapshot, card: GameCard, card_bytes: usize) -> Self {
        let entries = card.entries();
        let GameCard {
            newest: live,
            counts,
        } = card;
        GameSummary {
            counts,
            last_ms: counts.last_entry_ms.unwrap_or(snapshot.created_ms),
            game: live.configured_game(),
            winners: live.is_over().then(|| live.winners()),
            entries,
            bytes: SUMMARY_BYTES + 2 * card_bytes as u64,
            review: OnceLock::new(),
            newest: Snapshot { live, ..snapshot },
        }
    }

    /// The summary of a stored game, unless its card is missing or belongs to another state of the game. A game without
    /// entries needs no card.
    fn from_stored(stored: StoredCard, games: &Registry, served: &ServedTime) -> Option<Self> {
        let header = &stored.header;
        let (card, card_bytes) = match (stored.entries, stored.card) {
            (0, _) => {
                let start = SavedGame {
                    parameters: &header.game,
                    start: &header.start,
                    entries: &[],
                    ending: None,
                };
                (
                    GameCard::new(&*games.load(&start).ok()?),
                    header.start.len(),
                )
            }
            (_, json) => {
                let json = json?;
                (games.parse_card(&header.game, &json)?, json.len())
            }
        };
        if card.entries() != stored.entries {
            return None;
        }
        let live = LiveGameRef::clone(&card.newest);
        let snapshot = Snapshot::new(header, stored.seats, live, served);
        Some(GameSummary::new(snapshot, card, card_bytes))
    }

    fn is_of(&self, version: &GameVersion) -> bool {
        (self.entries, self.newest.seats.revision) == (version.entries, version.revision)
    }

    /// Whether an unfinished game has been inactive for so long that it is no longer listed; its URL still works.
    #[must_use]
    pub fn is_abandoned(&self, now_ms: i64) -> bool {
        self.winners.is_none() && is_abandoned(self.last_ms, now_ms)
    }

    /// The client's only seat; `None` also if it has several.
    #[must_use]
    pub fn own_seat(&self, credentials: &Credentials) -> Option<OwnSeat> {
        let seats = Player::all(self.game.players()).zip(&self.newest.seats.seats);
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

#[derive(Clone)]
struct SummaryWeighter;

impl Weighter<GameId, Arc<GameSummary>> for SummaryWeighter {
    fn weight(&self, _: &GameId, summary: &Arc<GameSummary>) -> u64 {
        summary.bytes
    }
}

/// The summaries in memory.
pub(super) struct Summaries(Cache<GameId, Arc<GameSummary>, SummaryWeighter>);

impl Default for Summaries {
    fn default() -> Self {
        let expected = CACHE_BYTES / SUMMARY_BYTES;
        Summaries(Cache::with_weighter(
            expected as usize,
            CACHE_BYTES,
            SummaryWeighter,
        ))
    }
}

impl Summaries {
    /// Forgets the summary of a game whose review has changed or that is damaged.
    pub(super) fn forget(&self, id: &GameId) {
        self.0.remove(id);
    }
}

impl Service {
    /// Makes the summary of a game again when it is needed.
    pub(crate) fn forget_summary(&self, id: &GameId) {
        self.shared.summaries.forget(id);
    }

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
        let mut summaries = self.summaries(&ids, Some(client_network)).await?;
        self.add_reviews(&summaries).await?;
        summaries.sort_by_key(|game| std::cmp::Reverse((game.last_ms, game.newest.created_ms)));
        summaries.truncate(MAX_SUMMARIES as usize);
        Ok(summaries)
    }

    /// The summaries of these games, in the given order; without games that are gone or damaged. Games without a card
    /// are loaded once, at the expense of the client network.
    ///
    /// # Errors
    /// If the store fails, or [`ServiceError::Busy`].
    pub async fn summaries(
        &self,
        ids: &[GameId],
        client_network: Option<ClientNetwork>,
    ) -> Result<Vec<Arc<GameSummary>>, ServiceError> {
        let store = &self.shared.store;
        let cache = &self.shared.summaries.0;
        let mut found: HashMap<GameId, Arc<GameSummary>> = HashMap::with_capacity(ids.len());
        let mut missing = Vec::new();
        for version in store.versions(ids).await? {
            match cache.get(&version.id).filter(|known| known.is_of(&version)) {
                Some(known) => drop(found.insert(version.id, known)),
                None => missing.push(version.id),
            }
        }
        let mut without_card = Vec::new();
        for batch in missing.chunks(READ_BATCH) {
            for stored in store.cards(batch).await? {
                let id = stored.header.id.clone();
                match GameSummary::from_stored(stored, self.games(), &self.shared.served) {
                    Some(summary) => drop(found.insert(id, self.cache_summary(summary))),
                    None => without_card.push(id),
                }
            }
            tokio::task::yield_now().await;
        }
        let client_network = client_network.unwrap_or(ClientNetwork::UNKNOWN);
        for batch in without_card.chunks(READ_BATCH) {
            let (service, batch) = (self.clone(), batch.to_vec());
            let runtime = Handle::current();
            let read = move |_: &_| runtime.block_on(service.summarise(&batch));
            let demand = ComputeDemand::time(EXPECTED_READ_TIME);
            let read = self.run_job(JobKind::RecordExport, client_network, demand, read);
            let read = read.await??.into_iter();
            found.extend(read.map(|summary| (summary.newest.id.clone(), summary)));
        }
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// Whether this game between computers is paused until it is viewed.
    #[must_use]
    pub fn is_paused(&self, game: &GameSummary) -> bool {
        let table = self.shared.tables.lock().get_untouched(&game.newest.id);
        table.map_or(game.newest.is_self_playing(), |table| {
            table.snapshots.borrow().paused
        })
    }

    /// Makes lists load this game and find out that it is damaged, instead of showing its card.
    pub(super) async fn invalidate_card(&self, id: &GameId) {
        self.shared.summaries.forget(id);
        if let Err(error) = self.shared.store.store_card(id, String::new()).await {
            tracing::warn!(%id, %error, "the card of a damaged game could not be removed");
        }
    }

    fn cache_summary(&self, summary: GameSummary) -> Arc<GameSummary> {
        let summary = Arc::new(summary);
        let id = summary.newest.id.clone();
        self.shared.summaries.0.insert(id, Arc::clone(&summary));
        summary
    }

    /// Loads games and stores their cards.
    async fn summarise(&self, games: &[GameId]) -> Result<Vec<Arc<GameSummary>>, ServiceError> {
        let mut summaries = Vec::with_capacity(games.len());
        for id in games {
            match self.snapshot_unloaded(id).await {
                Ok(snapshot) => {
                    let card = GameCard::new(&*snapshot.live);
                    let text = card.to_json();
                    let summary = GameSummary::new(Snapshot::clone(&snapshot), card, text.len());
                    summaries.push(self.cache_summary(summary));
                    self.shared.store.store_card(id, text).await?;
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
        let unreviewed: Vec<GameId> = unreviewed.map(|game| game.newest.id.clone()).collect();
        let reviewed: HashSet<GameId> = self
            .shared
            .store
            .reviewed(&unreviewed)
            .await?
            .into_iter()
            .collect();
        for game in games {
            if !reviewed.contains(&game.newest.id) || game.review.get().is_some() {
                continue;
            }
            let stored = self.shared.store.review(&game.newest.id).await?;
            let text = stored.and_then(|stored| stored.review);
            // A review that cannot be read does not count.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_abandoned_after_more_than_thirty_days() {
        let now_ms = 1_800_000_000_000;
        assert!(!is_abandoned(now_ms - ABANDONED_MS, now_ms));
        assert!(is_abandoned(now_ms - ABANDONED_MS - 1, now_ms));
        assert!(
            !is_abandoned(now_ms + 1, now_ms),
            "a clock that was set back"
        );
    }
}
