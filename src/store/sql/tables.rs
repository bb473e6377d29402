//! The tables of a database as its schema describes them. Their rows are read and written as JSON arrays in the order
//! of the columns, which both databases can produce and take apart, so that a table that is added is copied without
//! code of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::store::database::connection::{Dialect, SqlRow};
use crate::store::database::row::{RowReadError, damaged};

/// The tables with the record of a game, in the order in which their rows are inserted.
const GAME_TABLES: [&str; 3] = ["game", "seat", "entry"];

/// The tables that are not copied, each with the reason.
const STATE_OF_THE_SERVER: [(&str, &str); 6] = [
    ("_sqlx_migrations", "each database has its own migrations"),
    ("commit_count", "counts the commits of one file"),
    ("instance", "the processes that write to the database"),
    (
        "network_key",
        "a backup must not keep a key that is deleted",
    ),
    (
        "pairing_code",
        "valid for ten minutes; a backup must not keep secrets",
    ),
    ("lease", "a copied game is marked as possibly due"),
];

/// The tables with a column `browser` that follow from the games, whose seats the service changes one by one.
const TABLES_OF_SEATS: [&str; 2] = ["seat", "browser_game"];

/// The number of rows that are read at a time.
const PAGE_ROWS: u32 = 500;

impl Dialect {
    /// The rows of the parameter `$1`, an array of arrays, in the column `value`.
    const fn rows(self) -> &'static str {
        match self {
            Dialect::Sqlite => "json_each($1)",
            Dialect::Postgres => "json_array_elements($1::json) AS list (value)",
        }
    }
}

/// A table whose rows are copied. Tables with the same columns are equal, whichever database they are in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    name: String,
    columns: Vec<TableColumn>,
}

/// Rows of a table, each a JSON array.
#[derive(Clone, Debug)]
pub struct TableRows {
    pub(in crate::store) table: Arc<Table>,
    rows: Vec<String>,
}

impl TableRows {
    pub(in crate::store) fn new(table: &Arc<Table>, rows: Vec<String>) -> Self {
        let table = Arc::clone(table);
        TableRows { table, rows }
    }

    #[must_use]
    pub fn rows(&self) -> &[String] {
        &self.rows
    }

    /// All rows as an array.
    pub(in crate::store) fn to_json(&self) -> String {
        format!("[{}]", self.rows.join(","))
    }

    /// An array with the last row.
    pub(in crate::store) fn last(&self) -> String {
        format!("[{}]", self.rows.last().map_or("", String::as_str))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct TableColumn {
    name: String,
    kind: ColumnKind,
    /// The position in the primary key from 1, or 0.
    key_position: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ColumnKind {
    Integer,
    Text,
    Bytes,
    /// The number of a game in this database, which is another one in the copy.
    GameSerial,
}

impl TableColumn {
    /// Reads the column as JSON: bytes as hexadecimal digits, the number of a game as its id.
    fn to_json(&self, table: &str, dialect: Dialect) -> String {
        let column = self.of(table);
        match (self.kind, dialect) {
            (ColumnKind::Integer | ColumnKind::Text, _) => column,
            (ColumnKind::Bytes, Dialect::Sqlite) => {
                format!("CASE WHEN {column} IS NOT NULL THEN lower(hex({column})) END")
            }
            (ColumnKind::Bytes, Dialect::Postgres) => format!("encode({column}, 'hex')"),
            (ColumnKind::GameSerial, _) => {
                format!("(SELECT game.id FROM game WHERE game.serial = {column})")
            }
        }
    }

    /// The column's value in the row `value`, in which it has this index.
    fn value(&self, index: usize, dialect: Dialect) -> String {
        match (self.kind, dialect) {
            (ColumnKind::Text, _) | (ColumnKind::Integer, Dialect::Sqlite) => {
                format!("value ->> {index}")
            }
            (ColumnKind::Integer, Dialect::Postgres) => format!("(value ->> {index})::bigint"),
            (ColumnKind::Bytes, Dialect::Sqlite) => format!("unhex(value ->> {index})"),
            (ColumnKind::Bytes, Dialect::Postgres) => format!("decode(value ->> {index}, 'hex')"),
            (ColumnKind::GameSerial, _) => {
                format!("(SELECT game.serial FROM game WHERE game.id = value ->> {index})")
            }
        }
    }

    fn of(&self, table: &str) -> String {
        format!("\"{table}\".\"{}\"", self.name)
    }
}

impl Table {
    /// Those of the tables that have the record of a game, in the order in which their rows are inserted.
    pub fn of_games(tables: &[Arc<Table>]) -> impl Iterator<Item = &Arc<Table>> {
        let named = |name| tables.iter().find(move |table| table.name == name);
        GAME_TABLES.into_iter().filter_map(named)
    }

    #[must_use]
    pub fn is_of_games(&self) -> bool {
        GAME_TABLES.contains(&self.name.as_str())
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A page of rows in the order of the primary key, each in the column `json`: the first, or the one after the row
    /// in `$1`.
    pub(in crate::store) fn select_page(&self, dialect: Dialect, is_first: bool) -> String {
        let Table { name, .. } = self;
        let row = self.row_as_json(dialect);
        let key = self.key_columns().map(|(_, column)| column.of(name));
        let key = join(key);
        let condition = match is_first {
            true => String::new(),
            false => {
                let after = self.key_columns();
                let after = join(after.map(|(index, column)| column.value(index, dialect)));
                format!("WHERE ({key}) > (SELECT {after} FROM {})", dialect.rows())
            }
        };
        format!("SELECT {row} AS json FROM \"{name}\" {condition} ORDER BY {key} LIMIT {PAGE_ROWS}")
    }

    /// The rows of the game `$1`, each in the column `json`.
    pub(in crate::store) fn select_of_game(&self, dialect: Dialect) -> String {
        let Table { name, .. } = self;
        let row = self.row_as_json(dialect);
        let game = if name == "game" { "id" } else { "game" };
        format!("SELECT {row} AS json FROM \"{name}\" WHERE \"{name}\".\"{game}\" = $1")
    }

    /// For each row in `$1` the row with the same key, or null, in the column `json`.
    pub(in crate::store) fn select_same_keys(&self, dialect: Dialect) -> String {
        let (Table { name, .. }, rows) = (self, dialect.rows());
        let row = self.row_as_json(dialect);
        let key = self.key_columns().map(|(index, column)| {
            format!("{} = {}", column.of(name), column.value(index, dialect))
        });
        let key = key.collect::<Vec<_>>().join(" AND ");
        format!("SELECT (SELECT {row} FROM \"{name}\" WHERE {key}) AS json FROM {rows}")
    }

    /// Inserts the rows in `$1`; keeps what is there.
    pub(in crate::store) fn insert(&self, dialect: Dialect) -> String {
        let (Table { name, .. }, rows) = (self, dialect.rows());
        let columns = join(
            self.columns
                .iter()
                .map(|column| format!("\"{}\"", column.name)),
        );
        let values = self.columns.iter().enumerate();
        let values = join(values.map(|(index, column)| column.value(index, dialect)));
        let numbers = match dialect {
            Dialect::Sqlite => "",
            Dialect::Postgres => "OVERRIDING SYSTEM VALUE",
        };
        let conflict = match name.as_str() {
            // Counters only grow: those of an interrupted copy are older.
            "counter" => {
                "(name) DO UPDATE SET count = excluded.count WHERE excluded.count > counter.count"
            }
            _ => "DO NOTHING",
        };
        format!(
            "INSERT INTO \"{name}\" ({columns}) {numbers} SELECT {values} FROM {rows} WHERE true ON CONFLICT {conflict}"
        )
    }

    /// Sets all columns of the rows in `$1`, which are there.
    pub(in crate::store) fn update(&self, dialect: Dialect) -> String {
        let (Table { name, .. }, rows) = (self, dialect.rows());
        let (mut values, mut key) = (Vec::new(), Vec::new());
        for (index, column) in self.columns.iter().enumerate() {
            let value = column.value(index, dialect);
            match column.key_position > 0 {
                true => key.push(format!("{} = {value}", column.of(name))),
                false => values.push(format!("\"{}\" = {value}", column.name)),
            }
        }
        let (values, key) = (values.join(", "), key.join(" AND "));
        format!("UPDATE \"{name}\" SET {values} FROM {rows} WHERE {key}")
    }

    fn row_as_json(&self, dialect: Dialect) -> String {
        let columns = self.columns.iter();
        let columns = join(columns.map(|column| column.to_json(&self.name, dialect)));
        match dialect {
            Dialect::Sqlite => format!("json_array({columns})"),
            Dialect::Postgres => format!("json_build_array({columns})::text"),
        }
    }

    /// The columns of the primary key in its order, with their indices in a row.
    fn key_columns(&self) -> impl Iterator<Item = (usize, &TableColumn)> {
        let columns = self.columns.iter().enumerate();
        let mut key: Vec<_> = columns
            .filter(|(_, column)| column.key_position > 0)
            .collect();
        key.sort_by_key(|(_, column)| column.key_position);
        key.into_iter()
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// The copied tables by name, from the rows of [`Statements::columns`](crate::store::database::statements::Statements::columns).
pub(in crate::store) fn parse_tables(rows: &[SqlRow]) -> Result<Vec<Arc<Table>>, RowReadError> {
    let mut tables: BTreeMap<String, Vec<TableColumn>> = BTreeMap::new();
    for row in rows {
        let (table, name): (String, String) = (row.get("table")?, row.get("column")?);
        if STATE_OF_THE_SERVER.iter().any(|(state, _)| *state == table) {
            continue;
        }
        let kind = match (name.as_str(), row.get::<String>("type")?.as_str()) {
            // The number of the copy is assigned when its row is inserted; the id is a key as well.
            ("serial", _) if table == "game" => continue,
            ("serial", _) => ColumnKind::GameSerial,
            (_, "INTEGER" | "bigint") => ColumnKind::Integer,
            (_, "TEXT" | "text") => ColumnKind::Text,
            (_, "BLOB" | "bytea") => ColumnKind::Bytes,
            (_, kind) => return Err(damaged(format!("{table}.{name} has the type {kind}"))),
        };
        let key_position = match (table.as_str(), name.as_str()) {
            ("game", "id") => 1,
            _ => row.get("key")?,
        };
        tables.entry(table).or_default().push(TableColumn {
            name,
            kind,
            key_position,
        });
    }
    let tables = tables.into_iter().map(|(name, columns)| {
        if columns.iter().all(|column| column.key_position == 0) {
            return Err(damaged(format!("the table {name} has no primary key")));
        }
        Ok(Arc::new(Table { name, columns }))
    });
    tables.collect()
}

/// The tables whose rows belong to the browser in their column `browser`, from the same rows.
pub(in crate::store) fn tables_of_browsers(rows: &[SqlRow]) -> Result<Vec<&str>, sqlx::Error> {
    let mut tables = Vec::new();
    for row in rows {
        if let (Some(table), Some("browser")) = (row.text("table")?, row.text("column")?)
            && !TABLES_OF_SEATS.contains(&table)
        {
            tables.push(table);
        }
    }
    Ok(tables)
}
