//! Result codes of SQLite, <https://sqlite.org/rescode.html>.

pub(super) const BUSY: i32 = 5;
pub(super) const LOCKED: i32 = 6;
pub(super) const READONLY: i32 = 8;
pub(super) const IOERR: i32 = 10;
pub(super) const CORRUPT: i32 = 11;
pub(super) const FULL: i32 = 13;
pub(super) const CANTOPEN: i32 = 14;
pub(super) const CONSTRAINT: i32 = 19;
pub(super) const NOTADB: i32 = 26;

/// The primary result code: the low byte of the extended one.
pub(super) fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}
