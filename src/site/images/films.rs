//! Films of games (GIF), rendered as background work.
//!
//! A film is derived from the record and cached in bounded memory only; after eviction or a restart it is rendered
//! again on request. A job renders a few frames at a time and yields between them.

use std::sync::Arc;
use std::time::Duration;

use crate::games::LiveGame;
use crate::raster::{GifAnimation, ImageCache, image_cache};
use crate::seats::Credentials;
use crate::site::shared::app::{App, FeatureState};
use crate::store::GameId;
use crate::tables::{
    ComputeAccount, ComputeDemand, JobKind, JobStatus, ServiceError, SharedJob, SharedJobs,
    Snapshot,
};

/// Size of the film cache in bytes.
const CACHE_BYTES: usize = 28 << 20;

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
pub(super) struct PlyRange {
    /// The first position.
    pub(super) from: u32,
    /// The last position, at least `from`.
    pub(super) to: u32,
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

type FilmKey = (GameId, PlyRange);

/// Cached films, and those in progress.
struct Films {
    cache: ImageCache<FilmKey>,
    jobs: Arc<SharedJobs<FilmKey, Arc<[u8]>>>,
}

impl FeatureState for Films {
    fn new(app: &App) -> Self {
        Films {
            cache: image_cache(CACHE_BYTES),
            jobs: SharedJobs::new(app.service.jobs(), JobKind::Film),
        }
    }
}

/// The film (GIF) of a range of this game, which must not exceed its newest position. Waits for it up to `timeout`.
///
/// # Errors
/// [`ServiceError::Busy`] if too many films are in progress, [`ServiceError::Unavailable`] if it could not be
/// rendered.
pub(super) async fn film(
    app: &App,
    snapshot: &Snapshot,
    range: PlyRange,
    credentials: &Credentials,
    timeout: Duration,
) -> Result<JobStatus<Arc<[u8]>>, ServiceError> {
    let films = app.state::<Films>();
    let key = (snapshot.id.clone(), range);
    if let Some(film) = films.cache.get(&key) {
        return Ok(JobStatus::Ready(film));
    }
    let payer = ComputeAccount {
        client_network: credentials.client_network,
        creator: None,
    };
    let plies = range.selected_plies();
    let frames = u32::try_from(plies.len()).unwrap_or(u32::MAX);
    let (state, live) = (Arc::clone(&films), snapshot.live.clone());
    let work = move |job: SharedJob<FilmKey, Arc<[u8]>>| async move {
        // An earlier job may have ended between the look above and the admission of this one.
        if let Some(film) = state.cache.get(job.key()) {
            job.finish(film);
            return Ok(());
        }
        let begin = move |_: &_| FilmRender::begin(&*live, &plies);
        let mut expected = EXPECTED_DURATION;
        let (mut render, _) = job.compute(demand(expected), begin).await?;
        while !render.is_complete() {
            let render_next = move |_: &_| render.render_next();
            (render, expected) = job.compute(demand(expected), render_next).await?;
            job.report(u32::try_from(render.done).unwrap_or(u32::MAX));
        }
        let film = render.animation.finish();
        let film: Arc<[u8]> = film.ok_or(ServiceError::Unavailable)?.into();
        state.cache.insert(job.key().clone(), film.clone());
        job.finish(film);
        Ok(())
    };
    films.jobs.run(&key, frames, payer, timeout, work).await
}

fn demand(expected: Duration) -> ComputeDemand {
    ComputeDemand {
        bytes: JOB_BYTES,
        ..ComputeDemand::time(expected)
    }
}

/// A partly rendered film.
struct FilmRender {
    /// One drawing (SVG) per frame.
    drawings: Vec<String>,
    animation: GifAnimation,
    /// The number of rendered frames.
    done: usize,
}

impl FilmRender {
    /// The drawings of a film, and an animation with a palette sampled from three of them.
    fn begin(live: &dyn LiveGame, plies: &[u32]) -> Option<Self> {
        let drawings = live.board_svgs(plies);
        let last = drawings.len().checked_sub(1)?;
        let samples = [0, last / 2, last].map(|at| drawings[at].as_str());
        Some(FilmRender {
            animation: GifAnimation::new(samples, MAX_SIDE)?,
            drawings,
            done: 0,
        })
    }

    fn is_complete(&self) -> bool {
        self.done == self.drawings.len()
    }

    /// Renders the next frames; `None` on failure.
    fn render_next(mut self) -> Option<Self> {
        let last = self.drawings.len() - 1;
        let frame_duration =
            TOTAL_DURATION / u32::try_from(self.drawings.len()).unwrap_or(u32::MAX);
        let frame_duration = frame_duration.clamp(MIN_FRAME_DURATION, MAX_FRAME_DURATION) as u16;
        for _ in 0..FRAMES_PER_BATCH {
            if self.is_complete() {
                break;
            }
            if self.animation.bytes() > MAX_BYTES {
                self.done = last;
            }
            let hundredths = if self.done == last {
                LAST_FRAME_DURATION
            } else {
                frame_duration
            };
            self.animation
                .push_frame(&self.drawings[self.done], hundredths)?;
            self.done += 1;
        }
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
