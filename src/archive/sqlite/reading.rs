//! From rows to what the archive keeps.

use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{Executor as _, Row as _};

use super::unavailable;
use crate::archive::{ArchiveError, GameId, Header, Stored};
use crate::game::{MOST_PLAYERS, Player};
use crate::record::{Ending, EndingRow, PlyRow};
use crate::seats::{
    DerivedLink, Invitation, Keys, Pace, PersonKeys, ProgramKeys, RematchKind, Seat, SeatLevel,
    Seats, Sitter,
};
use crate::secret::{Nonce, SecretHash};
use crate::streams::DiceSeed;

pub(super) async fn load(
    readers: &SqlitePool,
    id: &GameId,
) -> Result<Option<Stored>, ArchiveError> {
    // One transaction, so that header, seats and entries are of one moment.
    let mut moment = readers.begin().await.map_err(unavailable)?;
    let rows = read_rows(&mut moment, id).await.map_err(unavailable)?;
    moment.commit().await.map_err(unavailable)?;
    let Some((game, seats, entries)) = rows else {
        return Ok(None);
    };

    let mut plies = Vec::with_capacity(entries.len());
    let mut ending = None;
    for (number, row) in (0_u32..).zip(&entries) {
        if row.try_get::<u32, _>("number").map_err(unavailable)? != number || ending.is_some() {
            return Err(unavailable(format!("game {id} has a gap at {number}")));
        }
        match read_entry(row)? {
            Row::Ply(ply) => plies.push(ply),
            Row::Ending(row) => ending = Some(row),
        }
    }
    let revision = game.try_get("seats_revision").map_err(unavailable)?;
    let seats = seats.iter().map(|row| read_seat(id, row));
    let seats = seats.collect::<Result<_, _>>()?;
    Ok(Some(Stored {
        header: read_header(id, &game)?,
        seats: Seats { revision, seats },
        plies,
        ending,
        finished_ms: game.try_get("finished_ms").map_err(unavailable)?,
    }))
}

type Rows = (SqliteRow, Vec<SqliteRow>, Vec<SqliteRow>);

async fn read_rows(
    connection: &mut SqliteConnection,
    id: &GameId,
) -> Result<Option<Rows>, sqlx::Error> {
    let game = sqlx::query("SELECT * FROM game WHERE id = $1").bind(id.as_str());
    let Some(game) = connection.fetch_optional(game).await? else {
        return Ok(None);
    };
    let seats = sqlx::query("SELECT * FROM seat WHERE game = $1 ORDER BY player").bind(id.as_str());
    let seats = connection.fetch_all(seats).await?;
    let entries =
        sqlx::query("SELECT * FROM entry WHERE game = $1 ORDER BY number").bind(id.as_str());
    let entries = connection.fetch_all(entries).await?;
    Ok(Some((game, seats, entries)))
}

fn read_header(id: &GameId, row: &SqliteRow) -> Result<Header, ArchiveError> {
    Ok(Header {
        id: id.clone(),
        format: row.try_get("format").map_err(unavailable)?,
        game: row.try_get("game").map_err(unavailable)?,
        start: row.try_get("start").map_err(unavailable)?,
        dice_seed: DiceSeed::from_bytes(bytes(row.try_get("dice_seed").map_err(unavailable)?)?),
        pace: read_pace(row.try_get("pace").map_err(unavailable)?)?,
        creator: read_hash(row, "creator")?,
        book_of: read_hash(row, "book_of")?,
        created_ms: row.try_get("created_ms").map_err(unavailable)?,
        private: row.try_get("private").map_err(unavailable)?,
        replace_after_s: row.try_get("replace_after_s").map_err(unavailable)?,
        rematch_of: read_rematch(row)?,
    })
}

fn read_pace(text: &str) -> Result<Pace, ArchiveError> {
    text.parse()
        .map_err(|()| unavailable(format!("unknown pace {text:?}")))
}

fn read_seat(id: &GameId, row: &SqliteRow) -> Result<Seat, ArchiveError> {
    let player: u32 = row.try_get("player").map_err(unavailable)?;
    let sitter = read_sitter(row)?;
    let sitter = sitter.ok_or_else(|| {
        unavailable(format!(
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
        since_ms: row.try_get("since_ms").map_err(unavailable)?,
    })
}

/// Who sits in a seat, or `None` when its columns fit no sitter.
fn read_sitter(row: &SqliteRow) -> Result<Option<Sitter>, ArchiveError> {
    let name: Option<String> = row.try_get("name").map_err(unavailable)?;
    let invite = read_hash(row, "invite")?;
    let keys = KeyColumns {
        browser: read_hash(row, "browser")?,
        token: read_hash(row, "token")?,
        joined: read_hash(row, "joined")?,
        nonce: read_nonce(row)?,
    };
    Ok(match row.try_get("sitter").map_err(unavailable)? {
        "open" if name.is_none() => keys
            .invitation(invite)
            .map(|invitation| Sitter::Open { invitation }),
        "human" if invite.is_none() => keys.keys().map(|keys| match keys {
            Keys::Person(keys) => Sitter::Person { keys, name },
            Keys::Program(keys) => Sitter::Program { keys, name },
        }),
        "level" if invite.is_none() && name.is_none() => {
            let level: String = row.try_get("level").map_err(unavailable)?;
            let level = SeatLevel::from(level);
            match keys {
                KeyColumns::NONE => Some(Sitter::Level { level, left: None }),
                keys => keys.keys().map(|keys| Sitter::Level {
                    level,
                    left: Some(keys),
                }),
            }
        }
        "open" | "human" | "level" => None,
        other => return Err(unavailable(format!("unknown sitter {other:?}"))),
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

fn read_nonce(row: &SqliteRow) -> Result<Option<Nonce>, ArchiveError> {
    let stored: Option<&[u8]> = row.try_get("nonce").map_err(unavailable)?;
    let nonce = stored.map(<[u8; 16]>::try_from).transpose();
    Ok(nonce.map_err(unavailable)?.map(Nonce::from_bytes))
}

pub(super) fn read_rematch(row: &SqliteRow) -> Result<Option<(GameId, RematchKind)>, ArchiveError> {
    let of: Option<&str> = row.try_get("rematch_of").map_err(unavailable)?;
    let Some(of) = of else { return Ok(None) };
    let kind = rematch_kind(row.try_get("rematch_kind").map_err(unavailable)?)?;
    Ok(Some((of.parse().map_err(unavailable)?, kind)))
}

pub(super) fn rematch_kind(text: &str) -> Result<RematchKind, ArchiveError> {
    text.parse()
        .map_err(|()| unavailable(format!("unknown rematch {text:?}")))
}

/// A row of the record.
enum Row {
    Ply(PlyRow),
    Ending(EndingRow),
}

fn read_entry(row: &SqliteRow) -> Result<Row, ArchiveError> {
    let at_ms = row.try_get("at_ms").map_err(unavailable)?;
    let ending: Option<&str> = row.try_get("ending").map_err(unavailable)?;
    Ok(match ending {
        Some(kind) => {
            let ending = read_ending(kind, row.try_get("player").map_err(unavailable)?)?;
            Row::Ending(EndingRow { ending, at_ms })
        }
        None => Row::Ply(PlyRow {
            player: row.try_get("player").map_err(unavailable)?,
            action: row.try_get("action").map_err(unavailable)?,
            roll: row.try_get("roll").map_err(unavailable)?,
            at_ms,
        }),
    })
}

fn read_ending(kind: &str, player: Option<u8>) -> Result<Ending, ArchiveError> {
    let unknown = || unavailable(format!("unknown ending {kind:?} of player {player:?}"));
    let resigner = match player {
        Some(number) => Some(Player::checked(number, MOST_PLAYERS as u8).ok_or_else(unknown)?),
        None => None,
    };
    Ending::named(kind, resigner).ok_or_else(unknown)
}

fn read_hash(row: &SqliteRow, column: &str) -> Result<Option<SecretHash>, ArchiveError> {
    let stored: Option<&[u8]> = row.try_get(column).map_err(unavailable)?;
    stored
        .map(|stored| bytes(stored).map(SecretHash::from_bytes))
        .transpose()
}

fn bytes(stored: &[u8]) -> Result<[u8; 32], ArchiveError> {
    stored.try_into().map_err(unavailable)
}

pub(super) fn hash(hash: &SecretHash) -> &[u8] {
    hash.as_bytes()
}
