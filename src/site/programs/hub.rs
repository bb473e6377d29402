//! Registered programs: one token for all their games, one event stream, and invitations from people who open their
//! link.
//!
//! A notification contains only the game's id; the subscriber then reads the game's state. So the queue of a slow
//! subscriber is a set of ids, however many events there are, and a game need not stay in memory for it.
//!
//! What a program misses while it or the server is down is in the store: ends of games are numbered there, and a new
//! subscription begins with those that were not reported and with the games in progress.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt as _, stream};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::rows::{ProgramId, RegisteredProgram};
use crate::client_network::ClientNetwork;
use crate::seats::{Invitation, Seat, SeatOccupant};
use crate::secret::{Secret, SecretHash};
use crate::site::shared::app::{App, FeatureState};
use crate::store::{GameId, Store, StoreError};
use crate::tables::{
    CreatedGame, DisplayName, GameObserver, NewGame, SeatedProgram, Service, ServiceError, Snapshot,
};

/// Maximum event streams per program.
const MAX_SUBSCRIPTIONS: usize = 4;

/// Maximum pending invitations per program.
const MAX_INVITATIONS: u32 = 16;

/// Maximum pending invitations per client network.
const MAX_INVITATIONS_PER_NETWORK: usize = 3;

/// A program that has not connected for this long is deleted.
const DELETED_AFTER_DAYS: i64 = 90;

/// Maximum invitations recorded with their network; the oldest are dropped first.
const MAX_RECORDED_INVITATIONS: usize = 10_000;

/// Maximum queued remote changes of games that are not in memory here; further ones are dropped.
const MAX_REMOTE_CHANGES: usize = 10_000;

/// Batch size of queries about them, and how many games are loaded concurrently.
const BATCH_SIZE: usize = 1_000;
const CONCURRENT_LOADS: usize = 8;

/// Maximum pending games of a subscriber before it is disconnected.
const MAX_PENDING_GAMES: usize = 1_000;

/// Why an invitation was rejected.
#[derive(Debug, thiserror::Error)]
pub enum InviteError {
    /// The program's limit of pending invitations is reached.
    #[error("this program has the maximum number of pending invitations")]
    ProgramIsBusy,
    /// The client network's limit of pending invitations is reached.
    #[error(
        "you have the maximum number of pending invitations to programs; withdraw one, or wait for an answer"
    )]
    TooManyInvitations,
    /// The game could not be created.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

/// The subscribed programs, and the pending invitations to programs.
#[derive(Debug, Default)]
pub struct ProgramHub {
    queues: Mutex<HashMap<SecretHash, Vec<Arc<NotificationQueue>>>>,
    /// The number of subscribers; without any, notifications are skipped.
    subscriber_count: AtomicUsize,
    /// Games with an invitation, by the inviting network, oldest first. Answered ones are removed when the network
    /// invites again.
    invitations: Mutex<VecDeque<(ClientNetwork, GameId)>>,
    /// Games changed by other instances that are not in memory here.
    remote_changes: NotificationQueue,
}

#[derive(Debug, Default)]
struct NotificationQueue {
    games: Mutex<BTreeSet<GameId>>,
    notify: Notify,
}

impl FeatureState for ProgramHub {
    fn new(_: &App) -> Self {
        ProgramHub::default()
    }
}

impl GameObserver for ProgramHub {
    fn game_changed_elsewhere(&self, id: &GameId) {
        if self.subscriber_count.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut games = self.remote_changes.games.lock();
        if games.len() < MAX_REMOTE_CHANGES {
            games.insert(id.clone());
            self.remote_changes.notify.notify_one();
        }
    }

    /// Notifies the programs that have a seat in the game, or had one before the change.
    fn game_changed(&self, before: &[Seat], now: &Arc<Snapshot>) {
        if self.subscriber_count.load(Ordering::Acquire) == 0 {
            return;
        }
        let tokens = before.iter().chain(&now.seats.seats);
        let tokens: Vec<&SecretHash> = tokens.filter_map(|seat| token_of(&seat.occupant)).collect();
        if tokens.is_empty() {
            return;
        }
        let queues = self.queues.lock();
        for queue in tokens
            .iter()
            .filter_map(|token| queues.get(*token))
            .flatten()
        {
            queue.games.lock().insert(now.id.clone());
            queue.notify.notify_one();
        }
    }
}

impl ProgramHub {
    fn subscribed_tokens(&self) -> Vec<SecretHash> {
        self.queues.lock().keys().copied().collect()
    }
}

/// The token of the program that plays in or is invited to a seat.
fn token_of(occupant: &SeatOccupant) -> Option<&SecretHash> {
    match occupant {
        SeatOccupant::Program { credentials, .. } => Some(&credentials.token),
        SeatOccupant::Open {
            invitation: Some(Invitation::Program { token, .. }),
        } => Some(token),
        SeatOccupant::Open { .. } | SeatOccupant::Person { .. } | SeatOccupant::Level { .. } => {
            None
        }
    }
}

/// A program's event subscription, ended by dropping it.
pub struct ProgramSubscription {
    hub: Arc<ProgramHub>,
    token: SecretHash,
    queue: Arc<NotificationQueue>,
}

impl ProgramSubscription {
    /// Waits for the games with events since the last call; `None` if the subscriber has fallen too far behind.
    pub async fn next_changed_games(&self) -> Option<Vec<GameId>> {
        loop {
            let games = std::mem::take(&mut *self.queue.games.lock());
            match games.len() {
                0 => self.queue.notify.notified().await,
                1..MAX_PENDING_GAMES => return Some(games.into_iter().collect()),
                _ => return None,
            }
        }
    }
}

impl Drop for ProgramSubscription {
    fn drop(&mut self) {
        let mut queues = self.hub.queues.lock();
        if let Some(own) = queues.get_mut(&self.token) {
            own.retain(|queue| !Arc::ptr_eq(queue, &self.queue));
            if own.is_empty() {
                queues.remove(&self.token);
            }
        }
        self.hub.subscriber_count.fetch_sub(1, Ordering::Release);
    }
}

/// Registers a program. The token is only returned here.
///
/// # Errors
/// If the storage quota is exceeded or the store fails.
pub async fn add_program(
    service: &Service,
    name: &DisplayName,
    plays: String,
) -> Result<(RegisteredProgram, Secret), ServiceError> {
    service.check_quota()?;
    let environment = service.environment();
    let token = environment.secret();
    let program = RegisteredProgram {
        id: ProgramId::random(),
        name: name.as_str().to_owned(),
        token: token.hash(),
        game: plays,
        created_ms: environment.now_ms(),
    };
    service.store().add_program(program.clone()).await?;
    tracing::info!(id = %program.id, "a program was registered");
    Ok((program, token))
}

/// Deletes the programs that have been inactive for too long; returns their number.
pub(in crate::site) async fn delete_inactive(
    store: &dyn Store,
    now_ms: i64,
) -> Result<u64, StoreError> {
    let days_ms = DELETED_AFTER_DAYS * 24 * 60 * 60 * 1000;
    let before_ms = now_ms.saturating_sub(days_ms);
    store.delete_inactive_programs(before_ms).await
}

/// Subscribes a program to its events; `None` if it has the maximum of subscriptions.
///
/// # Errors
/// If the store fails.
pub async fn subscribe(
    app: &App,
    program: &RegisteredProgram,
) -> Result<Option<ProgramSubscription>, ServiceError> {
    let service = &app.service;
    let now_ms = service.now_ms();
    service
        .store()
        .touch_program(&program.token, now_ms)
        .await?;
    let hub = app.state::<ProgramHub>();
    let queue = Arc::new(NotificationQueue::default());
    {
        let mut queues = hub.queues.lock();
        let own = queues.entry(program.token).or_default();
        if own.len() >= MAX_SUBSCRIPTIONS {
            return Ok(None);
        }
        own.push(Arc::clone(&queue));
    }
    hub.subscriber_count.fetch_add(1, Ordering::Release);
    Ok(Some(ProgramSubscription {
        hub,
        token: program.token,
        queue,
    }))
}

/// Whether a program has a subscription at this instance.
pub(super) fn is_connected(app: &App, program: &RegisteredProgram) -> bool {
    let hub = app.state::<ProgramHub>();
    let queues = hub.queues.lock();
    queues.contains_key(&program.token)
}

/// Loads the remotely changed games of programs that are subscribed here, which notifies the programs, until the service
/// is closed.
pub async fn run_notifications(app: App) {
    let (service, hub) = (&app.service, app.state::<ProgramHub>());
    let run = async {
        loop {
            hub.remote_changes.notify.notified().await;
            let games: Vec<_> = std::mem::take(&mut *hub.remote_changes.games.lock())
                .into_iter()
                .collect();
            for games in games.chunks(BATCH_SIZE) {
                let subscribed_tokens = hub.subscribed_tokens();
                let found = service.store().with_programs(games, &subscribed_tokens);
                let found = found.await.unwrap_or_else(|error| {
                    tracing::debug!(%error, "remotely changed games of programs could not be listed");
                    Vec::new()
                });
                let loads = stream::iter(found).for_each_concurrent(CONCURRENT_LOADS, async |id| {
                    if let Err(error) = service.snapshot(&id).await {
                        tracing::debug!(%id, %error, "a remotely changed game of a program could not be loaded");
                    }
                });
                loads.await;
            }
        }
    };
    service.run_until_closed(run).await;
}

/// Creates a game in which the program is invited to the first open seat.
///
/// # Errors
/// If too many invitations are pending, or the game cannot be created.
pub async fn invite(
    app: &App,
    program: &RegisteredProgram,
    new: NewGame,
) -> Result<CreatedGame, InviteError> {
    let (service, hub) = (&app.service, app.state::<ProgramHub>());
    let waiting = service.store().count_invitations(&program.token).await;
    if waiting.map_err(ServiceError::from)? >= MAX_INVITATIONS {
        return Err(InviteError::ProgramIsBusy);
    }
    let client_network = new.client_network;
    if let Some(client_network) = client_network
        && hub.count_pending_invitations(service, client_network).await
            >= MAX_INVITATIONS_PER_NETWORK
    {
        return Err(InviteError::TooManyInvitations);
    }
    let created = service
        .create(NewGame {
            invited_program: Some(program.seated()),
            ..new
        })
        .await?;
    if let Some(client_network) = client_network {
        let mut invitations = hub.invitations.lock();
        if invitations.len() >= MAX_RECORDED_INVITATIONS {
            invitations.pop_front();
        }
        invitations.push_back((client_network, created.snapshot.id.clone()));
    }
    Ok(created)
}

impl ProgramHub {
    /// The number of pending invitations of a network.
    async fn count_pending_invitations(
        &self,
        service: &Service,
        client_network: ClientNetwork,
    ) -> usize {
        let games = |invitations: &VecDeque<(ClientNetwork, GameId)>| -> Vec<GameId> {
            let own = invitations
                .iter()
                .filter(|(network, _)| *network == client_network);
            own.map(|(_, id)| id.clone()).collect()
        };
        let recorded = games(&self.invitations.lock());
        let mut answered = Vec::new();
        for id in recorded {
            let waits = match service.snapshot_unloaded(&id).await {
                Ok(game) => !game.live.is_over() && has_pending_invitation(&game),
                Err(_) => false,
            };
            if !waits {
                answered.push(id);
            }
        }
        let mut invitations = self.invitations.lock();
        invitations.retain(|(_, id)| !answered.contains(id));
        games(&invitations).len()
    }
}

impl RegisteredProgram {
    /// As its seats know it.
    #[must_use]
    pub fn seated(&self) -> SeatedProgram {
        SeatedProgram {
            token: self.token,
            name: self.name.clone(),
        }
    }
}

/// Whether an invitation to a program is pending.
fn has_pending_invitation(game: &Snapshot) -> bool {
    let mut seats = game.seats.seats.iter();
    seats.any(|seat| {
        let invited = matches!(seat.occupant, SeatOccupant::Open { .. });
        invited && token_of(&seat.occupant).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::JsonFields;
    use crate::games::{Registry, StartPosition};
    use crate::seats::SeatSpec;
    use crate::store::sqlite::SqliteStore;
    use crate::tables::{GameCreator, ServiceSettings};

    fn network(number: u32) -> ClientNetwork {
        ClientNetwork::from_ip(std::net::Ipv4Addr::from(number).into())
    }

    #[tokio::test]
    async fn invitations_per_network_are_bounded() {
        let store = Arc::new(SqliteStore::in_memory());
        let service = Service::new(Registry::builtin(), store, ServiceSettings::default());
        let app = App::of(service);
        let name = "Robot".parse().unwrap();
        let added = add_program(&app.service, &name, String::new()).await;
        let (program, _) = added.unwrap();
        let hub = app.state::<ProgramHub>();
        let recorded = (0..20_000).map(|number| (network(number), GameId::random()));
        let recorded = recorded.take(MAX_RECORDED_INVITATIONS).collect();
        *hub.invitations.lock() = recorded;
        let setting = app
            .service
            .games()
            .default_game()
            .configure(JsonFields::default())
            .unwrap();
        let new = || {
            let seat_specs =
                std::iter::once(SeatSpec::Human).chain(std::iter::repeat(SeatSpec::Open));
            let seat_specs = seat_specs.take(usize::from(setting.players())).collect();
            NewGame {
                creator: GameCreator::Browser(Secret::random()),
                client_network: Some(network(u32::MAX)),
                ..NewGame::new(Arc::clone(&setting), StartPosition::Dealt(1), seat_specs)
            }
        };
        for _ in 0..MAX_INVITATIONS_PER_NETWORK {
            invite(&app, &program, new()).await.unwrap();
        }
        let rejected = invite(&app, &program, new()).await;
        assert!(
            matches!(rejected, Err(InviteError::TooManyInvitations)),
            "{rejected:?}"
        );
        assert_eq!(hub.invitations.lock().len(), MAX_RECORDED_INVITATIONS);
    }
}
