//! Live tables: a game as server-sent events, at `GET /g/{id}/events` for pages and at
//! `GET /api/v1/games/{id}/events` for programs. This text is the contract; scripts and programs read
//! these events.
//!
//! ```text
//! retry: 1873                                 in the first event: milliseconds before coming back
//!
//! event: watchers                             first, and when it changed (at most 4 times a second)
//! data: {"count":2}
//!
//! event: seats                                who sits where changed; first, unless it never did
//! data: {"revision":1}
//!
//! event: ply                                  each ply once, in order
//! id: 17
//! data: {"ply":17,"player":0,"path":[12,13],"roll":{"attack":[6,4],"defend":[3]},"at":1764583200000,
//!        "captured":true,"reinforced":[],"over":false}       (one line)
//!
//! event: rematch                              a finished game is played again, at that address
//! data: {"id":"k3v9x0q2mz"}
//!
//! event: over                                 once, after the last ply
//! data: {"ending":"rules"}                    or "resigned" or "limit"
//!
//! : still here                                when nothing happened for 15 seconds
//! event: ping                                 the next one comes within so many milliseconds
//! data: {"next_ms":15000}
//!
//! event: bye                                  the server ends this stream: come back after `retry`
//! retry: 2210
//! data: {}
//! ```
//!
//! A ply is the record's ply with the fields that its game adds to show it happen, and `over` (the rules
//! end the game with this ply). The hexes' game writes `path` (null for the end of a turn), `captured`
//! (null where nothing was attacked) and `reinforced` (`[hex, dice that came]`, at the end of a turn
//! that brought some). Its `id` is its number, counted from 0; no other event has an id.
//!
//! Other entries of a record come as `ply`, too, and have numbers like plies: `{"ply":18,"player":0,
//! "takeback":15,"at":…,"over":false}` says that the game stands again before ply 15, and `"entropy":"…"`
//! in its place that a player added words to the dice.
//!
//! Programs hear more: they know nothing that a stream does not tell them. A ply carries the position after
//! it, who is next, and how it ended, and `over` the winners:
//!
//! ```text
//! event: game                                 first, and when who sits where changed
//! data: {"id":"k3v9x0q2mz","game":"dice",…,"ply":17,"player":0,"state":{…},"over":false,"seats":[…],…}
//!
//! event: ply
//! id: 17
//! data: {"ply":17,"player":0,…,"over":false,"game":"dice","after":{"ply":18,"player":0,"state":{…},
//!        "over":false,"winners":null,"ending":null,"moves":[…]}}
//!
//! event: over
//! data: {"ending":"rules","winners":[0],"ply":18}
//! ```
//!
//! `moves`, the legal actions with what can come of each, is there where the request came with the token of
//! the seat that is to move now: once a stream for a position, in `game` or in the ply that led there. So a
//! program that plays whenever it hears `moves` plays each ply once.
//!
//! A stream begins with the next ply. `Last-Event-ID: n`, which browsers send by themselves when they
//! come back, begins with ply n + 1, and `?from=K` with ply K (what a page needs that shows the
//! position after K plies); the header wins. What lies beyond the newest ply begins with the next one.
//!
//! A finished game tells `over` at once. Its stream stays open for a minute and then says `bye`; who
//! has heard `over` may as well close it.
//!
//! **None lost, none twice.** A stream holds the game's channel first and reads then. A snapshot in
//! the channel carries the whole record, so a stream that missed some of them sends every ply since
//! its last one from the newest. A game with open streams does not leave memory: the channel holds
//! its newest snapshot anyway, and there is no moment in which a stream hears nothing. Should its
//! table end nevertheless, the stream asks for it again.
//!
//! **Small.** A ply is written once, not once a stream: so the frames are our own, for axum's `Sse`
//! would write each event anew for each stream. And a stream prepares a few events at a time: a reader
//! that stops reading holds those few until the connection's write timeout drops it.

mod shared;
mod subscribers;

use std::convert::Infallible;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::api::dto::GameJson;
use super::client::Client;
use super::error::HttpError;
use super::identity::{BearerToken, BrowserSession};
use super::{App, metrics};
use crate::game_adapters::LiveGameRef;
use crate::game_adapters::json::{self, EventFormat};
use crate::service::{Credentials, Service, ServiceError, Snapshot};
use crate::store::GameId;

pub(super) use shared::shared;
pub(super) use subscribers::StreamPermit;
pub use subscribers::{KEEP_ALIVE, LINGERING, StreamLimits, SubscriberRegistry};
use subscribers::{Subscriber, SubscriberRole};

/// At most so many plies are prepared at a time: what a slow reader holds.
const BATCH: usize = 16;

/// Milliseconds after which a reader comes back, spread so that not all come at once.
const RETRY_MS: std::ops::Range<u64> = 1000..3000;

/// The pause before a lost table is asked for again; it doubles from the first to the second.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(8));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventsQuery {
    from: Option<String>,
}

/// What a request asks for.
pub(super) struct StreamRequest {
    client: Client,
    claim: Credentials,
    is_head: bool,
    /// The first ply to be told.
    first: Option<u32>,
}

impl FromRequestParts<App> for StreamRequest {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, HttpError> {
        let Query(EventsQuery { from }) = Query::from_request_parts(parts, app).await?;
        let Ok(client) = Client::from_request_parts(parts, app).await;
        let Ok(browser) = BrowserSession::from_request_parts(parts, app).await;
        Ok(StreamRequest {
            client,
            claim: browser.looks(),
            is_head: parts.method == Method::HEAD,
            first: first_ply(&parts.headers, from.as_deref())?,
        })
    }
}

/// `GET /g/{id}/events`
pub(super) async fn pages(
    State(app): State<App>,
    Path(id): Path<String>,
    asked: StreamRequest,
) -> Result<Response, HttpError> {
    let id = app.seen(&id, &asked.claim).await?.id.clone();
    follow(&app, &id, asked, EventFormat::Pages).await
}

/// Follows a game, as server-sent events. First comes `game`, how it stands; then each ply with the position
/// after it. Whoever asks with the token of a seat hears `moves` beside it whenever that seat is to move:
/// a program needs this stream and one request a ply.
#[utoipa::path(
    get, path = "/api/v1/games/{id}/events", operation_id = "follow_game",
    params(
        ("id" = String, Path),
        ("from" = Option<u32>, Query, description = "Begin with this ply; without it, with the next one"),
        ("Last-Event-ID" = Option<u32>, Header, description = "Begin after this ply; wins over `from`")
    ),
    responses(
        (status = 200, body = ref("#/components/schemas/StreamedEvent"), content_type = "text/event-stream",
         description = "The `data` of each event; its name stands in the line `event`. A ply has its number as `id`, the others have none"),
        (status = 403), (status = 404)
    )
)]
pub(super) async fn programs(
    State(app): State<App>,
    Path(id): Path<String>,
    token: BearerToken,
    asked: StreamRequest,
) -> Result<Response, HttpError> {
    let snapshot = app.seen(&id, &asked.claim).await?;
    let token_is_known = match token {
        BearerToken::Absent => true,
        BearerToken::Unreadable => false,
        BearerToken::Given(token) => snapshot.is_token_of_a_seat(&token),
    };
    if !token_is_known {
        return Err(ServiceError::NotYourSeat { snapshot }.into());
    }
    follow(&app, &snapshot.id, asked, EventFormat::Programs).await
}

async fn follow(
    app: &App,
    id: &GameId,
    asked: StreamRequest,
    heard_by: EventFormat,
) -> Result<Response, HttpError> {
    let StreamRequest {
        client,
        claim,
        is_head,
        first,
    } = asked;
    if is_head {
        app.service.subscribe(id).await?;
        return Ok(answer(Body::empty()));
    }
    let events = EventStream::open(app, id, &client, claim, first, heard_by).await?;
    let messages = stream::unfold(Box::new(events), EventStream::next);
    Ok(answer(Body::from_stream(messages)))
}

pub(super) fn answer(body: Body) -> Response {
    const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/event-stream"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // A proxy that collects an answer before it passes it on would wait for ever.
        (X_ACCEL_BUFFERING, HeaderValue::from_static("no")),
    ];
    (headers, body).into_response()
}

/// The first ply that is asked for: after the header's, or at the query's number.
fn first_ply(headers: &HeaderMap, from: Option<&str>) -> Result<Option<u32>, HttpError> {
    match (last_event_id(headers)?, from) {
        (Some(last), _) => Ok(Some(last.saturating_add(1))),
        (None, Some(from)) => match number(from) {
            Some(first) => Ok(Some(first)),
            None => Err(HttpError::bad_request("from is a ply's number")),
        },
        (None, None) => Ok(None),
    }
}

/// The number of the last event that a client heard before it comes back.
pub(super) fn last_event_id(headers: &HeaderMap) -> Result<Option<u32>, HttpError> {
    const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
    let mut given = headers.get_all(LAST_EVENT_ID).iter();
    match (given.next(), given.next()) {
        (None, _) => Ok(None),
        (Some(id), None) => match id.to_str().ok().and_then(number) {
            Some(last) => Ok(Some(last)),
            None => Err(HttpError::bad_request("Last-Event-ID is a number")),
        },
        (Some(_), Some(_)) => Err(HttpError::bad_request("there are two Last-Event-IDs")),
    }
}

/// A number in digits; one that is too large for any ply is beyond them all.
fn number(digits: &str) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u32::MAX))
}

fn role(snapshot: &Snapshot, claim: &Credentials) -> SubscriberRole {
    if snapshot.seats_of(claim).is_empty() {
        SubscriberRole::Watcher
    } else {
        SubscriberRole::Player
    }
}

/// The events of one game for one follower, and what was sent already.
struct EventStream {
    service: Service,
    snapshots: watch::Receiver<Arc<Snapshot>>,
    watchers: watch::Receiver<u32>,
    follower: Subscriber,
    claim: Credentials,
    heard_by: EventFormat,
    /// The next ply to send.
    next: u32,
    /// The position at which the program was told what it may do.
    asked_at: Option<u32>,
    /// The revision of the seats that was sent last; every game begins with the first.
    seats: u32,
    /// The rematch that was sent.
    rematch: Option<GameId>,
    /// The number of watchers that was sent last; none at the very beginning.
    count: Option<u32>,
    /// The number of watchers has changed since.
    recount: bool,
    /// When the stream ends, once the game is over.
    until: Option<Instant>,
    /// When something was last sent.
    spoke: Instant,
    /// How often the table was lost since the last ply.
    lost: u32,
    ended: bool,
}

impl EventStream {
    /// Follows a game from this ply on; without one, from the next one on.
    async fn open(
        app: &App,
        id: &GameId,
        client: &Client,
        claim: Credentials,
        first: Option<u32>,
        heard_by: EventFormat,
    ) -> Result<Self, HttpError> {
        // Subscribed before the state is read, so that nothing in between is missed.
        let snapshots = app.service.subscribe(id).await?;
        let snapshot = Arc::clone(&snapshots.borrow());
        let role = role(&snapshot, &claim);
        let follower = app.gallery.enter(id, client, role)?;
        let newest = snapshot.live.ply();
        let watchers = follower.audience().listen();
        Ok(EventStream {
            service: app.service.clone(),
            snapshots,
            watchers,
            follower,
            claim,
            heard_by,
            next: first.map_or(newest, |first| first.min(newest)),
            asked_at: None,
            seats: 0,
            rematch: None,
            count: None,
            recount: false,
            until: None,
            spoke: Instant::now(),
            lost: 0,
            ended: false,
        })
    }

    /// The next message, as soon as there is something to send.
    async fn next(mut self: Box<Self>) -> Option<(Result<Bytes, Infallible>, Box<Self>)> {
        if self.ended {
            return None;
        }
        let message = loop {
            if let Some(message) = self.news() {
                break message;
            }
            match self.wait().await {
                WakeReason::News => {}
                WakeReason::Silence => break ping(self.follower.gallery().limits.keep_alive),
                WakeReason::Bye => {
                    self.ended = true;
                    break bye();
                }
                WakeReason::Lost if self.reopen().await => {}
                WakeReason::Lost => {
                    self.ended = true;
                    break bye();
                }
            }
        };
        self.spoke = Instant::now();
        Some((Ok(message), self))
    }

    /// Everything that was not sent yet, or the first part of it.
    fn news(&mut self) -> Option<Bytes> {
        let snapshot = Arc::clone(&self.snapshots.borrow_and_update());
        let mut notes = String::new();
        let is_first = self.count.is_none();
        if is_first {
            let retry = rand::random_range(RETRY_MS);
            let _ = writeln!(notes, "retry: {retry}");
        }
        self.note_watchers(&mut notes);
        let reseated = self.note_seats(&snapshot, &mut notes);
        self.note_rematch(&snapshot, &mut notes);
        if self.heard_by == EventFormat::Programs && (is_first || reseated) {
            self.note_whole(&snapshot, &mut notes);
        }
        let audience = self.follower.audience();
        let mut plies = audience.events(&snapshot.live, self.next, BATCH, self.heard_by);
        self.next += plies.len() as u32;
        if self.next == snapshot.live.ply()
            && let Some(newest) = plies.last_mut()
            && let Some(moves) = self.moves(&snapshot)
        {
            *newest = with_moves(newest, "}}\n\n", &moves);
        }
        if !plies.is_empty() {
            self.lost = 0;
            metrics::events_sent(plies.len());
        }
        if notes.is_empty()
            && let [ply] = &plies[..]
            && (self.next < snapshot.live.ply() || !snapshot.live.is_over())
        {
            // By far the most frequent message: all streams of the game send the same bytes.
            return Some(ply.clone());
        }
        let mut message = notes.into_bytes();
        for ply in plies {
            message.extend_from_slice(&ply);
        }
        if self.next >= snapshot.live.ply() && self.until.is_none() {
            let live = &snapshot.live;
            if let Some(ending) = json::EndReason::of(live.is_over(), live.ending()) {
                self.until = Some(Instant::now() + self.follower.gallery().limits.lingering);
                metrics::events_sent(1);
                message.extend_from_slice(over(live, ending, self.heard_by).as_bytes());
            }
        }
        (!message.is_empty()).then(|| message.into())
    }

    fn note_watchers(&mut self, notes: &mut String) {
        let count = match self.count {
            // The first number counts this stream already; the shared one follows a moment later.
            None => self.follower.audience().watchers(),
            Some(_) if std::mem::take(&mut self.recount) => *self.watchers.borrow_and_update(),
            Some(count) => count,
        };
        if self.count != Some(count) {
            self.count = Some(count);
            metrics::events_sent(1);
            let _ = write!(notes, "event: watchers\ndata: {{\"count\":{count}}}\n\n");
        }
    }

    fn note_rematch(&mut self, snapshot: &Snapshot, notes: &mut String) {
        if self.rematch != snapshot.rematch
            && let Some(id) = &snapshot.rematch
        {
            self.rematch = Some(id.clone());
            metrics::events_sent(1);
            let _ = write!(notes, "event: rematch\ndata: {{\"id\":\"{id}\"}}\n\n");
        }
    }

    /// Returns whether there was something to say.
    fn note_seats(&mut self, snapshot: &Snapshot, notes: &mut String) -> bool {
        let revision = snapshot.seats.revision;
        let changed = self.seats != revision;
        if changed {
            self.seats = revision;
            self.follower.be(role(snapshot, &self.claim));
            metrics::events_sent(1);
            let _ = write!(notes, "event: seats\ndata: {{\"revision\":{revision}}}\n\n");
        }
        changed
    }

    fn note_whole(&mut self, snapshot: &Snapshot, notes: &mut String) {
        let audience = self.follower.audience();
        let whole = audience.whole(snapshot.version(), || {
            let game = GameJson::of(snapshot, snapshot.live.ply());
            let game = game.and_then(|game| serde_json::to_string(&game).ok());
            let game = game.map(|game| format!("event: game\ndata: {game}\n\n"));
            game.unwrap_or_default().into()
        });
        let whole = match self.moves(snapshot) {
            Some(moves) => with_moves(&whole, "}\n\n", &moves),
            None => whole,
        };
        metrics::events_sent(1);
        notes.push_str(&String::from_utf8_lossy(&whole));
    }

    /// What the program may do, if it is to move here and was not told yet.
    fn moves(&mut self, snapshot: &Snapshot) -> Option<Box<RawValue>> {
        let by_token = Credentials {
            browser: None,
            also: [None; 2],
            ..self.claim
        };
        let ply = snapshot.live.ply();
        if self.heard_by == EventFormat::Pages || self.asked_at == Some(ply) {
            return None;
        }
        let mover = snapshot.live.mover()?;
        let is_asked = snapshot.seat_asked_of(by_token.token.as_ref()) == Some(mover);
        if !is_asked && !snapshot.seats_of(&by_token).contains(&mover) {
            return None;
        }
        self.asked_at = Some(ply);
        Some(snapshot.live.legal())
    }

    /// Waits until there may be something to send.
    async fn wait(&mut self) -> WakeReason {
        let silence = self.spoke + self.follower.gallery().limits.keep_alive;
        let end = self.until.unwrap_or(silence).min(silence);
        let stop = &self.follower.gallery().stop;
        tokio::select! {
            biased;
            () = stop.cancelled() => WakeReason::Bye,
            changed = self.snapshots.changed() => match changed {
                Ok(()) => WakeReason::News,
                Err(_) => WakeReason::Lost,
            },
            // The sender lives in the audience, and the audience as long as this follower.
            Ok(()) = self.watchers.changed() => {
                self.recount = true;
                WakeReason::News
            }
            () = sleep_until(end) => match self.until {
                Some(until) if until <= Instant::now() => WakeReason::Bye,
                _ => WakeReason::Silence,
            },
        }
    }

    /// Follows the game again after its table ended. Returns false when it cannot be followed any more.
    async fn reopen(&mut self) -> bool {
        let (first, longest) = PAUSES;
        loop {
            // Each further attempt for the same ply waits longer, so a broken table is not loaded in a loop.
            let pause = first.saturating_mul(1 << self.lost.min(5)).min(longest);
            self.lost += 1;
            let stop = self.follower.gallery().stop.clone();
            if stop.run_until_cancelled(sleep(pause)).await.is_none() {
                return false;
            }
            match self.service.subscribe(self.follower.game()).await {
                Ok(snapshots) => {
                    self.snapshots = snapshots;
                    return true;
                }
                Err(ServiceError::Unavailable) => {}
                Err(_) => return false,
            }
        }
    }
}

/// Why a waiting stream woke up.
enum WakeReason {
    /// There may be something to send.
    News,
    /// Nothing happened for a while.
    Silence,
    /// The table ended.
    Lost,
    /// The stream shall end.
    Bye,
}

/// An event with the legal actions as the last field of the object that `end` closes.
fn with_moves(event: &Bytes, end: &str, moves: &RawValue) -> Bytes {
    let end = end.as_bytes();
    let Some(open) = event.strip_suffix(end) else {
        return event.clone();
    };
    let moves = moves.get().as_bytes();
    [open, b",\"moves\":", moves, end].concat().into()
}

fn over(live: &LiveGameRef, ending: json::EndReason, heard_by: EventFormat) -> String {
    let ending = ending.name();
    let more = match heard_by {
        EventFormat::Pages => String::new(),
        EventFormat::Programs => {
            let winners = serde_json::json!(json::numbers(&live.winners()));
            format!(",\"winners\":{winners},\"ply\":{}", live.ply())
        }
    };
    format!("event: over\ndata: {{\"ending\":\"{ending}\"{more}}}\n\n")
}

/// The first event of a stream, which also says how long to stay away before coming back: on a line of its own
/// that would be an event without a name and without data to some clients.
pub(super) fn first(event: &Bytes) -> Bytes {
    let retry = rand::random_range(RETRY_MS);
    [format!("retry: {retry}\n").as_bytes(), event]
        .concat()
        .into()
}

/// Says that the connection is alive. Scripts in browsers hear of events alone; programs may look for the comment.
pub(super) fn ping(keep_alive: Duration) -> Bytes {
    let next_ms = keep_alive.as_millis();
    format!(": still here\nevent: ping\ndata: {{\"next_ms\":{next_ms}}}\n\n").into()
}

/// The last event of a stream.
pub(super) fn bye() -> Bytes {
    let retry = rand::random_range(RETRY_MS);
    format!("event: bye\nretry: {retry}\ndata: {{}}\n\n").into()
}
