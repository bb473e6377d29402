//! The game of computers on the start page: it is played slowly as long as somebody looks, and anybody
//! may watch it.
//!
//! There is one at a time, made when somebody looks and none goes on, at most one in some minutes. A ply
//! is asked for every few seconds, and none when nobody looks. The start page waits for nothing of it: it
//! shows what there is in this moment.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::events::SubscriberRegistry;
use crate::game_adapters::live_page::{PositionPageInput, ViewerRole};
use crate::game_adapters::{FormFields, JsonFields, StartPosition};
use crate::level::Level;
use crate::seats::{ComputerPace, SeatSpec};
use crate::secret::SecretHash;
use crate::service::{GameCreator, NewGame, Service, ServiceError, Snapshot};
use crate::store::GameId;
use crate::templates::view::FeaturedGameView;

/// From one ply to the next.
const TICK: Duration = Duration::from_secs(4);

/// A new game is made so long after the last one was, at the earliest.
const REST: Duration = Duration::from_secs(5 * 60);

/// Who looked so long ago looks no more.
const GLANCE: Duration = Duration::from_secs(60);

/// A game that an earlier server began is sought among so many of the server's own, newest activity first.
const SOUGHT: u32 = 8;

/// Who plays; the strongest moves first, so that there is something to see.
const LEVELS: [Level; 4] = [Level::Expert, Level::Steady, Level::Greedy, Level::Book];

/// The game that is on the air, if any.
#[derive(Clone)]
pub(super) struct FeaturedGame(Arc<FeaturedGameInner>);

struct FeaturedGameInner {
    service: Service,
    gallery: Arc<SubscriberRegistry>,
    state: Mutex<FeaturedGameState>,
}

#[derive(Default)]
struct FeaturedGameState {
    game: Option<GameId>,
    /// When the newest game was made or found.
    since: Option<Instant>,
    looked: Option<Instant>,
    /// Whether somebody asks for plies.
    playing: bool,
}

impl FeaturedGame {
    /// Nothing yet: the first look begins.
    pub(super) fn new(service: Service, gallery: Arc<SubscriberRegistry>) -> Self {
        FeaturedGame(Arc::new(FeaturedGameInner {
            service,
            gallery,
            state: Mutex::default(),
        }))
    }

    /// Somebody looks: the game goes on, and this is how it stands.
    pub(super) async fn look(&self) -> Option<FeaturedGameView> {
        let id = self.0.looked(|| {
            let inner = Arc::clone(&self.0);
            tokio::spawn(async move { inner.play().await });
        })?;
        let snapshot = self.0.service.snapshot_unloaded(&id).await.ok()?;
        view(&snapshot)
    }
}

impl FeaturedGameInner {
    fn state<T>(&self, with: impl FnOnce(&mut FeaturedGameState) -> T) -> T {
        with(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that somebody looked, and begins to play where nobody does.
    fn looked(&self, begin: impl FnOnce()) -> Option<GameId> {
        let (game, idle) = self.state(|state| {
            state.looked = Some(Instant::now());
            let idle = !std::mem::replace(&mut state.playing, true);
            (state.game.clone(), idle)
        });
        if idle {
            begin();
        }
        game
    }

    /// Plays as long as somebody looks.
    async fn play(&self) {
        while self.is_watched() && self.tick().await.is_some() {
            tokio::time::sleep(TICK).await;
        }
        self.state(|state| state.playing = false);
    }

    fn is_watched(&self) -> bool {
        let (game, looked) = self.state(|state| (state.game.clone(), state.looked));
        let watchers = game.map_or(0, |game| self.gallery.watchers(&game));
        watchers > 0 || looked.is_some_and(|looked| looked.elapsed() < GLANCE)
    }

    /// One ply, or a new game; `None` where there is nothing to play before the next look.
    async fn tick(&self) -> Option<()> {
        let (game, since) = self.state(|state| (state.game.clone(), state.since));
        let known = match game {
            Some(game) => match self.service.snapshot_unloaded(&game).await {
                // It was removed, or cannot be read: another one takes its place.
                Err(ServiceError::NotFound | ServiceError::Damaged) => None,
                known => Some(known.ok()?),
            },
            None => None,
        };
        let game = match known {
            Some(game) => Some(game),
            None => self.left_behind().await.ok()?,
        };
        let snapshot = match game {
            Some(game) if !game.live.is_over() => game,
            // The end stays to be seen for a while.
            _ if since.is_some_and(|since| since.elapsed() < REST) => return Some(()),
            _ => self.begin().await.ok()?,
        };
        let played = self.service.play_computer_ply(&snapshot.id, snapshot.live.ply()).await;
        match played {
            Ok(_) | Err(ServiceError::Stale { .. } | ServiceError::Busy) => Some(()),
            Err(_) => None,
        }
    }

    /// The game of computers that was on the air when the server stopped.
    async fn left_behind(&self) -> Result<Option<Arc<Snapshot>>, ServiceError> {
        let archive = self.service.archive();
        for id in archive.games_of(&SecretHash::SERVER, SOUGHT).await? {
            match self.service.snapshot_unloaded(&id).await {
                Ok(snapshot) if !snapshot.live.is_over() => {
                    self.take(&snapshot);
                    return Ok(Some(snapshot));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    async fn begin(&self) -> Result<Arc<Snapshot>, ServiceError> {
        let setting = self
            .service
            .games()
            .default_game()
            .setting(JsonFields::default())?;
        let levels = LEVELS
            .into_iter()
            .cycle()
            .map(|level| SeatSpec::Level(level.into()));
        let sitters = levels.take(usize::from(setting.players())).collect();
        let start = StartPosition::Deal(rand::random());
        let new = NewGame {
            pace: ComputerPace::OnRequest,
            creator: GameCreator::Server,
            ..NewGame::of(setting, start, sitters)
        };
        let created = self.service.create(new).await?;
        self.take(&created.snapshot);
        Ok(created.snapshot)
    }

    fn take(&self, snapshot: &Snapshot) {
        self.state(|state| {
            state.game = Some(snapshot.id.clone());
            state.since = Some(Instant::now());
        });
    }
}

/// How a game stands, and what happened last.
fn view(snapshot: &Snapshot) -> Option<FeaturedGameView> {
    let id = snapshot.id.to_string();
    let scene = snapshot.live.scene(&PositionPageInput {
        ply: None,
        hint: None,
        log: 1,
        query: &FormFields::default(),
        here: &format!("/g/{id}"),
        reader: ViewerRole::Watches,
    });
    let scene = scene.ok()?;
    Some(FeaturedGameView {
        id,
        ply: scene.ply,
        board: scene.board,
        turn: scene.turn,
        event: scene.log.into_iter().next().map(|entry| entry.said),
        verdict: snapshot.live.result(None).map(|result| result.verdict),
    })
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::game_adapters::Registry;
    use crate::service::ServiceSettings;
    use crate::store::RetentionCutoffs;
    use crate::store::memory::MemoryStore;
    use crate::web::events::StreamLimits;

    fn on_air(service: &Service) -> FeaturedGame {
        let gallery = SubscriberRegistry::new(StreamLimits::default(), CancellationToken::new());
        FeaturedGame::new(service.clone(), Arc::new(gallery))
    }

    fn service() -> Service {
        let archive = Arc::new(MemoryStore::new());
        Service::new(Registry::builtin(), archive, ServiceSettings::default())
    }

    #[tokio::test]
    async fn one_game_is_played_to_its_end_and_rests() {
        let service = service();
        let on_air = on_air(&service);
        let inner = &on_air.0;
        let game = || inner.state(|state| state.game.clone());
        assert_eq!(game(), None, "nobody has looked");
        assert!(!inner.is_watched());
        inner.tick().await.unwrap();
        let first = game().unwrap();
        let shown = service.snapshot_unloaded(&first).await.unwrap();
        assert_eq!(shown.live.ply(), 1, "one ply a tick");
        assert!(view(&shown).unwrap().verdict.is_none());
        for _ in 0..2_000 {
            if service.snapshot_unloaded(&first).await.unwrap().live.is_over() {
                break;
            }
            inner.tick().await.unwrap();
        }
        let shown = service.snapshot_unloaded(&first).await.unwrap();
        assert!(view(&shown).unwrap().verdict.is_some(), "it is over");
        inner.tick().await.unwrap();
        assert_eq!(game(), Some(first), "the next one is not begun at once");
    }

    #[tokio::test]
    async fn a_game_that_a_stopped_server_left_goes_on() {
        let service = service();
        let before = on_air(&service);
        before.0.tick().await.unwrap();
        let after = on_air(&service);
        after.0.tick().await.unwrap();
        let [before, after] = [before, after].map(|on_air| on_air.0.state(|s| s.game.clone()));
        assert_eq!(before, after);
        let shown = service.snapshot_unloaded(&after.unwrap()).await.unwrap();
        assert_eq!(shown.live.ply(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_game_that_was_forgotten_gives_way_to_another() {
        let service = service();
        let on_air = on_air(&service);
        let game = || on_air.0.state(|state| state.game.clone());
        on_air.0.tick().await.unwrap();
        let first = game().unwrap();
        let archive = service.archive();
        let everything = RetentionCutoffs {
            untouched_ms: Some(i64::MAX),
            ..RetentionCutoffs::default()
        };
        let removed = archive.remove(vec![first.clone()], everything).await;
        assert_eq!(removed, Ok(1));
        tokio::time::sleep(ServiceSettings::default().idle + REST).await;
        assert_eq!(service.games_in_memory(), 0);
        on_air.0.tick().await.unwrap();
        assert_ne!(game(), Some(first));
        assert!(on_air.look().await.is_some());
    }

    #[tokio::test]
    async fn a_game_of_computers_that_somebody_else_set_up_is_left_to_them() {
        let service = service();
        let setting = service
            .games()
            .default_game()
            .setting(JsonFields::default())
            .unwrap();
        let level = SeatSpec::Level(Level::Random.into());
        let sitters = vec![level; usize::from(setting.players())];
        let new = NewGame {
            pace: ComputerPace::OnRequest,
            ..NewGame::of(setting, StartPosition::Deal(1), sitters)
        };
        let own = service.create(new).await.unwrap().snapshot.id.clone();
        let on_air = on_air(&service);
        on_air.0.tick().await.unwrap();
        assert_ne!(
            on_air.0.state(|state| state.game.clone()),
            Some(own.clone())
        );
        let shown = service.snapshot_unloaded(&own).await.unwrap();
        assert_eq!(shown.live.ply(), 0);
        assert!(service.play_computer_ply(&own, 0).await.is_ok());
    }

    #[tokio::test]
    async fn a_look_waits_for_nothing() {
        let service = service();
        let on_air = on_air(&service);
        assert!(on_air.look().await.is_none(), "the first look only begins");
        assert!(on_air.0.is_watched());
        assert!(on_air.0.state(|state| state.playing));
    }
}
