//! Writes the record of a game to a file, as a whole or not at all; what is no file is never replaced.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::TerminalError;

/// A record that will be written.
#[derive(Debug)]
pub(super) struct RecordFile {
    /// As it was asked for.
    path: PathBuf,
    place: OutputTarget,
}

#[derive(Debug)]
enum OutputTarget {
    /// A file, or nothing yet: it is replaced as a whole.
    File {
        file: PathBuf,
        /// In the same folder, so that renaming it is one step.
        draft: PathBuf,
    },
    /// A terminal, a pipe, `/dev/null`: it stays what it is and is written to.
    Stream(File),
}

impl RecordFile {
    /// Checks that a record can be written there, so that nobody plays a game that cannot be saved. A pipe
    /// that nobody reads is waited for, as a shell does.
    pub(super) fn to(path: &Path) -> Result<RecordFile, TerminalError> {
        let path = path.to_owned();
        match OutputTarget::of(&path) {
            Ok(place) => Ok(RecordFile { path, place }),
            Err(error) => Err(TerminalError::Record { path, error }),
        }
    }

    /// Writes the record.
    pub(super) fn finish(&self, record: &str) -> Result<(), TerminalError> {
        let written = match &self.place {
            OutputTarget::File { file, draft } => replace(file, draft, record),
            OutputTarget::Stream(stream) => write(stream, record),
        };
        written.map_err(|error| TerminalError::Record {
            path: self.path.clone(),
            error,
        })
    }
}

impl OutputTarget {
    fn of(path: &Path) -> io::Result<OutputTarget> {
        let file = match fs::metadata(path) {
            // Of a link the file that it leads to is replaced, and the link stays.
            Ok(found) if found.is_file() => path.canonicalize()?,
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => {
                return Ok(OutputTarget::Stream(
                    File::options().write(true).open(path)?,
                ));
            }
            // A link that leads nowhere is refused, too: where it leads is not told by its name.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
                path.to_owned()
            }
            Err(error) => return Err(error),
        };
        let draft = draft(&file).ok_or(io::ErrorKind::InvalidFilename)?;
        File::create_new(&draft)?;
        fs::remove_file(&draft)?;
        Ok(OutputTarget::File { file, draft })
    }
}

/// Puts the record in the place of a file, unless something else has come there during the game.
fn replace(file: &Path, draft: &Path, record: &str) -> io::Result<()> {
    if fs::symlink_metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let written = File::create_new(draft).and_then(|draft| {
        write(&draft, record)?;
        draft.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(draft, file));
    renamed.inspect_err(|_| {
        // The first error is reported, even if the draft cannot be removed.
        let _ = fs::remove_file(draft);
    })
}

fn write(mut file: &File, record: &str) -> io::Result<()> {
    file.write_all(record.as_bytes())
}

/// `.name.1234.draft` beside `name`.
fn draft(path: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(path.file_name()?);
    name.push(format!(".{}.draft", std::process::id()));
    Some(path.with_file_name(name))
}
