//! An archive that forgets everything when the program ends: for trying the program, and for tests.
//!
//! It is deliberately not SQLite's `:memory:`, which loses the whole database with the connection
//! that a hung-up client takes along. A map behind a lock, never held while waiting for anything.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{Archive, ArchiveError, Entry, GameId, Header, Stored};
use crate::seats::{Invitation, Keys, Pace, RematchKind, Seat, Seats, Sitter};
use crate::secret::SecretHash;

/// The archive `memory:`.
#[derive(Debug, Default)]
pub struct MemoryArchive {
    games: Mutex<Games>,
    closed: CancellationToken,
    broken: CancellationToken,
}

#[derive(Debug, Default)]
struct Games {
    by_id: HashMap<GameId, Kept>,
    /// How many games were ever created.
    created: u64,
}

#[derive(Debug)]
struct Kept {
    stored: Stored,
    /// Counts creations, so that of two games at the same time the younger comes first.
    serial: u64,
}

impl MemoryArchive {
    /// An empty archive.
    pub fn new() -> Self {
        Self::default()
    }

    fn read(&self) -> Result<MutexGuard<'_, Games>, ArchiveError> {
        if self.closed.is_cancelled() {
            return Err(ArchiveError::Unavailable(
                "the archive is closed".to_owned(),
            ));
        }
        // Each change below is made by its last step alone, so a panic leaves nothing half done.
        Ok(self.games.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Kept {
    /// Whether this browser made the game or sits in it.
    fn is_theirs(&self, browser: &SecretHash) -> bool {
        let Stored { header, seats, .. } = &self.stored;
        header.creator.as_ref() == Some(browser)
            || seats
                .seats
                .iter()
                .any(|seat| seat.sitter.keys().as_ref().and_then(Keys::browser) == Some(browser))
    }

    fn is_watchable(&self) -> bool {
        let Stored { header, seats, .. } = &self.stored;
        let has_person = || seats.seats.iter().any(|seat| seat.sitter.is_human());
        !self.is_finished() && !header.private && header.book_of.is_none() && has_person()
    }

    fn is_finished(&self) -> bool {
        self.stored.finished_ms.is_some()
    }
}

/// The tokens of all links that lead to a seat.
fn links(sitter: &Sitter) -> [Option<SecretHash>; 2] {
    match sitter {
        Sitter::Open { invitation } => [invitation.as_ref().map(Invitation::token).copied(), None],
        taken => {
            let keys = taken.keys();
            let keys = keys.as_ref();
            [
                keys.and_then(Keys::token).copied(),
                keys.and_then(Keys::joined).copied(),
            ]
        }
    }
}

impl Games {
    fn kept(&mut self, id: &GameId) -> Result<&mut Kept, ArchiveError> {
        self.by_id.get_mut(id).ok_or(ArchiveError::NotFound)
    }

    /// Ids of the games that are `wanted`, newest activity first.
    fn newest_active(&self, wanted: impl Fn(&Kept) -> bool) -> impl Iterator<Item = GameId> {
        let mut games: Vec<&Kept> = self.by_id.values().filter(|kept| wanted(kept)).collect();
        games.sort_by_key(|kept| Reverse((kept.stored.active_ms(), kept.serial)));
        games.into_iter().map(|kept| kept.stored.header.id.clone())
    }
}

#[async_trait]
impl Archive for MemoryArchive {
    async fn create(&self, header: Header, seats: Vec<Seat>) -> Result<(), ArchiveError> {
        let mut games = self.read()?;
        let again = header.rematch_of.is_some()
            && games
                .by_id
                .values()
                .any(|kept| kept.stored.header.rematch_of == header.rematch_of);
        if again || games.by_id.contains_key(&header.id) {
            return Err(ArchiveError::Exists);
        }
        games.created += 1;
        let kept = Kept {
            serial: games.created,
            stored: Stored {
                header,
                seats: Seats { revision: 0, seats },
                plies: Vec::new(),
                ending: None,
                finished_ms: None,
            },
        };
        games.by_id.insert(kept.stored.header.id.clone(), kept);
        Ok(())
    }

    async fn load(&self, id: &GameId) -> Result<Option<Stored>, ArchiveError> {
        Ok(self.read()?.by_id.get(id).map(|kept| kept.stored.clone()))
    }

    async fn append(&self, id: &GameId, expected: u32, entry: Entry) -> Result<(), ArchiveError> {
        let mut games = self.read()?;
        let kept = games.kept(id)?;
        let next = kept.stored.next();
        if expected != next || kept.is_finished() {
            return Err(ArchiveError::Conflict { next });
        }
        match entry {
            Entry::Ply(ply) => kept.stored.plies.push(ply),
            Entry::FinalPly(ply) => {
                kept.stored.finished_ms = Some(ply.at_ms);
                kept.stored.plies.push(ply);
            }
            Entry::Ending(ending) => {
                kept.stored.finished_ms = Some(ending.at_ms);
                kept.stored.ending = Some(ending);
            }
        }
        Ok(())
    }

    async fn change_seats(
        &self,
        id: &GameId,
        expected_revision: u32,
        seats: Vec<Seat>,
    ) -> Result<u32, ArchiveError> {
        let mut games = self.read()?;
        let now = &mut games.kept(id)?.stored.seats;
        if now.revision != expected_revision {
            return Err(ArchiveError::StaleSeats {
                revision: now.revision,
            });
        }
        *now = Seats {
            revision: expected_revision + 1,
            seats,
        };
        Ok(now.revision)
    }

    async fn heal_finished(&self, id: &GameId) -> Result<(), ArchiveError> {
        let mut games = self.read()?;
        let stored = &mut games.kept(id)?.stored;
        stored.finished_ms = stored.finished_ms.or(Some(stored.active_ms()));
        Ok(())
    }

    async fn games_of(
        &self,
        browser: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, ArchiveError> {
        let is_theirs =
            |kept: &Kept| kept.stored.header.book_of.is_none() && kept.is_theirs(browser);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(self.read()?.newest_active(is_theirs).take(limit).collect())
    }

    async fn book_game(&self, browser: &SecretHash) -> Result<Option<GameId>, ArchiveError> {
        let games = self.read()?;
        let theirs = games
            .by_id
            .values()
            .filter(|kept| kept.stored.header.book_of.as_ref() == Some(browser));
        Ok(theirs
            .max_by_key(|kept| kept.serial)
            .map(|kept| kept.stored.header.id.clone()))
    }

    async fn seat_of_link(&self, link: &SecretHash) -> Result<Option<(GameId, u8)>, ArchiveError> {
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
    ) -> Result<Vec<GameId>, ArchiveError> {
        let wanted = |kept: &Kept| {
            kept.is_watchable() && !besides.is_some_and(|browser| kept.is_theirs(browser))
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(self.read()?.newest_active(wanted).take(limit).collect())
    }

    async fn rematches_of(&self, id: &GameId) -> Result<Vec<(RematchKind, GameId)>, ArchiveError> {
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

    async fn unfinished(&self, pace: Pace) -> Result<Vec<GameId>, ArchiveError> {
        let goes_on = |kept: &Kept| !kept.is_finished() && kept.stored.header.pace == pace;
        Ok(self.read()?.newest_active(goes_on).collect())
    }

    async fn remove_finished_before(&self, at_ms: i64) -> Result<u64, ArchiveError> {
        let mut games = self.read()?;
        let before = games.by_id.len();
        games.by_id.retain(|_, kept| {
            kept.stored
                .finished_ms
                .is_none_or(|finished_ms| finished_ms >= at_ms)
        });
        Ok((before - games.by_id.len()) as u64)
    }

    async fn check(&self) -> Result<(), ArchiveError> {
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
