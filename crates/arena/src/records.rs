//! The file of records of an arena: a line for each finished game, JSON objects with a field `arena` that
//! says which game it was.
//!
//! While an arena is played the games of a board are written together, before the journal knows of the
//! board; at the end the lines are put in order, so that the same arena writes the same bytes. An arena
//! that goes on keeps the games of boards that its journal knows, and plays the others again.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::lines::bytes_without_mark;

/// Which game of an arena it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct GameNumber {
    /// Which of the arena's tables.
    pub table: u32,
    /// The number of the board.
    pub board: u32,
    /// The number of the rotation.
    pub rotation: u8,
}

/// A file that games are written to.
#[derive(Debug)]
pub(super) struct GameRecordFile {
    path: PathBuf,
    /// The boards that were there at the beginning.
    kept: BTreeSet<(u32, u32)>,
    lines: Mutex<RecordLines>,
}

#[derive(Debug)]
struct RecordLines {
    file: File,
    /// Where the line of each game is.
    index: Vec<(GameNumber, u64, u64)>,
    end: u64,
}

#[derive(Deserialize)]
struct Numbered {
    arena: GameNumber,
}

impl GameRecordFile {
    /// A new file.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(path)?;
        Ok(GameRecordFile::of(path, file))
    }

    /// A file that may be there already; only whole boards stay that `is_known` knows.
    pub(super) fn open(
        path: &Path,
        players: u8,
        is_known: impl Fn(u32, u32) -> bool,
    ) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut records = GameRecordFile::of(path, options.open(path)?);
        let lines = records.lines.get_mut();
        let lines = lines.unwrap_or_else(PoisonError::into_inner);
        lines.read()?;
        let whole = |of: GameNumber, index: &[(GameNumber, u64, u64)]| {
            let from = index
                .partition_point(|&(game, ..)| (game.table, game.board) < (of.table, of.board));
            let own = index[from..].iter();
            let own = own.take_while(|(game, ..)| (game.table, game.board) == (of.table, of.board));
            own.map(|(game, ..)| game.rotation).eq(0..players)
        };
        let mut sorted = lines.index.clone();
        sorted.sort_unstable();
        let kept = |game: GameNumber| is_known(game.table, game.board) && whole(game, &sorted);
        lines.rewrite(path, kept)?;
        let boards = lines.index.iter();
        records.kept = boards.map(|(game, ..)| (game.table, game.board)).collect();
        Ok(records)
    }

    fn of(path: &Path, file: File) -> Self {
        GameRecordFile {
            path: path.to_owned(),
            kept: BTreeSet::new(),
            lines: Mutex::new(RecordLines {
                file,
                index: Vec::new(),
                end: 0,
            }),
        }
    }

    /// Whether the games of a board were there at the beginning.
    pub(super) fn contains_board(&self, table: u32, board: u32) -> bool {
        self.kept.contains(&(table, board))
    }

    /// Writes the games of a board.
    pub(super) fn append(&self, games: &[(GameNumber, String)]) -> io::Result<()> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, line) in games {
            let from = lines.end;
            let text = format!("{line}\n");
            lines.file.write_all(text.as_bytes())?;
            lines.end += text.len() as u64;
            lines.index.push((*number, from, text.len() as u64));
        }
        Ok(())
    }

    /// Puts all games in order.
    pub(super) fn finish(&self) -> io::Result<()> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.rewrite(&self.path, |_| true)
    }
}

impl RecordLines {
    /// Finds the lines of a file that is there; what follows the last whole line is no game.
    fn read(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::new(&self.file);
        let mut line = Vec::new();
        let mut number = 0;
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)? as u64;
            if line.pop() != Some(b'\n') {
                return Ok(());
            }
            number += 1;
            let game = bytes_without_mark(&line);
            if game.trim_ascii().is_empty() {
                self.end += read;
                continue;
            }
            let found = serde_json::from_slice::<Numbered>(game).map_err(|_| {
                let told = format!("line {number} is no game of an arena");
                io::Error::new(io::ErrorKind::InvalidData, told)
            })?;
            let mark = (line.len() - game.len()) as u64;
            self.index.push((found.arena, self.end + mark, read - mark));
            self.end += read;
        }
    }

    /// Keeps these lines, in order; the file is replaced as a whole, unless it is so already.
    fn rewrite(&mut self, path: &Path, keep: impl Fn(GameNumber) -> bool) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        let is_so = length == self.end
            && self.index.is_sorted()
            && self.index.iter().all(|&(game, ..)| keep(game));
        if is_so {
            self.file.seek(SeekFrom::End(0))?;
            return Ok(());
        }
        self.index.retain(|&(game, ..)| keep(game));
        self.index.sort_unstable();
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.draft", std::process::id()));
        let draft = path.with_file_name(name);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(true);
        let file = options.open(&draft)?;
        let mut written = BufWriter::new(&file);
        let mut end = 0;
        for (_, from, length) in &mut self.index {
            self.file.seek(SeekFrom::Start(*from))?;
            io::copy(&mut (&self.file).take(*length), &mut written)?;
            (*from, end) = (end, end + *length);
        }
        written.flush()?;
        drop(written);
        fs::rename(&draft, path)?;
        (self.file, self.end) = (file, end);
        Ok(())
    }
}
