//! The place of the file: whether there is room beside it, and who may read what lies there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::store::OpenError;

/// What must be free at the start: some hundred plies with their log.
const ROOM: usize = 1024 * 1024;

/// What is kept beside the database, as endings of its name.
const BESIDE: [&str; 3] = ["-wal", "-shm", ".lock"];

/// Writes a draft beside the database to the disk and removes it: a disk that is full, or fails at
/// writing, is better told now than at the first move.
///
/// # Errors
/// [`OpenError::NoRoom`] and [`OpenError::NotWritable`].
pub(super) fn check_room(database: &Path) -> Result<(), OpenError> {
    let draft = beside(database, ".room");
    let written = write_draft(&draft);
    // A draft that stays would take the room of the next try.
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
    // Not zeros: some file systems give those no room.
    file.write_all(&vec![0xd6; ROOM])?;
    file.sync_all()
}

fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    name.into()
}

/// Warns of a database that others may read: it holds the seeds of running games. What lies beside it
/// gets its rights, for the log has the same games.
#[cfg(unix)]
pub(super) fn check_rights(database: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    let Ok(found) = fs::metadata(database) else {
        return; // Opening it says why.
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
        let file = beside(database, ending);
        let differs = fs::metadata(&file).is_ok_and(|found| found.permissions() != rights);
        if differs && let Err(error) = fs::set_permissions(&file, rights.clone()) {
            tracing::warn!(%error, "{} keeps its rights", file.display());
        }
    }
}

/// Who may read a file is another matter on other systems.
#[cfg(not(unix))]
pub(super) fn check_rights(_database: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_tried_and_given_back() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("games.db");
        check_room(&database).unwrap();
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
        let nowhere = home.path().join("no/games.db");
        let error = check_room(&nowhere).unwrap_err().to_string();
        assert!(error.starts_with("cannot write "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn what_lies_beside_a_database_has_its_rights() {
        use std::os::unix::fs::PermissionsExt as _;

        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("games.db");
        let set = |file: &Path, mode: u32| {
            File::create(file).unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        };
        set(&database, 0o600);
        for ending in BESIDE {
            set(&beside(&database, ending), 0o644);
        }
        check_rights(&database);
        for file in fs::read_dir(home.path()).unwrap() {
            let mode = file.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        check_rights(&home.path().join("nothing.db"));
    }
}
