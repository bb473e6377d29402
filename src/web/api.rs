//! The JSON API, version 1, for programs; the OpenAPI document is made from what stands here.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum_extra::TypedHeader;
use axum_extra::headers::{ETag, HeaderMapExt, IfNoneMatch};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{OpenApi, PartialSchema, ToSchema};

use super::App;
use super::error::Failure;
use super::identity::{Browser, Token};
use super::problem::Problem;
use crate::game::Player;
use crate::games::Parameters;
use crate::games::dice_of_doom::{self, Rules};
use crate::games::trilobite::{self, Trilobite};
use crate::seats::{Pace, SeatWord, Sitter, UnknownSeat};
use crate::secret::Secret;
use crate::service::live::{AnyAction, Live, Start};
use crate::service::{
    Claim, Name, NewGame, Played, SeatChange, SeatRefusal, ServiceError, Snapshot, Taker,
};
use crate::session::Session;
use crate::wire::{self, MovesJson, PlyJson, RecordJson, RollJson, StateJson, Wired};

/// `wait=K` answers after so long with what is.
const WAIT: Duration = Duration::from_secs(30);

/// How long the others may be asked to wait for a move, in seconds: up to 30 days.
pub(super) const REPLACE_AFTER_S: std::ops::RangeInclusive<u32> = 1..=30 * 24 * 60 * 60;

/// A game to set up; all but `game` have defaults.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(tag = "game", rename_all = "lowercase")]
pub enum NewGameJson {
    /// Dice of Doom.
    Dice(NewDiceJson),
    /// Trilobite.
    Trilobite(NewTrilobiteJson),
}

/// A game of Dice of Doom to set up.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDiceJson {
    /// `v1`, `v2`, `v3`, `v4` (default) or `conquest`.
    rules: Option<String>,
    /// Hexes along each side, 2 to 8.
    size: Option<u8>,
    /// Players, 2 to 6.
    players: Option<u8>,
    /// The most dice on a hex, 2 to 8.
    max_dice: Option<u8>,
    /// One a player. Default: `human`, then `book`.
    #[schema(value_type = Option<Vec<SitterName>>)]
    seats: Option<Vec<String>>,
    /// The same number deals the same board. It says nothing about the dice.
    seed: Option<u64>,
    /// Deals exactly this position.
    #[schema(value_type = Option<Object>)]
    start: Option<dice_of_doom::Setup>,
    /// `at-once` (default): computers move by themselves.
    pace: Option<PaceName>,
    /// Whether only those with a seat see the game.
    #[serde(default)]
    private: bool,
    /// After so many seconds without a ply, 1 to 2592000, the others may let a computer play.
    replace_after_s: Option<u32>,
}

/// A game of Trilobite to set up.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTrilobiteJson {
    /// Columns; width × (height + 1) is at most 128. Default 8.
    width: Option<u8>,
    /// Cells in each column. Default 7.
    height: Option<u8>,
    /// Chips in a row that win, up to the longer side. Default 4.
    win: Option<u8>,
    /// Two of them. Default: `human`, then `book`.
    #[schema(value_type = Option<Vec<SitterName>>)]
    seats: Option<Vec<String>>,
    /// Accepted as in every game; nothing is dealt.
    seed: Option<u64>,
    /// Begins exactly here.
    #[schema(value_type = Option<Object>)]
    start: Option<trilobite::Setup>,
    /// `at-once` (default): computers move by themselves.
    pace: Option<PaceName>,
    /// Whether only those with a seat see the game.
    #[serde(default)]
    private: bool,
    /// After so many seconds without a ply, 1 to 2592000, the others may let a computer play.
    replace_after_s: Option<u32>,
}

/// How the document describes a [`SeatWord`]; it is read as text, so that errors can name it.
struct SitterName;

impl PartialSchema for SitterName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "Who sits in a seat: `human`, `open` (for whoever has the invitation), or a level, \
                 weakest first.",
            ))
            .enum_values(Some(SeatWord::all().map(|word| word.to_string())))
            .into()
    }
}

impl ToSchema for SitterName {}

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
    /// `random`, `book`, `greedy`, `steady`, `expert`, `master` or `champion`.
    level: Option<String>,
    name: Option<String>,
    /// Only in the answer to the request that created the game or took the seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// What takes an open seat, once; only in the answer to the request that created the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    invite: Option<String>,
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
    state: StateJson,
    over: bool,
    winners: Option<Vec<u8>>,
    /// `rules`, `resigned` or `limit`.
    ending: Option<&'static str>,
    seats: Vec<SeatJson>,
    /// Whether only those with a seat see the game.
    private: bool,
    /// After so many seconds without a ply the others may let a computer play; null: never.
    replace_after_s: Option<u32>,
    /// The ply that led here.
    last: Option<PlyJson>,
}

/// A ply to play: `path` in Dice of Doom, `cell` in Trilobite.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayJson {
    /// The number of this ply: how many were played before it.
    ply: u32,
    /// Source and target of an attack; null ends the turn.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<[u8; 2]>)]
    path: Option<Option<[u8; 2]>>,
    /// The cell where the chip lands.
    cell: Option<u8>,
}

/// `null` is a pass, but a missing field is none. A list too long for a pair would count as broken
/// JSON, so it is read as a list first.
fn present<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Option<[u8; 2]>>, D::Error> {
    let Some(path) = Option::<Vec<u8>>::deserialize(d)? else {
        return Ok(Some(None));
    };
    let pair = path.as_slice().try_into();
    pair.map(|pair| Some(Some(pair)))
        .map_err(|_| D::Error::invalid_length(path.len(), &"a source and a target"))
}

impl PlayJson {
    /// The action that is meant, in the game as it stands.
    fn action(&self, snapshot: &Arc<Snapshot>) -> Result<AnyAction, Failure> {
        match (&snapshot.live, self.path, self.cell) {
            (Live::Dice(session), Some(path), None) => wire::action(session.game(), path)
                .map(AnyAction::from)
                .ok_or_else(|| Failure::unprocessable("there is no such hex on this board")),
            (Live::Trilobite(session), None, Some(cell)) => {
                let game = session.game();
                let column = game
                    .column_of(cell)
                    .ok_or_else(|| Failure::unprocessable("there is no such cell on this board"))?;
                // A ply sent twice is told what came of it, so the column is looked at as it was.
                let position = session.record().position_at(self.ply);
                let landing = position.and_then(|position| game.landing(&position, column));
                if landing == Some(cell) {
                    return Ok(column.into());
                }
                if self.ply == session.record().len() {
                    let sentence = "a chip cannot land in that cell now";
                    return Err(Failure::unprocessable(sentence));
                }
                let snapshot = Arc::clone(snapshot);
                Err(ServiceError::Stale { snapshot }.into())
            }
            (Live::Dice(_), ..) => Err(Failure::unprocessable(
                "a ply of this game is a path: [source, target], or null",
            )),
            (Live::Trilobite(_), ..) => Err(Failure::unprocessable("a ply of this game is a cell")),
        }
    }
}

/// What came of a ply.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlayedJson {
    /// The number of the next ply.
    ply: u32,
    roll: Option<RollJson>,
    /// The position at that number: the answer describes this ply alone.
    #[schema(value_type = Object)]
    state: StateJson,
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
    paths(create, look, moves, play, resign, join, record, super::events::events),
    components(schemas(
        NewGameJson,
        NewDiceJson,
        NewTrilobiteJson,
        PaceName,
        SeatJson,
        GameJson,
        PlayJson,
        PlayedJson,
        RecordJson,
        ResignJson,
        JoinJson,
        RollJson,
        PlyJson,
        wire::EventJson,
        wire::ActionJson,
        wire::MoveJson,
        wire::DiceMovesJson,
        wire::DropsJson,
        MovesJson
    ))
)]
pub struct Document;

/// `GET /openapi.json`
pub(super) async fn openapi() -> Response {
    Json(Document::openapi()).into_response()
}

impl NewGameJson {
    fn asked(self) -> Result<NewGame, Failure> {
        let (parameters, start, seats, pace, private, replace_after_s) = match self {
            NewGameJson::Dice(new) => {
                let rules = match &new.rules {
                    None => Rules::V4,
                    Some(name) => name.parse().map_err(|_| {
                        Failure::unprocessable("rules are v1, v2, v3, v4 or conquest")
                    })?,
                };
                let (players, max_dice, size) = rules.defaults();
                let parameters = Parameters::Dice {
                    rules,
                    size: new.size.unwrap_or(size),
                    players: new.players.unwrap_or(players),
                    max_dice: new.max_dice.unwrap_or(max_dice),
                };
                let start = start(new.start.map(Start::Dice), new.seed)?;
                let (private, after) = (new.private, new.replace_after_s);
                (parameters, start, new.seats, new.pace, private, after)
            }
            NewGameJson::Trilobite(new) => {
                let (width, height, win) = Trilobite::DEFAULTS;
                let parameters = Parameters::Trilobite {
                    width: new.width.unwrap_or(width),
                    height: new.height.unwrap_or(height),
                    win: new.win.unwrap_or(win),
                };
                let start = start(new.start.map(Start::Trilobite), new.seed)?;
                let (private, after) = (new.private, new.replace_after_s);
                (parameters, start, new.seats, new.pace, private, after)
            }
        };
        let sitters = match seats {
            Some(seats) => seats
                .iter()
                .map(|seat| seat.parse())
                .collect::<Result<_, UnknownSeat>>()
                .map_err(|unknown| Failure::unprocessable(unknown.to_string()))?,
            None => SeatWord::usual(parameters.players()).collect(),
        };
        if replace_after_s.is_some_and(|after| !REPLACE_AFTER_S.contains(&after)) {
            let sentence = "replace_after_s is 1 to 2592000, or null";
            return Err(Failure::unprocessable(sentence));
        }
        Ok(NewGame {
            pace: match pace {
                None | Some(PaceName::AtOnce) => Pace::AtOnce,
                Some(PaceName::OnRequest) => Pace::OnRequest,
            },
            private,
            replace_after_s,
            ..NewGame::of(parameters, start, sitters)
        })
    }
}

fn start(given: Option<Start>, seed: Option<u64>) -> Result<Start, Failure> {
    match (given, seed) {
        (Some(_), Some(_)) => Err(Failure::unprocessable("give a start or a seed, not both")),
        (Some(start), None) => Ok(start),
        (None, seed) => Ok(Start::Deal(seed)),
    }
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
    let Json(body) = body?;
    let created = app.service.create(body.asked()?).await?;
    let snapshot = &created.snapshot;
    let mut game = game_json(snapshot, snapshot.live.ply());
    for (seat, token) in game.seats.iter_mut().zip(&created.tokens) {
        let told = token.as_ref().map(Secret::to_text);
        match seat.kind {
            "open" => seat.invite = told,
            _ => seat.token = told,
        }
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
    browser: Browser,
    headers: HeaderMap,
    query: Result<Query<LookQuery>, QueryRejection>,
) -> Result<Response, Failure> {
    let Query(query) = query?;
    let snapshot = app.seen(&id, &browser.looks()).await?;
    let snapshot = match query.wait {
        None => snapshot,
        Some(ply) => {
            let come = |now: &Snapshot| now.live.ply() >= ply || now.live.is_over();
            app.service.wait(&snapshot.id, WAIT, come).await?
        }
    };
    let ply = query.ply.unwrap_or_else(|| snapshot.live.ply());
    if ply > snapshot.live.ply() {
        return Err(
            Failure::unprocessable("the game has not come so far").with("ply", snapshot.live.ply())
        );
    }
    // Weak, because a compressed body is another sequence of bytes.
    let tag: ETag = format!("W/\"{}.{ply}\"", snapshot.version())
        .parse()
        .map_err(|_| Failure::new(Problem::Internal, "no tag"))?;
    let known = headers.typed_get::<IfNoneMatch>();
    let known = known.is_some_and(|known| !known.precondition_passes(&tag));
    let tag = TypedHeader(tag);
    if known {
        return Ok((StatusCode::NOT_MODIFIED, tag).into_response());
    }
    Ok((tag, Json(game_json(&snapshot, ply))).into_response())
}

/// The legal actions now, in the book's order.
#[utoipa::path(
    get, path = "/api/v1/games/{id}/moves", params(("id" = String, Path)),
    responses((status = 200, body = MovesJson), (status = 404))
)]
pub(super) async fn moves(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
) -> Result<Json<MovesJson>, Failure> {
    let snapshot = app.seen(&id, &browser.looks()).await?;
    let moves = match &snapshot.live {
        Live::Dice(session) => session.game().moves_json(session.position()),
        Live::Trilobite(session) => session.game().moves_json(session.position()),
    };
    Ok(Json(if snapshot.live.is_over() {
        moves.ended(wire::numbers(&snapshot.live.winners()))
    } else {
        moves
    }))
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
    let claim = claim(token)?;
    let Json(body) = body?;
    let snapshot = app.seen(&id, &claim).await?;
    let action = body.action(&snapshot)?;
    let played = app
        .service
        .play(&snapshot.id, claim, body.ply, action)
        .await?;
    Ok(Json(match &played.snapshot.live {
        Live::Dice(session) => played_json(session, &played),
        Live::Trilobite(session) => played_json(session, &played),
    }))
}

fn played_json<G: Wired>(session: &Session<G>, played: &Played) -> PlayedJson {
    let stand = Stand::at(session, &played.snapshot, played.number + 1);
    let ply = session.record().plies.get(played.number as usize);
    PlayedJson {
        ply: played.number + 1,
        roll: ply.and_then(|ply| G::roll_json(&ply.roll)),
        state: session.game().state_json(&stand.position),
        over: stand.winners.is_some(),
        winners: stand.winners,
        repeated: played.repeated,
    }
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
    let claim = claim(token)?;
    let Json(body) = body?;
    let id = &app.seen(&id, &claim).await?.id;
    let snapshot = app.service.resign(id, claim, body.ply).await?;
    Ok(Json(game_json(&snapshot, snapshot.live.ply())))
}

/// An invitation to be used.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinJson {
    /// The token in the link, or in the answer to the game's creation.
    invite: String,
    /// What the program wants to be called: at most 32 characters, none of them invisible.
    name: Option<String>,
}

/// Takes an open seat with its invitation. The answer carries the seat's `token`, once.
#[utoipa::path(
    post, path = "/api/v1/games/{id}/join", params(("id" = String, Path)), request_body = JoinJson,
    responses(
        (status = 200, body = GameJson), (status = 400), (status = 403), (status = 404),
        (status = 415), (status = 422), (status = 429)
    )
)]
pub(super) async fn join(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
    body: Result<Json<JoinJson>, JsonRejection>,
) -> Result<Json<GameJson>, Failure> {
    let Json(body) = body?;
    let name = Name::optional(body.name.as_deref().unwrap_or_default())
        .map_err(|error| Failure::unprocessable(error.to_string()))?;
    let link = body.invite.parse::<Secret>();
    let link = link.map(|link| link.hash()).ok();
    let snapshot = app.invited(&id, &browser.looks(), link.as_ref()).await?;
    let refused = |snapshot| ServiceError::SeatRefused {
        why: SeatRefusal::NoSuchLink,
        snapshot,
    };
    let Some(link) = link else {
        return Err(refused(snapshot).into());
    };
    let seat = snapshot.seat_of_link(&link);
    let token = Secret::random();
    let change = SeatChange::Take {
        link,
        by: Taker::Program(token.hash()),
        name,
    };
    let claim = Claim::default();
    let snapshot = app.service.seat(&snapshot.id, claim, change).await?;
    let mut game = game_json(&snapshot, snapshot.live.ply());
    let taken = seat.and_then(|(player, _)| game.seats.get_mut(usize::from(player.number())));
    if let Some(seat) = taken {
        seat.token = Some(token.to_text());
    }
    Ok(Json(game))
}

/// The whole record with every face of every die.
#[utoipa::path(
    get, path = "/api/v1/games/{id}/record", params(("id" = String, Path)),
    responses((status = 200, body = RecordJson), (status = 404))
)]
pub(super) async fn record(
    State(app): State<App>,
    Path(id): Path<String>,
    browser: Browser,
) -> Result<Json<RecordJson>, Failure> {
    let snapshot = app.seen(&id, &browser.looks()).await?;
    Ok(Json(record_of(&snapshot)))
}

/// A game as it is downloaded.
pub(super) fn record_of(snapshot: &Snapshot) -> RecordJson {
    let over = snapshot.live.is_over();
    let winners = over.then(|| wire::numbers(&snapshot.live.winners()));
    match &snapshot.live {
        Live::Dice(session) => RecordJson::of(session.record(), winners),
        Live::Trilobite(session) => RecordJson::of(session.record(), winners),
    }
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

/// A game after some of its plies.
struct Stand<G: Wired> {
    position: G::Position,
    /// The ply that led here, if any was played.
    last: Option<PlyJson>,
    /// Who wins, if the game is over here.
    winners: Option<Vec<u8>>,
}

impl<G: Wired> Stand<G> {
    fn at(session: &Session<G>, snapshot: &Snapshot, ply: u32) -> Self {
        let (game, record) = (session.game(), session.record());
        let mut position = record.start.clone();
        let mut last = None;
        for (number, played) in (0..ply).zip(&record.plies) {
            if number + 1 == ply {
                last = Some(PlyJson::of(game, number, played, &position));
            }
            position = wire::follow(game, &position, played);
        }
        let (over, winners) = if ply >= record.len() {
            (snapshot.live.is_over(), snapshot.live.winners())
        } else {
            (game.status(&position).is_over(), game.winners(&position))
        };
        Stand {
            position,
            last,
            winners: over.then(|| wire::numbers(&winners)),
        }
    }
}

fn game_json(snapshot: &Snapshot, ply: u32) -> GameJson {
    match &snapshot.live {
        Live::Dice(session) => session_json(session, snapshot, ply),
        Live::Trilobite(session) => session_json(session, snapshot, ply),
    }
}

fn session_json<G: Wired>(session: &Session<G>, snapshot: &Snapshot, ply: u32) -> GameJson {
    let game = session.game();
    let stand = Stand::at(session, snapshot, ply);
    let over = stand.winners.is_some();
    let mover = game.status(&stand.position).mover().filter(|_| !over);
    GameJson {
        id: snapshot.id.to_string(),
        parameters: snapshot.live.parameters(),
        ply,
        player: mover.map(Player::number),
        state: game.state_json(&stand.position),
        over,
        winners: stand.winners,
        ending: if ply == session.record().len() {
            wire::ending(over, session.record().ending)
        } else {
            None
        },
        seats: seats_json(snapshot),
        private: snapshot.private,
        replace_after_s: snapshot.replace_after_s,
        last: stand.last,
    }
}

fn seats_json(snapshot: &Snapshot) -> Vec<SeatJson> {
    Player::all(snapshot.live.parameters().players())
        .zip(&snapshot.seats.seats)
        .map(|(player, seat)| {
            let (kind, level) = match &seat.sitter {
                Sitter::Person { .. } | Sitter::Program { .. } => ("human", None),
                Sitter::Level { level, .. } => ("level", Some(level.name().to_owned())),
                Sitter::Open { .. } => ("open", None),
            };
            SeatJson {
                player: player.number(),
                kind,
                level,
                name: seat.sitter.name().map(str::to_owned),
                token: None,
                invite: None,
            }
        })
        .collect()
}
