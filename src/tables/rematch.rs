//! Rematches: at most one of each kind per game. Several people, who would otherwise wait for each other in different ones,
//! have at most one besides that on the same board.

use super::command::TableCommand;
use crate::client_network::ClientNetwork;
use crate::games::StartPosition;
use crate::seats::{Credentials, RematchKind, Seats};
use crate::secret::Secret;
use crate::store::{GameHeader, GameId, StoreError};
use crate::tables::error::{SeatChangeError, ServiceError};
use crate::tables::seat_changes::new_table_link;
use crate::tables::snapshot::Snapshot;
use crate::tables::state::Service;

impl Service {
    /// The rematch of a finished game for one of its players: the existing one, or a new one. `requester` is the
    /// requesting browser's secret, for which links are created at once.
    ///
    /// # Errors
    /// If the client has no seat, the game is in progress, or the store fails.
    pub async fn rematch(
        &self,
        id: &GameId,
        credentials: &Credentials,
        kind: RematchKind,
        requester: Option<&Secret>,
    ) -> Result<GameId, ServiceError> {
        let snapshot = self.snapshot(id).await?;
        let own = snapshot.seats_of(credentials);
        if own.is_empty() {
            return Err(ServiceError::NotYourSeat { snapshot });
        }
        if !snapshot.live.is_over() {
            let why = SeatChangeError::GameInProgress;
            return Err(ServiceError::SeatChangeRejected { why, snapshot });
        }
        if !snapshot.allows_rematch(kind) {
            let why = SeatChangeError::NoSuchLevel;
            return Err(ServiceError::SeatChangeRejected { why, snapshot });
        }
        let is_shared = snapshot.has_others(&own);
        // If two clients create it at the same time, the store accepts one, and the other finds that one.
        for _ in 0..2 {
            if let Some(rematch) = find_rematch(self, id, kind, is_shared).await? {
                return Ok(rematch);
            }
            self.check_quota()?;
            let network = credentials.client_network;
            match create_rematch(self, &snapshot, kind, requester, network).await {
                Ok(rematch) => return Ok(rematch),
                Err(StoreError::Exists) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let rematch = find_rematch(self, id, kind, is_shared).await?;
        rematch.ok_or(ServiceError::Unavailable)
    }
}

/// The rematch that a player of this game gets who requests one of this kind.
async fn find_rematch(
    service: &Service,
    id: &GameId,
    kind: RematchKind,
    is_shared: bool,
) -> Result<Option<GameId>, ServiceError> {
    let is_same = |kind: &RematchKind| *kind == RematchKind::Same;
    let rematch = service.shared.store.rematches_of(id).await?;
    let rematch = rematch.into_iter().find(|(existing, _)| {
        *existing == kind || is_shared && !is_same(existing) && !is_same(&kind)
    });
    Ok(rematch.map(|(_, id)| id))
}

async fn create_rematch(
    service: &Service,
    finished: &Snapshot,
    kind: RematchKind,
    requester: Option<&Secret>,
    client_network: Option<ClientNetwork>,
) -> Result<GameId, StoreError> {
    let (game, environment) = (finished.live.configured_game(), &service.shared.environment);
    let start = match kind {
        RematchKind::New | RematchKind::Easier | RematchKind::Harder => {
            // Deals as the start page does.
            StartPosition::Dealt(game.balanced_seed(environment.random_number()))
        }
        RematchKind::Same => StartPosition::Given(finished.live.position_at(0).setup_json()),
    };
    // The same deal or start was valid before, so this error is unexpected and is logged.
    let live = game
        .new_game(&start)
        .map_err(|error| StoreError::Unavailable(error.to_string()))?;
    let (id, created_ms) = (environment.game_id(), environment.now_ms());
    let seats = finished.rematch_seats(&id, kind, requester, environment);
    let header = GameHeader {
        id: id.clone(),
        game: game.parameters_text(),
        start: live.position_at(0).setup_json(),
        dice: Some(environment.dice()),
        pace: finished.pace,
        creator: finished.creator().copied(),
        book_of: None,
        created_ms,
        private: finished.private,
        replace_after_s: finished.replace_after_s,
        rematch_of: Some((finished.id.clone(), kind)),
        origin: None,
        takebacks: finished.takebacks,
        hints: finished.hints,
        turn_s: finished.turn_s,
    };
    let game = header.game.clone();
    let host = requester.filter(|secret| header.creator == Some(secret.hash()));
    let link = || host.map(|host| new_table_link(host, &id, environment));
    let seats = Seats::awaiting_players(seats, link);
    let store = &service.shared.store;
    store
        .create_together(header, seats, Vec::new(), None)
        .await?;
    tracing::info!(%id, game, "a game was created");
    // Starts the table now so that computers begin; otherwise the next view would start it.
    let started = service.load(&id).await.and_then(|table| {
        table.viewer_activity().record_view(client_network);
        service.start_table(table)
    });
    if let Err(error) = started {
        tracing::warn!(%id, %error, "the table of a rematch could not be started");
    }
    // Notifies subscribers of the finished game; others see the rematch on its page.
    let handle = service.shared.tables.lock().find(&finished.id);
    if let Some(handle) = handle {
        let command = TableCommand::Rematch { id: id.clone() };
        let _ = handle.inbox.try_send(Box::new(command));
    }
    Ok(id)
}
