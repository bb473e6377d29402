//! The web server: routes and middleware.
//!
//! Layers from the outside in: response headers; compression; conversion of errors to pages or problem documents;
//! panics become 500; the guard (host, site, body); metrics; the handler. The base path is removed from requests
//! outside all of them, and added to responses before compression.

mod accept_language;
mod analysis;
pub mod api;
mod book_page;
mod config;
mod daily;
mod device;
mod dice_page;
mod embed;
pub mod error;
pub mod events;
mod featured_game;
mod feed;
mod first_game;
mod game_page;
mod game_request;
mod hint;
mod identity;
mod images;
mod learn;
mod levels;
pub mod link_origin;
mod manifest;
pub mod metrics;
mod multipart;
mod my_record;
mod next_steps;
mod page_cache;
mod page_context;
mod png_renderer;
mod preferences;
mod programs;
mod puzzles;
mod replay;
mod review;
mod seats;
mod server;
mod social_card;
mod start;
mod tables;
mod upload;
mod view_models;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::engine::Engine;
use crate::game_adapters::Registry;
use crate::http::{assets, guard, headers, rate_limit, run_to_end};
use crate::secret::SecretHash;
use crate::service::{Credentials, Service, ServiceError, Snapshot, TableRef};
use crate::store::GameId;
use crate::templates::view::{DisplayOptions, NavSection};
use crate::templates::{Translations, api_page, rules_page};

pub use config::Config;
pub use server::run;

use crate::http::base_path::BasePath;
use crate::http::cors::allow_any_origin;
use crate::http::drain::DrainState;
use crate::http::error::HttpError;
use crate::http::guard::RequestGuard;
use crate::http::problem::ProblemKind;
use crate::http::rate_limit::{RateLimiter, StorageCharge};
use events::SubscriberRegistry;
use first_game::FirstGameCache;
use identity::BrowserSession;
use next_steps::LessonCardCache;
use page_cache::PageCache;
use png_renderer::PngRenderer;
use preferences::RequestDisplayOptions;

/// How long requests that wait for a computer player may take after shutdown began: less than the time until their
/// connections are closed ([`connections::ConnectionLimits::stop_timeout`]).
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// State that handlers share. Requests clone it several times, so a single `Arc` holds everything.
#[derive(Clone)]
pub struct App(Arc<AppState>);

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

pub struct AppState {
    service: Service,
    /// The number of new games that may be created; the book's page takes from it when a game is stored.
    new_games: Arc<RateLimiter>,
    /// The number of bytes that may be stored.
    stored_bytes: Arc<RateLimiter>,
    /// The number of wrong pairing codes.
    wrong_codes: Arc<RateLimiter>,
    subscribers: Arc<SubscriberRegistry>,
    page_cache: PageCache,
    first_games: FirstGameCache,
    lesson_cards: LessonCardCache,
    png_renderer: PngRenderer,
    engine: Arc<Engine>,
    /// The response to `/openapi.json`.
    openapi: Bytes,
    /// The path below which clients reach this server.
    base_path: BasePath,
}

impl App {
    fn text(&self, display: &DisplayOptions) -> &Translations {
        self.service.games().translations(display.language)
    }

    /// The first snapshot that fulfils the condition, or the newest one after `timeout` or when the server stops. A
    /// client that may no longer see the game is answered at once, like one that never could.
    async fn wait(
        &self,
        id: &GameId,
        credentials: &Credentials,
        timeout: Duration,
        condition: impl Fn(&Snapshot) -> bool,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let waited = self.service.wait_for(id, timeout, |now| {
            condition(now) || !now.can_watch(credentials)
        });
        let snapshot = match self.subscribers.stop.run_until_cancelled(waited).await {
            Some(waited) => waited?,
            None => self.service.snapshot(id).await?,
        };
        match snapshot.can_watch(credentials) {
            true => Ok(snapshot),
            false => Err(ServiceError::NotFound),
        }
    }

    /// The output of `work`, or `None` if it takes longer than `timeout` or the server stops.
    async fn within<T>(&self, timeout: Duration, work: impl Future<Output = T>) -> Option<T> {
        let stopped = async {
            self.subscribers.stop.cancelled().await;
            tokio::time::sleep(SHUTDOWN_GRACE).await;
        };
        tokio::select! {
            biased;
            done = work => Some(done),
            () = tokio::time::sleep(timeout) => None,
            () = stopped => None,
        }
    }

    /// The number of turns of other games queued before this game's computer player.
    fn turns_ahead(&self, snapshot: &Snapshot) -> u32 {
        let ahead = match snapshot.computer_to_move() {
            Some(_) => self.service.turns_ahead(&snapshot.id),
            None => None,
        };
        ahead.map_or(0, |ahead| u32::try_from(ahead).unwrap_or(u32::MAX))
    }

    /// The game with this id, for a client that may view it. A game that the client may not view gets the same response
    /// as one that does not exist.
    async fn viewable_game(
        &self,
        id: &str,
        credentials: &Credentials,
    ) -> Result<Arc<Snapshot>, HttpError> {
        self.game_for_invitation(id, credentials, None).await
    }

    /// Like [`App::viewable_game`], for a client that acts on the game.
    async fn playable_game(
        &self,
        id: &str,
        credentials: &Credentials,
    ) -> Result<TableRef, HttpError> {
        self.admitted(id, credentials, None).await
    }

    /// Like [`App::viewable_game`], also for a client with a seat link.
    async fn game_for_invitation(
        &self,
        id: &str,
        credentials: &Credentials,
        link: Option<&SecretHash>,
    ) -> Result<Arc<Snapshot>, HttpError> {
        Ok(self.admitted(id, credentials, link).await?.snapshot)
    }

    async fn admitted(
        &self,
        id: &str,
        credentials: &Credentials,
        link: Option<&SecretHash>,
    ) -> Result<TableRef, HttpError> {
        // A text that cannot be an id is treated as an unknown game.
        let id = id.parse().map_err(|_| HttpError::not_found())?;
        let table = self.service.snapshot_for_player(&id).await?;
        let snapshot = &table.snapshot;
        let invited = link.is_some_and(|link| snapshot.seat_of_link(link).is_some());
        if invited || snapshot.can_watch(credentials) {
            table.mark_viewed(credentials);
            Ok(table)
        } else if snapshot.was_freed(credentials) {
            Err(HttpError::seat_freed())
        } else {
            Err(HttpError::not_found())
        }
    }
}

/// Approximate stored size of a new game.
const GAME_BYTES: u32 = 4_096;

/// Approximate stored size of a ply.
const PLY_BYTES: u32 = 256;

/// Rate limits and stream limits of the routes.
#[derive(Debug)]
pub struct RateLimits {
    /// The number of bytes that may be stored.
    pub stored_bytes: Arc<RateLimiter>,
    /// The number of new games.
    pub games: Arc<RateLimiter>,
    /// The number of moves.
    pub moves: Arc<RateLimiter>,
    /// The number of reads: pages and API queries.
    pub reads: Arc<RateLimiter>,
    /// The number of wrong pairing codes.
    pub wrong_codes: Arc<RateLimiter>,
    /// The number of open event streams.
    pub subscribers: Arc<SubscriberRegistry>,
}

/// The routes with all layers.
pub fn router(service: Service, guard: RequestGuard, throttles: &RateLimits) -> Router {
    let games = from_fn_with_state(Arc::clone(&throttles.games), rate_limit::throttle);
    let keeping = |bytes| {
        let throttle = Arc::clone(&throttles.stored_bytes);
        from_fn_with_state(
            StorageCharge {
                limiter: throttle,
                bytes,
            },
            rate_limit::charge_stored_bytes,
        )
    };
    let uploading = Router::new()
        .route("/upload", post(upload::submit))
        .route("/api/v1/records", post(upload::upload_record))
        .route_layer(games.clone())
        .route_layer(from_fn(run_to_end::run_to_end));
    let moves = from_fn_with_state(Arc::clone(&throttles.moves), rate_limit::throttle);
    let reads = from_fn_with_state(Arc::clone(&throttles.reads), rate_limit::throttle);
    let creating = Router::new()
        .route("/games", post(start::create))
        .route("/daily", post(daily::begin))
        .route("/daily/{day}", post(daily::play_past))
        .route("/g/{id}/rematch", post(game_page::rematch))
        .route("/g/{id}/review", post(review::request_review))
        .route("/g/{id}/play-on", post(replay::play_on))
        .route("/api/v1/games/{id}/play-on", post(api::play_on::play_on))
        .route("/api/v1/games", post(api::create))
        .route("/api/v1/programs", post(programs::create))
        .route("/program/{id}", post(programs::invite))
        .route("/api/v1/games.ndjson", get(api::games::records))
        .route(
            "/api/v1/games/{id}/rematch",
            post(api::table_actions::rematch),
        )
        .route("/api/v1/games/{id}/review", post(review::want))
        .route_layer(keeping(GAME_BYTES))
        .route_layer(games);
    let moving = Router::new()
        .route("/g/{id}/moves", post(game_page::play))
        .route("/g/{id}/undo", post(game_page::undo))
        .route("/g/{id}/entropy", post(dice_page::add))
        .route("/g/{id}/resign", post(game_page::resign))
        .route("/g/{id}/seats", post(seats::change))
        .route("/g/{id}/table", post(tables::change_listing))
        .route("/g/{id}/phrases", post(game_page::say))
        .route("/tables/{id}", post(tables::join))
        .route("/join/{token}", post(seats::join))
        .route("/me/delete", post(my_record::delete))
        .route("/me/reviews", post(my_record::review))
        .route("/device", post(device::join))
        .route("/device/code", post(device::new_code))
        .route("/device/end", post(device::end_others))
        .route("/puzzles/{id}", post(puzzles::answer))
        .route("/game.html", get(book_page::page))
        .route(
            "/api/v1/games/{id}/moves",
            post(api::play).merge(allow_any_origin(get(api::moves))),
        )
        .route("/analysis", get(analysis::show))
        .route("/api/v1/games/{id}/undo", post(api::undo))
        .route("/api/v1/games/{id}/step", post(api::table_actions::step))
        .route("/api/v1/games/{id}/entropy", post(api::entropy))
        .route("/settings/feed", post(feed::renew))
        .route("/g/{id}/hint", get(hint::show))
        .route("/g/{id}/film", get(images::film_of))
        .route("/g/{id}/game.gif", get(images::gif))
        .route("/api/v1/games/{id}/hint", get(hint::api))
        .route("/api/v1/games/{id}/resign", post(api::resign))
        .route("/api/v1/games/{id}/join", post(api::join))
        .route("/api/v1/games/{id}/decline", post(programs::decline))
        .route_layer(keeping(PLY_BYTES))
        .route_layer(moves.clone());
    let computing = Router::new()
        .route("/api/v1/rate", post(api::position_queries::rate))
        .route("/api/v1/choose", post(api::position_queries::choose))
        .route("/api/v1/solve", post(api::position_queries::solve))
        .route_layer(moves);
    let looking = Router::new()
        .route("/", get(start::start))
        .route("/board.png", get(social_card::start_page_board))
        .route("/onair", get(start::onair))
        .route("/me", get(my_record::show))
        .route("/me/delete", get(my_record::ask_delete))
        .route("/device", get(device::show))
        .route("/tables", get(tables::index))
        .route("/upload", get(upload::show))
        .route("/learn", get(learn::first).post(learn::skip))
        .route("/learn/{lesson}", get(learn::show))
        .route("/daily", get(daily::today))
        .route("/daily/{day}", get(daily::show))
        .route("/daily/{day}/board.png", get(daily::board_png))
        .route("/daily/{day}/result.png", get(daily::result_png))
        .route("/puzzles", get(puzzles::index))
        .route("/puzzles/{id}", get(puzzles::show))
        .route("/rules", get(rules))
        .route("/settings", get(preferences::show).post(preferences::save))
        .route("/manifest.webmanifest", get(manifest::show))
        .route("/feed/{name}", get(feed::show))
        .route("/language", post(preferences::save_language))
        .route("/levels", get(levels::show))
        .route("/api", get(api_docs))
        .route("/openapi.json", allow_any_origin(get(api::openapi)))
        .route("/join/{token}", get(seats::invitation))
        .route("/program/{id}", get(programs::show))
        .route("/g/{id}", get(game_page::show))
        .route("/g/{id}/{ply}", get(replay::replay))
        .route("/g/{id}/log", get(game_page::log))
        .route("/g/{id}/review", get(review::show))
        .route("/g/{id}/dice", get(dice_page::show))
        .route("/dice", get(dice_page::all))
        // Pages link to this: under the base path /dice a request for /dice means the start page.
        .route("/fair-dice", get(dice_page::all))
        .route("/verify.py", get(dice_page::script))
        .route("/g/{id}/board.svg", get(images::svg))
        .route("/g/{id}/board.png", get(images::png))
        .route("/g/{id}/embed", get(embed::show))
        .route("/g/{id}/record.json", get(game_page::record))
        .route("/g/{id}/record.txt", get(game_page::notation))
        .route("/api/v1/games/{id}", allow_any_origin(get(api::get_game)))
        .route(
            "/api/v1/games/{id}/record",
            allow_any_origin(get(api::record)),
        )
        .route("/api/v1/levels", allow_any_origin(get(api::levels::levels)))
        .route("/api/v1/games", get(api::games::show))
        .route("/api/v1/games/{id}/review", get(review::get_review))
        .route_layer(reads.clone());
    let probing = Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready));
    let following = Router::new()
        .route("/g/{id}/events", get(events::pages))
        .route("/events", get(events::shared))
        .route(
            "/api/v1/games/{id}/events",
            allow_any_origin(get(events::programs)),
        )
        .route("/api/v1/events", get(programs::follow))
        .route_layer(reads);
    let base_path = guard.base_path.clone();
    let app = App(Arc::new(AppState {
        new_games: Arc::clone(&throttles.games),
        stored_bytes: Arc::clone(&throttles.stored_bytes),
        wrong_codes: Arc::clone(&throttles.wrong_codes),
        openapi: api::openapi_document(&base_path),
        engine: Arc::new(api::position_queries::engine(service.games())),
        png_renderer: PngRenderer::new(&service),
        service,
        subscribers: Arc::clone(&throttles.subscribers),
        page_cache: PageCache::new(),
        first_games: FirstGameCache::new(),
        lesson_cards: LessonCardCache::new(),
        base_path: base_path.clone(),
    }));
    let games = app.service.games().clone();
    let pages = creating
        .merge(moving)
        .merge(looking)
        .route_layer(from_fn(run_to_end::run_to_end))
        // These end when the client disconnects.
        .merge(computing)
        .with_state(app.clone())
        .merge(assets::router());
    // Uploaded records are larger than any form or move.
    let upload_guard = Arc::new(upload::guard(&guard));
    let uploads = with_layers(uploading.with_state(app.clone()), &upload_guard, &games);
    let uploads = uploads.layer(CompressionLayer::new());
    let guard = Arc::new(guard);
    let pages = with_layers(pages, &guard, &games).layer(CompressionLayer::new());
    // Streams are not compressed: even an idle encoder uses 6 kB as long as the stream is open.
    let streams = with_layers(following.with_state(app.clone()), &guard, &games);
    let probes =
        guard::with_probe_guard(metrics::layer(probing.with_state(app)), Arc::clone(&guard));
    let probes = with_outer_layers(probes, &guard, &games);
    base_path.mount(headers::layer(
        probes.merge(streams).merge(pages).merge(uploads),
    ))
}

/// The layers of all routes except probes, without compression and headers.
fn with_layers(router: Router, guard: &Arc<RequestGuard>, games: &Registry) -> Router {
    let router = guard::with_guard(metrics::layer(router), Arc::clone(guard));
    with_outer_layers(router, guard, games)
}

/// The layers around the guard, without compression and headers.
fn with_outer_layers(router: Router, guard: &RequestGuard, games: &Registry) -> Router {
    let router = router
        .layer(CatchPanicLayer::custom(panic_response))
        .layer(from_fn_with_state(games.clone(), error::render_error));
    guard.base_path.layer(router)
}

/// Responds with 500 when a handler panicked.
fn panic_response(cause: Box<dyn std::any::Any + Send>) -> Response {
    let panic_message = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(panic_message, "a handler panicked");
    HttpError::new(ProblemKind::Internal, "something went wrong here").into_response()
}

async fn rules(
    State(app): State<App>,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> impl IntoResponse {
    let kinds = app.service.games().game_types();
    let games: Vec<_> = kinds
        .map(|kind| kind.rules_page_section(app.text(&display)))
        .collect();
    rules_page(
        &page_context::site(NavSection::Rules, display),
        app.text(&display),
        &games,
    )
}

async fn api_docs(
    State(app): State<App>,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> impl IntoResponse {
    let kinds = app.service.games().game_types();
    let positions: Vec<_> = kinds.map(|kind| kind.position_fields_view()).collect();
    let site = page_context::site(NavSection::Api, display);
    api_page(&site, app.text(&display), &browser.origin, &positions)
}

/// Whether the store can be read and written, and the server is not shutting down.
async fn ready(State(app): State<App>, leaving: Option<Extension<DrainState>>) -> Response {
    if leaving.is_some_and(|leaving| leaving.is_draining()) {
        return HttpError::new(ProblemKind::Unavailable, "the server is about to end")
            .into_response();
    }
    match app.service.check().await {
        Ok(()) => "ready".into_response(),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            HttpError::new(ProblemKind::Unavailable, "the database is not ready").into_response()
        }
    }
}
