//! Read-only access to a snapshot of a database, to check or copy it. A server may have it open at the same
//! time.

use std::fmt::Display;
use std::path::Path;

use super::sql::connection::{SqlConnection, SqlRow, SqlValue};
use super::sql::decode::{
    GameRows, RowReadError, parse_counts, parse_daily_deal, parse_daily_score, parse_feed,
    parse_program_with_activity, parse_puzzle_answer, required_number, required_text,
};
use super::sql::queries;
use super::{
    DailyDeal, DailyScore, ExportedGame, GameId, OpenError, PuzzleAnswer, RegisteredProgram,
    StoredFeed, StoredGame, postgres, sqlite,
};

pub struct DatabaseReader {
    /// A connection in a transaction that sees one snapshot.
    pub(super) snapshot: Box<dyn SqlConnection>,
    /// Errors for which a server would refuse to start.
    pub(super) startup_errors: Vec<String>,
}

/// A stored review: the time of a pending request in Unix milliseconds, and the latest review.
pub type ExportedReview = (Option<i64>, Option<String>);

impl DatabaseReader {
    /// Opens the database that `location` names for reading: `postgres://…`, `sqlite:PATH`, or a file path.
    ///
    /// # Errors
    /// [`OpenError`], with a message for the operator.
    pub async fn open(location: &str) -> Result<Self, OpenError> {
        let scheme = location.split_once(':').map_or("", |(scheme, _)| scheme);
        if matches!(scheme, "postgres" | "postgresql") {
            return Ok(postgres::open_reader(location).await?);
        }
        let path = location.strip_prefix("sqlite:").unwrap_or(location);
        sqlite::open_reader(Path::new(path.strip_prefix("//").unwrap_or(path))).await
    }

    /// The errors that the database's own integrity check reports; empty if it is intact. PostgreSQL checks its
    /// pages while it reads them, so nothing is reported here.
    pub async fn integrity_errors(&mut self) -> Vec<String> {
        let mut errors = std::mem::take(&mut self.startup_errors);
        if let Some(check) = self.snapshot.statements().integrity_check {
            match self.fetch_texts(check, "integrity_check").await {
                Ok(found) => errors.extend(found.into_iter().filter(|error| error != "ok")),
                Err(error) => errors.push(error),
            }
        }
        errors
    }

    /// The ids of all games, including games of which only some rows are left.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn games(&mut self) -> Result<Vec<String>, String> {
        let query = self.snapshot.statements().all_ids;
        self.fetch_texts(query, "id").await
    }

    /// The ids of all games in order of creation.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn game_ids_by_creation(&mut self) -> Result<Vec<String>, String> {
        self.fetch_texts(queries::OLDEST_FIRST, "id").await
    }

    /// A game, or `None` if the id is unknown.
    ///
    /// # Errors
    /// A message if it cannot be read or the integrity check fails.
    pub async fn load(&mut self, id: &str) -> Result<Option<StoredGame>, String> {
        let id: GameId = id.parse().map_err(|_| "no game has such a name")?;
        let rows = GameRows::read(&mut *self.snapshot, &id).await;
        let stored = rows.and_then(|rows| rows.map(|rows| rows.to_verified_game(&id)).transpose());
        stored.map_err(|error| error.to_string())
    }

    /// Like [`DatabaseReader::load`], with the derived data of lists.
    ///
    /// # Errors
    /// A message if it cannot be read or the integrity check fails.
    pub async fn load_exported(&mut self, id: &str) -> Result<Option<ExportedGame>, String> {
        let Some(stored) = self.load(id).await? else {
            return Ok(None);
        };
        let rows = self.fetch(queries::DERIVED_COLUMNS, &[id.into()]).await?;
        let exported = rows.first().map(|row| {
            Ok::<_, RowReadError>(ExportedGame {
                stored,
                played: required_number::<i64>(row, "played")? != 0,
                active_ms: required_number(row, "active_ms")?,
            })
        });
        exported.transpose().map_err(format_error)
    }

    /// # Errors
    /// A message why it cannot be read.
    pub async fn review(&mut self, id: &str) -> Result<Option<ExportedReview>, String> {
        let rows = self.fetch(queries::REVIEW, &[id.into()]).await?;
        let review = rows.first().map(|row| {
            let review = row.text("review")?.map(str::to_owned);
            Ok::<_, sqlx::Error>((row.integer("wanted_ms")?, review))
        });
        review.transpose().map_err(format_error)
    }

    /// All programs, each with the Unix time of its last activity in milliseconds.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn programs(&mut self) -> Result<Vec<(RegisteredProgram, i64)>, String> {
        let rows = self.fetch(queries::PROGRAMS, &[]).await?;
        let programs = rows
            .iter()
            .filter_map(|row| parse_program_with_activity(row).transpose());
        programs.collect::<Result<_, _>>().map_err(format_error)
    }

    /// All feeds.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn feeds(&mut self) -> Result<Vec<StoredFeed>, String> {
        let rows = self.fetch(queries::ALL_FEEDS, &[]).await?;
        let feeds = rows.iter().map(parse_feed);
        feeds.collect::<Result<_, _>>().map_err(format_error)
    }

    /// All answers to puzzles.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn puzzle_answers(&mut self) -> Result<Vec<PuzzleAnswer>, String> {
        let rows = self.fetch(queries::ALL_PUZZLE_ANSWERS, &[]).await?;
        let answers = rows.iter().map(parse_puzzle_answer);
        answers.collect::<Result<_, _>>().map_err(format_error)
    }

    /// The secrets of all days.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn daily_deals(&mut self) -> Result<Vec<DailyDeal>, String> {
        let rows = self.fetch(queries::DAILY_DEALS, &[]).await?;
        let deals = rows.iter().map(parse_daily_deal);
        deals.collect::<Result<_, _>>().map_err(format_error)
    }

    /// The scores of all days.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn daily_scores(&mut self) -> Result<Vec<DailyScore>, String> {
        let rows = self.fetch(queries::ALL_DAILY_SCORES, &[]).await?;
        let scores = rows.iter().map(parse_daily_score);
        scores.collect::<Result<_, _>>().map_err(format_error)
    }

    /// All counters, by name.
    ///
    /// # Errors
    /// A message why they cannot be read.
    pub async fn counts(&mut self) -> Result<Vec<(String, u64)>, String> {
        let rows = self.fetch(queries::COUNTS, &[]).await?;
        parse_counts(&rows).map_err(format_error)
    }

    async fn fetch(
        &mut self,
        query: &'static str,
        values: &[SqlValue<'_>],
    ) -> Result<Vec<SqlRow>, String> {
        let rows = self.snapshot.fetch_all(query, values).await;
        rows.map_err(format_error)
    }

    /// A text column of a query.
    async fn fetch_texts(
        &mut self,
        query: &'static str,
        column: &str,
    ) -> Result<Vec<String>, String> {
        let rows = self.fetch(query, &[]).await?;
        let texts = rows
            .iter()
            .map(|row| required_text(row, column).map(str::to_owned));
        texts.collect::<Result<_, _>>().map_err(format_error)
    }
}

/// Formats an error; SQLite files of earlier releases lack tables that a copy needs.
fn format_error(error: impl Display) -> String {
    let error = error.to_string();
    match error.contains("no such") {
        true => format!("{error}: a file of an earlier release is served once before it is copied"),
        false => error,
    }
}
