//! Disk usage of the database, and free disk space.

use std::path::Path;

use sqlx::sqlite::SqlitePool;

use crate::store::error::{StoreError, unavailable};
use crate::store::usage::StorageUsage;

/// Used are the non-free pages of the file, and the log.
pub(super) async fn storage_usage(
    probe: &SqlitePool,
    path: &Path,
) -> Result<StorageUsage, StoreError> {
    // Free pages are reused before the file grows.
    let query = "SELECT (page_count - freelist_count) * page_size
        FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    let pages: i64 = sqlx::query_scalar(query)
        .fetch_one(probe)
        .await
        .map_err(unavailable)?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    // A new database may have no log yet.
    let log_bytes = tokio::fs::metadata(log).await.map_or(0, |log| log.len());
    let free_bytes = free_bytes(path).await;
    Ok(StorageUsage {
        used_bytes: u64::try_from(pages).unwrap_or(0) + log_bytes,
        free_bytes,
    })
}

/// The bytes that the file system still offers to this user; `None` if it does not report them.
#[cfg(unix)]
async fn free_bytes(path: &Path) -> Option<u64> {
    let path = path.to_owned();
    let result = tokio::task::spawn_blocking(move || rustix::fs::statvfs(&path));
    let found = result.await.ok()?.ok()?;
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
    async fn health_checks_and_disk_usage_do_not_wait_for_readers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let mut readers = Vec::new();
        while let Some(reader) = store.file().readers.try_acquire() {
            readers.push(reader);
        }
        // A pool opens connections on demand: acquire the remaining ones, too.
        while readers.len() < store.file().readers.options().get_max_connections() as usize {
            readers.push(store.file().readers.acquire().await.unwrap());
        }
        let timeout = Duration::from_secs(60);
        let checked = tokio::time::timeout(timeout, store.health_check()).await;
        assert_eq!(checked, Ok(Ok(())));
        let space = store.storage_usage().await.unwrap();
        let file = std::fs::metadata(&path).unwrap().len();
        assert!(space.used_bytes >= file && file > 0, "{space:?}, {file}");
        assert!(space.free_bytes.is_none_or(|free| free > 0), "{space:?}");
        drop(readers);
        store.close().await;
    }
}
