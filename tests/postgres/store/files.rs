//! Opening a SQLite file: persistence, exclusive ownership, and the errors for files that cannot be opened or
//! read.

use std::path::Path;
use std::sync::Arc;

use dice_of_doom::store::reader::DatabaseReader;
use dice_of_doom::store::sqlite::SqliteOpenError;
use dice_of_doom::store::{OpenError, Store, StoreError, StoredEntry, open};
use tempfile::TempDir;

use super::{append, browser, created, created_with, header, person, plies, ply, resigned, stored};

pub(crate) async fn open_file(path: &Path) -> Result<Arc<dyn Store>, OpenError> {
    open(&format!("sqlite:{}", path.display())).await
}

async fn refusal(path: &Path) -> SqliteOpenError {
    of_sqlite(open_file(path).await.err().expect("opening should fail"))
}

fn of_sqlite(error: OpenError) -> SqliteOpenError {
    match error {
        OpenError::Sqlite(refusal) => refusal,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_reopened_file_has_the_same_contents() {
    let folder = TempDir::new().unwrap();
    let path = folder
        .path()
        .join("not")
        .join("yet there ?#%")
        .join("games.db");
    let store = open_file(&path).await.unwrap();
    let me = browser();
    let id = created_with(&*store, 1, |header| header.creator = Some(me)).await;
    for number in 0..10 {
        append(&*store, &id, number, StoredEntry::Ply(ply(number))).await;
    }
    store.change_seats(&id, 0, vec![person(me)]).await.unwrap();
    let before = stored(&*store, &id).await;
    store.close().await;

    let store = open_file(&path).await.unwrap();
    assert_eq!(stored(&*store, &id).await, before);
    let actual = store.list_games_of(&me, 5).await.unwrap();
    assert_eq!(actual, std::slice::from_ref(&id));
    append(&*store, &id, 10, StoredEntry::Ply(ply(10))).await;
    store.close().await;
    let names: Vec<_> = std::fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|found| found.unwrap().file_name())
        .collect();
    assert_eq!(names, ["games.db"], "a clean shutdown leaves one file");
}

/// A file of an earlier build, whose migrations have other checksums.
#[tokio::test]
async fn a_file_of_an_earlier_build_is_refused_and_stays_as_it_is() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let store = open_file(&path).await.unwrap();
    created(&*store, header(1)).await;
    store.close().await;
    sql(
        &path,
        "UPDATE _sqlx_migrations SET checksum = zeroblob(48) WHERE version = 1",
    )
    .await;
    sql(&path, "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99, 'later', 1, x'00', 0)").await;
    let before = std::fs::read(&path).unwrap();
    let served = refusal(&path).await;
    let read = DatabaseReader::open(&format!("sqlite:{}", path.display())).await;
    for error in [served, of_sqlite(read.err().unwrap())] {
        assert!(
            matches!(error, SqliteOpenError::EarlierBuild { .. }),
            "{error:?}"
        );
        let message = error.to_string();
        for expected in ["games.db", "c1691778", "--database"] {
            assert!(message.contains(expected), "{message}");
        }
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_file_that_was_not_closed_has_all_acknowledged_entries() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let store = open_file(&path).await.unwrap();
    let id = created(&*store, header(1)).await;
    append(&*store, &id, 0, StoredEntry::Ply(ply(0))).await;
    // A copy of the current files, as after a power failure.
    let cut = TempDir::new().unwrap();
    for name in ["games.db", "games.db-wal"] {
        std::fs::copy(folder.path().join(name), cut.path().join(name)).unwrap();
    }
    let again = open_file(&cut.path().join("games.db")).await.unwrap();
    assert_eq!(stored(&*again, &id).await.entries, plies(1));
    again.close().await;
    store.close().await;
}

#[tokio::test]
async fn a_file_can_be_opened_by_one_process_only() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let one = open_file(&path).await.unwrap();
    one.set_public_address("http://127.0.0.1:8080/");
    let id = created(&*one, header(1)).await;
    let error = refusal(&path).await;
    assert!(matches!(error, SqliteOpenError::InUse { .. }), "{error:?}");
    let me = std::process::id();
    for expected in [&format!("process {me}"), "http://127.0.0.1:8080/"] {
        assert!(error.to_string().contains(expected), "{error}");
    }
    // Other names of the same file.
    #[cfg(target_os = "linux")]
    {
        let other = |name: &str| folder.path().join(name);
        let mut names = vec![other("./games.db"), other("link.db"), other("hard.db")];
        std::os::unix::fs::symlink(&path, &names[1]).unwrap();
        std::fs::hard_link(&path, &names[2]).unwrap();
        std::os::unix::fs::symlink(folder.path(), other("folder")).unwrap();
        names.push(other("folder/games.db"));
        for name in names {
            let error = refusal(&name).await;
            assert!(matches!(error, SqliteOpenError::InUse { .. }), "{error:?}");
        }
    }
    append(&*one, &id, 0, StoredEntry::Ply(ply(0))).await;
    one.close().await;
    #[cfg(target_os = "linux")]
    {
        // Nobody finds the log of the other name.
        let other = folder.path().join("hard.db");
        let refused = [refusal(&path).await, refusal(&other).await];
        let read = DatabaseReader::open(&format!("sqlite:{}", other.display())).await;
        let unread = read.err().map(of_sqlite);
        for error in refused.into_iter().chain(unread) {
            assert!(
                matches!(error, SqliteOpenError::HardLink { .. }),
                "{error:?}"
            );
        }
        std::fs::remove_file(other).unwrap();
    }
    let two = open_file(&path).await.unwrap();
    assert_eq!(stored(&*two, &id).await.next_number(), 1);
    two.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let store = open_file(&path).await.unwrap();
    created(&*store, header(1)).await;
    for name in ["games.db", "games.db-wal"] {
        let mode = std::fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    store.close().await;
}

#[tokio::test]
async fn unwritable_paths_are_reported() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let below_a_file = refusal(&file.join("games.db")).await;
    assert!(
        matches!(below_a_file, SqliteOpenError::NotWritable { .. }),
        "{below_a_file:?}"
    );

    let directory = refusal(folder.path()).await;
    assert!(
        matches!(directory, SqliteOpenError::NotWritable { .. }),
        "{directory:?}"
    );
    assert!(directory.to_string().contains("directory"), "{directory}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_read_only_file_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    open_file(&path).await.unwrap().close().await;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o400)).unwrap();
    if std::fs::OpenOptions::new().write(true).open(&path).is_ok() {
        return; // The superuser ignores permissions.
    }
    let error = refusal(&path).await;
    assert!(
        matches!(error, SqliteOpenError::NotWritable { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn files_that_are_not_ours_are_rejected() {
    let folder = TempDir::new().unwrap();
    let garbage = folder.path().join("garbage");
    let text = "Not a database at all.\n".repeat(1000);
    std::fs::write(&garbage, &text).unwrap();
    let error = refusal(&garbage).await;
    assert!(
        matches!(error, SqliteOpenError::NotADatabase { .. }),
        "{error:?}"
    );
    assert_eq!(std::fs::read_to_string(&garbage).unwrap(), text);

    let foreign = folder.path().join("foreign.db");
    sql(&foreign, "CREATE TABLE bookmarks (url TEXT)").await;
    let error = refusal(&foreign).await;
    assert!(
        matches!(error, SqliteOpenError::Foreign { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_newer_schema_is_rejected() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    open_file(&path).await.unwrap().close().await;
    sql(
        &path,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'from the future', TRUE, x'00', 1)",
    )
    .await;
    let error = refusal(&path).await;
    assert!(
        matches!(error, SqliteOpenError::TooNew { version: 9999, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("newer release"), "{error}");
}

#[tokio::test]
async fn a_missing_entry_is_detected() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let store = open_file(&path).await.unwrap();
    let id = created(&*store, header(1)).await;
    for number in 0..3 {
        append(&*store, &id, number, StoredEntry::Ply(ply(number))).await;
    }
    sql(&path, "DELETE FROM entry WHERE number = 1").await;
    let read = store.load(&id).await;
    assert!(matches!(read, Err(StoreError::Damaged(_))), "{read:?}");
    store.close().await;
}

/// Combinations of columns that no release has written.
#[tokio::test]
async fn inconsistent_rows_are_rejected() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    let store = open_file(&path).await.unwrap();
    let id = created(&*store, header(1)).await;
    append(&*store, &id, 0, StoredEntry::Ending(resigned(1))).await;
    let load_error = async |statement: &'static str| match store.load(&id).await {
        Err(StoreError::Damaged(error)) => error,
        read => panic!("{statement}: {read:?}"),
    };
    const EMPTY_SEAT: &str = "UPDATE seat SET occupant = 'open', level = NULL, name = NULL, browser = NULL, token = NULL, invitation = NULL, joined_by = NULL, nonce = NULL";
    for statement in [
        "UPDATE seat SET occupant = 'human'",
        "UPDATE seat SET occupant = 'human', joined_by = zeroblob(32)",
        "UPDATE seat SET occupant = 'human', browser = zeroblob(32), nonce = zeroblob(16)",
        "UPDATE seat SET occupant = 'human', token = zeroblob(32), nonce = zeroblob(16)",
        "UPDATE seat SET occupant = 'human', token = zeroblob(32), invitation = zeroblob(32)",
        "UPDATE seat SET name = 'Ada'",
        "UPDATE seat SET browser = zeroblob(32)",
        "UPDATE seat SET token = zeroblob(32)",
        "UPDATE seat SET joined_by = zeroblob(32)",
        "UPDATE seat SET nonce = zeroblob(16)",
        "UPDATE seat SET occupant = 'level', level = 'book', name = 'Ada'",
        "UPDATE seat SET occupant = 'level', level = 'book', invitation = zeroblob(32)",
        "UPDATE seat SET occupant = 'level', level = 'book', joined_by = zeroblob(32)",
    ] {
        sql(&path, EMPTY_SEAT).await;
        sql(&path, statement).await;
        let error = load_error(statement).await;
        assert!(error.contains("fit no occupant"), "{statement}: {error}");
    }
    for statement in [
        "UPDATE entry SET ending = 'limit'",
        "UPDATE entry SET ending = 'resigned', player = NULL",
        "UPDATE entry SET ending = 'resigned', player = 6",
        "UPDATE entry SET ending = 'asleep', player = NULL",
    ] {
        sql(&path, statement).await;
        load_error(statement).await;
    }
    store.close().await;
}

async fn sql(path: &Path, statement: &'static str) {
    use sqlx::{ConnectOptions as _, Connection as _};
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    sqlx::query(statement)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}
