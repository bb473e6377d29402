//! Programs with an identity of their own: one token for all their games, one stream of news, and
//! invitations from people who open their link.
//!
//! A program hears of a game by the game's id alone: whoever listens looks how the game stands then. So
//! what waits for a slow listener is a set of ids, however much happens in these games, and a game need
//! not stay in memory for it.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{StreamExt as _, stream};
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

/// The most streams that one program may listen with.
const MOST_LISTENERS: usize = 4;

/// The most invitations that may wait for one program's answer.
const MOST_INVITATIONS: u32 = 16;

/// The most invitations of one network that may wait for programs' answers.
const MOST_OF_A_HOUSEHOLD: usize = 3;

/// The most games of a program that are told when it begins to listen, newest activity first.
const MOST_GAMES: u32 = 100;

/// A program that was not heard of for so long is forgotten.
const FORGOTTEN_AFTER_DAYS: i64 = 90;

/// How many invitations are remembered with the network that they came from; the oldest are forgotten first.
const MOST_ASKED: usize = 10_000;

/// How many games in which other instances did something may wait until they are looked at; news of more are lost.
const MOST_ELSEWHERE: usize = 10_000;

/// How many of them are asked about together, and how many of those are read at the same time.
const TOGETHER: usize = 1_000;
const READ_TOGETHER: usize = 8;

/// Whoever does not take the news for so many games has fallen behind.
const MOST_NEWS: usize = 1_000;

/// Why somebody's invitation of a program is not passed on.
#[derive(Debug, thiserror::Error)]
pub enum InviteError {
    /// As many invitations as may wait for the program wait already.
    #[error("as many invitations as may wait for this program wait already")]
    ProgramIsBusy,
    /// As many invitations of this network wait as may.
    #[error("your invitations to programs wait for their answers; withdraw one, or wait")]
    EnoughAsked,
    /// No game could be set up.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

/// The programs that listen, and who waits for their answers.
#[derive(Debug, Default)]
pub(super) struct ProgramHub {
    ears: Mutex<HashMap<SecretHash, Vec<Arc<NotificationQueue>>>>,
    /// How many listen: nothing is looked up when nobody does.
    listening: AtomicUsize,
    /// The games that people of a network set up for programs, oldest first. Those that were answered go when
    /// the network asks again.
    asked_by: Mutex<VecDeque<(ClientNetwork, GameId)>>,
    /// The games in which other instances did something, and that are not in memory here.
    elsewhere: NotificationQueue,
}

#[derive(Debug, Default)]
struct NotificationQueue {
    news: Mutex<BTreeSet<GameId>>,
    bell: Notify,
}

impl NotificationQueue {
    fn news(&self) -> MutexGuard<'_, BTreeSet<GameId>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgramHub {
    /// Another instance did something in a game that is not in memory here.
    pub(super) fn tell_later(&self, id: GameId) {
        if self.listening.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut games = self.elsewhere.news();
        if games.len() < MOST_ELSEWHERE {
            games.insert(id);
            self.elsewhere.bell.notify_one();
        }
    }

    /// The programs that listen here.
    fn listeners(&self) -> Vec<SecretHash> {
        self.ears().keys().copied().collect()
    }

    fn ears(&self) -> MutexGuard<'_, HashMap<SecretHash, Vec<Arc<NotificationQueue>>>> {
        self.ears.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked_by(&self) -> MutexGuard<'_, VecDeque<(ClientNetwork, GameId)>> {
        self.asked_by.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happened in a game: the programs hear of it who have a seat there, or had one before.
    pub(super) fn tell(&self, before: &[Seat], now: &Snapshot) {
        if self.listening.load(Ordering::Acquire) == 0 {
            return;
        }
        let tokens = before.iter().chain(&now.seats.seats);
        let tokens: Vec<&SecretHash> = tokens.filter_map(|seat| token_of(&seat.sitter)).collect();
        if tokens.is_empty() {
            return;
        }
        let ears = self.ears();
        for ear in tokens.iter().filter_map(|token| ears.get(*token)).flatten() {
            ear.news().insert(now.id.clone());
            ear.bell.notify_one();
        }
    }
}

/// The token of the program that sits in a seat, or is asked to.
fn token_of(sitter: &SeatOccupant) -> Option<&SecretHash> {
    match sitter {
        SeatOccupant::Program { keys, .. } => Some(&keys.token),
        SeatOccupant::Open {
            invitation: Some(Invitation::Program { token, .. }),
        } => Some(token),
        SeatOccupant::Open { .. } | SeatOccupant::Person { .. } | SeatOccupant::Level { .. } => {
            None
        }
    }
}

/// A program that listens; dropping it ends that.
pub struct ProgramSubscription {
    shared: Arc<ServiceState>,
    token: SecretHash,
    ear: Arc<NotificationQueue>,
}

impl ProgramSubscription {
    /// The games in which something happened since the last time, as soon as there is one; `None` when
    /// the listener has fallen too far behind.
    pub async fn news(&self) -> Option<Vec<GameId>> {
        loop {
            let news = std::mem::take(&mut *self.ear.news());
            match news.len() {
                0 => self.ear.bell.notified().await,
                1..MOST_NEWS => return Some(news.into_iter().collect()),
                _ => return None,
            }
        }
    }
}

impl Drop for ProgramSubscription {
    fn drop(&mut self) {
        let programs = &self.shared.programs;
        let mut ears = programs.ears();
        if let Some(own) = ears.get_mut(&self.token) {
            own.retain(|ear| !Arc::ptr_eq(ear, &self.ear));
            if own.is_empty() {
                ears.remove(&self.token);
            }
        }
        programs.listening.fetch_sub(1, Ordering::Release);
    }
}

impl Service {
    /// Gives a program an identity; the token is seen this once.
    ///
    /// # Errors
    /// When there is no room, or the archive fails.
    pub async fn add_program(
        &self,
        name: &DisplayName,
        plays: String,
    ) -> Result<(RegisteredProgram, Secret), ServiceError> {
        self.room_for_a_game()?;
        let token = self.shared.machine.secret();
        let program = RegisteredProgram {
            id: ProgramId::random(),
            name: name.as_str().to_owned(),
            token: token.hash(),
            plays,
            created_ms: self.shared.machine.now_ms(),
        };
        self.shared.archive.add_program(program.clone()).await?;
        tracing::info!(id = %program.id, "a program has got its identity");
        Ok((program, token))
    }

    /// The program of this id.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], and when the archive fails.
    pub async fn program(&self, id: &ProgramId) -> Result<RegisteredProgram, ServiceError> {
        let found = self.shared.archive.program(id).await?;
        found.ok_or(ServiceError::NotFound)
    }

    /// The program whose token this is.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn program_with(
        &self,
        token: &SecretHash,
    ) -> Result<Option<RegisteredProgram>, ServiceError> {
        Ok(self.shared.archive.program_with(token).await?)
    }

    /// Forgets the programs that were not heard of for long; how many they were.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn forget_programs(&self, now_ms: i64) -> Result<u64, StoreError> {
        let days_ms = FORGOTTEN_AFTER_DAYS * 24 * 60 * 60 * 1000;
        let before_ms = now_ms.saturating_sub(days_ms);
        self.shared.archive.forget_programs(before_ms).await
    }

    /// Begins to listen for a program; `None` when it listens as often as it may.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn listen(
        &self,
        program: &RegisteredProgram,
    ) -> Result<Option<ProgramSubscription>, ServiceError> {
        let archive = &self.shared.archive;
        let now_ms = self.shared.machine.now_ms();
        archive.saw_program(&program.token, now_ms).await?;
        let programs = &self.shared.programs;
        let mut ears = programs.ears();
        let own = ears.entry(program.token).or_default();
        if own.len() >= MOST_LISTENERS {
            return Ok(None);
        }
        let ear = Arc::new(NotificationQueue::default());
        own.push(Arc::clone(&ear));
        programs.listening.fetch_add(1, Ordering::Release);
        Ok(Some(ProgramSubscription {
            shared: Arc::clone(&self.shared),
            token: program.token,
            ear,
        }))
    }

    /// Whether a program listens now.
    #[must_use]
    pub fn is_listening(&self, program: &RegisteredProgram) -> bool {
        self.shared.programs.ears().contains_key(&program.token)
    }

    /// Reads the games in which other instances did something and programs sit that listen here, again and again:
    /// their tables tell these programs.
    pub(super) async fn tell_programs(&self) {
        let programs = &self.shared.programs;
        loop {
            programs.elsewhere.bell.notified().await;
            let games: Vec<_> = std::mem::take(&mut *programs.elsewhere.news())
                .into_iter()
                .collect();
            for games in games.chunks(TOGETHER) {
                let listeners = programs.listeners();
                let found = self.shared.archive.with_programs(games, &listeners).await;
                let found = found.unwrap_or_else(|error| {
                    tracing::debug!(%error, "programs do not hear of games");
                    Vec::new()
                });
                let read = stream::iter(found).for_each_concurrent(READ_TOGETHER, async |id| {
                    if let Err(error) = self.open(&id).await {
                        tracing::debug!(%id, %error, "programs do not hear of a game");
                    }
                });
                read.await;
            }
        }
    }

    /// The games that go on in which a program sits or is asked to, newest activity first.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn games_of_program(
        &self,
        program: &RegisteredProgram,
    ) -> Result<Vec<GameId>, ServiceError> {
        let archive = &self.shared.archive;
        Ok(archive.games_of_program(&program.token, MOST_GAMES).await?)
    }

    /// The games of a program that are over, in the order in which they ended, each with the number of its end:
    /// those after the number `after`, or those of which the program was not told; of many the newest.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn finishes_of_program(
        &self,
        program: &RegisteredProgram,
        after: Option<i64>,
    ) -> Result<Vec<(i64, GameId)>, ServiceError> {
        let archive = &self.shared.archive;
        let found = archive.list_program_finishes(&program.token, after, MOST_GAMES);
        Ok(found.await?)
    }

    /// The number of the newest end of a game of this program; 0 without one.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn newest_finish_of_program(
        &self,
        program: &RegisteredProgram,
    ) -> Result<i64, ServiceError> {
        let archive = &self.shared.archive;
        let newest = archive.list_program_finishes(&program.token, Some(0), 1);
        Ok(newest.await?.last().map_or(0, |(number, _)| *number))
    }

    /// Notes that a program was told of its games that are over, up to this number.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn told_program(
        &self,
        program: &RegisteredProgram,
        number: i64,
    ) -> Result<(), ServiceError> {
        let archive = &self.shared.archive;
        Ok(archive.told_program(&program.token, number).await?)
    }

    /// Sets up a game in which the program is asked to play the first open seat.
    ///
    /// # Errors
    /// When too many invitations wait, or there can be no such game.
    pub async fn invite(
        &self,
        program: &RegisteredProgram,
        new: NewGame,
    ) -> Result<CreatedGame, InviteError> {
        let archive = &self.shared.archive;
        let waiting = archive.invitations_of(&program.token).await;
        if waiting.map_err(ServiceError::from)? >= MOST_INVITATIONS {
            return Err(InviteError::ProgramIsBusy);
        }
        let household = new.household;
        if let Some(household) = household
            && self.asked_by(household).await >= MOST_OF_A_HOUSEHOLD
        {
            return Err(InviteError::EnoughAsked);
        }
        let created = self
            .create(NewGame {
                asked: Some(InvitedProgram {
                    token: program.token,
                    name: program.name.clone(),
                }),
                ..new
            })
            .await?;
        if let Some(household) = household {
            let mut asked_by = self.shared.programs.asked_by();
            if asked_by.len() >= MOST_ASKED {
                asked_by.pop_front();
            }
            asked_by.push_back((household, created.snapshot.id.clone()));
        }
        Ok(created)
    }

    /// In how many games of a network a program has not answered yet.
    async fn asked_by(&self, household: ClientNetwork) -> usize {
        let games = |asked_by: &VecDeque<(ClientNetwork, GameId)>| -> Vec<GameId> {
            let own = asked_by.iter().filter(|(network, _)| *network == household);
            own.map(|(_, id)| id.clone()).collect()
        };
        let asked = games(&self.shared.programs.asked_by());
        let mut answered = Vec::new();
        for id in asked {
            let waits = match self.snapshot_unloaded(&id).await {
                Ok(game) => !game.live.is_over() && game.asks_a_program(),
                Err(_) => false,
            };
            if !waits {
                answered.push(id);
            }
        }
        let mut asked_by = self.shared.programs.asked_by();
        asked_by.retain(|(_, id)| !answered.contains(id));
        games(&asked_by).len()
    }

    /// The program that is asked to play sits down.
    ///
    /// # Errors
    /// When it is not asked any more, or the archive fails.
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
    /// Whether a program is asked to play here and has not answered.
    #[must_use]
    pub fn asks_a_program(&self) -> bool {
        let mut seats = self.seats.seats.iter();
        seats.any(|seat| {
            let invited = matches!(seat.sitter, SeatOccupant::Open { .. });
            invited && token_of(&seat.sitter).is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_adapters::{JsonFields, Registry, StartPosition};
    use crate::seats::SeatSpec;
    use crate::service::{GameCreator, ServiceSettings};
    use crate::store::memory::MemoryStore;

    fn network(number: u32) -> ClientNetwork {
        ClientNetwork::of(std::net::Ipv4Addr::from(number).into())
    }

    #[tokio::test]
    async fn the_invitations_of_a_network_are_bounded_however_many_networks_asked() {
        let archive = Arc::new(MemoryStore::new());
        let service = Service::new(Registry::builtin(), archive, ServiceSettings::default());
        let name = "Robot".parse().unwrap();
        let (program, _) = service.add_program(&name, String::new()).await.unwrap();
        let asked = (0..20_000).map(|number| (network(number), GameId::random()));
        let asked = asked.take(MOST_ASKED).collect();
        *service.shared.programs.asked_by() = asked;
        let setting = service
            .games()
            .default_game()
            .setting(JsonFields::default())
            .unwrap();
        let new = || {
            let sitters = std::iter::once(SeatSpec::Human).chain(std::iter::repeat(SeatSpec::Open));
            let sitters = sitters.take(usize::from(setting.players())).collect();
            NewGame {
                creator: GameCreator::Browser(Secret::random()),
                household: Some(network(u32::MAX)),
                ..NewGame::of(Arc::clone(&setting), StartPosition::Deal(1), sitters)
            }
        };
        for _ in 0..MOST_OF_A_HOUSEHOLD {
            service.invite(&program, new()).await.unwrap();
        }
        let refused = service.invite(&program, new()).await;
        assert!(
            matches!(refused, Err(InviteError::EnoughAsked)),
            "{refused:?}"
        );
        assert_eq!(service.shared.programs.asked_by().len(), MOST_ASKED);
    }
}
