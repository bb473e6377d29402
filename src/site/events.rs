//! Server-sent events of a game, at `GET /g/{id}/events` for pages and at `GET /api/v1/games/{id}/events` for programs.
//! This text specifies the events that scripts and programs read.
//!
//! ```text
//! retry: 1873                                 in the first event: milliseconds before reconnecting
//!
//! event: watchers                             first, and after changes (at most 4 times a second)
//! data: {"event":"watchers","count":2}
//!
//! event: seats                                after changes of seats; first, unless they never changed
//! data: {"event":"seats","revision":1}
//!
//! event: ply                                  each ply once, in order
//! id: 17
//! data: {"event":"ply","ply":17,"player":0,"path":[12,13],"roll":{"attack":[6,4],"defend":[3]},"at":1764583200000,
//!        "captured":true,"reinforced":[],"over":false}       (one line)
//!
//! event: rematch                              a finished game has a rematch with this id
//! data: {"event":"rematch","id":"k3v9x0q2mz"}
//!
//! event: phrase                               a player said something (only to pages)
//! data: {"event":"phrase","player":0,"phrase":"hello","at":1764583200000}
//!
//! event: over                                 once, after the last ply
//! data: {"event":"over","ending":"rules"}     or "resigned" or "limit"
//!
//! : still here                                after 15 seconds without an event
//! event: ping                                 the next one comes within this many milliseconds
//! data: {"event":"ping","next_ms":15000}
//!
//! event: bye                                  the server closes this stream: reconnect after `retry`
//! retry: 2210
//! data: {"event":"bye"}
//! ```
//!
//! A ply event is the record's ply with the fields that its game adds to display it, and `over` (whether the rules end
//! the game with this ply). Dice of Doom adds `path` (null for the end of a turn), `captured` (null without an attack)
//! and `reinforced` (`[hex, added dice]`, at the end of a turn with reinforcements). Its `id` is its number, counted
//! from 0; no other event has an id.
//!
//! Other entries of a record are sent as `ply` too, and numbered like plies:
//! `{"ply":18,"player":0,"takeback":15,"at":…,"over":false}` restores the position before ply 15, and an entry with
//! `"entropy":"…"` instead is entropy text that a player added to the dice.
//!
//! Programs get more, because they know only what the stream contains. Their ply events contain the position after the
//! ply, the next player, and how the game ended, and `over` contains the winners:
//!
//! ```text
//! event: game                                 first, and after changes of seats
//! data: {"event":"game","id":"k3v9x0q2mz","game":"dice",…,"ply":17,"player":0,"state":{…},"over":false,"seats":[…],…}
//!
//! event: ply
//! id: 17
//! data: {"event":"ply","ply":17,"player":0,…,"over":false,"game":"dice","after":{"ply":18,"player":0,"state":{…},
//!        "over":false,"winners":null,"ending":null,"moves":[…]}}
//!
//! event: over
//! data: {"event":"over","ending":"rules","winners":[0],"ply":18}
//! ```
//!
//! `moves`, the legal actions with their chance outcomes, is included if the request had the token of the seat that is
//! to move now: once per stream and position, in `game` or in the ply that led to the position. A program that plays
//! whenever it receives `moves` therefore plays each ply once.
//!
//! A stream contains only what its client may see. Once it may not see a private game any more, because the seats have
//! changed, the stream sends `seats` and `bye`; requests are answered with 404 from then on.
//!
//! A stream starts with the next ply. `Last-Event-ID: n`, which browsers send when they reconnect, starts with ply n +
//! 1, and `?from=K` with ply K (for a page that shows the position after K plies); the header takes precedence. Numbers
//! beyond the newest ply start with the next one.
//!
//! For a finished game, `over` is sent immediately. The stream stays open for a minute and then sends `bye`; clients
//! may close it after `over`.
//!
//! **No ply is lost or repeated.** A stream subscribes to the game's channel before it reads the state. A snapshot in
//! the channel contains the whole record, so a stream that missed some snapshots sends every ply since its last one
//! from the newest. A game with open streams is not unloaded, because its channel retains the newest snapshot anyway.
//! If its table ends nevertheless, the stream subscribes again.
//!
//! **Memory.** A ply is serialized once for all streams, so the frames are written here: axum's `Sse` would serialize
//! each event for each stream. A stream prepares only a few events at a time: those are all that it holds for a client
//! that stops reading, until the connection's write timeout closes it.

mod shared;

use axum::Router;
use axum::routing::get;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use futures_util::stream;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::api::dto::GameJson;
use super::open_tables;
use super::shared::app::App;
use super::shared::identity::{BearerToken, BrowserSession};
use super::shared::subscribers::{Subscriber, SubscriberRole};
use crate::formats::end_reason::{EndReason, player_numbers};
use crate::formats::entries::EventFormat;
use crate::games::LiveGameRef;
use crate::http::client::Client;
use crate::http::cors::allow_any_origin;
use crate::http::error::HttpError;
use crate::http::event_stream::{
    RETRY_MS, close_event, event_message, event_stream_response, keep_alive_event, last_event_id,
    parse_number,
};
use crate::metrics;
use crate::seats::{Credentials, SaidPhrase};
use crate::site::shared::form::Query;
use crate::site::shared::limits::RouteLimits;
use crate::store::GameId;
use crate::tables::{GameSubscription, Service, ServiceError, SightLost, Snapshot};

pub(super) use shared::shared;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/g/{id}/events", limits.reading(get(pages)))
        .route("/events", limits.reading(get(shared)))
        .route(
            "/api/v1/games/{id}/events",
            limits.reading(allow_any_origin(get(programs))),
        )
}

/// The maximum number of plies that are prepared at a time, and held for a slow client.
const MAX_BATCH_PLIES: usize = 16;

/// The first and the longest pause before resubscribing to a lost table; it doubles with each attempt.
const RESUBSCRIBE_PAUSES: (Duration, Duration) =
    (Duration::from_millis(250), Duration::from_secs(8));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventsQuery {
    from: Option<String>,
}

pub(super) struct StreamRequest {
    client: Client,
    credentials: Credentials,
    is_head: bool,
    /// The first ply to send.
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
            credentials: browser.read_credentials(),
            is_head: parts.method == Method::HEAD,
            first: first_ply(&parts.headers, from.as_deref())?,
        })
    }
}

/// `GET /g/{id}/events`
async fn pages(
    State(app): State<App>,
    Path(id): Path<String>,
    request: StreamRequest,
) -> Result<Response, HttpError> {
    let id = app
        .viewable_game(&id, &request.credentials)
        .await?
        .id
        .clone();
    follow(&app, &id, request, EventFormat::Pages).await
}

/// Streams the events of a game.
///
/// Server-sent events report the current state of the game, then each new entry with the game after it. With the token
/// of a seat they include the legal `moves` whenever that seat is to move. A program needs only this stream, and one
/// request for each ply.
async fn programs(
    State(app): State<App>,
    Path(id): Path<String>,
    token: BearerToken,
    request: StreamRequest,
) -> Result<Response, HttpError> {
    let snapshot = app.viewable_game(&id, &request.credentials).await?;
    let token_is_known = match token {
        BearerToken::Absent => true,
        BearerToken::Invalid => false,
        BearerToken::Present(token) => snapshot.is_seat_token(&token),
    };
    if !token_is_known {
        return Err(ServiceError::NotYourSeat { snapshot }.into());
    }
    follow(&app, &snapshot.id, request, EventFormat::Programs).await
}

async fn follow(
    app: &App,
    id: &GameId,
    request: StreamRequest,
    format: EventFormat,
) -> Result<Response, HttpError> {
    let StreamRequest {
        client,
        credentials,
        is_head,
        first,
    } = request;
    if is_head {
        return Ok(event_stream_response(Body::empty()));
    }
    let events = EventStream::open(app, id, &client, credentials, first, format).await?;
    let messages = stream::unfold(Box::new(events), EventStream::next);
    Ok(event_stream_response(Body::from_stream(messages)))
}

/// The first ply to send: the one after the header's, or the query's.
fn first_ply(headers: &HeaderMap, from: Option<&str>) -> Result<Option<u32>, HttpError> {
    match (last_event_id(headers)?, from) {
        (Some(last), _) => Ok(Some(last.saturating_add(1))),
        (None, Some(from)) => match parse_number(from) {
            Some(first) => Ok(Some(first)),
            None => Err(HttpError::bad_request(
                "from is a whole number from 0 to 4294967295",
            )),
        },
        (None, None) => Ok(None),
    }
}

fn subscriber_role(snapshot: &Snapshot, credentials: &Credentials) -> SubscriberRole {
    if snapshot.seats_of(credentials).is_empty() {
        SubscriberRole::Watcher
    } else {
        SubscriberRole::Player
    }
}

/// The event stream of one game for one subscriber, and what was already sent.
struct EventStream {
    service: Service,
    subscription: GameSubscription,
    watchers: watch::Receiver<u32>,
    subscriber: Subscriber,
    format: EventFormat,
    /// The next ply to send.
    next_ply: u32,
    /// The ply at which the legal actions were last sent.
    actions_sent_at: Option<u32>,
    /// The last revision of the seats that was sent; each game starts with revision 0.
    seats_revision: u32,
    /// The phrases that were sent, or that were said before.
    heard: Arc<[SaidPhrase]>,
    /// The rematch that was sent.
    rematch: Option<GameId>,
    /// The last number of watchers that was sent, if any.
    watcher_count: Option<u32>,
    /// Whether the number of watchers has changed since.
    watchers_changed: bool,
    /// When the stream ends, once the game is over.
    closes_at: Option<Instant>,
    /// When the last message was sent.
    last_sent: Instant,
    /// How often the table was lost since the last ply.
    lost_tables: u32,
    ended: bool,
}

impl EventStream {
    /// Subscribes to a game from ply `first` on, or from the next one.
    async fn open(
        app: &App,
        id: &GameId,
        client: &Client,
        credentials: Credentials,
        first: Option<u32>,
        format: EventFormat,
    ) -> Result<Self, HttpError> {
        // Subscribed before the state is read, so that nothing in between is missed.
        let mut subscription = app.service.subscribe(id, &credentials).await?;
        let snapshot = subscription
            .receive()
            .map_err(|SightLost { .. }| HttpError::not_found())?;
        let role = subscriber_role(&snapshot, &credentials);
        let subscriber = app
            .limits
            .subscribers
            .subscribe(id, client, &credentials, role)?;
        let next_ply = snapshot.live.entry_count();
        let watchers = subscriber.subscribers().watch_counts();
        Ok(EventStream {
            service: app.service.clone(),
            subscription,
            watchers,
            subscriber,
            format,
            next_ply: first.map_or(next_ply, |first| first.min(next_ply)),
            actions_sent_at: None,
            seats_revision: 0,
            heard: Arc::clone(&snapshot.phrases),
            rematch: None,
            watcher_count: None,
            watchers_changed: false,
            closes_at: None,
            last_sent: Instant::now(),
            lost_tables: 0,
            ended: false,
        })
    }

    /// Waits for the next message.
    async fn next(mut self: Box<Self>) -> Option<(Result<Bytes, Infallible>, Box<Self>)> {
        if self.ended {
            return None;
        }
        let message = loop {
            if let Some(message) = self.pending_events() {
                break message;
            }
            match self.wait().await {
                WakeReason::EventsPending => {}
                WakeReason::KeepAlive => {
                    self.mark_creator_seen().await;
                    break keep_alive_event(self.subscriber.registry().limits.keep_alive);
                }
                WakeReason::Closing => {
                    self.ended = true;
                    break close_event();
                }
                WakeReason::Lost if self.resubscribe().await => {}
                WakeReason::Lost => {
                    self.ended = true;
                    break close_event();
                }
            }
        };
        self.last_sent = Instant::now();
        Some((Ok(message), self))
    }

    /// Keeps an open table listed while its creator follows it.
    async fn mark_creator_seen(&mut self) {
        let Ok(snapshot) = self.subscription.receive() else {
            return;
        };
        let credentials = self.subscription.credentials();
        let marked = open_tables::mark_creator_seen(&self.service, &snapshot, credentials);
        if let Err(error) = marked.await {
            tracing::debug!(id = %snapshot.id, %error, "an open table could not be marked as seen");
        }
    }

    /// All pending events, or the first batch of them.
    fn pending_events(&mut self) -> Option<Bytes> {
        let snapshot = match self.subscription.receive() {
            Ok(snapshot) => snapshot,
            Err(lost) => return Some(self.end_without_sight(lost)),
        };
        let mut other_events = String::new();
        let is_first = self.watcher_count.is_none();
        if is_first {
            let retry = rand::random_range(RETRY_MS);
            other_events.push_str(&format!("retry: {retry}\n"));
        }
        self.queue_watchers_event(&mut other_events);
        let seats_changed = self.queue_seats_event(&snapshot, &mut other_events);
        self.queue_phrase_events(&snapshot, &mut other_events);
        self.queue_rematch_event(&snapshot, &mut other_events);
        if self.format == EventFormat::Programs && (is_first || seats_changed) {
            self.queue_game_event(&snapshot, &mut other_events);
        }
        let subscribers = self.subscriber.subscribers();
        let mut plies =
            subscribers.events(&snapshot.live, self.next_ply, MAX_BATCH_PLIES, self.format);
        self.next_ply += plies.len() as u32;
        if self.next_ply == snapshot.live.entry_count()
            && let Some(last) = plies.last_mut()
            && let Some(moves) = self.unsent_actions(&snapshot)
        {
            *last = with_legal_actions(last, "}}\n\n", &moves);
        }
        if !plies.is_empty() {
            self.lost_tables = 0;
            metrics::EVENTS_SENT.inc_by(plies.len() as u64);
        }
        if other_events.is_empty()
            && let [ply] = &plies[..]
            && (self.next_ply < snapshot.live.entry_count() || !snapshot.live.is_over())
        {
            // By far the most frequent message: all streams of the game send the same bytes.
            return Some(ply.clone());
        }
        let mut message = other_events.into_bytes();
        for ply in plies {
            message.extend_from_slice(&ply);
        }
        if self.next_ply >= snapshot.live.entry_count() && self.closes_at.is_none() {
            let live = &snapshot.live;
            if let Some(ending) = EndReason::new(live.is_over(), live.ending()) {
                self.closes_at =
                    Some(Instant::now() + self.subscriber.registry().limits.post_game_timeout);
                metrics::EVENTS_SENT.inc();
                message.extend_from_slice(game_over_event(live, ending, self.format).as_bytes());
            }
        }
        (!message.is_empty()).then(|| message.into())
    }

    /// The last events for a client that may no longer see the game.
    fn end_without_sight(&mut self, SightLost { seats_revision }: SightLost) -> Bytes {
        self.ended = true;
        let seats = match self.seats_revision == seats_revision {
            true => String::new(),
            false => seats_event(seats_revision),
        };
        [seats.as_bytes(), &close_event()].concat().into()
    }

    fn queue_watchers_event(&mut self, out: &mut String) {
        let count = match self.watcher_count {
            // The first number already includes this stream; the shared one follows a moment later.
            None => self.subscriber.subscribers().watchers(),
            Some(_) if std::mem::take(&mut self.watchers_changed) => {
                *self.watchers.borrow_and_update()
            }
            Some(count) => count,
        };
        if self.watcher_count != Some(count) {
            self.watcher_count = Some(count);
            metrics::EVENTS_SENT.inc();
            out.push_str(&event_message(
                "watchers",
                "",
                &format!("{{\"count\":{count}}}"),
            ));
        }
    }

    fn queue_phrase_events(&mut self, snapshot: &Snapshot, out: &mut String) {
        if self.format != EventFormat::Pages || Arc::ptr_eq(&self.heard, &snapshot.phrases) {
            return;
        }
        let heard = std::mem::replace(&mut self.heard, Arc::clone(&snapshot.phrases));
        for said in snapshot.phrases.iter().filter(|said| !heard.contains(said)) {
            let (player, phrase, at_ms) = (said.player.number(), said.phrase.name(), said.at_ms);
            metrics::EVENTS_SENT.inc();
            let said = json!({"player": player, "phrase": phrase, "at": at_ms});
            out.push_str(&event_message("phrase", "", &said.to_string()));
        }
    }

    fn queue_rematch_event(&mut self, snapshot: &Snapshot, out: &mut String) {
        if self.rematch != snapshot.rematch
            && let Some(id) = &snapshot.rematch
        {
            self.rematch = Some(id.clone());
            metrics::EVENTS_SENT.inc();
            out.push_str(&event_message(
                "rematch",
                "",
                &format!("{{\"id\":\"{id}\"}}"),
            ));
        }
    }

    /// Returns whether the seats changed.
    fn queue_seats_event(&mut self, snapshot: &Snapshot, out: &mut String) -> bool {
        let revision = snapshot.seats.revision;
        let changed = self.seats_revision != revision;
        if changed {
            self.seats_revision = revision;
            self.subscriber
                .set_role(subscriber_role(snapshot, self.subscription.credentials()));
            out.push_str(&seats_event(revision));
        }
        changed
    }

    fn queue_game_event(&mut self, snapshot: &Snapshot, out: &mut String) {
        let subscribers = self.subscriber.subscribers();
        let game_event = subscribers.game_state_event(snapshot.version(), || {
            let game = GameJson::new(snapshot, snapshot.live.entry_count());
            let game = game.and_then(|game| serde_json::to_string(&game).ok());
            let game = game.map(|game| event_message("game", "", &game));
            game.unwrap_or_default().into()
        });
        let game_event = match self.unsent_actions(snapshot) {
            Some(moves) => with_legal_actions(&game_event, "}\n\n", &moves),
            None => game_event,
        };
        metrics::EVENTS_SENT.inc();
        out.push_str(&String::from_utf8_lossy(&game_event));
    }

    /// The legal actions, if the program is to move at this position and they were not sent for it.
    fn unsent_actions(&mut self, snapshot: &Snapshot) -> Option<Box<RawValue>> {
        let token_only = Credentials {
            browser: None,
            other_browsers: [None; 2],
            ..*self.subscription.credentials()
        };
        let ply = snapshot.live.entry_count();
        if self.format == EventFormat::Pages || self.actions_sent_at == Some(ply) {
            return None;
        }
        let mover = snapshot.mover()?;
        let is_invited = snapshot.invited_seat(token_only.token.as_ref()) == Some(mover);
        if !is_invited && !snapshot.seats_of(&token_only).contains(&mover) {
            return None;
        }
        self.actions_sent_at = Some(ply);
        Some(snapshot.live.legal_moves())
    }

    /// Waits until there may be an event to send.
    async fn wait(&mut self) -> WakeReason {
        let keep_alive_at = self.last_sent + self.subscriber.registry().limits.keep_alive;
        let end = self.closes_at.unwrap_or(keep_alive_at).min(keep_alive_at);
        let closing = self.subscriber.closing();
        tokio::select! {
            biased;
            () = closing.cancelled() => WakeReason::Closing,
            changed = self.subscription.changed() => match changed {
                Ok(()) => WakeReason::EventsPending,
                Err(_) => WakeReason::Lost,
            },
            // The sender belongs to the game's subscribers, which exist as long as this one.
            Ok(()) = self.watchers.changed() => {
                self.watchers_changed = true;
                WakeReason::EventsPending
            }
            () = sleep_until(end) => match self.closes_at {
                Some(until) if until <= Instant::now() => WakeReason::Closing,
                _ => WakeReason::KeepAlive,
            },
        }
    }

    /// Subscribes again after the table ended. Returns false if that is impossible.
    async fn resubscribe(&mut self) -> bool {
        let (first, longest) = RESUBSCRIBE_PAUSES;
        loop {
            // The pause grows with each attempt for the same ply, so that a broken table is not reloaded in a tight
            // loop.
            let pause = first
                .saturating_mul(1 << self.lost_tables.min(5))
                .min(longest);
            self.lost_tables += 1;
            let closing = self.subscriber.closing();
            if closing.run_until_cancelled(sleep(pause)).await.is_none() {
                return false;
            }
            let credentials = self.subscription.credentials();
            let game = self.subscriber.game();
            match self.service.subscribe(game, credentials).await {
                Ok(subscription) => {
                    self.subscription = subscription;
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
    /// There may be an event to send.
    EventsPending,
    /// Nothing was sent for the keep-alive interval.
    KeepAlive,
    /// The table ended.
    Lost,
    /// The stream must end.
    Closing,
}

fn seats_event(revision: u32) -> String {
    metrics::EVENTS_SENT.inc();
    event_message("seats", "", &format!("{{\"revision\":{revision}}}"))
}

/// Adds the legal actions as the last field of the object that `end` closes.
fn with_legal_actions(event: &Bytes, end: &str, moves: &RawValue) -> Bytes {
    let end = end.as_bytes();
    let Some(open) = event.strip_suffix(end) else {
        return event.clone();
    };
    let moves = moves.get().as_bytes();
    [open, b",\"moves\":", moves, end].concat().into()
}

fn game_over_event(live: &LiveGameRef, ending: EndReason, format: EventFormat) -> String {
    let ending = ending.name();
    let more = match format {
        EventFormat::Pages => String::new(),
        EventFormat::Programs => {
            let winners = serde_json::json!(player_numbers(&live.winners()));
            format!(",\"winners\":{winners},\"ply\":{}", live.entry_count())
        }
    };
    event_message("over", "", &format!("{{\"ending\":\"{ending}\"{more}}}"))
}
