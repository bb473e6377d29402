//! Requests of pages and files of a game that the client may view.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::http::error::HttpError;
use crate::site::game::context::PageContext;
use crate::site::shared::app::App;
use crate::site::shared::form::Query;
use crate::tables::Snapshot;

/// A request of `/g/{id}…` by a client that may view the game: the client, the game, and the parameters of the query.
pub(in crate::site) struct GameRequest<Q = NoParameters>(
    pub(in crate::site) PageContext,
    pub(in crate::site) Arc<Snapshot>,
    pub(in crate::site) Q,
);

/// A query whose parameters are ignored.
#[derive(Deserialize)]
pub(in crate::site) struct NoParameters {}

impl<Q: DeserializeOwned + Send> FromRequestParts<App> for GameRequest<Q> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let id = Path::<String>::from_request_parts(parts, app).await;
        let Path(id) = id.map_err(IntoResponse::into_response)?;
        let Ok(visitor) = PageContext::from_request_parts(parts, app).await;
        let query = Query::<Q>::from_request_parts(parts, app).await;
        let request = Self::new(&id, visitor, query).await;
        request.map_err(IntoResponse::into_response)
    }
}

impl<Q> GameRequest<Q> {
    async fn new(
        id: &str,
        visitor: PageContext,
        query: Result<Query<Q>, HttpError>,
    ) -> Result<Self, HttpError> {
        let Query(query) = query?;
        let credentials = visitor.browser.read_credentials();
        let snapshot = visitor.app.viewable_game(id, &credentials).await?;
        Ok(GameRequest(visitor, snapshot, query))
    }
}

#[derive(Deserialize)]
pub(in crate::site) struct PlyQuery {
    ply: Option<String>,
}

impl PlyQuery {
    /// The requested ply, if any.
    pub(in crate::site) fn resolve(&self, snapshot: &Snapshot) -> Result<Option<u32>, HttpError> {
        let ply = self.ply.as_deref();
        ply.map(|ply| ply_of(ply, snapshot)).transpose()
    }
}

/// Parses a ply that the game has.
pub(in crate::site) fn ply_of(text: &str, snapshot: &Snapshot) -> Result<u32, HttpError> {
    let ply: u32 = text.parse().map_err(|_| HttpError::no_ply())?;
    if ply > snapshot.live.entry_count() {
        return Err(HttpError::no_ply());
    }
    Ok(ply)
}
