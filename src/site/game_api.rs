//! The JSON API for programs, version 1: creating and playing games.

use axum::Router;
use axum::routing::{get, post};
use std::fmt::Display;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum_extra::TypedHeader;
use axum_extra::headers::{ETag, HeaderMapExt, IfNoneMatch};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::api::newest;
use super::programs;
use super::shared::app::App;
use super::shared::identity::{BearerToken, BrowserSession};
use super::shared::page_cache::{PageInput, PageRequest, RenderContext};
use crate::formats::JsonFields;
use crate::formats::fields::digits;
use crate::games::SubmittedAction;
use crate::games::{GameType, Registry, StartPosition};
use crate::http::client::Client;
use crate::http::cors::allow_any_origin;
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;
use crate::record::EntropyText;
use crate::seats::{self, ComputerPace, Credentials, SeatSpec, SeatSpecError};
use crate::secret::Secret;
use crate::site::shared::form::Query;
use crate::site::shared::limits::RouteLimits;
use crate::tables::{
    CreatedGame, DisplayName, EntryResult, GameCreator, NewGame, SeatChange, SeatChangeError,
    SeatClaimant, ServiceError, Snapshot,
};

mod games;
mod play_on;
mod table_actions;

use super::api::dto::{
    EntropyJson, GameJson, JoinJson, NewTableJson, PlayedJson, ResignJson, SeatKind, UndoJson,
};
use super::api::extract::{BearerCredentials, JsonBody, OptionalJsonBody};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/api/v1/games", limits.creating(post(create)))
        .route(
            "/api/v1/games/{id}/moves",
            limits.moving(post(play).merge(allow_any_origin(get(moves)))),
        )
        .route("/api/v1/games/{id}/undo", limits.moving(post(undo)))
        .route("/api/v1/games/{id}/entropy", limits.moving(post(entropy)))
        .route("/api/v1/games/{id}/resign", limits.moving(post(resign)))
        .route("/api/v1/games/{id}/join", limits.moving(post(join)))
        .route(
            "/api/v1/games/{id}",
            limits.reading(allow_any_origin(get(get_game))),
        )
        .route(
            "/api/v1/games/{id}/record",
            limits.reading(allow_any_origin(get(record))),
        )
        .merge(games::routes(limits))
        .merge(play_on::routes(limits))
        .merge(table_actions::routes(limits))
}

/// The maximum duration of a `wait=K` request.
const WAIT: Duration = Duration::from_secs(30);

/// The new game that a body requests: the shared fields are extracted, and the game parses the rest.
fn parse_new_game(games: &Registry, mut body: JsonFields) -> Result<NewGame, HttpError> {
    let name: Option<String> = body.take("game")?;
    let name = name.ok_or_else(|| HttpError::unprocessable("the field `game` is missing"))?;
    let kind = games.game_type(&name).map_err(|_| {
        let names = games.names().into_iter().map(|name| format!("`{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        HttpError::unprocessable(format!(
            "there is no game called `{name}`: there are {names}"
        ))
    })?;
    let table: NewTableJson = body.split(&NewTableJson::FIELDS).into()?;
    let start = match (table.start, table.seed) {
        (Some(_), Some(_)) => {
            return Err(HttpError::unprocessable("give a start or a seed, not both"));
        }
        (Some(start), None) => match serde_json::from_str::<String>(start.get()) {
            Ok(notation) => {
                let (start, parameters) = parse_notation(games, kind, &notation)?;
                body = body.with_missing(parameters);
                start
            }
            Err(_) => StartPosition::Given(start.get().to_owned()),
        },
        (None, seed) => StartPosition::Dealt(seed.unwrap_or_else(rand::random)),
    };
    let game = kind.configure(body).map_err(ServiceError::from)?;
    let seat_specs = match table.seats {
        Some(seats) => requested_seats(&seats)?,
        None => SeatSpec::default_seats(game.players()).collect(),
    };
    let replace_after_s = seats::replace_after(table.replace_after_s)
        .map_err(|error| HttpError::unprocessable(error.to_string()))?;
    let pace = table.pace.unwrap_or(ComputerPace::AtOnce);
    let turn_s = seats::turn_time(table.turn_s, pace)
        .map_err(|error| HttpError::unprocessable(error.to_string()))?;
    let takebacks = table.takebacks.unwrap_or(true);
    if table.hints && !takebacks {
        let detail = "`hints` needs a game with takebacks";
        return Err(HttpError::unprocessable(detail));
    }
    Ok(NewGame {
        hints: table.hints,
        pace,
        private: table.private,
        takebacks,
        replace_after_s,
        turn_s,
        ..NewGame::new(game, start, seat_specs)
    })
}

/// A start position in notation, and the parameters of its game.
fn parse_notation(
    games: &Registry,
    kind: &dyn GameType,
    notation: &str,
) -> Result<(StartPosition, JsonFields), HttpError> {
    let within_start = |why: &dyn Display| HttpError::unprocessable(format!("start: {why}"));
    let live = games
        .position(notation)
        .map_err(|error| within_start(&error))?;
    let mut parameters = live.configured_game().parameters();
    if parameters.take::<String>("game")?.as_deref() != Some(kind.name()) {
        return Err(within_start(&"this is a position of another game"));
    }
    Ok((
        StartPosition::Given(live.position_at(0).setup_json()),
        parameters,
    ))
}

fn requested_seats(seats: &[String]) -> Result<Vec<SeatSpec>, HttpError> {
    let specs: Result<_, SeatSpecError> = seats.iter().map(|seat| seat.parse()).collect();
    specs.map_err(|unknown| HttpError::unprocessable(unknown.to_string()))
}

/// Creates a game.
///
/// With the token of a program, the program gets the seats `human`, and plays them with that token.
async fn create(
    State(app): State<App>,
    (token, client): (BearerToken, Client),
    JsonBody(body): JsonBody,
) -> Result<Response, HttpError> {
    let new = parse_new_game(app.service.games(), body)?;
    let program = programs::requesting_program(&app, &token).await?;
    let new = NewGame {
        client_network: Some(client.client_network()),
        creator: program.map_or(GameCreator::Program, |program| {
            GameCreator::Registered(program.seated())
        }),
        ..new
    };
    created_response(&app, &app.service.create(new).await?)
}

/// The 201 response for a new game, with the secrets that are sent only once.
fn created_response(app: &App, created: &CreatedGame) -> Result<Response, HttpError> {
    let snapshot = &created.snapshot;
    let mut game = newest(snapshot)?;
    for (seat, token) in game.seats.iter_mut().zip(&created.tokens) {
        let secret = token.as_ref().map(Secret::to_text);
        match seat.kind {
            SeatKind::Open => seat.invite = secret,
            SeatKind::Human | SeatKind::Level => seat.token = secret,
        }
    }
    let location = [(
        header::LOCATION,
        app.base_path
            .add_to(&format!("/api/v1/games/{}", snapshot.id))
            .into_owned(),
    )];
    Ok((StatusCode::CREATED, location, Json(game)).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GameQuery {
    #[serde(default, deserialize_with = "digits::<_, 0, { u32::MAX }>")]
    ply: Option<u32>,
    #[serde(default, deserialize_with = "digits::<_, 0, { u32::MAX }>")]
    wait: Option<u32>,
}

/// Returns a game, now or after an earlier entry.
///
/// A game between computers is paused if nobody has viewed it for a minute. This request resumes it.
async fn get_game(
    request: PageRequest,
    Path(id): Path<String>,
    browser: BrowserSession,
    headers: HeaderMap,
    Query(query): Query<GameQuery>,
) -> Result<Response, HttpError> {
    let app = &request.app;
    let credentials = browser.read_credentials();
    let snapshot = app.viewable_game(&id, &credentials).await?;
    let snapshot = match query.wait {
        None => snapshot,
        Some(ply) => {
            let condition = |now: &Snapshot| now.live.entry_count() >= ply || now.live.is_over();
            app.wait(&snapshot.id, &credentials, WAIT, condition)
                .await?
        }
    };
    let ply = query.ply.unwrap_or_else(|| snapshot.live.entry_count());
    let newest_ply = snapshot.live.entry_count();
    if ply > newest_ply {
        let error = HttpError::unprocessable("the game has not reached that ply");
        return Err(error.with("ply", newest_ply));
    }
    // The same at all servers. Weak, because a compressed body has other bytes.
    let tag: ETag = format!("W/\"{}.{ply}\"", snapshot.version())
        .parse()
        .map_err(|_| HttpError::new(ProblemKind::Internal, "no tag"))?;
    let known = headers.typed_get::<IfNoneMatch>();
    let has_current = known.is_some_and(|known| !known.precondition_passes(&tag));
    let tag = TypedHeader(tag);
    if has_current {
        return Ok((StatusCode::NOT_MODIFIED, tag).into_response());
    }
    let game = GameJsonInput {
        snapshot: &snapshot,
        ply,
    };
    Ok((tag, request.respond(&game)?).into_response())
}

/// A game after an entry, as JSON.
#[derive(Hash)]
struct GameJsonInput<'a> {
    snapshot: &'a Snapshot,
    ply: u32,
}

impl PageInput for GameJsonInput<'_> {
    type Error = HttpError;

    const MEDIA_TYPE: &'static str = "application/json";

    /// Its ETag is that of the game.
    fn is_storable(&self) -> bool {
        false
    }

    fn render(&self, _: &RenderContext<'_>) -> Result<String, HttpError> {
        let game = GameJson::new(self.snapshot, self.ply).ok_or(ServiceError::Damaged)?;
        Ok(serde_json::to_string(&game).map_err(|_| ServiceError::Damaged)?)
    }
}

/// Lists the legal actions.
///
/// Their order at a position never changes.
async fn moves(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: BrowserSession,
) -> Result<Json<Box<RawValue>>, HttpError> {
    let snapshot = app.viewable_game(&id, &browser.read_credentials()).await?;
    Ok(Json(snapshot.live.moves()))
}

/// Plays a ply.
///
/// Computers then move by themselves; the answer describes only this ply. If the same action has already been played
/// under this number, nothing is played, and the answer is the same with `repeated` true. A program accepts an
/// invitation by its first ply.
async fn play(
    State(app): State<App>,
    Path(id): Path<String>,
    BearerCredentials(credentials): BearerCredentials,
    JsonBody(mut body): JsonBody,
) -> Result<Json<PlayedJson>, HttpError> {
    let ply: Option<u32> = body.take("ply")?;
    let ply = ply.ok_or_else(|| HttpError::unprocessable("the field `ply` is missing"))?;
    let mut table = app.playable_game(&id, &credentials).await?;
    let invited_seat = table.snapshot.invited_seat(credentials.token.as_ref());
    if let (Some(_), Some(token)) = (invited_seat, credentials.token)
        && invited_seat == table.snapshot.mover()
    {
        // A program accepts an invitation by playing.
        let change = SeatChange::Take {
            link: token,
            by: SeatClaimant::Program(token),
            name: None,
        };
        let nobody = Credentials::default();
        app.service
            .change_seat(&table.snapshot.id, nobody, change)
            .await?;
        table = app.playable_game(&id, &credentials).await?;
    }
    table.snapshot.check_can_play(&credentials)?;
    let action = SubmittedAction::Json(body);
    let played = app
        .service
        .play_at(&table, credentials, ply, action)
        .await?;
    Ok(Json(ply_result(&played)?))
}

/// The result of an entry: the position directly after it.
fn ply_result(played: &EntryResult) -> Result<PlayedJson, HttpError> {
    let ply = played.number + 1;
    let stand = played.snapshot.live.state_at(ply);
    let stand = stand.ok_or(ServiceError::Damaged)?;
    Ok(PlayedJson {
        game: played.snapshot.live.configured_game().name(),
        ply,
        roll: stand.roll,
        state: stand.state,
        over: stand.winners.is_some(),
        winners: stand.winners,
        repeated: played.repeated,
    })
}

/// Takes back the last move of the seat.
///
/// Plies that computers have played since are taken back, too. The takeback is an entry of the record, in which the
/// plies remain. Not allowed in games with other people, programs or open seats, nor in games created with
/// `takebacks` false.
async fn undo(
    State(app): State<App>,
    Path(id): Path<String>,
    BearerCredentials(credentials): BearerCredentials,
    JsonBody(UndoJson { ply }): JsonBody<UndoJson>,
) -> Result<Json<PlayedJson>, HttpError> {
    let id = &app.viewable_game(&id, &credentials).await?.id;
    let undone = app.service.take_back(id, credentials, ply).await?;
    Ok(Json(ply_result(&undone)?))
}

/// Adds entropy text of a player to the dice.
///
/// The text affects every roll, and the server could not know it when it committed to the dice. It is an entry of the
/// record and costs no turn. Each player can add text once, before the first roll, unless the game has `turn_s`. In
/// games with several people or programs, each first sends the SHA-256 of the text (64 lower-case hexadecimal digits),
/// or `-` for no text, and afterwards the text; until all have done so, plies are rejected with 409.
async fn entropy(
    State(app): State<App>,
    Path(id): Path<String>,
    BearerCredentials(credentials): BearerCredentials,
    JsonBody(EntropyJson { ply, entropy }): JsonBody<EntropyJson>,
) -> Result<Json<PlayedJson>, HttpError> {
    let snapshot = app.viewable_game(&id, &credentials).await?;
    snapshot.check_can_play(&credentials)?;
    let entropy_text = entropy.parse::<EntropyText>();
    let entropy_text =
        entropy_text.map_err(|error| HttpError::unprocessable(format!("entropy: {error}")))?;
    let result = app
        .service
        .add_entropy(&snapshot.id, credentials, ply, entropy_text)
        .await?;
    Ok(Json(ply_result(&result)?))
}

/// Resigns.
///
/// In a game with other people or programs, a computer takes over the seat. Otherwise the game is over. While the game
/// waits for players, the seat becomes free.
async fn resign(
    State(app): State<App>,
    Path(id): Path<String>,
    BearerCredentials(credentials): BearerCredentials,
    OptionalJsonBody(ResignJson { ply }): OptionalJsonBody<ResignJson>,
) -> Result<Json<GameJson>, HttpError> {
    let id = &app.viewable_game(&id, &credentials).await?.id;
    let snapshot = app.service.resign(id, credentials, ply).await?;
    Ok(Json(newest(&snapshot)?))
}

/// Takes an open seat.
///
/// With the token of a program, the program gets the seat, and plays it with that token. If it was invited to the game,
/// it needs no `invite`.
async fn join(
    State(app): State<App>,
    Path(id): Path<String>,
    (browser, token): (BrowserSession, BearerToken),
    JsonBody(body): JsonBody<JoinJson>,
) -> Result<Json<GameJson>, HttpError> {
    let name = DisplayName::optional(body.name.as_deref().unwrap_or_default())
        .map_err(|error| HttpError::unprocessable(error.to_string()))?;
    let link = match (&body.invite, &token) {
        (Some(invite), _) => invite.parse::<Secret>().ok().map(|link| link.hash()),
        // A program that was invited identifies itself by its token.
        (None, BearerToken::Present(token)) => Some(*token),
        (None, _) => return Err(HttpError::unprocessable("the field `invite` is missing")),
    };
    let snapshot = app
        .game_for_invitation(&id, &browser.read_credentials(), link.as_ref())
        .await?;
    let rejected = |snapshot| ServiceError::SeatChangeRejected {
        why: SeatChangeError::NoSuchLink,
        snapshot,
    };
    let Some(link) = link else {
        return Err(rejected(snapshot).into());
    };
    let program = programs::requesting_program(&app, &token).await?;
    // A program's own token, sent as an invitation, seats that program.
    let invited = snapshot.invited_seat(Some(&link)).map(|_| link);
    let known = program.as_ref().map(|program| program.token).or(invited);
    let own = program.and_then(|program| program.name.parse().ok());
    let token = Secret::random();
    let change = SeatChange::Take {
        link,
        by: SeatClaimant::Program(known.unwrap_or_else(|| token.hash())),
        name: name.or(own),
    };
    let credentials = Credentials::default();
    let snapshot = app
        .service
        .change_seat(&snapshot.id, credentials, change)
        .await?;
    let mut game = newest(&snapshot)?;
    if known.is_none() {
        let own = Credentials {
            token: Some(token.hash()),
            ..Credentials::default()
        };
        for player in snapshot.seats_of(&own) {
            if let Some(seat) = game.seats.get_mut(usize::from(player.number())) {
                seat.token = Some(token.to_text());
            }
        }
    }
    Ok(Json(game))
}

/// Returns the record of a game.
///
/// The record has every entry, with the faces of all dice.
async fn record(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: BrowserSession,
) -> Result<Json<Box<RawValue>>, HttpError> {
    let snapshot = app.viewable_game(&id, &browser.read_credentials()).await?;
    Ok(Json(snapshot.record_json()))
}
