//! The migrations of each database, embedded in the program: one for each feature.
//!
//! sqlx's macro `migrate!` would find them by itself, but compiles both database drivers a second time for the
//! build host. A database stores the checksum of every applied migration. Until the first release a migration may change;
//! databases of earlier builds are then refused. From the first release on a released file never changes.

use std::sync::LazyLock;

use sqlx::SqlStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// The name of a migration's file without its ending, and its SQL.
type Source = (&'static str, &'static str);

/// The migrations in `migrations/sqlite`, listed by `build.rs`.
pub(super) static SQLITE: LazyLock<Migrator> =
    LazyLock::new(|| migrator(&include!(concat!(env!("OUT_DIR"), "/sqlite.rs"))));

/// The migrations in `migrations/postgres`, listed by `build.rs`.
pub(super) static POSTGRES: LazyLock<Migrator> =
    LazyLock::new(|| migrator(&include!(concat!(env!("OUT_DIR"), "/postgres.rs"))));

fn migrator(sources: &[Source]) -> Migrator {
    let migrations = (1..).zip(sources).map(|(version, (name, sql))| {
        let description = name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
        Migration::new(
            version,
            description.replace('_', " ").into(),
            MigrationType::Simple,
            SqlStr::from_static(sql),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
}

/// Why a database does not fit the migrations of this program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SchemaMismatch {
    /// An earlier build has applied other migrations.
    Earlier,
    /// A newer release has applied this migration, which is not known.
    Newer(i64),
}

/// Reads the applied migrations.
pub(super) const APPLIED: &str = "SELECT version, checksum FROM _sqlx_migrations ORDER BY version";

/// Compares the rows of [`APPLIED`] with the migrations of this program; missing ones can be applied.
pub(super) fn find_mismatch(
    migrator: &Migrator,
    applied: &[(i64, Vec<u8>)],
) -> Option<SchemaMismatch> {
    let known = |version| migrator.iter().find(|known| known.version == version);
    let differs = |(version, checksum): &(i64, Vec<u8>)| {
        known(*version).is_some_and(|known| *known.checksum != **checksum)
    };
    if applied.iter().any(differs) {
        return Some(SchemaMismatch::Earlier);
    }
    let unknown = applied
        .iter()
        .find(|(version, _)| known(*version).is_none());
    unknown.map(|(version, _)| SchemaMismatch::Newer(*version))
}

/// How to go on with a database of an earlier build. Commit c1691778 is the last that reads the former format.
pub(super) const EARLIER_BUILD: &str = "was written by an earlier build, and c1691778 is the last commit that reads it; \
    move it away, or name another one with --database";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// What sqlx compares with the database: version, description, checksum.
    fn described(migrator: &Migrator) -> Vec<(i64, String, Vec<u8>)> {
        let migrations = migrator.iter();
        let described = migrations.map(|migration| {
            let checksum = migration.checksum.to_vec();
            (
                migration.version,
                migration.description.to_string(),
                checksum,
            )
        });
        described.collect()
    }

    #[tokio::test]
    async fn embedded_migrations_equal_the_files_as_sqlx_reads_them() {
        for (folder, embedded) in [("sqlite", &*SQLITE), ("postgres", &*POSTGRES)] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("migrations")
                .join(folder);
            let files = Migrator::new(&*folder).await.unwrap();
            assert_eq!(
                described(embedded),
                described(&files),
                "{}",
                folder.display()
            );
        }
    }
}
