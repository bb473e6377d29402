//! Writes a record to a file atomically; anything other than a regular file is never replaced.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::TerminalError;

#[derive(Debug)]
pub(super) struct RecordFile {
    /// As given by the user.
    path: PathBuf,
    target: OutputTarget,
}

#[derive(Debug)]
enum OutputTarget {
    /// A regular file, or a path that does not exist yet; replaced atomically.
    File {
        file: PathBuf,
        /// In the same directory, so that it can be renamed atomically.
        draft: PathBuf,
    },
    /// A terminal, a pipe or a device such as `/dev/null`; written to in target.
    Stream(File),
}

impl RecordFile {
    /// Checks before the game that the record can be written. Opening a named pipe blocks until it has a
    /// reader, as in a shell.
    pub(super) fn prepare(path: &Path) -> Result<RecordFile, TerminalError> {
        let path = path.to_owned();
        match OutputTarget::from_path(&path) {
            Ok(target) => Ok(RecordFile { path, target }),
            Err(error) => Err(TerminalError::Record { path, error }),
        }
    }

    pub(super) fn save(&self, record: &str) -> Result<(), TerminalError> {
        let written = match &self.target {
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
    fn from_path(path: &Path) -> io::Result<OutputTarget> {
        let file = match fs::metadata(path) {
            // The target of a symbolic link is replaced, and the link is kept.
            Ok(metadata) if metadata.is_file() => path.canonicalize()?,
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => {
                return Ok(OutputTarget::Stream(
                    File::options().write(true).open(path)?,
                ));
            }
            // A dangling link is rejected, because its target is not known.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
                path.to_owned()
            }
            Err(error) => return Err(error),
        };
        let draft = draft_path(&file).ok_or(io::ErrorKind::InvalidFilename)?;
        File::create_new(&draft)?;
        fs::remove_file(&draft)?;
        Ok(OutputTarget::File { file, draft })
    }
}

/// Replaces the file by the record, unless something other than a file has been created there during the game.
fn replace(file: &Path, draft: &Path, record: &str) -> io::Result<()> {
    if fs::symlink_metadata(file).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let written = File::create_new(draft).and_then(|draft| {
        write(&draft, record)?;
        draft.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(draft, file));
    renamed.inspect_err(|_| {
        // Report the first error, even if the draft cannot be removed.
        let _ = fs::remove_file(draft);
    })
}

fn write(mut file: &File, record: &str) -> io::Result<()> {
    file.write_all(record.as_bytes())
}

/// `.name.1234.draft` in the directory of `name`.
fn draft_path(path: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(path.file_name()?);
    name.push(format!(".{}.draft", std::process::id()));
    Some(path.with_file_name(name))
}
