//! Queries over many games.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use super::jobs::{ComputeDemand, JobKind};
use super::summaries::{GameSummary, MAX_SUMMARIES};
use crate::client_network::ClientNetwork;
use crate::game::Player;
use crate::games::GameCard;
use crate::seats::Credentials;
use crate::secret::{Secret, SecretHash};
use crate::store::GameId;
use crate::tables::command::SeatChange;
use crate::tables::error::ServiceError;
use crate::tables::snapshot::Snapshot;
use crate::tables::state::Service;

/// Maximum rematches per call whose seats are transferred to another secret.
const MAX_REKEYED: u32 = 200;

/// The number of games that are read in one job, and how long that is expected to take.
const READ_BATCH: usize = 20;
const EXPECTED_READ_TIME: Duration = Duration::from_millis(100);

impl Service {
    /// After a return to a seat: transfers the seats that followed from it in the game's rematches to the returning
    /// browser. `origin` is the game before the return.
    ///
    /// # Errors
    /// If the store fails; some seats may have been transferred then.
    pub async fn rekey_rematches(
        &self,
        origin: &Snapshot,
        player: Player,
        secret: &Secret,
    ) -> Result<(), ServiceError> {
        let browser_of = |player: Player| {
            origin
                .seat(player)?
                .occupant
                .credentials()?
                .browser()
                .copied()
        };
        let Some(old) = browser_of(player) else {
            return Ok(());
        };
        let mut players = Player::all(origin.live.players());
        // With several seats it is unknown which of them a rematch's seat follows from.
        if players.any(|other| other != player && browser_of(other) == Some(old)) {
            return Ok(());
        }
        let credentials = Credentials {
            browser: Some(old),
            ..Credentials::default()
        };
        let mut games = vec![origin.id.clone()];
        for _ in 0..MAX_REKEYED {
            let Some(game) = games.pop() else { break };
            for (_, id) in self.shared.store.rematches_of(&game).await? {
                let change = SeatChange::ReplaceSecret {
                    secret: secret.clone(),
                    keeps_name: true,
                };
                match self.change_seat(&id, credentials, change).await {
                    Ok(_) | Err(ServiceError::Damaged | ServiceError::NotFound) => games.push(id),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// The game that this link to a table or a seat belongs to.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn find_game_by_link(
        &self,
        link: &SecretHash,
    ) -> Result<Option<GameId>, ServiceError> {
        let store = &self.shared.store;
        if let Some(id) = store.find_waiting_game(link).await? {
            return Ok(Some(id));
        }
        let seat = match store.find_seat_by_link(link).await? {
            Some(seat) => Some(seat),
            None => store.find_seat_by_link(&link.to_return_hash()).await?,
        };
        Ok(seat.map(|(id, _)| id))
    }
}

impl Service {
    /// The newest games that this client created or sits in, newest activity first, up to [`MAX_SUMMARIES`].
    ///
    /// # Errors
    /// If the store fails, or [`ServiceError::Busy`].
    pub async fn own_games(
        &self,
        credentials: &Credentials,
        client_network: ClientNetwork,
    ) -> Result<Vec<Arc<GameSummary>>, ServiceError> {
        let store = &self.shared.store;
        let mut ids: HashSet<GameId> = HashSet::new();
        for browser in credentials.browsers() {
            ids.extend(store.list_games_of(browser, MAX_SUMMARIES).await?);
        }
        let ids: Vec<GameId> = ids.into_iter().collect();
        let mut summaries = self.summaries(&ids, Some(client_network)).await?;
        summaries.sort_by_key(|game| std::cmp::Reverse((game.last_ms, game.newest.created_ms)));
        summaries.truncate(MAX_SUMMARIES as usize);
        Ok(summaries)
    }

    /// The summaries of these games, in the given order; without games that are gone or damaged. Games without a card
    /// are loaded once, at the expense of the client network.
    ///
    /// # Errors
    /// If the store fails, or [`ServiceError::Busy`].
    pub async fn summaries(
        &self,
        ids: &[GameId],
        client_network: Option<ClientNetwork>,
    ) -> Result<Vec<Arc<GameSummary>>, ServiceError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let store = &self.shared.store;
        let cache = &self.shared.summaries;
        let mut found: HashMap<GameId, Arc<GameSummary>> = HashMap::with_capacity(ids.len());
        let mut missing = Vec::new();
        for version in store.versions(ids).await? {
            match cache.get(&version) {
                Some(known) => drop(found.insert(version.id, known)),
                None => missing.push(version.id),
            }
        }
        let mut without_card = Vec::new();
        for batch in missing.chunks(READ_BATCH) {
            for stored in store.cards(batch).await? {
                let id = stored.header.id.clone();
                match GameSummary::from_stored(stored, self.games(), &self.shared.served) {
                    Some(summary) => drop(found.insert(id, self.shared.summaries.insert(summary))),
                    None => without_card.push(id),
                }
            }
            tokio::task::yield_now().await;
        }
        let client_network = client_network.unwrap_or(ClientNetwork::UNKNOWN);
        for batch in without_card.chunks(READ_BATCH) {
            let (service, batch) = (self.clone(), batch.to_vec());
            let runtime = Handle::current();
            let read = move |_: &_| runtime.block_on(summarise(&service, &batch));
            let demand = ComputeDemand::time(EXPECTED_READ_TIME);
            let read = self.run_job(JobKind::RecordExport, client_network, demand, read);
            let read = read.await??.into_iter();
            found.extend(read.map(|summary| (summary.newest.id.clone(), summary)));
        }
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// Whether this game between computers is paused until it is viewed.
    #[must_use]
    pub fn is_paused(&self, game: &GameSummary) -> bool {
        let table = self.shared.tables.lock().get_untouched(&game.newest.id);
        table.map_or(game.newest.is_self_playing(), |table| {
            table.snapshots.borrow().paused
        })
    }

    /// Makes lists load this game and find out that it is damaged, instead of showing its card.
    pub(super) async fn invalidate_card(&self, id: &GameId) {
        self.shared.summaries.forget(id);
        if let Err(error) = self.shared.store.store_card(id, String::new()).await {
            tracing::warn!(%id, %error, "the card of a damaged game could not be removed");
        }
    }
}

/// Loads games and stores their cards.
async fn summarise(
    service: &Service,
    games: &[GameId],
) -> Result<Vec<Arc<GameSummary>>, ServiceError> {
    let mut summaries = Vec::with_capacity(games.len());
    for id in games {
        match service.snapshot_unloaded(id).await {
            Ok(snapshot) => {
                let card = GameCard::new(&*snapshot.live);
                let text = card.to_json();
                let summary = GameSummary::new(Snapshot::clone(&snapshot), card, text.len());
                summaries.push(service.shared.summaries.insert(summary));
                service.shared.store.store_card(id, text).await?;
            }
            // One damaged game must not hide the others.
            Err(ServiceError::Damaged | ServiceError::NotFound) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(summaries)
}
