//! Monitors whether the database files are still the ones that were opened. SQLite keeps writing into a deleted
//! file, and the data would be lost.
//!
//! Each check reads the metadata of two files and eight bytes that were just written. The system has these in
//! memory, so a check takes microseconds.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The state of the database and its log at the last check.
#[derive(Debug)]
pub(super) struct FileMonitor {
    database: MonitoredFile,
    log: MonitoredFile,
    frames: WalFrames,
}

#[derive(Debug)]
struct MonitoredFile {
    path: PathBuf,
    identity: FileIdentity,
    bytes: u64,
    written: Option<SystemTime>,
}

/// The path of a database's write-ahead log.
pub(super) fn wal_path(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// Why a file can no longer be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileLostError {
    /// The database's path is missing or names another file; SQLite still has the original open.
    #[error("{} was removed or replaced while it was in use", .0.display())]
    Database(PathBuf),
    /// The log's path is missing or names another file; SQLite still has the original open.
    #[error("{} was removed or replaced while it was in use", .0.display())]
    Log(PathBuf),
    /// Another program truncated a file.
    #[error("{} was made shorter while it was in use", .0.display())]
    Shorter(PathBuf),
    /// Another program wrote to the database without SQLite.
    #[error("{} was written over while it was in use", .0.display())]
    WrittenOver(PathBuf),
    /// The file could not be checked.
    #[error("{path} cannot be inspected: {error}", path = .0.display(), error = .1)]
    Unknown(PathBuf, io::Error),
}

impl FileMonitor {
    /// Starts monitoring an open database with the given page size.
    pub(super) fn start(database: &Path, page_bytes: u64) -> io::Result<Self> {
        let log = wal_path(database);
        Ok(FileMonitor {
            database: MonitoredFile::open(database.to_owned())?,
            frames: WalFrames {
                file: File::open(&log)?,
                frame_bytes: FRAME_HEAD + page_bytes,
            },
            log: MonitoredFile::open(log)?,
        })
    }

    /// Checks that both files exist and are the same as before, that the log is not shorter, and that the
    /// database is unchanged: between two [checkpoints](Self::rebase_after_checkpoint) SQLite writes to the log
    /// only.
    pub(super) fn check(&mut self) -> Result<(), FileLostError> {
        let before = (self.database.bytes, self.database.written);
        self.database.check_unreplaced(FileLostError::Database)?;
        if (self.database.bytes, self.database.written) != before {
            return Err(FileLostError::WrittenOver(self.database.path.clone()));
        }
        let known = self.log.bytes;
        self.log.check_unreplaced(FileLostError::Log)?;
        match self.frames.has_last_frame(known) {
            Ok(true) => Ok(()),
            Ok(false) => Err(FileLostError::Shorter(self.log.path.clone())),
            Err(error) => Err(FileLostError::Unknown(self.log.path.clone(), error)),
        }
    }

    /// Accepts the state of the files after our own checkpoint.
    pub(super) fn rebase_after_checkpoint(&mut self) -> Result<(), FileLostError> {
        self.database.check_unreplaced(FileLostError::Database)?;
        self.log.bytes = 0;
        self.log.check_unreplaced(FileLostError::Log)
    }

    /// The length of the log.
    pub(super) const fn log_bytes(&self) -> u64 {
        self.log.bytes
    }
}

impl MonitoredFile {
    fn open(path: PathBuf) -> io::Result<Self> {
        let metadata = std::fs::metadata(&path)?;
        Ok(MonitoredFile {
            identity: identity(&metadata),
            bytes: metadata.len(),
            written: metadata.modified().ok(),
            path,
        })
    }

    fn check_unreplaced(
        &mut self,
        lost_error: fn(PathBuf) -> FileLostError,
    ) -> Result<(), FileLostError> {
        let metadata = match std::fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(lost_error(self.path.clone()));
            }
            Err(error) => return Err(FileLostError::Unknown(self.path.clone(), error)),
        };
        if identity(&metadata) != self.identity {
            return Err(lost_error(self.path.clone()));
        }
        if metadata.len() < self.bytes {
            return Err(FileLostError::Shorter(self.path.clone()));
        }
        self.bytes = metadata.len();
        self.written = metadata.modified().ok();
        Ok(())
    }
}

/// The frames of the log, one per page, after a header (<https://sqlite.org/fileformat2.html#walformat>).
///
/// SQLite writes at the end offset that it has in memory. So a log that is truncated during a write has its old
/// length again, with zeros in place of frames.
#[derive(Debug)]
struct WalFrames {
    file: File,
    frame_bytes: u64,
}

/// Bytes of the log header, and of the header of each frame.
pub(super) const HEAD: u64 = 32;
pub(super) const FRAME_HEAD: u64 = 24;

impl WalFrames {
    /// Whether the last frame before this offset is intact.
    #[cfg(unix)]
    fn has_last_frame(&self, bytes: u64) -> io::Result<bool> {
        use std::os::unix::fs::FileExt as _;
        if bytes < HEAD + self.frame_bytes {
            return Ok(true);
        }
        let mut salts = [0; 8];
        let at = bytes - self.frame_bytes + 8;
        self.file.read_exact_at(&mut salts, at)?;
        Ok(salts != [0; 8])
    }

    /// An open file cannot be truncated on this system.
    #[cfg(not(unix))]
    fn has_last_frame(&self, _: u64) -> io::Result<bool> {
        let _ = (&self.file, self.frame_bytes);
        Ok(true)
    }
}

/// Distinguishes files of the same name: device and inode number.
type FileIdentity = (u64, u64);

#[cfg(unix)]
fn identity(metadata: &Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

/// An open file cannot be removed or replaced on this system.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> FileIdentity {
    (0, 0)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> (tempfile::TempDir, PathBuf, PathBuf, FileMonitor) {
        let folder = tempfile::tempdir().unwrap();
        let (database, log) = (folder.path().join("a"), folder.path().join("a-wal"));
        for path in [&database, &log] {
            std::fs::write(path, [1; 112]).unwrap();
        }
        let monitor = FileMonitor::start(&database, 16).unwrap();
        (folder, database, log, monitor)
    }

    #[test]
    fn log_growth_and_checkpoints_are_accepted() {
        let (_folder, database, log, mut monitor) = files();
        monitor.check().unwrap();
        std::fs::write(&log, [1; 312]).unwrap();
        monitor.check().unwrap();
        assert_eq!(monitor.log_bytes(), 312);
        std::fs::write(&database, [0; 200]).unwrap();
        std::fs::write(&log, [0; 0]).unwrap();
        monitor.rebase_after_checkpoint().unwrap();
        monitor.check().unwrap();
        std::fs::write(&database, [1; 300]).unwrap();
        assert!(
            matches!(monitor.check(), Err(FileLostError::WrittenOver(path)) if path == database)
        );
    }

    #[test]
    fn overwriting_with_the_same_length_is_detected() {
        let (_folder, database, _log, mut monitor) = files();
        let file = std::fs::File::options()
            .write(true)
            .open(&database)
            .unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(
            matches!(monitor.check(), Err(FileLostError::WrittenOver(path)) if path == database)
        );
    }

    #[test]
    fn removed_replaced_and_truncated_files_are_detected() {
        let (_folder, database, _log, mut monitor) = files();
        std::fs::remove_file(&database).unwrap();
        assert!(matches!(monitor.check(), Err(FileLostError::Database(path)) if path == database));
        let (_folder, database, _log, mut monitor) = files();
        let other = database.with_extension("other");
        std::fs::copy(&database, &other).unwrap();
        std::fs::rename(&other, &database).unwrap();
        assert!(matches!(monitor.check(), Err(FileLostError::Database(path)) if path == database));
        let (_folder, _database, log, mut monitor) = files();
        std::fs::remove_file(&log).unwrap();
        assert!(matches!(monitor.check(), Err(FileLostError::Log(path)) if path == log));
        // Truncated, and then extended by SQLite at its old end offset.
        let (_folder, _database, log, mut monitor) = files();
        let mut zeroed = vec![0; 112];
        zeroed.extend([1; 40]);
        std::fs::write(&log, zeroed).unwrap();
        assert!(matches!(monitor.check(), Err(FileLostError::Shorter(path)) if path == log));
        let (_folder, database, _log, mut monitor) = files();
        std::fs::write(&database, [0; 99]).unwrap();
        assert!(matches!(monitor.check(), Err(FileLostError::Shorter(path)) if path == database));
    }
}
