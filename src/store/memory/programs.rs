//! Registered programs in memory.

use async_trait::async_trait;

use super::game::{MemoryGame, program_seat};
use super::{MemoryStore, ids};
use crate::seats::Seat;
use crate::secret::SecretHash;
use crate::store::{GameId, ProgramId, ProgramStore, RegisteredProgram, StoreError};

#[derive(Debug)]
pub(super) struct MemoryProgram {
    pub(super) program: RegisteredProgram,
    /// Unix time of its last activity.
    pub(super) seen_ms: i64,
    /// The last finish number reported to it.
    pub(super) reported_finish: i64,
}

#[async_trait]
impl ProgramStore for MemoryStore {
    async fn add_program(&self, program: RegisteredProgram) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let is_taken =
            |known: &RegisteredProgram| known.id == program.id || known.token == program.token;
        if games.programs.iter().any(|entry| is_taken(&entry.program)) {
            return Err(StoreError::Exists);
        }
        games.programs.push(MemoryProgram {
            seen_ms: program.created_ms,
            program,
            reported_finish: 0,
        });
        Ok(())
    }

    async fn program(&self, id: &ProgramId) -> Result<Option<RegisteredProgram>, StoreError> {
        let games = self.lock_games()?;
        let mut programs = games.programs.iter().map(|entry| &entry.program);
        Ok(programs.find(|program| program.id == *id).cloned())
    }

    async fn program_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, StoreError> {
        let games = self.lock_games()?;
        let mut programs = games.programs.iter().map(|entry| &entry.program);
        Ok(programs.find(|program| program.token == *token).cloned())
    }

    async fn touch_program(&self, token: &SecretHash, at_ms: i64) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let entry = games.program(token)?;
        entry.seen_ms = entry.seen_ms.max(at_ms);
        Ok(())
    }

    async fn delete_inactive_programs(&self, before_ms: i64) -> Result<u64, StoreError> {
        let mut games = self.lock_games()?;
        let before = games.programs.len();
        games.programs.retain(|entry| entry.seen_ms >= before_ms);
        Ok((before - games.programs.len()) as u64)
    }

    async fn with_programs(
        &self,
        games: &[GameId],
        tokens: &[SecretHash],
    ) -> Result<Vec<GameId>, StoreError> {
        let all = self.lock_games()?;
        let sits =
            |seat: &Seat| program_seat(&seat.occupant).is_some_and(|(own, _)| tokens.contains(own));
        let found = games.iter().filter(|id| {
            let game = all.by_id.get(*id);
            game.is_some_and(|game| game.stored.seats.seats.iter().any(sits))
        });
        Ok(found.cloned().collect())
    }

    async fn list_games_of_program(
        &self,
        token: &SecretHash,
        limit: u32,
    ) -> Result<Vec<GameId>, StoreError> {
        let is_listed = |game: &MemoryGame| !game.is_finished() && game.has_program(token);
        let games = self.lock_games()?;
        Ok(ids(games.newest_active(is_listed), limit))
    }

    async fn count_invitations(&self, token: &SecretHash) -> Result<u32, StoreError> {
        let is_invited =
            |seat: &Seat| matches!(program_seat(&seat.occupant), Some((own, true)) if own == token);
        let has_invitation = |game: &MemoryGame| {
            !game.is_finished() && game.stored.seats.seats.iter().any(is_invited)
        };
        let games = self.lock_games()?;
        let waiting = games
            .by_id
            .values()
            .filter(|game| has_invitation(game))
            .count();
        Ok(u32::try_from(waiting).unwrap_or(u32::MAX))
    }

    async fn list_program_finishes(
        &self,
        token: &SecretHash,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<(i64, GameId)>, StoreError> {
        let mut games = self.lock_games()?;
        let Ok(reported) = games.program(token).map(|entry| entry.reported_finish) else {
            return Ok(Vec::new());
        };
        let mut ends: Vec<(i64, GameId)> = games
            .by_id
            .values()
            .filter(|game| game.has_program(token))
            .filter_map(|game| Some((game.finish_number?, game.stored.header.id.clone())))
            .collect();
        ends.sort();
        let newest = ends
            .last()
            .map_or(reported, |(number, _)| reported.max(*number));
        let after = after.filter(|after| *after <= newest).unwrap_or(reported);
        ends.retain(|(number, _)| *number > after);
        let passed_over = ends.len().saturating_sub(limit as usize);
        Ok(ends.split_off(passed_over))
    }

    async fn mark_finishes_reported(
        &self,
        token: &SecretHash,
        number: i64,
    ) -> Result<(), StoreError> {
        let mut games = self.lock_games()?;
        let entry = games.program(token)?;
        entry.reported_finish = entry.reported_finish.max(number);
        Ok(())
    }
}
