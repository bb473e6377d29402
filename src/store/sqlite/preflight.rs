//! Checks the file's location: free disk space and permissions.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::open_error::SqliteOpenError;

/// Free bytes required at the start: enough for some hundred plies with their log.
const MIN_FREE_BYTES: usize = 1024 * 1024;

/// Suffixes of the files next to the database.
const SIDECAR_SUFFIXES: [&str; 3] = ["-wal", "-shm", ".lock"];

/// Writes a temporary file next to the database to disk and removes it, so that a full or failing disk is found
/// at the start rather than at the first move.
///
/// # Errors
/// [`SqliteOpenError::DiskFull`] and [`SqliteOpenError::NotWritable`].
pub(super) fn check_free_space(database: &Path) -> Result<(), SqliteOpenError> {
    let file_path = sidecar_path(database, ".room");
    let written = write_temporary_file(&file_path);
    // A temporary file that is left would occupy the space of the next attempt.
    let removed = fs::remove_file(&file_path);
    written.and(removed).map_err(|error| {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        let (path, reason) = (database.to_owned(), error.to_string());
        match error.kind() {
            StorageFull | QuotaExceeded => SqliteOpenError::DiskFull { path, reason },
            _ => SqliteOpenError::NotWritable { path, reason },
        }
    })
}

fn write_temporary_file(file_path: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file_path)?;
    // Not zeros: some file systems allocate no space for those.
    file.write_all(&vec![0xd6; MIN_FREE_BYTES])?;
    file.sync_all()
}

fn sidecar_path(database: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(suffix);
    name.into()
}

/// Warns if others can read the database, which holds the seeds of running games. The files next to it get the
/// same permissions, because the log contains the same data.
#[cfg(unix)]
pub(super) fn check_permissions(database: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    let Ok(found) = fs::metadata(database) else {
        return; // Opening the file reports the error.
    };
    let permissions = found.permissions();
    if permissions.mode() & 0o044 != 0 {
        let path = database.display();
        tracing::warn!(
            "others on this machine can read {path}, and in it the dice to come of running games; \
             if they should not: chmod 600 '{path}'"
        );
    }
    for suffix in SIDECAR_SUFFIXES {
        let file = sidecar_path(database, suffix);
        let differs = fs::metadata(&file).is_ok_and(|found| found.permissions() != permissions);
        if differs && let Err(error) = fs::set_permissions(&file, permissions.clone()) {
            tracing::warn!(%error, "cannot change the permissions of {}", file.display());
        }
    }
}

/// Other systems have other permissions.
#[cfg(not(unix))]
pub(super) fn check_permissions(_database: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_check_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("games.db");
        check_free_space(&database).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let missing = folder.path().join("no/games.db");
        let error = check_free_space(&missing).unwrap_err().to_string();
        assert!(error.starts_with("cannot write "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn files_next_to_a_database_get_its_permissions() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("games.db");
        let set = |file: &Path, mode: u32| {
            File::create(file).unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        };
        set(&database, 0o600);
        for suffix in SIDECAR_SUFFIXES {
            set(&sidecar_path(&database, suffix), 0o644);
        }
        check_permissions(&database);
        for file in fs::read_dir(folder.path()).unwrap() {
            let mode = file.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        check_permissions(&folder.path().join("nothing.db"));
    }
}
