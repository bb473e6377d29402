//! Films of games (GIF), rendered as background work.
//!
//! A film is derived from the record and cached in bounded memory only; after eviction or a restart it is rendered
//! again on request. Concurrent requests for the same film share one job, and a dropped request does not stop it. A job
//! renders a few frames at a time and yields between them; the number of jobs is bounded, in total and per client
//! network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use super::client_network::{ClientNetwork, ComputeAccount};
use super::scheduler::{ComputeError, TurnPriority, TurnRequest};
use super::{Credentials, Service, ServiceError, ServiceState, Snapshot};
use crate::game_adapters::{LiveGame, LiveGameRef};
use crate::raster::{GifAnimation, ImageCache, image_cache};
use crate::store::GameId;

/// Maximum number of films in progress, including queued ones.
const MAX_JOBS: usize = 32;

/// Maximum of them per client network.
const MAX_JOBS_PER_CLIENT: usize = 3;

/// How many are rendered concurrently.
const MAX_CONCURRENT: usize = 2;

/// Size of the film cache in bytes.
const CACHE_BYTES: usize = 48 << 20;

/// Maximum frames of a film; a longer range of plies is sampled.
const MAX_FRAMES: u32 = 240;

const MAX_SIDE: u16 = 640;

/// Size in bytes from which only the last frame is added.
const MAX_BYTES: usize = 8 << 20;

/// Approximate memory of a film in progress: its drawings, two frames and the film itself.
const JOB_BYTES: usize = 32 << 20;

/// Frames rendered before the job yields.
const FRAMES_PER_BATCH: usize = 6;

/// Expected duration of rendering that many frames.
const EXPECTED_DURATION: Duration = Duration::from_millis(100);

/// Total and per-frame durations in hundredths of a second: the total is divided among the frames, within these bounds.
const TOTAL_DURATION: u32 = 6_000;
const MIN_FRAME_DURATION: u32 = 25;
const MAX_FRAME_DURATION: u32 = 90;

/// Duration of the last frame, in hundredths of a second.
const LAST_FRAME_DURATION: u16 = 300;

/// A range of positions, each numbered by the entries before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PlyRange {
    /// The first position.
    pub from: u32,
    /// The last position, at least `from`.
    pub to: u32,
}

impl PlyRange {
    /// The positions to render, including the first and the last.
    fn selected_plies(self) -> Vec<u32> {
        let stride = (self.to - self.from).div_ceil(MAX_FRAMES - 1).max(1);
        let mut plies: Vec<u32> = (self.from..self.to).step_by(stride as usize).collect();
        plies.push(self.to);
        plies
    }
}

/// The status of a film.
#[derive(Clone, Debug)]
pub enum FilmStatus {
    /// It is queued or being rendered.
    InProgress(FilmProgress),
    /// The GIF file.
    Ready(Arc<[u8]>),
}

/// Progress in rendered frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FilmProgress {
    pub done: u32,
    /// The total.
    pub of: u32,
}

type FilmKey = (GameId, PlyRange);

/// A queued or running film job.
struct FilmJob {
    client_network: Option<ClientNetwork>,
    progress: watch::Receiver<FilmProgress>,
}

/// The cached films, and the queued and running jobs.
pub(super) struct FilmJobs {
    cache: ImageCache<FilmKey>,
    jobs: Mutex<HashMap<FilmKey, FilmJob>>,
    slots: Semaphore,
}

impl FilmJobs {
    pub(super) fn new() -> Self {
        FilmJobs {
            cache: image_cache(CACHE_BYTES),
            jobs: Mutex::default(),
            slots: Semaphore::new(MAX_CONCURRENT),
        }
    }

    fn jobs(&self) -> MutexGuard<'_, HashMap<FilmKey, FilmJob>> {
        // Every change of the map is one call, so a panic leaves it consistent.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slot among the film jobs, released on drop.
struct FilmSlot {
    shared: Arc<ServiceState>,
    key: FilmKey,
    client_network: Option<ClientNetwork>,
    progress_sender: watch::Sender<FilmProgress>,
}

impl Drop for FilmSlot {
    fn drop(&mut self) {
        self.shared.films.jobs().remove(&self.key);
    }
}

impl Service {
    /// The film of a range of this game, which must not exceed its newest position. Waits for it up to `timeout`.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] if too many films are in progress, [`ServiceError::Unavailable`] if it could not be
    /// rendered.
    pub async fn film(
        &self,
        snapshot: &Snapshot,
        range: PlyRange,
        credentials: &Credentials,
        timeout: Duration,
    ) -> Result<FilmStatus, ServiceError> {
        let films = &self.shared.films;
        let key = (snapshot.id.clone(), range);
        if let Some(film) = films.cache.get(&key) {
            return Ok(FilmStatus::Ready(film));
        }
        let started = self.start_film_job(&key, &snapshot.live, credentials.client_network)?;
        let Some(mut progress) = started else {
            let film = films.cache.get(&key);
            return film.map(FilmStatus::Ready).ok_or(ServiceError::Busy);
        };
        // The cache tells whether the job succeeded.
        let completed = async { while progress.changed().await.is_ok() {} };
        let completed = tokio::time::timeout(timeout, completed).await;
        match (films.cache.get(&key), completed) {
            (Some(film), _) => Ok(FilmStatus::Ready(film)),
            (None, Err(_)) => Ok(FilmStatus::InProgress(*progress.borrow())),
            (None, Ok(())) => Err(ServiceError::Unavailable),
        }
    }

    /// Starts a film job, or returns the progress of the running one; `None` if the film was completed just now.
    fn start_film_job(
        &self,
        key: &FilmKey,
        live: &LiveGameRef,
        client_network: Option<ClientNetwork>,
    ) -> Result<Option<watch::Receiver<FilmProgress>>, ServiceError> {
        let films = &self.shared.films;
        let mut jobs = films.jobs();
        if let Some(job) = jobs.get(key) {
            return Ok(Some(job.progress.clone()));
        }
        if films.cache.get(key).is_some() {
            return Ok(None);
        }
        let own = jobs
            .values()
            .filter(|job| job.client_network == client_network);
        if jobs.len() >= MAX_JOBS
            || client_network.is_some_and(ClientNetwork::is_known)
                && own.count() >= MAX_JOBS_PER_CLIENT
        {
            return Err(ServiceError::Busy);
        }
        let plies = key.1.selected_plies();
        let (progress_sender, progress) = watch::channel(FilmProgress {
            done: 0,
            of: u32::try_from(plies.len()).unwrap_or(u32::MAX),
        });
        let job = FilmJob {
            client_network,
            progress: progress.clone(),
        };
        jobs.insert(key.clone(), job);
        drop(jobs);
        let slot = FilmSlot {
            shared: Arc::clone(&self.shared),
            key: key.clone(),
            client_network,
            progress_sender,
        };
        let live = Arc::clone(live);
        self.shared.tasks.spawn(async move {
            match run_film_job(live, plies, &slot).await {
                Ok(film) => {
                    let films = &slot.shared.films;
                    films.cache.insert(slot.key.clone(), film.into());
                }
                Err(ComputeError::Cancelled) => {}
                Err(ComputeError::Failed) => {
                    tracing::error!(id = %slot.key.0, "a film could not be rendered");
                }
            }
        });
        Ok(Some(progress))
    }
}

/// A partly rendered film.
struct FilmRender {
    live: LiveGameRef,
    plies: Vec<u32>,
    /// The drawings and the animation; `None` before the first batch.
    animation: Option<(Vec<String>, GifAnimation)>,
    /// The number of rendered frames.
    done: usize,
}

/// Renders a film, a few frames at a time.
async fn run_film_job(
    live: LiveGameRef,
    plies: Vec<u32>,
    slot: &FilmSlot,
) -> Result<Vec<u8>, ComputeError> {
    let shared = &slot.shared;
    let stop = &shared.stop;
    let cancelled = ComputeError::Cancelled;
    let permit = stop.run_until_cancelled(shared.films.slots.acquire());
    let _permit = permit.await.ok_or(cancelled)?;
    let frames = plies.len();
    let mut render = FilmRender {
        live,
        plies,
        animation: None,
        done: 0,
    };
    let mut expected = EXPECTED_DURATION;
    while render.done < frames {
        let request = TurnRequest {
            game: slot.key.0.clone(),
            payer: ComputeAccount {
                client_network: slot.client_network,
                creator: None,
            },
            threads: 1,
            bytes: JOB_BYTES,
            expected,
            priority: TurnPriority::Background,
        };
        let ticket = stop.run_until_cancelled(shared.scheduler.enqueue_when_free(request));
        let ticket = ticket.await.ok_or(cancelled)?;
        let (rendered, elapsed, _) = ticket.run(stop, move |_| render.render_next()).await?;
        render = rendered.ok_or(ComputeError::Failed)?;
        expected = elapsed;
        slot.progress_sender.send_modify(|progress| {
            progress.done = u32::try_from(render.done).unwrap_or(u32::MAX);
        });
    }
    let film = render.animation.and_then(|(_, film)| film.finish());
    film.ok_or(ComputeError::Failed)
}

impl FilmRender {
    /// Renders the next frames; `None` on failure.
    fn render_next(mut self) -> Option<Self> {
        let (drawings, mut film) = match self.animation.take() {
            Some(animation) => animation,
            None => begin_animation(&*self.live, &self.plies)?,
        };
        let last = drawings.len() - 1;
        let frame_duration = TOTAL_DURATION / u32::try_from(drawings.len()).unwrap_or(u32::MAX);
        let frame_duration = frame_duration.clamp(MIN_FRAME_DURATION, MAX_FRAME_DURATION) as u16;
        for _ in 0..FRAMES_PER_BATCH {
            if self.done > last {
                break;
            }
            if film.bytes() > MAX_BYTES {
                self.done = last;
            }
            let hundredths = if self.done == last {
                LAST_FRAME_DURATION
            } else {
                frame_duration
            };
            film.push_frame(&drawings[self.done], hundredths)?;
            self.done += 1;
        }
        self.animation = Some((drawings, film));
        Some(self)
    }
}

/// The drawings (SVG) of a film, and an animation with a palette sampled from three of them.
fn begin_animation(live: &dyn LiveGame, plies: &[u32]) -> Option<(Vec<String>, GifAnimation)> {
    let drawings = live.board_svgs(plies);
    let last = drawings.len().checked_sub(1)?;
    let samples = [0, last / 2, last].map(|at| drawings[at].as_str());
    let film = GifAnimation::new(samples, MAX_SIDE)?;
    Some((drawings, film))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_adapters::{JsonFields, Registry, StartPosition};
    use crate::service::ServiceSettings;
    use crate::store::memory::MemoryStore;

    fn network(number: u8) -> Option<ClientNetwork> {
        Some(ClientNetwork::from_ip([192, 0, 2, number].into()))
    }

    fn film_key() -> FilmKey {
        (GameId::random(), PlyRange { from: 0, to: 0 })
    }

    #[tokio::test]
    async fn films_are_bounded_in_total_and_per_network() {
        let store = Arc::new(MemoryStore::new());
        let service = Service::new(Registry::builtin(), store, ServiceSettings::default());
        let kind = service.games().game_types().next().unwrap();
        let game = kind.configure(JsonFields::default()).unwrap();
        let live = game.new_game(&StartPosition::Dealt(1)).unwrap();
        let films = &service.shared.films;
        let busy = films
            .slots
            .acquire_many(MAX_CONCURRENT as u32)
            .await
            .unwrap();
        let mut under_way = Vec::new();
        for number in 0..=u8::MAX {
            let requests = (0..100).map(|_| {
                let key = film_key();
                let started = service.start_film_job(&key, &live, network(number));
                Ok::<_, ServiceError>((key, started?.unwrap()))
            });
            let started: Vec<_> = requests.take_while(Result::is_ok).flatten().collect();
            assert!(started.len() <= MAX_JOBS_PER_CLIENT);
            if number == 0 {
                assert_eq!(started.len(), MAX_JOBS_PER_CLIENT);
                // A request for the same film shares its job.
                let same = service.start_film_job(&started[0].0, &live, network(0));
                assert!(same.unwrap().is_some());
            }
            under_way.extend(started);
        }
        assert_eq!(under_way.len(), MAX_JOBS);
        drop(busy);
        for (key, mut progress) in under_way.into_iter().take(4) {
            while progress.changed().await.is_ok() {}
            assert!(films.cache.get(&key).is_some());
        }
        assert!(films.jobs().len() <= MAX_JOBS - 4);
    }

    #[tokio::test]
    async fn clients_of_unknown_networks_share_no_quota() {
        let store = Arc::new(MemoryStore::new());
        let service = Service::new(Registry::builtin(), store, ServiceSettings::default());
        let kind = service.games().game_types().next().unwrap();
        let game = kind.configure(JsonFields::default()).unwrap();
        let live = game.new_game(&StartPosition::Dealt(1)).unwrap();
        let films = &service.shared.films;
        let _busy = films
            .slots
            .acquire_many(MAX_CONCURRENT as u32)
            .await
            .unwrap();
        let requests = (0..=MAX_JOBS).map(|_| service.start_film_job(&film_key(), &live, None));
        assert_eq!(requests.filter(Result::is_ok).count(), MAX_JOBS);
    }

    #[test]
    fn a_long_range_is_sampled() {
        for (from, to, apart) in [(0, 0, 1), (3, 9, 1), (0, 239, 1), (0, 240, 2), (7, 1000, 5)] {
            let plies = PlyRange { from, to }.selected_plies();
            assert_eq!((plies.first(), plies.last()), (Some(&from), Some(&to)));
            assert!(plies.len() <= MAX_FRAMES as usize);
            let gaps = plies.windows(2).map(|two| two[1] - two[0]);
            assert!(gaps.clone().all(|gap| (1..=apart).contains(&gap)));
            assert_eq!(gaps.max(), (to > from).then_some(apart), "{from} {to}");
        }
    }
}
