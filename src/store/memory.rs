//! A store without persistence, for trying the program and for tests.
//!
//! It does not use SQLite's `:memory:`, which loses the whole database when the connection is dropped, for
//! example with a cancelled request. It is a map behind a lock that is never held across an await.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use super::local_leases::{LocalLeases, can_continue, is_last};
use super::{
    AppendOptions, DailyAttempt, DailyDeal, DailyScore, DerivedStore, FencingToken, GameHeader,
    GameId, GameList, GameOrigin, GamePage, GameStore, GameVersion, LeaseResult, LeaseStore,
    ListStore, MAX_OWN_GAMES_SKIPPED, NetworkHash, NetworkKey, PageCursor, PuzzleAnswer,
    RecordStore, RetentionCutoffs, ReviewChange, ServedPeriod, StorageUsage, StoreError,
    StoredCard, StoredEntry, StoredFeed, StoredGame, StoredPairingCode, StoredReview,
};
use crate::day::Day;
use crate::seats::{ComputerPace, RematchKind, Seat, Seats};
use crate::secret::SecretHash;

mod browser;
mod daily;
mod feeds;
mod game;
mod networks;
mod open_tables;
mod pairing;
mod programs;
mod puzzles;
mod served;

use game::{MemoryGame, link_tokens};
use programs::MemoryProgram;

/// The store `memory:`.
#[derive(Debug, Default)]
pub struct MemoryStore {
    games: Mutex<MemoryGames>,
    closed: CancellationToken,
    broken: CancellationToken,
    leases: LocalLeases,
}

#[derive(Debug, Default)]
struct MemoryGames {
    by_id: HashMap<GameId, MemoryGame>,
    /// Number of games ever created.
    created: i64,
    counts: BTreeMap<String, u64>,
    programs: Vec<MemoryProgram>,
    daily_deals: HashMap<Day, DailyDeal>,
    daily_attempts: HashMap<(SecretHash, Day), DailyAttempt>,
    daily_scores: HashMap<(SecretHash, Day), DailyScore>,
    feeds: HashMap<SecretHash, StoredFeed>,
    pairing_codes: HashMap<SecretHash, StoredPairingCode>,
    network_keys: HashMap<Day, NetworkKey>,
    served: Vec<ServedPeriod>,
    puzzle_answers: HashMap<(SecretHash, String), (PuzzleAnswer, Option<NetworkHash>)>,
    /// The last finish number assigned.
    last_finish_number: i64,
}

impl MemoryStore {
    pub fn new() -> Self {
        Self::default()
    }

    fn lock_games(&self) -> Result<MutexGuard<'_, MemoryGames>, StoreError> {
        if self.closed.is_cancelled() {
            return Err(StoreError::Unavailable("the store is closed".to_owned()));
        }
        Ok(self.games.lock())
    }

    /// Adds a game, unless there is one that is the same.
    fn add_game(
        &self,
        games: &mut MemoryGames,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        if games.has_same(&header) {
            return Err(StoreError::Exists);
        }
        games.created += 1;
        let mut game = MemoryGame {
            serial: games.created,
            active_ms: header.created_ms,
            played: false,
            review: None,
            review_requested_ms: 0,
            finish_number: None,
            open_table: None,
            card: None,
            stored: StoredGame {
                header,
                seats: Seats::new(seats),
                entries: Vec::new(),
                ending: None,
                finished_ms: None,
            },
        };
        game.update_activity_after_seating();
        for entry in entries {
            game.append(entry);
        }
        self.mark_possibly_due(&game.stored);
        games.by_id.insert(game.stored.header.id.clone(), game);
        Ok(())
    }

    /// Marks the game as possibly due, after its creation or a change of seats.
    fn mark_possibly_due(&self, stored: &StoredGame) {
        let header = &stored.header;
        let is_unfinished = stored.finished_ms.is_none();
        let pace = match stored.seats.revision {
            0 => header.pace,
            // The time to reveal entropy text may run from this change of seats on, at any pace.
            _ => ComputerPace::AtOnce,
        };
        if is_unfinished && can_continue(pace, header.turn_s, &stored.seats.seats) {
            self.leases.mark_possibly_due(&stored.header.id);
        }
    }
}

impl MemoryGames {
    fn game_mut(&mut self, id: &GameId) -> Result<&mut MemoryGame, StoreError> {
        self.by_id.get_mut(id).ok_or(StoreError::NotFound)
    }

    /// Whether there is a game with this id, or one that only one game can be: this rematch, or the scored game of a day
    /// that this browser created.
    fn has_same(&self, header: &GameHeader) -> bool {
        let is_daily = matches!(header.origin, Some(GameOrigin::Daily { .. }));
        let is_same = |other: &GameHeader| {
            header.rematch_of.is_some() && other.rematch_of == header.rematch_of
                || is_daily && (&other.origin, other.creator) == (&header.origin, header.creator)
        };
        let is_single = header.rematch_of.is_some() || is_daily;
        let mut games = self.by_id.values();
        self.by_id.contains_key(&header.id)
            || is_single && games.any(|game| is_same(&game.stored.header))
    }

    fn program(&mut self, token: &SecretHash) -> Result<&mut MemoryProgram, StoreError> {
        let mut programs = self.programs.iter_mut();
        let found = programs.find(|entry| entry.program.token == *token);
        found.ok_or(StoreError::NotFound)
    }

    /// Assigns a finish number if the game is finished and has none.
    fn assign_finish_number(&mut self, id: &GameId) {
        let next = self.last_finish_number + 1;
        if let Some(game) = self.by_id.get_mut(id)
            && game.is_finished()
            && game.finish_number.is_none()
        {
            game.finish_number = Some(next);
            self.last_finish_number = next;
        }
    }

    /// The games that satisfy `filter`, newest activity first.
    fn newest_active(
        &self,
        filter: impl Fn(&MemoryGame) -> bool,
    ) -> impl Iterator<Item = &MemoryGame> {
        let mut games: Vec<&MemoryGame> = self.by_id.values().filter(|game| filter(game)).collect();
        games.sort_by_key(|game| Reverse(game.cursor()));
        games.into_iter()
    }

    fn newest_rematch(&self, id: &GameId) -> Option<GameId> {
        let is_one = |game: &&MemoryGame| {
            let of = game.stored.header.rematch_of.as_ref();
            of.is_some_and(|(of, _)| of == id)
        };
        let made = self.by_id.values().filter(is_one);
        let newest = made.max_by_key(|game| game.serial)?;
        Some(newest.stored.header.id.clone())
    }
}

fn ids<'a>(games: impl Iterator<Item = &'a MemoryGame>, limit: u32) -> Vec<GameId> {
    let ids = games.map(|game| game.stored.header.id.clone());
    ids.take(limit as usize).collect()
}

#[async_trait]
impl RecordStore for MemoryStore {
    async fn create_with_entries(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        let games = &mut *self.lock_games()?;
        let attempt = DailyAttempt::of_new_game(&header);
        let has_begun = |attempt: &DailyAttempt| {
            let key = (attempt.browser, attempt.day);
            games.daily_attempts.contains_key(&key)
        };
        if attempt.as_ref().is_some_and(has_begun) {
            return Err(StoreError::Exists);
        }
        self.add_game(games, header, seats, entries)?;
        if let Some(attempt) = attempt {
            let key = (attempt.browser, attempt.day);
            games.daily_attempts.insert(key, attempt);
        }
        Ok(())
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        Ok(self
            .lock_games()?
            .by_id
            .get(id)
            .map(|game| game.stored.clone()))
    }

    async fn append_with(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        card: Option<String>,
        options: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let mut games = self.lock_games()?;
        let game = games.game_mut(id)?;
        let next = game.stored.next_number();
        if expected != next || game.is_finished() {
            return Err(StoreError::Conflict { next });
        }
        self.leases.check_fence(id, options)?;
        let is_last = is_last(&entry);
        game.append(entry);
        game.card = card.or(game.card.take());
        games.assign_finish_number(id);
        Ok(self.leases.record_append(id, is_last, options))
    }

    async fn repair_finished(&self, id: &GameId) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let stored = &mut games.game_mut(id)?.stored;
        stored.finished_ms = stored.finished_ms.or(Some(stored.last_ms()));
        games.assign_finish_number(id);
        Ok(())
    }

    async fn delete_game(&self, id: &GameId, seats_revision: u32) -> Result<bool, StoreError> {
        let mut games = self.lock_games()?;
        let game = games.by_id.get(id);
        let is_current = game.is_some_and(|game| game.stored.seats.revision == seats_revision);
        if is_current {
            games.by_id.remove(id);
        }
        Ok(is_current)
    }

    async fn versions(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        let all = self.lock_games()?;
        let found = games.iter().filter_map(|id| {
            let stored = &all.by_id.get(id)?.stored;
            Some(GameVersion {
                id: id.clone(),
                entries: stored.next_number(),
                revision: stored.seats.revision,
                rematch: all.newest_rematch(id),
            })
        });
        Ok(found.collect())
    }
}

#[async_trait]
impl ListStore for MemoryStore {
    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError> {
        let mut games = self.lock_games()?;
        let game = games.game_mut(id)?;
        let now = &mut game.stored.seats;
        if now.revision != expected_revision {
            return Err(StoreError::StaleSeats {
                revision: now.revision,
            });
        }
        *now = Seats {
            revision: expected_revision + 1,
            seats,
            host: now.host,
        };
        game.update_activity_after_seating();
        self.mark_possibly_due(&game.stored);
        Ok(expected_revision + 1)
    }

    async fn find_seat_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<(GameId, u8)>, StoreError> {
        let games = self.lock_games()?;
        let opens = |seat: &Seat| link_tokens(&seat.occupant).contains(&Some(*link));
        let found = games.by_id.values().filter_map(|game| {
            let player = game.stored.seats.seats.iter().position(opens)?;
            Some((game, u8::try_from(player).ok()?))
        });
        Ok(found
            .max_by_key(|(game, _)| game.serial)
            .map(|(game, player)| (game.stored.header.id.clone(), player)))
    }

    async fn list_games(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        let games = self.lock_games()?;
        let mut page: Vec<&MemoryGame> = match &list {
            GameList::Of(browser) => games
                .newest_active(|game| {
                    game.stored.header.book_of.is_none() && game.belongs_to(browser)
                })
                .collect(),
            GameList::Watchable => games.newest_active(MemoryGame::is_watchable).collect(),
            GameList::Unfinished(pace) => games
                .newest_active(|game| !game.is_finished() && game.stored.header.pace == *pace)
                .collect(),
            GameList::All => {
                let mut all: Vec<_> = games.by_id.values().collect();
                all.sort_by_key(|game| game.serial);
                all
            }
        };
        page.retain(|game| match (&list, after) {
            (_, None) => true,
            (GameList::All, Some(after)) => game.serial > after.serial,
            (_, Some(after)) => game.cursor() < after,
        });
        page.truncate(limit as usize);
        Ok(GamePage {
            next: page.last().map(|game| game.cursor()),
            games: ids(page.into_iter(), limit),
        })
    }

    async fn book_page_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError> {
        let games = self.lock_games()?;
        let book_games = games
            .by_id
            .values()
            .filter(|game| game.stored.header.book_of.as_ref() == Some(browser));
        Ok(book_games
            .max_by_key(|game| game.serial)
            .map(|game| game.stored.header.id.clone()))
    }

    async fn list_watchable(
        &self,
        viewer: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let games = self.lock_games()?;
        let search_limit = limit.saturating_add(MAX_OWN_GAMES_SKIPPED) as usize;
        let newest = games
            .newest_active(MemoryGame::is_watchable)
            .take(search_limit);
        let is_own = |game: &&MemoryGame| viewer.is_some_and(|browser| game.belongs_to(browser));
        Ok(ids(newest.filter(|game| !is_own(game)), limit))
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        let games = self.lock_games()?;
        let found = games.by_id.values().filter_map(|game| {
            let header = &game.stored.header;
            let (of, kind) = header.rematch_of.as_ref()?;
            (of == id).then(|| (*kind, header.id.clone()))
        });
        let mut found: Vec<_> = found.collect();
        found.sort();
        Ok(found)
    }

    async fn list_expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let games = self.lock_games()?;
        let expired = |game| Some((MemoryGame::expiry(game, cutoffs)?, game.serial, game));
        let mut found: Vec<_> = games.by_id.values().filter_map(expired).collect();
        found.sort_by_key(|(why, serial, _)| (*why, *serial));
        Ok(ids(found.into_iter().map(|(_, _, game)| game), limit))
    }

    async fn delete_expired(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError> {
        let mut all = self.lock_games()?;
        let before = all.by_id.len();
        for id in games {
            let game = all.by_id.get(&id);
            if game.is_some_and(|game| game.expiry(&cutoffs).is_some()) {
                all.by_id.remove(&id);
            }
        }
        Ok((before - all.by_id.len()) as u64)
    }

    async fn last_activity_ms(&self) -> Result<Option<i64>, StoreError> {
        let games = self.lock_games()?;
        let times = games.by_id.values();
        Ok(times
            .map(|game| game.stored.finished_ms.unwrap_or(game.active_ms))
            .max())
    }
}

#[async_trait]
impl LeaseStore for MemoryStore {
    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        drop(self.lock_games()?);
        Ok(self.leases.lease(id, time))
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        drop(self.lock_games()?);
        self.leases.renew(held, time);
        Ok(())
    }

    async fn release(
        &self,
        id: &GameId,
        fence: FencingToken,
        due: Option<Duration>,
    ) -> Result<(), StoreError> {
        drop(self.lock_games()?);
        self.leases.release(id, fence, due);
        Ok(())
    }

    async fn claim(
        &self,
        limit: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        drop(self.lock_games()?);
        Ok(self.leases.claim(limit, time))
    }
}

#[async_trait]
impl DerivedStore for MemoryStore {
    async fn cards(&self, games: &[GameId]) -> Result<Vec<StoredCard>, StoreError> {
        let all = self.lock_games()?;
        let found = games.iter().filter_map(|id| all.by_id.get(id));
        let cards = found.map(|game| StoredCard {
            header: game.stored.header.clone(),
            seats: game.stored.seats.clone(),
            entries: game.stored.next_number(),
            card: game.card.clone(),
        });
        Ok(cards.collect())
    }

    async fn store_card(&self, id: &GameId, card: String) -> Result<(), StoreError> {
        if let Some(game) = self.lock_games()?.by_id.get_mut(id) {
            game.card = Some(card);
        }
        Ok(())
    }

    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let game = games.game_mut(id)?;
        let known = game.review.take().unwrap_or_default();
        game.review = match change {
            ReviewChange::Request(at_ms) => {
                if !known.is_wanted {
                    game.review_requested_ms = at_ms;
                }
                Some(StoredReview {
                    is_wanted: true,
                    ..known
                })
            }
            ReviewChange::Store(review) => Some(StoredReview {
                is_wanted: false,
                review: Some(review),
            }),
            ReviewChange::Cancel => known.review.map(|review| StoredReview {
                is_wanted: false,
                review: Some(review),
            }),
        };
        Ok(())
    }

    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError> {
        let games = self.lock_games()?;
        Ok(games.by_id.get(id).and_then(|game| game.review.clone()))
    }

    async fn reviewed(&self, games: &[GameId]) -> Result<Vec<GameId>, StoreError> {
        let all = self.lock_games()?;
        let is_reviewed = |id: &&GameId| {
            let review = all.by_id.get(id).and_then(|game| game.review.as_ref());
            review.is_some_and(|known| known.review.is_some())
        };
        Ok(games.iter().filter(is_reviewed).cloned().collect())
    }

    async fn pending_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        let games = self.lock_games()?;
        let is_pending =
            |game: &&MemoryGame| game.review.as_ref().is_some_and(|known| known.is_wanted);
        let mut pending: Vec<_> = games.by_id.values().filter(is_pending).collect();
        pending.sort_by_key(|game| (game.review_requested_ms, &game.stored.header.id));
        Ok(ids(pending.into_iter(), limit))
    }

    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        for (name, count) in counts {
            *games.counts.entry(name).or_default() += count;
        }
        Ok(())
    }

    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        if !games.counts.is_empty() {
            return Err(StoreError::Exists);
        }
        games.counts.extend(counts);
        Ok(())
    }

    async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let games = self.lock_games()?;
        let counts = games.counts.iter();
        Ok(counts.map(|(name, count)| (name.clone(), *count)).collect())
    }
}

#[async_trait]
impl GameStore for MemoryStore {
    async fn storage_usage(&self) -> Result<StorageUsage, StoreError> {
        self.lock_games().map(|_| StorageUsage::default())
    }

    async fn health_check(&self) -> Result<(), StoreError> {
        self.lock_games().map(drop)
    }

    /// Never cancelled: memory does not fail.
    fn failure(&self) -> CancellationToken {
        self.broken.clone()
    }

    async fn close(&self) {
        self.closed.cancel();
    }
}
