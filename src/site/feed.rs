//! The Atom feed of a browser, at an address that only its owner knows: it contains a token that is derived from the
//! browser's secret, so that the browser can show it again, and gives access to nothing but the feed.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum_extra::TypedHeader;
use axum_extra::headers::{ETag, HeaderMapExt, IfNoneMatch};
use serde::Deserialize;

use super::game_view::ListedGame;
use super::shared::app::App;
use super::shared::browser_rows::BrowserRows;
use super::shared::display_options::RequestDisplayOptions;
use super::shared::identity::BrowserSession;
use crate::day::Day;
use crate::http::error::HttpError;
use crate::http::problem::ProblemKind;
use crate::provably_fair::{Sha256Digest, hex};
use crate::seats::Credentials;
use crate::secret::{Nonce, Secret, SecretHash};
use crate::site::shared::form::Query;
use crate::site::shared::limits::RouteLimits;
use crate::store::{Store, StoreError, params, row};
use crate::tables::{ClientNetwork, GameSummary, Service, ServiceError};
use crate::templates::Language;
use crate::templates::feed::{FeedEntryView, FeedNews, FeedView, feed};
use crate::templates::seats::LinkReach;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/settings/feed", limits.moving(post(renew)))
        .route("/feed/{name}", limits.reading(get(show)))
}

/// The number of a browser's newest games among which those are sought where it is its turn.
const GAMES_CONSIDERED: u32 = 24;

#[derive(Deserialize)]
pub(super) struct FeedQuery {
    lang: Option<String>,
}

fn token(browser: &Secret, nonce: Nonce) -> Secret {
    browser.derive(&[b"feed", nonce.as_bytes()])
}

/// Gives the browser a feed with a new token; an earlier token becomes invalid.
pub(super) async fn set(
    service: &Service,
    browser: &Secret,
    language: &str,
) -> Result<(), ServiceError> {
    let (nonce, now_ms) = (service.environment().nonce(), service.now_ms());
    let feed = StoredFeed {
        browser: browser.hash(),
        token: token(browser, nonce).hash(),
        nonce,
        language: language.to_owned(),
        created_ms: now_ms,
        fetched_ms: now_ms,
    };
    Ok(service.store().set_feed(feed).await?)
}

/// The feed with this token, which is about to be sent. Its fetch is stored at most once a day.
async fn fetched(service: &Service, token: &Secret) -> Result<Option<StoredFeed>, ServiceError> {
    let feed = service.store().feed_by_token(&token.hash()).await?;
    let now_ms = service.now_ms();
    if let Some(feed) = &feed
        && Day::of_ms(feed.fetched_ms) < Day::of_ms(now_ms)
    {
        let marked = service.store().mark_feed_fetched(&feed.token, now_ms);
        marked.await?;
    }
    Ok(feed)
}

/// `GET /feed/{token}.atom`: the feed in the language of its creation; with `lang` in this one.
async fn show(
    State(app): State<App>,
    browser: BrowserSession,
    Path(name): Path<String>,
    Query(query): Query<FeedQuery>,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let token = name
        .strip_suffix(".atom")
        .and_then(|token| token.parse().ok());
    let token: Secret = token.ok_or_else(HttpError::not_found)?;
    let stored = fetched(&app.service, &token).await?;
    let stored = stored.ok_or_else(HttpError::not_found)?;
    let language = query.lang.and_then(|tag| Language::from_tag(&tag));
    let language = language.or_else(|| Language::from_tag(&stored.language));
    let text = app.games.translations(language.unwrap_or_default());
    let view = FeedView {
        id: name_based_id(&format!("feed {}", hex(stored.token.as_bytes()))),
        address: format!("{}/feed/{name}", browser.origin),
        origin: browser.origin,
        entries: entries(&app, stored.browser, browser.client_network).await?,
    };
    let body = feed(text, &view).into_string();
    // Weak, because a compressed body has other bytes.
    let digest = Sha256Digest::compute(body.as_bytes());
    let tag: ETag = format!("W/\"{digest}\"")
        .parse()
        .map_err(|_| HttpError::new(ProblemKind::Internal, "no tag"))?;
    let known = headers.typed_get::<IfNoneMatch>();
    let has_current = known.is_some_and(|known| !known.precondition_passes(&tag));
    let tag = TypedHeader(tag);
    let policy = [(header::CACHE_CONTROL, "private, no-cache")];
    if has_current {
        return Ok((StatusCode::NOT_MODIFIED, tag, policy).into_response());
    }
    let kind = [(header::CONTENT_TYPE, "application/atom+xml; charset=utf-8")];
    Ok((tag, policy, kind, body).into_response())
}

/// `POST /settings/feed`: gives the browser a feed, or its feed a new address.
async fn renew(
    State(app): State<App>,
    browser: BrowserSession,
    RequestDisplayOptions(display): RequestDisplayOptions,
) -> Result<Response, HttpError> {
    let (secret, jar) = browser.ensure_secret();
    let language = display.language.tag();
    set(&app.service, &secret, language).await?;
    Ok((jar, app.redirect("/settings#feed")).into_response())
}

/// The address of the browser's feed, and who can open it.
pub(super) async fn address(
    app: &App,
    browser: &BrowserSession,
) -> Result<Option<(String, LinkReach)>, HttpError> {
    let Some(secret) = &browser.secret else {
        return Ok(None);
    };
    let feed = app.service.store().feed_of(&secret.hash()).await;
    Ok(feed.map_err(ServiceError::from)?.map(|feed| {
        let token = token(secret, feed.nonce);
        let (origin, reach) = browser.link_origin.link_base(&browser.origin);
        (format!("{origin}/feed/{}.atom", token.to_text()), reach)
    }))
}

/// The turns that others wait for, and the board of the day; newest first.
async fn entries(
    app: &App,
    browser: SecretHash,
    client_network: ClientNetwork,
) -> Result<Vec<FeedEntryView>, HttpError> {
    let credentials = Credentials {
        browser: Some(browser),
        ..Credentials::default()
    };
    let today = app.service.today();
    let mut entries = vec![FeedEntryView {
        id: name_based_id(&format!("day {today}")),
        updated_ms: today.start_ms(),
        news: FeedNews::Daily(today.to_string()),
    }];
    let ids = app
        .service
        .store()
        .list_games_of(&browser, GAMES_CONSIDERED)
        .await?;
    for game in app.service.summaries(&ids, Some(client_network)).await? {
        entries.extend(turn_entry(&app.service, game, &credentials));
    }
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.updated_ms));
    Ok(entries)
}

/// The entry of a game in which it is the turn of these credentials and other people play.
fn turn_entry(
    service: &Service,
    game: Arc<GameSummary>,
    credentials: &Credentials,
) -> Option<FeedEntryView> {
    let GameSummary { newest, counts, .. } = &*game;
    let own = newest.seats_of(credentials);
    newest.mover().filter(|mover| own.contains(mover))?;
    if !newest.has_others(&own) || game.is_abandoned(service.now_ms()) {
        return None;
    }
    let turn = format!("turn {} {}", newest.id, counts.entries);
    Some(FeedEntryView {
        id: name_based_id(&turn),
        updated_ms: game.last_ms,
        news: FeedNews::Turn(Box::new(ListedGame::new(service, game, own).view())),
    })
}

/// A UUID (RFC 9562, version 8) that follows from a name, as an IRI: the same after any change of the site's address.
fn name_based_id(name: &str) -> String {
    let digest = Sha256Digest::compute(name.as_bytes()).to_string();
    let part = |range| digest.get(range).unwrap_or_default();
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        part(0..8),
        part(8..12),
        part(12..15),
        part(15..18),
        part(18..30)
    )
}

row! {
    /// The feed of a browser. Its token is derived from the browser's secret and the nonce.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct StoredFeed {
        pub browser: SecretHash,
        /// The hash of the token in the feed's address.
        pub token: SecretHash,
        pub nonce: Nonce,
        /// The language tag.
        pub language: String,
        /// Unix time, in milliseconds.
        pub created_ms: i64,
        /// Unix time of the last fetch, in milliseconds, to a day; that of the creation before the first one.
        pub fetched_ms: i64,
    }
}

/// What is done with the feeds of browsers.
pub(super) const ROWS: BrowserRows = BrowserRows {
    delete_old: &["DELETE FROM feed WHERE fetched_ms < $1"],
    ..BrowserRows::NONE
};

impl dyn Store {
    /// Stores the feed of a browser instead of the one that it had.
    pub async fn set_feed(&self, feed: StoredFeed) -> Result<(), StoreError> {
        let statement = "INSERT INTO feed (browser, token, nonce, language, created_ms, fetched_ms)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (browser) DO UPDATE SET token = excluded.token, nonce = excluded.nonce,
                language = excluded.language, created_ms = excluded.created_ms, fetched_ms = excluded.fetched_ms";
        let StoredFeed {
            browser,
            token,
            nonce,
            language,
            created_ms,
            fetched_ms,
        } = feed;
        let values = params![&browser, &token, &nonce, language, created_ms, fetched_ms];
        self.execute(statement, values).await.map(drop)
    }

    pub async fn feed_of(&self, browser: &SecretHash) -> Result<Option<StoredFeed>, StoreError> {
        let query = "SELECT * FROM feed WHERE browser = $1";
        self.fetch_optional(query, params![browser]).await
    }

    pub async fn feed_by_token(
        &self,
        token: &SecretHash,
    ) -> Result<Option<StoredFeed>, StoreError> {
        let query = "SELECT * FROM feed WHERE token = $1";
        self.fetch_optional(query, params![token]).await
    }

    /// Stores when the feed was fetched.
    pub async fn mark_feed_fetched(
        &self,
        token: &SecretHash,
        at_ms: i64,
    ) -> Result<(), StoreError> {
        let statement = "UPDATE feed SET fetched_ms = $2 WHERE token = $1 AND fetched_ms < $2";
        self.execute(statement, params![token, at_ms])
            .await
            .map(drop)
    }
}
