//! The JSON API, version 1, for programs; the OpenAPI document is made from what stands here.

use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{OpenApi, ToSchema};

use super::error::Failure;
use super::identity::Token;
use super::{App, game_id};
use crate::archive::{Pace, Sitter};
use crate::game::Player;
use crate::games::Parameters;
use crate::games::dice_of_doom::{DiceOfDoom, Position, Rules, Setup};
use crate::level::Level;
use crate::service::live::{AnyAction, Live, Start};
use crate::service::{Claim, NewGame, Snapshot};
use crate::session::Session;
use crate::wire::{self, MovesJson, PlyJson, RecordJson, RollJson};

/// `wait=K` answers after so long with what is.
const WAIT: Duration = Duration::from_secs(30);

/// A game to set up; all but `game` have defaults.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGameJson {
    /// `dice`
    game: GameName,
    /// `v1`, `v2`, `v3`, `v4` (default) or `conquest`.
    rules: Option<String>,
    /// Hexes along each side, 2 to 8.
    size: Option<u8>,
    /// Players, 2 to 6.
    players: Option<u8>,
    /// The most dice on a hex, 2 to 8.
    max_dice: Option<u8>,
    /// One a player: `human` or the name of a level. Default: `human`, then `book`.
    seats: Option<Vec<String>>,
    /// The same number deals the same board. It says nothing about the dice.
    seed: Option<u64>,
    /// Deals exactly this position.
    #[schema(value_type = Option<Object>)]
    start: Option<Setup>,
    /// `at-once` (default): computers move by themselves.
    pace: Option<PaceName>,
}

/// The games of the platform.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GameName {
    /// Dice of Doom.
    Dice,
}

/// When computers move.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PaceName {
    /// As soon as it is their turn.
    AtOnce,
    /// Never by themselves.
    OnRequest,
}

/// A seat as everybody sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SeatJson {
    player: u8,
    /// `human`, `level` or `open`.
    kind: &'static str,
    level: Option<String>,
    name: Option<String>,
    /// Only in the answer to the request that created the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// A game as it stands at one of its plies.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GameJson {
    id: String,
    #[serde(flatten)]
    #[schema(value_type = Object)]
    parameters: Parameters,
    /// Plies played before this position.
    ply: u32,
    /// Whose turn it is; null when over.
    player: Option<u8>,
    #[schema(value_type = Object)]
    state: Setup,
    over: bool,
    winners: Option<Vec<u8>>,
    /// `rules`, `resigned` or `limit`.
    ending: Option<&'static str>,
    seats: Vec<SeatJson>,
    /// The ply that led here.
    last: Option<PlyJson>,
}

/// A ply to play.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayJson {
    /// The number of this ply: how many were played before it.
    ply: u32,
    /// Source and target of an attack; null ends the turn.
    #[serde(deserialize_with = "present")]
    path: Option<[u8; 2]>,
}

/// `null` is a pass, but a missing field is a mistake. A list too long for a pair would count as
/// broken JSON, so it is read as a list first.
fn present<'de, D: Deserializer<'de>>(d: D) -> Result<Option<[u8; 2]>, D::Error> {
    let Some(path) = Option::<Vec<u8>>::deserialize(d)? else {
        return Ok(None);
    };
    let pair = path.as_slice().try_into();
    pair.map(Some)
        .map_err(|_| D::Error::invalid_length(path.len(), &"a source and a target"))
}

/// What came of a ply.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlayedJson {
    /// The number of the next ply.
    ply: u32,
    roll: Option<RollJson>,
    /// The position at that number: the answer describes this ply alone.
    #[schema(value_type = Object)]
    state: Setup,
    over: bool,
    winners: Option<Vec<u8>>,
    /// This ply had been played before; nothing was rolled again.
    repeated: bool,
}

/// The OpenAPI document.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Dice of Doom",
        version = "1",
        description = "Play Dice of Doom by program. Computers move by themselves after your ply; \
                       the answer to a ply describes that ply alone. Errors are RFC 9457 problem \
                       documents."
    ),
    paths(create, look, moves, play, resign, record),
    components(schemas(
        NewGameJson,
        GameName,
        PaceName,
        SeatJson,
        GameJson,
        PlayJson,
        PlayedJson,
        RecordJson,
        ResignJson,
        RollJson,
        PlyJson,
        wire::MoveJson,
        MovesJson
    ))
)]
pub struct Document;

/// `GET /openapi.json`
pub(super) async fn openapi() -> Response {
    Json(Document::openapi()).into_response()
}

/// A JSON body, or why it is none.
fn read<T>(body: Result<Json<T>, JsonRejection>) -> Result<T, Failure> {
    match body {
        Ok(Json(body)) => Ok(body),
        Err(JsonRejection::JsonDataError(error)) => Err(Failure::unprocessable(error.body_text())),
        Err(error) => {
            let key = match error.status() {
                StatusCode::UNSUPPORTED_MEDIA_TYPE => "type",
                StatusCode::PAYLOAD_TOO_LARGE => "too-large",
                _ => "bad-request",
            };
            Err(Failure::new(error.status(), key, error.body_text()))
        }
    }
}

impl NewGameJson {
    fn asked(&self) -> Result<NewGame, Failure> {
        let GameName::Dice = self.game;
        let rules = match &self.rules {
            None => Rules::V4,
            Some(name) => name
                .parse()
                .map_err(|_| Failure::unprocessable("rules are v1, v2, v3, v4 or conquest"))?,
        };
        let (players, max_dice, size) = rules.defaults();
        let players = self.players.unwrap_or(players);
        let sitters = match &self.seats {
            Some(seats) => seats
                .iter()
                .map(|seat| sitter(seat))
                .collect::<Result<_, _>>()?,
            None => (0..players)
                .map(|seat| {
                    if seat == 0 {
                        Sitter::Human
                    } else {
                        Sitter::Level(Level::Book.name().to_owned())
                    }
                })
                .collect(),
        };
        if self.start.is_some() && self.seed.is_some() {
            return Err(Failure::unprocessable("give a start or a seed, not both"));
        }
        Ok(NewGame {
            parameters: Parameters::Dice {
                rules,
                size: self.size.unwrap_or(size),
                players,
                max_dice: self.max_dice.unwrap_or(max_dice),
            },
            start: self
                .start
                .clone()
                .map_or(Start::Deal(self.seed), Start::Dice),
            sitters,
            pace: match self.pace {
                None | Some(PaceName::AtOnce) => Pace::AtOnce,
                Some(PaceName::OnRequest) => Pace::OnRequest,
            },
            browser: None,
            with_tokens: true,
            book_of: None,
        })
    }
}

fn sitter(name: &str) -> Result<Sitter, Failure> {
    if name == "human" {
        return Ok(Sitter::Human);
    }
    let level: Level = name
        .parse()
        .map_err(|_| Failure::unprocessable("a seat is human or the name of a level"))?;
    Ok(Sitter::Level(level.name().to_owned()))
}

/// Sets up a game.
#[utoipa::path(
    post, path = "/api/v1/games", request_body = NewGameJson,
    responses((status = 201, body = GameJson), (status = 400), (status = 415), (status = 422), (status = 429))
)]
pub(super) async fn create(
    State(app): State<App>,
    body: Result<Json<NewGameJson>, JsonRejection>,
) -> Result<Response, Failure> {
    let created = app.service.create(read(body)?.asked()?).await?;
    let snapshot = &created.snapshot;
    let mut game = game_json(snapshot, snapshot.live.ply());
    for (seat, token) in game.seats.iter_mut().zip(&created.tokens) {
        seat.token = token.as_ref().map(|token| token.to_text());
    }
    let location = [(header::LOCATION, format!("/api/v1/games/{}", snapshot.id))];
    Ok((StatusCode::CREATED, location, Json(game)).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LookQuery {
    ply: Option<u32>,
    wait: Option<u32>,
}

/// How a game stands, now or at one of its plies.
#[utoipa::path(
    get, path = "/api/v1/games/{id}",
    params(
        ("id" = String, Path),
        ("ply" = Option<u32>, Query, description = "The position after so many plies"),
        ("wait" = Option<u32>, Query, description = "Answer as soon as ply >= this number or the game is over, after 30 s with what is")
    ),
    responses((status = 200, body = GameJson), (status = 304), (status = 404), (status = 422))
)]
pub(super) async fn look(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    query: Result<Query<LookQuery>, QueryRejection>,
) -> Result<Response, Failure> {
    let Query(query) = query.map_err(|error| Failure::bad_request(error.body_text()))?;
    let id = game_id(&id)?;
    let snapshot = match query.wait {
        None => app.service.look(&id).await?,
        Some(ply) => {
            app.service
                .wait(&id, WAIT, |now| now.live.ply() >= ply || now.live.is_over())
                .await?
        }
    };
    let ply = query.ply.unwrap_or_else(|| snapshot.live.ply());
    if ply > snapshot.live.ply() {
        return Err(
            Failure::unprocessable("the game has not come so far").with("ply", snapshot.live.ply())
        );
    }
    // Weak, because a compressed body is another sequence of bytes.
    let tag = format!("W/\"{}.{ply}\"", snapshot.version());
    let known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|known| known.to_str().ok());
    let tag_header = HeaderValue::from_str(&tag)
        .map_err(|_| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "no tag"))?;
    if known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag)) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag_header)]).into_response());
    }
    Ok((
        [(header::ETAG, tag_header)],
        Json(game_json(&snapshot, ply)),
    )
        .into_response())
}

/// The legal actions now, in the book's order.
#[utoipa::path(
    get, path = "/api/v1/games/{id}/moves", params(("id" = String, Path)),
    responses((status = 200, body = MovesJson), (status = 404))
)]
pub(super) async fn moves(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<MovesJson>, Failure> {
    let snapshot = app.service.look(&game_id(&id)?).await?;
    let Live::Dice(session) = &snapshot.live;
    let mut moves = MovesJson::of(session.game(), session.position());
    if snapshot.live.is_over() {
        // A game may be over by resignation while the rules would still know an action.
        moves.moves.clear();
        moves.over = true;
        moves.winners = Some(wire::numbers(&snapshot.live.winners()));
    }
    Ok(Json(moves))
}

/// Plays a ply.
#[utoipa::path(
    post, path = "/api/v1/games/{id}/moves", params(("id" = String, Path)), request_body = PlayJson,
    responses(
        (status = 200, body = PlayedJson), (status = 400), (status = 401), (status = 403),
        (status = 404), (status = 409), (status = 415), (status = 422), (status = 429)
    )
)]
pub(super) async fn play(
    State(app): State<App>,
    Path(id): Path<String>,
    token: Token,
    body: Result<Json<PlayJson>, JsonRejection>,
) -> Result<Json<PlayedJson>, Failure> {
    let id = game_id(&id)?;
    let claim = claim(token)?;
    let body = read(body)?;
    let snapshot = app.service.look(&id).await?;
    let Live::Dice(session) = &snapshot.live;
    let action = wire::action(session.game(), body.path)
        .ok_or_else(|| Failure::unprocessable("there is no such hex on this board"))?;
    let played = app
        .service
        .play(&id, claim, body.ply, AnyAction::Dice(action))
        .await?;
    let Live::Dice(session) = &played.snapshot.live;
    let (position, over) = at(session, &played.snapshot, played.number + 1);
    Ok(Json(PlayedJson {
        ply: played.number + 1,
        roll: session
            .record()
            .plies
            .get(played.number as usize)
            .and_then(|ply| ply.roll.throw().map(RollJson::from)),
        state: session.game().setup(&position),
        over: over.is_some(),
        winners: over,
        repeated: played.repeated,
    }))
}

/// A resignation.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResignJson {
    /// Resign only if the game stands here.
    ply: Option<u32>,
}

/// Gives up: with other people at the table a level plays on, otherwise the game is over.
#[utoipa::path(
    post, path = "/api/v1/games/{id}/resign", params(("id" = String, Path)), request_body = ResignJson,
    responses((status = 200, body = GameJson), (status = 401), (status = 403), (status = 404), (status = 409))
)]
pub(super) async fn resign(
    State(app): State<App>,
    Path(id): Path<String>,
    token: Token,
    body: Result<Json<ResignJson>, JsonRejection>,
) -> Result<Json<GameJson>, Failure> {
    let id = game_id(&id)?;
    let claim = claim(token)?;
    let body = read(body)?;
    let snapshot = app.service.resign(&id, claim, body.ply).await?;
    Ok(Json(game_json(&snapshot, snapshot.live.ply())))
}

/// The whole record with every face of every die.
#[utoipa::path(
    get, path = "/api/v1/games/{id}/record", params(("id" = String, Path)),
    responses((status = 200, body = RecordJson), (status = 404))
)]
pub(super) async fn record(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<RecordJson>, Failure> {
    let snapshot = app.service.look(&game_id(&id)?).await?;
    Ok(Json(record_of(&snapshot)))
}

/// A game as it is downloaded.
pub(super) fn record_of(snapshot: &Snapshot) -> RecordJson {
    let Live::Dice(session) = &snapshot.live;
    let winners = snapshot
        .live
        .is_over()
        .then(|| wire::numbers(&snapshot.live.winners()));
    RecordJson::of_dice(session.record(), winners)
}

fn claim(token: Token) -> Result<Claim, Failure> {
    match token {
        Token::Absent => Err(Failure::no_secret()),
        Token::Unreadable => Ok(Claim::default()),
        Token::Given(hash) => Ok(Claim {
            browser: None,
            token: Some(hash),
        }),
    }
}

/// The position after `ply` plies, and the winners if the game is over there.
fn at(session: &Session<DiceOfDoom>, snapshot: &Snapshot, ply: u32) -> (Position, Option<Vec<u8>>) {
    use crate::game::Game;
    let game = session.game();
    if ply >= session.record().len() {
        let over = snapshot
            .live
            .is_over()
            .then(|| wire::numbers(&snapshot.live.winners()));
        return (session.position().clone(), over);
    }
    let mut position = session.record().start.clone();
    for played in session.record().plies.iter().take(ply as usize) {
        position = wire::follow(game, &position, played);
    }
    let over = game
        .status(&position)
        .is_over()
        .then(|| wire::numbers(&game.winners(&position)));
    (position, over)
}

fn game_json(snapshot: &Snapshot, ply: u32) -> GameJson {
    use crate::game::Game;
    let Live::Dice(session) = &snapshot.live;
    let (position, winners) = at(session, snapshot, ply);
    let newest = ply == session.record().len();
    let over = winners.is_some();
    let mover = if over {
        None
    } else {
        session.game().status(&position).mover()
    };
    let last = ply.checked_sub(1).and_then(|number| {
        session
            .record()
            .plies
            .get(number as usize)
            .map(|ply| PlyJson::of(number, ply))
    });
    GameJson {
        id: snapshot.id.to_string(),
        parameters: snapshot.live.parameters(),
        ply,
        player: mover.map(Player::number),
        state: session.game().setup(&position),
        over,
        winners,
        ending: if newest {
            wire::ending(over, session.record().ending)
        } else {
            None
        },
        seats: Player::all(snapshot.live.parameters().players())
            .zip(&snapshot.seats.seats)
            .map(|(player, seat)| {
                let (kind, level) = match &seat.sitter {
                    Sitter::Human => ("human", None),
                    Sitter::Level(level) => ("level", Some(level.clone())),
                    Sitter::Open => ("open", None),
                };
                SeatJson {
                    player: player.number(),
                    kind,
                    level,
                    name: seat.name.clone(),
                    token: None,
                }
            })
            .collect(),
        last,
    }
}
