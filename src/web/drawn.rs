//! Pages of games that are kept as they were drawn: many readers look at one position, and one reader
//! looks at it again.
//!
//! A page is found by the hash of all that it depends on, so nothing has to be thrown away when a game
//! goes on: what nobody asks for is pushed out by newer pages. The same hash is the page's tag, so a
//! reader who has the page is only told so. Each page is compressed once for each encoding, by the
//! layer that compresses all other answers.
//!
//! The parts of a page that scripts ask for are kept here too, but by no browser: they have the
//! addresses of whole pages, and whoever goes back wants those.

use std::convert::Infallible;
use std::fmt::Write;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum_extra::TypedHeader;
use axum_extra::headers::{ETag, HeaderMapExt, IfNoneMatch};
use http_body_util::BodyExt;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::compression::CompressionLayer;

use super::pages::Extent;
use super::views::Shown;
use crate::templates::view::Look;

/// The most bytes that are kept, before compression.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// So many pages of usual size fit.
const USUALLY: usize = 1000;

/// How a page is asked for.
pub(super) struct Asked<'a> {
    pub(super) extent: Extent,
    pub(super) look: &'a Look,
    /// Where this server is for the reader: links to games name it.
    pub(super) origin: &'a str,
    pub(super) headers: &'a HeaderMap,
}

/// What a page is found by: two hashes of all that it depends on, with secrets of this run of the
/// program. Another program draws other pages, so no tag outlives it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key([u64; 2]);

impl Key {
    fn of(secrets: &[RandomState; 2], shown: &Shown<'_>, asked: &Asked<'_>) -> Self {
        let Shown {
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
        let (version, look) = (snapshot.version(), asked.look);
        // A sentence above the board is rare, and some hold fractions, which cannot be hashed.
        let notice = notice.as_ref().map(|notice| format!("{notice:?}"));
        Key(secrets.each_ref().map(|secret| {
            let mut hasher = secret.build_hasher();
            (&snapshot.id, &version, seats, ply, query, &notice).hash(&mut hasher);
            (watchers, ahead, newcomer, table, share).hash(&mut hasher);
            // What a position is worth does not change: whether it is shown is all.
            std::mem::discriminant(hint).hash(&mut hasher);
            (asked.extent, look, asked.origin).hash(&mut hasher);
            hasher.finish()
        }))
    }

    /// Weak, because a compressed page is another sequence of bytes.
    fn tag(self) -> Option<ETag> {
        let mut tag = "W/\"".to_owned();
        for half in self.0 {
            // Writing to a string cannot fail.
            let _ = write!(tag, "{half:016x}");
        }
        tag.push('"');
        tag.parse().ok()
    }
}

/// A page as it was drawn.
struct Drawn {
    plain: Bytes,
    brotli: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
}

/// A page weighs its bytes.
#[derive(Clone)]
struct Bytewise;

impl Weighter<Key, Arc<Drawn>> for Bytewise {
    fn weight(&self, _: &Key, drawn: &Arc<Drawn>) -> u64 {
        drawn.plain.len() as u64
    }
}

/// The pages that were drawn last.
pub(super) struct DrawnPages {
    secrets: [RandomState; 2],
    kept: Cache<Key, Arc<Drawn>, Bytewise>,
}

impl DrawnPages {
    pub(super) fn new() -> Self {
        DrawnPages {
            secrets: [RandomState::new(), RandomState::new()],
            kept: Cache::with_weighter(USUALLY, MOST_BYTES, Bytewise),
        }
    }

    /// The page that shows this, drawn now or before, in an encoding that the reader takes; or that the
    /// reader has it.
    pub(super) async fn answer<E>(
        &self,
        shown: &Shown<'_>,
        asked: &Asked<'_>,
        draw: impl FnOnce() -> Result<String, E>,
    ) -> Result<Response, E> {
        let key = Key::of(&self.secrets, shown, asked);
        let tag = key.tag().filter(|_| asked.extent == Extent::Whole);
        let again = match asked.extent {
            Extent::Whole => "private, no-cache",
            Extent::Fragment | Extent::Passing => "no-store",
        };
        let again = [(header::CACHE_CONTROL, HeaderValue::from_static(again))];
        let known = asked.headers.typed_get::<IfNoneMatch>();
        let known = known.zip(tag.as_ref());
        let is_known = known.is_some_and(|(known, tag)| !known.precondition_passes(tag));
        let tag = tag.map(TypedHeader);
        if is_known {
            return Ok((StatusCode::NOT_MODIFIED, tag, again).into_response());
        }
        let drawn = match self.kept.get(&key) {
            Some(drawn) => drawn,
            None => {
                let drawn = Arc::new(Drawn::of(draw()?.into()));
                self.kept.insert(key, Arc::clone(&drawn));
                drawn
            }
        };
        let kind = [(
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        )];
        let (bytes, encoding) = drawn.taken_by(asked.headers).await;
        let mut response = (tag, again, kind, bytes).into_response();
        if let Some(name) = encoding {
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
            headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        Ok(response)
    }
}

impl Drawn {
    fn of(plain: Bytes) -> Self {
        Drawn {
            plain,
            brotli: OnceLock::new(),
            gzip: OnceLock::new(),
        }
    }

    /// The page in the best encoding that a reader takes without reservations, and the encoding's name;
    /// for others it stays as it is, and the layer may still compress it.
    async fn taken_by(&self, headers: &HeaderMap) -> (Bytes, Option<&'static str>) {
        let takes = |wanted: &str| {
            let lists = headers.get_all(header::ACCEPT_ENCODING).iter();
            let mut names = lists
                .filter_map(|list| list.to_str().ok())
                .flat_map(|list| list.split(','));
            names.any(|name| name.trim().eq_ignore_ascii_case(wanted))
        };
        let encodings = [("br", &self.brotli), ("gzip", &self.gzip)];
        let Some((name, kept)) = encodings.into_iter().find(|(name, _)| takes(name)) else {
            return (self.plain.clone(), None);
        };
        if let Some(bytes) = kept.get() {
            return (bytes.clone(), Some(name));
        }
        match compressed(self.plain.clone(), name).await {
            Some(bytes) => (kept.get_or_init(|| bytes).clone(), Some(name)),
            None => (self.plain.clone(), None),
        }
    }
}

/// A page as the layer compresses it, if it does.
async fn compressed(plain: Bytes, encoding: &'static str) -> Option<Bytes> {
    let page = service_fn(move |_: Request<Body>| {
        let page = Response::new(Body::from(plain.clone()));
        async move { Ok::<_, Infallible>(page) }
    });
    let mut request = Request::new(Body::empty());
    let encoding = HeaderValue::from_static(encoding);
    let taken = encoding.clone();
    request.headers_mut().insert(header::ACCEPT_ENCODING, taken);
    let Ok(response) = CompressionLayer::new().layer(page).oneshot(request).await;
    if response.headers().get(header::CONTENT_ENCODING) != Some(&encoding) {
        return None;
    }
    let body = response.into_body().collect().await.ok()?;
    Some(body.to_bytes())
}
