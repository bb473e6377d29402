//! Writes the record of a game to a file, as a whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::PlayError;

/// A record that will be written.
#[derive(Debug)]
pub(super) struct Saving {
    path: PathBuf,
    /// The draft is in the same folder, so that renaming it is one step.
    draft: PathBuf,
}

impl Saving {
    /// Checks that a record can be written there, so that nobody plays a game that cannot be saved.
    pub(super) fn to(path: &Path) -> Result<Saving, PlayError> {
        let saving = Saving {
            path: path.to_owned(),
            draft: draft(path),
        };
        saving.try_folder().map_err(|error| saving.failed(error))?;
        Ok(saving)
    }

    fn try_folder(&self) -> io::Result<()> {
        if self.path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if self.path.file_name().is_none() {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        File::create_new(&self.draft)?;
        fs::remove_file(&self.draft)
    }

    /// Writes the record.
    pub(super) fn finish(&self, record: &RawValue) -> Result<(), PlayError> {
        let written = self.write(record);
        let renamed = written.and_then(|()| fs::rename(&self.draft, &self.path));
        renamed.map_err(|error| {
            // The first error is reported, even if the draft cannot be removed.
            let _ = fs::remove_file(&self.draft);
            self.failed(error)
        })
    }

    fn write(&self, record: &RawValue) -> io::Result<()> {
        let mut file = File::create_new(&self.draft)?;
        writeln!(file, "{record}")?;
        file.sync_all()
    }

    fn failed(&self, error: io::Error) -> PlayError {
        PlayError::Record {
            path: self.path.clone(),
            error,
        }
    }
}

/// `.name.1234.draft` beside `name`.
fn draft(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.draft", std::process::id()));
    path.with_file_name(name)
}
