//! Rematches: the one there is of its kind, or a new game with the same people.

use super::table::TableCommand;
use super::{ClientNetwork, Credentials, SeatChangeError, Service, ServiceError, Snapshot};
use crate::game_adapters::StartPosition;
use crate::seats::RematchKind;
use crate::secret::Secret;
use crate::store::{GameHeader, GameId, StoreError};

impl Service {
    /// The rematch of a finished game, for somebody seated in it: the one there is, or a new one.
    /// `asker` is the secret of the browser that asks; its links are ready at once.
    ///
    /// # Errors
    /// When no seat is opened, the game goes on, or the archive fails.
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
        if !snapshot.offers(kind) {
            let why = SeatChangeError::NoSuchLevel;
            return Err(ServiceError::SeatRefused { why, snapshot });
        }
        // Of two who ask at once the archive takes one, and the other finds it.
        for _ in 0..2 {
            if let Some(made) = self.rematch_made(id, kind).await? {
                return Ok(made);
            }
            self.room_for_a_game()?;
            match self
                .make_rematch(&snapshot, kind, asker, claim.household)
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
                // As a game that is set up with a press.
                StartPosition::Deal(game.even_seed(machine.number()))
            }
            RematchKind::Same => StartPosition::Exactly(of.live.start_text()),
        };
        // What was dealt once can be dealt again; should it not, the log says why.
        let live = game
            .begin(&start)
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
        // Its table comes up now, so that computers begin; whoever looks brings it up otherwise.
        let begun = self.load(&id).await.and_then(|table| {
            table.visits().note(household);
            self.seat_table(table)
        });
        if let Err(error) = begun {
            tracing::warn!(%id, %error, "a rematch could not begin");
        }
        // Whoever still follows the finished game hears of it; others read it on its page.
        let door = self.shared.doors().find(&of.id);
        if let Some(door) = door {
            let command = TableCommand::Rematch { id: id.clone() };
            let _ = door.inbox.try_send(Box::new(command));
        }
        Ok(id)
    }
}
