//! Programs with an identity of their own: how they get one, the stream of all their games, and the page
//! on which people ask them to play.
//!
//! ```text
//! event: program                              who listens
//! retry: 1873                                 milliseconds before coming back
//! data: {"id":"k3v9x0q2mz","name":"Robot",…}
//!
//! event: invitation                           somebody asks the program to play
//! event: gameStart                            the program sits in this game
//! event: turn                                 it is to move
//! event: gameFinish                           the game is over
//! id: 17                                      how many games' ends were told: what to come back with
//! data: {"id":"…","game":"dice",…,"yours":[1],"moves":[…]}
//!
//! event: withdrawn                            the program has no seat in this game any more
//! data: {"id":"…"}
//!
//! : still here                                when nothing happened for 15 seconds
//! event: ping                                 the next one comes within so many milliseconds
//! data: {"next_ms":15000}
//!
//! event: bye                                  the server ends this stream: come back after `retry`
//! ```
//!
//! Each of the four tells the whole game, and `turn` the legal `moves` too: once a stream for a position, also
//! right after `gameStart` or `invitation` where the program is to move then. So a program that plays whenever
//! it hears `turn` plays each ply once, and by that accepts an invitation. A stream begins with the ends of
//! games that the program was not told before, the newest 100 at most, and the games that go on, the newest
//! activity first; it tells how games stand and not each ply: for that there is the stream of the game.
//!
//! Ends of games are numbered in the archive, as they are written. Each event has as its `id` the number up to
//! which the ends were told; a client that comes back with it as `Last-Event-ID` hears what came after. Whoever
//! comes without one hears what was never sent.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::body::{Body as Sent, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep_until};
use utoipa::ToSchema;

use super::api::dto::GameJson;
use super::api::extract::JsonBody;
use super::api::{claim, newest};
use super::client::Client;
use super::error::HttpError;
use super::events::{StreamPermit, answer, bye, first, last_event_id, ping};
use super::identity::{BearerToken, BrowserSession};
use super::page_context::site;
use super::preferences::RequestLook;
use super::problem::ProblemKind;
use super::seats::way_in;
use super::{App, metrics};
use crate::game::Player;
use crate::game_adapters::{ConfiguredGame, JsonFields, Registry, StartPosition};
use crate::level::Level;
use crate::seats::SeatSpec;
use crate::service::{
    Credentials, DisplayName, GameCreator, InviteError, NewGame, ProgramSubscription, SeatChange,
    Service, ServiceError, Snapshot,
};
use crate::store::{GameId, ProgramId, RegisteredProgram};
use crate::templates::view::{DisplayOptions, NavSection};
use crate::templates::{ProgramView, program_page};

/// After so many seconds without a move of the program a computer may play for it.
const REPLACE_AFTER_S: u32 = 300;

/// A program that asks for an identity.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewProgram)]
pub(super) struct NewProgramJson {
    /// What it wants to be called: at most 32 characters, none of them invisible.
    name: String,
    /// The game that people who open its link play against it, as a new game names it: `game` and its
    /// numbers, without the table's fields. Default: the first game of this server, for two.
    #[schema(value_type = Option<Object>)]
    plays: Option<Box<RawValue>>,
}

/// A program with an identity of its own.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Program)]
pub(super) struct ProgramJson {
    /// What addresses name it by.
    id: String,
    /// What it is called.
    name: String,
    /// Opens all its seats; only in the answer to the request that gave it its identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    token: Option<String>,
    /// Where people ask it to play.
    link: String,
    /// The game that they play then, with its numbers.
    #[schema(value_type = Object)]
    plays: Box<RawValue>,
}

impl ProgramJson {
    fn of(
        program: &RegisteredProgram,
        token: Option<String>,
        origin: &str,
    ) -> Result<Self, HttpError> {
        let plays = RawValue::from_string(program.plays.clone());
        Ok(ProgramJson {
            id: program.id.to_string(),
            name: program.name.clone(),
            token,
            link: format!("{origin}/program/{}", program.id),
            plays: plays.map_err(|_| HttpError::from(ServiceError::Damaged))?,
        })
    }
}

/// A game as its program hears of it.
#[derive(Debug, Serialize)]
struct OwnGameJson {
    #[serde(flatten)]
    game: GameJson,
    /// The players that the program plays, or is asked to.
    yours: Vec<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Box<RawValue>>,
}

/// The game with its numbers that these fields name.
fn setting(games: &Registry, mut fields: JsonFields) -> Result<Arc<dyn ConfiguredGame>, HttpError> {
    let name: Option<String> = fields.take("game")?;
    let name = name.ok_or_else(|| HttpError::unprocessable("the field `game` is missing"))?;
    let kind = games.game_type(&name);
    let kind = kind.map_err(|unknown| HttpError::unprocessable(unknown.to_string()))?;
    Ok(kind.setting(fields).map_err(ServiceError::from)?)
}

/// The first game, for two where it may be for more.
fn usual(games: &Registry) -> Result<Arc<dyn ConfiguredGame>, HttpError> {
    let two = JsonFields::default().with("players", &2);
    let setting = games.default_game().setting(two);
    let setting = setting.or_else(|_| games.default_game().setting(JsonFields::default()));
    Ok(setting.map_err(ServiceError::from)?)
}

/// Gives a program an identity: one token that opens the seats of all its games, a stream of news of all
/// of them, and a link at which people ask it to play. Programs that are not heard of for 90 days are
/// forgotten.
#[utoipa::path(
    post, path = "/api/v1/programs", operation_id = "create_program",
    request_body = NewProgramJson,
    responses((status = 201, body = ProgramJson, description = "The program, with its `token`"))
)]
pub(super) async fn create(
    State(app): State<App>,
    browser: BrowserSession,
    body: Result<JsonBody, HttpError>,
) -> Result<Response, HttpError> {
    let NewProgramJson { name, plays } = body?.read()?;
    let name = name.parse::<DisplayName>();
    let name = name.map_err(|error| HttpError::unprocessable(format!("name: {error}")))?;
    let games = app.service.games();
    let plays = match plays {
        Some(plays) => {
            let fields = JsonFields::read(plays.get());
            let fields =
                fields.map_err(|error| HttpError::unprocessable(format!("plays: {error}")))?;
            setting(games, fields)?
        }
        None => usual(games)?,
    };
    let added = app
        .service
        .add_program(&name, plays.parameters_text())
        .await;
    let (program, token) = added?;
    let told = ProgramJson::of(&program, Some(token.to_text()), &browser.origin)?;
    Ok((StatusCode::CREATED, Json(told)).into_response())
}

/// The program that makes a game or sits down; `None` where somebody else does. Whoever brings the token of
/// a seat means that game alone.
pub(super) async fn maker(
    app: &App,
    token: &BearerToken,
) -> Result<Option<RegisteredProgram>, HttpError> {
    match (known(app, token).await, token) {
        (Err(refused), BearerToken::Given(token)) => match app.service.game_of_link(token).await? {
            Some(_) => Ok(None),
            None => Err(refused),
        },
        (found, _) => found,
    }
}

/// The program whose token came with a request; `None` where none came.
async fn known(app: &App, token: &BearerToken) -> Result<Option<RegisteredProgram>, HttpError> {
    let found = match token {
        BearerToken::Absent => return Ok(None),
        BearerToken::Unreadable => None,
        BearerToken::Given(token) => app.service.program_with(token).await?,
    };
    let unknown = || HttpError::new(ProblemKind::NotYours, "this is the token of no program");
    found.map(Some).ok_or_else(unknown)
}

/// Follows all games of a program, as server-sent events: which go on, when the program is to move, with
/// its legal `moves`, which are over, and who asks it to play. With one request a ply a program needs
/// nothing else for all its games. A game that ended while the program did not listen is told when it comes
/// back.
#[utoipa::path(
    get, path = "/api/v1/events", operation_id = "follow_program",
    params((
        "Last-Event-ID" = Option<u32>, Header,
        description = "The `id` of the last event that was heard: games that ended after it are told first. Without it, those are whose end was never told"
    )),
    responses(
        (status = 200, body = ref("#/components/schemas/ProgramEvent"), content_type = "text/event-stream",
         description = "The `data` of each event; its name stands in the line `event`, and its `id` says up to where ends of games were told"),
        (status = 400), (status = 401), (status = 403)
    )
)]
pub(super) async fn follow(
    State(app): State<App>,
    (client, browser): (Client, BrowserSession),
    token: BearerToken,
    (method, headers): (Method, HeaderMap),
) -> Result<Response, HttpError> {
    let heard = last_event_id(&headers)?;
    let program = known(&app, &token).await?;
    let program = program.ok_or_else(HttpError::no_secret)?;
    if method == Method::HEAD {
        return Ok(answer(Sent::empty()));
    }
    let place = match app.gallery.admit(&client) {
        Ok(place) => place,
        Err(refused) => return Ok(refused.into_response()),
    };
    let Some(listener) = app.service.listen(&program).await? else {
        let refused = super::guard::GuardRejection::TooManyStreams;
        return Ok(refused.into_response());
    };
    let hello = ProgramJson::of(&program, None, &browser.origin)?;
    let news = ProgramEventStream {
        service: app.service.clone(),
        claim: Credentials {
            token: Some(program.token),
            ..Credentials::default()
        },
        program,
        listener,
        place,
        known: HashMap::new(),
        messages: VecDeque::from([first(&event("program", None, &hello))]),
        heard: heard.map(i64::from),
        finishes: 0,
        unnoted: false,
        begun: false,
        ended: false,
        spoke: Instant::now(),
    };
    let messages = stream::unfold(Box::new(news), ProgramEventStream::next);
    Ok(answer(Sent::from_stream(messages)))
}

fn event(name: &str, id: Option<i64>, data: &impl Serialize) -> Bytes {
    let data = serde_json::to_string(data).unwrap_or_default();
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("event: {name}\n{id}data: {data}\n\n").into()
}

/// What was told of a game.
struct SentGameState {
    /// The program was asked and has not answered.
    is_asked: bool,
    /// The position at which it was told what it may do.
    asked_at: Option<u32>,
}

/// What a program hears, and what it was told already.
struct ProgramEventStream {
    service: Service,
    program: RegisteredProgram,
    claim: Credentials,
    listener: ProgramSubscription,
    place: StreamPermit,
    known: HashMap<GameId, SentGameState>,
    /// What is to be sent.
    messages: VecDeque<Bytes>,
    /// The id of the last event that the program heard before it came back.
    heard: Option<i64>,
    /// The ends of games were told up to this number.
    finishes: i64,
    /// Whether that number is to be noted, once what is to be sent was sent.
    unnoted: bool,
    /// Whether the games that go on were told.
    begun: bool,
    ended: bool,
    /// When something was last sent.
    spoke: Instant,
}

impl ProgramEventStream {
    /// The next message, as soon as there is something to send.
    async fn next(mut self: Box<Self>) -> Option<(Result<Bytes, Infallible>, Box<Self>)> {
        while self.messages.is_empty() && !self.ended {
            if std::mem::take(&mut self.unnoted) {
                let noted = self.service.told_program(&self.program, self.finishes);
                if let Err(error) = noted.await {
                    tracing::debug!(%error, "a program may be told of ends of games again");
                }
            } else if self.begun {
                self.wait().await;
            } else {
                self.begin().await;
            }
        }
        let message = self.messages.pop_front()?;
        metrics::events_sent(1);
        self.spoke = Instant::now();
        Some((Ok(message), self))
    }

    /// Tells what ended since the last time, and the games that go on. Whatever happens meanwhile is heard
    /// afterwards.
    async fn begin(&mut self) {
        self.begun = true;
        if self.catch_up().await.is_err() {
            self.end();
        }
    }

    async fn catch_up(&mut self) -> Result<(), ServiceError> {
        let (service, program) = (&self.service, &self.program);
        let newest = service.newest_finish_of_program(program).await?;
        let missed = service.finishes_of_program(program, self.heard).await?;
        let games = service.games_of_program(program).await?;
        // Each end has an id of its own: whoever hears only some of them hears of the others later.
        let told = missed.first().map_or(newest, |(number, _)| number - 1);
        self.finishes = told;
        self.hear_finishes(missed).await;
        self.hear(games).await;
        Ok(())
    }

    /// Tells the games that are over, in the order in which they ended.
    async fn hear_finishes(&mut self, finishes: Vec<(i64, GameId)>) {
        for (number, id) in finishes {
            self.finishes = self.finishes.max(number);
            self.unnoted = true;
            match self.service.snapshot_unloaded(&id).await {
                Ok(snapshot) => self.tell_finish(&snapshot),
                Err(error) => tracing::debug!(%id, %error, "a program does not hear of an end"),
            }
        }
    }

    async fn wait(&mut self) {
        let gallery = self.place.gallery();
        let silence = self.spoke + gallery.limits.keep_alive;
        let news = tokio::select! {
            biased;
            () = gallery.stop.cancelled() => None,
            news = self.listener.news() => news,
            () = sleep_until(silence) => {
                self.messages.push_back(ping(self.place.gallery().limits.keep_alive));
                return;
            }
        };
        match news {
            Some(games) => self.hear(games).await,
            None => self.end(),
        }
    }

    fn end(&mut self) {
        self.messages.push_back(bye());
        self.ended = true;
    }

    async fn hear(&mut self, games: Vec<GameId>) {
        for id in games {
            match self.service.snapshot_unloaded(&id).await {
                Ok(snapshot) if snapshot.live.is_over() => {
                    let finishes = Some(self.finishes);
                    let (service, program) = (&self.service, &self.program);
                    let ended = service.finishes_of_program(program, finishes);
                    match ended.await {
                        Ok(ended) => self.hear_finishes(ended).await,
                        Err(_) => return self.end(),
                    }
                    // It may have ended with a smaller number that was written later.
                    if self.known.contains_key(&id) {
                        self.tell_finish(&snapshot);
                    }
                }
                Ok(snapshot) => self.tell(&snapshot),
                // A game that cannot be read now is told when something happens in it.
                Err(error) => tracing::debug!(%id, %error, "a program does not hear of a game"),
            }
        }
    }

    /// The players that the program plays, or is asked to.
    fn yours(&self, snapshot: &Snapshot) -> Vec<Player> {
        let mut yours = snapshot.seats_of(&self.claim);
        yours.extend(snapshot.seat_asked_of(self.claim.token.as_ref()));
        yours
    }

    /// Tells that a game is over.
    fn tell_finish(&mut self, snapshot: &Snapshot) {
        self.known.remove(&snapshot.id);
        let yours = self.yours(snapshot);
        if !yours.is_empty() {
            self.push("gameFinish", snapshot, &yours, None);
        }
    }

    /// Tells what is new in a game that goes on.
    fn tell(&mut self, snapshot: &Snapshot) {
        let id = &snapshot.id;
        let yours = self.yours(snapshot);
        let before = self.known.get(id);
        if yours.is_empty() {
            if self.known.remove(id).is_some() {
                let gone = serde_json::json!({"id": id.to_string()});
                let gone = event("withdrawn", Some(self.finishes), &gone);
                self.messages.push_back(gone);
            }
            return;
        }
        let ply = snapshot.live.ply();
        let to_move = snapshot
            .live
            .mover()
            .is_some_and(|mover| yours.contains(&mover));
        let is_asked = snapshot.seat_asked_of(self.claim.token.as_ref()).is_some();
        let begins = before.is_none_or(|told| told.is_asked && !is_asked);
        let asked_at = before.and_then(|told| told.asked_at);
        let is_turn = to_move && asked_at != Some(ply);
        let asked_at = if to_move { Some(ply) } else { asked_at };
        self.known
            .insert(id.clone(), SentGameState { is_asked, asked_at });
        if begins {
            let name = if is_asked { "invitation" } else { "gameStart" };
            self.push(name, snapshot, &yours, None);
        }
        if is_turn {
            self.push("turn", snapshot, &yours, Some(snapshot.live.legal()));
        }
    }

    fn push(
        &mut self,
        name: &str,
        snapshot: &Snapshot,
        yours: &[Player],
        moves: Option<Box<RawValue>>,
    ) {
        if let Some(game) = GameJson::of(snapshot, snapshot.live.ply()) {
            let own = OwnGameJson {
                game,
                yours: yours.iter().map(|player| player.number()).collect(),
                moves,
            };
            let told = event(name, Some(self.finishes), &own);
            self.messages.push_back(told);
        }
    }
}

/// Says that the program will not take the seat that it is asked to take. The seat stays open, for whoever
/// set up the game to give to somebody else.
#[utoipa::path(
    post, path = "/api/v1/games/{id}/decline", operation_id = "decline_invitation",
    params(("id" = String, Path)),
    responses(
        (status = 200, body = ref("#/components/schemas/Game"), description = "The game as it stands then"),
        (status = 401), (status = 404)
    )
)]
pub(super) async fn decline(
    State(app): State<App>,
    Path(id): Path<String>,
    (token, client): (BearerToken, Client),
) -> Result<Json<GameJson>, HttpError> {
    let claim = claim(token, &client)?;
    let id = &app.seen(&id, &claim).await?.id;
    let snapshot = app.service.change_seat(id, claim, SeatChange::Decline).await?;
    Ok(Json(newest(&snapshot)?))
}

/// The program in a path.
async fn named(app: &App, id: &str) -> Result<RegisteredProgram, HttpError> {
    let id: ProgramId = id.parse().map_err(|_| HttpError::not_found())?;
    Ok(app.service.program(&id).await?)
}

/// The game that people play against a program: they begin, and computers sit where there are more than
/// two.
fn against(
    app: &App,
    program: &RegisteredProgram,
    creator: GameCreator,
) -> Result<NewGame, HttpError> {
    let fields = JsonFields::read(&program.plays);
    let game = setting(app.service.games(), fields?)?;
    let sitters = (0..game.players()).map(|seat| match seat {
        0 => SeatSpec::Human,
        1 => SeatSpec::Open,
        _ => SeatSpec::Level(Level::Book.into()),
    });
    let start = StartPosition::Deal(game.even_seed(rand::random()));
    let sitters = sitters.collect();
    Ok(NewGame {
        creator,
        replace_after_s: Some(REPLACE_AFTER_S),
        ..NewGame::of(game, start, sitters)
    })
}

fn shown(
    app: &App,
    program: &RegisteredProgram,
    look: DisplayOptions,
    problem: Option<&'static str>,
) -> Result<Response, HttpError> {
    let draft = app
        .service
        .draft_game(&against(app, program, GameCreator::Program)?)?;
    let view = ProgramView {
        name: program.name.clone(),
        is_listening: app.service.is_listening(program),
        game: draft.live.page_name(),
        problem,
    };
    let page = program_page(&site(NavSection::Play, look), app.text(&look), &view);
    let status = match problem {
        Some(_) => StatusCode::CONFLICT,
        None => StatusCode::OK,
    };
    // Whether the program listens is so now.
    Ok((status, [(header::CACHE_CONTROL, "no-store")], page).into_response())
}

/// `GET /program/{id}`: who it is, whether it is there, and one button.
pub(super) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
    RequestLook(look): RequestLook,
) -> Result<Response, HttpError> {
    shown(&app, &named(&app, &id).await?, look, None)
}

/// `POST /program/{id}`: asks the program to play.
pub(super) async fn invite(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: BrowserSession,
    RequestLook(look): RequestLook,
) -> Result<Response, HttpError> {
    let program = named(&app, &id).await?;
    let household = Some(browser.household);
    let may_refuse_cookies = browser.may_refuse_cookies();
    let (secret, jar) = browser.introduced();
    let new = NewGame {
        household,
        ..against(&app, &program, GameCreator::Browser(secret.clone()))?
    };
    match app.service.invite(&program, new).await {
        Ok(created) => {
            let to = way_in(&created.snapshot, &secret, may_refuse_cookies);
            Ok((jar, Redirect::to(&to)).into_response())
        }
        Err(InviteError::ProgramIsBusy) => shown(&app, &program, look, Some("program-busy")),
        Err(InviteError::EnoughAsked) => shown(&app, &program, look, Some("program-asked-enough")),
        Err(InviteError::Service(error)) => Err(error.into()),
    }
}
