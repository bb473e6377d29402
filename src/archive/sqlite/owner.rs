//! One owner of a file: a lock on a small file beside it, which the system releases however the
//! program ends. The small file says who has the lock, and in a second line that the database is open;
//! it is taken away in good order only, so that finding it tells of an unclean end. Behind its words
//! stands the [mark](super::mark) of the log.
//!
//! The database itself cannot carry the lock: SQLite loses its own when anybody else in the process
//! closes the file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::mark::{Mark, Marker};

/// The lock of a database, held until it is dropped.
#[derive(Debug)]
pub(super) struct Ownership {
    file: File,
    path: PathBuf,
    /// What the last owner left in the file; empty after an end in good order.
    left: Vec<u8>,
}

/// How the last owner ended, as far as its small file tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LastEnd {
    /// In good order, or there was none.
    Good,
    /// Before it had the database open.
    BeforeOpening,
    /// With the database open.
    WhileOpen,
}

/// What the second line says.
const OPEN: &str = "has it open";

/// Where the mark of the log stands: behind all that is said.
const MARK_AT: u64 = 1024;

/// Why a database cannot be owned.
#[derive(Debug)]
pub(super) enum NotOwned {
    /// Another program has it, and says so.
    Taken(String),
    Failed(io::Error),
}

impl From<io::Error> for NotOwned {
    fn from(error: io::Error) -> Self {
        NotOwned::Failed(error)
    }
}

impl Ownership {
    /// Takes the lock of a database, or tells who has it.
    pub(super) fn take(database: &Path) -> Result<Self, NotOwned> {
        let mut path = database.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
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
                    return Err(NotOwned::Taken(line(&left, 0).to_owned()));
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // Whoever had the lock before may have taken its file away in between.
            if is_same(&file, &path) {
                let mut left = Vec::new();
                file.read_to_end(&mut left)?;
                let owner = Ownership { file, path, left };
                owner.say(&format!("process {}", std::process::id()))?;
                return Ok(owner);
            }
        }
    }

    /// How the last owner ended.
    pub(super) fn last_end(&self) -> LastEnd {
        if self.left.is_empty() {
            LastEnd::Good
        } else if line(&self.left, 1) == OPEN {
            LastEnd::WhileOpen
        } else {
            LastEnd::BeforeOpening
        }
    }

    /// How far the last owner had written the log, where it left a mark.
    pub(super) fn last_mark(&self) -> Option<Mark> {
        Mark::read(self.left.get(MARK_AT as usize..)?)
    }

    /// What marks the log of this database, whose pages have so many bytes.
    pub(super) fn marker(&self, log: &Path, page_bytes: u64) -> io::Result<Marker> {
        Marker::new(log, page_bytes, self.file.try_clone()?, MARK_AT)
    }

    /// Says that the database is open from here on.
    pub(super) fn say_open(&self) -> io::Result<()> {
        self.say(&format!("process {}\n{OPEN}", std::process::id()))
    }

    /// Says where this program is reached, for the one that is refused.
    pub(super) fn say_address(&self, address: &str) -> io::Result<()> {
        self.say(&format!(
            "process {}, {address}\n{OPEN}",
            std::process::id()
        ))
    }

    fn say(&self, who: &str) -> io::Result<()> {
        self.write(format!("{who}\n").as_bytes())
    }

    fn write(&self, content: &[u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(content)
    }

    /// Lets others have the database. After an end in good order the small file goes, too.
    pub(super) fn end(&self, order: Order) {
        let done = match order {
            Order::Good => std::fs::remove_file(&self.path),
            Order::NotBegun if self.left.is_empty() => std::fs::remove_file(&self.path),
            Order::NotBegun => self.write(&self.left),
            Order::Broken => Ok(()),
        };
        if let Err(error) = done {
            tracing::debug!(%error, "the lock's file stays as it is");
        }
        if let Err(error) = self.file.unlock() {
            tracing::debug!(%error, "the lock is released when the program ends");
        }
    }
}

/// How the use of a database ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
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
        let first = Ownership::take(&database).unwrap();
        assert_eq!(first.last_end(), LastEnd::Good);
        first.say_address("http://localhost:8080/").unwrap();
        let NotOwned::Taken(by) = Ownership::take(&database).unwrap_err() else {
            panic!("it is taken");
        };
        let me = std::process::id();
        assert_eq!(by, format!("process {me}, http://localhost:8080/"));
        // As a program that is killed leaves it.
        first.end(Order::Broken);
        let second = Ownership::take(&database).unwrap();
        assert_eq!(second.last_end(), LastEnd::WhileOpen);
        second.end(Order::Good);
        let third = Ownership::take(&database).unwrap();
        assert_eq!(third.last_end(), LastEnd::Good);
        third.end(Order::Broken);
        let fourth = Ownership::take(&database).unwrap();
        assert_eq!(fourth.last_end(), LastEnd::BeforeOpening);
        fourth.say_open().unwrap();
        fourth.end(Order::Broken);
        // One that was refused leaves what it found.
        let fifth = Ownership::take(&database).unwrap();
        assert_eq!(fifth.last_end(), LastEnd::WhileOpen);
        fifth.end(Order::NotBegun);
        let sixth = Ownership::take(&database).unwrap();
        assert_eq!(sixth.last_end(), LastEnd::WhileOpen);
    }

    #[test]
    fn a_file_that_was_taken_away_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("games.db");
        let first = Ownership::take(&database).unwrap();
        // In good order the file goes first, and then the lock.
        std::fs::remove_file(&first.path).unwrap();
        let second = Ownership::take(&database).unwrap();
        drop(first);
        let third = Ownership::take(&database);
        assert!(matches!(third, Err(NotOwned::Taken(_))), "{third:?}");
        drop(second);
    }
}
