//! Hash chains that detect damaged records.
//!
//! Storage can corrupt data silently. A hash chain detects this: the header has a `ChainHash`, each entry's
//! hash covers the entry and the previous hash, and the game's row stores the entry count and the chain head,
//! so that any difference is found on reading, down to one bit or missing last entries
//! ([`StoredHashes::verify`]). Seats change, so they have a hash of their own.
//!
//! The chain does not protect against tampering: anyone who can write to the storage can compute valid hashes.
//! Fields are fed into SHA-256 with their lengths, in an order that must never change.

use sha2::{Digest as _, Sha256};

use super::chain_hash::ChainHash;
use super::stored_game::{GameHeader, GameOrigin, StoredEntry, StoredGame};
use crate::game::Player;
use crate::record::{EndingRow, EntropyContributionRow, EntryRow, PlyRow, TakebackRow};
use crate::seats::{Invitation, SeatCredentials, SeatOccupant, Seats, Waiting};

impl ChainHash {
    /// The hash of the header: the start of the chain.
    #[must_use]
    pub fn header_hash(header: &GameHeader) -> Self {
        let GameHeader {
            id,
            game,
            start,
            dice,
            pace,
            creator,
            book_of,
            created_ms,
            private,
            replace_after_s,
            rematch_of,
            origin,
            takebacks,
            hints,
            turn_s,
        } = header;
        let mut hasher = CanonicalHasher::new("dice-of-doom header 1");
        hasher.text(id.as_str());
        hasher.text(game);
        hasher.text(start);
        hasher.bytes_or_none(dice.as_ref().map(|dice| &dice.seed.as_bytes()[..]));
        hasher.bytes_or_none(dice.as_ref().map(|dice| &dice.salt.as_bytes()[..]));
        hasher.text(pace.name());
        hasher.bytes_or_none(creator.as_ref().map(|hash| &hash.as_bytes()[..]));
        hasher.bytes_or_none(book_of.as_ref().map(|hash| &hash.as_bytes()[..]));
        hasher.number(*created_ms);
        hasher.number(i64::from(*private));
        hasher.number(replace_after_s.map_or(-1, i64::from));
        let rematch_of = rematch_of.as_ref();
        hasher.text_or_none(rematch_of.map(|(id, _)| id.as_str()));
        hasher.text_or_none(rematch_of.map(|(_, kind)| kind.name()));
        // What a game does not have adds no field.
        match origin {
            None => {}
            Some(GameOrigin::PlayedOn { of, ply }) => {
                hasher.text("played on");
                hasher.text(of.as_str());
                hasher.number(i64::from(*ply));
            }
            Some(GameOrigin::Daily { day }) => {
                hasher.text("daily");
                hasher.number(i64::from(day.number()));
            }
            Some(GameOrigin::Uploaded { id, provenance }) => {
                hasher.text("uploaded");
                if let Some(id) = id {
                    hasher.text(id.as_str());
                }
                // Unambiguous: no game id is as short as the label.
                if let Some(provenance) = provenance {
                    hasher.text("told");
                    hasher.text(provenance);
                }
            }
        }
        if !takebacks {
            hasher.text("no takebacks");
        }
        // Unambiguous after the optional id of an upload: no game id has this form.
        if *hints {
            hasher.text("hints for all");
        }
        if let Some(turn_s) = turn_s {
            hasher.text("turn clock");
            hasher.number(i64::from(*turn_s));
        }
        hasher.finish()
    }

    /// The hash of `entry`, chained to this hash.
    #[must_use]
    pub fn next_hash(self, number: u32, entry: &StoredEntry) -> Self {
        match entry {
            StoredEntry::Ply(ply) | StoredEntry::FinalPly(ply) => self.after_ply(number, ply),
            StoredEntry::Takeback(row) => self.after_takeback(number, row),
            StoredEntry::Contribution(row) => self.after_contribution(number, row),
            StoredEntry::Ending(ending) => self.after_ending(number, ending),
        }
    }

    fn after_ply(self, number: u32, ply: &PlyRow) -> Self {
        let mut hasher = CanonicalHasher::new("dice-of-doom ply 1");
        hasher.bytes(self.as_bytes());
        hasher.number(i64::from(number));
        hasher.number(i64::from(ply.player));
        hasher.text(&ply.action);
        hasher.text(&ply.roll);
        hasher.number(ply.at_ms);
        hasher.finish()
    }

    fn after_row(self, number: u32, row: &EntryRow) -> Self {
        match row {
            EntryRow::Ply(row) => self.after_ply(number, row),
            EntryRow::Takeback(row) => self.after_takeback(number, row),
            EntryRow::Contribution(row) => self.after_contribution(number, row),
        }
    }

    fn after_takeback(self, number: u32, row: &TakebackRow) -> Self {
        let mut hasher = CanonicalHasher::new("dice-of-doom takeback 1");
        hasher.bytes(self.as_bytes());
        hasher.number(i64::from(number));
        hasher.number(i64::from(row.player));
        hasher.number(i64::from(row.to));
        hasher.number(row.at_ms);
        hasher.finish()
    }

    fn after_contribution(self, number: u32, row: &EntropyContributionRow) -> Self {
        let mut hasher = CanonicalHasher::new("dice-of-doom contribution 1");
        hasher.bytes(self.as_bytes());
        hasher.number(i64::from(number));
        hasher.number(i64::from(row.player));
        hasher.text(&row.text);
        hasher.number(row.at_ms);
        hasher.finish()
    }

    fn after_ending(self, number: u32, row: &EndingRow) -> Self {
        let mut hasher = CanonicalHasher::new("dice-of-doom ending 1");
        hasher.bytes(self.as_bytes());
        hasher.number(i64::from(number));
        hasher.text(row.ending.name());
        let player = row.ending.player().map(Player::number);
        hasher.number(player.map_or(-1, i64::from));
        hasher.number(row.at_ms);
        hasher.finish()
    }

    /// The hash of the seats and their revision.
    #[must_use]
    pub fn seats_hash(seats: &Seats) -> Self {
        let mut hasher = CanonicalHasher::new("dice-of-doom seats 1");
        hasher.number(i64::from(seats.revision));
        for seat in &seats.seats {
            hasher.occupant(&seat.occupant);
            hasher.number(i64::from(seat.since_ms.is_some()));
            hasher.number(seat.since_ms.unwrap_or_default());
        }
        if let Some(host) = &seats.host {
            hasher.text("host");
            hasher.bytes(host.as_bytes());
        }
        if let Some(Waiting { link, start }) = seats.waiting.as_deref() {
            hasher.text("waits for");
            hasher.text(start.name());
            hasher.number(start.at_ms().unwrap_or_default());
            hasher.bytes_or_none(link.as_ref().map(|link| &link.token.as_bytes()[..]));
            hasher.bytes_or_none(link.as_ref().map(|link| &link.nonce.as_bytes()[..]));
        }
        hasher.finish()
    }
}

/// Hashes a sequence of fields, each with its length.
struct CanonicalHasher(Sha256);

impl CanonicalHasher {
    fn new(of: &str) -> Self {
        let mut hasher = CanonicalHasher(Sha256::new());
        hasher.text(of);
        hasher
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn number(&mut self, number: i64) {
        self.0.update(number.to_be_bytes());
    }

    fn bytes_or_none(&mut self, bytes: Option<&[u8]>) {
        self.number(i64::from(bytes.is_some()));
        self.bytes(bytes.unwrap_or_default());
    }

    fn text_or_none(&mut self, text: Option<&str>) {
        self.bytes_or_none(text.map(str::as_bytes));
    }

    fn occupant(&mut self, occupant: &SeatOccupant) {
        let (kind, level, invitation) = match occupant {
            SeatOccupant::Open { invitation } => ("open", None, invitation.as_ref()),
            SeatOccupant::Person { .. } => ("person", None, None),
            SeatOccupant::Program { .. } => ("program", None, None),
            SeatOccupant::Level { level, .. } => ("level", Some(level.name()), None),
        };
        self.text(kind);
        self.text_or_none(level.as_deref());
        self.text_or_none(match occupant {
            SeatOccupant::Level {
                replaced: Some(former),
                ..
            } => former.name.as_deref(),
            occupant => occupant.name(),
        });
        let nonce = match occupant.credentials() {
            Some(SeatCredentials::Person(credentials)) => {
                credentials.return_link.map(|link| link.nonce)
            }
            _ => None,
        };
        self.bytes_or_none(nonce.as_ref().map(|nonce| &nonce.as_bytes()[..]));
        let credentials = occupant.credentials();
        let credentials = credentials.as_ref();
        // The credentials of a person and of a program that left the seat differ only in this field.
        self.number(i64::from(matches!(
            credentials,
            Some(SeatCredentials::Program(_))
        )));
        for hash in [
            invitation.map(Invitation::token),
            credentials.and_then(SeatCredentials::browser),
            credentials.and_then(SeatCredentials::token),
            credentials.and_then(SeatCredentials::joined_by),
        ] {
            self.bytes_or_none(hash.map(|hash| &hash.as_bytes()[..]));
        }
    }

    fn finish(self) -> ChainHash {
        let digest: [u8; 32] = self.0.finalize().into();
        ChainHash::from_bytes(std::array::from_fn(|index| digest[index]))
    }
}

/// The hashes that are stored with a record to verify it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredHashes {
    /// Number of entries.
    pub entries: u32,
    /// The chain head: the hash of the last entry, or of the header without entries.
    pub chain_head: ChainHash,
    /// The hash of each entry, in order.
    pub entry_hashes: Vec<ChainHash>,
    /// The hash of the seats.
    pub seats: ChainHash,
}

/// A difference between a record and its hashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IntegrityError {
    /// Entries are missing or were added.
    #[error("it has {found} entries instead of {expected}")]
    Entries { found: u32, expected: u32 },
    /// The first entry whose hash does not match; for entry 0 the header may be the cause.
    #[error("entry {0} is not as it was written")]
    Entry(u32),
    /// The chain head matches neither the entries nor, without entries, the header.
    #[error("its header or its end is not as it was written")]
    ChainHead,
    /// The hash of the seats does not match.
    #[error("its seats are not as they were written")]
    Seats,
    /// The time of the finish mark differs from that of the last entry.
    #[error("its finish time differs from the one that was written")]
    Mark,
}

impl StoredHashes {
    /// The hashes of this record.
    #[must_use]
    pub fn from_game(stored: &StoredGame) -> Self {
        let entry_hashes = entry_hashes(stored);
        StoredHashes {
            entries: stored.next_number(),
            chain_head: entry_hashes
                .last()
                .copied()
                .unwrap_or_else(|| ChainHash::header_hash(&stored.header)),
            entry_hashes,
            seats: ChainHash::seats_hash(&stored.seats),
        }
    }

    /// Verifies a record against these stored hashes.
    ///
    /// # Errors
    /// The first difference.
    pub fn verify(&self, stored: &StoredGame) -> Result<(), IntegrityError> {
        let computed = StoredHashes::from_game(stored);
        if computed.entries != self.entries
            || computed.entry_hashes.len() != self.entry_hashes.len()
        {
            return Err(IntegrityError::Entries {
                found: computed.entries,
                expected: self.entries,
            });
        }
        let mut pairs = (0..).zip(computed.entry_hashes.iter().zip(&self.entry_hashes));
        if let Some((number, _)) = pairs.find(|(_, (computed, stored))| computed != stored) {
            return Err(IntegrityError::Entry(number));
        }
        if computed.chain_head != self.chain_head {
            return Err(IntegrityError::ChainHead);
        }
        if computed.seats != self.seats {
            return Err(IntegrityError::Seats);
        }
        let is_last_time = |finished_ms| finished_ms == stored.last_ms();
        if !stored.finished_ms.is_none_or(is_last_time) {
            return Err(IntegrityError::Mark);
        }
        Ok(())
    }
}

/// The hash of each entry, in order.
fn entry_hashes(stored: &StoredGame) -> Vec<ChainHash> {
    let mut previous = ChainHash::header_hash(&stored.header);
    let mut hashes = Vec::with_capacity(stored.entries.len() + 1);
    for (number, row) in (0..).zip(&stored.entries) {
        previous = previous.after_row(number, row);
        hashes.push(previous);
    }
    if let Some(ending) = &stored.ending {
        hashes.push(previous.after_ending(stored.next_number() - 1, ending));
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provably_fair::{CommittedSeed, Salt};
    use crate::record::Ending;
    use crate::rng::DiceSeed;
    use crate::seats::{
        AwaitedStart, ComputerPace, FormerOccupant, PersonCredentials, ProgramCredentials,
        RematchKind, Seat, SeatLevel,
    };
    use crate::secret::{Nonce, SecretHash};
    use crate::store::GameId;

    fn hash(byte: u8) -> SecretHash {
        SecretHash::from_bytes([byte; 32])
    }

    fn committed(seed: u8, salt: u8) -> Option<CommittedSeed> {
        Some(CommittedSeed {
            seed: DiceSeed::from_bytes([seed; 32]),
            salt: Salt::from_bytes([salt; 32]),
        })
    }

    fn stored() -> StoredGame {
        let ply = |number: u8| PlyRow {
            player: number % 2,
            action: format!("{number}-{}", number + 1),
            roll: "3,4|1".to_owned(),
            at_ms: i64::from(number),
        };
        let credentials = PersonCredentials {
            browser: hash(3),
            return_link: None,
            joined_by: None,
        };
        let occupant = SeatOccupant::Person {
            credentials,
            name: None,
        };
        StoredGame {
            header: GameHeader {
                id: "abcdefgh".parse().unwrap(),
                game: "{}".to_owned(),
                start: "[]".to_owned(),
                dice: committed(1, 1),
                pace: ComputerPace::AtOnce,
                creator: None,
                book_of: None,
                created_ms: 5,
                private: false,
                replace_after_s: None,
                rematch_of: None,
                origin: None,
                takebacks: true,
                hints: false,
                turn_s: None,
            },
            seats: Seats {
                revision: 2,
                seats: vec![Seat {
                    occupant,
                    since_ms: None,
                }],
                host: None,
                waiting: None,
            },
            entries: (0..4).map(ply).map(EntryRow::Ply).collect(),
            ending: Some(EndingRow {
                ending: Ending::Limit,
                at_ms: 9,
            }),
            finished_ms: Some(9),
        }
    }

    #[track_caller]
    fn damage(change: impl FnOnce(&mut StoredGame)) -> Option<IntegrityError> {
        let mut stored = stored();
        let hashes = StoredHashes::from_game(&stored);
        change(&mut stored);
        hashes.verify(&stored).err()
    }

    #[test]
    fn unchanged_records_pass_verification() {
        assert_eq!(damage(|_| {}), None);
        assert_eq!(damage(|stored| stored.finished_ms = None), None);
    }

    #[test]
    fn every_field_of_the_header_is_hashed() {
        let changes: [fn(&mut GameHeader); 21] = [
            |header| header.turn_s = Some(60),
            |header| header.id = "abcdefgj".parse::<GameId>().unwrap(),
            |header| header.dice = committed(1, 0),
            |header| header.game = "{ }".to_owned(),
            |header| header.start = "{}".to_owned(),
            |header| header.dice = committed(2, 1),
            |header| header.pace = ComputerPace::OnRequest,
            |header| header.creator = Some(hash(0)),
            |header| header.book_of = Some(hash(0)),
            |header| header.created_ms = -5,
            |header| header.private = true,
            |header| header.replace_after_s = Some(0),
            |header| header.rematch_of = Some(("abcdefgh".parse().unwrap(), RematchKind::New)),
            |header| {
                header.origin = Some(GameOrigin::Uploaded {
                    id: None,
                    provenance: None,
                });
            },
            |header| {
                let id = Some("abcdefgh".parse().unwrap());
                header.origin = Some(GameOrigin::Uploaded {
                    id,
                    provenance: None,
                });
            },
            |header| {
                header.origin = Some(GameOrigin::Uploaded {
                    id: None,
                    provenance: Some("{}".to_owned()),
                });
            },
            |header| {
                let of = "abcdefgh".parse().unwrap();
                header.origin = Some(GameOrigin::PlayedOn { of, ply: 0 });
            },
            |header| header.takebacks = false,
            |header| header.hints = true,
            // Moving bytes across the boundary of two fields changes the hash.
            |header| (header.game, header.start) = ("{}[".to_owned(), "]".to_owned()),
            |header| (header.game, header.start) = (String::new(), "{}[]".to_owned()),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            let found = damage(|stored| change(&mut stored.header));
            assert_eq!(found, Some(IntegrityError::Entry(0)), "change {at}");
            let bare = |stored: &mut StoredGame| {
                stored.entries.clear();
                (stored.ending, stored.finished_ms) = (None, None);
            };
            let mut stored = stored();
            bare(&mut stored);
            let hashes = StoredHashes::from_game(&stored);
            change(&mut stored.header);
            assert_eq!(
                hashes.verify(&stored),
                Err(IntegrityError::ChainHead),
                "change {at}"
            );
        }
    }

    #[test]
    fn the_salt_is_hashed() {
        let hash_of = |dice| {
            let header = GameHeader {
                dice,
                ..stored().header
            };
            ChainHash::header_hash(&header)
        };
        assert_ne!(hash_of(committed(1, 2)), hash_of(committed(1, 3)));
        assert_ne!(hash_of(committed(1, 2)), hash_of(committed(3, 2)));
    }

    #[test]
    fn every_field_of_a_ply_is_hashed() {
        let changes: [fn(&mut PlyRow); 5] = [
            |ply| ply.player = 1,
            |ply| ply.action.push(' '),
            |ply| ply.roll.clear(),
            |ply| ply.at_ms += 1,
            |ply| (ply.action, ply.roll) = ("2-33".to_owned(), ",4|1".to_owned()),
        ];
        for change in changes {
            let found = damage(|stored| match &mut stored.entries[2] {
                EntryRow::Ply(ply) => change(ply),
                other => panic!("{other:?}"),
            });
            assert_eq!(found, Some(IntegrityError::Entry(2)));
        }
        let found = damage(|stored| stored.entries.swap(1, 3));
        assert_eq!(found, Some(IntegrityError::Entry(1)));
        let resigned = |stored: &mut StoredGame| {
            let ending = stored.ending.as_mut().unwrap();
            ending.ending = Ending::Resigned(Player::FIRST);
        };
        assert_eq!(damage(resigned), Some(IntegrityError::Entry(4)));
    }

    #[test]
    fn every_field_of_takebacks_and_contributions_is_hashed() {
        let others = |at: usize| {
            let mut stored = stored();
            let takeback = TakebackRow {
                player: 1,
                to: 1,
                at_ms: 4,
            };
            let words = EntropyContributionRow {
                player: 0,
                text: "a cat".to_owned(),
                at_ms: 5,
            };
            let rows = [
                EntryRow::Takeback(takeback),
                EntryRow::Contribution(words.clone()),
                EntryRow::Takeback(TakebackRow {
                    player: 0,
                    ..takeback
                }),
                EntryRow::Takeback(TakebackRow { to: 0, ..takeback }),
                EntryRow::Takeback(TakebackRow {
                    at_ms: 5,
                    ..takeback
                }),
                EntryRow::Contribution(EntropyContributionRow {
                    player: 1,
                    ..words.clone()
                }),
                EntryRow::Contribution(EntropyContributionRow {
                    text: "a hat".to_owned(),
                    ..words.clone()
                }),
                EntryRow::Contribution(EntropyContributionRow { at_ms: 4, ..words }),
            ];
            stored.entries[2] = rows[at].clone();
            stored
        };
        for written in 0..8 {
            let hashes = StoredHashes::from_game(&others(written));
            for read in 0..8 {
                let expected = if written == read {
                    Ok(())
                } else {
                    Err(IntegrityError::Entry(2))
                };
                assert_eq!(hashes.verify(&others(read)), expected, "{written}, {read}");
            }
        }
    }

    #[test]
    fn missing_last_entries_are_detected() {
        let found = damage(|stored| stored.ending = None);
        assert_eq!(
            found,
            Some(IntegrityError::Entries {
                found: 4,
                expected: 5
            })
        );
        // Also if its hash is removed with it.
        let mut shorter = stored();
        let mut hashes = StoredHashes::from_game(&shorter);
        (shorter.ending, shorter.finished_ms) = (None, None);
        hashes.entry_hashes.pop();
        assert!(hashes.verify(&shorter).is_err());
        hashes.entries = 4;
        assert_eq!(hashes.verify(&shorter), Err(IntegrityError::ChainHead));
    }

    #[test]
    fn seats_and_the_finish_mark_are_verified() {
        assert_eq!(
            damage(|stored| stored.seats.revision = 3),
            Some(IntegrityError::Seats)
        );
        assert_eq!(
            damage(|stored| stored.seats.seats[0].since_ms = Some(0)),
            Some(IntegrityError::Seats)
        );
        assert_eq!(
            damage(|stored| stored.finished_ms = Some(8)),
            Some(IntegrityError::Mark)
        );
    }

    #[test]
    fn different_occupants_have_different_hashes() {
        let link = crate::seats::DerivedToken {
            token: hash(1),
            nonce: Nonce::from_bytes([1; 16]),
        };
        let person = PersonCredentials {
            browser: hash(1),
            return_link: None,
            joined_by: None,
        };
        let program = ProgramCredentials {
            token: hash(1),
            browser: None,
            joined_by: None,
        };
        let level = |replaced| SeatOccupant::Level {
            level: SeatLevel::Unknown(String::new()),
            replaced,
        };
        let left = |credentials, name: Option<&str>| {
            let name = name.map(str::to_owned);
            level(Some(Box::new(FormerOccupant { credentials, name })))
        };
        let by = |back, joined| SeatOccupant::Person {
            credentials: PersonCredentials {
                return_link: back,
                joined_by: joined,
                ..person
            },
            name: None,
        };
        let occupants = [
            SeatOccupant::Open { invitation: None },
            SeatOccupant::Open {
                invitation: Some(Invitation::Random(hash(1))),
            },
            SeatOccupant::Open {
                invitation: Some(Invitation::Program {
                    token: hash(1),
                    name: String::new(),
                }),
            },
            by(None, None),
            by(Some(link), None),
            by(None, Some(hash(1))),
            SeatOccupant::Person {
                credentials: person,
                name: Some(String::new()),
            },
            SeatOccupant::Program {
                credentials: program,
                name: None,
            },
            SeatOccupant::Program {
                credentials: ProgramCredentials {
                    browser: Some(hash(1)),
                    ..program
                },
                name: None,
            },
            level(None),
            left(SeatCredentials::Person(person), None),
            left(SeatCredentials::Person(person), Some("")),
            left(SeatCredentials::Program(program), None),
            SeatOccupant::level(crate::level::Level::Book),
        ];
        let hash_of = |occupant: &SeatOccupant| {
            let seat = Seat {
                occupant: occupant.clone(),
                since_ms: None,
            };
            ChainHash::seats_hash(&Seats::new(vec![seat]))
        };
        let waiting = |link, start| {
            let waiting = Some(Box::new(Waiting { link, start }));
            let seats = Seats::new(Vec::new());
            ChainHash::seats_hash(&Seats { waiting, ..seats })
        };
        let states = [
            ChainHash::seats_hash(&Seats::new(Vec::new())),
            waiting(None, AwaitedStart::People),
            waiting(None, AwaitedStart::Host),
            waiting(None, AwaitedStart::At(0)),
            waiting(None, AwaitedStart::At(1)),
            waiting(Some(link), AwaitedStart::People),
        ];
        for (at, state) in states.iter().enumerate() {
            assert!(!states[..at].contains(state), "{at}");
        }
        for (at, occupant) in occupants.iter().enumerate() {
            for other in &occupants[..at] {
                assert_ne!(
                    hash_of(occupant),
                    hash_of(other),
                    "{occupant:?} and {other:?}"
                );
            }
        }
    }

    #[test]
    fn hashes_are_stable() {
        // The values are stored in users' databases: a change would make all their games count as damaged.
        // Expected values from Python: hashlib.sha256 over each text and blob preceded by its length in 8
        // bytes, and each number in 8 bytes, all big-endian.
        let hex = |hash: ChainHash| -> String {
            hash.as_bytes()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        };
        let hashes = StoredHashes::from_game(&stored());
        assert_eq!(
            [
                hex(ChainHash::header_hash(&stored().header)),
                hex(hashes.chain_head),
                hex(hashes.seats)
            ],
            [
                "4d98e3cf16dc85f465ab0239bcede480",
                "1624300eeb4536cff7e1c24e545e6153",
                "b60ca60315aa67805ba9ba6f0e2c2459"
            ]
        );
    }
}
