//! The journal of an arena, a file of JSON lines: an interrupted arena goes on where it stopped.
//!
//! The first line says which arena it is of; then each finished board has a line, in the order in which
//! they were finished. A board's result depends on nothing but the arena's seed and the board's number,
//! so boards that are in the file need not be played again. The number of boards is not part of the
//! file, so that an arena can be continued with more of them. A last line that was cut off is dropped.
//!
//! Which version of a level played is not recorded, nor by which network luck was told: a changed program and other
//! weights begin a new file.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ProgramBudget;
use super::board::BoardResult;
use super::lines::bytes_without_mark;
use super::report::GameParametersJson;
use super::seating::Seating;

/// Whose results a journal holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalHeader {
    /// The format of the file.
    pub arena: u32,
    /// What is played.
    pub parameters: GameParametersJson,
    /// The seed of boards, dice and variety.
    pub seed: u64,
    /// The seatings of the arena's parts.
    pub tables: Vec<Seating>,
    /// What programs are told of how much they may compute.
    #[serde(default, skip_serializing_if = "ProgramBudget::is_own")]
    pub programs: ProgramBudget,
    /// The SHA-256 of the openings, where boards are not dealt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<String>,
}

/// The format that this program writes.
pub const FORMAT: u32 = 2;

/// One finished board.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalEntry {
    table: u32,
    board: u32,
    result: BoardResult,
}

/// The results of an arena so far, with a file or without.
#[derive(Debug, Default)]
pub struct Journal {
    known: BTreeMap<(u32, u32), BoardResult>,
    file: Option<Mutex<LockedFile>>,
}

/// A file that is locked against other programs until this is dropped.
///
/// Closing it would not be enough: a child process that is being started has a copy of the handle for a
/// moment, and the lock would last as long as that copy.
#[derive(Debug)]
struct LockedFile(File);

impl LockedFile {
    fn new(file: File) -> Result<Self, JournalError> {
        match file.try_lock() {
            Ok(()) => Ok(LockedFile(file)),
            Err(TryLockError::WouldBlock) => Err(JournalError::Taken),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // If unlocking fails, the lock ends when the file is closed.
        let _ = self.0.unlock();
    }
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The system cannot read or write it.
    #[error("{0}")]
    File(#[from] io::Error),
    /// Another program is playing the same arena.
    #[error("another arena is writing to it")]
    Taken,
    /// The file is no journal.
    #[error("it is not the journal of an arena")]
    NoJournal,
    /// It has other seats, another game or another seed.
    #[error("it is the journal of another arena: {0}")]
    Another(String),
    /// A line that is not the last cannot be read.
    #[error("line {0} is not a finished board of this arena")]
    Line(usize),
}

impl Journal {
    /// A journal in a file, with the boards of a game of so many players that are there already.
    ///
    /// # Errors
    /// When the file cannot be used; then it is left as it was.
    pub fn open(path: &Path, header: &JournalHeader, players: u8) -> Result<Self, JournalError> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut held = LockedFile::new(options.open(path)?)?;
        let file = &mut held.0;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let first = line(header);
        let whole = bytes.iter().rposition(|&byte| byte == b'\n');
        let whole = whole.map_or(0, |end| end + 1);
        if whole == 0 && !first.starts_with(&bytes) {
            return Err(JournalError::NoJournal);
        }
        let known = read(&bytes[..whole], header, players)?;
        // What follows the last whole line was being written when the arena was interrupted.
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        if whole == 0 {
            file.write_all(&first)?;
        }
        let file = Some(Mutex::new(held));
        Ok(Journal { known, file })
    }

    /// What happened at a board, if it was played before.
    #[must_use]
    pub fn result_of(&self, table: u32, board: u32) -> Option<&BoardResult> {
        self.known.get(&(table, board))
    }

    /// Writes a finished board down.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&self, table: u32, board: u32, result: &BoardResult) -> Result<(), JournalError> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let result = result.clone();
        let entry = line(&JournalEntry {
            table,
            board,
            result,
        });
        // A panic while the file was locked leaves at worst a cut line, which is dropped.
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(file.0.write_all(&entry)?)
    }
}

fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("plain values");
    line.push(b'\n');
    line
}

type KnownBoards = BTreeMap<(u32, u32), BoardResult>;

fn read(bytes: &[u8], header: &JournalHeader, players: u8) -> Result<KnownBoards, JournalError> {
    let lines = bytes_without_mark(bytes).split(|&byte| byte == b'\n');
    let lines = (1..).zip(lines.map(<[u8]>::trim_ascii));
    let mut lines = lines.filter(|(_, line)| !line.is_empty());
    let mut known = KnownBoards::new();
    if let Some((_, first)) = lines.next() {
        let found: JournalHeader =
            serde_json::from_slice(first).map_err(|_| JournalError::NoJournal)?;
        if found != *header {
            return Err(JournalError::Another(difference(&found, header)));
        }
    }
    for (number, line) in lines {
        let entry: JournalEntry =
            serde_json::from_slice(line).map_err(|_| JournalError::Line(number))?;
        if (entry.table as usize) >= header.tables.len() || !entry.result.fits(players) {
            return Err(JournalError::Line(number));
        }
        known.insert((entry.table, entry.board), entry.result);
    }
    Ok(known)
}

fn difference(found: &JournalHeader, wanted: &JournalHeader) -> String {
    if found.arena != wanted.arena {
        format!("its format is {}, not {}", found.arena, wanted.arena)
    } else if found.parameters != wanted.parameters {
        format!(
            "it plays {}, not {}",
            found.parameters.text(),
            wanted.parameters.text()
        )
    } else if found.seed != wanted.seed {
        format!("its seed is {}, not {}", found.seed, wanted.seed)
    } else if found.openings != wanted.openings {
        "its boards begin otherwise".to_owned()
    } else if found.programs != wanted.programs {
        "its programs were told to compute more or less".to_owned()
    } else {
        "others sit there".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};

    #[test]
    fn one_arena_at_a_time_and_the_next_need_not_wait() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arena.jsonl");
        let header = JournalHeader {
            arena: FORMAT,
            parameters: GameParametersJson::of(&DiceOfDoom::preset(Rules::V4)),
            seed: 1,
            tables: Vec::new(),
            programs: ProgramBudget::Own,
            openings: None,
        };
        let open = || Journal::open(&path, &header, 4);
        let journal = open().unwrap();
        assert!(matches!(open(), Err(JournalError::Taken)));
        // What a program that is being started has of it.
        let file = journal.file.as_ref().unwrap();
        let copy = file.lock().unwrap().0.try_clone().unwrap();
        drop(journal);
        open().unwrap();
        drop(copy);
    }
}
