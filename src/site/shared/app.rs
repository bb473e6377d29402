//! What handlers share: the live games, the limits, and what each feature keeps between requests.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Redirect;
use parking_lot::RwLock;

use super::limits::RateLimits;
use crate::games::Registry;
use crate::http::base_path::BasePath;
use crate::http::error::HttpError;
use crate::seats::Credentials;
use crate::secret::SecretHash;
use crate::store::GameId;
use crate::tables::{Service, ServiceError, Snapshot, TableRef};
use crate::templates::Translations;
use crate::templates::preferences::DisplayOptions;

/// How long requests that wait for a computer player may take after shutdown began: less than the time until their
/// connections are closed ([`stop_timeout`](crate::http::connections::ConnectionLimits::stop_timeout)).
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// State that handlers share. Requests clone it several times, so a single `Arc` holds everything.
#[derive(Clone)]
pub struct App(Arc<AppState>);

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

pub struct AppState {
    pub service: Service,
    /// The games of the service; their translations write paths with the base path.
    pub(in crate::site) games: Registry,
    pub(in crate::site) limits: RateLimits,
    /// The path below which clients reach this server.
    pub(in crate::site) base_path: BasePath,
    features: RwLock<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

/// What a feature keeps between requests, such as a cache. It is made when it is first needed.
pub(crate) trait FeatureState: Send + Sync + 'static {
    fn new(app: &App) -> Self;
}

impl App {
    pub(in crate::site) fn new(service: Service, limits: RateLimits, base_path: BasePath) -> Self {
        App(Arc::new(AppState {
            games: service.games().with_base_path(base_path.as_str()),
            service,
            limits,
            base_path,
            features: RwLock::default(),
        }))
    }

    /// The state of a feature.
    pub(crate) fn state<F: FeatureState>(&self) -> Arc<F> {
        let key = TypeId::of::<F>();
        let known = self.features.read().get(&key).cloned();
        let known = known.and_then(|state| state.downcast().ok());
        known.unwrap_or_else(|| {
            let state: Arc<F> = Arc::new(F::new(self));
            let mut features = self.features.write();
            let first = features.entry(key).or_insert_with(|| state.clone());
            Arc::clone(first).downcast().unwrap_or(state)
        })
    }

    /// The translations, which also write the paths of this site into pages.
    pub(in crate::site) fn text(&self, display: &DisplayOptions) -> &Translations {
        self.games.translations(display.language)
    }

    /// Redirects to a path of this site.
    #[expect(clippy::disallowed_methods, reason = "the base path is added here")]
    pub(in crate::site) fn redirect(&self, path: &str) -> Redirect {
        Redirect::to(&self.base_path.add_to(path))
    }

    /// The first snapshot that fulfils the condition, or the newest one after `timeout` or when the server stops. A
    /// client that may no longer see the game is answered at once, like one that never could.
    pub(in crate::site) async fn wait(
        &self,
        id: &GameId,
        credentials: &Credentials,
        timeout: Duration,
        condition: impl Fn(&Snapshot) -> bool,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let waited = self.service.wait_for(id, timeout, |now| {
            condition(now) || !now.can_watch(credentials)
        });
        let snapshot = match self
            .limits
            .subscribers
            .stop
            .run_until_cancelled(waited)
            .await
        {
            Some(waited) => waited?,
            None => self.service.snapshot(id).await?,
        };
        match snapshot.can_watch(credentials) {
            true => Ok(snapshot),
            false => Err(ServiceError::NotFound),
        }
    }

    /// The output of `work`, or `None` if it takes longer than `timeout` or the server stops.
    pub(in crate::site) async fn within<T>(
        &self,
        timeout: Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let stopped = async {
            self.limits.subscribers.stop.cancelled().await;
            tokio::time::sleep(SHUTDOWN_GRACE).await;
        };
        tokio::select! {
            biased;
            done = work => Some(done),
            () = tokio::time::sleep(timeout) => None,
            () = stopped => None,
        }
    }

    /// The number of turns of other games queued before this game's computer player.
    pub(in crate::site) fn turns_ahead(&self, snapshot: &Snapshot) -> u32 {
        let ahead = match snapshot.computer_to_move() {
            Some(_) => self.service.turns_ahead(&snapshot.id),
            None => None,
        };
        ahead.map_or(0, |ahead| u32::try_from(ahead).unwrap_or(u32::MAX))
    }

    /// The game with this id, for a client that may view it. A game that the client may not view gets the same response
    /// as one that does not exist.
    pub(in crate::site) async fn viewable_game(
        &self,
        id: &str,
        credentials: &Credentials,
    ) -> Result<Arc<Snapshot>, HttpError> {
        self.game_for_invitation(id, credentials, None).await
    }

    /// Like [`App::viewable_game`], for a client that acts on the game.
    pub(in crate::site) async fn playable_game(
        &self,
        id: &str,
        credentials: &Credentials,
    ) -> Result<TableRef, HttpError> {
        self.admitted(id, credentials, None).await
    }

    /// Like [`App::viewable_game`], also for a client with a seat link.
    pub(in crate::site) async fn game_for_invitation(
        &self,
        id: &str,
        credentials: &Credentials,
        link: Option<&SecretHash>,
    ) -> Result<Arc<Snapshot>, HttpError> {
        Ok(self.admitted(id, credentials, link).await?.snapshot)
    }

    async fn admitted(
        &self,
        id: &str,
        credentials: &Credentials,
        link: Option<&SecretHash>,
    ) -> Result<TableRef, HttpError> {
        // A text that cannot be an id is treated as an unknown game.
        let id = id.parse().map_err(|_| HttpError::not_found())?;
        let table = self.service.snapshot_for_player(&id).await?;
        let snapshot = &table.snapshot;
        let invited = link.is_some_and(|link| snapshot.seat_of_link(link).is_some());
        if invited || snapshot.can_watch(credentials) || self.is_shown(snapshot).await? {
            table.mark_viewed(credentials);
            Ok(table)
        } else if snapshot.was_freed(credentials) {
            Err(HttpError::seat_freed())
        } else {
            Err(HttpError::not_found())
        }
    }

    /// Whether everybody may watch the game: its player shows it, and the day whose board it is of is over.
    async fn is_shown(&self, snapshot: &Snapshot) -> Result<bool, ServiceError> {
        match snapshot.day() {
            Some(day) if self.service.is_day_over(day) => {
                let store = self.service.store();
                Ok(store.is_daily_game_shown(day, &snapshot.id).await?)
            }
            _ => Ok(false),
        }
    }
}

#[cfg(test)]
impl App {
    /// What handlers share, without limits.
    pub(in crate::site) fn of(service: Service) -> Self {
        App::new(service, RateLimits::unlimited(), BasePath::default())
    }
}
