//! The followers of games: how many there may be, how many there are, and the events of each game,
//! written once for all of them.
//!
//! A [`Subscriber`] is made when a stream begins and dropped when it ends, however it ends. The followers
//! of one game share an [`GameSubscribers`], which exists as long as it has one. Who watches at other servers that share the
//! archive is counted too, a second or two later (`remote`).

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::game_adapters::LiveGameRef;
use crate::game_adapters::json::{EntryEvent, EventFormat};
use crate::service::SnapshotVersion;
use crate::store::GameId;
use crate::web::client::Client;
use crate::web::guard::GuardRejection;
use crate::web::metrics;
use crate::web::rate_limit::LoopbackPolicy;

mod remote;

/// How many streams may be open at the same time, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreamLimits {
    /// The most streams in all.
    pub all: usize,
    /// The most streams of one game.
    pub per_game: usize,
    /// The most streams from one address (IPv6: from one /64).
    pub per_address: usize,
    /// Whether streams from this machine count as from one address.
    pub loopback: LoopbackPolicy,
    /// A stream that has nothing to send sends a comment after this time.
    pub keep_alive: Duration,
    /// The stream of a finished game stays open for so long.
    pub lingering: Duration,
}

impl Default for StreamLimits {
    fn default() -> Self {
        StreamLimits {
            all: 10_000,
            per_game: 5_000,
            per_address: 100,
            loopback: LoopbackPolicy::Exempt,
            keep_alive: KEEP_ALIVE,
            lingering: LINGERING,
        }
    }
}

/// Short enough that no proxy takes a silent connection for dead.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Time for a look at how it ended, and for a rematch.
pub const LINGERING: Duration = Duration::from_secs(60);

/// The number of watchers is sent this long after it changed, so that many changes are one event.
const SETTLING: Duration = Duration::from_millis(250);

/// How many of a game's newest events are kept as they are sent; older ones are written again when asked
/// for.
const KEPT: usize = 64;

/// Everybody who follows a game.
#[derive(Debug)]
pub struct SubscriberRegistry {
    pub(in crate::web) limits: StreamLimits,
    /// Cancelled when the server stops; then streams say so and end.
    pub(in crate::web) stop: CancellationToken,
    followers: Mutex<SubscriberTable>,
}

#[derive(Debug, Default)]
struct SubscriberTable {
    all: usize,
    by_game: HashMap<GameId, Arc<GameSubscribers>>,
    by_address: HashMap<IpAddr, usize>,
    /// How many watch which games at other servers.
    elsewhere: HashMap<GameId, u32>,
}

impl SubscriberTable {
    fn elsewhere(&self, id: &GameId) -> u32 {
        self.elsewhere.get(id).copied().unwrap_or(0)
    }
}

impl SubscriberRegistry {
    /// An empty gallery, whose streams end at `stop`.
    #[must_use]
    pub fn new(limits: StreamLimits, stop: CancellationToken) -> Self {
        SubscriberRegistry {
            limits,
            stop,
            followers: Mutex::default(),
        }
    }

    /// How many follow this game without a seat in it, at all servers.
    #[must_use]
    pub fn watchers(&self, id: &GameId) -> u32 {
        let followers = self.followers();
        match followers.by_game.get(id) {
            Some(audience) => audience.watchers(),
            None => followers.elsewhere(id),
        }
    }

    /// How many streams are open.
    #[must_use]
    pub fn open(&self) -> usize {
        self.followers().all
    }

    /// Counts a new stream.
    ///
    /// # Errors
    /// 429 when there are too many: in all, or from this address.
    pub(in crate::web) fn admit(
        self: &Arc<Self>,
        client: &Client,
    ) -> Result<StreamPermit, GuardRejection> {
        let counted = (!self.limits.loopback.exempts(client.address)).then(|| client.counted_by());
        let mut followers = self.followers();
        let of_address =
            counted.map_or(0, |from| followers.by_address.get(&from).map_or(0, |n| *n));
        if followers.all >= self.limits.all
            || counted.is_some() && of_address >= self.limits.per_address
        {
            return Err(GuardRejection::TooManyStreams);
        }
        followers.all += 1;
        if let Some(from) = counted {
            *followers.by_address.entry(from).or_default() += 1;
        }
        drop(followers);
        metrics::stream_opened();
        Ok(StreamPermit {
            gallery: Arc::clone(self),
            counted,
        })
    }

    /// Counts a new follower of a game.
    ///
    /// # Errors
    /// 429 when there are too many: in all, before this game, or from this address.
    pub(super) fn enter(
        self: &Arc<Self>,
        id: &GameId,
        client: &Client,
        role: SubscriberRole,
    ) -> Result<Subscriber, GuardRejection> {
        let place = self.admit(client)?;
        let mut followers = self.followers();
        let of_game = followers
            .by_game
            .get(id)
            .map_or(0, |audience| audience.counts().streams);
        if of_game >= self.limits.per_game {
            // Giving the place back takes the same lock.
            drop(followers);
            drop(place);
            return Err(GuardRejection::TooManyStreams);
        }
        let elsewhere = followers.elsewhere(id);
        let audience = Arc::clone(followers.by_game.entry(id.clone()).or_default());
        {
            let mut counts = audience.counts();
            counts.streams += 1;
            counts.elsewhere = elsewhere;
        }
        drop(followers);
        let mut follower = Subscriber {
            audience,
            id: id.clone(),
            role: SubscriberRole::Player,
            place,
        };
        follower.be(role);
        Ok(follower)
    }

    fn followers(&self) -> MutexGuard<'_, SubscriberTable> {
        // Every change is a few additions that cannot panic half way.
        self.followers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the one who follows a game has a seat in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SubscriberRole {
    /// Somebody with a seat in the game.
    Player,
    /// Somebody without a seat.
    Watcher,
}

/// The place of an open stream; dropping it frees the place.
#[derive(Debug)]
pub(in crate::web) struct StreamPermit {
    gallery: Arc<SubscriberRegistry>,
    counted: Option<IpAddr>,
}

impl StreamPermit {
    /// Where the place is.
    pub(in crate::web) fn gallery(&self) -> &SubscriberRegistry {
        &self.gallery
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut followers = self.gallery.followers();
        followers.all -= 1;
        if let Some(from) = self.counted
            && let Some(count) = followers.by_address.get_mut(&from)
        {
            *count -= 1;
            if *count == 0 {
                followers.by_address.remove(&from);
            }
        }
        drop(followers);
        metrics::stream_closed();
    }
}

/// One who follows a game with an open stream; dropping it leaves the audience.
#[derive(Debug)]
pub(super) struct Subscriber {
    audience: Arc<GameSubscribers>,
    id: GameId,
    role: SubscriberRole,
    /// Given back last, when the audience was left.
    place: StreamPermit,
}

impl Subscriber {
    /// All followers of this game.
    pub(super) fn audience(&self) -> &Arc<GameSubscribers> {
        &self.audience
    }

    /// The followers of all games.
    pub(super) fn gallery(&self) -> &SubscriberRegistry {
        &self.place.gallery
    }

    /// Which game is followed.
    pub(super) fn game(&self) -> &GameId {
        &self.id
    }

    /// Becomes a watcher, or a player.
    pub(super) fn be(&mut self, role: SubscriberRole) {
        if self.role == role {
            return;
        }
        self.role = role;
        match role {
            SubscriberRole::Watcher => self.audience.counts().watchers += 1,
            SubscriberRole::Player => self.audience.counts().watchers -= 1,
        }
        self.audience.tell_soon();
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.be(SubscriberRole::Player);
        let mut followers = self.place.gallery.followers();
        let left = {
            let mut counts = self.audience.counts();
            counts.streams -= 1;
            counts.streams
        };
        if left == 0 {
            followers.by_game.remove(&self.id);
        }
    }
}

/// Those who follow one game.
#[derive(Debug, Default)]
pub(super) struct GameSubscribers {
    counts: Mutex<SubscriberCounts>,
    /// The number of watchers, sent when it had time to settle.
    told: watch::Sender<u32>,
    /// What pages hear.
    pages: Mutex<EventBuffer>,
    /// What programs hear; there is room for it as soon as one listens.
    programs: Mutex<Option<Box<ProgramEventBuffer>>>,
}

#[derive(Debug, Default)]
struct SubscriberCounts {
    streams: usize,
    watchers: u32,
    /// Those at other servers.
    elsewhere: u32,
    /// A task will send the number in a moment.
    telling: bool,
}

impl SubscriberCounts {
    fn all_watchers(&self) -> u32 {
        self.watchers.saturating_add(self.elsewhere)
    }
}

impl GameSubscribers {
    /// How many watch now, at all servers.
    pub(super) fn watchers(&self) -> u32 {
        self.counts().all_watchers()
    }

    /// How many watch, from now on.
    pub(super) fn listen(&self) -> watch::Receiver<u32> {
        self.told.subscribe()
    }

    fn counts(&self) -> MutexGuard<'_, SubscriberCounts> {
        // Every change is a single assignment that cannot panic half way.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the number in a moment, once for all changes until then; otherwise each of many who come or
    /// go at the same time would wake all others.
    fn tell_soon(self: &Arc<Self>) {
        if std::mem::replace(&mut self.counts().telling, true) {
            return;
        }
        let audience: Weak<Self> = Arc::downgrade(self);
        let tell = async move {
            tokio::time::sleep(SETTLING).await;
            if let Some(audience) = audience.upgrade() {
                let watchers = {
                    let mut counts = audience.counts();
                    counts.telling = false;
                    counts.all_watchers()
                };
                audience.told.send_replace(watchers);
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(tell)),
            // There is no runtime when the program ends, and nobody to send it to.
            Err(_) => self.counts().telling = false,
        }
    }

    /// The events of the plies from number `from` on, at most `most` of them, ready to be sent.
    pub(super) fn events(
        &self,
        live: &LiveGameRef,
        from: u32,
        most: usize,
        heard_by: EventFormat,
    ) -> Vec<Bytes> {
        // A feed is behind at worst, and a panic leaves none half written.
        let recent = match heard_by {
            EventFormat::Pages => {
                let mut feed = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
                feed.recent(live, from, most, heard_by)
            }
            EventFormat::Programs => self.programs(|feed| {
                let feed = &mut feed.plies;
                feed.recent(live, from, most, heard_by)
            }),
        };
        recent.unwrap_or_else(|| frames(live, from, most, heard_by))
    }

    /// How the game stands, as an event for programs: written once for a version of the game.
    pub(super) fn whole(&self, version: SnapshotVersion, write: impl FnOnce() -> Bytes) -> Bytes {
        self.programs(|feed| match &feed.whole {
            Some((known, event)) if *known == version => event.clone(),
            _ => {
                let event = write();
                feed.whole = Some((version, event.clone()));
                event
            }
        })
    }

    fn programs<T>(&self, with: impl FnOnce(&mut ProgramEventBuffer) -> T) -> T {
        let feed = self.programs.lock();
        with(
            feed.unwrap_or_else(PoisonError::into_inner)
                .get_or_insert_default(),
        )
    }
}

/// What programs hear of a game.
#[derive(Debug, Default)]
struct ProgramEventBuffer {
    plies: EventBuffer,
    /// The newest version of the game that was asked for.
    whole: Option<(SnapshotVersion, Bytes)>,
}

/// The newest events of a game, each written once for everybody who follows it.
#[derive(Debug, Default)]
struct EventBuffer {
    /// The number of the first ply that is not written yet.
    next: u32,
    /// The events before it.
    events: VecDeque<Bytes>,
}

impl EventBuffer {
    /// The events from number `from` on; `None` when they are older than what is kept.
    fn recent(
        &mut self,
        live: &LiveGameRef,
        from: u32,
        most: usize,
        heard_by: EventFormat,
    ) -> Option<Vec<Bytes>> {
        self.catch_up(live, from, heard_by);
        let oldest = self.next - self.events.len() as u32;
        let skipped = from.checked_sub(oldest)? as usize;
        let events = self.events.iter().skip(skipped).take(most);
        Some(events.cloned().collect())
    }

    /// Writes what was played since the last time; the first time, from ply number `from` on.
    fn catch_up(&mut self, live: &LiveGameRef, from: u32, heard_by: EventFormat) {
        let newest = live.ply();
        if self.events.is_empty() {
            self.next = from.min(newest);
        }
        // What would be dropped again at once need not be written.
        self.next = self.next.max(newest.saturating_sub(KEPT as u32));
        if self.next == newest {
            return;
        }
        let frames = frames(live, self.next, KEPT, heard_by);
        self.next += frames.len() as u32;
        self.events.extend(frames);
        let surplus = self.events.len().saturating_sub(KEPT);
        self.events.drain(..surplus);
    }
}

/// Plies as they are sent.
fn frames(live: &LiveGameRef, from: u32, most: usize, heard_by: EventFormat) -> Vec<Bytes> {
    let plies = live.events(from, most, heard_by);
    plies.iter().map(frame).collect()
}

/// One ply as an event, as it is sent.
fn frame(EntryEvent { number, json }: &EntryEvent) -> Bytes {
    format!("event: ply\nid: {number}\ndata: {json}\n\n").into()
}
