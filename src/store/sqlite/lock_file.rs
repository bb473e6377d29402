//! Exclusive ownership of a database through a lock on a small file next to it, which the system releases
//! however the process ends. The first line of the file names the owner, the second states that the database is
//! open, and after this text stands the number of commits in the database. Only a clean shutdown removes the
//! file, so its presence reveals an unclean one.
//!
//! SQLite names its log after the database, so two processes that know the file by two names would not see each
//! other's log. Links in paths are resolved before the lock is acquired. Against other names of the same file (a hard
//! link, a mount of the file alone) Linux also locks the file itself, with a lock that SQLite's own do not affect. Its
//! handle is kept until SQLite has closed the file: POSIX releases SQLite's locks when any handle on the file is closed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

/// The lock of a database; dropping it releases the lock.
#[derive(Debug)]
pub(super) struct DatabaseLock {
    file: Mutex<File>,
    path: PathBuf,
    /// The locked database file itself.
    database: Mutex<Option<File>>,
    /// What the previous owner left in the file; empty after a clean shutdown.
    previous_content: Vec<u8>,
}

/// The previous owner's shutdown, according to the lock file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PreviousShutdown {
    /// Clean, or there was no previous owner.
    Clean,
    /// Ended before it had opened the database.
    BeforeOpening,
    /// Ended with the database open.
    Unclean,
}

/// The content of the second line.
const OPEN: &str = "has it open";

/// The offset of the number of commits, after all text.
const COMMITS_AT: usize = 1024;

/// The prefix of the number.
const COMMITS: &str = "commits ";

#[derive(Debug)]
pub(super) enum LockError {
    /// Another process holds the lock; its description of itself.
    InUse(String),
    Failed(io::Error),
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        LockError::Failed(error)
    }
}

impl DatabaseLock {
    /// Acquires the lock of a database, or returns its current owner as an error.
    pub(super) fn acquire(database: &Path) -> Result<Self, LockError> {
        let path = lock_path(database);
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut content = Vec::new();
                    // Some systems do not allow reading a locked file.
                    let _ = file.read_to_end(&mut content);
                    return Err(LockError::InUse(text_line(&content, 0).to_owned()));
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // The previous owner may have removed the file in between.
            if is_same_file(&file, &path) {
                let mut content = Vec::new();
                file.read_to_end(&mut content)?;
                let owner = DatabaseLock {
                    file: Mutex::new(file),
                    path,
                    database: Mutex::new(None),
                    previous_content: content,
                };
                match lock_database(database) {
                    Ok(locked) => *owner.database.lock() = locked,
                    Err(error) => {
                        owner.release(ShutdownKind::NotOpened);
                        return Err(error);
                    }
                }
                // Until the database is open, the next owner must find the same state as this one.
                owner.write_text("", owner.previous_shutdown() == PreviousShutdown::Unclean)?;
                return Ok(owner);
            }
        }
    }

    pub(super) fn previous_shutdown(&self) -> PreviousShutdown {
        if self.previous_content.is_empty() {
            PreviousShutdown::Clean
        } else if text_line(&self.previous_content, 1) == OPEN {
            PreviousShutdown::Unclean
        } else {
            PreviousShutdown::BeforeOpening
        }
    }

    /// The previous owner's record of its commits.
    pub(super) fn recorded_commits(&self) -> Option<u64> {
        parse_recorded_commits(&self.previous_content)
    }

    /// Records the number of commits. To be called when they are durable, so that the number is never too high.
    pub(super) fn record_commits(&self, commits: u64) -> io::Result<()> {
        self.write(COMMITS_AT, format!("{COMMITS}{commits:020}\n").as_bytes())
    }

    /// Syncs the recorded number to disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        let file = self.file.lock();
        let file = file.try_clone();
        file?.sync_data()
    }

    /// Records that the database is open.
    pub(super) fn write_open(&self) -> io::Result<()> {
        self.write_text("", true)
    }

    /// Records this server's address, which is shown to processes that are denied the lock.
    pub(super) fn write_address(&self, address: &str) -> io::Result<()> {
        self.write_text(&format!(", {address}"), true)
    }

    fn write_text(&self, suffix: &str, is_open: bool) -> io::Result<()> {
        let open = if is_open { OPEN } else { "" };
        let mut text = format!("process {}{suffix}\n{open}\n", std::process::id()).into_bytes();
        text.resize(COMMITS_AT, b' ');
        self.write(0, &text)
    }

    fn write(&self, at: usize, content: &[u8]) -> io::Result<()> {
        let mut file = self.file.lock();
        file.seek(SeekFrom::Start(at as u64))?;
        file.write_all(content)
    }

    /// Releases the lock; SQLite must have closed the database. After a clean shutdown the lock file is removed.
    pub(super) fn release(&self, kind: ShutdownKind) {
        self.unlock_database();
        let removed = match kind {
            ShutdownKind::Clean => std::fs::remove_file(&self.path),
            ShutdownKind::NotOpened if self.previous_content.is_empty() => {
                std::fs::remove_file(&self.path)
            }
            ShutdownKind::NotOpened | ShutdownKind::NeedsCheck => Ok(()),
        };
        if let Err(error) = removed {
            tracing::debug!(%error, "the lock file was not removed");
        }
        let file = self.file.lock();
        if let Err(error) = file.unlock() {
            tracing::debug!(%error, "the lock was not released explicitly; the exit of the process releases it");
        }
    }

    fn unlock_database(&self) {
        let mut database = self.database.lock();
        drop(database.take());
    }
}

/// Locks the file itself, whatever its name. Network file systems have one kind of locks for this and for SQLite, so
/// there only the name counts.
#[cfg(target_os = "linux")]
fn lock_database(database: &Path) -> Result<Option<File>, LockError> {
    /// NFS, CIFS and SMB, from `linux/magic.h`.
    const NETWORK: [u32; 3] = [0x6969, 0xff53_4d42, 0xfe53_4d42];
    let file = File::open(database)?;
    let kind = rustix::fs::fstatfs(&file).map_err(io::Error::from)?.f_type;
    if NETWORK
        .iter()
        .any(|network| i64::from(*network) == kind as i64)
    {
        return Ok(None);
    }
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(LockError::InUse("under another name".to_owned())),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Elsewhere such a lock would exclude SQLite's own.
#[cfg(not(target_os = "linux"))]
fn lock_database(_: &Path) -> Result<Option<File>, LockError> {
    Ok(None)
}

/// The path of a database's lock file.
fn lock_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

/// The number of commits that the current or previous owner of a database has recorded.
pub(super) fn read_recorded_commits(database: &Path) -> Option<u64> {
    parse_recorded_commits(&std::fs::read(lock_path(database)).ok()?)
}

/// `None` if there is no record or it cannot be read.
fn parse_recorded_commits(content: &[u8]) -> Option<u64> {
    let digits = content
        .get(COMMITS_AT..)?
        .strip_prefix(COMMITS.as_bytes())?;
    std::str::from_utf8(digits).ok()?.trim_end().parse().ok()
}

/// How the use of a database ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShutdownKind {
    Clean,
    /// Opening failed: the next start must find the same state as this one.
    NotOpened,
    /// The next start must check the database.
    NeedsCheck,
}

/// A line of the lock file; empty if it does not exist.
fn text_line(content: &[u8], number: usize) -> &str {
    let line = content.split(|&byte| byte == b'\n').nth(number);
    line.and_then(|line| std::str::from_utf8(line).ok())
        .unwrap_or_default()
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (Ok(open), Ok(named)) = (file.metadata(), std::fs::metadata(path)) else {
        return false;
    };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// An open file cannot be removed on this system.
#[cfg(not(unix))]
fn is_same_file(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database_in(folder: &tempfile::TempDir) -> PathBuf {
        let database = folder.path().join("games.db");
        File::create(&database).unwrap();
        database
    }

    #[test]
    fn only_one_owner_at_a_time_and_the_state_survives_until_a_clean_shutdown() {
        let folder = tempfile::tempdir().unwrap();
        let database = database_in(&folder);
        let first = DatabaseLock::acquire(&database).unwrap();
        assert_eq!(first.previous_shutdown(), PreviousShutdown::Clean);
        first.write_address("http://localhost:8080/").unwrap();
        let LockError::InUse(by) = DatabaseLock::acquire(&database).unwrap_err() else {
            panic!("the lock is held");
        };
        let me = std::process::id();
        assert_eq!(by, format!("process {me}, http://localhost:8080/"));
        // As after a kill.
        first.release(ShutdownKind::NeedsCheck);
        let second = DatabaseLock::acquire(&database).unwrap();
        assert_eq!(second.previous_shutdown(), PreviousShutdown::Unclean);
        second.release(ShutdownKind::Clean);
        let third = DatabaseLock::acquire(&database).unwrap();
        assert_eq!(third.previous_shutdown(), PreviousShutdown::Clean);
        third.release(ShutdownKind::NeedsCheck);
        let fourth = DatabaseLock::acquire(&database).unwrap();
        assert_eq!(fourth.previous_shutdown(), PreviousShutdown::BeforeOpening);
        fourth.write_open().unwrap();
        fourth.release(ShutdownKind::NeedsCheck);
        // An owner whose opening failed leaves the state unchanged.
        let fifth = DatabaseLock::acquire(&database).unwrap();
        assert_eq!(fifth.previous_shutdown(), PreviousShutdown::Unclean);
        fifth.release(ShutdownKind::NotOpened);
        let sixth = DatabaseLock::acquire(&database).unwrap();
        assert_eq!(sixth.previous_shutdown(), PreviousShutdown::Unclean);
        // So does one that is killed before it has opened the database.
        sixth.release(ShutdownKind::NeedsCheck);
        let seventh = DatabaseLock::acquire(&database).unwrap();
        assert_eq!(seventh.previous_shutdown(), PreviousShutdown::Unclean);
    }

    #[test]
    fn the_recorded_number_of_commits_survives_unsuccessful_starts() {
        let folder = tempfile::tempdir().unwrap();
        let database = database_in(&folder);
        let first = DatabaseLock::acquire(&database).unwrap();
        assert_eq!(first.recorded_commits(), None);
        first.record_commits(99).unwrap();
        first.record_commits(100).unwrap();
        first.write_open().unwrap();
        first.write_address("http://localhost:8080/").unwrap();
        assert_eq!(read_recorded_commits(&database), Some(100));
        first.release(ShutdownKind::NeedsCheck);
        for _ in 0..2 {
            let next = DatabaseLock::acquire(&database).unwrap();
            assert_eq!(next.recorded_commits(), Some(100));
            next.release(ShutdownKind::NotOpened);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_name_of_the_file_gives_no_second_owner() {
        let folder = tempfile::tempdir().unwrap();
        let database = database_in(&folder);
        let link = folder.path().join("link.db");
        std::fs::hard_link(&database, &link).unwrap();
        let first = DatabaseLock::acquire(&database).unwrap();
        let refused = DatabaseLock::acquire(&link);
        assert!(matches!(refused, Err(LockError::InUse(_))), "{refused:?}");
        assert!(!lock_path(&link).exists());
        first.release(ShutdownKind::Clean);
        DatabaseLock::acquire(&link).unwrap();
    }

    #[test]
    fn a_lock_on_a_removed_file_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let database = database_in(&folder);
        let first = DatabaseLock::acquire(&database).unwrap();
        // A clean shutdown removes the file before it releases the lock of that file.
        first.unlock_database();
        std::fs::remove_file(&first.path).unwrap();
        let second = DatabaseLock::acquire(&database).unwrap();
        drop(first);
        let third = DatabaseLock::acquire(&database);
        assert!(matches!(third, Err(LockError::InUse(_))), "{third:?}");
        drop(second);
    }
}
