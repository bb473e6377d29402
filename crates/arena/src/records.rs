//! The file of game records of an arena: one JSON object per line and finished game, whose field `arena` identifies the
//! game.
//!
//! During the arena the games of a board are appended together, before the board is added to the journal; at the end
//! the lines are sorted, so that the same arena writes the same bytes. A resumed arena retains the games of boards that
//! its journal contains, and plays the other boards again.

use dice_of_doom_formats::record::GameNumber;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde::Deserialize;

use dice_of_doom_formats::lines::strip_bom_bytes;

/// A file that game records are appended to.
#[derive(Debug)]
pub(super) struct GameRecordFile {
    path: PathBuf,
    /// The boards whose games were in the file when it was opened.
    boards_at_start: BTreeSet<(u32, u32)>,
    lines: Mutex<RecordLines>,
}

#[derive(Debug)]
struct RecordLines {
    file: File,
    /// The offset and length in bytes of each game's line.
    index: Vec<(GameNumber, u64, u64)>,
    end: u64,
}

#[derive(Deserialize)]
struct RecordArenaField {
    arena: GameNumber,
}

impl GameRecordFile {
    /// Creates a new file; fails if it exists.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(path)?;
        Ok(GameRecordFile::from_file(path, file))
    }

    /// Opens or creates a file. Only complete boards for which `is_known` holds are retained.
    pub(super) fn open(
        path: &Path,
        players: u8,
        is_known: impl Fn(u32, u32) -> bool,
    ) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut records = GameRecordFile::from_file(path, options.open(path)?);
        let lines = records.lines.get_mut();
        lines.index_lines()?;
        let is_complete = |board: GameNumber, index: &[(GameNumber, u64, u64)]| {
            let from = index.partition_point(|&(game, ..)| {
                (game.table, game.board) < (board.table, board.board)
            });
            let own = index[from..].iter();
            let own =
                own.take_while(|(game, ..)| (game.table, game.board) == (board.table, board.board));
            own.map(|(game, ..)| game.rotation).eq(0..players)
        };
        let mut sorted = lines.index.clone();
        sorted.sort_unstable();
        let is_retained =
            |game: GameNumber| is_known(game.table, game.board) && is_complete(game, &sorted);
        lines.rewrite(path, is_retained)?;
        let boards = lines.index.iter();
        records.boards_at_start = boards.map(|(game, ..)| (game.table, game.board)).collect();
        Ok(records)
    }

    fn from_file(path: &Path, file: File) -> Self {
        GameRecordFile {
            path: path.to_owned(),
            boards_at_start: BTreeSet::new(),
            lines: Mutex::new(RecordLines {
                file,
                index: Vec::new(),
                end: 0,
            }),
        }
    }

    /// Whether the file contained the games of a board when it was opened.
    pub(super) fn contains_board(&self, table: u32, board: u32) -> bool {
        self.boards_at_start.contains(&(table, board))
    }

    /// Appends the games of a board.
    pub(super) fn append(&self, games: &[(GameNumber, String)]) -> io::Result<()> {
        let mut lines = self.lines.lock();
        for (number, line) in games {
            let from = lines.end;
            let text = format!("{line}\n");
            lines.file.write_all(text.as_bytes())?;
            lines.end += text.len() as u64;
            lines.index.push((*number, from, text.len() as u64));
        }
        Ok(())
    }

    /// Sorts all games.
    pub(super) fn finish(&self) -> io::Result<()> {
        let mut lines = self.lines.lock();
        lines.rewrite(&self.path, |_| true)
    }
}

impl RecordLines {
    /// Indexes the lines of an existing file; bytes after the last line end are ignored.
    fn index_lines(&mut self) -> io::Result<()> {
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
            let game = strip_bom_bytes(&line);
            if game.trim_ascii().is_empty() {
                self.end += read;
                continue;
            }
            let record = serde_json::from_slice::<RecordArenaField>(game).map_err(|_| {
                let message = format!("line {number} is no game of an arena");
                io::Error::new(io::ErrorKind::InvalidData, message)
            })?;
            let mark = (line.len() - game.len()) as u64;
            self.index
                .push((record.arena, self.end + mark, read - mark));
            self.end += read;
        }
    }

    /// Retains the selected games, sorted. The file is replaced atomically, unless it needs no change.
    fn rewrite(&mut self, path: &Path, is_retained: impl Fn(GameNumber) -> bool) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        let is_unchanged = length == self.end
            && self.index.is_sorted()
            && self.index.iter().all(|&(game, ..)| is_retained(game));
        if is_unchanged {
            self.file.seek(SeekFrom::End(0))?;
            return Ok(());
        }
        self.index.retain(|&(game, ..)| is_retained(game));
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
