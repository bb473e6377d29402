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
mod limits;
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
mod rules;
mod seats;
mod server;
mod service_pages;
mod social_card;
mod start;
mod tables;
mod upload;
mod view_models;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::engine::Engine;
use crate::game_adapters::Registry;
use crate::http::{assets, guard, headers, run_to_end};
use crate::secret::SecretHash;
use crate::service::{Credentials, Service, ServiceError, Snapshot, TableRef};
use crate::store::GameId;
use crate::templates::Translations;
use crate::templates::view::DisplayOptions;

pub use config::Config;
pub use limits::RateLimits;
pub use server::run;
pub use service_pages::OPENAPI;

use crate::http::base_path::BasePath;
use crate::http::error::HttpError;
use crate::http::guard::RequestGuard;
use crate::http::problem::ProblemKind;
use crate::http::rate_limit::RateLimiter;
use events::SubscriberRegistry;
use first_game::FirstGameCache;
use limits::RouteLimits;
use next_steps::LessonCardCache;
use page_cache::PageCache;
use png_renderer::PngRenderer;
use puzzles::answers::PuzzleCounts;

/// How long requests that wait for a computer player may take after shutdown began: less than the time until their
/// connections are closed ([`stop_timeout`](crate::http::connections::ConnectionLimits::stop_timeout)).
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
    puzzle_counts: PuzzleCounts,
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

/// The routes with all layers.
pub fn router(service: Service, guard: RequestGuard, throttles: &RateLimits) -> Router {
    let base_path = guard.base_path.clone();
    let app = App(Arc::new(AppState {
        new_games: Arc::clone(&throttles.games),
        stored_bytes: Arc::clone(&throttles.stored_bytes),
        wrong_codes: Arc::clone(&throttles.wrong_codes),
        openapi: service_pages::openapi_document(&base_path),
        engine: Arc::new(api::position_queries::engine(service.games())),
        png_renderer: PngRenderer::new(&service),
        service,
        subscribers: Arc::clone(&throttles.subscribers),
        page_cache: PageCache::new(),
        first_games: FirstGameCache::new(),
        lesson_cards: LessonCardCache::new(),
        puzzle_counts: PuzzleCounts::default(),
        base_path: base_path.clone(),
    }));
    let games = app.service.games().clone();
    let limits = RouteLimits(throttles);
    let pages = Router::new()
        .merge(analysis::routes(&limits))
        .merge(api::routes(&limits))
        .merge(book_page::routes(&limits))
        .merge(daily::routes(&limits))
        .merge(device::routes(&limits))
        .merge(dice_page::routes(&limits))
        .merge(embed::routes(&limits))
        .merge(feed::routes(&limits))
        .merge(game_page::routes(&limits))
        .merge(hint::routes(&limits))
        .merge(images::routes(&limits))
        .merge(learn::routes(&limits))
        .merge(levels::routes(&limits))
        .merge(manifest::routes(&limits))
        .merge(my_record::routes(&limits))
        .merge(preferences::routes(&limits))
        .merge(programs::routes(&limits))
        .merge(puzzles::routes(&limits))
        .merge(replay::routes(&limits))
        .merge(review::routes(&limits))
        .merge(rules::routes(&limits))
        .merge(seats::routes(&limits))
        .merge(service_pages::routes(&limits))
        .merge(social_card::routes(&limits))
        .merge(start::routes(&limits))
        .merge(tables::routes(&limits))
        .merge(upload::routes(&limits))
        .route_layer(from_fn(run_to_end::run_to_end))
        // These end when the client disconnects.
        .merge(api::position_queries::routes(&limits))
        .with_state(app.clone())
        .merge(assets::router());
    let uploads = upload::upload_routes(&limits).route_layer(from_fn(run_to_end::run_to_end));
    let streams = events::routes(&limits).merge(programs::stream_routes(&limits));
    // Uploaded records are larger than any form or move.
    let upload_guard = Arc::new(upload::guard(&guard));
    let uploads = with_layers(uploads.with_state(app.clone()), &upload_guard, &games);
    let uploads = uploads.layer(CompressionLayer::new());
    let guard = Arc::new(guard);
    let pages = with_layers(pages, &guard, &games).layer(CompressionLayer::new());
    // Streams are not compressed: even an idle encoder uses 6 kB as long as the stream is open.
    let streams = with_layers(streams.with_state(app.clone()), &guard, &games);
    let probes = guard::with_probe_guard(
        metrics::layer(service_pages::probe_routes().with_state(app)),
        Arc::clone(&guard),
    );
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
