//! Pages of games that are kept as they were drawn: many readers look at one position, and one reader
//! looks at it again.
//!
//! A page is kept at the hash of what was asked for by whom, with the hash of all that it depends on:
//! one that is drawn when a game has gone on takes the place of the one before, and what nobody asks
//! for is pushed out by newer pages. The second hash is the page's tag, so a reader who has the page is
//! only told so. Each page is compressed once, by the layer that compresses all other answers.
//!
//! The parts of a page that scripts ask for are kept here too, but by no browser: they have the
//! addresses of whole pages, and whoever goes back wants those.

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

use super::encoding::takes_gzip;
use super::page_context::PageScope;
use super::seats::SeatPanelState;
use super::view_models::GamePageInput;
use crate::templates::view::DisplayOptions;

/// The most bytes that are kept, before compression: 200 games of usual size in five looks each.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// So many pages of usual size fit.
const USUALLY: usize = 1000;

/// How a page is asked for.
pub(super) struct PageRequest<'a> {
    pub(super) extent: PageScope,
    pub(super) look: &'a DisplayOptions,
    /// Where this server is for the reader: links to games name it.
    pub(super) origin: &'a str,
    pub(super) wants: &'a ConditionalRequest,
}

/// What a reader has of a page, and whether it may come compressed.
pub(super) struct ConditionalRequest {
    known: Option<IfNoneMatch>,
    gzip: bool,
}

impl ConditionalRequest {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        ConditionalRequest {
            known: headers.typed_get(),
            gzip: takes_gzip(headers),
        }
    }

    /// Whether the reader has what bears this tag.
    fn have(&self, tag: &HeaderValue) -> bool {
        self.known.as_ref().is_some_and(|known| {
            let tag = tag.to_str().ok().and_then(|tag| tag.parse::<ETag>().ok());
            tag.is_some_and(|tag| !known.precondition_passes(&tag))
        })
    }
}

/// Two hashes of the same, with secrets of this run of the program: nobody else can tell what gives
/// which, and two things never give the same.
type PageHashes = [u64; 2];

/// What a page is found by.
struct PageCacheKey {
    /// What was asked for, by whom.
    place: PageHashes,
    /// All that the page depends on. Another program draws other pages, so no hash outlives it.
    all: PageHashes,
}

impl PageCacheKey {
    fn of(secrets: &[RandomState; 2], shown: &GamePageInput<'_>, asked: &PageRequest<'_>) -> Self {
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
            share,
        } = shown;
        let reader = table.as_ref().map(|table: &SeatPanelState| &table.reader);
        // A sentence above the board is rare, and some hold fractions, which cannot be hashed.
        let notice = notice.as_ref().map(|notice| format!("{notice:?}"));
        let mut hashers = secrets.each_ref().map(BuildHasher::build_hasher);
        let place = hashers.each_mut().map(|hasher| {
            (&snapshot.id, ply, query, seats, reader).hash(hasher);
            (asked.extent, asked.look, asked.origin).hash(hasher);
            // What a position is worth does not change: whether it is shown is all.
            std::mem::discriminant(hint).hash(hasher);
            hasher.finish()
        });
        let all = hashers.each_mut().map(|hasher| {
            (snapshot.version(), &notice, watchers, ahead).hash(hasher);
            (newcomer, table, share).hash(hasher);
            hasher.finish()
        });
        PageCacheKey { place, all }
    }

    /// Weak, because a compressed page is another sequence of bytes.
    fn tag(&self) -> Option<HeaderValue> {
        let [first, second] = self.all;
        let tag = format!("W/\"{first:016x}{second:016x}\"");
        HeaderValue::from_maybe_shared(Bytes::from(tag)).ok()
    }
}

/// A page as it was drawn.
struct CachedPage {
    /// What it was drawn from.
    of: PageHashes,
    tag: Option<HeaderValue>,
    plain: Bytes,
    gzip: OnceLock<Bytes>,
}

/// A page weighs its bytes.
#[derive(Clone)]
struct PageByteWeighter;

impl Weighter<PageHashes, Arc<CachedPage>> for PageByteWeighter {
    fn weight(&self, _: &PageHashes, drawn: &Arc<CachedPage>) -> u64 {
        drawn.plain.len() as u64
    }
}

/// The pages that were drawn last.
pub(super) struct PageCache {
    secrets: [RandomState; 2],
    kept: Cache<PageHashes, Arc<CachedPage>, PageByteWeighter>,
}

impl PageCache {
    pub(super) fn new() -> Self {
        PageCache {
            secrets: [RandomState::new(), RandomState::new()],
            kept: Cache::with_weighter(USUALLY, MOST_BYTES, PageByteWeighter),
        }
    }

    /// The page that shows this, drawn now or before, in an encoding that the reader takes; or that the
    /// reader has it.
    pub(super) async fn answer<E>(
        &self,
        shown: &GamePageInput<'_>,
        asked: &PageRequest<'_>,
        draw: impl FnOnce() -> Result<String, E>,
    ) -> Result<Response, E> {
        let key = PageCacheKey::of(&self.secrets, shown, asked);
        let kept = self.kept.get(&key.place);
        let kept = kept.filter(|drawn| drawn.of == key.all);
        let is_whole = asked.extent == PageScope::Whole;
        let tag = match &kept {
            _ if !is_whole => None,
            Some(drawn) => drawn.tag.clone(),
            None => key.tag(),
        };
        if let Some(tag) = tag.as_ref().filter(|tag| asked.wants.have(tag)) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            label(response.headers_mut(), Some(tag.clone()));
            return Ok(response);
        }
        let drawn = match kept {
            Some(drawn) => drawn,
            None => {
                let drawn = Arc::new(CachedPage {
                    of: key.all,
                    tag: tag.clone(),
                    plain: draw()?.into(),
                    gzip: OnceLock::new(),
                });
                self.kept.insert(key.place, Arc::clone(&drawn));
                drawn
            }
        };
        let compressed = match asked.wants.gzip {
            true => drawn.compressed().await,
            false => None,
        };
        let is_compressed = compressed.is_some();
        let bytes = compressed.unwrap_or_else(|| drawn.plain.clone());
        let mut response = Response::new(Body::from(bytes));
        let headers = response.headers_mut();
        label(headers, tag);
        let kind = HeaderValue::from_static("text/html; charset=utf-8");
        headers.insert(header::CONTENT_TYPE, kind);
        if is_compressed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        Ok(response)
    }
}

/// How browsers may keep an answer: only what bears a tag, and it is to be asked for again.
fn label(headers: &mut HeaderMap, tag: Option<HeaderValue>) {
    let again = match tag {
        Some(_) => "private, no-cache",
        None => "no-store",
    };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(again));
    if let Some(tag) = tag {
        headers.insert(header::ETAG, tag);
    }
}

impl CachedPage {
    /// The page in gzip, compressed at its first use; `None` where the layer would leave it as it is.
    async fn compressed(&self) -> Option<Bytes> {
        if let Some(bytes) = self.gzip.get() {
            return Some(bytes.clone());
        }
        // On the heap: it is rare, and would enlarge the future of every look.
        let bytes = Box::pin(compressed(self.plain.clone())).await?;
        Some(self.gzip.get_or_init(|| bytes).clone())
    }
}

/// A page as the layer compresses it, if it does.
async fn compressed(plain: Bytes) -> Option<Bytes> {
    let page = service_fn(move |_: Request<Body>| {
        let page = Response::new(Body::from(plain.clone()));
        async move { Ok::<_, Infallible>(page) }
    });
    let mut request = Request::new(Body::empty());
    let gzip = HeaderValue::from_static("gzip");
    let taken = gzip.clone();
    request.headers_mut().insert(header::ACCEPT_ENCODING, taken);
    let Ok(response) = CompressionLayer::new().layer(page).oneshot(request).await;
    if response.headers().get(header::CONTENT_ENCODING) != Some(&gzip) {
        return None;
    }
    let body = response.into_body().collect().await.ok()?;
    Some(body.to_bytes())
}
