//! Cache of rendered game pages: many readers view the same position, and one reader views it repeatedly.
//!
//! The key of an entry is a hash of the request and the viewer; the entry stores a second hash of everything the page
//! depends on. A page rendered after the game changed replaces the previous one, and unused pages are evicted. The
//! second hash is the page's ETag, so a reader who has the page gets a 304. Each page is compressed at most once, by
//! the same layer that compresses all other responses.
//!
//! Page fragments requested by scripts are cached here too, but not by browsers: they share the URLs of full pages,
//! which the browser's back navigation must show.

use std::convert::Infallible;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use axum::response::Response;
use axum_extra::headers::{ETag, HeaderMapExt, IfNoneMatch};
use http_body_util::BodyExt;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::compression::CompressionLayer;

use crate::http::encoding::takes_gzip;
use crate::site::game_view::GamePageInput;
use crate::site::game_view::seat_panel::SeatPanelState;
use crate::site::shared::app::{App, FeatureState};
use crate::templates::preferences::DisplayOptions;

/// The maximum size of the cache: 100 games of typical size with five sets of display options each.
const MAX_BYTES: u64 = 40 << 20;

/// A page in gzip has at most one part in this many of its size.
const GZIP_PARTS: u64 = 4;

/// The expected number of pages, for the initial allocation.
const EXPECTED_PAGES: usize = 1000;

/// The requested part of a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::site) enum PageScope {
    FullPage,
    /// The changing part, requested by a script.
    Fragment,
    /// An intermediate ply, requested by a script on its way to the newest position.
    TransientPly,
}

pub(in crate::site) struct PageRequest<'a> {
    pub(in crate::site) scope: PageScope,
    pub(in crate::site) display: &'a DisplayOptions,
    /// The URL of this server as the reader sees it; links to games contain it.
    pub(in crate::site) origin: &'a str,
    pub(in crate::site) conditional: &'a ConditionalRequest,
}

/// The conditional part of a request: the reader's ETags, and whether gzip is accepted.
pub(in crate::site) struct ConditionalRequest {
    known: Option<IfNoneMatch>,
    gzip: bool,
}

impl ConditionalRequest {
    pub(in crate::site) fn from_headers(headers: &HeaderMap) -> Self {
        ConditionalRequest {
            known: headers.typed_get(),
            gzip: takes_gzip(headers),
        }
    }

    /// Whether the reader already has the page with this ETag.
    fn matches_etag(&self, tag: &HeaderValue) -> bool {
        self.known.as_ref().is_some_and(|known| {
            let tag = tag.to_str().ok().and_then(|tag| tag.parse::<ETag>().ok());
            tag.is_some_and(|tag| !known.precondition_passes(&tag))
        })
    }
}

/// Two 64-bit hashes of the same value with per-process secrets: unpredictable for clients, and practically free of
/// collisions.
type PageHashes = [u64; 2];

struct PageCacheKey {
    /// What was requested, and by whom.
    request: PageHashes,
    /// Everything the page depends on. The secrets are per process, so hashes are never compared between builds.
    source: PageHashes,
}

impl PageCacheKey {
    fn new(
        secrets: &[RandomState; 2],
        input: &GamePageInput<'_>,
        request: &PageRequest<'_>,
    ) -> Self {
        let GamePageInput {
            snapshot,
            seats,
            ply,
            query,
            notice,
            watchers,
            ahead,
            newcomer,
            table,
            hint,
            clock,
            phrases,
            share,
            next_steps,
        } = input;
        let reader = table.as_ref().map(|table: &SeatPanelState| &table.reader);
        // Both are rare, and some contain floats, which do not implement `Hash`.
        let notice = notice.as_ref().map(|notice| format!("{notice:?}"));
        let next_steps = next_steps.as_ref().map(|view| format!("{view:?}"));
        let mut hashers = secrets.each_ref().map(BuildHasher::build_hasher);
        let request_hashes = hashers.each_mut().map(|hasher| {
            (&snapshot.id, ply, query, seats, reader).hash(hasher);
            (request.scope, request.display, request.origin).hash(hasher);
            // A position's evaluation never changes, so only whether it is shown matters.
            std::mem::discriminant(hint).hash(hasher);
            hasher.finish()
        });
        // The second hash continues the first, so it covers the request, too.
        let source_hashes = hashers.each_mut().map(|hasher| {
            (snapshot.version(), &notice, watchers, ahead).hash(hasher);
            (newcomer, table, clock, phrases, share, &next_steps).hash(hasher);
            hasher.finish()
        });
        PageCacheKey {
            request: request_hashes,
            source: source_hashes,
        }
    }

    /// Weak, because the compressed page has other bytes.
    fn tag(&self) -> Option<HeaderValue> {
        let [first, second] = self.source;
        let tag = format!("W/\"{first:016x}{second:016x}\"");
        HeaderValue::from_maybe_shared(Bytes::from(tag)).ok()
    }
}

struct CachedPage {
    /// The hash of everything the page was rendered from.
    source: PageHashes,
    tag: Option<HeaderValue>,
    plain: Bytes,
    gzip: OnceLock<Bytes>,
}

/// Weighs a page by its size in bytes, with its compressed form.
#[derive(Clone)]
struct PageByteWeighter;

impl Weighter<PageHashes, Arc<CachedPage>> for PageByteWeighter {
    fn weight(&self, _: &PageHashes, page: &Arc<CachedPage>) -> u64 {
        let plain = page.plain.len() as u64;
        plain + plain / GZIP_PARTS
    }
}

pub(in crate::site) struct PageCache {
    secrets: [RandomState; 2],
    pages: Cache<PageHashes, Arc<CachedPage>, PageByteWeighter>,
}

impl FeatureState for PageCache {
    fn new(_: &App) -> Self {
        PageCache {
            secrets: [RandomState::new(), RandomState::new()],
            pages: Cache::with_weighter(EXPECTED_PAGES, MAX_BYTES, PageByteWeighter),
        }
    }
}

impl PageCache {
    /// Responds with the page for this input, cached or rendered now, in an accepted encoding; or with 304 if the
    /// reader has it.
    pub(in crate::site) async fn get_or_render<E>(
        &self,
        input: &GamePageInput<'_>,
        request: &PageRequest<'_>,
        render: impl FnOnce() -> Result<String, E>,
    ) -> Result<Response, E> {
        let key = PageCacheKey::new(&self.secrets, input, request);
        let cached = self.pages.get(&key.request);
        let cached = cached.filter(|page| page.source == key.source);
        let is_whole = request.scope == PageScope::FullPage;
        let tag = match &cached {
            _ if !is_whole => None,
            Some(page) => page.tag.clone(),
            None => key.tag(),
        };
        if let Some(tag) = tag
            .as_ref()
            .filter(|tag| request.conditional.matches_etag(tag))
        {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            set_cache_headers(response.headers_mut(), Some(tag.clone()));
            return Ok(response);
        }
        let page = match cached {
            Some(page) => page,
            None => {
                let page = Arc::new(CachedPage {
                    source: key.source,
                    tag: tag.clone(),
                    // Without the unused capacity of the buffer, which may be as large as the page.
                    plain: render()?.into_boxed_str().into_boxed_bytes().into(),
                    gzip: OnceLock::new(),
                });
                self.pages.insert(key.request, Arc::clone(&page));
                page
            }
        };
        let compressed = match request.conditional.gzip {
            true => page.compressed().await,
            false => None,
        };
        let is_compressed = compressed.is_some();
        let bytes = compressed.unwrap_or_else(|| page.plain.clone());
        let mut response = Response::new(Body::from(bytes));
        let headers = response.headers_mut();
        set_cache_headers(headers, tag);
        let kind = HeaderValue::from_static("text/html; charset=utf-8");
        headers.insert(header::CONTENT_TYPE, kind);
        if is_compressed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        Ok(response)
    }
}

/// Sets the caching headers: only a response with an ETag may be cached, and it must be revalidated.
fn set_cache_headers(headers: &mut HeaderMap, tag: Option<HeaderValue>) {
    let policy = match tag {
        Some(_) => "private, no-cache",
        None => "no-store",
    };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(policy));
    if let Some(tag) = tag {
        headers.insert(header::ETAG, tag);
    }
}

impl CachedPage {
    /// The page in gzip, compressed on first use; `None` where the layer does not compress it.
    async fn compressed(&self) -> Option<Bytes> {
        if let Some(bytes) = self.gzip.get() {
            return Some(bytes.clone());
        }
        // Boxed: this is rare, and it would enlarge the future of every request.
        let bytes = Box::pin(compressed(self.plain.clone())).await?;
        Some(self.gzip.get_or_init(|| bytes).clone())
    }
}

/// The page as compressed by the layer, or `None` if the layer does not compress it.
async fn compressed(plain: Bytes) -> Option<Bytes> {
    let page = service_fn(move |_: Request<Body>| {
        let page = Response::new(Body::from(plain.clone()));
        async move { Ok::<_, Infallible>(page) }
    });
    let mut request = Request::new(Body::empty());
    let gzip = HeaderValue::from_static("gzip");
    let accepted = gzip.clone();
    request
        .headers_mut()
        .insert(header::ACCEPT_ENCODING, accepted);
    let Ok(response) = CompressionLayer::new().layer(page).oneshot(request).await;
    if response.headers().get(header::CONTENT_ENCODING) != Some(&gzip) {
        return None;
    }
    let body = response.into_body().collect().await.ok()?;
    Some(Bytes::copy_from_slice(&body.to_bytes()))
}
