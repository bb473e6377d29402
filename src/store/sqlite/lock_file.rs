//! One owner of a file: a lock on a small file beside it, which the system releases however the
//! program ends. The small file says who has the lock, in a second line that the database is open, and
//! behind these words how many commits the database has. It is removed at an orderly end only, so finding
//! it tells of an unclean one.
//!
//! The database itself cannot carry the lock: SQLite loses its own when anybody else in the process
//! closes the file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

/// The lock of a database, held until it is dropped.
#[derive(Debug)]
pub(super) struct DatabaseLock {
    file: Mutex<File>,
    path: PathBuf,
    /// What the last owner left in the file; empty after an orderly end.
    left: Vec<u8>,
}

/// How the last owner ended, as far as its small file tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PreviousShutdown {
    /// In good order, or there was none.
    Good,
    /// Before it had the database open.
    BeforeOpening,
    /// With the database open.
    WhileOpen,
}

/// What the last owner noted of its commits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Noted {
    /// How many the database had.
    Commits(u64),
    /// How far the log went: so earlier releases noted it.
    Log(LogEnd),
}

/// The end of the last commit of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LogEnd {
    /// Which log it is: they are new each time a log begins anew.
    pub(super) salts: [u8; 8],
    /// In bytes from the beginning of the log.
    pub(super) end: u64,
}

/// What the second line says.
const OPEN: &str = "has it open";

/// Where the number of commits stands, behind all words.
const COMMITS_AT: usize = 1024;

/// What stands before it.
const COMMITS: &str = "commits ";

/// Why a database cannot be owned.
#[derive(Debug)]
pub(super) enum LockError {
    /// Another program has it, and says so.
    Taken(String),
    Failed(io::Error),
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        LockError::Failed(error)
    }
}

impl DatabaseLock {
    /// Takes the lock of a database, or tells who has it.
    pub(super) fn take(database: &Path) -> Result<Self, LockError> {
        let path = lock_of(database);
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut left = Vec::new();
                    // Some systems do not let others read what is locked.
                    let _ = file.read_to_end(&mut left);
                    return Err(LockError::Taken(line(&left, 0).to_owned()));
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // Whoever had the lock before may have taken its file away in between.
            if is_same(&file, &path) {
                let mut left = Vec::new();
                file.read_to_end(&mut left)?;
                let file = Mutex::new(file);
                let owner = DatabaseLock { file, path, left };
                // Until the database is open, the next owner is to find what this one found.
                owner.write_words("", owner.last_end() == PreviousShutdown::WhileOpen)?;
                return Ok(owner);
            }
        }
    }

    /// How the last owner ended.
    pub(super) fn last_end(&self) -> PreviousShutdown {
        if self.left.is_empty() {
            PreviousShutdown::Good
        } else if line(&self.left, 1) == OPEN {
            PreviousShutdown::WhileOpen
        } else {
            PreviousShutdown::BeforeOpening
        }
    }

    /// What the last owner noted of its commits.
    pub(super) fn noted(&self) -> Option<Noted> {
        read_noted(&self.left)
    }

    /// Notes how many commits the database has: called when they are on the disk, it never says too many.
    pub(super) fn note(&self, commits: u64) -> io::Result<()> {
        self.write(COMMITS_AT, format!("{COMMITS}{commits:020}\n").as_bytes())
    }

    /// Brings what was noted to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = file.try_clone();
        file?.sync_data()
    }

    /// Says that the database is open from here on.
    pub(super) fn say_open(&self) -> io::Result<()> {
        self.write_words("", true)
    }

    /// Says where this program is reached, for the one that is refused.
    pub(super) fn say_address(&self, address: &str) -> io::Result<()> {
        self.write_words(&format!(", {address}"), true)
    }

    fn write_words(&self, whence: &str, is_open: bool) -> io::Result<()> {
        let open = if is_open { OPEN } else { "" };
        let mut words = format!("process {}{whence}\n{open}\n", std::process::id()).into_bytes();
        words.resize(COMMITS_AT, b' ');
        self.write(0, &words)
    }

    fn write(&self, at: usize, content: &[u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at as u64))?;
        file.write_all(content)
    }

    /// Lets others have the database. After an orderly end the small file goes, too.
    pub(super) fn end(&self, order: ShutdownKind) {
        let removed = match order {
            ShutdownKind::Good => std::fs::remove_file(&self.path),
            ShutdownKind::NotBegun if self.left.is_empty() => std::fs::remove_file(&self.path),
            ShutdownKind::NotBegun | ShutdownKind::Broken => Ok(()),
        };
        if let Err(error) = removed {
            tracing::debug!(%error, "the lock's file stays as it is");
        }
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.unlock() {
            tracing::debug!(%error, "the lock is released when the program ends");
        }
    }
}

/// The name of the small file beside a database.
fn lock_of(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

/// What the owner of a database, or the last one, noted of its commits.
pub(super) fn noted_beside(database: &Path) -> Option<Noted> {
    read_noted(&std::fs::read(lock_of(database)).ok()?)
}

/// None where nothing was noted, or it cannot be read.
fn read_noted(left: &[u8]) -> Option<Noted> {
    let noted = left.get(COMMITS_AT..)?;
    if let Some(digits) = noted.strip_prefix(COMMITS.as_bytes()) {
        let digits = std::str::from_utf8(digits).ok()?;
        return Some(Noted::Commits(digits.trim_end().parse().ok()?));
    }
    // Salts, end, and the first half of a SHA-256 over both.
    let (kept, sum) = noted.get(..24)?.split_at(16);
    let (salts, end) = kept.split_first_chunk()?;
    let is_whole = Sha256::digest(kept)[..8] == *sum;
    let (salts, end) = (*salts, u64::from_be_bytes(*end.first_chunk()?));
    is_whole.then_some(Noted::Log(LogEnd { salts, end }))
}

/// How the use of a database ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShutdownKind {
    Good,
    /// It was refused: the next start is to find what this one found.
    NotBegun,
    /// The next start is to look closer.
    Broken,
}

/// A line of what an owner said; empty where there is none.
fn line(said: &[u8], number: usize) -> &str {
    let line = said.split(|&byte| byte == b'\n').nth(number);
    line.and_then(|line| std::str::from_utf8(line).ok())
        .unwrap_or_default()
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (Ok(open), Ok(named)) = (file.metadata(), std::fs::metadata(path)) else {
        return false;
    };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// Here an open file cannot be taken away.
#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_owner_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("games.db");
        let first = DatabaseLock::take(&database).unwrap();
        assert_eq!(first.last_end(), PreviousShutdown::Good);
        first.say_address("http://localhost:8080/").unwrap();
        let LockError::Taken(by) = DatabaseLock::take(&database).unwrap_err() else {
            panic!("it is taken");
        };
        let me = std::process::id();
        assert_eq!(by, format!("process {me}, http://localhost:8080/"));
        // As a program that is killed leaves it.
        first.end(ShutdownKind::Broken);
        let second = DatabaseLock::take(&database).unwrap();
        assert_eq!(second.last_end(), PreviousShutdown::WhileOpen);
        second.end(ShutdownKind::Good);
        let third = DatabaseLock::take(&database).unwrap();
        assert_eq!(third.last_end(), PreviousShutdown::Good);
        third.end(ShutdownKind::Broken);
        let fourth = DatabaseLock::take(&database).unwrap();
        assert_eq!(fourth.last_end(), PreviousShutdown::BeforeOpening);
        fourth.say_open().unwrap();
        fourth.end(ShutdownKind::Broken);
        // One that was refused leaves what it found.
        let fifth = DatabaseLock::take(&database).unwrap();
        assert_eq!(fifth.last_end(), PreviousShutdown::WhileOpen);
        fifth.end(ShutdownKind::NotBegun);
        let sixth = DatabaseLock::take(&database).unwrap();
        assert_eq!(sixth.last_end(), PreviousShutdown::WhileOpen);
        // So does one that is killed before it has the database open.
        sixth.end(ShutdownKind::Broken);
        let seventh = DatabaseLock::take(&database).unwrap();
        assert_eq!(seventh.last_end(), PreviousShutdown::WhileOpen);
    }

    #[test]
    fn what_was_noted_stays_until_more_is_noted() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("games.db");
        let first = DatabaseLock::take(&database).unwrap();
        assert_eq!(first.noted(), None);
        first.note(99).unwrap();
        first.note(100).unwrap();
        first.say_open().unwrap();
        first.say_address("http://localhost:8080/").unwrap();
        assert_eq!(noted_beside(&database), Some(Noted::Commits(100)));
        first.end(ShutdownKind::Broken);
        for _ in 0..2 {
            let next = DatabaseLock::take(&database).unwrap();
            assert_eq!(next.noted(), Some(Noted::Commits(100)));
            next.end(ShutdownKind::NotBegun);
        }
    }

    #[test]
    fn what_earlier_releases_noted_is_read_whole_or_not_at_all() {
        let mut left = vec![b' '; COMMITS_AT];
        left.extend(b"saltsalt");
        left.extend(4152_u64.to_be_bytes());
        let sum = Sha256::digest(&left[COMMITS_AT..]);
        left.extend(&sum[..8]);
        let (salts, end) = (*b"saltsalt", 4152);
        assert_eq!(read_noted(&left), Some(Noted::Log(LogEnd { salts, end })));
        for bit in 0..24 * 8 {
            let mut flipped = left.clone();
            flipped[COMMITS_AT + bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read_noted(&flipped), None, "bit {bit}");
        }
    }

    #[test]
    fn a_file_that_was_taken_away_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("games.db");
        let first = DatabaseLock::take(&database).unwrap();
        // In good order the file goes first, and then the lock.
        std::fs::remove_file(&first.path).unwrap();
        let second = DatabaseLock::take(&database).unwrap();
        drop(first);
        let third = DatabaseLock::take(&database);
        assert!(matches!(third, Err(LockError::Taken(_))), "{third:?}");
        drop(second);
    }
}
