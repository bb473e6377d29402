//! A game in memory, with the values that a database derives by triggers.

use crate::record::EntryRow;
use crate::seats::{ComputerPace, Invitation, Seat, SeatCredentials, SeatOccupant};
use crate::secret::SecretHash;
use crate::store::{
    ACTIVITY_MS, GameOrigin, OpenTable, PageCursor, RetentionCutoffs, StoredEntry, StoredGame,
    StoredReview,
};

#[derive(Debug)]
pub(super) struct MemoryGame {
    pub(super) stored: StoredGame,
    /// Creation number; orders games of equal activity, newest first.
    pub(super) serial: i64,
    /// Time of the last entry, or of a later seat occupation.
    pub(super) active_ms: i64,
    pub(super) played: bool,
    pub(super) review: Option<StoredReview>,
    /// Time of the pending review request.
    pub(super) review_requested_ms: i64,
    /// The finish number.
    pub(super) finish_number: Option<i64>,
    pub(super) open_table: Option<OpenTable>,
    pub(super) card: Option<String>,
}

impl MemoryGame {
    /// The browser that created the game, or to which the rights of the creator have moved.
    pub(super) fn creator(&self) -> Option<&SecretHash> {
        let StoredGame { header, seats, .. } = &self.stored;
        seats.host(header.creator.as_ref())
    }

    /// Whether this browser, or the holder of this token, created the game or sits in it.
    pub(super) fn belongs_to(&self, browser: &SecretHash) -> bool {
        self.creator() == Some(browser)
            || self.stored.seats.seats.iter().any(|seat| {
                let keys = seat.occupant.credentials();
                let opens = |key: Option<&SecretHash>| key == Some(browser);
                keys.is_some_and(|keys| opens(keys.browser()) || opens(keys.token()))
            })
    }

    /// Whether the program with this token has a seat or an invitation.
    pub(super) fn has_program(&self, token: &SecretHash) -> bool {
        let sits =
            |seat: &Seat| matches!(program_seat(&seat.occupant), Some((own, _)) if own == token);
        self.stored.seats.seats.iter().any(sits)
    }

    pub(super) fn is_watchable(&self) -> bool {
        let StoredGame { header, seats, .. } = &self.stored;
        let has_person = || seats.seats.iter().any(|seat| seat.occupant.is_human());
        !self.is_finished() && !header.private && header.book_of.is_none() && has_person()
    }

    pub(super) fn is_finished(&self) -> bool {
        self.stored.finished_ms.is_some()
    }

    pub(super) fn cursor(&self) -> PageCursor {
        PageCursor {
            active_ms: self.active_ms,
            serial: self.serial,
        }
    }

    /// Updates the activity after an entry.
    pub(super) fn update_activity(&mut self, at_ms: i64, player: Option<u8>) {
        let seats = &self.stored.seats.seats;
        let seat = player.and_then(|player| seats.get(usize::from(player)));
        let is_first = !self.played && seat.is_some_and(|seat| seat.occupant.is_human());
        let known = self.active_ms..self.active_ms.saturating_add(ACTIVITY_MS);
        if is_first || !known.contains(&at_ms) {
            self.active_ms = at_ms;
        }
        self.played |= is_first;
    }

    pub(super) fn append(&mut self, entry: StoredEntry) {
        let row = match entry {
            StoredEntry::Ply(row) => EntryRow::Ply(row),
            StoredEntry::Takeback(row) => EntryRow::Takeback(row),
            StoredEntry::Contribution(row) => EntryRow::Contribution(row),
            StoredEntry::FinalPly(row) => {
                self.stored.finished_ms = Some(row.at_ms);
                EntryRow::Ply(row)
            }
            StoredEntry::Ending(ending) => {
                self.update_activity(ending.at_ms, None);
                self.stored.finished_ms = Some(ending.at_ms);
                self.stored.ending = Some(ending);
                return;
            }
        };
        self.update_activity(row.at_ms(), Some(row.player()));
        self.stored.entries.push(row);
    }

    /// Updates the activity after a change of seats.
    pub(super) fn update_activity_after_seating(&mut self) {
        let seats = self.stored.seats.seats.iter();
        let newest = seats.filter_map(|seat| seat.since_ms).max();
        self.active_ms = newest.map_or(self.active_ms, |newest| newest.max(self.active_ms));
    }

    /// The reason for which the game expires under `cutoffs`, and the time that counts; `None` if it does not.
    pub(super) fn expiry(&self, cutoffs: &RetentionCutoffs) -> Option<(ExpiryReason, i64)> {
        let seats = || self.stored.seats.seats.iter();
        let people = seats().filter(|seat| seat.occupant.is_human()).count();
        let is_open = || seats().any(|seat| matches!(seat.occupant, SeatOccupant::Open { .. }));
        let is_uploaded = matches!(self.stored.header.origin, Some(GameOrigin::Uploaded { .. }));
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

/// Reasons for expiry, in the order in which expired games are listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum ExpiryReason {
    Uploaded,
    Finished,
    Untouched,
    Awaited,
    /// Games whose computers play on request come last.
    Abandoned(bool),
}

/// The tokens of all links to a seat.
pub(super) fn link_tokens(occupant: &SeatOccupant) -> [Option<SecretHash>; 2] {
    match occupant {
        SeatOccupant::Open { invitation } => {
            [invitation.as_ref().map(Invitation::token).copied(), None]
        }
        occupied => {
            let keys = occupied.credentials();
            let keys = keys.as_ref();
            [
                keys.and_then(SeatCredentials::token).copied(),
                keys.and_then(SeatCredentials::joined_by).copied(),
            ]
        }
    }
}

/// The token of the program that occupies the seat or is invited to it, and whether it is only invited.
pub(super) fn program_seat(occupant: &SeatOccupant) -> Option<(&SecretHash, bool)> {
    match occupant {
        SeatOccupant::Program {
            credentials: keys, ..
        } => Some((&keys.token, false)),
        SeatOccupant::Open {
            invitation: Some(Invitation::Program { token, .. }),
        } => Some((token, true)),
        SeatOccupant::Open { .. } | SeatOccupant::Person { .. } | SeatOccupant::Level { .. } => {
            None
        }
    }
}
