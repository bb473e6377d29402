//! The commands `copy`, `backup`, `restore` and `prune`.
//!
//! `copy` reads one snapshot of the source, which a server may have open; the target must not be in use. Each
//! game is written atomically, in order of creation, so an interrupted copy can be restarted with the same
//! command: games that already exist in the target and are identical are skipped. Finally each game is read
//! back and compared.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use sha2::{Digest as _, Sha256};

use crate::store::hash_chain::StoredHashes;
use crate::store::reader::DatabaseReader;
use crate::store::{
    self, ExportedGame, GameId, GameStore, OpenError, RetentionCutoffs, ReviewChange, StoreError,
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
        let copied = copy_all(&mut source, &target, progress).await;
        target.close().await;
        copied
    })
}

async fn copy_all(
    source: &mut DatabaseReader,
    target: &Arc<dyn GameStore>,
    progress: &dyn Fn(usize, usize),
) -> Result<CopySummary, CopyError> {
    // Before the games: programs are linked to their games by their tokens.
    let programs = source.programs().await.map_err(CopyError::Source)?;
    let tokens: Vec<_> = programs.iter().map(|(program, _)| program.token).collect();
    for (program, seen_ms) in programs {
        let token = program.token;
        match target.add_program(program).await {
            Ok(()) | Err(StoreError::Exists) => target.touch_program(&token, seen_ms).await?,
            Err(error) => return Err(error.into()),
        }
    }
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
            let exported = source.load_exported(id).await.map_err(damaged)?;
            let exported = exported.ok_or_else(|| damaged("it has gone".to_owned()))?;
            let review = source.review(id).await.map_err(CopyError::Source)?;
            games.push((exported, review));
        }
        // In order of creation, which breaks ties in lists.
        let imported: Vec<bool> = stream::iter(&games)
            .map(|(exported, _)| copy_game(target, exported))
            .buffered(CONCURRENT_GAMES)
            .try_collect()
            .await?;
        there_before += imported.iter().filter(|is_new| !**is_new).count();
        for (exported, review) in &games {
            let id = &exported.stored.header.id;
            if let Some((wanted_ms, review)) = review {
                let finished = review.iter().cloned().map(ReviewChange::Store);
                for change in finished.chain(wanted_ms.map(ReviewChange::Request)) {
                    target.change_review(id, change).await?;
                }
            }
            let in_target = target.load(id).await?;
            if in_target.as_ref() != Some(&exported.stored) {
                return Err(CopyError::Differs { id: id.clone() });
            }
            let hashes = StoredHashes::from_game(&exported.stored);
            checksum.update(hashes.chain_head.as_bytes());
            checksum.update(hashes.seats.as_bytes());
        }
        done += chunk.len();
        progress(done, ids.len());
    }
    // The target assigns new finish numbers; the source has already reported the finishes to the programs.
    for token in tokens {
        let newest = target.list_program_finishes(&token, None, 1).await?;
        if let [(number, _)] = newest[..] {
            target.mark_finishes_reported(&token, number).await?;
        }
    }
    for deal in source.daily_deals().await.map_err(CopyError::Source)? {
        target.add_daily_deal(deal).await?;
    }
    for score in source.daily_scores().await.map_err(CopyError::Source)? {
        target.add_daily_score(score).await?;
    }
    for feed in source.feeds().await.map_err(CopyError::Source)? {
        target.set_feed(feed).await?;
    }
    for answer in source.puzzle_answers().await.map_err(CopyError::Source)? {
        target.add_puzzle_answer(answer).await?;
    }
    // Counters can only be added to: after an interrupted copy, add the difference.
    let in_target = target.counts().await?;
    let counts = source.counts().await.map_err(CopyError::Source)?;
    let missing = counts.into_iter().filter_map(|(name, count)| {
        let in_target = in_target.iter().find(|(other, _)| *other == name);
        let missing = count.saturating_sub(in_target.map_or(0, |(_, count)| *count));
        (missing > 0).then_some((name, missing))
    });
    target.add_counts(missing.collect()).await?;
    let checksum = checksum.finalize();
    Ok(CopySummary {
        games: ids.len(),
        there_before,
        checksum: checksum[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    })
}

/// Imports a game; returns whether it is new in the target.
async fn copy_game(
    target: &Arc<dyn GameStore>,
    exported: &ExportedGame,
) -> Result<bool, CopyError> {
    match target.import(exported.clone()).await {
        Ok(()) => Ok(true),
        Err(StoreError::Exists) => Ok(false),
        Err(error) => Err(error.into()),
    }
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
        checksum,
    } = copied;
    writeln!(
        output,
        "{games} games, {there_before} of them were there before; all are the same, checksum {checksum}"
    )
}
