//! Summaries of games: what lists and statistics need of a game, without its record.
//!
//! A summary is made from the game's card, which is stored with each entry, so it costs the same however long the game
//! is. The most recently used ones are kept in memory; a summary is made again when its game has changed.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::formats::saved_game::SavedGame;
use crate::game::Player;
use crate::games::{ConfiguredGame, GameCard, LiveGameRef, RecordCounts, Registry};
use crate::seats::Credentials;
use crate::store::{GameId, GameVersion, ServedTime, StoredCard};
use crate::tables::snapshot::Snapshot;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// An unfinished game without activity for this long is abandoned: 30 days.
const ABANDONED_MS: i64 = 30 * 86_400_000;

/// The maximum number of a browser's games that are summarised, the newest ones.
pub const MAX_SUMMARIES: u32 = 1_000;

/// Approximate size of the cache in bytes.
const CACHE_BYTES: u64 = 12 << 20;

/// Approximate size of a summary in bytes, without its position.
const SUMMARY_BYTES: u64 = 2_048;

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
    pub(super) fn new(snapshot: Snapshot, card: GameCard, card_bytes: usize) -> Self {
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
            newest: Snapshot { live, ..snapshot },
        }
    }

    /// The summary of a stored game, unless its card is missing or belongs to another state of the game. A game without
    /// entries needs no card.
    pub(super) fn from_stored(
        stored: StoredCard,
        games: &Registry,
        served: &ServedTime,
    ) -> Option<Self> {
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
}

/// Everything else follows from the game's version.
impl Hash for GameSummary {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Snapshot { id, seats, .. } = &self.newest;
        (id, self.entries, seats.revision).hash(state);
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
    /// The summary of a game at this version.
    pub(super) fn get(&self, version: &GameVersion) -> Option<Arc<GameSummary>> {
        let known = self.0.get(&version.id);
        known.filter(|known| known.is_of(version))
    }

    pub(super) fn insert(&self, summary: GameSummary) -> Arc<GameSummary> {
        let summary = Arc::new(summary);
        let id = summary.newest.id.clone();
        self.0.insert(id, Arc::clone(&summary));
        summary
    }

    /// Forgets the summary of a game that is damaged.
    pub(super) fn forget(&self, id: &GameId) {
        self.0.remove(id);
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
