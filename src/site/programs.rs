//! Programs with an identity: registration, the event stream of all their games, and the page on which people invite
//! them to play.
//!
//! ```text
//! event: program                              the program itself
//! retry: 1873                                 milliseconds before reconnecting
//! data: {"event":"program","id":"k3v9x0q2mz","name":"Robot",…}
//!
//! event: invitation                           the program is invited to play
//! event: gameStart                            the program has a seat in this game
//! event: turn                                 it is to move
//! event: gameFinish                           the game is over
//! id: 17                                      cursor: the number of finished games that were reported
//! data: {"event":"turn","id":"…","game":"dice",…,"yours":[1],"moves":[…]}
//!
//! event: withdrawn                            the program no longer has a seat in this game
//! data: {"event":"withdrawn","id":"…"}
//!
//! : still here                                after 15 seconds without an event
//! event: ping                                 the next one comes within this many milliseconds
//! data: {"event":"ping","next_ms":15000}
//!
//! event: bye                                  the server closes this stream: reconnect after `retry`
//! ```
//!
//! The four game events contain the whole game, and `turn` also the legal `moves`: it is sent once per stream and
//! position, also right after `gameStart` or `invitation` if the program is to move then. A program that plays on each
//! `turn` therefore plays each ply once, and thereby accepts invitations. A stream starts with the finished games that
//! were not reported before, at most the newest 100, and the games in progress, most recently active first. It reports
//! game states, not individual plies: those are in the event stream of the game.
//!
//! Finished games are numbered in the store in the order in which they are written. The `id` of each event is the
//! number up to which they were reported; a client that reconnects with it as `Last-Event-ID` gets those after it.
//! Without it, a client gets those that were never sent.

use axum::Router;
use axum::routing::{get, post};
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::body::{Body as Sent, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep_until};

pub mod hub;
pub mod rows;

use hub::{InviteError, ProgramSubscription};
use rows::{ProgramId, RegisteredProgram};

use super::api::dto::GameJson;
use super::api::extract::{BearerCredentials, JsonBody};
use super::api::newest;
use super::shared::app::App;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::enter_new_game;
use super::shared::identity::{BearerToken, BrowserSession};
use super::shared::subscribers::StreamPermit;
use crate::formats::JsonFields;
use crate::game::Player;
use crate::games::{ConfiguredGame, Registry, StartPosition};
use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::http::event_stream::{
    close_event, event_message, event_stream_response, first_event, keep_alive_event, last_event_id,
};
use crate::http::problem::ProblemKind;
use crate::level::Level;
use crate::metrics;
use crate::seats::{Credentials, SeatSpec};
use crate::site::shared::limits::RouteLimits;
use crate::store::GameId;
use crate::tables::{
    DisplayName, GameCreator, NewGame, SeatChange, Service, ServiceError, Snapshot,
};
use crate::templates::page::NavSection;
use crate::templates::preferences::DisplayOptions;
use crate::templates::{ProgramView, program_page};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/api/v1/programs", limits.creating(post(create)))
        .route(
            "/program/{id}",
            limits
                .reading(get(show))
                .merge(limits.creating(post(invite))),
        )
        .route("/api/v1/games/{id}/decline", limits.moving(post(decline)))
}

/// The event streams.
pub(super) fn stream_routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route("/api/v1/events", limits.reading(get(follow)))
}

/// Maximum games reported when a program subscribes: the most recently active ones, and those that ended last.
const MAX_GAMES: u32 = 100;

/// After this many seconds without a move of the program, a computer may replace it.
const REPLACE_AFTER_S: u32 = 300;

/// A program to register.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewProgramJson {
    /// The displayed name, 1 to 32 visible characters, which joiners may stand between; no web address.
    name: String,
    /// The game that people play against the program at its `link`: `game` and its parameters, as in `NewGame`.
    /// Default: the default game of the server, with two players.
    plays: Option<Box<RawValue>>,
}

/// A registered program.
#[derive(Debug, Serialize)]
pub(super) struct ProgramJson {
    /// The id of the program.
    id: String,
    /// The displayed name.
    name: String,
    /// The token of the program, valid for all its seats. Present only in the answer to `create_program`.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// The page on which people start games against the program.
    link: String,
    /// The game that they play there: `game` and its parameters.
    plays: Box<RawValue>,
}

impl ProgramJson {
    fn new(
        program: &RegisteredProgram,
        token: Option<String>,
        origin: &str,
    ) -> Result<Self, HttpError> {
        let plays = RawValue::from_string(program.game.clone());
        Ok(ProgramJson {
            id: program.id.to_string(),
            name: program.name.clone(),
            token,
            link: format!("{origin}/program/{}", program.id),
            plays: plays.map_err(|_| HttpError::from(ServiceError::Damaged))?,
        })
    }
}

/// A game as sent to its program.
#[derive(Debug, Serialize)]
struct OwnGameJson {
    #[serde(flatten)]
    game: GameJson,
    /// The seats that the program has or is invited to.
    yours: Vec<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Box<RawValue>>,
}

/// The configured game that these fields describe.
fn parse_setting(
    games: &Registry,
    mut fields: JsonFields,
) -> Result<Arc<dyn ConfiguredGame>, HttpError> {
    let name: Option<String> = fields.take("game")?;
    let name = name.ok_or_else(|| HttpError::unprocessable("the field `game` is missing"))?;
    let kind = games.game_type(&name);
    let kind = kind.map_err(|unknown| HttpError::unprocessable(unknown.to_string()))?;
    Ok(kind.configure(fields).map_err(ServiceError::from)?)
}

/// The default game, with two players if it allows that.
fn default_setting(games: &Registry) -> Result<Arc<dyn ConfiguredGame>, HttpError> {
    let two = JsonFields::default().with("players", &2);
    let setting = games.default_game().configure(two);
    let setting = setting.or_else(|_| games.default_game().configure(JsonFields::default()));
    Ok(setting.map_err(ServiceError::from)?)
}

/// Registers a program.
///
/// A program has one token and one event stream (`follow_program`) for all its games, and a `link` at which people
/// start games against it. A program that is not connected for 90 days is deleted.
async fn create(
    State(app): State<App>,
    browser: BrowserSession,
    JsonBody(NewProgramJson { name, plays }): JsonBody<NewProgramJson>,
) -> Result<Response, HttpError> {
    let name = name.parse::<DisplayName>();
    let name = name.map_err(|error| HttpError::unprocessable(format!("name: {error}")))?;
    let games = app.service.games();
    let plays = match plays {
        Some(plays) => {
            let fields = JsonFields::parse(plays.get());
            let fields =
                fields.map_err(|error| HttpError::unprocessable(format!("plays: {error}")))?;
            parse_setting(games, fields)?
        }
        None => default_setting(games)?,
    };
    let registered = hub::add_program(&app.service, &name, plays.parameters_text());
    let (program, token) = registered.await?;
    let response = ProgramJson::new(&program, Some(token.to_text()), &browser.origin)?;
    Ok((StatusCode::CREATED, Json(response)).into_response())
}

/// The program that creates a game or takes a seat; `None` for another client. A seat token identifies that game only,
/// and no program.
pub(super) async fn requesting_program(
    app: &App,
    token: &BearerToken,
) -> Result<Option<RegisteredProgram>, HttpError> {
    match (authenticated_program(app, token).await, token) {
        (Err(error), BearerToken::Present(token)) => {
            match app.service.find_game_by_link(token).await? {
                Some(_) => Ok(None),
                None => Err(error),
            }
        }
        (result, _) => result,
    }
}

/// The program with the request's token; `None` without a token.
async fn authenticated_program(
    app: &App,
    token: &BearerToken,
) -> Result<Option<RegisteredProgram>, HttpError> {
    let program = match token {
        BearerToken::Absent => return Ok(None),
        BearerToken::Invalid => None,
        BearerToken::Present(token) => app.service.store().program_by_token(token).await?,
    };
    let unknown = || HttpError::new(ProblemKind::NotYours, "this is not the token of a program");
    program.map(Some).ok_or_else(unknown)
}

/// Streams the events of all games of a program.
///
/// Server-sent events report running games, turns of the program with the legal `moves`, finished games, and
/// invitations. A program needs only this stream, and one request for each ply. Games that end while the program is not
/// connected are reported after it reconnects.
async fn follow(
    State(app): State<App>,
    (client, browser): (Client, BrowserSession),
    token: BearerToken,
    (method, headers): (Method, HeaderMap),
) -> Result<Response, HttpError> {
    let last_id = last_event_id(&headers)?;
    let program = authenticated_program(&app, &token).await?;
    let program = program.ok_or_else(HttpError::no_secret)?;
    if method == Method::HEAD {
        return Ok(event_stream_response(Sent::empty()));
    }
    let credentials = Credentials {
        token: Some(program.token),
        ..Credentials::default()
    };
    let permit = match app.limits.subscribers.admit(&client, &credentials) {
        Ok(permit) => permit,
        Err(rejection) => return Ok(rejection.into_response()),
    };
    let Some(subscription) = hub::subscribe(&app, &program).await? else {
        let rejection = crate::http::rejection::GuardRejection::TooManyStreams;
        return Ok(rejection.into_response());
    };
    let program_json = ProgramJson::new(&program, None, &browser.origin)?;
    let events = ProgramEventStream {
        service: app.service.clone(),
        credentials,
        program,
        subscription,
        permit,
        sent_states: HashMap::new(),
        messages: VecDeque::from([first_event(&event("program", None, &program_json))]),
        last_event_id: last_id.map(i64::from),
        reported_finishes: 0,
        has_unstored_cursor: false,
        has_started: false,
        ended: false,
        last_sent: Instant::now(),
    };
    let messages = stream::unfold(Box::new(events), ProgramEventStream::next);
    Ok(event_stream_response(Sent::from_stream(messages)))
}

fn event(name: &str, id: Option<i64>, data: &impl Serialize) -> Bytes {
    let data = serde_json::to_string(data).unwrap_or_default();
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    event_message(name, &id, &data).into()
}

/// The state that was last sent of a game.
struct SentGameState {
    /// The program was invited and has not answered.
    is_invited: bool,
    /// The ply of the last `turn` event.
    turn_sent_at: Option<u32>,
}

/// A program's event stream, and the game states already sent on it.
struct ProgramEventStream {
    service: Service,
    program: RegisteredProgram,
    credentials: Credentials,
    subscription: ProgramSubscription,
    permit: StreamPermit,
    sent_states: HashMap<GameId, SentGameState>,
    /// Messages to be sent.
    messages: VecDeque<Bytes>,
    /// The client's `Last-Event-ID`.
    last_event_id: Option<i64>,
    /// Finished games were reported up to this number.
    reported_finishes: i64,
    /// Whether that number must be stored after the pending messages were sent.
    has_unstored_cursor: bool,
    /// Whether the games in progress were reported.
    has_started: bool,
    ended: bool,
    /// When the last message was sent.
    last_sent: Instant,
}

impl ProgramEventStream {
    /// Waits for the next message.
    async fn next(mut self: Box<Self>) -> Option<(Result<Bytes, Infallible>, Box<Self>)> {
        while self.messages.is_empty() && !self.ended {
            if std::mem::take(&mut self.has_unstored_cursor) {
                let store = self.service.store();
                let stored =
                    store.mark_finishes_reported(&self.program.token, self.reported_finishes);
                if let Err(error) = stored.await {
                    tracing::debug!(%error, "finished games may be reported to a program again");
                }
            } else if self.has_started {
                self.wait().await;
            } else {
                self.send_initial_events().await;
            }
        }
        let message = self.messages.pop_front()?;
        metrics::EVENTS_SENT.inc();
        self.last_sent = Instant::now();
        Some((Ok(message), self))
    }

    /// Reports the games that ended since the last connection, and the games in progress. Later changes are reported
    /// afterwards.
    async fn send_initial_events(&mut self) {
        self.has_started = true;
        if self.queue_missed_events().await.is_err() {
            self.close();
        }
    }

    async fn queue_missed_events(&mut self) -> Result<(), ServiceError> {
        let (store, token) = (self.service.store(), &self.program.token);
        let newest = store.list_program_finishes(token, Some(0), 1).await?;
        let newest = newest.last().map_or(0, |(number, _)| *number);
        let missed = store
            .list_program_finishes(token, self.last_event_id, MAX_GAMES)
            .await?;
        let games = store.list_games_of_program(token, MAX_GAMES).await?;
        // Each end has its own id, so a client that receives only some of them gets the others after reconnecting.
        let reported = missed.first().map_or(newest, |(number, _)| number - 1);
        self.reported_finishes = reported;
        self.receive_finishes(missed).await;
        self.receive(games).await;
        Ok(())
    }

    /// Reports finished games, in the order in which they ended.
    async fn receive_finishes(&mut self, finishes: Vec<(i64, GameId)>) {
        for (number, id) in finishes {
            self.reported_finishes = self.reported_finishes.max(number);
            self.has_unstored_cursor = true;
            match self.service.snapshot_unloaded(&id).await {
                Ok(snapshot) => self.push_finish(&snapshot),
                Err(error) => {
                    tracing::debug!(%id, %error, "a finished game could not be reported to a program")
                }
            }
        }
    }

    async fn wait(&mut self) {
        let registry = self.permit.registry();
        let keep_alive_at = self.last_sent + registry.limits.keep_alive;
        let changed = tokio::select! {
            biased;
            () = self.permit.closing().cancelled() => None,
            changed = self.subscription.next_changed_games() => changed,
            () = sleep_until(keep_alive_at) => {
                self.messages.push_back(keep_alive_event(self.permit.registry().limits.keep_alive));
                return;
            }
        };
        match changed {
            Some(games) => self.receive(games).await,
            None => self.close(),
        }
    }

    fn close(&mut self) {
        self.messages.push_back(close_event());
        self.ended = true;
    }

    async fn receive(&mut self, games: Vec<GameId>) {
        for id in games {
            match self.service.snapshot_unloaded(&id).await {
                Ok(snapshot) if snapshot.live.is_over() => {
                    let finishes = Some(self.reported_finishes);
                    let (store, token) = (self.service.store(), &self.program.token);
                    let ended = store.list_program_finishes(token, finishes, MAX_GAMES);
                    match ended.await {
                        Ok(ended) => self.receive_finishes(ended).await,
                        Err(_) => return self.close(),
                    }
                    // It may have ended with a smaller number that became visible later.
                    if self.sent_states.contains_key(&id) {
                        self.push_finish(&snapshot);
                    }
                }
                Ok(snapshot) => self.push_game_state(&snapshot),
                // A game that cannot be read now is reported when it changes again.
                Err(error) => {
                    tracing::debug!(%id, %error, "a game could not be reported to a program")
                }
            }
        }
    }

    /// The seats that the program has or is invited to.
    fn own_seats(&self, snapshot: &Snapshot) -> Vec<Player> {
        let mut yours = snapshot.seats_of(&self.credentials);
        yours.extend(snapshot.invited_seat(self.credentials.token.as_ref()));
        yours
    }

    /// Reports that a game is over.
    fn push_finish(&mut self, snapshot: &Snapshot) {
        self.sent_states.remove(&snapshot.id);
        let yours = self.own_seats(snapshot);
        if !yours.is_empty() {
            self.push("gameFinish", snapshot, &yours, None);
        }
    }

    /// Reports the changes of a game in progress.
    fn push_game_state(&mut self, snapshot: &Snapshot) {
        let id = &snapshot.id;
        let yours = self.own_seats(snapshot);
        let before = self.sent_states.get(id);
        if yours.is_empty() {
            if self.sent_states.remove(id).is_some() {
                let withdrawn = serde_json::json!({"id": id.to_string()});
                let withdrawn = event("withdrawn", Some(self.reported_finishes), &withdrawn);
                self.messages.push_back(withdrawn);
            }
            return;
        }
        let ply = snapshot.live.entry_count();
        let to_move = snapshot.mover().is_some_and(|mover| yours.contains(&mover));
        let is_asked = snapshot
            .invited_seat(self.credentials.token.as_ref())
            .is_some();
        let is_new = before.is_none_or(|sent| sent.is_invited && !is_asked);
        let asked_at = before.and_then(|sent| sent.turn_sent_at);
        let is_turn = to_move && asked_at != Some(ply);
        let asked_at = if to_move { Some(ply) } else { asked_at };
        self.sent_states.insert(
            id.clone(),
            SentGameState {
                is_invited: is_asked,
                turn_sent_at: asked_at,
            },
        );
        if is_new {
            let name = if is_asked { "invitation" } else { "gameStart" };
            self.push(name, snapshot, &yours, None);
        }
        if is_turn {
            self.push("turn", snapshot, &yours, Some(snapshot.live.legal_moves()));
        }
    }

    fn push(
        &mut self,
        name: &str,
        snapshot: &Snapshot,
        yours: &[Player],
        moves: Option<Box<RawValue>>,
    ) {
        if let Some(game) = GameJson::new(snapshot, snapshot.live.entry_count()) {
            let own = OwnGameJson {
                game,
                yours: yours.iter().map(|player| player.number()).collect(),
                moves,
            };
            let message = event(name, Some(self.reported_finishes), &own);
            self.messages.push_back(message);
        }
    }
}

/// Declines an invitation.
///
/// The seat remains open, and the creator of the game can give it to somebody else.
async fn decline(
    State(app): State<App>,
    Path(id): Path<String>,
    BearerCredentials(credentials): BearerCredentials,
) -> Result<Json<GameJson>, HttpError> {
    let id = &app.viewable_game(&id, &credentials).await?.id;
    let snapshot = app
        .service
        .change_seat(id, credentials, SeatChange::Decline)
        .await?;
    Ok(Json(newest(&snapshot)?))
}

/// The program with this id.
async fn program_in_path(app: &App, id: &str) -> Result<RegisteredProgram, HttpError> {
    let id: ProgramId = id.parse().map_err(|_| HttpError::not_found())?;
    let program = app.service.store().program(&id).await?;
    program.ok_or_else(HttpError::not_found)
}

/// The game that people play against a program: the inviting player moves first, and computers take the seats beyond
/// two.
fn game_against(app: &App, program: &RegisteredProgram) -> Result<NewGame, HttpError> {
    let fields = JsonFields::parse(&program.game);
    let game = parse_setting(app.service.games(), fields?)?;
    let seat_specs = (0..game.players()).map(|seat| match seat {
        0 => SeatSpec::Human,
        1 => SeatSpec::Open,
        _ => SeatSpec::Level(Level::Book.into()),
    });
    let start = StartPosition::Dealt(game.balanced_seed(app.service.environment().random_number()));
    let seat_specs = seat_specs.collect();
    Ok(NewGame {
        replace_after_s: Some(REPLACE_AFTER_S),
        ..NewGame::new(game, start, seat_specs)
    })
}

fn render_page(
    app: &App,
    program: &RegisteredProgram,
    display: DisplayOptions,
    problem: Option<&'static str>,
) -> Result<Response, HttpError> {
    let draft = app.service.draft_game(&game_against(app, program)?)?;
    let view = ProgramView {
        name: program.name.clone(),
        is_listening: hub::is_connected(app, program),
        game: draft.live.configured_game().page_name(),
        problem,
    };
    let page = program_page(
        &app.site(NavSection::Play, display),
        app.text(&display),
        &view,
    );
    let status = match problem {
        Some(_) => StatusCode::CONFLICT,
        None => StatusCode::OK,
    };
    // Whether the program is listening may change at any time.
    Ok((status, [(header::CACHE_CONTROL, "no-store")], page).into_response())
}

/// `GET /program/{id}`: the program's name, whether it is listening, and a button to invite it.
async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Result<Response, HttpError> {
    render_page(&app, &program_in_path(&app, &id).await?, display, None)
}

/// `POST /program/{id}`: invites the program to play.
async fn invite(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Result<Response, HttpError> {
    let program = program_in_path(&app, &id).await?;
    let client_network = Some(browser.client_network);
    let new = game_against(&app, &program)?;
    let invited = enter_new_game(&app, browser, async |secret| {
        let new = NewGame {
            creator: GameCreator::Browser(secret),
            client_network,
            ..new
        };
        Ok(hub::invite(&app, &program, new).await?.snapshot)
    });
    match invited.await {
        Ok(game) => Ok(game),
        Err(InviteError::ProgramIsBusy) => {
            render_page(&app, &program, display, Some("program-busy"))
        }
        Err(InviteError::TooManyInvitations) => {
            render_page(&app, &program, display, Some("program-asked-enough"))
        }
        Err(InviteError::Service(error)) => Err(error.into()),
    }
}
