//! Checks the file's location: free disk space and permissions.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::store::OpenError;

/// Free bytes required at the start: enough for some hundred plies with their log.
const ROOM: usize = 1024 * 1024;

/// Suffixes of the files next to the database.
const BESIDE: [&str; 3] = ["-wal", "-shm", ".lock"];

/// Writes a temporary file next to the database to disk and removes it, so that a full or failing disk is found
/// at the start rather than at the first move.
///
/// # Errors
/// [`OpenError::NoRoom`] and [`OpenError::NotWritable`].
pub(super) fn check_free_space(database: &Path) -> Result<(), OpenError> {
    let draft = sidecar_path(database, ".room");
    let written = write_draft(&draft);
    // A temporary file that is left would occupy the space of the next attempt.
    let removed = fs::remove_file(&draft);
    written.and(removed).map_err(|error| {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        let (path, reason) = (database.to_owned(), error.to_string());
        match error.kind() {
            StorageFull | QuotaExceeded => OpenError::NoRoom { path, reason },
            _ => OpenError::NotWritable { path, reason },
        }
    })
}

fn write_draft(draft: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(draft)?;
    // Not zeros: some file systems allocate no space for those.
    file.write_all(&vec![0xd6; ROOM])?;
    file.sync_all()
}

fn sidecar_path(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    name.into()
}

/// Warns if others can read the database, which holds the seeds of running games. The files next to it get the
/// same permissions, because the log contains the same data.
#[cfg(unix)]
pub(super) fn check_rights(database: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    let Ok(found) = fs::metadata(database) else {
        return; // Opening the file reports the error.
    };
    let rights = found.permissions();
    if rights.mode() & 0o044 != 0 {
        let path = database.display();
        tracing::warn!(
            "others on this machine can read {path}, and in it the dice to come of running games; \
             if they should not: chmod 600 '{path}'"
        );
    }
    for ending in BESIDE {
        let file = sidecar_path(database, ending);
        let differs = fs::metadata(&file).is_ok_and(|found| found.permissions() != rights);
        if differs && let Err(error) = fs::set_permissions(&file, rights.clone()) {
            tracing::warn!(%error, "cannot change the permissions of {}", file.display());
        }
    }
}

/// Other systems have other permissions.
#[cfg(not(unix))]
pub(super) fn check_rights(_database: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_check_leaves_no_file() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("games.db");
        check_free_space(&database).unwrap();
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
        let nowhere = home.path().join("no/games.db");
        let error = check_free_space(&nowhere).unwrap_err().to_string();
        assert!(error.starts_with("cannot write "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn files_next_to_a_database_get_its_permissions() {
        use std::os::unix::fs::PermissionsExt as _;

        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("games.db");
        let set = |file: &Path, mode: u32| {
            File::create(file).unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        };
        set(&database, 0o600);
        for ending in BESIDE {
            set(&sidecar_path(&database, ending), 0o644);
        }
        check_rights(&database);
        for file in fs::read_dir(home.path()).unwrap() {
            let mode = file.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        check_rights(&home.path().join("nothing.db"));
    }
}
