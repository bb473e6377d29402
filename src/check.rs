//! The command `check`: checks the integrity of a database and of all its games.
//!
//! It only reads, and a server may have the database open. A game is intact if its hashes match (see
//! [`crate::store::hash_chain`]) and its record can be replayed by the rules.

use std::io::{self, Write};

use futures_util::future::LocalBoxFuture;

use crate::formats::saved_game::SavedGame;
use crate::games::Registry;
use crate::store::reader::DatabaseReader;
use crate::store::{OpenError, StoredGame};

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct IntegrityReport {
    pub games: usize,
    pub damaged: usize,
    /// Number of integrity errors of the database as a whole.
    pub database_errors: usize,
}

impl IntegrityReport {
    #[must_use]
    pub const fn is_intact(&self) -> bool {
        self.damaged == 0 && self.database_errors == 0
    }
}

/// Why a check could not be completed.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot write what was found: {0}")]
    Output(#[from] io::Error),
}

/// Checks a database; writes one line per error and a summary.
///
/// The future is boxed so that the stores are compiled once, with this library.
///
/// # Errors
/// If the database cannot be opened or the output is closed.
pub fn check<'a>(
    location: &'a str,
    games: &'a Registry,
    output: &'a mut dyn Write,
) -> LocalBoxFuture<'a, Result<IntegrityReport, CheckError>> {
    Box::pin(async move {
        let mut reader = DatabaseReader::open(location).await?;
        let mut found = IntegrityReport::default();
        for complaint in reader.integrity_errors().await {
            found.database_errors += 1;
            writeln!(output, "database: {}", complaint.replace('\n', " "))?;
        }
        let ids = match reader.games().await {
            Ok(ids) => ids,
            Err(error) => {
                found.database_errors += 1;
                writeln!(output, "database: {error}")?;
                Vec::new()
            }
        };
        for id in ids {
            let error = match reader.load(&id).await {
                Ok(Some(stored)) => replay(games, &stored).err(),
                Ok(None) => continue,
                Err(error) => Some(error),
            };
            found.games += 1;
            if let Some(error) = error {
                found.damaged += 1;
                writeln!(output, "game {id}: {error}")?;
            }
        }
        let IntegrityReport { games, damaged, .. } = found;
        writeln!(
            output,
            "{games} games, {} whole, {damaged} damaged",
            games - damaged
        )?;
        Ok(found)
    })
}

fn replay(games: &Registry, stored: &StoredGame) -> Result<(), String> {
    let saved = SavedGame {
        parameters: &stored.header.game,
        start: &stored.header.start,
        entries: &stored.entries,
        ending: stored.ending,
    };
    let replayed = games.load(&saved);
    replayed.map(drop).map_err(|error| error.to_string())
}
