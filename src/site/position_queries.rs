//! Stateless queries about positions: the engine's ops `rate`, `choose` and `solve`, with the fields and responses of the
//! engine's protocol.

use axum::Router;
use axum::routing::post;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde_json::value::{RawValue, to_value};

use crate::engine::{Engine, EngineError, EngineErrorCode, EngineQuery, QueryCost, RequestLimits};
use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::site::api::extract::JsonBody;
use crate::site::shared::app::{App, FeatureState};
use crate::site::shared::limits::RouteLimits;
use crate::tables::{ComputeDemand, JobKind};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/api/v1/rate", limits.computing(post(rate)))
        .route("/api/v1/choose", limits.computing(post(choose)))
        .route("/api/v1/solve", limits.computing(post(solve)))
}

/// The limits of a query: some seconds of computation.
pub(super) const LIMITS: RequestLimits = RequestLimits {
    nodes: 10_000_000,
    simulations: 100_000,
    budget_ms: 5_000,
    table_bytes: 32 << 20,
};

/// What replaying the history of a query needs.
const PARSING: ComputeDemand = ComputeDemand {
    threads: 1,
    bytes: 0,
    expected: Duration::from_millis(20),
};

struct PositionEngine(Arc<Engine>);

impl FeatureState for PositionEngine {
    fn new(app: &App) -> Self {
        PositionEngine(Arc::new(Engine::new(app.service.games().clone(), LIMITS)))
    }
}

/// Rates the legal actions at a position.
///
/// Runs one of the searches of Land of Lisp. Request and answer have the fields of the op `rate` of `dice-of-doom
/// engine`. Closing the connection ends the search.
async fn rate(
    State(app): State<App>,
    client: Client,
    JsonBody(fields): JsonBody,
) -> Result<Json<Box<RawValue>>, HttpError> {
    run_query(&app, &client, app.state::<PositionEngine>().0.rate(fields)?).await
}

/// Returns the action that a level chooses at a position.
///
/// Request and answer have the fields of the op `choose` of `dice-of-doom engine`, except `info` and `clock`. Closing
/// the connection ends the search.
async fn choose(
    State(app): State<App>,
    client: Client,
    JsonBody(fields): JsonBody,
) -> Result<Json<Box<RawValue>>, HttpError> {
    let query = if fields.first("history").is_some() {
        let (kind, network) = (JobKind::PositionQuery, client.client_network());
        let engine = Arc::clone(&app.state::<PositionEngine>().0);
        let parse = move |_: &_| engine.choose(fields);
        app.service.run_job(kind, network, PARSING, parse).await??
    } else {
        app.state::<PositionEngine>().0.choose(fields)?
    };
    run_query(&app, &client, query).await
}

/// Solves a position.
///
/// Returns the score of a position under perfect play and, if requested, after each move. Request and answer have the
/// fields of the op `solve` of `dice-of-doom engine`, except `fresh`. Closing the connection ends the search.
async fn solve(
    State(app): State<App>,
    client: Client,
    JsonBody(fields): JsonBody,
) -> Result<Json<Box<RawValue>>, HttpError> {
    run_query(
        &app,
        &client,
        app.state::<PositionEngine>().0.solve(fields)?,
    )
    .await
}

async fn run_query(
    app: &App,
    client: &Client,
    query: EngineQuery,
) -> Result<Json<Box<RawValue>>, HttpError> {
    let QueryCost {
        threads,
        bytes,
        expected,
    } = query.cost();
    let demand = ComputeDemand {
        threads,
        bytes,
        expected,
    };
    let (kind, network) = (JobKind::PositionQuery, client.client_network());
    let work = move |stop: &_| query.answer(stop);
    match app.service.run_job(kind, network, demand, work).await? {
        // The client is still waiting, so it did not cancel the query: the time limit was exceeded.
        Err(error) if error.code == EngineErrorCode::Stopped => Err(HttpError::from(EngineError {
            code: EngineErrorCode::TooLarge,
            message: "that takes too long; ask for less".to_owned(),
        })),
        result => Ok(Json(result?)),
    }
}

impl From<EngineError> for HttpError {
    fn from(error: EngineError) -> Self {
        let reason = to_value(error.code).unwrap_or_default();
        HttpError::unprocessable(error.message).with("reason", reason)
    }
}
