//! The chain of hashes that tells a whole record from a damaged one.
//!
//! Disks flip bits, and databases serve them without a word. So the header of a game has a [`ChainHash`],
//! each entry has one over itself and the seal before it, and the game's row keeps the number and the
//! seal of the last entry: whatever differs when a record is read, down to one bit or to a missing
//! end, is noticed ([`StoredHashes::check`]). Seats have a seal of their own, for they change.
//!
//! It deliberately is no proof against people: whoever can write to the storage can write seals, too.
//! Fields go into SHA-256 with their lengths, in an order that never changes.

use sha2::{Digest as _, Sha256};

use super::{GameHeader, GameOrigin, StoredEntry, StoredGame};
use crate::game::Player;
use crate::record::{EndingRow, EntropyContributionRow, EntryRow, PlyRow, TakebackRow};
use crate::seats::{Invitation, SeatCredentials, SeatOccupant, Seats};

/// The first half of a SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChainHash([u8; 16]);

impl ChainHash {
    /// The seal with these bytes, as they are stored.
    pub(super) const fn from_bytes(bytes: [u8; 16]) -> Self {
        ChainHash(bytes)
    }

    /// The bytes that are stored.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The seal before entry 0.
    #[must_use]
    pub fn of_header(header: &GameHeader) -> Self {
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
        } = header;
        let mut form = CanonicalHasher::new("dice-of-doom header 1");
        form.text(id.as_str());
        form.number(i64::from(dice.format()));
        form.text(game);
        form.text(start);
        form.bytes(dice.seed().as_bytes());
        form.text(pace.name());
        form.bytes_or_none(creator.as_ref().map(|hash| &hash.as_bytes()[..]));
        form.bytes_or_none(book_of.as_ref().map(|hash| &hash.as_bytes()[..]));
        form.number(*created_ms);
        form.number(i64::from(*private));
        form.number(replace_after_s.map_or(-1, i64::from));
        let rematch_of = rematch_of.as_ref();
        form.text_or_none(rematch_of.map(|(id, _)| id.as_str()));
        form.text_or_none(rematch_of.map(|(_, kind)| kind.name()));
        // Headers of format 1 have no salt.
        if let Some(salt) = dice.salt() {
            form.bytes(salt.as_bytes());
        }
        // Nothing where there is none, as in the seals of earlier releases.
        match origin {
            None => {}
            Some(GameOrigin::PlayedOn { of, ply }) => {
                form.text("played on");
                form.text(of.as_str());
                form.number(i64::from(*ply));
            }
            Some(GameOrigin::Uploaded { id, told }) => {
                form.text("uploaded");
                if let Some(id) = id {
                    form.text(id.as_str());
                }
                // Uploads of before say nothing of who played, and no id is so short.
                if let Some(told) = told {
                    form.text("told");
                    form.text(told);
                }
            }
        }
        // The games of before allowed takebacks and were sealed without a word about them.
        if !takebacks {
            form.text("no takebacks");
        }
        // No id is written so: what stands here cannot be taken for the end of an upload.
        if *hints {
            form.text("hints for all");
        }
        form.seal()
    }

    /// The seal after `entry`, where this one stands before it.
    #[must_use]
    pub fn after(self, number: u32, entry: &StoredEntry) -> Self {
        match entry {
            StoredEntry::Ply(ply) | StoredEntry::FinalPly(ply) => self.after_ply(number, ply),
            StoredEntry::Takeback(row) => self.after_takeback(number, row),
            StoredEntry::Contribution(row) => self.after_contribution(number, row),
            StoredEntry::Ending(ending) => self.after_ending(number, ending),
        }
    }

    fn after_ply(self, number: u32, ply: &PlyRow) -> Self {
        let mut form = CanonicalHasher::new("dice-of-doom ply 1");
        form.bytes(&self.0);
        form.number(i64::from(number));
        form.number(i64::from(ply.player));
        form.text(&ply.action);
        form.text(&ply.roll);
        form.number(ply.at_ms);
        form.seal()
    }

    fn after_row(self, number: u32, row: &EntryRow) -> Self {
        match row {
            EntryRow::Ply(row) => self.after_ply(number, row),
            EntryRow::Takeback(row) => self.after_takeback(number, row),
            EntryRow::Contribution(row) => self.after_contribution(number, row),
        }
    }

    fn after_takeback(self, number: u32, row: &TakebackRow) -> Self {
        let mut form = CanonicalHasher::new("dice-of-doom takeback 1");
        form.bytes(&self.0);
        form.number(i64::from(number));
        form.number(i64::from(row.player));
        form.number(i64::from(row.to));
        form.number(row.at_ms);
        form.seal()
    }

    fn after_contribution(self, number: u32, row: &EntropyContributionRow) -> Self {
        let mut form = CanonicalHasher::new("dice-of-doom contribution 1");
        form.bytes(&self.0);
        form.number(i64::from(number));
        form.number(i64::from(row.player));
        form.text(&row.words);
        form.number(row.at_ms);
        form.seal()
    }

    fn after_ending(self, number: u32, row: &EndingRow) -> Self {
        let mut form = CanonicalHasher::new("dice-of-doom ending 1");
        form.bytes(&self.0);
        form.number(i64::from(number));
        form.text(row.ending.name());
        let player = row.ending.player().map(Player::number);
        form.number(player.map_or(-1, i64::from));
        form.number(row.at_ms);
        form.seal()
    }

    /// The seal of everybody at the table, and of how often they changed.
    #[must_use]
    pub fn of_seats(seats: &Seats) -> Self {
        let mut form = CanonicalHasher::new("dice-of-doom seats 1");
        form.number(i64::from(seats.revision));
        for seat in &seats.seats {
            form.sitter(&seat.sitter);
            form.number(i64::from(seat.since_ms.is_some()));
            form.number(seat.since_ms.unwrap_or_default());
        }
        form.seal()
    }
}

/// The fields of something, one after the other, each with its length.
struct CanonicalHasher(Sha256);

impl CanonicalHasher {
    fn new(of: &str) -> Self {
        let mut form = CanonicalHasher(Sha256::new());
        form.text(of);
        form
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

    fn sitter(&mut self, sitter: &SeatOccupant) {
        let (kind, level, invitation) = match sitter {
            SeatOccupant::Open { invitation } => ("open", None, invitation.as_ref()),
            SeatOccupant::Person { .. } => ("person", None, None),
            SeatOccupant::Program { .. } => ("program", None, None),
            SeatOccupant::Level { level, .. } => ("level", Some(level.name()), None),
        };
        self.text(kind);
        self.text_or_none(level.as_deref());
        self.text_or_none(sitter.name());
        let nonce = match (invitation, sitter.keys()) {
            (Some(Invitation::Derived(link)), _) => Some(link.nonce),
            (_, Some(SeatCredentials::Person(keys))) => keys.back.map(|link| link.nonce),
            _ => None,
        };
        self.bytes_or_none(nonce.as_ref().map(|nonce| &nonce.as_bytes()[..]));
        let keys = sitter.keys();
        let keys = keys.as_ref();
        // A person and a program who left differ in nothing else than this.
        self.number(i64::from(matches!(keys, Some(SeatCredentials::Program(_)))));
        for hash in [
            invitation.map(Invitation::token),
            keys.and_then(SeatCredentials::browser),
            keys.and_then(SeatCredentials::token),
            keys.and_then(SeatCredentials::joined),
        ] {
            self.bytes_or_none(hash.map(|hash| &hash.as_bytes()[..]));
        }
    }

    fn seal(self) -> ChainHash {
        let whole: [u8; 32] = self.0.finalize().into();
        ChainHash(std::array::from_fn(|index| whole[index]))
    }
}

/// What is kept beside a record to check it with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredHashes {
    /// How many entries there are.
    pub entries: u32,
    /// The seal after the last entry.
    pub tip: ChainHash,
    /// The seal after each entry, in order.
    pub seals: Vec<ChainHash>,
    /// The seal of the seats.
    pub seats: ChainHash,
}

/// What is not as it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IntegrityError {
    /// Entries are missing, or there are some too many.
    #[error("it has {found} entries where {kept} were written")]
    Entries {
        /// How many are there.
        found: u32,
        /// How many were written.
        kept: u32,
    },
    /// The first entry whose seal does not fit it; for number 0 it may be the header that changed.
    #[error("entry {0} is not as it was written")]
    Entry(u32),
    /// The last seal fits neither the entries nor, where there is none, the header.
    #[error("its header or its end is not as it was written")]
    Tip,
    /// Somebody else seems to sit there.
    #[error("its seats are not as they were written")]
    Seats,
    /// It is marked finished as of another time than that of its last entry.
    #[error("its mark that it is finished is not as it was written")]
    Mark,
}

impl StoredHashes {
    /// What is kept beside this record.
    #[must_use]
    pub fn of(stored: &StoredGame) -> Self {
        let seals = seals(stored);
        StoredHashes {
            entries: stored.next(),
            tip: seals
                .last()
                .copied()
                .unwrap_or_else(|| ChainHash::of_header(&stored.header)),
            seals,
            seats: ChainHash::of_seats(&stored.seats),
        }
    }

    /// Whether a record that was read is the one that was written.
    ///
    /// # Errors
    /// The first thing that is not.
    pub fn check(&self, stored: &StoredGame) -> Result<(), IntegrityError> {
        let now = StoredHashes::of(stored);
        if now.entries != self.entries || now.seals.len() != self.seals.len() {
            return Err(IntegrityError::Entries {
                found: now.entries,
                kept: self.entries,
            });
        }
        let mut pairs = (0..).zip(now.seals.iter().zip(&self.seals));
        if let Some((number, _)) = pairs.find(|(_, (now, kept))| now != kept) {
            return Err(IntegrityError::Entry(number));
        }
        if now.tip != self.tip {
            return Err(IntegrityError::Tip);
        }
        if now.seats != self.seats {
            return Err(IntegrityError::Seats);
        }
        let as_of_the_end = |finished_ms| finished_ms == stored.last_ms();
        if !stored.finished_ms.is_none_or(as_of_the_end) {
            return Err(IntegrityError::Mark);
        }
        Ok(())
    }
}

/// The seal after each entry, in order.
fn seals(stored: &StoredGame) -> Vec<ChainHash> {
    let mut before = ChainHash::of_header(&stored.header);
    let mut seals = Vec::with_capacity(stored.entries.len() + 1);
    for (number, row) in (0..).zip(&stored.entries) {
        before = before.after_row(number, row);
        seals.push(before);
    }
    if let Some(ending) = &stored.ending {
        seals.push(before.after_ending(stored.next() - 1, ending));
    }
    seals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provably_fair::{CommittedSeed, DiceSecret, Protocol, Salt};
    use crate::record::Ending;
    use crate::rng::DiceSeed;
    use crate::seats::{
        ComputerPace, PersonCredentials, ProgramCredentials, RematchKind, Seat, SeatLevel,
    };
    use crate::secret::{Nonce, SecretHash};
    use crate::store::GameId;

    fn hash(byte: u8) -> SecretHash {
        SecretHash::from_bytes([byte; 32])
    }

    fn sealed(seed: u8, salt: u8) -> DiceSecret {
        DiceSecret::Sealed(CommittedSeed {
            protocol: Protocol::ByEntry,
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
        let keys = PersonCredentials {
            browser: hash(3),
            back: None,
            joined: None,
        };
        let sitter = SeatOccupant::Person { keys, name: None };
        StoredGame {
            header: GameHeader {
                id: "abcdefgh".parse().unwrap(),
                game: "{}".to_owned(),
                start: "[]".to_owned(),
                dice: DiceSecret::Unsealed(DiceSeed::from_bytes([1; 32])),
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
            },
            seats: Seats {
                revision: 2,
                seats: vec![Seat {
                    sitter,
                    since_ms: None,
                }],
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
        let kept = StoredHashes::of(&stored);
        change(&mut stored);
        kept.check(&stored).err()
    }

    #[test]
    fn a_whole_record_is_whole() {
        assert_eq!(damage(|_| {}), None);
        assert_eq!(damage(|stored| stored.finished_ms = None), None);
    }

    #[test]
    fn every_field_of_the_header_is_sealed() {
        let changes: [fn(&mut GameHeader); 20] = [
            |header| header.id = "abcdefgj".parse::<GameId>().unwrap(),
            |header| header.dice = sealed(1, 0),
            |header| header.game = "{ }".to_owned(),
            |header| header.start = "{}".to_owned(),
            |header| header.dice = DiceSecret::Unsealed(DiceSeed::from_bytes([2; 32])),
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
                    told: None,
                });
            },
            |header| {
                let id = Some("abcdefgh".parse().unwrap());
                header.origin = Some(GameOrigin::Uploaded { id, told: None });
            },
            |header| {
                header.origin = Some(GameOrigin::Uploaded {
                    id: None,
                    told: Some("{}".to_owned()),
                });
            },
            |header| {
                let of = "abcdefgh".parse().unwrap();
                header.origin = Some(GameOrigin::PlayedOn { of, ply: 0 });
            },
            |header| header.takebacks = false,
            |header| header.hints = true,
            // What stands before the border of two fields cannot move behind it.
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
            let kept = StoredHashes::of(&stored);
            change(&mut stored.header);
            assert_eq!(kept.check(&stored), Err(IntegrityError::Tip), "change {at}");
        }
    }

    #[test]
    fn a_salt_is_sealed() {
        let seal = |dice| {
            let header = GameHeader {
                dice,
                ..stored().header
            };
            ChainHash::of_header(&header)
        };
        assert_ne!(seal(sealed(1, 2)), seal(sealed(1, 3)));
        assert_ne!(seal(sealed(1, 2)), seal(sealed(3, 2)));
    }

    #[test]
    fn every_field_of_an_entry_is_sealed() {
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
    fn every_field_of_what_is_no_ply_is_sealed() {
        let others = |at: usize| {
            let mut stored = stored();
            let takeback = TakebackRow {
                player: 1,
                to: 1,
                at_ms: 4,
            };
            let words = EntropyContributionRow {
                player: 0,
                words: "a cat".to_owned(),
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
                    words: "a hat".to_owned(),
                    ..words.clone()
                }),
                EntryRow::Contribution(EntropyContributionRow { at_ms: 4, ..words }),
            ];
            stored.entries[2] = rows[at].clone();
            stored
        };
        for written in 0..8 {
            let kept = StoredHashes::of(&others(written));
            for read in 0..8 {
                let expected = if written == read {
                    Ok(())
                } else {
                    Err(IntegrityError::Entry(2))
                };
                assert_eq!(kept.check(&others(read)), expected, "{written}, {read}");
            }
        }
    }

    #[test]
    fn a_missing_end_is_noticed() {
        let found = damage(|stored| stored.ending = None);
        assert_eq!(found, Some(IntegrityError::Entries { found: 4, kept: 5 }));
        // Even where its seal went with it.
        let mut shorter = stored();
        let mut kept = StoredHashes::of(&shorter);
        (shorter.ending, shorter.finished_ms) = (None, None);
        kept.seals.pop();
        assert!(kept.check(&shorter).is_err());
        kept.entries = 4;
        assert_eq!(kept.check(&shorter), Err(IntegrityError::Tip));
    }

    #[test]
    fn seats_and_the_mark_are_sealed() {
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
    fn no_two_sitters_have_one_seal() {
        let link = crate::seats::DerivedToken {
            token: hash(1),
            nonce: Nonce::from_bytes([1; 16]),
        };
        let person = PersonCredentials {
            browser: hash(1),
            back: None,
            joined: None,
        };
        let program = ProgramCredentials {
            token: hash(1),
            browser: None,
            joined: None,
        };
        let level = |left| SeatOccupant::Level {
            level: SeatLevel::Unknown(String::new()),
            left,
        };
        let by = |back, joined| SeatOccupant::Person {
            keys: PersonCredentials {
                back,
                joined,
                ..person
            },
            name: None,
        };
        let sitters = [
            SeatOccupant::Open { invitation: None },
            SeatOccupant::Open {
                invitation: Some(Invitation::Told(hash(1))),
            },
            SeatOccupant::Open {
                invitation: Some(Invitation::Derived(link)),
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
                keys: person,
                name: Some(String::new()),
            },
            SeatOccupant::Program {
                keys: program,
                name: None,
            },
            SeatOccupant::Program {
                keys: ProgramCredentials {
                    browser: Some(hash(1)),
                    ..program
                },
                name: None,
            },
            level(None),
            level(Some(SeatCredentials::Person(person))),
            level(Some(SeatCredentials::Program(program))),
            SeatOccupant::level(crate::level::Level::Book),
        ];
        let seal = |sitter: &SeatOccupant| {
            let seat = Seat {
                sitter: sitter.clone(),
                since_ms: None,
            };
            ChainHash::of_seats(&Seats {
                revision: 0,
                seats: vec![seat],
            })
        };
        for (at, sitter) in sitters.iter().enumerate() {
            for other in &sitters[..at] {
                assert_ne!(seal(sitter), seal(other), "{sitter:?} and {other:?}");
            }
        }
    }

    #[test]
    fn seals_never_change() {
        // They stand in people's files: another value would make every game of theirs damaged.
        // python3: hashlib.sha256 over each text and blob behind its length in 8 bytes, each number in
        // 8 bytes, all big-endian.
        let hex = |seal: ChainHash| -> String {
            seal.0.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        let kept = StoredHashes::of(&stored());
        assert_eq!(
            [
                hex(ChainHash::of_header(&stored().header)),
                hex(kept.tip),
                hex(kept.seats)
            ],
            [
                "b8af4aeb54b07af7f58ac08cee11b6b5",
                "e272dc6b3c8bad558f7309f88cf0607b",
                "b60ca60315aa67805ba9ba6f0e2c2459"
            ]
        );
    }
}
