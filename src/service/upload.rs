//! Records that are brought here: checked entry by entry, then kept whole or not at all.
//!
//! A game that was brought here is looked at and nobody sits at it, so it waits for nobody, whether it is
//! over or not; its dice count in no statistics of this server. The same record, brought again by the
//! same browser or by any program, is the game that is there already.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::{ClientNetwork, Service, ServiceError, Snapshot};
use crate::game_adapters::json::Provenance;
use crate::game_adapters::json::parser::{ParsedRecord, RecordError};
use crate::game_adapters::{FieldError, LiveGameRef};
use crate::provably_fair::{DiceDisclosure, DiceSecret, Sha256Digest};
use crate::record::{EndingRow, EntryRow};
use crate::rng::DiceSeed;
use crate::seats::{ComputerPace, Seat, SeatOccupant};
use crate::secret::{SecretHash, random_bytes};
use crate::store::{GameHeader, GameId, GameOrigin, StoreError, StoredEntry, StoredGame};

/// What checking a record is expected to take: the longest ones take a second.
const EXPECTED: Duration = Duration::from_millis(200);

/// A record that was brought here.
#[derive(Debug)]
pub struct UploadedGame {
    /// The game that it is now.
    pub snapshot: Arc<Snapshot>,
    /// Whether it was not there before.
    pub is_new: bool,
}

/// Why a record is not kept.
#[derive(Debug, Error)]
pub enum UploadError {
    /// It does not hold.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// It cannot be kept now.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl Service {
    /// Checks a record (JSON) and keeps it as a game at which nobody sits; `browser` finds it among its
    /// own games.
    ///
    /// # Errors
    /// The first thing of the record that does not hold; [`ServiceError::Busy`], [`ServiceError::NoRoom`],
    /// and when the archive fails. Nothing is kept then.
    pub async fn upload(
        &self,
        record: String,
        browser: Option<SecretHash>,
        household: ClientNetwork,
    ) -> Result<UploadedGame, UploadError> {
        self.room_for_a_game()?;
        let games = self.shared.games.clone();
        let read = move || {
            let (read, _) = games.read_verified_record(&record)?;
            UploadedRecord::of(read)
        };
        let game = self.in_turn(household, EXPECTED, read).await??;
        Ok(self.keep(game, browser).await?)
    }

    async fn keep(
        &self,
        game: UploadedRecord,
        browser: Option<SecretHash>,
    ) -> Result<UploadedGame, ServiceError> {
        let archive = &self.shared.archive;
        // Another record may have the first id, though nobody will live to see it by chance.
        for id in [game.id_for(browser.as_ref()), self.shared.machine.game_id()] {
            let (header, seats, entries) =
                game.kept(id.clone(), browser, self.shared.machine.now_ms());
            let is_new = match archive.keep(header, seats, entries).await {
                Ok(()) => true,
                Err(StoreError::Exists) => match archive.load(&id).await? {
                    Some(stored) if game.is(&stored) => false,
                    _ => continue,
                },
                Err(error) => return Err(error.into()),
            };
            let snapshot = self.snapshot(&id).await?;
            return Ok(UploadedGame { snapshot, is_new });
        }
        Err(ServiceError::Unavailable)
    }
}

/// A game as a record tells it, without its times: of those there is only the record's word, and what is
/// cleared away goes by the time at which it came here.
struct UploadedRecord {
    live: LiveGameRef,
    entries: Vec<EntryRow>,
    dice: DiceDisclosure,
    /// The id that its rolls name, where they are proved.
    rolled_as: Option<GameId>,
    /// Who played it and what repeats it, as it is kept.
    told: Option<String>,
}

/// What a record says of who played takes no more bytes than this.
const MOST_TOLD: usize = 16 * 1024;

impl UploadedRecord {
    fn of(read: ParsedRecord) -> Result<Self, RecordError> {
        let ParsedRecord { live, about } = read;
        let rolled_as = match (&about.dice, about.id) {
            (DiceDisclosure::Opened(_), Some(id)) => {
                let id = id.parse::<GameId>();
                Some(id.map_err(|_| RecordError::Dice("the id is no game's"))?)
            }
            _ => None,
        };
        let told = (about.provenance != Provenance::UNKNOWN)
            .then(|| serde_json::to_string(&about.provenance).expect("plain values"));
        if told.as_ref().is_some_and(|told| told.len() > MOST_TOLD) {
            let most = MOST_TOLD / 1024;
            let why = format!("seats, seed and arena take at most {most} KB");
            return Err(FieldError(why).into());
        }
        let entries = (0..live.ply()).filter_map(|number| live.entry(number));
        Ok(UploadedRecord {
            entries: entries.map(|row| at(row, 0)).collect(),
            dice: about.dice,
            rolled_as,
            told,
            live,
        })
    }

    /// The id that follows from what is in the record and from who brings it.
    fn id_for(&self, browser: Option<&SecretHash>) -> GameId {
        let parts = (
            browser.map(SecretHash::as_bytes),
            self.live.setting().parameters_text(),
            self.live.start_text(),
            self.rolled_as.as_ref().map(GameId::as_str),
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
        // The same game by other people is another one; what says nothing of them has the id that it had.
        if let Some(told) = &self.told {
            text.push_str(told);
        }
        GameId::of(&Sha256Digest::of(text.as_bytes()))
    }

    /// As an archive keeps it.
    fn kept(
        &self,
        id: GameId,
        creator: Option<SecretHash>,
        now_ms: i64,
    ) -> (GameHeader, Vec<Seat>, Vec<StoredEntry>) {
        let header = GameHeader {
            id,
            game: self.live.setting().parameters_text(),
            start: self.live.start_text(),
            dice: match &self.dice {
                DiceDisclosure::Opened(sealed) => DiceSecret::Sealed(sealed.clone()),
                // Nothing is ever rolled with it.
                DiceDisclosure::Nothing | DiceDisclosure::Committed(..) => {
                    DiceSecret::Unsealed(DiceSeed::from_bytes(random_bytes()))
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
                id: self.rolled_as.clone(),
                told: self.told.clone(),
            }),
            takebacks: true,
            hints: false,
        };
        let seat = Seat {
            sitter: SeatOccupant::Open { invitation: None },
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

    /// Whether this is the game that is kept.
    fn is(&self, stored: &StoredGame) -> bool {
        let header = &stored.header;
        let is_uploaded = matches!(
            &header.origin,
            Some(GameOrigin::Uploaded { id, told }) if *id == self.rolled_as && *told == self.told
        );
        let entries = stored.entries.iter().map(|row| at(row.clone(), 0));
        is_uploaded
            && header.game == self.live.setting().parameters_text()
            && header.start == self.live.start_text()
            && stored.ending.map(|row| row.ending) == self.live.ending()
            && entries.eq(self.entries.iter().cloned())
    }
}

/// An entry in the text that an uploaded game's id is the hash of. The names in it are those that types had
/// when uploads were first stored, so that the same record has the same id for ever.
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
            row.player, row.words
        ),
    }
}

/// The same entry at another time.
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
        UploadedRecord::of(record).unwrap()
    }

    #[test]
    fn a_record_that_an_earlier_release_took_in_has_the_same_id() {
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
                words: "\"a\"\tb".to_owned(),
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
