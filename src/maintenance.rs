//! The commands `copy`, `backup` and `restore`: an archive from one database into another.
//!
//! What is copied is the source as it is at one moment, while a server may go on with it; the target has no
//! server meanwhile. Each game is written whole or not at all, in the order of creation, so whoever was interrupted
//! starts the same command again: games that are there already, and the same, are passed over. In the end each game is
//! read back and compared, seal by seal.

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

/// How many games are on their way at once: so many share a commit.
const TOGETHER: usize = 64;

/// How many games go in one step.
const REMOVED_TOGETHER: u32 = 100;

/// What was copied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopySummary {
    /// How many games there are.
    pub games: usize,
    /// How many of them were in the target before.
    pub there_before: usize,
    /// A fingerprint of the seals of all games, which two archives with the same games share.
    pub checksum: String,
}

/// Why not everything was copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// A database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The source cannot be read.
    #[error("the source cannot be read: {0}")]
    Source(String),
    /// A game of the source is damaged.
    #[error("game {id} of the source is damaged ({what}): look with \"dice-of-doom check\"")]
    Damaged {
        /// The game.
        id: String,
        /// What is wrong.
        what: String,
    },
    /// A game in the target is another one than in the source.
    #[error(
        "game {id} is in the target already, and another one than in the source: copy into an empty database, or one \
         in which nobody has played since"
    )]
    Differs {
        /// The game.
        id: GameId,
    },
    /// The target cannot be written.
    #[error("the target cannot be written: {0}")]
    Target(#[from] StoreError),
    /// The file of a backup is there already.
    #[error("{} is there already; give the backup another name", .0.display())]
    Exists(PathBuf),
    /// The file of a backup cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// Copies one database into another; `progress` hears how many games of how many were looked at.
///
/// The futures of this module are boxed, so that the stores are compiled once, with this library.
///
/// # Errors
/// [`CopyError`]. What was copied until then stays.
pub fn copy<'a>(
    from: &'a str,
    to: &'a str,
    progress: &'a dyn Fn(usize, usize),
) -> LocalBoxFuture<'a, Result<CopySummary, CopyError>> {
    Box::pin(copy_database(from, to, progress))
}

async fn copy_database(
    from: &str,
    to: &str,
    progress: &dyn Fn(usize, usize),
) -> Result<CopySummary, CopyError> {
    let mut source = DatabaseReader::open(from).await?;
    let target = store::open_alone(to).await?;
    let copied = copy_all(&mut source, &target, progress).await;
    target.close().await;
    copied
}

async fn copy_all(
    source: &mut DatabaseReader,
    target: &Arc<dyn GameStore>,
    progress: &dyn Fn(usize, usize),
) -> Result<CopySummary, CopyError> {
    // Before the games: which of them are a program's follows from its token.
    let programs = source.programs().await.map_err(CopyError::Source)?;
    let tokens: Vec<_> = programs.iter().map(|(program, _)| program.token).collect();
    for (program, seen_ms) in programs {
        let token = program.token;
        match target.add_program(program).await {
            Ok(()) | Err(StoreError::Exists) => target.saw_program(&token, seen_ms).await?,
            Err(error) => return Err(error.into()),
        }
    }
    let ids = source.oldest_first().await.map_err(CopyError::Source)?;
    let (mut done, mut there_before) = (0, 0);
    let mut checksum = Sha256::new();
    for some in ids.chunks(TOGETHER) {
        let mut games = Vec::with_capacity(some.len());
        for id in some {
            let damaged = |what: String| CopyError::Damaged {
                id: id.clone(),
                what,
            };
            let moved = source.moved(id).await.map_err(damaged)?;
            let moved = moved.ok_or_else(|| damaged("it has gone".to_owned()))?;
            let review = source.review(id).await.map_err(CopyError::Source)?;
            games.push((moved, review));
        }
        // In their order, so that of two games at the same time the younger stays the younger.
        let imported: Vec<bool> = stream::iter(&games)
            .map(|(moved, _)| import(target, moved))
            .buffered(TOGETHER)
            .try_collect()
            .await?;
        there_before += imported.iter().filter(|is_new| !**is_new).count();
        for (moved, review) in &games {
            let id = &moved.stored.header.id;
            if let Some((wanted_ms, review)) = review {
                let made = review.iter().cloned().map(ReviewChange::Keep);
                for change in made.chain(wanted_ms.map(ReviewChange::Want)) {
                    target.change_review(id, change).await?;
                }
            }
            let there = target.load(id).await?;
            if there.as_ref() != Some(&moved.stored) {
                return Err(CopyError::Differs { id: id.clone() });
            }
            let kept = StoredHashes::of(&moved.stored);
            checksum.update(kept.tip.as_bytes());
            checksum.update(kept.seats.as_bytes());
        }
        done += some.len();
        progress(done, ids.len());
    }
    // The ends of games are numbered anew, and programs heard of them from the other archive.
    for token in tokens {
        let newest = target.list_program_finishes(&token, None, 1).await?;
        if let [(number, _)] = newest[..] {
            target.told_program(&token, number).await?;
        }
    }
    // Counts are added to: where a copy was interrupted, what is missing.
    let there = target.counts().await?;
    let counts = source.counts().await.map_err(CopyError::Source)?;
    let missing = counts.into_iter().filter_map(|(name, count)| {
        let there = there.iter().find(|(other, _)| *other == name);
        let missing = count.saturating_sub(there.map_or(0, |(_, count)| *count));
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

/// Whether a game is new in the target.
async fn import(target: &Arc<dyn GameStore>, moved: &ExportedGame) -> Result<bool, CopyError> {
    match target.import(moved.clone()).await {
        Ok(()) => Ok(true),
        Err(StoreError::Exists) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Copies a database, which a server may have open, into a new file. Under its name the file appears when it is
/// whole.
///
/// # Errors
/// [`CopyError`].
pub fn backup<'a>(
    from: &'a str,
    file: &'a Path,
    progress: &'a dyn Fn(usize, usize),
) -> LocalBoxFuture<'a, Result<CopySummary, CopyError>> {
    Box::pin(back_up(from, file, progress))
}

async fn back_up(
    from: &str,
    file: &Path,
    progress: &dyn Fn(usize, usize),
) -> Result<CopySummary, CopyError> {
    let failed = |error| CopyError::File {
        path: file.to_owned(),
        error,
    };
    if tokio::fs::try_exists(file).await.map_err(failed)? {
        return Err(CopyError::Exists(file.to_owned()));
    }
    let mut draft = file.as_os_str().to_owned();
    draft.push(".part");
    let draft = PathBuf::from(draft);
    match tokio::fs::remove_file(&draft).await {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let copied = copy(from, &format!("sqlite:{}", draft.display()), progress).await?;
    tokio::fs::rename(&draft, file).await.map_err(failed)?;
    let named = file.to_owned();
    // The name is on the disk, too, before anybody relies on it.
    let synced = tokio::task::spawn_blocking(move || {
        let folder = named
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        std::fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    });
    let synced = synced
        .await
        .unwrap_or_else(|error| Err(io::Error::other(error)));
    synced.map_err(failed)?;
    Ok(copied)
}

/// Removes the games in which nothing has happened since `before_ms`, whether they are over or not, and tells how
/// many. No server may have the database open.
///
/// # Errors
/// [`CopyError`].
pub fn prune(database: &str, before_ms: i64) -> LocalBoxFuture<'_, Result<u64, CopyError>> {
    Box::pin(prune_database(database, before_ms))
}

async fn prune_database(database: &str, before_ms: i64) -> Result<u64, CopyError> {
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
        let expired = match target.expired(&cutoffs, REMOVED_TOGETHER).await {
            Ok(expired) if expired.is_empty() => break Ok(removed),
            Ok(expired) => expired,
            Err(error) => break Err(error),
        };
        match target.remove(expired, cutoffs).await {
            Ok(0) => break Ok(removed),
            Ok(some) => removed += some,
            Err(error) => break Err(error),
        }
    };
    target.close().await;
    Ok(pruned?)
}

/// Says what was copied.
///
/// # Errors
/// When the output is closed.
pub fn tell(copied: &CopySummary, mut output: impl Write) -> io::Result<()> {
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
