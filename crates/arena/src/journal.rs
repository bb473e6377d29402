//! The journal of an arena, a file of JSON lines with which an interrupted arena resumes.
//!
//! The first line identifies the arena. Each further line is one finished board, in the order of completion. The result
//! of a board depends only on the arena's seed and the board's number, so boards in the file need not be played again.
//! The number of boards is not part of the header, so that an arena can be continued with more boards. An incomplete
//! last line is dropped.
//!
//! The journal does not record the version of a level or of the network that estimated luck: start a new file after
//! changing the program or the weights.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::board_result::BoardResult;
use super::match_rules::MatchRules;
use super::report::GameParametersJson;
use super::results::is_zero;
use super::seating::Seating;
use dice_of_doom_formats::lines::strip_bom_bytes;
use dice_of_doom_formats::record::ProgramBudget;

/// The first line of a journal: identifies the arena.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalHeader {
    /// The format version of the file.
    pub arena: u32,
    /// The game with its parameters.
    pub parameters: GameParametersJson,
    /// The seed of the boards, the dice and the players' random choices.
    pub seed: u64,
    /// The seating of each table.
    pub tables: Vec<Seating>,
    /// How much external programs may compute.
    #[serde(default, skip_serializing_if = "ProgramBudget::program_decides")]
    pub programs: ProgramBudget,
    /// The SHA-256 of the openings; `None` if boards are dealt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<String>,
    /// The number of random plies before the games.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub opening_plies: u32,
    /// The rules of the games.
    #[serde(default, skip_serializing_if = "MatchRules::is_default")]
    pub rules: MatchRules,
}

/// The format version that this program reads and writes.
pub const FORMAT: u32 = 3;

/// One finished board.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalEntry {
    table: u32,
    board: u32,
    result: BoardResult,
}

/// The results of an arena so far, optionally backed by a file.
#[derive(Debug, Default)]
pub struct Journal {
    results: BTreeMap<(u32, u32), BoardResult>,
    file: Option<Mutex<LockedFile>>,
}

/// A file that stays locked against other processes until this value is dropped.
///
/// Closing the file would not release the lock immediately: a child process that is being spawned briefly holds a copy
/// of the handle.
#[derive(Debug)]
struct LockedFile(File);

impl LockedFile {
    fn new(file: File) -> Result<Self, JournalError> {
        match file.try_lock() {
            Ok(()) => Ok(LockedFile(file)),
            Err(TryLockError::WouldBlock) => Err(JournalError::InUse),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // If unlocking fails, closing the file releases the lock.
        let _ = self.0.unlock();
    }
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{0}")]
    File(#[from] io::Error),
    /// Another process has locked the file.
    #[error("another arena is writing to it")]
    InUse,
    /// The file is not a journal.
    #[error("it is not the journal of an arena")]
    NotAJournal,
    /// The journal has an earlier format.
    #[error("an earlier build wrote this journal; the last one that reads it is c1691778")]
    EarlierFormat,
    /// The journal belongs to another arena; the text states the difference.
    #[error("it is the journal of another arena: {0}")]
    OtherArena(String),
    /// A line other than the last is not a board of this arena.
    #[error("line {0} is not a finished board of this arena")]
    Line(usize),
}

impl Journal {
    /// Opens or creates a journal file and loads its boards, for a game with the given number of players.
    ///
    /// # Errors
    /// When the file cannot be used; it is then left unchanged.
    pub fn open(path: &Path, header: &JournalHeader, players: u8) -> Result<Self, JournalError> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut locked = LockedFile::new(options.open(path)?)?;
        let file = &mut locked.0;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let first = to_json_line(header);
        let complete = bytes.iter().rposition(|&byte| byte == b'\n');
        let complete = complete.map_or(0, |end| end + 1);
        if complete == 0 && !first.starts_with(&bytes) {
            return Err(JournalError::NotAJournal);
        }
        let results = parse_boards(&bytes[..complete], header, players)?;
        // Bytes after the last line end were being written when the arena was interrupted.
        file.set_len(complete as u64)?;
        file.seek(SeekFrom::End(0))?;
        if complete == 0 {
            file.write_all(&first)?;
        }
        let file = Some(Mutex::new(locked));
        Ok(Journal { results, file })
    }

    /// The result of a board, if it has been played before.
    #[must_use]
    pub fn result_of(&self, table: u32, board: u32) -> Option<&BoardResult> {
        self.results.get(&(table, board))
    }

    /// Appends a finished board.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&self, table: u32, board: u32, result: &BoardResult) -> Result<(), JournalError> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let result = result.clone();
        let entry = to_json_line(&JournalEntry {
            table,
            board,
            result,
        });
        let mut file = file.lock();
        Ok(file.0.write_all(&entry)?)
    }
}

fn to_json_line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("the value serializes to JSON");
    line.push(b'\n');
    line
}

type KnownBoards = BTreeMap<(u32, u32), BoardResult>;

fn parse_boards(
    bytes: &[u8],
    header: &JournalHeader,
    players: u8,
) -> Result<KnownBoards, JournalError> {
    let lines = strip_bom_bytes(bytes).split(|&byte| byte == b'\n');
    let lines = (1..).zip(lines.map(<[u8]>::trim_ascii));
    let mut lines = lines.filter(|(_, line)| !line.is_empty());
    let mut known = KnownBoards::new();
    if let Some((_, first)) = lines.next() {
        let found: JournalHeader =
            serde_json::from_slice(first).map_err(|_| JournalError::NotAJournal)?;
        if found.arena < FORMAT {
            return Err(JournalError::EarlierFormat);
        }
        if found != *header {
            return Err(JournalError::OtherArena(difference(&found, header)));
        }
    }
    for (number, line) in lines {
        let entry: JournalEntry =
            serde_json::from_slice(line).map_err(|_| JournalError::Line(number))?;
        if (entry.table as usize) >= header.tables.len() || !entry.result.is_valid_for(players) {
            return Err(JournalError::Line(number));
        }
        known.insert((entry.table, entry.board), entry.result);
    }
    Ok(known)
}

fn difference(found: &JournalHeader, expected: &JournalHeader) -> String {
    if found.arena != expected.arena {
        format!("its format is {}, not {}", found.arena, expected.arena)
    } else if found.parameters != expected.parameters {
        format!(
            "it plays {}, not {}",
            found.parameters.text(),
            expected.parameters.text()
        )
    } else if found.seed != expected.seed {
        format!("its seed is {}, not {}", found.seed, expected.seed)
    } else if found.rules != expected.rules {
        "its games have other clocks or end otherwise".to_owned()
    } else if found.openings != expected.openings || found.opening_plies != expected.opening_plies {
        "its boards begin otherwise".to_owned()
    } else if found.programs != expected.programs {
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
    fn journal_is_locked_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arena.jsonl");
        let header = JournalHeader {
            arena: FORMAT,
            parameters: GameParametersJson::from_game(&DiceOfDoom::preset(Rules::V4)),
            seed: 1,
            tables: Vec::new(),
            programs: ProgramBudget::ProgramDecides,
            openings: None,
            opening_plies: 0,
            rules: MatchRules::default(),
        };
        let open = || Journal::open(&path, &header, 4);
        let journal = open().unwrap();
        assert!(matches!(open(), Err(JournalError::InUse)));
        // The copy of the handle that a spawning child process holds.
        let file = journal.file.as_ref().unwrap();
        let copy = file.lock().0.try_clone().unwrap();
        drop(journal);
        open().unwrap();
        drop(copy);
    }
}
