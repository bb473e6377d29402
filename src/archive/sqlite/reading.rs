//! From rows to what the archive keeps.

use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{Executor as _, Row as _};

use super::unavailable;
use crate::archive::{
    ArchiveError, EndingRow, Entry, GameId, Header, Pace, PlyRow, RematchKind, Seat, Seats, Sitter,
    Stored,
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
            Entry::Ply(ply) => plies.push(ply),
            Entry::Ending(row) => ending = Some(row),
        }
    }
    let revision = game.try_get("seats_revision").map_err(unavailable)?;
    let seats = seats.iter().map(read_seat).collect::<Result<_, _>>()?;
    Ok(Some(Stored {
        header: read_header(id, &game)?,
        seats: Seats { revision, seats },
        plies,
        ending,
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
        pace: match row.try_get("pace").map_err(unavailable)? {
            "at-once" => Pace::AtOnce,
            "on-request" => Pace::OnRequest,
            other => return Err(unavailable(format!("unknown pace {other:?}"))),
        },
        creator: read_hash(row, "creator")?,
        book_of: read_hash(row, "book_of")?,
        created_ms: row.try_get("created_ms").map_err(unavailable)?,
        private: row.try_get("private").map_err(unavailable)?,
        replace_after_s: row.try_get("replace_after_s").map_err(unavailable)?,
        rematch_of: read_rematch(row)?,
    })
}

fn read_seat(row: &SqliteRow) -> Result<Seat, ArchiveError> {
    Ok(Seat {
        sitter: match row.try_get("sitter").map_err(unavailable)? {
            "human" => Sitter::Human,
            "level" => Sitter::Level(row.try_get("level").map_err(unavailable)?),
            "open" => Sitter::Open,
            other => return Err(unavailable(format!("unknown sitter {other:?}"))),
        },
        name: row.try_get("name").map_err(unavailable)?,
        browser: read_hash(row, "browser")?,
        token: read_hash(row, "token")?,
        invite: read_hash(row, "invite")?,
        joined: read_hash(row, "joined")?,
        nonce: read_nonce(row)?,
        since_ms: row.try_get("since_ms").map_err(unavailable)?,
    })
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

fn read_entry(row: &SqliteRow) -> Result<Entry, ArchiveError> {
    let at_ms = row.try_get("at_ms").map_err(unavailable)?;
    let ending: Option<String> = row.try_get("ending").map_err(unavailable)?;
    Ok(match ending {
        Some(kind) => Entry::Ending(EndingRow {
            kind,
            player: row.try_get("player").map_err(unavailable)?,
            at_ms,
        }),
        None => Entry::Ply(PlyRow {
            player: row.try_get("player").map_err(unavailable)?,
            action: row.try_get("action").map_err(unavailable)?,
            roll: row.try_get("roll").map_err(unavailable)?,
            at_ms,
        }),
    })
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

pub(super) fn pace_text(pace: Pace) -> &'static str {
    match pace {
        Pace::AtOnce => "at-once",
        Pace::OnRequest => "on-request",
    }
}
