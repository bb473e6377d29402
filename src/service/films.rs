//! Films of games, drawn in the background behind all turns of computers.
//!
//! A film is derived from the record and kept in bounded memory alone: one that gave way to others, or a
//! restart, is made again when somebody asks for it. Everybody who asks for the same one waits for the
//! same work, and whoever hangs up stops waiting, never the work. It is drawn a few pictures at a time,
//! between which others have their turn; how many are under way is bounded, in all and for each network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use super::client_network::{ClientNetwork, ComputeAccount};
use super::scheduler::{ComputeError, TurnPriority, TurnRequest};
use super::{Credentials, Service, ServiceError, ServiceState, Snapshot};
use crate::game_adapters::{LiveGame, LiveGameRef};
use crate::raster::{GifAnimation, ImageCache};
use crate::store::GameId;

/// How many films may be under way, those that wait included.
const MOST: usize = 32;

/// How many of them one network may have asked for.
const MOST_OF_ONE: usize = 3;

/// How many are drawn by turns.
const AT_ONCE: usize = 2;

/// The most bytes of films that are kept.
const MOST_KEPT: usize = 48 << 20;

/// The most pictures of a film: of a longer stretch some plies are left out.
const MOST_PICTURES: u32 = 240;

/// The longer side of a film, in pixels.
const LONGEST: u16 = 640;

/// From so many bytes on only the last picture follows.
const MOST_BYTES: usize = 8 << 20;

/// About what a film under way takes: its drawings, two pictures and itself.
const UNDER_WAY_BYTES: usize = 32 << 20;

/// So many pictures are drawn before others have their turn.
const AT_A_TIME: usize = 6;

/// What drawing so many is expected to take.
const EXPECTED: Duration = Duration::from_millis(100);

/// A film of a whole game takes about this long, in hundredths of a second, but no picture is shown
/// shorter or longer than these.
const WHOLE: u32 = 6_000;
const SHORTEST: u32 = 25;
const LONGEST_SHOWN: u32 = 90;

/// How long the last picture is shown, in hundredths of a second.
const AT_THE_END: u16 = 300;

/// From which position to which one: how many entries were made before each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PlyRange {
    /// The first one shown.
    pub from: u32,
    /// The last one shown, not before the first.
    pub to: u32,
}

impl PlyRange {
    /// The positions that are shown, first and last always among them.
    fn shown(self) -> Vec<u32> {
        let apart = (self.to - self.from).div_ceil(MOST_PICTURES - 1).max(1);
        let mut shown: Vec<u32> = (self.from..self.to).step_by(apart as usize).collect();
        shown.push(self.to);
        shown
    }
}

/// How far a film has come.
#[derive(Clone, Debug)]
pub enum FilmStatus {
    /// It waits or is being drawn.
    UnderWay(FilmProgress),
    /// It is made (GIF).
    Made(Arc<[u8]>),
}

/// How many pictures are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FilmProgress {
    /// So many.
    pub done: u32,
    /// Of so many.
    pub of: u32,
}

/// What a film shows.
type FilmKey = (GameId, PlyRange);

/// A film that waits or is being drawn.
struct FilmJob {
    household: Option<ClientNetwork>,
    progress: watch::Receiver<FilmProgress>,
}

/// The films that are kept, and those that wait or are being drawn.
pub(super) struct FilmJobs {
    kept: ImageCache<FilmKey>,
    jobs: Mutex<HashMap<FilmKey, FilmJob>>,
    places: Semaphore,
}

impl FilmJobs {
    pub(super) fn new() -> Self {
        FilmJobs {
            kept: ImageCache::new(MOST_KEPT),
            jobs: Mutex::default(),
            places: Semaphore::new(AT_ONCE),
        }
    }

    fn jobs(&self) -> MutexGuard<'_, HashMap<FilmKey, FilmJob>> {
        // Every change of the map is one call.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A film's place among those that are under way; dropping it gives the place back.
struct FilmSlot {
    shared: Arc<ServiceState>,
    subject: FilmKey,
    household: Option<ClientNetwork>,
    tell: watch::Sender<FilmProgress>,
}

impl Drop for FilmSlot {
    fn drop(&mut self) {
        self.shared.films.jobs().remove(&self.subject);
    }
}

impl Service {
    /// The film of a stretch of this game, which must not end beyond its newest position; waited for at
    /// most so long.
    ///
    /// # Errors
    /// [`ServiceError::Busy`] when too many are under way, [`ServiceError::Unavailable`] where it could
    /// not be made.
    pub async fn film(
        &self,
        snapshot: &Snapshot,
        stretch: PlyRange,
        claim: &Credentials,
        patience: Duration,
    ) -> Result<FilmStatus, ServiceError> {
        let films = &self.shared.films;
        let subject = (snapshot.id.clone(), stretch);
        if let Some(film) = films.kept.get(&subject) {
            return Ok(FilmStatus::Made(film));
        }
        let begun = self.begin_film(&subject, &snapshot.live, claim.household)?;
        let Some(mut progress) = begun else {
            let film = films.kept.get(&subject);
            return film.map(FilmStatus::Made).ok_or(ServiceError::Busy);
        };
        // Whether it ended or not, what is kept tells what came of it.
        let ended = async { while progress.changed().await.is_ok() {} };
        let ended = tokio::time::timeout(patience, ended).await;
        match (films.kept.get(&subject), ended) {
            (Some(film), _) => Ok(FilmStatus::Made(film)),
            (None, Err(_)) => Ok(FilmStatus::UnderWay(*progress.borrow())),
            (None, Ok(())) => Err(ServiceError::Unavailable),
        }
    }

    /// Lets a film be made, unless it is under way already; `None` where it was made just now.
    fn begin_film(
        &self,
        subject: &FilmKey,
        live: &LiveGameRef,
        household: Option<ClientNetwork>,
    ) -> Result<Option<watch::Receiver<FilmProgress>>, ServiceError> {
        let films = &self.shared.films;
        let mut jobs = films.jobs();
        if let Some(job) = jobs.get(subject) {
            return Ok(Some(job.progress.clone()));
        }
        if films.kept.get(subject).is_some() {
            return Ok(None);
        }
        let own = jobs.values().filter(|job| job.household == household);
        if jobs.len() >= MOST
            || household.is_some_and(ClientNetwork::is_known) && own.count() >= MOST_OF_ONE
        {
            return Err(ServiceError::Busy);
        }
        let plies = subject.1.shown();
        let (tell, progress) = watch::channel(FilmProgress {
            done: 0,
            of: u32::try_from(plies.len()).unwrap_or(u32::MAX),
        });
        let job = FilmJob {
            household,
            progress: progress.clone(),
        };
        jobs.insert(subject.clone(), job);
        drop(jobs);
        let place = FilmSlot {
            shared: Arc::clone(&self.shared),
            subject: subject.clone(),
            household,
            tell,
        };
        let live = Arc::clone(live);
        self.shared.tasks.spawn(async move {
            match made(live, plies, &place).await {
                Ok(film) => {
                    let films = &place.shared.films;
                    films.kept.put(place.subject.clone(), film.into());
                }
                Err(ComputeError::Cancelled) => {}
                Err(ComputeError::Failed) => {
                    tracing::error!(id = %place.subject.0, "a film could not be made");
                }
            }
        });
        Ok(Some(progress))
    }
}

/// A film between two of its pictures.
struct FilmRender {
    live: LiveGameRef,
    plies: Vec<u32>,
    /// Nothing before the first turn.
    set: Option<(Vec<String>, GifAnimation)>,
    /// So many pictures are drawn.
    done: usize,
}

/// The film, drawn a few pictures at a time.
async fn made(
    live: LiveGameRef,
    plies: Vec<u32>,
    place: &FilmSlot,
) -> Result<Vec<u8>, ComputeError> {
    let shared = &place.shared;
    let stop = &shared.stop;
    let cancelled = ComputeError::Cancelled;
    let turn = stop.run_until_cancelled(shared.films.places.acquire());
    let _turn = turn.await.ok_or(cancelled)?;
    let of = plies.len();
    let mut shooting = FilmRender {
        live,
        plies,
        set: None,
        done: 0,
    };
    let mut expected = EXPECTED;
    while shooting.done < of {
        let wish = TurnRequest {
            game: place.subject.0.clone(),
            payer: ComputeAccount {
                household: place.household,
                creator: None,
            },
            threads: 1,
            bytes: UNDER_WAY_BYTES,
            expected,
            attention: TurnPriority::Behind,
        };
        let ticket = stop.run_until_cancelled(shared.thinkers.ask_patiently(wish));
        let ticket = ticket.await.ok_or(cancelled)?;
        let (drawn, took, _) = ticket.think(stop, move |_| shooting.go_on()).await?;
        shooting = drawn.ok_or(ComputeError::Failed)?;
        expected = took;
        place.tell.send_modify(|progress| {
            progress.done = u32::try_from(shooting.done).unwrap_or(u32::MAX);
        });
    }
    let film = shooting.set.and_then(|(_, film)| film.end());
    film.ok_or(ComputeError::Failed)
}

impl FilmRender {
    /// Draws the next pictures; `None` where one cannot be drawn.
    fn go_on(mut self) -> Option<Self> {
        let (drawings, mut film) = match self.set.take() {
            Some(set) => set,
            None => begun(&*self.live, &self.plies)?,
        };
        let last = drawings.len() - 1;
        let each = WHOLE / u32::try_from(drawings.len()).unwrap_or(u32::MAX);
        let each = each.clamp(SHORTEST, LONGEST_SHOWN) as u16;
        for _ in 0..AT_A_TIME {
            if self.done > last {
                break;
            }
            if film.bytes() > MOST_BYTES {
                self.done = last;
            }
            let hundredths = if self.done == last { AT_THE_END } else { each };
            film.show(&drawings[self.done], hundredths)?;
            self.done += 1;
        }
        self.set = Some((drawings, film));
        Some(self)
    }
}

/// Every drawing of a film, and its colours.
fn begun(live: &dyn LiveGame, plies: &[u32]) -> Option<(Vec<String>, GifAnimation)> {
    let drawings = live.pictures(plies);
    let last = drawings.len().checked_sub(1)?;
    let samples = [0, last / 2, last].map(|at| drawings[at].as_str());
    let film = GifAnimation::begin(samples, LONGEST)?;
    Some((drawings, film))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_adapters::{JsonFields, Registry, StartPosition};
    use crate::service::ServiceSettings;
    use crate::store::memory::MemoryStore;

    fn network(number: u8) -> Option<ClientNetwork> {
        Some(ClientNetwork::of([192, 0, 2, number].into()))
    }

    /// A film of a deal.
    fn subject() -> FilmKey {
        (GameId::random(), PlyRange { from: 0, to: 0 })
    }

    #[tokio::test]
    async fn films_are_bounded_and_one_network_leaves_room_for_others() {
        let archive = Arc::new(MemoryStore::new());
        let service = Service::new(Registry::builtin(), archive, ServiceSettings::default());
        let kind = service.games().game_types().next().unwrap();
        let game = kind.setting(JsonFields::default()).unwrap();
        let live = game.begin(&StartPosition::Deal(1)).unwrap();
        let films = &service.shared.films;
        let busy = films.places.acquire_many(AT_ONCE as u32).await.unwrap();
        let mut under_way = Vec::new();
        for number in 0..=u8::MAX {
            let asked = (0..100).map(|_| {
                let subject = subject();
                let begun = service.begin_film(&subject, &live, network(number));
                Ok::<_, ServiceError>((subject, begun?.unwrap()))
            });
            let begun: Vec<_> = asked.take_while(Result::is_ok).flatten().collect();
            assert!(begun.len() <= MOST_OF_ONE);
            if number == 0 {
                assert_eq!(begun.len(), MOST_OF_ONE);
                // Who asks for the same waits for the same.
                let same = service.begin_film(&begun[0].0, &live, network(0));
                assert!(same.unwrap().is_some());
            }
            under_way.extend(begun);
        }
        assert_eq!(under_way.len(), MOST);
        drop(busy);
        for (subject, mut progress) in under_way.into_iter().take(4) {
            while progress.changed().await.is_ok() {}
            assert!(films.kept.get(&subject).is_some());
        }
        assert!(films.jobs().len() <= MOST - 4);
    }

    #[tokio::test]
    async fn clients_of_unknown_networks_share_no_quota() {
        let archive = Arc::new(MemoryStore::new());
        let service = Service::new(Registry::builtin(), archive, ServiceSettings::default());
        let kind = service.games().game_types().next().unwrap();
        let game = kind.setting(JsonFields::default()).unwrap();
        let live = game.begin(&StartPosition::Deal(1)).unwrap();
        let films = &service.shared.films;
        let _busy = films.places.acquire_many(AT_ONCE as u32).await.unwrap();
        let asked = (0..=MOST).map(|_| service.begin_film(&subject(), &live, None));
        assert_eq!(asked.filter(Result::is_ok).count(), MOST);
    }

    #[test]
    fn a_long_stretch_leaves_some_plies_out() {
        for (from, to, apart) in [(0, 0, 1), (3, 9, 1), (0, 239, 1), (0, 240, 2), (7, 1000, 5)] {
            let shown = PlyRange { from, to }.shown();
            assert_eq!((shown.first(), shown.last()), (Some(&from), Some(&to)));
            assert!(shown.len() <= MOST_PICTURES as usize);
            let gaps = shown.windows(2).map(|two| two[1] - two[0]);
            assert!(gaps.clone().all(|gap| (1..=apart).contains(&gap)));
            assert_eq!(gaps.max(), (to > from).then_some(apart), "{from} {to}");
        }
    }
}
