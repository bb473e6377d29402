//! The featured game on the start page: computers play it slowly while it is being viewed, and anyone may watch.
//!
//! There is at most one at a time. A new one is created on demand, if none is in progress, and at most once in some
//! minutes. One ply is played every few seconds, and none without viewers. The start page never waits for it: it shows
//! the current state.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::shared::subscribers::SubscriberRegistry;
use crate::formats::JsonFields;
use crate::games::live_page::{PositionPageInput, ViewerRole};
use crate::games::{FormFields, StartPosition};
use crate::level::Level;
use crate::seats::{ComputerPace, SeatSpec};
use crate::secret::SecretHash;
use crate::store::GameId;
use crate::tables::{GameCreator, NewGame, Service, ServiceError, Snapshot};
use crate::templates::start::FeaturedGameView;

/// Time between two plies.
const PLY_INTERVAL: Duration = Duration::from_secs(4);

/// Minimum time between the creation of two games.
const MIN_GAME_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// A page view counts as a viewer for this long.
const VIEWER_TIMEOUT: Duration = Duration::from_secs(60);

/// How many of the server's own games, most recently active first, are searched for an interrupted one.
const MAX_RESUME_CANDIDATES: u32 = 8;

/// The levels of the seats; the strongest moves first, for an interesting game.
const LEVELS: [Level; 4] = [Level::Expert, Level::Steady, Level::Greedy, Level::Book];

/// Handle to the featured game, if there is one.
#[derive(Clone)]
pub(super) struct FeaturedGame(Arc<FeaturedGameInner>);

struct FeaturedGameInner {
    service: Service,
    subscribers: Arc<SubscriberRegistry>,
    state: Mutex<FeaturedGameState>,
}

#[derive(Default)]
struct FeaturedGameState {
    game: Option<GameId>,
    /// When the newest game was created or found.
    started_at: Option<Instant>,
    last_viewed: Option<Instant>,
    /// Whether a task is playing.
    playing: bool,
}

impl FeaturedGame {
    /// Starts without a game: the first view creates one.
    pub(super) fn new(service: Service, subscribers: Arc<SubscriberRegistry>) -> Self {
        FeaturedGame(Arc::new(FeaturedGameInner {
            service,
            subscribers,
            state: Mutex::default(),
        }))
    }

    /// Records a view, so that the game continues, and returns the game's current state.
    pub(super) async fn current_game(&self) -> Option<Arc<Snapshot>> {
        let id = self.0.mark_viewed(|| {
            let inner = Arc::clone(&self.0);
            tokio::spawn(async move { inner.run().await });
        })?;
        self.0.service.snapshot_unloaded(&id).await.ok()
    }
}

impl FeaturedGameInner {
    fn state<T>(&self, with: impl FnOnce(&mut FeaturedGameState) -> T) -> T {
        with(&mut self.state.lock())
    }

    /// Records a view, and calls `create_game` if no task is playing. Returns the current game.
    fn mark_viewed(&self, begin: impl FnOnce()) -> Option<GameId> {
        let (game, idle) = self.state(|state| {
            state.last_viewed = Some(Instant::now());
            let idle = !std::mem::replace(&mut state.playing, true);
            (state.game.clone(), idle)
        });
        if idle {
            begin();
        }
        game
    }

    /// Plays as long as the game is being viewed.
    async fn run(&self) {
        while self.is_watched() && self.advance().await.is_some() {
            tokio::time::sleep(PLY_INTERVAL).await;
        }
        self.state(|state| state.playing = false);
    }

    fn is_watched(&self) -> bool {
        let (game, looked) = self.state(|state| (state.game.clone(), state.last_viewed));
        let watchers = game.map_or(0, |game| self.subscribers.watchers(&game));
        watchers > 0 || looked.is_some_and(|looked| looked.elapsed() < VIEWER_TIMEOUT)
    }

    /// Plays one ply, or creates a new game; `None` if there is nothing to play until the next view.
    async fn advance(&self) -> Option<()> {
        let (game, since) = self.state(|state| (state.game.clone(), state.started_at));
        let known = match game {
            Some(game) => match self.service.snapshot_unloaded(&game).await {
                // It was deleted or cannot be read: another one replaces it.
                Err(ServiceError::NotFound | ServiceError::Damaged) => None,
                known => Some(known.ok()?),
            },
            None => None,
        };
        let game = match known {
            Some(game) => Some(game),
            None => self.interrupted_game().await.ok()?,
        };
        let snapshot = match game {
            Some(game) if !game.live.is_over() => game,
            // The final position remains visible for a while.
            _ if since.is_some_and(|since| since.elapsed() < MIN_GAME_INTERVAL) => return Some(()),
            _ => self.create_game().await.ok()?,
        };
        let result = self
            .service
            .play_computer_ply(&snapshot.id, snapshot.live.entry_count())
            .await;
        match result {
            Ok(_) | Err(ServiceError::Stale { .. } | ServiceError::Busy) => Some(()),
            Err(_) => None,
        }
    }

    /// The unfinished featured game of an earlier server process, if any.
    async fn interrupted_game(&self) -> Result<Option<Arc<Snapshot>>, ServiceError> {
        let store = self.service.store();
        for id in store
            .list_games_of(&SecretHash::SERVER, MAX_RESUME_CANDIDATES)
            .await?
        {
            match self.service.snapshot_unloaded(&id).await {
                Ok(snapshot) if !snapshot.live.is_over() => {
                    self.set_game(&snapshot);
                    return Ok(Some(snapshot));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    async fn create_game(&self) -> Result<Arc<Snapshot>, ServiceError> {
        let setting = self
            .service
            .games()
            .default_game()
            .configure(JsonFields::default())?;
        let levels = LEVELS
            .into_iter()
            .cycle()
            .map(|level| SeatSpec::Level(level.into()));
        let seat_specs = levels.take(usize::from(setting.players())).collect();
        let start = StartPosition::Dealt(self.service.environment().random_number());
        let new = NewGame {
            pace: ComputerPace::OnRequest,
            creator: GameCreator::Server,
            ..NewGame::new(setting, start, seat_specs)
        };
        let created = self.service.create(new).await?;
        self.set_game(&created.snapshot);
        Ok(created.snapshot)
    }

    fn set_game(&self, snapshot: &Snapshot) {
        self.state(|state| {
            state.game = Some(snapshot.id.clone());
            state.started_at = Some(Instant::now());
        });
    }
}

/// The game's position and its last event.
pub(super) fn featured_game_view(snapshot: &Snapshot) -> Option<FeaturedGameView> {
    let id = snapshot.id.to_string();
    let scene = snapshot.live.position_view(&PositionPageInput {
        ply: None,
        hint: None,
        log: 1,
        query: &FormFields::default(),
        here: &format!("/g/{id}"),
        viewer_role: ViewerRole::Spectator,
    });
    let scene = scene.ok()?;
    Some(FeaturedGameView {
        id,
        ply: scene.ply,
        board: scene.board,
        turn: scene.turn,
        event: scene.log.into_iter().next().map(|entry| entry.sentence),
        verdict: snapshot.live.result(None).map(|result| result.verdict),
    })
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::games::Registry;
    use crate::site::shared::subscribers::StreamLimits;
    use crate::store::RetentionCutoffs;
    use crate::store::sqlite::SqliteStore;
    use crate::tables::ServiceSettings;

    fn featured_game(service: &Service) -> FeaturedGame {
        let subscribers =
            SubscriberRegistry::new(StreamLimits::default(), CancellationToken::new());
        FeaturedGame::new(service.clone(), Arc::new(subscribers))
    }

    fn service() -> Service {
        let store = Arc::new(SqliteStore::in_memory());
        Service::new(Registry::builtin(), store, ServiceSettings::default())
    }

    #[tokio::test]
    async fn one_game_is_played_to_its_end_before_the_next() {
        let service = service();
        let featured = featured_game(&service);
        let inner = &featured.0;
        let game = || inner.state(|state| state.game.clone());
        assert_eq!(game(), None, "no view yet");
        assert!(!inner.is_watched());
        inner.advance().await.unwrap();
        let first = game().unwrap();
        let shown = service.snapshot_unloaded(&first).await.unwrap();
        assert_eq!(shown.live.entry_count(), 1, "one ply a tick");
        assert!(featured_game_view(&shown).unwrap().verdict.is_none());
        for _ in 0..2_000 {
            if service
                .snapshot_unloaded(&first)
                .await
                .unwrap()
                .live
                .is_over()
            {
                break;
            }
            inner.advance().await.unwrap();
        }
        let shown = service.snapshot_unloaded(&first).await.unwrap();
        assert!(
            featured_game_view(&shown).unwrap().verdict.is_some(),
            "it is over"
        );
        inner.advance().await.unwrap();
        assert_eq!(
            game(),
            Some(first),
            "the next one is not created immediately"
        );
    }

    #[tokio::test]
    async fn an_interrupted_game_is_resumed() {
        let service = service();
        let before = featured_game(&service);
        before.0.advance().await.unwrap();
        let after = featured_game(&service);
        after.0.advance().await.unwrap();
        let [before, after] = [before, after].map(|featured| featured.0.state(|s| s.game.clone()));
        assert_eq!(before, after);
        let shown = service.snapshot_unloaded(&after.unwrap()).await.unwrap();
        assert_eq!(shown.live.entry_count(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_deleted_game_is_replaced() {
        let service = service();
        let featured = featured_game(&service);
        let game = || featured.0.state(|state| state.game.clone());
        featured.0.advance().await.unwrap();
        let first = game().unwrap();
        let store = service.store();
        let everything = RetentionCutoffs {
            untouched_ms: Some(i64::MAX),
            ..RetentionCutoffs::default()
        };
        let removed = store.delete_expired(vec![first.clone()], everything).await;
        assert_eq!(removed, Ok(1));
        tokio::time::sleep(ServiceSettings::default().idle_timeout + MIN_GAME_INTERVAL).await;
        assert_eq!(service.games_in_memory(), 0);
        featured.0.advance().await.unwrap();
        assert_ne!(game(), Some(first));
        assert!(featured.current_game().await.is_some());
    }

    #[tokio::test]
    async fn a_computer_game_of_another_creator_is_not_touched() {
        let service = service();
        let setting = service
            .games()
            .default_game()
            .configure(JsonFields::default())
            .unwrap();
        let level = SeatSpec::Level(Level::Random.into());
        let seat_specs = vec![level; usize::from(setting.players())];
        let new = NewGame {
            pace: ComputerPace::OnRequest,
            ..NewGame::new(setting, StartPosition::Dealt(1), seat_specs)
        };
        let other = service.create(new).await.unwrap().snapshot.id.clone();
        let featured = featured_game(&service);
        featured.0.advance().await.unwrap();
        assert_ne!(
            featured.0.state(|state| state.game.clone()),
            Some(other.clone())
        );
        let shown = service.snapshot_unloaded(&other).await.unwrap();
        assert_eq!(shown.live.entry_count(), 0);
        assert!(service.play_computer_ply(&other, 0).await.is_ok());
    }

    #[tokio::test]
    async fn a_view_does_not_wait() {
        let service = service();
        let featured = featured_game(&service);
        assert!(
            featured.current_game().await.is_none(),
            "the first view only starts the task"
        );
        assert!(featured.0.is_watched());
        assert!(featured.0.state(|state| state.playing));
    }
}
