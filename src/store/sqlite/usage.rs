//! How large the database is, and how much more its disk takes.

use std::path::Path;

use sqlx::sqlite::SqlitePool;

use crate::store::write_queue::unavailable;
use crate::store::{StorageUsage, StoreError};

/// What is used: the pages with something in them, and the log beside the file.
pub(super) async fn space(probe: &SqlitePool, path: &Path) -> Result<StorageUsage, StoreError> {
    // Pages that removed games left are written to again before the file grows.
    let query = "SELECT (page_count - freelist_count) * page_size
        FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    let pages: i64 = sqlx::query_scalar(query)
        .fetch_one(probe)
        .await
        .map_err(unavailable)?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    // A database that was just made may have no log yet.
    let log_bytes = tokio::fs::metadata(log).await.map_or(0, |log| log.len());
    let free_bytes = free_bytes(path).await;
    Ok(StorageUsage {
        used_bytes: u64::try_from(pages).unwrap_or(0) + log_bytes,
        free_bytes,
    })
}

/// What the file system still gives to this user; unknown where it does not say.
#[cfg(unix)]
async fn free_bytes(path: &Path) -> Option<u64> {
    let path = path.to_owned();
    let asked = tokio::task::spawn_blocking(move || rustix::fs::statvfs(&path));
    let found = asked.await.ok()?.ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
async fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::SqliteStore;
    use crate::store::GameStore as _;

    #[tokio::test]
    async fn questions_about_the_file_do_not_wait_behind_readers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let archive = SqliteStore::open(&path).await.unwrap();
        let mut readers = Vec::new();
        while let Some(reader) = archive.readers.try_acquire() {
            readers.push(reader);
        }
        // Pools open their connections when they are asked for: take those that are left, too.
        while readers.len() < archive.readers.options().get_max_connections() as usize {
            readers.push(archive.readers.acquire().await.unwrap());
        }
        let patience = Duration::from_secs(60);
        let checked = tokio::time::timeout(patience, archive.check()).await;
        assert_eq!(checked, Ok(Ok(())));
        let space = archive.space().await.unwrap();
        let file = std::fs::metadata(&path).unwrap().len();
        assert!(space.used_bytes >= file && file > 0, "{space:?}, {file}");
        assert!(space.free_bytes.is_none_or(|free| free > 0), "{space:?}");
        drop(readers);
        archive.close().await;
    }
}
