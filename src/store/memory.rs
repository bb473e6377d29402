//! An archive that forgets everything when the program ends: for trying the program, and for tests.
//!
//! It is deliberately not SQLite's `:memory:`, which loses the whole database with the connection
//! that a hung-up client takes along. A map behind a lock, never held while waiting for anything.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::local_leases::{LocalLeases, is_last, may_go_on};
use super::{
    ACTIVITY_MS, AppendOptions, ExportedGame, FencingToken, GameHeader, GameId, GameList, GamePage,
    GameStore, GameVersion, LeaseResult, OWN_PASSED_OVER, PageCursor, ProgramId, RegisteredProgram,
    RetentionCutoffs, ReviewChange, StorageUsage, StoreError, StoredEntry, StoredGame,
    StoredReview,
};
use crate::record::EntryRow;
use crate::seats::{
    ComputerPace, Invitation, RematchKind, Seat, SeatCredentials, SeatOccupant, Seats,
};
use crate::secret::SecretHash;

/// The archive `memory:`.
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
    /// How many games were ever created.
    created: i64,
    counts: BTreeMap<String, u64>,
    programs: Vec<KeptProgram>,
    /// How many ends of games were numbered.
    finishes: i64,
}

#[derive(Debug)]
struct KeptProgram {
    program: RegisteredProgram,
    /// When it was last heard of.
    seen_ms: i64,
    /// Up to which number it was told of ends of its games.
    told: i64,
}

#[derive(Debug)]
struct MemoryGame {
    stored: StoredGame,
    /// Counts creations, so that of two games at the same time the younger comes first.
    serial: i64,
    /// The time of the last entry, or since then of the newest sitting down.
    active_ms: i64,
    /// Whether a person has made an entry.
    played: bool,
    review: Option<StoredReview>,
    /// Since when the review is wanted.
    wanted_ms: i64,
    /// The number of its end.
    finish: Option<i64>,
}

impl MemoryStore {
    /// An empty archive.
    pub fn new() -> Self {
        Self::default()
    }

    fn read(&self) -> Result<MutexGuard<'_, MemoryGames>, StoreError> {
        if self.closed.is_cancelled() {
            return Err(StoreError::Unavailable("the archive is closed".to_owned()));
        }
        // Each change below is made by its last step alone, so a panic leaves nothing half done.
        Ok(self.games.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// After a game was made, or its seats were changed.
    fn note_work(&self, stored: &StoredGame) {
        let goes_on = stored.finished_ms.is_none();
        if goes_on && may_go_on(stored.header.pace, &stored.seats.seats) {
            self.leases.may_be_due(&stored.header.id);
        }
    }
}

impl MemoryGame {
    /// Whether this browser, or whoever has this token, made the game or sits in it.
    fn is_theirs(&self, browser: &SecretHash) -> bool {
        let StoredGame { header, seats, .. } = &self.stored;
        header.creator.as_ref() == Some(browser)
            || seats.seats.iter().any(|seat| {
                let keys = seat.sitter.keys();
                let opens = |key: Option<&SecretHash>| key == Some(browser);
                keys.is_some_and(|keys| opens(keys.browser()) || opens(keys.token()))
            })
    }

    /// Whether the program with this token sits in the game, or is asked to.
    fn has_program(&self, token: &SecretHash) -> bool {
        let sits = |seat: &Seat| matches!(place(&seat.sitter), Some((own, _)) if own == token);
        self.stored.seats.seats.iter().any(sits)
    }

    fn is_watchable(&self) -> bool {
        let StoredGame { header, seats, .. } = &self.stored;
        let has_person = || seats.seats.iter().any(|seat| seat.sitter.is_human());
        !self.is_finished() && !header.private && header.book_of.is_none() && has_person()
    }

    fn is_finished(&self) -> bool {
        self.stored.finished_ms.is_some()
    }

    fn place(&self) -> PageCursor {
        PageCursor {
            active_ms: self.active_ms,
            serial: self.serial,
        }
    }

    /// Notes what is active now, after an entry.
    fn entered(&mut self, at_ms: i64, player: Option<u8>) {
        let seats = &self.stored.seats.seats;
        let seat = player.and_then(|player| seats.get(usize::from(player)));
        let is_first = !self.played && seat.is_some_and(|seat| seat.sitter.is_human());
        let known = self.active_ms..self.active_ms.saturating_add(ACTIVITY_MS);
        if is_first || !known.contains(&at_ms) {
            self.active_ms = at_ms;
        }
        self.played |= is_first;
    }

    /// Takes the next entry.
    fn append(&mut self, entry: StoredEntry) {
        let row = match entry {
            StoredEntry::Ply(row) => EntryRow::Ply(row),
            StoredEntry::Takeback(row) => EntryRow::Takeback(row),
            StoredEntry::Contribution(row) => EntryRow::Contribution(row),
            StoredEntry::FinalPly(row) => {
                self.stored.finished_ms = Some(row.at_ms);
                EntryRow::Ply(row)
            }
            StoredEntry::Ending(ending) => {
                self.entered(ending.at_ms, None);
                self.stored.finished_ms = Some(ending.at_ms);
                self.stored.ending = Some(ending);
                return;
            }
        };
        self.entered(row.at_ms(), Some(row.player()));
        self.stored.entries.push(row);
    }

    /// Notes who sat down.
    fn seated(&mut self) {
        let seats = self.stored.seats.seats.iter();
        let newest = seats.filter_map(|seat| seat.since_ms).max();
        self.active_ms = newest.map_or(self.active_ms, |newest| newest.max(self.active_ms));
    }

    /// Why the game is to go, if it is, and the time that counts.
    fn expiry(&self, cutoffs: &RetentionCutoffs) -> Option<(ExpiryReason, i64)> {
        let seats = || self.stored.seats.seats.iter();
        let people = seats().filter(|seat| seat.sitter.is_human()).count();
        let is_open = || seats().any(|seat| matches!(seat.sitter, SeatOccupant::Open { .. }));
        let is_uploaded = matches!(
            self.stored.header.origin,
            Some(super::GameOrigin::Uploaded { .. })
        );
        let (kind, at_ms, before_ms) = match self.stored.finished_ms {
            _ if is_uploaded => (ExpiryReason::Uploaded, self.active_ms, cutoffs.uploaded_ms),
            Some(at_ms) => (ExpiryReason::Finished, at_ms, cutoffs.finished_ms),
            None if self.played => {
                let kind =
                    ExpiryReason::Abandoned(self.stored.header.pace == ComputerPace::OnRequest);
                (kind, self.active_ms, cutoffs.abandoned_ms)
            }
            None if people > 1 || is_open() => {
                (ExpiryReason::Awaited, self.active_ms, cutoffs.awaited_ms)
            }
            None => (
                ExpiryReason::Untouched,
                self.active_ms,
                cutoffs.untouched_ms,
            ),
        };
        before_ms
            .is_some_and(|before_ms| at_ms < before_ms)
            .then_some((kind, at_ms))
    }
}

/// Why games go, in the order in which they are told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ExpiryReason {
    Uploaded,
    Finished,
    Untouched,
    Awaited,
    /// Those whose computers play on request come last.
    Abandoned(bool),
}

/// The tokens of all links that lead to a seat.
fn links(sitter: &SeatOccupant) -> [Option<SecretHash>; 2] {
    match sitter {
        SeatOccupant::Open { invitation } => {
            [invitation.as_ref().map(Invitation::token).copied(), None]
        }
        taken => {
            let keys = taken.keys();
            let keys = keys.as_ref();
            [
                keys.and_then(SeatCredentials::token).copied(),
                keys.and_then(SeatCredentials::joined).copied(),
            ]
        }
    }
}

/// The token of the program that has a seat, and whether it is only asked to take it.
fn place(sitter: &SeatOccupant) -> Option<(&SecretHash, bool)> {
    match sitter {
        SeatOccupant::Program { keys, .. } => Some((&keys.token, false)),
        SeatOccupant::Open {
            invitation: Some(Invitation::Program { token, .. }),
        } => Some((token, true)),
        SeatOccupant::Open { .. } | SeatOccupant::Person { .. } | SeatOccupant::Level { .. } => {
            None
        }
    }
}

impl MemoryGames {
    fn kept(&mut self, id: &GameId) -> Result<&mut MemoryGame, StoreError> {
        self.by_id.get_mut(id).ok_or(StoreError::NotFound)
    }

    fn program(&mut self, token: &SecretHash) -> Result<&mut KeptProgram, StoreError> {
        let mut programs = self.programs.iter_mut();
        let found = programs.find(|kept| kept.program.token == *token);
        found.ok_or(StoreError::NotFound)
    }

    /// Numbers the end of a game, where it has come to one.
    fn number_finish(&mut self, id: &GameId) {
        let next = self.finishes + 1;
        if let Some(kept) = self.by_id.get_mut(id)
            && kept.is_finished()
            && kept.finish.is_none()
        {
            kept.finish = Some(next);
            self.finishes = next;
        }
    }

    /// The games that are `wanted`, newest activity first.
    fn newest_active(
        &self,
        wanted: impl Fn(&MemoryGame) -> bool,
    ) -> impl Iterator<Item = &MemoryGame> {
        let mut games: Vec<&MemoryGame> = self.by_id.values().filter(|kept| wanted(kept)).collect();
        games.sort_by_key(|kept| Reverse(kept.place()));
        games.into_iter()
    }

    fn newest_rematch(&self, id: &GameId) -> Option<GameId> {
        let is_one = |kept: &&MemoryGame| {
            let of = kept.stored.header.rematch_of.as_ref();
            of.is_some_and(|(of, _)| of == id)
        };
        let made = self.by_id.values().filter(is_one);
        let newest = made.max_by_key(|kept| kept.serial)?;
        Some(newest.stored.header.id.clone())
    }

    fn page(
        &self,
        wanted: impl Fn(&MemoryGame) -> bool,
        after: Option<PageCursor>,
        limit: u32,
    ) -> GamePage {
        let after = after.unwrap_or(PageCursor::FIRST);
        let newest = self.newest_active(|kept| kept.place() < after && wanted(kept));
        let page: Vec<_> = newest.take(limit as usize).collect();
        GamePage {
            next: page.last().map(|kept| kept.place()),
            games: ids(page.into_iter(), limit),
        }
    }
}

fn ids<'a>(games: impl Iterator<Item = &'a MemoryGame>, limit: u32) -> Vec<GameId> {
    let ids = games.map(|kept| kept.stored.header.id.clone());
    ids.take(limit as usize).collect()
}

#[async_trait]
impl GameStore for MemoryStore {
    async fn keep(
        &self,
        header: GameHeader,
        seats: Vec<Seat>,
        entries: Vec<StoredEntry>,
    ) -> Result<(), StoreError> {
        let mut games = self.read()?;
        let again = header.rematch_of.is_some()
            && games
                .by_id
                .values()
                .any(|kept| kept.stored.header.rematch_of == header.rematch_of);
        if again || games.by_id.contains_key(&header.id) {
            return Err(StoreError::Exists);
        }
        games.created += 1;
        let mut kept = MemoryGame {
            serial: games.created,
            active_ms: header.created_ms,
            played: false,
            review: None,
            wanted_ms: 0,
            finish: None,
            stored: StoredGame {
                header,
                seats: Seats { revision: 0, seats },
                entries: Vec::new(),
                ending: None,
                finished_ms: None,
            },
        };
        kept.seated();
        for entry in entries {
            kept.append(entry);
        }
        self.note_work(&kept.stored);
        games.by_id.insert(kept.stored.header.id.clone(), kept);
        Ok(())
    }

    async fn import(&self, moved: ExportedGame) -> Result<(), StoreError> {
        let ExportedGame {
            stored,
            played,
            active_ms,
        } = moved;
        let id = stored.header.id.clone();
        let seats = stored.seats.seats.clone();
        self.keep(stored.header.clone(), seats, Vec::new()).await?;
        let mut games = self.read()?;
        let kept = games.kept(&id)?;
        (kept.stored, kept.played, kept.active_ms) = (stored, played, active_ms);
        games.number_finish(&id);
        Ok(())
    }

    async fn load(&self, id: &GameId) -> Result<Option<StoredGame>, StoreError> {
        Ok(self.read()?.by_id.get(id).map(|kept| kept.stored.clone()))
    }

    async fn append_turn(
        &self,
        id: &GameId,
        expected: u32,
        entry: StoredEntry,
        turn: AppendOptions,
    ) -> Result<Option<FencingToken>, StoreError> {
        let mut games = self.read()?;
        let kept = games.kept(id)?;
        let next = kept.stored.next();
        if expected != next || kept.is_finished() {
            return Err(StoreError::Conflict { next });
        }
        self.leases.admit(id, turn)?;
        let is_last = is_last(&entry);
        kept.append(entry);
        games.number_finish(id);
        Ok(self.leases.appended(id, is_last, turn))
    }

    async fn lease(&self, id: &GameId, time: Duration) -> Result<LeaseResult, StoreError> {
        drop(self.read()?);
        Ok(self.leases.lease(id, time))
    }

    async fn renew(
        &self,
        held: &[(GameId, FencingToken)],
        time: Duration,
    ) -> Result<(), StoreError> {
        drop(self.read()?);
        self.leases.renew(held, time);
        Ok(())
    }

    async fn release(&self, id: &GameId, fence: FencingToken, due: bool) -> Result<(), StoreError> {
        drop(self.read()?);
        self.leases.release(id, fence, due);
        Ok(())
    }

    async fn claim(
        &self,
        most: u32,
        time: Duration,
    ) -> Result<Vec<(GameId, FencingToken)>, StoreError> {
        drop(self.read()?);
        Ok(self.leases.claim(most, time))
    }

    async fn standing(&self, games: &[GameId]) -> Result<Vec<GameVersion>, StoreError> {
        let all = self.read()?;
        let found = games.iter().filter_map(|id| {
            let stored = &all.by_id.get(id)?.stored;
            Some(GameVersion {
                id: id.clone(),
                entries: stored.next(),
                revision: stored.seats.revision,
                rematch: all.newest_rematch(id),
            })
        });
        Ok(found.collect())
    }

    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, StoreError> {
        let mut games = self.read()?;
        let kept = games.kept(id)?;
        let now = &mut kept.stored.seats;
        if now.revision != expected_revision {
            return Err(StoreError::StaleSeats {
                revision: now.revision,
            });
        }
        *now = Seats {
            revision: expected_revision + 1,
            seats,
        };
        kept.seated();
        self.note_work(&kept.stored);
        Ok(expected_revision + 1)
    }

    async fn add_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let mut games = self.read()?;
        for (name, count) in counts {
            *games.counts.entry(name).or_default() += count;
        }
        Ok(())
    }

    async fn begin_counts(&self, counts: Vec<(String, u64)>) -> Result<(), StoreError> {
        let mut games = self.read()?;
        if !games.counts.is_empty() {
            return Err(StoreError::Exists);
        }
        games.counts.extend(counts);
        Ok(())
    }

    async fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let games = self.read()?;
        let counts = games.counts.iter();
        Ok(counts.map(|(name, count)| (name.clone(), *count)).collect())
    }

    async fn heal_finished(&self, id: &GameId) -> Result<(), StoreError> {
        let mut games = self.read()?;
        let stored = &mut games.kept(id)?.stored;
        stored.finished_ms = stored.finished_ms.or(Some(stored.last_ms()));
        games.number_finish(id);
        Ok(())
    }

    async fn listed(
        &self,
        list: GameList,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        let is_on_it = |kept: &MemoryGame| match &list {
            GameList::Of(browser) => {
                kept.stored.header.book_of.is_none() && kept.is_theirs(browser)
            }
            GameList::Watchable => kept.is_watchable(),
        };
        Ok(self.read()?.page(is_on_it, after, limit))
    }

    async fn book_game(&self, browser: &SecretHash) -> Result<Option<GameId>, StoreError> {
        let games = self.read()?;
        let theirs = games
            .by_id
            .values()
            .filter(|kept| kept.stored.header.book_of.as_ref() == Some(browser));
        Ok(theirs
            .max_by_key(|kept| kept.serial)
            .map(|kept| kept.stored.header.id.clone()))
    }

    async fn seat_of_link(&self, link: &SecretHash) -> Result<Option<(GameId, u8)>, StoreError> {
        let games = self.read()?;
        let opens = |seat: &Seat| links(&seat.sitter).contains(&Some(*link));
        let found = games.by_id.values().filter_map(|kept| {
            let player = kept.stored.seats.seats.iter().position(opens)?;
            Some((kept, u8::try_from(player).ok()?))
        });
        Ok(found
            .max_by_key(|(kept, _)| kept.serial)
            .map(|(kept, player)| (kept.stored.header.id.clone(), player)))
    }

    async fn watchable(
        &self,
        besides: Option<&SecretHash>,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let games = self.read()?;
        let sought = limit.saturating_add(OWN_PASSED_OVER) as usize;
        let newest = games.newest_active(MemoryGame::is_watchable).take(sought);
        let is_own = |kept: &&MemoryGame| besides.is_some_and(|browser| kept.is_theirs(browser));
        Ok(ids(newest.filter(|kept| !is_own(kept)), limit))
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, StoreError> {
        let games = self.read()?;
        let found = games.by_id.values().filter_map(|kept| {
            let header = &kept.stored.header;
            let (of, kind) = header.rematch_of.as_ref()?;
            (of == id).then(|| (*kind, header.id.clone()))
        });
        let mut found: Vec<_> = found.collect();
        found.sort();
        Ok(found)
    }

    async fn unfinished(
        &self,
        pace: ComputerPace,
        after: Option<PageCursor>,
        limit: u32,
    ) -> Result<GamePage, StoreError> {
        let goes_on = |kept: &MemoryGame| !kept.is_finished() && kept.stored.header.pace == pace;
        Ok(self.read()?.page(goes_on, after, limit))
    }

    async fn every(&self, after: Option<PageCursor>, limit: u32) -> Result<GamePage, StoreError> {
        let games = self.read()?;
        let after = after.map(|place| place.serial);
        let mut kept: Vec<&MemoryGame> = games.by_id.values().collect();
        kept.retain(|kept| after.is_none_or(|after| kept.serial > after));
        kept.sort_by_key(|kept| kept.serial);
        kept.truncate(limit as usize);
        Ok(GamePage {
            next: kept.last().map(|kept| kept.place()),
            games: ids(kept.into_iter(), limit),
        })
    }

    async fn expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let games = self.read()?;
        let expired = |kept| Some((MemoryGame::expiry(kept, cutoffs)?, kept.serial, kept));
        let mut found: Vec<_> = games.by_id.values().filter_map(expired).collect();
        found.sort_by_key(|(why, serial, _)| (*why, *serial));
        Ok(ids(found.into_iter().map(|(_, _, kept)| kept), limit))
    }

    async fn remove(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError> {
        let mut kept = self.read()?;
        let before = kept.by_id.len();
        for id in games {
            let game = kept.by_id.get(&id);
            if game.is_some_and(|game| game.expiry(&cutoffs).is_some()) {
                kept.by_id.remove(&id);
            }
        }
        Ok((before - kept.by_id.len()) as u64)
    }

    async fn change_review(&self, id: &GameId, change: ReviewChange) -> Result<(), StoreError> {
        let mut games = self.read()?;
        let kept = games.kept(id)?;
        let known = kept.review.take().unwrap_or_default();
        kept.review = match change {
            ReviewChange::Want(at_ms) => {
                if !known.is_wanted {
                    kept.wanted_ms = at_ms;
                }
                Some(StoredReview {
                    is_wanted: true,
                    ..known
                })
            }
            ReviewChange::Keep(review) => Some(StoredReview {
                is_wanted: false,
                review: Some(review),
            }),
            ReviewChange::Unwant => known.review.map(|review| StoredReview {
                is_wanted: false,
                review: Some(review),
            }),
        };
        Ok(())
    }

    async fn review(&self, id: &GameId) -> Result<Option<StoredReview>, StoreError> {
        let games = self.read()?;
        Ok(games.by_id.get(id).and_then(|kept| kept.review.clone()))
    }

    async fn wanted_reviews(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        let games = self.read()?;
        let is_wanted =
            |kept: &&MemoryGame| kept.review.as_ref().is_some_and(|known| known.is_wanted);
        let mut wanted: Vec<_> = games.by_id.values().filter(is_wanted).collect();
        wanted.sort_by_key(|kept| (kept.wanted_ms, &kept.stored.header.id));
        Ok(ids(wanted.into_iter(), limit))
    }

    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError> {
        let mut games = self.read()?;
        let is_taken =
            |known: &RegisteredProgram| known.id == program.id || known.token == program.token;
        if games.programs.iter().any(|kept| is_taken(&kept.program)) {
            return Err(StoreError::Exists);
        }
        games.programs.push(KeptProgram {
            seen_ms: program.created_ms,
            program,
            told: 0,
        });
        Ok(())
    }

    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError> {
        let games = self.read()?;
        let mut programs = games.programs.iter().map(|kept| &kept.program);
        Ok(programs.find(|program| program.id == *id).cloned())
    }

    async fn program_with(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        let games = self.read()?;
        let mut programs = games.programs.iter().map(|kept| &kept.program);
        Ok(programs.find(|program| program.token == *token).cloned())
    }

    async fn saw_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        let mut games = self.read()?;
        let kept = games.program(token)?;
        kept.seen_ms = kept.seen_ms.max(at_ms);
        Ok(())
    }

    async fn told_program(&self, token: &SecretHash, number: i64) -> Result<(), StoreError> {
        let mut games = self.read()?;
        let kept = games.program(token)?;
        kept.told = kept.told.max(number);
        Ok(())
    }

    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError> {
        let mut games = self.read()?;
        let Ok(told) = games.program(token).map(|kept| kept.told) else {
            return Ok(Vec::new());
        };
        let mut ends: Vec<(i64, GameId)> = games
            .by_id
            .values()
            .filter(|kept| kept.has_program(token))
            .filter_map(|kept| Some((kept.finish?, kept.stored.header.id.clone())))
            .collect();
        ends.sort();
        let newest = ends.last().map_or(told, |(number, _)| told.max(*number));
        let after = after.filter(|after| *after <= newest).unwrap_or(told);
        ends.retain(|(number, _)| *number > after);
        let passed_over = ends.len().saturating_sub(limit as usize);
        Ok(ends.split_off(passed_over))
    }

    async fn games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let goes_on = |kept: &MemoryGame| !kept.is_finished() && kept.has_program(token);
        let games = self.read()?;
        Ok(ids(games.newest_active(goes_on), limit))
    }

    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError> {
        let all = self.read()?;
        let sits = |seat: &Seat| place(&seat.sitter).is_some_and(|(own, _)| tokens.contains(own));
        let found = games.iter().filter(|id| {
            let kept = all.by_id.get(*id);
            kept.is_some_and(|kept| kept.stored.seats.seats.iter().any(sits))
        });
        Ok(found.cloned().collect())
    }

    async fn invitations_of(&self, token: &SecretHash) -> Result<u32, StoreError> {
        let is_asked =
            |seat: &Seat| matches!(place(&seat.sitter), Some((own, true)) if own == token);
        let waits =
            |kept: &MemoryGame| !kept.is_finished() && kept.stored.seats.seats.iter().any(is_asked);
        let games = self.read()?;
        let waiting = games.by_id.values().filter(|kept| waits(kept)).count();
        Ok(u32::try_from(waiting).unwrap_or(u32::MAX))
    }

    async fn forget_programs(&self, before_ms: i64) -> Result<u64, StoreError> {
        let mut games = self.read()?;
        let before = games.programs.len();
        games.programs.retain(|kept| kept.seen_ms >= before_ms);
        Ok((before - games.programs.len()) as u64)
    }

    async fn newest_ms(&self) -> Result<Option<i64>, StoreError> {
        let games = self.read()?;
        let times = games.by_id.values();
        Ok(times
            .map(|kept| kept.stored.finished_ms.unwrap_or(kept.active_ms))
            .max())
    }

    /// Nothing on any disk.
    async fn space(&self) -> Result<StorageUsage, StoreError> {
        self.read().map(|_| StorageUsage::default())
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.read().map(drop)
    }

    /// Never fires: memory does not break.
    fn broken(&self) -> CancellationToken {
        self.broken.clone()
    }

    async fn close(&self) {
        self.closed.cancel();
    }
}
