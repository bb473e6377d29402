//! The commands `copy`, `backup`, `restore` and `prune`.
//!
//! `copy` reads one snapshot of the source, which a server may have open; the target must not be in use. Each
//! game is verified and written atomically, in order of creation; then follow the rows of all other tables that the
//! schema has. What is there already is kept, so an interrupted copy can be restarted with the same command. Finally
//! every row of the source is looked up in the target and compared.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use sha2::{Digest as _, Sha256};

use crate::store::hash_chain::StoredHashes;
use crate::store::reader::DatabaseReader;
use crate::store::{
    self, GameId, OpenError, RetentionCutoffs, Store, StoreError, Table, TableRows,
};

/// Number of games that are copied concurrently; they share a commit.
const CONCURRENT_GAMES: usize = 64;

/// Number of games that are deleted in one transaction.
const DELETE_BATCH: u32 = 100;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopySummary {
    /// Number of games in the source.
    pub games: usize,
    /// How many of them were already in the target.
    pub there_before: usize,
    /// Number of rows in the tables of the source besides those of the games.
    pub rows: usize,
    /// A digest of the hashes of all games; equal for two stores with the same games.
    pub checksum: String,
}

#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("the source cannot be read: {0}")]
    Source(String),
    #[error("game {id} of the source is damaged ({what}): look with \"dice-of-doom check\"")]
    Damaged { id: String, what: String },
    #[error(
        "game {id} is in the target already, and another one than in the source: copy into an empty database, or one \
         in which nobody has played since"
    )]
    Differs { id: GameId },
    #[error(
        "the tables of the source are those of another release: start the server of this release on it once, then copy"
    )]
    OtherTables,
    #[error(
        "the table {table} of the target has a row that differs from the source: copy into an empty database, or one \
         that no server has used since"
    )]
    RowDiffers { table: String },
    #[error("the target cannot be read back: {0}")]
    ReadBack(String),
    #[error("the target cannot be written: {0}")]
    Target(#[from] StoreError),
    #[error("{} is there already; give the backup another name", .0.display())]
    Exists(PathBuf),
    #[error("cannot write {}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
}

/// Copies one database into another. `progress` is called with the number of games done and the total.
///
/// The futures of this module are boxed so that the stores are compiled once, with this library.
///
/// # Errors
/// [`CopyError`]. The games copied before the error remain in the target.
pub fn copy<'a>(
    from: &'a str,
    to: &'a str,
    progress: &'a dyn Fn(usize, usize),
) -> LocalBoxFuture<'a, Result<CopySummary, CopyError>> {
    Box::pin(async move {
        let mut source = DatabaseReader::open(from).await?;
        let target = store::open_alone(to).await?;
        let copied = copy_all(&mut source, &*target, progress).await;
        target.close().await;
        let copied = copied?;
        compare(&mut source, to).await?;
        Ok(copied)
    })
}

async fn copy_all(
    source: &mut DatabaseReader,
    target: &dyn Store,
    progress: &dyn Fn(usize, usize),
) -> Result<CopySummary, CopyError> {
    let tables = source.tables().await.map_err(CopyError::Source)?;
    if target.tables().await? != tables {
        return Err(CopyError::OtherTables);
    }
    let mut copied = copy_games(source, target, &tables, progress).await?;
    for table in tables.iter().filter(|table| !table.is_of_games()) {
        let mut page = source.next_rows(table, None).await;
        loop {
            let rows = page.map_err(CopyError::Source)?;
            if rows.rows().is_empty() {
                break;
            }
            copied.rows += rows.rows().len();
            target.insert_rows(rows.clone()).await?;
            page = source.next_rows(table, Some(&rows)).await;
        }
    }
    target.continue_numbers().await?;
    Ok(copied)
}

/// Copies the games in order of creation, which breaks ties in lists. A game that is there already must be the same.
async fn copy_games(
    source: &mut DatabaseReader,
    target: &dyn Store,
    tables: &[Arc<Table>],
    progress: &dyn Fn(usize, usize),
) -> Result<CopySummary, CopyError> {
    let ids = source
        .game_ids_by_creation()
        .await
        .map_err(CopyError::Source)?;
    let (mut done, mut there_before) = (0, 0);
    let mut checksum = Sha256::new();
    for chunk in ids.chunks(CONCURRENT_GAMES) {
        let mut games = Vec::with_capacity(chunk.len());
        for id in chunk {
            let damaged = |what: String| CopyError::Damaged {
                id: id.clone(),
                what,
            };
            let stored = source.load(id).await.map_err(damaged)?;
            let stored = stored.ok_or_else(|| damaged("it has gone".to_owned()))?;
            let mut rows = Vec::new();
            for table in Table::of_games(tables) {
                let of_game = source.rows_of_game(table, &stored.header.id).await;
                rows.push(of_game.map_err(damaged)?);
            }
            games.push((stored, rows));
        }
        let is_new: Vec<bool> = stream::iter(&games)
            .map(|(stored, rows)| import(target, &stored.header.id, rows))
            .buffered(CONCURRENT_GAMES)
            .try_collect()
            .await?;
        for ((stored, _), is_new) in games.iter().zip(is_new) {
            let id = &stored.header.id;
            if !is_new {
                there_before += 1;
                if target.load(id).await?.as_ref() != Some(stored) {
                    return Err(CopyError::Differs { id: id.clone() });
                }
            }
            let hashes = StoredHashes::from_game(stored);
            checksum.update(hashes.chain_head.as_bytes());
            checksum.update(hashes.seats.as_bytes());
        }
        done += chunk.len();
        progress(done, ids.len());
    }
    let checksum = checksum.finalize();
    Ok(CopySummary {
        games: ids.len(),
        there_before,
        rows: 0,
        checksum: checksum[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    })
}

/// Imports a game; returns whether it is new in the target.
async fn import(target: &dyn Store, id: &GameId, rows: &[TableRows]) -> Result<bool, CopyError> {
    match target.import_game(id.clone(), rows.to_vec()).await {
        Ok(()) => Ok(true),
        Err(StoreError::Exists) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Checks that each row of the source is in the target, in every table.
async fn compare(source: &mut DatabaseReader, to: &str) -> Result<(), CopyError> {
    let mut target = DatabaseReader::open(to).await?;
    for table in source.tables().await.map_err(CopyError::Source)? {
        let mut page = source.next_rows(&table, None).await;
        loop {
            let rows = page.map_err(CopyError::Source)?;
            if rows.rows().is_empty() {
                break;
            }
            let is_same = target.has_rows(&rows).await.map_err(CopyError::ReadBack)?;
            if !is_same {
                let table = table.name().to_owned();
                return Err(CopyError::RowDiffers { table });
            }
            page = source.next_rows(&table, Some(&rows)).await;
        }
    }
    Ok(())
}

/// Copies a database, which a server may have open, into a new file. The file gets its final name only when it
/// is complete.
///
/// # Errors
/// [`CopyError`].
pub fn backup<'a>(
    from: &'a str,
    file: &'a Path,
    progress: &'a dyn Fn(usize, usize),
) -> LocalBoxFuture<'a, Result<CopySummary, CopyError>> {
    Box::pin(async move {
        let failed = |error| CopyError::File {
            path: file.to_owned(),
            error,
        };
        if tokio::fs::try_exists(file).await.map_err(failed)? {
            return Err(CopyError::Exists(file.to_owned()));
        }
        let mut temporary = file.as_os_str().to_owned();
        temporary.push(".part");
        let temporary = PathBuf::from(temporary);
        match tokio::fs::remove_file(&temporary).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let copied = copy(from, &format!("sqlite:{}", temporary.display()), progress).await?;
        tokio::fs::rename(&temporary, file).await.map_err(failed)?;
        let final_path = file.to_owned();
        // Syncs the directory so that the name is durable, too.
        let synced = tokio::task::spawn_blocking(move || {
            let folder = final_path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            std::fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
        });
        let synced = synced
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)));
        synced.map_err(failed)?;
        Ok(copied)
    })
}

/// Deletes the games without activity since `before_ms`, finished or not, and returns their number. No server
/// may have the database open.
///
/// # Errors
/// [`CopyError`].
pub fn prune(database: &str, before_ms: i64) -> LocalBoxFuture<'_, Result<u64, CopyError>> {
    Box::pin(async move {
        let target = store::open_alone(database).await?;
        let cutoffs = RetentionCutoffs {
            uploaded_ms: Some(before_ms),
            finished_ms: Some(before_ms),
            abandoned_ms: Some(before_ms),
            untouched_ms: Some(before_ms),
            awaited_ms: Some(before_ms),
        };
        let mut removed = 0;
        let pruned = loop {
            let expired = match target.list_expired(&cutoffs, DELETE_BATCH).await {
                Ok(expired) if expired.is_empty() => break Ok(removed),
                Ok(expired) => expired,
                Err(error) => break Err(error),
            };
            match target.delete_expired(expired, cutoffs).await {
                Ok(0) => break Ok(removed),
                Ok(count) => removed += count,
                Err(error) => break Err(error),
            }
        };
        target.close().await;
        Ok(pruned?)
    })
}

/// Prints the summary.
///
/// # Errors
/// If the output is closed.
pub fn print_summary(copied: &CopySummary, mut output: impl Write) -> io::Result<()> {
    let CopySummary {
        games,
        there_before,
        rows,
        checksum,
    } = copied;
    writeln!(
        output,
        "{games} games, {there_before} of them were there before, and {rows} other rows; all were read back and are \
         the same, checksum of the games {checksum}"
    )
}
