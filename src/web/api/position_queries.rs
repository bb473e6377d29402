//! Questions about positions that belong to no table: the engine's ops `rate` and `choose`, with a line's own
//! fields and its own answer.

use axum::Json;
use axum::extract::State;
use serde_json::value::{RawValue, to_value};

use super::extract::Body;
use crate::engine::{Code, Cost, Engine, Question, RequestLimits, Trouble};
use crate::game_adapters::Registry;
use crate::service::{Claim, Demand};
use crate::web::App;
use crate::web::client::Client;
use crate::web::error::Failure;

/// How much one question may compute: some seconds.
pub(in crate::web::api) const LIMITS: RequestLimits = RequestLimits {
    nodes: 10_000_000,
    simulations: 100_000,
    budget_ms: 5_000,
};

/// What answers the questions.
pub(in crate::web) fn engine(games: &Registry) -> Engine {
    Engine::new(games.clone(), LIMITS)
}

/// What a search of the book finds at a position: a rating for every legal action. It is the engine's op
/// `rate`, with the fields and the answer of a line. Who hangs up gives up.
#[utoipa::path(
    post, path = "/api/v1/rate", operation_id = "rate",
    request_body(content = ref("#/components/schemas/Rate")),
    responses(
        (status = 200, body = ref("#/components/schemas/Ratings"), description = "The ratings"), (status = 422)
    )
)]
pub(in crate::web) async fn rate(
    State(app): State<App>,
    client: Client,
    body: Result<Body, Failure>,
) -> Result<Json<Box<RawValue>>, Failure> {
    let Body(fields) = body?;
    answer(&app, &client, app.engine.rate(fields)?).await
}

/// What a level chooses at a position. It is the engine's op `choose`, with the fields and the answer of a
/// line, but without `info`. Who hangs up gives up.
#[utoipa::path(
    post, path = "/api/v1/choose", operation_id = "choose",
    request_body(content = ref("#/components/schemas/Choose")),
    responses(
        (status = 200, body = ref("#/components/schemas/Chosen"), description = "The choice"), (status = 422)
    )
)]
pub(in crate::web) async fn choose(
    State(app): State<App>,
    client: Client,
    body: Result<Body, Failure>,
) -> Result<Json<Box<RawValue>>, Failure> {
    let Body(fields) = body?;
    answer(&app, &client, app.engine.choose(fields)?).await
}

async fn answer(
    app: &App,
    client: &Client,
    question: Question,
) -> Result<Json<Box<RawValue>>, Failure> {
    let Cost {
        threads,
        bytes,
        expected,
    } = question.cost();
    let takes = Demand {
        threads,
        bytes,
        expected,
    };
    let claim = Claim {
        household: Some(client.household()),
        ..Claim::default()
    };
    let work = move |stop: &_| question.answer(stop);
    match app.service.think(&claim, takes, work).await? {
        // Whoever still waits has not stopped it: it was not done in the time that there is.
        Err(trouble) if trouble.code == Code::Stopped => Err(Failure::from(Trouble {
            code: Code::TooLarge,
            message: "that takes too long; ask for less".to_owned(),
        })),
        answer => Ok(Json(answer?)),
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        let reason = to_value(trouble.code).unwrap_or_default();
        Failure::unprocessable(trouble.message).with("reason", reason)
    }
}
