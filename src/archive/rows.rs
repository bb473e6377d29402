//! From rows to what the archive keeps.

use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{Connection as _, Executor as _, Row as _};

use crate::archive::chain::{Kept, Seal};
use crate::archive::{GameId, Header, Origin, Stored};
use crate::fair::{DiceSecret, Salt, Sealed};
use crate::game::{MOST_PLAYERS, Player};
use crate::record::{ContributionRow, Ending, EndingRow, EntryRow, PlyRow, TakebackRow};
use crate::seats::{
    DerivedLink, Invitation, Keys, Pace, PersonKeys, ProgramKeys, RematchKind, Seat, SeatLevel,
    Seats, Sitter,
};
use crate::secret::{Nonce, SecretHash};
use crate::streams::DiceSeed;

/// Why something was not read.
#[derive(Debug)]
pub(super) enum ReadError {
    /// SQLite did not give the rows, or a column is of another type.
    Storage(sqlx::Error),
    /// The rows are there, and they are none that were ever written.
    Damaged(String),
}

impl From<sqlx::Error> for ReadError {
    fn from(error: sqlx::Error) -> Self {
        ReadError::Storage(error)
    }
}

fn damaged(what: impl ToString) -> ReadError {
    ReadError::Damaged(what.to_string())
}

/// A game, if it is there and as it was written.
pub(super) async fn load(readers: &SqlitePool, id: &GameId) -> Result<Option<Stored>, ReadError> {
    load_from(&mut *readers.acquire().await?, id).await
}

/// As [`load`], over one connection.
pub(super) async fn load_from(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<Option<Stored>, ReadError> {
    let Some(rows) = read_rows(connection, id).await? else {
        return Ok(None);
    };
    let stored = rows.stored(id)?;
    let kept = rows.kept()?;
    kept.check(&stored).map_err(damaged)?;
    Ok(Some(stored))
}

/// A game as its rows tell it, whether they are as they were written or not.
pub(super) async fn load_unchecked(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<Option<Stored>, ReadError> {
    let rows = read_rows(connection, id).await?;
    rows.map(|rows| rows.stored(id)).transpose()
}

/// All rows of a game.
struct Rows {
    game: SqliteRow,
    seats: Vec<SqliteRow>,
    entries: Vec<SqliteRow>,
}

async fn read_rows(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<Option<Rows>, ReadError> {
    // One transaction, so that header, seats and entries are of one moment.
    let mut moment = connection.begin().await?;
    let game = sqlx::query("SELECT * FROM game WHERE id = $1").bind(id.as_str());
    let game = moment.fetch_optional(game).await?;
    let seats = sqlx::query("SELECT * FROM seat WHERE game = $1 ORDER BY player").bind(id.as_str());
    let seats = moment.fetch_all(seats).await?;
    let entries =
        sqlx::query("SELECT * FROM entry WHERE game = $1 ORDER BY number").bind(id.as_str());
    let entries = moment.fetch_all(entries).await?;
    moment.commit().await?;
    match game {
        Some(game) => Ok(Some(Rows {
            game,
            seats,
            entries,
        })),
        None if seats.is_empty() && entries.is_empty() => Ok(None),
        None => Err(damaged("its header is missing")),
    }
}

impl Rows {
    fn stored(&self, id: &GameId) -> Result<Stored, ReadError> {
        let mut entries = Vec::with_capacity(self.entries.len());
        let mut ending = None;
        for (number, row) in (0_u32..).zip(&self.entries) {
            if row.try_get::<u32, _>("number")? != number || ending.is_some() {
                return Err(damaged(format!("there is a gap at entry {number}")));
            }
            match read_entry(row)? {
                Row::Entry(row) => entries.push(row),
                Row::Ending(row) => ending = Some(row),
            }
        }
        let seats = (0_u32..).zip(&self.seats);
        let seats = seats.map(|(player, row)| read_seat(id, player, row));
        Ok(Stored {
            header: read_header(id, &self.game)?,
            seats: Seats {
                revision: self.game.try_get("seats_revision")?,
                seats: seats.collect::<Result<_, _>>()?,
            },
            entries,
            ending,
            finished_ms: self.game.try_get("finished_ms")?,
        })
    }

    fn kept(&self) -> Result<Kept, ReadError> {
        let seals = self.entries.iter().map(|row| read_seal(row, "seal"));
        Ok(Kept {
            entries: self.game.try_get("entries")?,
            tip: read_seal(&self.game, "tip")?,
            seals: seals.collect::<Result<_, _>>()?,
            seats: read_seal(&self.game, "seats_seal")?,
        })
    }
}

pub(super) fn read_seal(row: &SqliteRow, column: &str) -> Result<Seal, ReadError> {
    let stored: Option<&[u8]> = row.try_get(column)?;
    let seal = stored.and_then(|stored| stored.try_into().ok());
    let seal = seal.ok_or_else(|| damaged(format!("{column} is missing")))?;
    Ok(Seal::from_bytes(seal))
}

fn read_header(id: &GameId, row: &SqliteRow) -> Result<Header, ReadError> {
    Ok(Header {
        id: id.clone(),
        game: row.try_get("game")?,
        start: row.try_get("start")?,
        dice: read_dice(row)?,
        pace: read_pace(row.try_get("pace")?)?,
        creator: read_hash(row, "creator")?,
        book_of: read_hash(row, "book_of")?,
        created_ms: row.try_get("created_ms")?,
        private: row.try_get("private")?,
        replace_after_s: row.try_get("replace_after_s")?,
        rematch_of: read_rematch(row)?,
        origin: read_origin(row)?,
        takebacks: row.try_get("takebacks")?,
        hints: match row.try_column("hints") {
            Ok(_) => row.try_get("hints")?,
            Err(_) => false,
        },
    })
}

fn read_origin(row: &SqliteRow) -> Result<Option<Origin>, ReadError> {
    // As for salts, there may be no such columns yet.
    if row.try_column("played_on_of").is_err() {
        return Ok(None);
    }
    let of: Option<&str> = row.try_get("played_on_of")?;
    let Some(of) = of else {
        let uploaded: bool = row.try_get("uploaded")?;
        let text = |column: &str| match row.try_column(column) {
            Ok(_) => row.try_get::<Option<&str>, _>(column),
            Err(_) => Ok(None),
        };
        let id = text("uploaded_as")?.map(str::parse).transpose();
        let id = id.map_err(damaged)?;
        let told = text("told")?.map(str::to_owned);
        return Ok(uploaded.then_some(Origin::Uploaded { id, told }));
    };
    let of = of.parse().map_err(damaged)?;
    let ply = row.try_get("played_on_ply")?;
    Ok(Some(Origin::PlayedOn { of, ply }))
}

fn read_dice(row: &SqliteRow) -> Result<DiceSecret, ReadError> {
    let seed = DiceSeed::from_bytes(bytes(row.try_get("dice_seed")?)?);
    // Before the migration that brought salts there is no such column, and no game has one.
    let salt: Option<&[u8]> = match row.try_column("dice_salt") {
        Ok(_) => row.try_get("dice_salt")?,
        Err(_) => None,
    };
    match (row.try_get::<u16, _>("format")?, salt) {
        (1, None) => Ok(DiceSecret::Unsealed(seed)),
        (2, Some(salt)) => {
            let salt = Salt::from_bytes(bytes(salt)?);
            Ok(DiceSecret::Sealed(Sealed { seed, salt }))
        }
        (format, _) => Err(damaged(format!("format {format} does not fit its dice"))),
    }
}

fn read_pace(text: &str) -> Result<Pace, ReadError> {
    text.parse()
        .map_err(|()| damaged(format!("unknown pace {text:?}")))
}

fn read_seat(id: &GameId, player: u32, row: &SqliteRow) -> Result<Seat, ReadError> {
    if row.try_get::<u32, _>("player")? != player {
        return Err(damaged(format!("seat {player} is missing")));
    }
    let sitter = read_sitter(row)?;
    let sitter = sitter.ok_or_else(|| {
        damaged(format!(
            "the columns of seat {player} of game {id} fit no sitter"
        ))
    })?;
    if let Sitter::Level { level, .. } = &sitter
        && let SeatLevel::Unknown(name) = level
    {
        let plays = level.plays();
        tracing::warn!(%id, player, name, %plays, "a seat has a level that is not known");
    }
    Ok(Seat {
        sitter,
        since_ms: row.try_get("since_ms")?,
    })
}

/// Who sits in a seat, or `None` when its columns fit no sitter.
fn read_sitter(row: &SqliteRow) -> Result<Option<Sitter>, ReadError> {
    let name: Option<String> = row.try_get("name")?;
    let invite = read_hash(row, "invite")?;
    let keys = KeyColumns {
        browser: read_hash(row, "browser")?,
        token: read_hash(row, "token")?,
        joined: read_hash(row, "joined")?,
        nonce: read_nonce(row)?,
    };
    Ok(match row.try_get("sitter")? {
        "open" => {
            let invitation = match (keys.invitation(invite), name) {
                (invitation, None) => invitation,
                // Only a program that is asked to play has a name before it sits down.
                (Some(Some(Invitation::Told(token))), Some(name)) => {
                    Some(Some(Invitation::Program { token, name }))
                }
                _ => None,
            };
            invitation.map(|invitation| Sitter::Open { invitation })
        }
        "human" if invite.is_none() => keys.keys().map(|keys| match keys {
            Keys::Person(keys) => Sitter::Person { keys, name },
            Keys::Program(keys) => Sitter::Program { keys, name },
        }),
        "level" if invite.is_none() && name.is_none() => {
            let level: String = row.try_get("level")?;
            let level = SeatLevel::from(level);
            match keys {
                KeyColumns::NONE => Some(Sitter::Level { level, left: None }),
                keys => keys.keys().map(|keys| Sitter::Level {
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
struct KeyColumns {
    browser: Option<SecretHash>,
    token: Option<SecretHash>,
    joined: Option<SecretHash>,
    nonce: Option<Nonce>,
}

impl KeyColumns {
    const NONE: KeyColumns = KeyColumns {
        browser: None,
        token: None,
        joined: None,
        nonce: None,
    };

    /// What opens a seat that is taken: a token without a nonce was told to a program.
    fn keys(self) -> Option<Keys> {
        let KeyColumns {
            browser,
            token,
            joined,
            nonce,
        } = self;
        let person = |browser, back| {
            Some(Keys::Person(PersonKeys {
                browser,
                back,
                joined,
            }))
        };
        match (browser, token, nonce) {
            (Some(browser), None, None) => person(browser, None),
            (Some(browser), Some(token), Some(nonce)) => {
                person(browser, Some(DerivedLink { token, nonce }))
            }
            (browser, Some(token), None) => Some(Keys::Program(ProgramKeys {
                token,
                browser,
                joined,
            })),
            _ => None,
        }
    }

    /// The invitation to an open seat, which nothing else opens: a nonce tells that it was derived.
    fn invitation(self, invite: Option<SecretHash>) -> Option<Option<Invitation>> {
        let KeyColumns {
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
                Some(Some(Invitation::Derived(DerivedLink { token, nonce })))
            }
            (None, Some(_)) => None,
        }
    }
}

fn read_nonce(row: &SqliteRow) -> Result<Option<Nonce>, ReadError> {
    let stored: Option<&[u8]> = row.try_get("nonce")?;
    let nonce = stored.map(<[u8; 16]>::try_from).transpose();
    Ok(nonce.map_err(damaged)?.map(Nonce::from_bytes))
}

pub(super) fn read_rematch(row: &SqliteRow) -> Result<Option<(GameId, RematchKind)>, ReadError> {
    let of: Option<&str> = row.try_get("rematch_of")?;
    let Some(of) = of else { return Ok(None) };
    let kind = rematch_kind(row.try_get("rematch_kind")?)?;
    Ok(Some((of.parse().map_err(damaged)?, kind)))
}

pub(super) fn rematch_kind(text: &str) -> Result<RematchKind, ReadError> {
    text.parse()
        .map_err(|()| damaged(format!("unknown rematch {text:?}")))
}

/// A row of the record.
enum Row {
    Entry(EntryRow),
    Ending(EndingRow),
}

fn read_entry(row: &SqliteRow) -> Result<Row, ReadError> {
    let at_ms = row.try_get("at_ms")?;
    if let Some(kind) = row.try_get("ending")? {
        let ending = read_ending(kind, row.try_get("player")?)?;
        return Ok(Row::Ending(EndingRow { ending, at_ms }));
    }
    let player = row.try_get("player")?;
    let other = (row.try_get("takeback")?, row.try_get("entropy")?);
    Ok(Row::Entry(match other {
        (None, None) => EntryRow::Ply(PlyRow {
            player,
            action: row.try_get("action")?,
            roll: row.try_get("roll")?,
            at_ms,
        }),
        (Some(to), None) => EntryRow::Takeback(TakebackRow { player, to, at_ms }),
        (None, Some(words)) => EntryRow::Contribution(ContributionRow {
            player,
            words,
            at_ms,
        }),
        (Some(_), Some(_)) => return Err(damaged("an entry is of two kinds")),
    }))
}

fn read_ending(kind: &str, player: Option<u8>) -> Result<Ending, ReadError> {
    let unknown = || damaged(format!("unknown ending {kind:?} of player {player:?}"));
    let resigner = match player {
        Some(number) => Some(Player::checked(number, MOST_PLAYERS as u8).ok_or_else(unknown)?),
        None => None,
    };
    Ending::named(kind, resigner).ok_or_else(unknown)
}

fn read_hash(row: &SqliteRow, column: &str) -> Result<Option<SecretHash>, ReadError> {
    let stored: Option<&[u8]> = row.try_get(column)?;
    stored
        .map(|stored| bytes(stored).map(SecretHash::from_bytes))
        .transpose()
}

fn bytes(stored: &[u8]) -> Result<[u8; 32], ReadError> {
    stored.try_into().map_err(damaged)
}

pub(super) fn hash(hash: &SecretHash) -> &[u8] {
    hash.as_bytes()
}
