//! The web server: which handler answers which address, and which layers a request passes.
//!
//! The layers from the outside in: headers on every answer; compression; errors become pages or problem
//! documents; a panic becomes a 500; the guard (host, site, body); metrics; the handler. A base path is taken
//! off before all of them, and put into answers before these are compressed.

mod accept_language;
mod analysis;
pub mod api;
pub mod assets;
pub mod base_path;
mod book_page;
mod carry_over;
pub mod client;
mod config;
pub mod connections;
mod cors;
mod dice_page;
mod drain;
mod embed;
mod encoding;
pub mod error;
pub mod events;
mod featured_game;
mod first_game;
mod game_page;
pub mod guard;
pub mod headers;
mod hint;
pub mod hosts;
mod identity;
mod images;
mod levels;
pub mod link_origin;
pub mod metrics;
mod multipart;
mod page_cache;
mod page_context;
mod png_renderer;
mod preferences;
pub mod problem;
mod programs;
pub mod rate_limit;
mod replay;
mod review;
mod seats;
pub mod site_url;
mod social_card;
mod start;
mod upload;
mod view_models;

use std::error::Error;
use std::io::Write;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use futures_util::future::LocalBoxFuture;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use utoipa::openapi::{OpenApi, Server};

use crate::clock::now_ms;
use crate::engine::Engine;
use crate::game_adapters::Registry;
use crate::secret::SecretHash;
use crate::service::{
    Credentials, RetentionClock, RetentionPolicy, Service, ServiceError, Snapshot, TableRef,
};
use crate::store::{self, GameId};
use crate::templates::view::{DisplayOptions, NavSection};
use crate::templates::{Translations, api_page, rules_page};

pub use config::Config;

use base_path::BasePath;
use connections::{Listener, Passed};
use cors::open;
use drain::DrainState;
use error::HttpError;
use events::SubscriberRegistry;
use featured_game::FeaturedGame;
use first_game::FirstGameCache;
use guard::RequestGuard;
use identity::BrowserSession;
use link_origin::ListenAddress;
use page_cache::PageCache;
use png_renderer::PngRenderer;
use preferences::RequestLook;
use problem::ProblemKind;
use rate_limit::{Keeping, RateLimiter};

/// How often games whose time has come are forgotten.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// How long requests that wait for a computer have after the server began to stop: less than until it closes their
/// connections ([`connections::ConnectionLimits::stop_timeout`]).
const LAST_WAIT: Duration = Duration::from_secs(1);

/// What handlers share. A request clones it several times, so there is one count for all of it.
#[derive(Clone)]
pub struct App(Arc<AppState>);

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

/// Everything behind an [`App`].
pub struct AppState {
    service: Service,
    /// How many new games may be created: the book's page asks when a game is kept.
    games: Arc<RateLimiter>,
    /// How many bytes may be kept.
    kept: Arc<RateLimiter>,
    gallery: Arc<SubscriberRegistry>,
    /// The pages of games that were drawn last.
    drawn: PageCache,
    /// Who plays a first game.
    newcomers: FirstGameCache,
    /// Draws the pictures of games.
    easel: PngRenderer,
    /// Answers questions about positions.
    engine: Engine,
    /// What `/openapi.json` answers.
    document: Arc<OpenApi>,
    /// The path under which browsers find this server.
    base_path: BasePath,
}

impl App {
    /// The sentences of the pages, in the reader's language.
    fn text(&self, look: &DisplayOptions) -> &Translations {
        self.service.games().translations(look.language)
    }

    /// The first snapshot that fits, or the newest after `patience` or as soon as the server stops.
    async fn wait(
        &self,
        id: &GameId,
        patience: Duration,
        fits: impl Fn(&Snapshot) -> bool,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let waited = self.service.wait_for(id, patience, fits);
        match self.gallery.stop.run_until_cancelled(waited).await {
            Some(waited) => waited,
            None => self.service.snapshot(id).await,
        }
    }

    /// What `work` comes to within this time; `None` where it takes longer, or the server stops before.
    async fn within<T>(&self, patience: Duration, work: impl Future<Output = T>) -> Option<T> {
        let stopped = async {
            self.gallery.stop.cancelled().await;
            tokio::time::sleep(LAST_WAIT).await;
        };
        tokio::select! {
            biased;
            done = work => Some(done),
            () = tokio::time::sleep(patience) => None,
            () = stopped => None,
        }
    }

    /// How many turns of other games come before this game's computer.
    fn turns_ahead(&self, snapshot: &Snapshot) -> u32 {
        let ahead = match snapshot.computer_to_move() {
            Some(_) => self.service.turns_ahead(&snapshot.id),
            None => None,
        };
        ahead.map_or(0, |ahead| u32::try_from(ahead).unwrap_or(u32::MAX))
    }

    /// The game in a path, for somebody who may see it. Every handler of a game passes here, and a
    /// game that is not to be seen gets the same answer as one that is not there.
    async fn seen(&self, id: &str, claim: &Credentials) -> Result<Arc<Snapshot>, HttpError> {
        self.invited(id, claim, None).await
    }

    /// As [`App::seen`], for somebody who plays next.
    async fn found(&self, id: &str, claim: &Credentials) -> Result<TableRef, HttpError> {
        self.admitted(id, claim, None).await
    }

    /// As [`App::seen`], also for somebody who has the link to a seat.
    async fn invited(
        &self,
        id: &str,
        claim: &Credentials,
        link: Option<&SecretHash>,
    ) -> Result<Arc<Snapshot>, HttpError> {
        Ok(self.admitted(id, claim, link).await?.snapshot)
    }

    async fn admitted(
        &self,
        id: &str,
        claim: &Credentials,
        link: Option<&SecretHash>,
    ) -> Result<TableRef, HttpError> {
        // What cannot be an id is an unknown game.
        let id = id.parse().map_err(|_| HttpError::not_found())?;
        let table = self.service.snapshot_for_player(&id).await?;
        let snapshot = &table.snapshot;
        let invited = link.is_some_and(|link| snapshot.seat_of_link(link).is_some());
        if invited || snapshot.may_watch(claim) {
            table.mark_viewed(claim);
            Ok(table)
        } else {
            Err(HttpError::not_found())
        }
    }
}

/// About what a new game leaves in the archive.
const GAME_BYTES: u32 = 4_096;

/// About what a ply leaves in the archive.
const PLY_BYTES: u32 = 256;

/// The limits on requests that cost much.
#[derive(Debug)]
pub struct RateLimits {
    /// How many bytes may be kept.
    pub kept: Arc<RateLimiter>,
    /// How many new games may be created.
    pub games: Arc<RateLimiter>,
    /// How many moves may be made.
    pub moves: Arc<RateLimiter>,
    /// How many pages may be read and questions asked.
    pub reads: Arc<RateLimiter>,
    /// How many streams of events may be open.
    pub gallery: Arc<SubscriberRegistry>,
}

/// Everything that this server answers, with all layers.
///
/// # Panics
/// When the schemas of the games do not fit into one OpenAPI document.
pub fn router(service: Service, guard: RequestGuard, throttles: &RateLimits) -> Router {
    let games = from_fn_with_state(Arc::clone(&throttles.games), rate_limit::throttle);
    let keeping = |bytes| {
        let throttle = Arc::clone(&throttles.kept);
        from_fn_with_state(Keeping { throttle, bytes }, rate_limit::keep)
    };
    let uploading = Router::new()
        .route("/upload", post(upload::bring))
        .route("/api/v1/records", post(upload::keep))
        .route_layer(games.clone());
    let moves = from_fn_with_state(Arc::clone(&throttles.moves), rate_limit::throttle);
    let reads = from_fn_with_state(Arc::clone(&throttles.reads), rate_limit::throttle);
    let creating = Router::new()
        .route("/games", post(start::create))
        .route("/g/{id}/rematch", post(game_page::rematch))
        .route("/g/{id}/review", post(review::ask))
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
        .route("/join/{token}", post(seats::join))
        .route("/carry-over", post(carry_over::carry_over))
        .route("/game.html", get(book_page::page))
        .route(
            "/api/v1/games/{id}/moves",
            post(api::play).merge(open(get(api::moves))),
        )
        .route("/analysis", get(analysis::show))
        .route("/api/v1/games/{id}/undo", post(api::undo))
        .route("/api/v1/games/{id}/step", post(api::table_actions::step))
        .route("/api/v1/games/{id}/entropy", post(api::entropy))
        .route("/g/{id}/hint", get(hint::show))
        .route("/g/{id}/film", get(images::film_of))
        .route("/g/{id}/game.gif", get(images::gif))
        .route("/api/v1/games/{id}/hint", get(hint::api))
        .route("/api/v1/games/{id}/resign", post(api::resign))
        .route("/api/v1/games/{id}/join", post(api::join))
        .route("/api/v1/games/{id}/decline", post(programs::decline))
        .route_layer(keeping(PLY_BYTES))
        .route("/api/v1/rate", post(api::position_queries::rate))
        .route("/api/v1/choose", post(api::position_queries::choose))
        .route_layer(moves);
    let looking = Router::new()
        .route("/", get(start::start))
        .route("/board.png", get(social_card::start))
        .route("/onair", get(start::onair))
        .route("/games", get(start::games))
        .route("/upload", get(upload::show))
        .route("/rules", get(rules))
        .route("/settings", get(preferences::show).post(preferences::save))
        .route("/language", post(preferences::speak))
        .route("/levels", get(levels::show))
        .route("/api", get(api_docs))
        .route("/openapi.json", open(get(api::openapi)))
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
        .route("/api/v1/games/{id}", open(get(api::look)))
        .route("/api/v1/games/{id}/record", open(get(api::record)))
        .route("/api/v1/levels", open(get(api::levels::levels)))
        .route("/api/v1/games", get(api::games::show))
        .route("/api/v1/games/{id}/review", get(review::look))
        .route_layer(reads.clone());
    let probing = Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready));
    let following = Router::new()
        .route("/g/{id}/events", get(events::pages))
        .route("/events", get(events::shared))
        .route("/api/v1/games/{id}/events", open(get(events::programs)))
        .route("/api/v1/events", get(programs::follow))
        .route_layer(reads);
    let base_path = guard.base_path.clone();
    // Made once, and now: games that do not fit into one document are told at the start.
    let mut document = api::openapi::of(service.games());
    if !base_path.is_root() {
        document.servers = Some(vec![Server::new(base_path.as_str())]);
    }
    let app = App(Arc::new(AppState {
        games: Arc::clone(&throttles.games),
        kept: Arc::clone(&throttles.kept),
        document: Arc::new(document),
        engine: api::position_queries::engine(service.games()),
        easel: PngRenderer::new(&service),
        service,
        gallery: Arc::clone(&throttles.gallery),
        drawn: PageCache::new(),
        newcomers: FirstGameCache::new(),
        base_path: base_path.clone(),
    }));
    let games = app.service.games().clone();
    let pages = creating
        .merge(moving)
        .merge(looking)
        .with_state(app.clone())
        .merge(assets::router());
    // Records are larger than any form or move.
    let patient = Arc::new(upload::guard(&guard));
    let uploads = dressed(uploading.with_state(app.clone()), &patient, &games);
    let uploads = uploads.layer(CompressionLayer::new());
    let guard = Arc::new(guard);
    let pages = dressed(pages, &guard, &games).layer(CompressionLayer::new());
    // Streams are not compressed: even an idle encoder takes six kilobytes as long as the stream is open.
    let streams = dressed(following.with_state(app.clone()), &guard, &games);
    let probes = guard::protect_probes(metrics::layer(probing.with_state(app)), Arc::clone(&guard));
    let probes = finished(probes, &guard, &games);
    base_path.mount(headers::layer(
        probes.merge(streams).merge(pages).merge(uploads),
    ))
}

/// The layers of all routes but probes, except compression and headers.
fn dressed(router: Router, guard: &Arc<RequestGuard>, games: &Registry) -> Router {
    let router = guard::protect(metrics::layer(router), Arc::clone(guard));
    finished(router, guard, games)
}

/// The layers around the guard, except compression and headers.
fn finished(router: Router, guard: &RequestGuard, games: &Registry) -> Router {
    let router = router
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(games.clone(), error::dress));
    guard.base_path.layer(router)
}

/// Answers a request whose handler panicked with a 500; all others go on.
fn panicked(cause: Box<dyn std::any::Any + Send>) -> Response {
    let words = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("no words");
    tracing::error!(words, "a handler panicked");
    HttpError::new(ProblemKind::Internal, "something went wrong here").into_response()
}

async fn rules(State(app): State<App>, RequestLook(look): RequestLook) -> impl IntoResponse {
    let kinds = app.service.games().game_types();
    let games: Vec<_> = kinds.map(|kind| kind.rules(app.text(&look))).collect();
    rules_page(
        &page_context::site(NavSection::Rules, look),
        app.text(&look),
        &games,
    )
}

async fn api_docs(
    State(app): State<App>,
    browser: BrowserSession,
    RequestLook(look): RequestLook,
) -> impl IntoResponse {
    let kinds = app.service.games().game_types();
    let positions: Vec<_> = kinds.map(|kind| kind.positions()).collect();
    let site = page_context::site(NavSection::Api, look);
    api_page(&site, app.text(&look), &browser.origin, &positions)
}

/// Whether the archive can be read and written now, and the server goes on.
async fn ready(State(app): State<App>, leaving: Option<Extension<DrainState>>) -> Response {
    if leaving.is_some_and(|leaving| leaving.is_so()) {
        return HttpError::new(ProblemKind::Unavailable, "the server is about to end")
            .into_response();
    }
    match app.service.check().await {
        Ok(()) => "ready".into_response(),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            HttpError::new(ProblemKind::Unavailable, "the archive is not ready").into_response()
        }
    }
}

/// Serves these games until `stop`, and prints the addresses to open once it listens: at `sockets` that are open already,
/// if there are any, or else where the settings say.
///
/// The future is boxed, so that the server is compiled once, with this library, and not again with each program.
///
/// # Errors
/// One clear sentence about what kept the server from starting or made it end.
pub fn run(
    games: Registry,
    config: Config,
    sockets: Vec<Passed>,
    stop: CancellationToken,
) -> LocalBoxFuture<'static, Result<(), Box<dyn Error + Send + Sync>>> {
    Box::pin(run_server(games, config, sockets, stop))
}

async fn run_server(
    games: Registry,
    config: Config,
    sockets: Vec<Passed>,
    stop: CancellationToken,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (leaving, stop) = DrainState::after(stop, config.drain);
    let archive = if config.accept_data_loss {
        store::open_accepting_loss(&config.database).await?
    } else {
        store::open(&config.database).await?
    };
    let listeners = open_listeners(&config, sockets).await?;
    if let Some(metrics) = config.metrics {
        let listener = connections::bind(metrics).await?;
        metrics::install();
        tokio::spawn(metrics::serve(listener, stop.clone()));
    }
    let places: Vec<String> = listeners.iter().map(Listener::shown).collect();
    archive.served_at(places.first().map_or("", String::as_str));
    let broken = archive.broken();
    let service = Service::new(games, archive, config.service);
    // Before anybody plays: what time it is for games to go does not follow the clock alone.
    let reckoning = service.reckoning(now_ms()).await?;
    service.look_for_room().await;
    let throttles = config.throttles(stop.clone());
    let onair = FeaturedGame::new(service.clone(), Arc::clone(&throttles.gallery));
    let app = router(service.clone(), config.guard, &throttles)
        .layer(Extension(onair))
        .layer(Extension(leaving.clone()))
        .layer(from_fn_with_state(leaving, drain::close_connections));
    let app = match listening(&listeners) {
        Some(listening) => app.layer(Extension(listening)),
        None => app,
    };

    let waking = service.clone();
    tokio::spawn(async move {
        waking.wake().await;
        waking.wake_reviews().await;
    });
    let keeping = service.clone();
    tokio::spawn(async move { keeping.keep_up().await });
    let roomy = service.clone();
    tokio::spawn(async move { roomy.watch_room().await });
    let (gallery, sharing) = (Arc::clone(&throttles.gallery), service.clone());
    tokio::spawn(async move { gallery.share(sharing.archive().as_ref()).await });
    let counting = service.clone();
    tokio::spawn(async move { counting.keep_tally().await });
    tokio::spawn(sweep(
        service.clone(),
        config.service.keep,
        reckoning,
        stop.clone(),
    ));
    let halt = stop.clone();
    let watch = broken.clone();
    tokio::spawn(async move {
        watch.cancelled().await;
        halt.cancel();
    });

    for place in &places {
        tracing::info!(address = place, version = env!("DOD_VERSION"), "serving");
    }
    announce(&places);
    connections::serve_all(listeners, app, config.connections, stop).await?;
    service.close().await;
    if broken.is_cancelled() {
        let why = service.archive().why_broken();
        return Err(why
            .unwrap_or_else(|| "the archive is broken".to_owned())
            .into());
    }
    Ok(())
}

/// Forgets games whose time has come, at the start and every hour.
async fn sweep(
    service: Service,
    keep: RetentionPolicy,
    reckoning: RetentionClock,
    stop: CancellationToken,
) {
    let begun = Instant::now();
    let mut hours = tokio::time::interval(SWEEP);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = hours.tick() => {}
        }
        let now_ms = reckoning.now_ms(now_ms(), begun.elapsed());
        if let Err(error) = service.forget_programs(now_ms).await {
            tracing::warn!(%error, "old programs could not be forgotten");
        }
        match service.forget(keep.cutoffs(now_ms)).await {
            Ok(0) => {}
            Ok(games) => tracing::info!(games, "games that nobody plays on with were forgotten"),
            Err(error) => tracing::warn!(%error, "old games could not be forgotten"),
        }
    }
}

/// The sockets that a service manager passed, or else those that are asked for.
async fn open_listeners(config: &Config, sockets: Vec<Passed>) -> Result<Vec<Listener>, String> {
    let mut listeners = Vec::new();
    if sockets.is_empty() {
        for address in &config.listen {
            listeners.push(Listener::open(address, config.socket_access).await?);
        }
    }
    for socket in sockets {
        let listener = socket.listener();
        listeners
            .push(listener.map_err(|error| format!("a socket that was passed fails: {error}"))?);
    }
    Ok(listeners)
}

/// The address that others in the network reach, where there is one among several.
fn listening(listeners: &[Listener]) -> Option<ListenAddress> {
    let addresses = listeners.iter().filter_map(Listener::address);
    addresses
        .min_by_key(|address| address.ip().to_canonical().is_loopback())
        .map(ListenAddress)
}

/// Prints the addresses on stdout, each on a line; a closed pipe is no reason to end.
fn announce(places: &[String]) {
    let mut out = std::io::stdout().lock();
    for place in places {
        let _ = writeln!(out, "Dice of Doom is open at {place}");
    }
    let _ = out.flush();
}
