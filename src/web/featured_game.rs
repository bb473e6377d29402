//! The game of computers on the start page: it is played slowly as long as somebody looks, and anybody
//! may watch it.
//!
//! There is one at a time, made when somebody looks and none goes on, at most one in some minutes. A ply
//! is asked for every few seconds, and none when nobody looks. The start page waits for nothing of it: it
//! shows what there is in this moment.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::events::Gallery;
use crate::game_adapters::live_page::{Reader, Shown};
use crate::game_adapters::{Fields, Form, Start};
use crate::level::Level;
use crate::seats::{Pace, SeatWord};
use crate::secret::SecretHash;
use crate::service::{Creator, NewGame, Service, ServiceError, Snapshot};
use crate::store::GameId;
use crate::templates::view::OnAirView;

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
pub(super) struct OnAir(Arc<Inner>);

struct Inner {
    service: Service,
    gallery: Arc<Gallery>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    game: Option<GameId>,
    /// When the newest game was made or found.
    since: Option<Instant>,
    looked: Option<Instant>,
    /// Whether somebody asks for plies.
    playing: bool,
}

impl OnAir {
    /// Nothing yet: the first look begins.
    pub(super) fn new(service: Service, gallery: Arc<Gallery>) -> Self {
        OnAir(Arc::new(Inner {
            service,
            gallery,
            state: Mutex::default(),
        }))
    }

    /// Somebody looks: the game goes on, and this is how it stands.
    pub(super) async fn look(&self) -> Option<OnAirView> {
        let id = self.0.looked(|| {
            let inner = Arc::clone(&self.0);
            tokio::spawn(async move { inner.play().await });
        })?;
        let snapshot = self.0.service.peek(&id).await.ok()?;
        view(&snapshot)
    }
}

impl Inner {
    fn state<T>(&self, with: impl FnOnce(&mut State) -> T) -> T {
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
            Some(game) => match self.service.peek(&game).await {
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
        let played = self.service.step(&snapshot.id, snapshot.live.ply()).await;
        match played {
            Ok(_) | Err(ServiceError::Stale { .. } | ServiceError::Busy) => Some(()),
            Err(_) => None,
        }
    }

    /// The game of computers that was on the air when the server stopped.
    async fn left_behind(&self) -> Result<Option<Arc<Snapshot>>, ServiceError> {
        let archive = self.service.archive();
        for id in archive.games_of(&SecretHash::SERVER, SOUGHT).await? {
            match self.service.peek(&id).await {
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
        let setting = self.service.games().first().setting(Fields::default())?;
        let levels = LEVELS
            .into_iter()
            .cycle()
            .map(|level| SeatWord::Level(level.into()));
        let sitters = levels.take(usize::from(setting.players())).collect();
        let start = Start::Deal(rand::random());
        let new = NewGame {
            pace: Pace::OnRequest,
            creator: Creator::Server,
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
fn view(snapshot: &Snapshot) -> Option<OnAirView> {
    let id = snapshot.id.to_string();
    let scene = snapshot.live.scene(&Shown {
        ply: None,
        hint: None,
        log: 1,
        query: &Form::default(),
        here: &format!("/g/{id}"),
        reader: Reader::Watches,
    });
    let scene = scene.ok()?;
    Some(OnAirView {
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
    use crate::service::Settings;
    use crate::store::Cutoffs;
    use crate::store::memory::MemoryArchive;
    use crate::web::events::StreamLimits;

    fn on_air(service: &Service) -> OnAir {
        let gallery = Gallery::new(StreamLimits::default(), CancellationToken::new());
        OnAir::new(service.clone(), Arc::new(gallery))
    }

    fn service() -> Service {
        let archive = Arc::new(MemoryArchive::new());
        Service::new(Registry::house(), archive, Settings::default())
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
        let shown = service.peek(&first).await.unwrap();
        assert_eq!(shown.live.ply(), 1, "one ply a tick");
        assert!(view(&shown).unwrap().verdict.is_none());
        for _ in 0..2_000 {
            if service.peek(&first).await.unwrap().live.is_over() {
                break;
            }
            inner.tick().await.unwrap();
        }
        let shown = service.peek(&first).await.unwrap();
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
        let shown = service.peek(&after.unwrap()).await.unwrap();
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
        let everything = Cutoffs {
            untouched_ms: Some(i64::MAX),
            ..Cutoffs::default()
        };
        let removed = archive.remove(vec![first.clone()], everything).await;
        assert_eq!(removed, Ok(1));
        tokio::time::sleep(Settings::default().idle + REST).await;
        assert_eq!(service.in_memory(), 0);
        on_air.0.tick().await.unwrap();
        assert_ne!(game(), Some(first));
        assert!(on_air.look().await.is_some());
    }

    #[tokio::test]
    async fn a_game_of_computers_that_somebody_else_set_up_is_left_to_them() {
        let service = service();
        let setting = service.games().first().setting(Fields::default()).unwrap();
        let level = SeatWord::Level(Level::Random.into());
        let sitters = vec![level; usize::from(setting.players())];
        let new = NewGame {
            pace: Pace::OnRequest,
            ..NewGame::of(setting, Start::Deal(1), sitters)
        };
        let own = service.create(new).await.unwrap().snapshot.id.clone();
        let on_air = on_air(&service);
        on_air.0.tick().await.unwrap();
        assert_ne!(
            on_air.0.state(|state| state.game.clone()),
            Some(own.clone())
        );
        let shown = service.peek(&own).await.unwrap();
        assert_eq!(shown.live.ply(), 0);
        assert!(service.step(&own, 0).await.is_ok());
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
