//! The migrations of each database, embedded in the program.
//!
//! sqlx's macro `migrate!` would find them by itself, but compiles both database drivers a second time for the
//! build host. A database stores the checksum of every applied migration, so a released file must never change.

use std::sync::LazyLock;

use sqlx::SqlStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// Version, description and SQL of a migration; the file name consists of the version and the description.
type Source = (i64, &'static str, &'static str);

/// The migrations in `migrations/sqlite`.
pub(super) static SQLITE: LazyLock<Migrator> = LazyLock::new(|| migrator(SQLITE_SOURCES));

/// The migrations in `migrations/postgres`.
pub(super) static POSTGRES: LazyLock<Migrator> = LazyLock::new(|| migrator(POSTGRES_SOURCES));

#[rustfmt::skip]
const SQLITE_SOURCES: &[Source] = &[
    (1, "games", include_str!("../../migrations/sqlite/0001_games.sql")),
    (2, "seats", include_str!("../../migrations/sqlite/0002_seats.sql")),
    (3, "rematches", include_str!("../../migrations/sqlite/0003_rematches.sql")),
    (4, "seals", include_str!("../../migrations/sqlite/0004_seals.sql")),
    (5, "activity", include_str!("../../migrations/sqlite/0005_activity.sql")),
    (6, "takebacks", include_str!("../../migrations/sqlite/0006_takebacks.sql")),
    (7, "salts", include_str!("../../migrations/sqlite/0007_salts.sql")),
    (8, "origins", include_str!("../../migrations/sqlite/0008_origins.sql")),
    (9, "reviews", include_str!("../../migrations/sqlite/0009_reviews.sql")),
    (10, "uploads", include_str!("../../migrations/sqlite/0010_uploads.sql")),
    (11, "told", include_str!("../../migrations/sqlite/0011_told.sql")),
    (12, "programs", include_str!("../../migrations/sqlite/0012_programs.sql")),
    (13, "commits", include_str!("../../migrations/sqlite/0013_commits.sql")),
    (14, "uploaded", include_str!("../../migrations/sqlite/0014_uploaded.sql")),
    (15, "program lists", include_str!("../../migrations/sqlite/0015_program_lists.sql")),
    (16, "puzzles", include_str!("../../migrations/sqlite/0016_puzzles.sql")),
    (17, "open tables", include_str!("../../migrations/sqlite/0017_open_tables.sql")),
    (18, "feeds", include_str!("../../migrations/sqlite/0018_feeds.sql")),
    (19, "daily", include_str!("../../migrations/sqlite/0019_daily.sql")),
    (20, "turn clocks", include_str!("../../migrations/sqlite/0020_turn_clocks.sql")),
    (21, "cards", include_str!("../../migrations/sqlite/0021_cards.sql")),
    (22, "stored ms", include_str!("../../migrations/sqlite/0022_stored_ms.sql")),
    (23, "daily attempts", include_str!("../../migrations/sqlite/0023_daily_attempts.sql")),
    (24, "table networks", include_str!("../../migrations/sqlite/0024_table_networks.sql")),
    (25, "networks", include_str!("../../migrations/sqlite/0025_networks.sql")),
    (26, "feed fetches", include_str!("../../migrations/sqlite/0026_feed_fetches.sql")),
    (27, "daily networks", include_str!("../../migrations/sqlite/0027_daily_networks.sql")),
    (28, "hosts", include_str!("../../migrations/sqlite/0028_hosts.sql")),
    (29, "pairing codes", include_str!("../../migrations/sqlite/0029_pairing_codes.sql")),
    (30, "served", include_str!("../../migrations/sqlite/0030_served.sql")),
];

#[rustfmt::skip]
const POSTGRES_SOURCES: &[Source] = &[
    (1, "games", include_str!("../../migrations/postgres/0001_games.sql")),
    (2, "work", include_str!("../../migrations/postgres/0002_work.sql")),
    (3, "watching", include_str!("../../migrations/postgres/0003_watching.sql")),
    (4, "uploaded", include_str!("../../migrations/postgres/0004_uploaded.sql")),
    (5, "program lists", include_str!("../../migrations/postgres/0005_program_lists.sql")),
    (6, "puzzles", include_str!("../../migrations/postgres/0006_puzzles.sql")),
    (7, "open tables", include_str!("../../migrations/postgres/0007_open_tables.sql")),
    (8, "feeds", include_str!("../../migrations/postgres/0008_feeds.sql")),
    (9, "daily", include_str!("../../migrations/postgres/0009_daily.sql")),
    (10, "turn clocks", include_str!("../../migrations/postgres/0010_turn_clocks.sql")),
    (11, "cards", include_str!("../../migrations/postgres/0011_cards.sql")),
    (12, "stored ms", include_str!("../../migrations/postgres/0012_stored_ms.sql")),
    (13, "daily attempts", include_str!("../../migrations/postgres/0013_daily_attempts.sql")),
    (14, "table networks", include_str!("../../migrations/postgres/0014_table_networks.sql")),
    (15, "networks", include_str!("../../migrations/postgres/0015_networks.sql")),
    (16, "feed fetches", include_str!("../../migrations/postgres/0016_feed_fetches.sql")),
    (17, "daily networks", include_str!("../../migrations/postgres/0017_daily_networks.sql")),
    (18, "hosts", include_str!("../../migrations/postgres/0018_hosts.sql")),
    (19, "pairing codes", include_str!("../../migrations/postgres/0019_pairing_codes.sql")),
    (20, "served", include_str!("../../migrations/postgres/0020_served.sql")),
];

fn migrator(sources: &[Source]) -> Migrator {
    let migrations = sources.iter().map(|&(version, description, sql)| {
        let sql = SqlStr::from_static(sql);
        Migration::new(
            version,
            description.into(),
            MigrationType::Simple,
            sql,
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
}

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
