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

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::fmt::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum_extra::TypedHeader;
use axum_extra::headers::{ETag, HeaderMapExt, IfNoneMatch};
use http_body_util::BodyExt;
use sha2::{Digest, Sha256};
use tower::{Layer, ServiceExt, service_fn};
use tower_http::compression::CompressionLayer;

use super::pages::Extent;
use super::views::Shown;
use crate::templates::view::Look;

/// The most bytes that are kept, before compression.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// How a page is asked for.
pub(super) struct Asked<'a> {
    pub(super) extent: Extent,
    pub(super) look: &'a Look,
    /// Where this server is for the reader: links to games name it.
    pub(super) origin: &'a str,
    pub(super) headers: &'a HeaderMap,
}

/// What a page is found by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key([u8; 16]);

impl Key {
    /// Of all that a page depends on, in this run of the program.
    fn of(run: u64, shown: &Shown<'_>, asked: &Asked<'_>) -> Self {
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
        } = shown;
        let mut facts = String::new();
        // Writing to a string cannot fail.
        let _ = write!(
            facts,
            "{run} {} {} {seats:?} {ply:?} {query:?} {notice:?} {watchers} {ahead} {newcomer} {table:?} {:?} {:?} {}",
            snapshot.id,
            snapshot.version(),
            asked.extent,
            asked.look,
            asked.origin,
        );
        let hash = Sha256::digest(facts);
        let mut key = [0; 16];
        key.copy_from_slice(&hash[..16]);
        Key(key)
    }

    /// Weak, because a compressed page is another sequence of bytes.
    fn tag(self) -> Option<ETag> {
        let mut tag = "W/\"".to_owned();
        for byte in self.0 {
            let _ = write!(tag, "{byte:02x}");
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

/// The pages that were drawn last.
pub(super) struct DrawnPages {
    /// Another program draws other pages, so no tag outlives this one.
    run: u64,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    pages: HashMap<Key, Arc<Drawn>>,
    /// The oldest first.
    order: VecDeque<Key>,
    bytes: usize,
}

impl DrawnPages {
    pub(super) fn new() -> Self {
        DrawnPages {
            run: rand::random(),
            kept: Mutex::default(),
        }
    }

    fn found(&self, key: Key) -> Option<Arc<Drawn>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.pages.get(&key).map(Arc::clone)
    }

    fn keep(&self, key: Key, drawn: &Arc<Drawn>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.pages.insert(key, Arc::clone(drawn)).is_some() {
            return;
        }
        kept.order.push_back(key);
        kept.bytes += drawn.plain.len();
        while kept.bytes > MOST_BYTES
            && let Some(oldest) = kept.order.pop_front()
        {
            if let Some(gone) = kept.pages.remove(&oldest) {
                kept.bytes -= gone.plain.len();
            }
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
        let key = Key::of(self.run, shown, asked);
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
        let drawn = match self.found(key) {
            Some(drawn) => drawn,
            None => {
                let drawn = Arc::new(Drawn::of(draw()?.into()));
                self.keep(key, &drawn);
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
