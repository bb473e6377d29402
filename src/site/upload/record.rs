//! Uploaded records: validated entry by entry, then stored completely or not at all.
//!
//! An uploaded game is view-only and has no players, so nobody is to move, whether it is finished or not; its dice are
//! not in this server's statistics. The same record, uploaded again by the same browser or by any program, is the
//! existing game.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::formats::record::Provenance;
use crate::formats::{FieldError, RecordError};
use crate::games::{ErrorText, GameCard, LiveGameRef, ParsedRecord};
use crate::provably_fair::{DiceDisclosure, Sha256Digest};
use crate::record::{EndingRow, EntryRow};
use crate::search::StopToken;
use crate::seats::{ComputerPace, Seat, SeatOccupant};
use crate::secret::SecretHash;
use crate::store::{GameHeader, GameId, GameOrigin, StoreError, StoredEntry, StoredGame};
use crate::tables::{
    ClientNetwork, ComputeDemand, DisplayNameError, JobKind, Service, ServiceError, Snapshot,
    is_readable,
};

/// Expected duration of checking a record; the longest ones take a second.
const EXPECTED_DURATION: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct UploadedGame {
    pub snapshot: Arc<Snapshot>,
    /// False if the same record had been uploaded before.
    pub is_new: bool,
}

/// Why a record was rejected.
#[derive(Debug, Error)]
pub enum UploadError {
    /// The record is invalid.
    #[error(transparent)]
    Record(#[from] RecordError<ErrorText>),
    /// The record cannot be stored now.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

/// Validates a record (JSON) and stores it as a game without players, which `browser` finds among its own games.
///
/// # Errors
/// The record's first error; [`ServiceError::Busy`], [`ServiceError::StorageFull`], and if the store fails. Nothing
/// is stored then.
pub async fn upload(
    service: &Service,
    record: String,
    browser: Option<SecretHash>,
    client_network: ClientNetwork,
) -> Result<UploadedGame, UploadError> {
    service.check_quota()?;
    let games = service.games().clone();
    let check = move |_: &StopToken| {
        let (parsed, _) = games.read_verified_record(&record)?;
        UploadedRecord::from_parsed(parsed)
    };
    let demand = ComputeDemand::time(EXPECTED_DURATION);
    let game = service
        .run_job(JobKind::PictureOrUpload, client_network, demand, check)
        .await??;
    Ok(store_upload(service, game, browser).await?)
}

async fn store_upload(
    service: &Service,
    game: UploadedRecord,
    browser: Option<SecretHash>,
) -> Result<UploadedGame, ServiceError> {
    let store = service.store();
    // Falls back to a random id if the first id is that of another record, which is practically impossible.
    for id in [
        game.id_for(browser.as_ref()),
        service.environment().game_id(),
    ] {
        let (header, seats, entries) = game.to_stored_game(id.clone(), browser, service.now_ms());
        let is_new = match store.create_with_entries(header, seats, entries).await {
            Ok(()) => true,
            Err(StoreError::Exists) => match store.load(&id).await? {
                Some(stored) if game.is_same_upload(&stored) => false,
                _ => continue,
            },
            Err(error) => return Err(error.into()),
        };
        let snapshot = service.snapshot(&id).await?;
        if is_new {
            let card = GameCard::new(&*snapshot.live).to_json();
            store.store_card(&id, card).await?;
        }
        return Ok(UploadedGame { snapshot, is_new });
    }
    Err(ServiceError::Unavailable)
}

/// An uploaded game without its times: the record's times are unverified, and retention counts from the upload.
struct UploadedRecord {
    live: LiveGameRef,
    entries: Vec<EntryRow>,
    dice: DiceDisclosure,
    /// The game id that its dice are derived from, if the record reveals them.
    dice_game_id: Option<GameId>,
    /// The stored provenance (JSON): players, seed and arena.
    provenance: Option<String>,
    /// The record in notation, which has no times.
    notation: String,
}

/// Maximum bytes of the provenance.
const MAX_METADATA_BYTES: usize = 16 * 1024;

impl UploadedRecord {
    fn from_parsed(parsed: ParsedRecord) -> Result<Self, RecordError<ErrorText>> {
        let notation = parsed.notation();
        let ParsedRecord { live, metadata } = parsed;
        let dice_game_id = match (&metadata.dice, metadata.id) {
            (DiceDisclosure::Revealed(_), Some(id)) => {
                let id = id.parse::<GameId>();
                Some(id.map_err(|_| RecordError::Dice("the id is no game's"))?)
            }
            _ => None,
        };
        let seats = &metadata.provenance.seats;
        if let Some(seat) = seats
            .iter()
            .find(|seat| seat.name.as_ref().is_some_and(|name| !is_readable(name)))
        {
            let why = DisplayNameError::Invisible;
            return Err(FieldError(format!("seats: player {}: {why}", seat.player)).into());
        }
        let provenance = (metadata.provenance != Provenance::UNKNOWN).then(|| {
            serde_json::to_string(&metadata.provenance).expect("the provenance serialises to JSON")
        });
        if provenance
            .as_ref()
            .is_some_and(|provenance| provenance.len() > MAX_METADATA_BYTES)
        {
            let max = MAX_METADATA_BYTES / 1024;
            let why = format!("seats, seed and arena take at most {max} KB");
            return Err(FieldError(why).into());
        }
        let entries = (0..live.entry_count()).filter_map(|number| live.entry(number));
        Ok(UploadedRecord {
            entries: entries.map(|row| at(row, 0)).collect(),
            dice: metadata.dice,
            dice_game_id,
            provenance,
            notation,
            live,
        })
    }

    /// The id, a hash of the record's contents and the uploading browser.
    fn id_for(&self, browser: Option<&SecretHash>) -> GameId {
        let browser = browser.map(SecretHash::as_bytes);
        let text = format!("dice-of-doom upload {browser:?} {}", self.notation);
        GameId::from_digest(&Sha256Digest::compute(text.as_bytes()))
    }

    /// The stored form.
    fn to_stored_game(
        &self,
        id: GameId,
        creator: Option<SecretHash>,
        now_ms: i64,
    ) -> (GameHeader, Vec<Seat>, Vec<StoredEntry>) {
        let header = GameHeader {
            id,
            game: self.live.configured_game().parameters_text(),
            start: self.live.position_at(0).setup_json(),
            dice: match &self.dice {
                DiceDisclosure::Revealed(committed) => Some(committed.clone()),
                DiceDisclosure::Nothing | DiceDisclosure::Committed(_) => None,
            },
            pace: ComputerPace::OnRequest,
            creator,
            book_of: None,
            created_ms: now_ms,
            private: false,
            replace_after_s: None,
            rematch_of: None,
            origin: Some(GameOrigin::Uploaded {
                id: self.dice_game_id.clone(),
                provenance: self.provenance.clone(),
            }),
            takebacks: true,
            hints: false,
            turn_s: None,
        };
        let seat = Seat {
            occupant: SeatOccupant::Open { invitation: None },
            since_ms: None,
        };
        let seats = vec![seat; usize::from(self.live.players())];
        let entries = self
            .entries
            .iter()
            .map(|row| match at(row.clone(), now_ms) {
                EntryRow::Ply(row) => StoredEntry::Ply(row),
                EntryRow::Takeback(row) => StoredEntry::Takeback(row),
                EntryRow::Contribution(row) => StoredEntry::Contribution(row),
            });
        let mut entries: Vec<StoredEntry> = entries.collect();
        match self.live.ending() {
            Some(ending) => entries.push(StoredEntry::Ending(EndingRow {
                ending,
                at_ms: now_ms,
            })),
            None if self.live.is_over() => {
                if let Some(StoredEntry::Ply(last)) = entries.pop() {
                    entries.push(StoredEntry::FinalPly(last));
                }
            }
            None => {}
        }
        (header, seats, entries)
    }

    /// Whether the stored game is this record.
    fn is_same_upload(&self, stored: &StoredGame) -> bool {
        let header = &stored.header;
        let is_uploaded = matches!(
            &header.origin,
            Some(GameOrigin::Uploaded { id, provenance }) if *id == self.dice_game_id && *provenance == self.provenance
        );
        let entries = stored.entries.iter().map(|row| at(row.clone(), 0));
        is_uploaded
            && header.game == self.live.configured_game().parameters_text()
            && header.start == self.live.position_at(0).setup_json()
            && stored.ending.map(|row| row.ending) == self.live.ending()
            && entries.eq(self.entries.iter().cloned())
    }
}

/// The same entry with another time.
fn at(mut row: EntryRow, ms: i64) -> EntryRow {
    match &mut row {
        EntryRow::Ply(row) => row.at_ms = ms,
        EntryRow::Takeback(row) => row.at_ms = ms,
        EntryRow::Contribution(row) => row.at_ms = ms,
    }
    row
}
