//! Registered programs and their games.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use crate::secret::SecretHash;
use crate::store::{
    FromRow, GameId, ParseGameIdError, RowReadError, SqlColumn, SqlRow, Store, StoreError,
    json_ids, params, row,
};

/// The public id of a program, used in URLs. It is not a secret.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ProgramId(GameId);

impl ProgramId {
    #[must_use]
    pub fn random() -> Self {
        ProgramId(GameId::random())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for ProgramId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ProgramId {
    type Err = ParseGameIdError;

    fn from_str(text: &str) -> Result<Self, ParseGameIdError> {
        text.parse().map(ProgramId)
    }
}

impl SqlColumn for ProgramId {
    fn read(row: &SqlRow, column: &str) -> Result<Option<Self>, RowReadError> {
        let id: Option<GameId> = row.get(column)?;
        Ok(id.map(ProgramId))
    }
}

row! {
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct RegisteredProgram {
        pub id: ProgramId,
        pub name: String,
        /// The hash of the token that authenticates it.
        pub token: SecretHash,
        /// The game type and parameters (JSON) that people who open its link play against it.
        pub game: String,
        /// Unix time of its registration, in milliseconds.
        pub created_ms: i64,
    }
}

/// A game in which a program has a seat or an invitation.
struct SeatOfProgram {
    game: GameId,
    token: SecretHash,
}

impl FromRow for SeatOfProgram {
    fn from_row(row: &SqlRow) -> Result<Self, RowReadError> {
        Ok(SeatOfProgram {
            game: row.get("game")?,
            token: row.get("token")?,
        })
    }
}

/// A finished game of a program.
struct Finish(i64, GameId);

impl FromRow for Finish {
    fn from_row(row: &SqlRow) -> Result<Self, RowReadError> {
        Ok(Finish(row.get("number")?, row.get("id")?))
    }
}

const GAMES_OF_PROGRAM: &str =
    "SELECT id FROM program_game CROSS JOIN game WHERE game.serial = program_game.serial AND token = $1
    ORDER BY active_ms DESC, game.serial DESC LIMIT $2";

/// The newest finishes of a program after the given number. A number that was never assigned comes from another
/// database: the list then starts after the last reported finish.
const PROGRAM_FINISHES: &str = "SELECT number, id
    FROM program_finish CROSS JOIN game
    WHERE game.serial = program_finish.serial AND token = $1 AND number >
        (SELECT CASE WHEN $2 <= reported_finish
                OR EXISTS (SELECT 1 FROM program_finish AS known WHERE known.token = $1 AND known.number >= $2)
            THEN $2 ELSE reported_finish END
        FROM program WHERE program.token = $1)
    ORDER BY number DESC LIMIT $3";

impl dyn Store {
    /// # Errors
    /// [`StoreError::Exists`] if the id or the token is in use.
    pub async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError> {
        let statement = "INSERT INTO program (id, name, token, game, created_ms, active_ms)
            VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT DO NOTHING";
        let RegisteredProgram {
            id,
            name,
            token,
            game,
            created_ms,
        } = program;
        let values = params![id.as_str(), name, &token, game, created_ms];
        match self.execute(statement, values).await? {
            0 => Err(StoreError::Exists),
            _ => Ok(()),
        }
    }

    /// A program whose row is damaged is unknown.
    pub async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError> {
        let query = "SELECT * FROM program WHERE id = $1";
        let found = self.fetch_undamaged(query, params![id.as_str()]).await?;
        Ok(found.into_iter().next())
    }

    pub async fn program_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        let query = "SELECT * FROM program WHERE token = $1";
        let found = self.fetch_undamaged(query, params![token]).await?;
        Ok(found.into_iter().next())
    }

    /// Records when a program was last active; an earlier time than the stored one has no effect.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] if no program has this token.
    pub async fn touch_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        let statement =
            "UPDATE program SET active_ms = CASE WHEN active_ms < $2 THEN $2 ELSE active_ms END
            WHERE token = $1";
        match self.execute(statement, params![token, at_ms]).await? {
            0 => Err(StoreError::NotFound),
            _ => Ok(()),
        }
    }

    /// Deletes the programs that were last active before `before_ms`; returns their number. Their games remain.
    pub async fn delete_inactive_programs(&self, before_ms: i64) -> Result<u64, StoreError> {
        let statement = "DELETE FROM program WHERE active_ms < $1";
        self.execute(statement, params![before_ms]).await
    }

    /// The given games in which one of these programs has a seat or an invitation, finished games included.
    pub async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError> {
        let query =
            "SELECT game, coalesce(invitation, token) AS token FROM seat WHERE game IN ($1[])";
        let seats = self
            .fetch_undamaged(query, params![json_ids(games)])
            .await?;
        let seats = seats.into_iter();
        let seats = seats.filter(|seat: &SeatOfProgram| tokens.contains(&seat.token));
        let found: HashSet<GameId> = seats.map(|seat| seat.game).collect();
        let found = games.iter().filter(|id| found.contains(id));
        Ok(found.cloned().collect())
    }

    /// Up to `limit` unfinished games in which the program has a seat or an invitation, newest activity first. Only seats
    /// and invitations that it received after its registration count.
    pub async fn list_games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let values = params![token, limit];
        self.fetch_undamaged(GAMES_OF_PROGRAM, values).await
    }

    /// The number of unfinished games in which the program has an unanswered invitation.
    pub async fn count_invitations(&self, token: &SecretHash) -> Result<u32, StoreError> {
        let query =
            "SELECT count(*) AS invitations FROM program_game WHERE token = $1 AND is_invited = 1";
        let count = self.fetch_optional(query, params![token]).await?;
        Ok(count.unwrap_or_default())
    }

    /// The newest `limit` finished games of a program whose finish number exceeds `after`, in ascending order. Finish
    /// numbers increase with each game that ends. If `after` is `None` or exceeds every finish number of the program's
    /// games, the list starts after the last finish that was reported to the program.
    pub async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError> {
        let values = params![token, after.unwrap_or(i64::MAX), limit];
        let newest = self.fetch_undamaged(PROGRAM_FINISHES, values).await?;
        let finishes = newest.into_iter().rev();
        Ok(finishes.map(|Finish(number, id)| (number, id)).collect())
    }

    /// Records that the finishes of the program's games up to this number were reported to it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] if no program has this token.
    pub async fn mark_finishes_reported(
        &self,
        token: &SecretHash,
        number: i64,
    ) -> Result<(), StoreError> {
        let statement = "UPDATE program
            SET reported_finish = CASE WHEN reported_finish < $2 THEN $2 ELSE reported_finish END WHERE token = $1";
        match self.execute(statement, params![token, number]).await? {
            0 => Err(StoreError::NotFound),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::GameStore as _;
    use crate::store::sqlite::SqliteStore;

    #[tokio::test]
    async fn lists_of_programs_use_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("games.db")).await;
        let store = store.unwrap();
        for (query, index) in [
            (GAMES_OF_PROGRAM, "program_game"),
            (PROGRAM_FINISHES, "program_finish_token"),
        ] {
            let plan = store.query_plan(query).await;
            assert!(plan.contains(index), "{index}: {plan}");
            assert!(!plan.contains("SCAN game"), "{index}: {plan}");
            // The unfinished games of one program are few.
            let sorts = plan.matches("TEMP B-TREE FOR ORDER BY").count();
            assert!(sorts <= usize::from(query == GAMES_OF_PROGRAM), "{plan}");
        }
        store.close().await;
    }
}
