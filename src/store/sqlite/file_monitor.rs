//! Whether the files are still those that were opened. SQLite goes on writing into a file that was
//! removed, and nobody would find again what it holds.
//!
//! Each look asks the system for two files' numbers and sizes, and for eight bytes that were just
//! written. It has all of that at hand: microseconds, no disk.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The database and its log as they were when they were last looked at.
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

/// The name of a database's log.
pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// What has become of a file.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileLostError {
    /// The database's name leads nowhere or elsewhere; SQLite still has the file itself.
    #[error("{} was removed or replaced while it was in use", .0.display())]
    Database(PathBuf),
    /// The log's name leads nowhere or elsewhere; SQLite still has the file itself.
    #[error("{} was removed or replaced while it was in use", .0.display())]
    Log(PathBuf),
    /// A file has become shorter by another hand.
    #[error("{} was made shorter while it was in use", .0.display())]
    Shorter(PathBuf),
    /// Somebody else has written into the database, past SQLite.
    #[error("{} was written over while it was in use", .0.display())]
    WrittenOver(PathBuf),
    /// Nobody can tell.
    #[error("{path} cannot be looked at: {error}", path = .0.display(), error = .1)]
    Unknown(PathBuf, io::Error),
}

impl FileMonitor {
    /// Begins to watch a database that is open, with pages of so many bytes.
    pub(super) fn begin(database: &Path, page_bytes: u64) -> io::Result<Self> {
        let log = log_of(database);
        Ok(FileMonitor {
            database: MonitoredFile::begin(database.to_owned())?,
            frames: WalFrames {
                file: File::open(&log)?,
                frame_bytes: FRAME_HEAD + page_bytes,
            },
            log: MonitoredFile::begin(log)?,
        })
    }

    /// Looks whether both files are there and the same, the log no shorter than it was and the database
    /// as it was: between two [checkpoints](Self::checkpointed) SQLite writes into the log alone.
    pub(super) fn look(&mut self) -> Result<(), FileLostError> {
        let before = (self.database.bytes, self.database.written);
        self.database.look(FileLostError::Database)?;
        if (self.database.bytes, self.database.written) != before {
            return Err(FileLostError::WrittenOver(self.database.path.clone()));
        }
        let known = self.log.bytes;
        self.log.look(FileLostError::Log)?;
        match self.frames.has_last(known) {
            Ok(true) => Ok(()),
            Ok(false) => Err(FileLostError::Shorter(self.log.path.clone())),
            Err(error) => Err(FileLostError::Unknown(self.log.path.clone(), error)),
        }
    }

    /// Goes on from how the files are after a checkpoint of our own.
    pub(super) fn checkpointed(&mut self) -> Result<(), FileLostError> {
        self.database.look(FileLostError::Database)?;
        self.log.bytes = 0;
        self.log.look(FileLostError::Log)
    }

    /// How long the log is.
    pub(super) const fn log_bytes(&self) -> u64 {
        self.log.bytes
    }
}

impl MonitoredFile {
    fn begin(path: PathBuf) -> io::Result<Self> {
        let found = std::fs::metadata(&path)?;
        Ok(MonitoredFile {
            identity: identity(&found),
            bytes: found.len(),
            written: found.modified().ok(),
            path,
        })
    }

    fn look(&mut self, gone: fn(PathBuf) -> FileLostError) -> Result<(), FileLostError> {
        let found = match std::fs::metadata(&self.path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(gone(self.path.clone()));
            }
            Err(error) => return Err(FileLostError::Unknown(self.path.clone(), error)),
        };
        if identity(&found) != self.identity {
            return Err(gone(self.path.clone()));
        }
        if found.len() < self.bytes {
            return Err(FileLostError::Shorter(self.path.clone()));
        }
        self.bytes = found.len();
        self.written = found.modified().ok();
        Ok(())
    }
}

/// The log's own content: frames, one a page, behind a head (<https://sqlite.org/fileformat2.html#walformat>).
///
/// SQLite writes at the end that it remembers. So a log that was made shorter in the moment of a write
/// is as long as before, with zeros where there were frames.
#[derive(Debug)]
struct WalFrames {
    file: File,
    frame_bytes: u64,
}

/// The bytes before the first frame, and those of a frame before its page.
pub(super) const HEAD: u64 = 32;
pub(super) const FRAME_HEAD: u64 = 24;

impl WalFrames {
    /// Whether there still is a frame at the end of so many bytes.
    #[cfg(unix)]
    fn has_last(&self, bytes: u64) -> io::Result<bool> {
        use std::os::unix::fs::FileExt as _;
        if bytes < HEAD + self.frame_bytes {
            return Ok(true);
        }
        // The salts are random numbers, never both zero.
        let mut salts = [0; 8];
        let at = bytes - self.frame_bytes + 8;
        self.file.read_exact_at(&mut salts, at)?;
        Ok(salts != [0; 8])
    }

    /// Here nobody can make an open file shorter.
    #[cfg(not(unix))]
    fn has_last(&self, _: u64) -> io::Result<bool> {
        let _ = (&self.file, self.frame_bytes);
        Ok(true)
    }
}

/// What tells a file from another one of the same name.
type FileIdentity = (u64, u64);

#[cfg(unix)]
fn identity(found: &Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt as _;
    (found.dev(), found.ino())
}

/// Here an open file cannot be removed or replaced.
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
        let watch = FileMonitor::begin(&database, 16).unwrap();
        (folder, database, log, watch)
    }

    #[test]
    fn the_log_grows_and_the_database_after_a_checkpoint() {
        let (_folder, database, log, mut watch) = files();
        watch.look().unwrap();
        std::fs::write(&log, [1; 312]).unwrap();
        watch.look().unwrap();
        assert_eq!(watch.log_bytes(), 312);
        std::fs::write(&database, [0; 200]).unwrap();
        std::fs::write(&log, [0; 0]).unwrap();
        watch.checkpointed().unwrap();
        watch.look().unwrap();
        std::fs::write(&database, [1; 300]).unwrap();
        assert!(matches!(watch.look(), Err(FileLostError::WrittenOver(path)) if path == database));
    }

    #[test]
    fn a_copy_of_the_same_length_is_noticed() {
        let (_folder, database, _log, mut watch) = files();
        let file = std::fs::File::options()
            .write(true)
            .open(&database)
            .unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(matches!(watch.look(), Err(FileLostError::WrittenOver(path)) if path == database));
    }

    #[test]
    fn what_is_gone_is_told() {
        let (_folder, database, _log, mut watch) = files();
        std::fs::remove_file(&database).unwrap();
        assert!(matches!(watch.look(), Err(FileLostError::Database(path)) if path == database));
        let (_folder, database, _log, mut watch) = files();
        let other = database.with_extension("other");
        std::fs::copy(&database, &other).unwrap();
        std::fs::rename(&other, &database).unwrap();
        assert!(matches!(watch.look(), Err(FileLostError::Database(path)) if path == database));
        let (_folder, _database, log, mut watch) = files();
        std::fs::remove_file(&log).unwrap();
        assert!(matches!(watch.look(), Err(FileLostError::Log(path)) if path == log));
        // Emptied, and written on by SQLite where the end had been.
        let (_folder, _database, log, mut watch) = files();
        let mut hollow = vec![0; 112];
        hollow.extend([1; 40]);
        std::fs::write(&log, hollow).unwrap();
        assert!(matches!(watch.look(), Err(FileLostError::Shorter(path)) if path == log));
        let (_folder, database, _log, mut watch) = files();
        std::fs::write(&database, [0; 99]).unwrap();
        assert!(matches!(watch.look(), Err(FileLostError::Shorter(path)) if path == database));
    }
}
