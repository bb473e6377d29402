//! Uploaded records: validated entry by entry, then stored completely or not at all.
//!
//! An uploaded game is view-only and has no players, so nobody is to move, whether it is finished or not; its dice are
//! not in this server's statistics. The same record, uploaded again by the same browser or by any program, is the
//! existing game.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::{ClientNetwork, ComputeDemand, JobKind, Service, ServiceError, Snapshot};
use crate::game_adapters::json::Provenance;
use crate::game_adapters::json::parser::{ParsedRecord, RecordError};
use crate::game_adapters::{FieldError, GameCard, LiveGameRef};
use crate::provably_fair::{DiceDisclosure, DiceSecret, Sha256Digest};
use crate::record::{EndingRow, EntryRow};
use crate::rng::DiceSeed;
use crate::search::StopToken;
use crate::seats::{ComputerPace, Seat, SeatOccupant};
use crate::secret::{SecretHash, random_bytes};
use crate::store::{GameHeader, GameId, GameOrigin, StoreError, StoredEntry, StoredGame};

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
    Record(#[from] RecordError),
    /// The record cannot be stored now.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl Service {
    /// Validates a record (JSON) and stores it as a game without players, which `browser` finds among its own games.
    ///
    /// # Errors
    /// The record's first error; [`ServiceError::Busy`], [`ServiceError::StorageFull`], and if the store fails. Nothing
    /// is stored then.
    pub async fn upload(
        &self,
        record: String,
        browser: Option<SecretHash>,
        client_network: ClientNetwork,
    ) -> Result<UploadedGame, UploadError> {
        self.check_quota()?;
        let games = self.shared.games.clone();
        let check = move |_: &StopToken| {
            let (parsed, _) = games.read_verified_record(&record)?;
            UploadedRecord::from_parsed(parsed)
        };
        let demand = ComputeDemand::time(EXPECTED_DURATION);
        let game = self
            .run_job(JobKind::PictureOrUpload, client_network, demand, check)
            .await??;
        Ok(self.store_upload(game, browser).await?)
    }

    async fn store_upload(
        &self,
        game: UploadedRecord,
        browser: Option<SecretHash>,
    ) -> Result<UploadedGame, ServiceError> {
        let store = &self.shared.store;
        // Falls back to a random id if the first id is that of another record, which is practically impossible.
        for id in [
            game.id_for(browser.as_ref()),
            self.shared.environment.game_id(),
        ] {
            let (header, seats, entries) =
                game.to_stored_game(id.clone(), browser, self.shared.environment.now_ms());
            let is_new = match store.create_with_entries(header, seats, entries).await {
                Ok(()) => true,
                Err(StoreError::Exists) => match store.load(&id).await? {
                    Some(stored) if game.is_same_upload(&stored) => false,
                    _ => continue,
                },
                Err(error) => return Err(error.into()),
            };
            let snapshot = self.snapshot(&id).await?;
            if is_new {
                let card = GameCard::new(&*snapshot.live).to_json();
                store.store_card(&id, card).await?;
            }
            return Ok(UploadedGame { snapshot, is_new });
        }
        Err(ServiceError::Unavailable)
    }
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
}

/// Maximum bytes of the provenance.
const MAX_METADATA_BYTES: usize = 16 * 1024;

impl UploadedRecord {
    fn from_parsed(parsed: ParsedRecord) -> Result<Self, RecordError> {
        let ParsedRecord { live, metadata } = parsed;
        let dice_game_id = match (&metadata.dice, metadata.id) {
            (DiceDisclosure::Revealed(_), Some(id)) => {
                let id = id.parse::<GameId>();
                Some(id.map_err(|_| RecordError::Dice("the id is no game's"))?)
            }
            _ => None,
        };
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
            live,
        })
    }

    /// The id, a hash of the record's contents and the uploading browser.
    fn id_for(&self, browser: Option<&SecretHash>) -> GameId {
        let parts = (
            browser.map(SecretHash::as_bytes),
            self.live.configured_game().parameters_text(),
            self.live.start_json(),
            self.dice_game_id.as_ref().map(GameId::as_str),
        );
        let entries: Vec<_> = self.entries.iter().map(id_text).collect();
        let commitment = match self.dice.commitment() {
            Some(commitment) => format!("Some(Fingerprint({:?}))", commitment.as_bytes()),
            None => "None".to_owned(),
        };
        let mut text = format!(
            "dice-of-doom upload {parts:?} ([{}], {:?}, {commitment})",
            entries.join(", "),
            self.live.ending()
        );
        // Records that differ only in provenance are different games; a record without any keeps the id of earlier
        // releases.
        if let Some(provenance) = &self.provenance {
            text.push_str(provenance);
        }
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
            start: self.live.start_json(),
            dice: match &self.dice {
                DiceDisclosure::Revealed(sealed) => DiceSecret::Committed(sealed.clone()),
                // This seed is never used.
                DiceDisclosure::Nothing | DiceDisclosure::Committed(..) => {
                    DiceSecret::Uncommitted(DiceSeed::from_bytes(random_bytes()))
                }
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
            && header.start == self.live.start_json()
            && stored.ending.map(|row| row.ending) == self.live.ending()
            && entries.eq(self.entries.iter().cloned())
    }
}

/// An entry's text in the hashed input of the game's id. Its type and field names are fixed, so that a record keeps its
/// id even if the types are renamed.
fn id_text(entry: &EntryRow) -> String {
    match entry {
        EntryRow::Ply(row) => format!(
            "Ply(PlyRow {{ player: {}, action: {:?}, roll: {:?}, at_ms: 0 }})",
            row.player, row.action, row.roll
        ),
        EntryRow::Takeback(row) => format!(
            "Takeback(TakebackRow {{ player: {}, to: {}, at_ms: 0 }})",
            row.player, row.to
        ),
        EntryRow::Contribution(row) => format!(
            "Contribution(ContributionRow {{ player: {}, words: {:?}, at_ms: 0 }})",
            row.player, row.text
        ),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_adapters::Registry;
    use crate::record::{EntropyContributionRow, PlyRow, TakebackRow};

    fn game(record: &str) -> UploadedRecord {
        let path = format!(
            "{}/tests/golden/earlier/{record}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).unwrap();
        let (record, _) = Registry::builtin().read_verified_record(&text).unwrap();
        UploadedRecord::from_parsed(record).unwrap()
    }

    #[test]
    fn a_record_keeps_its_id_across_releases() {
        let mut mixed = game("v4-finished");
        mixed.entries = vec![
            EntryRow::Ply(PlyRow {
                player: 1,
                action: "3-4".to_owned(),
                roll: "6 2/5".to_owned(),
                at_ms: 0,
            }),
            EntryRow::Takeback(TakebackRow {
                player: 0,
                to: 3,
                at_ms: 0,
            }),
            EntryRow::Contribution(EntropyContributionRow {
                player: 2,
                text: "\"a\"\tb".to_owned(),
                at_ms: 0,
            }),
        ];
        let browser = SecretHash::from_bytes([7; 32]);
        let ids = [
            game("v4-finished").id_for(None),
            game("v4").id_for(Some(&browser)),
            game("trilobite-won").id_for(None),
            mixed.id_for(None),
        ];
        assert_eq!(
            ids.map(|id| id.to_string()),
            ["60kafaqh3e", "gfcmqv610v", "w1ccbkx1bd", "e4dw3c61gz"]
        );
    }
}
