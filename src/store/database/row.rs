//! Decodes rows into values: a column by its type, a struct by the names of its fields.

use super::connection::SqlRow;
use crate::day::Day;
use crate::seats::{ComputerPace, RematchKind};
use crate::secret::{Nonce, SecretHash};
use crate::store::chain_hash::ChainHash;
use crate::store::id::GameId;

/// Why a row was not decoded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowReadError {
    /// The query failed, or a column has the wrong type.
    #[error(transparent)]
    Storage(#[from] sqlx::Error),
    /// The rows have contents that no release writes.
    #[error("{0}")]
    Damaged(String),
}

pub(in crate::store) fn damaged(what: impl ToString) -> RowReadError {
    RowReadError::Damaged(what.to_string())
}

pub(in crate::store) fn missing(column: &str) -> RowReadError {
    damaged(format!("{column} is missing"))
}

/// A type of columns.
pub(crate) trait SqlColumn: Sized {
    /// The value of a column; `None` if it is null.
    fn read(row: &SqlRow, column: &str) -> Result<Option<Self>, RowReadError>;
}

/// What a field is read from: a [`SqlColumn`], which must not be null, or an `Option` of one.
pub(crate) trait SqlField: Sized {
    fn read_field(row: &SqlRow, column: &str) -> Result<Self, RowReadError>;
}

impl<C: SqlColumn> SqlField for C {
    fn read_field(row: &SqlRow, column: &str) -> Result<Self, RowReadError> {
        C::read(row, column)?.ok_or_else(|| missing(column))
    }
}

impl<C: SqlColumn> SqlField for Option<C> {
    fn read_field(row: &SqlRow, column: &str) -> Result<Self, RowReadError> {
        C::read(row, column)
    }
}

impl SqlRow {
    pub(crate) fn get<F: SqlField>(&self, column: &str) -> Result<F, RowReadError> {
        F::read_field(self, column)
    }
}

macro_rules! columns {
    ($($type:ty: $read:ident, $value:ident => $parsed:expr;)*) => {$(
        impl SqlColumn for $type {
            fn read(row: &SqlRow, column: &str) -> Result<Option<Self>, RowReadError> {
                let Some($value) = row.$read(column)? else {
                    return Ok(None);
                };
                let parsed: Option<Self> = $parsed;
                let invalid = || damaged(format!("{column} has an invalid value"));
                parsed.map(Some).ok_or_else(invalid)
            }
        }
    )*};
}

columns! {
    i64: integer, number => Some(number);
    u64: integer, number => number.try_into().ok();
    u32: integer, number => number.try_into().ok();
    u8: integer, number => number.try_into().ok();
    bool: integer, number => match number { 0 => Some(false), 1 => Some(true), _ => None };
    Day: integer, number => number.try_into().ok().and_then(Day::from_number);
    String: text, text => Some(text.to_owned());
    GameId: text, text => text.parse().ok();
    SecretHash: bytes, bytes => bytes.try_into().ok().map(SecretHash::from_bytes);
    ComputerPace: text, text => text.parse().ok();
    RematchKind: text, text => text.parse().ok();
    ChainHash: bytes, bytes => bytes.try_into().ok().map(ChainHash::from_bytes);
    Nonce: bytes, bytes => bytes.try_into().ok().map(Nonce::from_bytes);
    [u8; 32]: bytes, bytes => bytes.try_into().ok();
    Vec<u8>: bytes, bytes => Some(bytes.to_vec());
}

/// A value that a query returns in each row.
pub(crate) trait FromRow: Sized {
    fn from_row(row: &SqlRow) -> Result<Self, RowReadError>;
}

/// The first column.
impl<C: SqlColumn> FromRow for C {
    fn from_row(row: &SqlRow) -> Result<Self, RowReadError> {
        row.get(row.first_column())
    }
}

/// Declares a struct whose fields are the columns of the same names.
macro_rules! row {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl $crate::store::FromRow for $name {
            fn from_row(
                row: &$crate::store::SqlRow,
            ) -> Result<Self, $crate::store::RowReadError> {
                Ok($name { $($field: row.get(stringify!($field))?,)* })
            }
        }
    };
}
pub(crate) use row;
