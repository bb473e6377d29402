//! Deletes games: expired ones, and single ones.

use async_trait::async_trait;

use crate::store::change::{Change, ChangeConnection, ChangeError};
use crate::store::database::connection::params;
use crate::store::error::StoreError;
use crate::store::id::{GameId, json_ids};
use crate::store::traits::Store;

/// Unix times in milliseconds; a game expires if its last activity lies before the cutoff of its kind. `None`
/// keeps games of that kind forever.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RetentionCutoffs {
    /// Games whose record was uploaded, finished or not.
    pub uploaded_ms: Option<i64>,
    /// Finished games; the time of the finish mark counts.
    pub finished_ms: Option<i64>,
    /// Unfinished games in which a person has played.
    pub abandoned_ms: Option<i64>,
    /// Games in which no person has played, with at most one person and no open seat.
    pub untouched_ms: Option<i64>,
    /// Games in which no person has played yet but people may still come: with an open seat or at least two
    /// people.
    pub awaited_ms: Option<i64>,
}

pub(in crate::store) const FINISHED: &str = "SELECT id FROM game WHERE finished_ms < $1 AND uploaded = 0 ORDER BY finished_ms, serial LIMIT $2";

pub(in crate::store) const UPLOADED: &str =
    "SELECT id FROM game WHERE uploaded = 1 AND active_ms < $1 ORDER BY active_ms, serial LIMIT $2";

pub(in crate::store) const UNTOUCHED: &str = "SELECT id FROM game
    WHERE finished_ms IS NULL AND played = 0 AND people < 2 AND open_seats = 0 AND active_ms < $1 AND uploaded = 0
    ORDER BY active_ms, serial LIMIT $2";

pub(in crate::store) const AWAITED: &str = "SELECT id FROM game
    WHERE finished_ms IS NULL AND played = 0 AND (people > 1 OR open_seats > 0) AND active_ms < $1 AND uploaded = 0
    ORDER BY active_ms, serial LIMIT $2";

/// One statement per pace, because the index of unfinished games begins with the pace.
pub(in crate::store) const ABANDONED: [&str; 2] = [
    "SELECT id FROM game
        WHERE finished_ms IS NULL AND pace = 'at-once' AND played = 1 AND active_ms < $1 AND uploaded = 0
        ORDER BY active_ms, serial LIMIT $2",
    "SELECT id FROM game
        WHERE finished_ms IS NULL AND pace = 'on-request' AND played = 1 AND active_ms < $1 AND uploaded = 0
        ORDER BY active_ms, serial LIMIT $2",
];

struct DeleteExpired {
    games: Vec<GameId>,
    cutoffs: RetentionCutoffs,
}

#[async_trait]
impl Change for DeleteExpired {
    fn games(&self) -> &[GameId] {
        &self.games
    }

    fn invalidates_append_points(&self) -> bool {
        true
    }

    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        // A comparison with a missing cutoff is NULL, which counts as false.
        let statement = "DELETE FROM game WHERE id IN ($1[]) AND CASE
            WHEN uploaded = 1 THEN active_ms < $6
            WHEN finished_ms IS NOT NULL THEN finished_ms < $2
            WHEN played = 1 THEN active_ms < $3
            WHEN people > 1 OR open_seats > 0 THEN active_ms < $5
            ELSE active_ms < $4 END";
        let values = params![
            json_ids(&self.games),
            self.cutoffs.finished_ms,
            self.cutoffs.abandoned_ms,
            self.cutoffs.untouched_ms,
            self.cutoffs.awaited_ms,
            self.cutoffs.uploaded_ms,
        ];
        Ok(connection.execute(statement, values).await?)
    }
}

struct DeleteGame {
    game: [GameId; 1],
    seats_revision: u32,
}

#[async_trait]
impl Change for DeleteGame {
    fn games(&self) -> &[GameId] {
        &self.game
    }

    fn invalidates_append_points(&self) -> bool {
        true
    }

    async fn apply(&self, connection: &mut dyn ChangeConnection) -> Result<u64, ChangeError> {
        let [id] = &self.game;
        let statement = "DELETE FROM game WHERE id = $1 AND seats_revision = $2";
        let values = params![id, self.seats_revision];
        Ok(connection.execute(statement, values).await?)
    }
}

impl dyn Store {
    /// Deletes the game with everything that belongs to it if its seats are still at this revision; returns whether it
    /// did.
    pub async fn delete_game(&self, id: &GameId, seats_revision: u32) -> Result<bool, StoreError> {
        let game = [id.clone()];
        let change = DeleteGame {
            game,
            seats_revision,
        };
        Ok(self.apply(Box::new(change)).await? > 0)
    }

    /// Up to `limit` games that have expired, grouped by kind, oldest activity first.
    pub async fn list_expired(
        &self,
        cutoffs: &RetentionCutoffs,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let kinds = [
            (UPLOADED, cutoffs.uploaded_ms),
            (FINISHED, cutoffs.finished_ms),
            (UNTOUCHED, cutoffs.untouched_ms),
            (AWAITED, cutoffs.awaited_ms),
            (ABANDONED[0], cutoffs.abandoned_ms),
            (ABANDONED[1], cutoffs.abandoned_ms),
        ];
        let mut found: Vec<GameId> = Vec::new();
        for (query, before_ms) in kinds {
            let remaining = i64::from(limit) - i64::try_from(found.len()).unwrap_or(i64::MAX);
            if let (Some(before_ms), 1..) = (before_ms, remaining) {
                let values = params![before_ms, remaining];
                found.extend(self.fetch_undamaged(query, values).await?);
            }
        }
        Ok(found)
    }

    /// Deletes those of the given games that are expired now; returns their number. All are deleted in one transaction:
    /// pass about a hundred at a time so that appends do not wait long.
    pub async fn delete_expired(
        &self,
        games: Vec<GameId>,
        cutoffs: RetentionCutoffs,
    ) -> Result<u64, StoreError> {
        self.apply(Box::new(DeleteExpired { games, cutoffs })).await
    }

    /// Unix time of the latest activity in any game, in milliseconds; `None` without games.
    pub async fn last_activity_ms(&self) -> Result<Option<i64>, StoreError> {
        let query = "SELECT at_ms FROM (
                SELECT max(active_ms) AS at_ms FROM game WHERE finished_ms IS NULL AND pace = 'at-once'
                UNION ALL
                SELECT max(active_ms) FROM game WHERE finished_ms IS NULL AND pace = 'on-request'
                UNION ALL
                SELECT max(finished_ms) FROM game WHERE finished_ms IS NOT NULL) AS newest
            WHERE at_ms IS NOT NULL ORDER BY at_ms DESC LIMIT 1";
        self.fetch_optional(query, params![]).await
    }
}
