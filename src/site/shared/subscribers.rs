//! Subscribers of game event streams: limits, counts, and the serialized events of each game, shared by its streams.
//!
//! A `Subscriber` exists as long as its stream. The subscribers of a game share a `GameSubscribers`, which is
//! removed with the last of them. Each instance counts its own subscribers.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::Bytes;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::client_network::LoopbackPolicy;
use crate::formats::entries::EventFormat;
use crate::games::LiveGameRef;
use crate::games::json::EntryEvent;
use crate::http::client::Client;
use crate::http::event_stream::event_message;
use crate::http::rejection::GuardRejection;
use crate::metrics;
use crate::seats::Credentials;
use crate::secret::SecretHash;
use crate::store::GameId;
use crate::tables::SnapshotVersion;

/// Limits on the number of open event streams, and their timeouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreamLimits {
    /// The maximum number of streams.
    pub all: usize,
    /// The maximum number of streams of one game.
    pub per_game: usize,
    /// The maximum number of streams per address (IPv6: per /64).
    pub per_address: usize,
    /// Whether streams from this machine are limited per address.
    pub loopback: LoopbackPolicy,
    /// The time without events after which a keep-alive message is sent.
    pub keep_alive: Duration,
    /// How long the stream of a finished game stays open.
    pub post_game_timeout: Duration,
}

impl Default for StreamLimits {
    fn default() -> Self {
        StreamLimits {
            all: 10_000,
            per_game: 5_000,
            per_address: 100,
            loopback: LoopbackPolicy::Exempt,
            keep_alive: KEEP_ALIVE,
            post_game_timeout: POST_GAME_STREAM_TIMEOUT,
        }
    }
}

/// Short enough that proxies do not close the idle connection.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Time to view the result, and for a rematch.
pub const POST_GAME_STREAM_TIMEOUT: Duration = Duration::from_secs(60);

/// Watcher counts are sent this long after a change, so that several changes are one event.
const WATCHER_DEBOUNCE: Duration = Duration::from_millis(250);

/// The number of a game's newest events whose serialized form is cached; older ones are serialized again on request.
const BUFFERED_EVENTS: usize = 64;

/// The subscribers of all games.
#[derive(Debug)]
pub struct SubscriberRegistry {
    pub(in crate::site) limits: StreamLimits,
    /// Cancelled at shutdown; all streams then send `bye` and end.
    pub(in crate::site) stop: CancellationToken,
    table: Mutex<SubscriberTable>,
}

#[derive(Debug, Default)]
struct SubscriberTable {
    open: HashMap<u64, OpenStream>,
    /// The number of the next stream.
    next_stream: u64,
    by_game: HashMap<GameId, Arc<GameSubscribers>>,
    by_address: HashMap<IpAddr, usize>,
}

#[derive(Debug)]
struct OpenStream {
    /// The secrets of the browser that opened it.
    browsers: Vec<SecretHash>,
    closing: CancellationToken,
}

impl SubscriberRegistry {
    /// An empty registry, whose streams end at `stop`.
    #[must_use]
    pub fn new(limits: StreamLimits, stop: CancellationToken) -> Self {
        SubscriberRegistry {
            limits,
            stop,
            table: Mutex::default(),
        }
    }

    /// The number of subscribers of this game without a seat in it, at this instance.
    #[must_use]
    pub fn watchers(&self, id: &GameId) -> u32 {
        let table = self.table.lock();
        let subscribers = table.by_game.get(id);
        subscribers.map_or(0, |subscribers| subscribers.watchers())
    }

    /// The number of open streams.
    #[must_use]
    pub fn open_streams(&self) -> usize {
        self.table.lock().open.len()
    }

    /// Closes all streams that were opened with this secret of a browser, at this instance. A client that reconnects
    /// sends its present one. At other instances the streams of private games close when the seats change.
    pub(in crate::site) fn close_streams_of(&self, browser: &SecretHash) {
        for stream in self.table.lock().open.values() {
            if stream.browsers.iter().any(|own| own.matches(browser)) {
                stream.closing.cancel();
            }
        }
    }

    /// Counts a new stream.
    ///
    /// # Errors
    /// 429 if there are too many: in total, or from this address.
    pub(in crate::site) fn admit(
        self: &Arc<Self>,
        client: &Client,
        credentials: &Credentials,
    ) -> Result<StreamPermit, GuardRejection> {
        let counted =
            (!self.limits.loopback.is_exempt(client.address)).then(|| client.rate_limit_key());
        let mut table = self.table.lock();
        let of_address = counted.map_or(0, |from| table.by_address.get(&from).map_or(0, |n| *n));
        if table.open.len() >= self.limits.all
            || counted.is_some() && of_address >= self.limits.per_address
        {
            return Err(GuardRejection::TooManyStreams);
        }
        let number = table.next_stream;
        table.next_stream += 1;
        let closing = self.stop.child_token();
        let stream = OpenStream {
            browsers: credentials.browsers().copied().collect(),
            closing: closing.clone(),
        };
        table.open.insert(number, stream);
        if let Some(from) = counted {
            *table.by_address.entry(from).or_default() += 1;
        }
        drop(table);
        metrics::STREAMS_OPEN.inc();
        Ok(StreamPermit {
            registry: Arc::clone(self),
            number,
            closing,
            counted_address: counted,
        })
    }

    /// Adds a subscriber of a game.
    ///
    /// # Errors
    /// 429 if there are too many: in total, of this game, or from this address.
    pub(in crate::site) fn subscribe(
        self: &Arc<Self>,
        id: &GameId,
        client: &Client,
        credentials: &Credentials,
        role: SubscriberRole,
    ) -> Result<Subscriber, GuardRejection> {
        let permit = self.admit(client, credentials)?;
        let mut table = self.table.lock();
        let of_game = table
            .by_game
            .get(id)
            .map_or(0, |subscribers| subscribers.counts.lock().streams);
        if of_game >= self.limits.per_game {
            // Dropping the permit takes the same lock.
            drop(table);
            drop(permit);
            return Err(GuardRejection::TooManyStreams);
        }
        let subscribers = Arc::clone(table.by_game.entry(id.clone()).or_default());
        subscribers.counts.lock().streams += 1;
        drop(table);
        let mut subscriber = Subscriber {
            subscribers,
            id: id.clone(),
            role: SubscriberRole::Player,
            permit,
        };
        subscriber.set_role(role);
        Ok(subscriber)
    }
}

/// Whether a subscriber has a seat in the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::site) enum SubscriberRole {
    Player,
    Watcher,
}

/// The permit of an open stream; it is released on drop.
#[derive(Debug)]
pub(in crate::site) struct StreamPermit {
    registry: Arc<SubscriberRegistry>,
    number: u64,
    closing: CancellationToken,
    counted_address: Option<IpAddr>,
}

impl StreamPermit {
    pub(in crate::site) fn registry(&self) -> &SubscriberRegistry {
        &self.registry
    }

    /// Cancelled when the stream must send `bye` and end: at shutdown, or when its browser's secret is replaced.
    pub(in crate::site) fn closing(&self) -> &CancellationToken {
        &self.closing
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut table = self.registry.table.lock();
        table.open.remove(&self.number);
        if let Some(from) = self.counted_address
            && let Some(count) = table.by_address.get_mut(&from)
        {
            *count -= 1;
            if *count == 0 {
                table.by_address.remove(&from);
            }
        }
        drop(table);
        metrics::STREAMS_OPEN.dec();
    }
}

/// A subscriber of a game with an open stream; it is removed on drop.
#[derive(Debug)]
pub(in crate::site) struct Subscriber {
    subscribers: Arc<GameSubscribers>,
    id: GameId,
    role: SubscriberRole,
    /// Declared last, so that it is dropped after the subscriber was removed.
    permit: StreamPermit,
}

impl Subscriber {
    pub(in crate::site) fn subscribers(&self) -> &Arc<GameSubscribers> {
        &self.subscribers
    }

    pub(in crate::site) fn registry(&self) -> &SubscriberRegistry {
        &self.permit.registry
    }

    pub(in crate::site) fn closing(&self) -> &CancellationToken {
        self.permit.closing()
    }

    pub(in crate::site) fn game(&self) -> &GameId {
        &self.id
    }

    /// Changes the role, and the watcher count with it.
    pub(in crate::site) fn set_role(&mut self, role: SubscriberRole) {
        if self.role == role {
            return;
        }
        self.role = role;
        match role {
            SubscriberRole::Watcher => self.subscribers.counts.lock().watchers += 1,
            SubscriberRole::Player => self.subscribers.counts.lock().watchers -= 1,
        }
        self.subscribers.publish_counts_debounced();
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.set_role(SubscriberRole::Player);
        let mut table = self.permit.registry.table.lock();
        let remaining = {
            let mut counts = self.subscribers.counts.lock();
            counts.streams -= 1;
            counts.streams
        };
        if remaining == 0 {
            table.by_game.remove(&self.id);
        }
    }
}

/// The subscribers of one game.
#[derive(Debug, Default)]
pub(in crate::site) struct GameSubscribers {
    counts: Mutex<SubscriberCounts>,
    /// The number of watchers, sent after it has settled.
    watcher_counts: watch::Sender<u32>,
    /// The cached events for pages.
    pages: Mutex<EventBuffer>,
    /// The cached events for programs; allocated on first use.
    programs: Mutex<Option<Box<ProgramEventBuffer>>>,
}

#[derive(Debug, Default)]
struct SubscriberCounts {
    streams: usize,
    watchers: u32,
    /// Whether a task is about to send the count.
    is_publishing: bool,
}

impl GameSubscribers {
    /// The current number of watchers, at this instance.
    pub(in crate::site) fn watchers(&self) -> u32 {
        self.counts.lock().watchers
    }

    /// A receiver of the watcher count.
    pub(in crate::site) fn watch_counts(&self) -> watch::Receiver<u32> {
        self.watcher_counts.subscribe()
    }

    /// Sends the count after a short delay, once for all changes until then; otherwise each of many simultaneous
    /// changes would wake all streams.
    fn publish_counts_debounced(self: &Arc<Self>) {
        if std::mem::replace(&mut self.counts.lock().is_publishing, true) {
            return;
        }
        let subscribers: Weak<Self> = Arc::downgrade(self);
        let publish = async move {
            tokio::time::sleep(WATCHER_DEBOUNCE).await;
            if let Some(subscribers) = subscribers.upgrade() {
                let watchers = {
                    let mut counts = subscribers.counts.lock();
                    counts.is_publishing = false;
                    counts.watchers
                };
                subscribers.watcher_counts.send_replace(watchers);
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(publish)),
            // At exit there may be no runtime, and no stream that could receive the count.
            Err(_) => self.counts.lock().is_publishing = false,
        }
    }

    /// The serialized events of at most `max` plies, starting with number `from`.
    pub(in crate::site) fn events(
        &self,
        live: &LiveGameRef,
        from: u32,
        max: usize,
        format: EventFormat,
    ) -> Vec<Bytes> {
        let recent = match format {
            EventFormat::Pages => {
                let mut buffer = self.pages.lock();
                buffer.recent(live, from, max, format)
            }
            EventFormat::Programs => self.programs(|buffer| {
                let buffer = &mut buffer.plies;
                buffer.recent(live, from, max, format)
            }),
        };
        recent.unwrap_or_else(|| serialize_plies(live, from, max, format))
    }

    /// The game state as an event for programs, serialized once per version of the game.
    pub(in crate::site) fn game_state_event(
        &self,
        version: SnapshotVersion,
        write: impl FnOnce() -> Bytes,
    ) -> Bytes {
        self.programs(|buffer| match &buffer.game_event {
            Some((cached, event)) if *cached == version => event.clone(),
            _ => {
                let event = write();
                buffer.game_event = Some((version, event.clone()));
                event
            }
        })
    }

    fn programs<T>(&self, with: impl FnOnce(&mut ProgramEventBuffer) -> T) -> T {
        let mut buffer = self.programs.lock();
        with(buffer.get_or_insert_default())
    }
}

#[derive(Debug, Default)]
struct ProgramEventBuffer {
    plies: EventBuffer,
    /// The game event of the newest version that was requested.
    game_event: Option<(SnapshotVersion, Bytes)>,
}

/// The newest events of a game, serialized once for all subscribers.
#[derive(Debug, Default)]
struct EventBuffer {
    /// The number of the first ply that is not serialized yet.
    next_ply: u32,
    /// The events before it.
    events: VecDeque<Bytes>,
}

impl EventBuffer {
    /// The events from number `from` on; `None` if they are no longer cached.
    fn recent(
        &mut self,
        live: &LiveGameRef,
        from: u32,
        max: usize,
        format: EventFormat,
    ) -> Option<Vec<Bytes>> {
        self.fill_buffer(live, from, format);
        let oldest = self.next_ply - self.events.len() as u32;
        let skipped = from.checked_sub(oldest)? as usize;
        let events = self.events.iter().skip(skipped).take(max);
        Some(events.cloned().collect())
    }

    /// Serializes the plies since the last call; on the first call, those from `from` on.
    fn fill_buffer(&mut self, live: &LiveGameRef, from: u32, format: EventFormat) {
        let newest = live.entry_count();
        if self.events.is_empty() {
            self.next_ply = from.min(newest);
        }
        // Skips plies that would be dropped immediately.
        self.next_ply = self
            .next_ply
            .max(newest.saturating_sub(BUFFERED_EVENTS as u32));
        if self.next_ply == newest {
            return;
        }
        let frames = serialize_plies(live, self.next_ply, BUFFERED_EVENTS, format);
        self.next_ply += frames.len() as u32;
        self.events.extend(frames);
        let surplus = self.events.len().saturating_sub(BUFFERED_EVENTS);
        self.events.drain(..surplus);
    }
}

fn serialize_plies(live: &LiveGameRef, from: u32, max: usize, format: EventFormat) -> Vec<Bytes> {
    let plies = live.events(from, max, format);
    plies.iter().map(serialize_ply).collect()
}

/// Serializes one ply as an event.
fn serialize_ply(EntryEvent { number, json }: &EntryEvent) -> Bytes {
    event_message("ply", &format!("id: {number}\n"), json.get()).into()
}
