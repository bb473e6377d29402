//! Lists of games, in pages, and their records as one stream.

use axum::Router;
use axum::routing::get;
use std::collections::VecDeque;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use crate::formats::fields::digits;
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;
use crate::seats::Credentials;
use crate::secret::SecretHash;
use crate::site::api::dto::GameJson;
use crate::site::api::newest;
use crate::site::shared::app::App;
use crate::site::shared::form::Query;
use crate::site::shared::identity::BrowserSession;
use crate::site::shared::limits::RouteLimits;
use crate::store::{CursorParseError, GameId, GameList, PageCursor};
use crate::tables::{ClientNetwork, ComputeDemand, JobKind, Service, ServiceError, Snapshot};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/api/v1/games.ndjson", limits.creating(get(records)))
        .route("/api/v1/games", limits.reading(get(show)))
}

/// The default page size.
const DEFAULT_LIMIT: u32 = 20;

/// The maximum page size.
const MAX_LIMIT: u32 = 100;

/// The number of games that are listed at a time while records are streamed.
const RECORD_BATCH: u32 = 50;

/// The expected time to read a record.
const EXPECTED_READ_TIME: Duration = Duration::from_millis(20);

/// The maximum number of records in one response.
const MAX_RECORDS: usize = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::site) struct ListQuery {
    of: Option<String>,
    after: Option<String>,
    #[serde(default, deserialize_with = "digits::<_, 1, 100>")]
    limit: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::site) struct RecordsQuery {
    of: Option<String>,
    over: Option<bool>,
}

/// A page of a list of games.
#[derive(Serialize)]
pub(in crate::site) struct GamesJson {
    /// The games, newest activity first. A page has fewer than `limit` games if some of them may no longer be watched.
    pub(super) games: Vec<GameJson>,
    /// The value of `after` for the next page; null on the last page.
    next: Option<String>,
}

/// The owner that `me` stands for.
fn owner_filter(browser: &BrowserSession) -> Result<SecretHash, HttpError> {
    let no_owner = || {
        let detail = "of=me needs the token of a program or a seat, or the cookie of a browser";
        HttpError::new(ProblemKind::NoSecret, detail)
    };
    let Credentials { token, browser, .. } = browser.read_credentials();
    token.or(browser).ok_or_else(no_owner)
}

/// The requested list; by default the games that everyone may watch.
fn list(of: Option<&str>, browser: &BrowserSession) -> Result<GameList, HttpError> {
    match of {
        None | Some("watchable") => Ok(GameList::Watchable),
        Some("me") => Ok(GameList::Of(owner_filter(browser)?)),
        Some(_) => Err(HttpError::unprocessable(
            "of: games are of `me`, or `watchable`",
        )),
    }
}

/// Lists games.
///
/// The list has either the games in progress that everybody may watch, or the client's own games, including finished
/// ones. The newest activity comes first, so a game with new activity can be on two successive pages.
async fn show(
    State(app): State<App>,
    browser: BrowserSession,
    Query(query): Query<ListQuery>,
) -> Result<Json<GamesJson>, HttpError> {
    let list = list(query.of.as_deref(), &browser)?;
    let after = query
        .after
        .as_deref()
        .map(str::parse::<PageCursor>)
        .transpose();
    let after = after.map_err(|CursorParseError| {
        HttpError::unprocessable("after: this is no `next` of a page")
    })?;
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(HttpError::unprocessable(format!(
            "limit: a page has 1 to {MAX_LIMIT} games"
        )));
    }
    let page = app.service.store().list_games(list, after, limit).await?;
    let is_full = page.games.len() == limit as usize;
    let mut games = Vec::with_capacity(page.games.len());
    for id in &page.games {
        if let Some(snapshot) =
            list_item(&app.service, id, list, &browser.read_credentials()).await?
        {
            games.push(newest(&snapshot)?);
        }
    }
    Ok(Json(GamesJson {
        games,
        next: page
            .next
            .filter(|_| is_full)
            .map(|cursor| cursor.to_string()),
    }))
}

/// The newest state of a listed game; `None` if it is no longer part of the list.
async fn list_item(
    service: &Service,
    id: &GameId,
    list: GameList,
    credentials: &Credentials,
) -> Result<Option<std::sync::Arc<Snapshot>>, HttpError> {
    match service.snapshot_unloaded(id).await {
        Ok(snapshot) => {
            let is_listed = list != GameList::Watchable || !snapshot.live.is_over();
            Ok(Some(snapshot).filter(|snapshot| is_listed && snapshot.can_watch(credentials)))
        }
        // One damaged game must not hide the others.
        Err(ServiceError::Damaged | ServiceError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Streams the records of a list of games.
///
/// The answer has one record on each line (NDJSON), newest activity first. Records are read while the client receives
/// them.
async fn records(
    State(app): State<App>,
    browser: BrowserSession,
    Query(query): Query<RecordsQuery>,
) -> Result<Response, HttpError> {
    let list = list(query.of.as_deref(), &browser)?;
    let mut records = RecordStream {
        service: app.service.clone(),
        credentials: browser.read_credentials(),
        client_network: browser.client_network,
        list,
        over: query.over,
        pending: VecDeque::new(),
        next: None,
        is_last: false,
        remaining: MAX_RECORDS,
    };
    // An immediate error gets an error response; a later one aborts the body.
    let first = records.line().await?;
    let lines = stream::unfold((records, first), |(mut records, line)| async move {
        let line = line?;
        let next = records.line().await;
        Some(match next {
            Ok(next) => (Ok(line), (records, next)),
            Err(error) => (Err(error), (records, None)),
        })
    });
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    // The body may be polled again after its end, hence `fuse`.
    Ok((kind, Body::from_stream(lines.fuse())).into_response())
}

/// The state of a stream of records.
struct RecordStream {
    service: Service,
    credentials: Credentials,
    client_network: ClientNetwork,
    list: GameList,
    over: Option<bool>,
    pending: VecDeque<GameId>,
    next: Option<PageCursor>,
    is_last: bool,
    remaining: usize,
}

impl RecordStream {
    /// The next record as a line; `None` after the last one.
    async fn line(&mut self) -> Result<Option<Bytes>, HttpError> {
        while self.remaining > 0 {
            let Some(id) = self.pending.pop_front() else {
                if self.is_last {
                    break;
                }
                let page = self
                    .service
                    .store()
                    .list_games(self.list, self.next, RECORD_BATCH)
                    .await?;
                self.is_last = page.games.len() < RECORD_BATCH as usize;
                (self.pending, self.next) = (page.games.into(), page.next);
                continue;
            };
            if let Some(line) = self.record_line(id).await? {
                self.remaining -= 1;
                return Ok(Some(line.into()));
            }
        }
        Ok(None)
    }

    /// The record of a game, unless it is filtered out. Replaying and serializing a long game takes some milliseconds,
    /// and there may be thousands: the work is done in the compute queue.
    async fn record_line(&self, id: GameId) -> Result<Option<String>, HttpError> {
        let (service, credentials) = (self.service.clone(), self.credentials);
        let (list, over) = (self.list, self.over);
        let runtime = Handle::current();
        let read = move |_: &_| {
            let snapshot = runtime.block_on(list_item(&service, &id, list, &credentials))?;
            let matching =
                snapshot.filter(|snapshot| over.is_none_or(|over| over == snapshot.live.is_over()));
            Ok(matching.map(|snapshot| format!("{}\n", snapshot.record_json())))
        };
        let demand = ComputeDemand::time(EXPECTED_READ_TIME);
        let read = self
            .service
            .run_job(JobKind::RecordExport, self.client_network, demand, read);
        read.await?
    }
}
