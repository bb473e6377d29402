//! Rematches: at most one of each kind per game.

use super::table::TableCommand;
use super::{ClientNetwork, Credentials, SeatChangeError, Service, ServiceError, Snapshot};
use crate::game_adapters::StartPosition;
use crate::seats::RematchKind;
use crate::secret::Secret;
use crate::store::{GameHeader, GameId, StoreError};

impl Service {
    /// The rematch of a finished game for one of its players: the existing one, or a new one. `asker` is the requesting
    /// browser's secret, for which links are created at once.
    ///
    /// # Errors
    /// If the client has no seat, the game is in progress, or the store fails.
    pub async fn rematch(
        &self,
        id: &GameId,
        claim: &Credentials,
        kind: RematchKind,
        asker: Option<&Secret>,
    ) -> Result<GameId, ServiceError> {
        let snapshot = self.snapshot(id).await?;
        if snapshot.seats_of(claim).is_empty() {
            return Err(ServiceError::NotYourSeat { snapshot });
        }
        if !snapshot.live.is_over() {
            let why = SeatChangeError::GoesOn;
            return Err(ServiceError::SeatRefused { why, snapshot });
        }
        if !snapshot.allows_rematch(kind) {
            let why = SeatChangeError::NoSuchLevel;
            return Err(ServiceError::SeatRefused { why, snapshot });
        }
        // If two clients create it at the same time, the store accepts one, and the other finds that one.
        for _ in 0..2 {
            if let Some(made) = self.rematch_made(id, kind).await? {
                return Ok(made);
            }
            self.check_quota()?;
            match self
                .make_rematch(&snapshot, kind, asker, claim.client_network)
                .await
            {
                Ok(made) => return Ok(made),
                Err(StoreError::Exists) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let made = self.rematch_made(id, kind).await?;
        made.ok_or(ServiceError::Unavailable)
    }

    async fn rematch_made(
        &self,
        id: &GameId,
        kind: RematchKind,
    ) -> Result<Option<GameId>, ServiceError> {
        let made = self.shared.archive.rematches_of(id).await?;
        let made = made.into_iter().find(|(of, _)| *of == kind);
        Ok(made.map(|(_, id)| id))
    }

    async fn make_rematch(
        &self,
        of: &Snapshot,
        kind: RematchKind,
        asker: Option<&Secret>,
        household: Option<ClientNetwork>,
    ) -> Result<GameId, StoreError> {
        let (game, machine) = (of.live.setting(), &self.shared.machine);
        let start = match kind {
            RematchKind::New | RematchKind::Easier | RematchKind::Harder => {
                // Deals as the start page does.
                StartPosition::Deal(game.balanced_seed(machine.number()))
            }
            RematchKind::Same => StartPosition::Exactly(of.live.start_text()),
        };
        // The same deal or start was valid before, so this error is unexpected and is logged.
        let live = game
            .new_game(&start)
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let (id, created_ms) = (machine.game_id(), machine.now_ms());
        let seats = of.rematch_seats(&id, kind, asker, machine);
        let header = GameHeader {
            id: id.clone(),
            game: game.parameters_text(),
            start: live.start_text(),
            dice: machine.dice(),
            pace: of.pace,
            creator: of.creator,
            book_of: None,
            created_ms,
            private: of.private,
            replace_after_s: of.replace_after_s,
            rematch_of: Some((of.id.clone(), kind)),
            origin: None,
            takebacks: of.takebacks,
            hints: of.hints,
        };
        let game = header.game.clone();
        self.shared.archive.create(header, seats).await?;
        tracing::info!(%id, game, "a game begins");
        // Starts the table now so that computers begin; otherwise the next view would start it.
        let begun = self.load(&id).await.and_then(|table| {
            table.visits().record_view(household);
            self.start_table(table)
        });
        if let Err(error) = begun {
            tracing::warn!(%id, %error, "the table of a rematch could not be started");
        }
        // Notifies subscribers of the finished game; others see the rematch on its page.
        let door = self.shared.tables().find(&of.id);
        if let Some(door) = door {
            let command = TableCommand::Rematch { id: id.clone() };
            let _ = door.inbox.try_send(Box::new(command));
        }
        Ok(id)
    }
}
