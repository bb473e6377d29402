//! Registered programs: one token for all their games, one event stream, and invitations from people who open their
//! link.
//!
//! A notification contains only the game's id; the subscriber then reads the game's state. So the queue of a slow
//! subscriber is a set of ids, however many events there are, and a game need not stay in memory for it.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt as _, stream};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::new_game::InvitedProgram;
use super::{
    ClientNetwork, CreatedGame, Credentials, DisplayName, NewGame, Service, ServiceError,
    ServiceState, Snapshot,
};
use super::{SeatChange, SeatClaimant};
use crate::seats::{Invitation, Seat, SeatOccupant};
use crate::secret::{Secret, SecretHash};
use crate::store::{GameId, ProgramId, RegisteredProgram, StoreError};

/// Maximum event streams per program.
const MAX_SUBSCRIPTIONS: usize = 4;

/// Maximum pending invitations per program.
const MAX_INVITATIONS: u32 = 16;

/// Maximum pending invitations per client network.
const MAX_INVITATIONS_PER_NETWORK: usize = 3;

/// Maximum games reported when a program subscribes, most recently active first.
const MAX_GAMES: u32 = 100;

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
pub(super) struct ProgramHub {
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

impl ProgramHub {
    /// Queues a remote change of a game that is not in memory here.
    pub(super) fn queue_remote_change(&self, id: GameId) {
        if self.subscriber_count.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut games = self.remote_changes.games.lock();
        if games.len() < MAX_REMOTE_CHANGES {
            games.insert(id);
            self.remote_changes.notify.notify_one();
        }
    }

    fn subscribed_tokens(&self) -> Vec<SecretHash> {
        self.queues.lock().keys().copied().collect()
    }

    /// Notifies the programs that have a seat in the game, or had one before the change.
    pub(super) fn notify(&self, before: &[Seat], now: &Snapshot) {
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

/// The token of the program that plays in or is invited to a seat.
fn token_of(occupant: &SeatOccupant) -> Option<&SecretHash> {
    match occupant {
        SeatOccupant::Program {
            credentials: keys, ..
        } => Some(&keys.token),
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
    shared: Arc<ServiceState>,
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
        let programs = &self.shared.programs;
        let mut queues = programs.queues.lock();
        if let Some(own) = queues.get_mut(&self.token) {
            own.retain(|queue| !Arc::ptr_eq(queue, &self.queue));
            if own.is_empty() {
                queues.remove(&self.token);
            }
        }
        programs.subscriber_count.fetch_sub(1, Ordering::Release);
    }
}

impl Service {
    /// Registers a program. The token is only returned here.
    ///
    /// # Errors
    /// If the storage quota is exceeded or the store fails.
    pub async fn add_program(
        &self,
        name: &DisplayName,
        plays: String,
    ) -> Result<(RegisteredProgram, Secret), ServiceError> {
        self.check_quota()?;
        let token = self.shared.environment.secret();
        let program = RegisteredProgram {
            id: ProgramId::random(),
            name: name.as_str().to_owned(),
            token: token.hash(),
            game: plays,
            created_ms: self.shared.environment.now_ms(),
        };
        self.shared.store.add_program(program.clone()).await?;
        tracing::info!(id = %program.id, "a program was registered");
        Ok((program, token))
    }

    /// # Errors
    /// [`ServiceError::NotFound`], and if the store fails.
    pub async fn program(&self, id: &ProgramId) -> Result<RegisteredProgram, ServiceError> {
        let found = self.shared.store.program(id).await?;
        found.ok_or(ServiceError::NotFound)
    }

    /// # Errors
    /// If the store fails.
    pub async fn program_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, ServiceError> {
        Ok(self.shared.store.program_by_token(token).await?)
    }

    /// Deletes the programs that have been inactive for too long; returns their number.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn delete_inactive_programs(&self, now_ms: i64) -> Result<u64, StoreError> {
        let days_ms = DELETED_AFTER_DAYS * 24 * 60 * 60 * 1000;
        let before_ms = now_ms.saturating_sub(days_ms);
        self.shared.store.delete_inactive_programs(before_ms).await
    }

    /// Subscribes a program to its events; `None` if it has the maximum of subscriptions.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn subscribe_program(
        &self,
        program: &RegisteredProgram,
    ) -> Result<Option<ProgramSubscription>, ServiceError> {
        let store = &self.shared.store;
        let now_ms = self.shared.environment.now_ms();
        store.touch_program(&program.token, now_ms).await?;
        let programs = &self.shared.programs;
        let mut queues = programs.queues.lock();
        let own = queues.entry(program.token).or_default();
        if own.len() >= MAX_SUBSCRIPTIONS {
            return Ok(None);
        }
        let queue = Arc::new(NotificationQueue::default());
        own.push(Arc::clone(&queue));
        programs.subscriber_count.fetch_add(1, Ordering::Release);
        Ok(Some(ProgramSubscription {
            shared: Arc::clone(&self.shared),
            token: program.token,
            queue,
        }))
    }

    /// Whether a program has a subscription at this instance.
    #[must_use]
    pub fn is_connected(&self, program: &RegisteredProgram) -> bool {
        self.shared
            .programs
            .queues
            .lock()
            .contains_key(&program.token)
    }

    /// Loads the remotely changed games of programs that are subscribed here: loading a table notifies them.
    pub(super) async fn run_program_notifications(&self) {
        let programs = &self.shared.programs;
        loop {
            programs.remote_changes.notify.notified().await;
            let games: Vec<_> = std::mem::take(&mut *programs.remote_changes.games.lock())
                .into_iter()
                .collect();
            for games in games.chunks(BATCH_SIZE) {
                let subscribed_tokens = programs.subscribed_tokens();
                let found = self
                    .shared
                    .store
                    .with_programs(games, &subscribed_tokens)
                    .await;
                let found = found.unwrap_or_else(|error| {
                    tracing::debug!(%error, "remotely changed games of programs could not be listed");
                    Vec::new()
                });
                let loads = stream::iter(found).for_each_concurrent(CONCURRENT_LOADS, async |id| {
                    if let Err(error) = self.open(&id).await {
                        tracing::debug!(%id, %error, "a remotely changed game of a program could not be loaded");
                    }
                });
                loads.await;
            }
        }
    }

    /// The program's games in progress, including those it is invited to, most recently active first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn games_of_program(
        &self,
        program: &RegisteredProgram,
    ) -> Result<Vec<GameId>, ServiceError> {
        let store = &self.shared.store;
        Ok(store
            .list_games_of_program(&program.token, MAX_GAMES)
            .await?)
    }

    /// The program's finished games with the numbers of their ends, in order: those after number `after`, or those not
    /// reported to the program yet; at most the newest 100.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn list_finishes_of_program(
        &self,
        program: &RegisteredProgram,
        after: Option<i64>,
    ) -> Result<Vec<(i64, GameId)>, ServiceError> {
        let store = &self.shared.store;
        let found = store.list_program_finishes(&program.token, after, MAX_GAMES);
        Ok(found.await?)
    }

    /// The number of the newest end of a game of this program; 0 if there is none.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn newest_finish_of_program(
        &self,
        program: &RegisteredProgram,
    ) -> Result<i64, ServiceError> {
        let store = &self.shared.store;
        let newest = store.list_program_finishes(&program.token, Some(0), 1);
        Ok(newest.await?.last().map_or(0, |(number, _)| *number))
    }

    /// Records that the program's finished games up to this number were reported to it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn mark_finishes_reported(
        &self,
        program: &RegisteredProgram,
        number: i64,
    ) -> Result<(), ServiceError> {
        let store = &self.shared.store;
        Ok(store.mark_finishes_reported(&program.token, number).await?)
    }

    /// Creates a game in which the program is invited to the first open seat.
    ///
    /// # Errors
    /// If too many invitations are pending, or the game cannot be created.
    pub async fn invite(
        &self,
        program: &RegisteredProgram,
        new: NewGame,
    ) -> Result<CreatedGame, InviteError> {
        let store = &self.shared.store;
        let waiting = store.count_invitations(&program.token).await;
        if waiting.map_err(ServiceError::from)? >= MAX_INVITATIONS {
            return Err(InviteError::ProgramIsBusy);
        }
        let client_network = new.client_network;
        if let Some(client_network) = client_network
            && self.count_pending_invitations(client_network).await >= MAX_INVITATIONS_PER_NETWORK
        {
            return Err(InviteError::TooManyInvitations);
        }
        let created = self
            .create(NewGame {
                invited_program: Some(InvitedProgram {
                    token: program.token,
                    name: program.name.clone(),
                }),
                ..new
            })
            .await?;
        if let Some(client_network) = client_network {
            let mut invitations = self.shared.programs.invitations.lock();
            if invitations.len() >= MAX_RECORDED_INVITATIONS {
                invitations.pop_front();
            }
            invitations.push_back((client_network, created.snapshot.id.clone()));
        }
        Ok(created)
    }

    /// The number of pending invitations of a network.
    async fn count_pending_invitations(&self, client_network: ClientNetwork) -> usize {
        let games = |invitations: &VecDeque<(ClientNetwork, GameId)>| -> Vec<GameId> {
            let own = invitations
                .iter()
                .filter(|(network, _)| *network == client_network);
            own.map(|(_, id)| id.clone()).collect()
        };
        let recorded = games(&self.shared.programs.invitations.lock());
        let mut answered = Vec::new();
        for id in recorded {
            let waits = match self.snapshot_unloaded(&id).await {
                Ok(game) => !game.live.is_over() && game.has_pending_invitation(),
                Err(_) => false,
            };
            if !waits {
                answered.push(id);
            }
        }
        let mut invitations = self.shared.programs.invitations.lock();
        invitations.retain(|(_, id)| !answered.contains(id));
        games(&invitations).len()
    }

    /// Accepts an invitation: the program takes the seat.
    ///
    /// # Errors
    /// If the invitation is no longer pending, or the store fails.
    pub async fn accept(
        &self,
        id: &GameId,
        token: SecretHash,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let change = SeatChange::Take {
            link: token,
            by: SeatClaimant::Program(token),
            name: None,
        };
        self.change_seat(id, Credentials::default(), change).await
    }
}

impl Snapshot {
    /// Whether an invitation to a program is pending.
    #[must_use]
    pub fn has_pending_invitation(&self) -> bool {
        let mut seats = self.seats.seats.iter();
        seats.any(|seat| {
            let invited = matches!(seat.occupant, SeatOccupant::Open { .. });
            invited && token_of(&seat.occupant).is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::JsonFields;
    use crate::game_adapters::{Registry, StartPosition};
    use crate::seats::SeatSpec;
    use crate::service::{GameCreator, ServiceSettings};
    use crate::store::sqlite::SqliteStore;

    fn network(number: u32) -> ClientNetwork {
        ClientNetwork::from_ip(std::net::Ipv4Addr::from(number).into())
    }

    #[tokio::test]
    async fn invitations_per_network_are_bounded() {
        let store = Arc::new(SqliteStore::in_memory());
        let service = Service::new(Registry::builtin(), store, ServiceSettings::default());
        let name = "Robot".parse().unwrap();
        let (program, _) = service.add_program(&name, String::new()).await.unwrap();
        let recorded = (0..20_000).map(|number| (network(number), GameId::random()));
        let recorded = recorded.take(MAX_RECORDED_INVITATIONS).collect();
        *service.shared.programs.invitations.lock() = recorded;
        let setting = service
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
            service.invite(&program, new()).await.unwrap();
        }
        let rejected = service.invite(&program, new()).await;
        assert!(
            matches!(rejected, Err(InviteError::TooManyInvitations)),
            "{rejected:?}"
        );
        assert_eq!(
            service.shared.programs.invitations.lock().len(),
            MAX_RECORDED_INVITATIONS
        );
    }
}
