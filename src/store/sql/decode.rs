//! From rows to what an archive keeps. SQLite and PostgreSQL have the same tables and columns; only their
//! rows are of other types.

use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;

use crate::game::{MAX_PLAYERS, Player};
use crate::provably_fair::{CommittedSeed, DiceSecret, Protocol, Salt};
use crate::record::{Ending, EndingRow, EntropyContributionRow, EntryRow, PlyRow, TakebackRow};
use crate::rng::DiceSeed;
use crate::seats::{
    ComputerPace, DerivedToken, Invitation, PersonCredentials, ProgramCredentials, RematchKind,
    Seat, SeatCredentials, SeatLevel, SeatOccupant, Seats,
};
use crate::secret::{Nonce, SecretHash};
use crate::store::hash_chain::{ChainHash, StoredHashes};
use crate::store::{
    GameHeader, GameId, GameOrigin, GamePage, GameVersion, PageCursor, RegisteredProgram,
    StoredGame,
};

/// What a row gives, column by column.
pub(in crate::store) trait RowAccess {
    /// Whether there is such a column: databases of earlier releases that are only read lack some.
    fn has(&self, column: &str) -> bool;
    fn integer(&self, column: &str) -> Result<Option<i64>, sqlx::Error>;
    fn text(&self, column: &str) -> Result<Option<&str>, sqlx::Error>;
    fn bytes(&self, column: &str) -> Result<Option<&[u8]>, sqlx::Error>;
}

macro_rules! columns {
    ($($row:ty),*) => {$(
        impl RowAccess for $row {
            fn has(&self, column: &str) -> bool {
                self.try_column(column).is_ok()
            }

            fn integer(&self, column: &str) -> Result<Option<i64>, sqlx::Error> {
                self.try_get(column)
            }

            fn text(&self, column: &str) -> Result<Option<&str>, sqlx::Error> {
                self.try_get(column)
            }

            fn bytes(&self, column: &str) -> Result<Option<&[u8]>, sqlx::Error> {
                self.try_get(column)
            }
        }
    )*};
}

columns!(SqliteRow, PgRow);

/// The number in a column, where there is one.
fn number<N: TryFrom<i64>>(row: &impl RowAccess, column: &str) -> Result<Option<N>, RowReadError> {
    let stored = row.integer(column)?;
    let number = stored.map(N::try_from).transpose();
    number.map_err(|_| damaged(format!("{column} is out of range")))
}

/// The number in a column that always has one.
pub(in crate::store) fn some_number<N: TryFrom<i64>>(
    row: &impl RowAccess,
    column: &str,
) -> Result<N, RowReadError> {
    number(row, column)?.ok_or_else(|| missing(column))
}

fn flag(row: &impl RowAccess, column: &str) -> Result<bool, RowReadError> {
    Ok(some_number::<i64>(row, column)? != 0)
}

/// The text in a column that always has one.
pub(in crate::store) fn some_text<'r>(
    row: &'r impl RowAccess,
    column: &str,
) -> Result<&'r str, RowReadError> {
    row.text(column)?.ok_or_else(|| missing(column))
}

/// Why something was not read.
#[derive(Debug)]
pub(in crate::store) enum RowReadError {
    /// The database did not give the rows, or a column is of another type.
    Storage(sqlx::Error),
    /// The rows are there, and they are none that were ever written.
    Damaged(String),
}

impl From<sqlx::Error> for RowReadError {
    fn from(error: sqlx::Error) -> Self {
        RowReadError::Storage(error)
    }
}

fn missing(column: &str) -> RowReadError {
    damaged(format!("{column} is missing"))
}

fn damaged(what: impl ToString) -> RowReadError {
    RowReadError::Damaged(what.to_string())
}

/// The games of these rows, and where the last of them stands.
pub(in crate::store) fn page(rows: &[impl RowAccess]) -> Result<GamePage, sqlx::Error> {
    let ids = rows.iter().map(|row| row.text("id"));
    let ids = ids.collect::<Result<Vec<_>, _>>()?;
    let place = |row| {
        Ok::<_, sqlx::Error>(PageCursor {
            active_ms: always(row, "active_ms")?,
            serial: always(row, "serial")?,
        })
    };
    Ok(GamePage {
        games: games(ids.into_iter().flatten()),
        next: rows.last().map(place).transpose()?,
    })
}

fn always(row: &impl RowAccess, column: &str) -> Result<i64, sqlx::Error> {
    let number = row.integer(column)?;
    number.ok_or_else(|| sqlx::Error::ColumnNotFound(column.to_owned()))
}

/// A name that is damaged hides no other game.
fn games(names: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<GameId> {
    let games = names.into_iter().map(|name| name.as_ref().parse());
    games.filter_map(Result::ok).collect()
}

/// How far games have come. A row that is damaged hides no other.
pub(in crate::store) fn standings<C: RowAccess>(
    rows: &[C],
) -> Result<Vec<GameVersion>, sqlx::Error> {
    let standing = |row: &C| {
        Some(GameVersion {
            id: some_text(row, "id").ok()?.parse().ok()?,
            entries: some_number(row, "entries").ok()?,
            revision: some_number(row, "seats_revision").ok()?,
            rematch: row.text("rematch").ok()?.and_then(|id| id.parse().ok()),
        })
    };
    Ok(rows.iter().filter_map(standing).collect())
}

/// The games that a question for their names found.
pub(in crate::store) fn named(
    found: Result<Vec<String>, sqlx::Error>,
) -> Result<Vec<GameId>, sqlx::Error> {
    found.map(games)
}

/// The ends of a program's games, the oldest first: they are found the newest first.
pub(in crate::store) fn numbered(found: Vec<(i64, String)>) -> Vec<(i64, GameId)> {
    let found = found.into_iter().rev();
    found
        .filter_map(|(number, id)| Some((number, id.parse().ok()?)))
        .collect()
}

/// `None` where a row is damaged: such a program is not known.
pub(in crate::store) fn read_program(
    row: &impl RowAccess,
) -> Result<Option<RegisteredProgram>, sqlx::Error> {
    let id = row.text("id")?.and_then(|id| id.parse().ok());
    let token = row.bytes("token")?;
    let token = token.and_then(|token| <[u8; 32]>::try_from(token).ok());
    let (Some(id), Some(token)) = (id, token) else {
        return Ok(None);
    };
    let (Some(name), Some(plays)) = (row.text("name")?, row.text("plays")?) else {
        return Ok(None);
    };
    Ok(Some(RegisteredProgram {
        id,
        name: name.to_owned(),
        token: SecretHash::from_bytes(token),
        plays: plays.to_owned(),
        created_ms: always(row, "created_ms")?,
    }))
}

/// As [`read_program`], with the time at which it was last heard of.
pub(in crate::store) fn read_seen_program(
    row: &impl RowAccess,
) -> Result<Option<(RegisteredProgram, i64)>, sqlx::Error> {
    let seen_ms = always(row, "seen_ms")?;
    Ok(read_program(row)?.map(|program| (program, seen_ms)))
}

/// All rows of a game.
pub(in crate::store) struct GameRows<R> {
    game: R,
    seats: Vec<R>,
    entries: Vec<R>,
}

impl<R: RowAccess> GameRows<R> {
    /// What was found of one moment; `None` when there is no such game.
    pub(in crate::store) fn found(
        game: Option<R>,
        seats: Vec<R>,
        entries: Vec<R>,
    ) -> Result<Option<Self>, RowReadError> {
        match game {
            Some(game) => Ok(Some(GameRows {
                game,
                seats,
                entries,
            })),
            None if seats.is_empty() && entries.is_empty() => Ok(None),
            None => Err(damaged("its header is missing")),
        }
    }

    /// The game, if it is as it was written.
    pub(in crate::store) fn checked(&self, id: &GameId) -> Result<StoredGame, RowReadError> {
        let stored = self.stored(id)?;
        self.kept()?.check(&stored).map_err(damaged)?;
        Ok(stored)
    }

    /// The game as its rows tell it, whether they are as they were written or not.
    pub(in crate::store) fn stored(&self, id: &GameId) -> Result<StoredGame, RowReadError> {
        let mut entries = Vec::with_capacity(self.entries.len());
        let mut ending = None;
        for (number, row) in (0_u32..).zip(&self.entries) {
            if some_number::<u32>(row, "number")? != number || ending.is_some() {
                return Err(damaged(format!("there is a gap at entry {number}")));
            }
            match read_entry(row)? {
                DecodedEntry::Entry(row) => entries.push(row),
                DecodedEntry::Ending(row) => ending = Some(row),
            }
        }
        let seats = (0_u32..).zip(&self.seats);
        let seats = seats.map(|(player, row)| read_seat(id, player, row));
        Ok(StoredGame {
            header: read_header(id, &self.game)?,
            seats: Seats {
                revision: some_number(&self.game, "seats_revision")?,
                seats: seats.collect::<Result<_, _>>()?,
            },
            entries,
            ending,
            finished_ms: self.game.integer("finished_ms")?,
        })
    }

    fn kept(&self) -> Result<StoredHashes, RowReadError> {
        let seals = self.entries.iter().map(|row| read_seal(row, "seal"));
        Ok(StoredHashes {
            entries: some_number(&self.game, "entries")?,
            tip: read_seal(&self.game, "tip")?,
            seals: seals.collect::<Result<_, _>>()?,
            seats: read_seal(&self.game, "seats_seal")?,
        })
    }
}

pub(in crate::store) fn read_seal(
    row: &impl RowAccess,
    column: &str,
) -> Result<ChainHash, RowReadError> {
    let stored = row.bytes(column)?;
    let seal = stored.and_then(|stored| stored.try_into().ok());
    let seal = seal.ok_or_else(|| missing(column))?;
    Ok(ChainHash::from_bytes(seal))
}

fn read_header(id: &GameId, row: &impl RowAccess) -> Result<GameHeader, RowReadError> {
    Ok(GameHeader {
        id: id.clone(),
        game: some_text(row, "game")?.to_owned(),
        start: some_text(row, "start")?.to_owned(),
        dice: read_dice(row)?,
        pace: read_pace(some_text(row, "pace")?)?,
        creator: read_hash(row, "creator")?,
        book_of: read_hash(row, "book_of")?,
        created_ms: some_number(row, "created_ms")?,
        private: flag(row, "private")?,
        replace_after_s: number(row, "replace_after_s")?,
        rematch_of: read_rematch(row)?,
        origin: read_origin(row)?,
        takebacks: flag(row, "takebacks")?,
        hints: row.has("hints") && flag(row, "hints")?,
    })
}

fn read_origin(row: &impl RowAccess) -> Result<Option<GameOrigin>, RowReadError> {
    // As for salts, there may be no such columns yet.
    if !row.has("played_on_of") {
        return Ok(None);
    }
    let Some(of) = row.text("played_on_of")? else {
        let uploaded = flag(row, "uploaded")?;
        let text = |column: &str| match row.has(column) {
            true => row.text(column),
            false => Ok(None),
        };
        let id = text("uploaded_as")?.map(str::parse).transpose();
        let id = id.map_err(damaged)?;
        let told = text("told")?.map(str::to_owned);
        return Ok(uploaded.then_some(GameOrigin::Uploaded { id, told }));
    };
    let of = of.parse().map_err(damaged)?;
    let ply = some_number(row, "played_on_ply")?;
    Ok(Some(GameOrigin::PlayedOn { of, ply }))
}

fn read_dice(row: &impl RowAccess) -> Result<DiceSecret, RowReadError> {
    let seed = DiceSeed::from_bytes(bytes(
        row.bytes("dice_seed")?
            .ok_or_else(|| missing("dice_seed"))?,
    )?);
    // Before the migration that brought salts there is no such column, and no game has one.
    let salt = match row.has("dice_salt") {
        true => row.bytes("dice_salt")?,
        false => None,
    };
    let format = some_number::<u16>(row, "format")?;
    match (format, Protocol::from_number(format), salt) {
        (1, None, None) => Ok(DiceSecret::Unsealed(seed)),
        (_, Some(protocol), Some(salt)) => Ok(DiceSecret::Sealed(CommittedSeed {
            protocol,
            seed,
            salt: Salt::from_bytes(bytes(salt)?),
        })),
        _ => Err(damaged(format!("format {format} does not fit its dice"))),
    }
}

fn read_pace(text: &str) -> Result<ComputerPace, RowReadError> {
    text.parse()
        .map_err(|()| damaged(format!("unknown pace {text:?}")))
}

fn read_seat(id: &GameId, player: u32, row: &impl RowAccess) -> Result<Seat, RowReadError> {
    if some_number::<u32>(row, "player")? != player {
        return Err(damaged(format!("seat {player} is missing")));
    }
    let sitter = read_sitter(row)?;
    let sitter = sitter.ok_or_else(|| {
        damaged(format!(
            "the columns of seat {player} of game {id} fit no sitter"
        ))
    })?;
    if let SeatOccupant::Level { level, .. } = &sitter
        && let SeatLevel::Unknown(name) = level
    {
        let plays = level.plays();
        tracing::warn!(%id, player, name, %plays, "a seat has a level that is not known");
    }
    Ok(Seat {
        sitter,
        since_ms: row.integer("since_ms")?,
    })
}

/// Who sits in a seat, or `None` when its columns fit no sitter.
fn read_sitter(row: &impl RowAccess) -> Result<Option<SeatOccupant>, RowReadError> {
    let name = row.text("name")?.map(str::to_owned);
    let invite = read_hash(row, "invite")?;
    let keys = CredentialColumns {
        browser: read_hash(row, "browser")?,
        token: read_hash(row, "token")?,
        joined: read_hash(row, "joined")?,
        nonce: read_nonce(row)?,
    };
    Ok(match some_text(row, "sitter")? {
        "open" => {
            let invitation = match (keys.invitation(invite), name) {
                (invitation, None) => invitation,
                // Only a program that is asked to play has a name before it sits down.
                (Some(Some(Invitation::Told(token))), Some(name)) => {
                    Some(Some(Invitation::Program { token, name }))
                }
                _ => None,
            };
            invitation.map(|invitation| SeatOccupant::Open { invitation })
        }
        "human" if invite.is_none() => keys.keys().map(|keys| match keys {
            SeatCredentials::Person(keys) => SeatOccupant::Person { keys, name },
            SeatCredentials::Program(keys) => SeatOccupant::Program { keys, name },
        }),
        "level" if invite.is_none() && name.is_none() => {
            let level = SeatLevel::from(some_text(row, "level")?.to_owned());
            match keys {
                CredentialColumns::NONE => Some(SeatOccupant::Level { level, left: None }),
                keys => keys.keys().map(|keys| SeatOccupant::Level {
                    level,
                    left: Some(keys),
                }),
            }
        }
        "human" | "level" => None,
        other => return Err(damaged(format!("unknown sitter {other:?}"))),
    })
}

/// The columns of a seat that open it, the invitation apart.
#[derive(PartialEq, Eq)]
struct CredentialColumns {
    browser: Option<SecretHash>,
    token: Option<SecretHash>,
    joined: Option<SecretHash>,
    nonce: Option<Nonce>,
}

impl CredentialColumns {
    const NONE: CredentialColumns = CredentialColumns {
        browser: None,
        token: None,
        joined: None,
        nonce: None,
    };

    /// What opens a seat that is taken: a token without a nonce was told to a program.
    fn keys(self) -> Option<SeatCredentials> {
        let CredentialColumns {
            browser,
            token,
            joined,
            nonce,
        } = self;
        let person = |browser, back| {
            Some(SeatCredentials::Person(PersonCredentials {
                browser,
                back,
                joined,
            }))
        };
        match (browser, token, nonce) {
            (Some(browser), None, None) => person(browser, None),
            (Some(browser), Some(token), Some(nonce)) => {
                person(browser, Some(DerivedToken { token, nonce }))
            }
            (browser, Some(token), None) => Some(SeatCredentials::Program(ProgramCredentials {
                token,
                browser,
                joined,
            })),
            _ => None,
        }
    }

    /// The invitation to an open seat, which nothing else opens: a nonce tells that it was derived.
    fn invitation(self, invite: Option<SecretHash>) -> Option<Option<Invitation>> {
        let CredentialColumns {
            browser: None,
            token: None,
            joined: None,
            nonce,
        } = self
        else {
            return None;
        };
        match (invite, nonce) {
            (None, None) => Some(None),
            (Some(token), None) => Some(Some(Invitation::Told(token))),
            (Some(token), Some(nonce)) => {
                Some(Some(Invitation::Derived(DerivedToken { token, nonce })))
            }
            (None, Some(_)) => None,
        }
    }
}

fn read_nonce(row: &impl RowAccess) -> Result<Option<Nonce>, RowReadError> {
    let nonce = row.bytes("nonce")?.map(<[u8; 16]>::try_from).transpose();
    Ok(nonce.map_err(damaged)?.map(Nonce::from_bytes))
}

pub(in crate::store) fn read_rematch(
    row: &impl RowAccess,
) -> Result<Option<(GameId, RematchKind)>, RowReadError> {
    let Some(of) = row.text("rematch_of")? else {
        return Ok(None);
    };
    let kind = rematch_kind(some_text(row, "rematch_kind")?)?;
    Ok(Some((of.parse().map_err(damaged)?, kind)))
}

pub(in crate::store) fn rematch_kind(text: &str) -> Result<RematchKind, RowReadError> {
    text.parse()
        .map_err(|()| damaged(format!("unknown rematch {text:?}")))
}

/// A row of the record.
enum DecodedEntry {
    Entry(EntryRow),
    Ending(EndingRow),
}

fn read_entry(row: &impl RowAccess) -> Result<DecodedEntry, RowReadError> {
    let at_ms = some_number(row, "at_ms")?;
    if let Some(kind) = row.text("ending")? {
        let ending = read_ending(kind, number(row, "player")?)?;
        return Ok(DecodedEntry::Ending(EndingRow { ending, at_ms }));
    }
    let player = some_number(row, "player")?;
    let words = row.text("entropy")?.map(str::to_owned);
    let other = (number(row, "takeback")?, words);
    Ok(DecodedEntry::Entry(match other {
        (None, None) => EntryRow::Ply(PlyRow {
            player,
            action: some_text(row, "action")?.to_owned(),
            roll: some_text(row, "roll")?.to_owned(),
            at_ms,
        }),
        (Some(to), None) => EntryRow::Takeback(TakebackRow { player, to, at_ms }),
        (None, Some(words)) => EntryRow::Contribution(EntropyContributionRow {
            player,
            words,
            at_ms,
        }),
        (Some(_), Some(_)) => return Err(damaged("an entry is of two kinds")),
    }))
}

fn read_ending(kind: &str, player: Option<u8>) -> Result<Ending, RowReadError> {
    let unknown = || damaged(format!("unknown ending {kind:?} of player {player:?}"));
    let resigner = match player {
        Some(number) => Some(Player::try_new(number, MAX_PLAYERS as u8).ok_or_else(unknown)?),
        None => None,
    };
    Ending::from_name(kind, resigner).ok_or_else(unknown)
}

fn read_hash(row: &impl RowAccess, column: &str) -> Result<Option<SecretHash>, RowReadError> {
    row.bytes(column)?
        .map(|stored| bytes(stored).map(SecretHash::from_bytes))
        .transpose()
}

fn bytes(stored: &[u8]) -> Result<[u8; 32], RowReadError> {
    stored.try_into().map_err(damaged)
}

pub(in crate::store) fn hash(hash: &SecretHash) -> &[u8] {
    hash.as_bytes()
}
