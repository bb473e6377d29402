//! Cache of finished pages: many readers request the same page, and one reader requests it repeatedly.
//!
//! A page is made from its [`PageInput`], the display options and the URL of the server, and from nothing else. A hash of
//! all of them is the key of the cached page, and its ETag, so that a reader who has the page gets a 304. Pages that have
//! not been requested lately are evicted.

use std::any::type_name;
use std::convert::Infallible;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::io::Write as _;

use axum::body::{Body, Bytes};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum_extra::headers::{ETag, HeaderMapExt, IfNoneMatch};
use flate2::Compression;
use flate2::write::GzEncoder;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::app::{App, FeatureState};
use super::display_options::RequestDisplayOptions;
use super::identity::site_url;
use crate::games::Registry;
use crate::http::base_path::BasePath;
use crate::http::encoding::takes_gzip;
use crate::http::headers::PAGE_VARY;
use crate::templates::page::NavSection;
use crate::templates::preferences::DisplayOptions;
use crate::templates::{SiteContext, Translations};

/// The maximum size of the cache: 4,000 pages of games as browsers accept them, compressed.
const MAX_BYTES: u64 = 40 << 20;

/// The expected number of pages, for the initial allocation.
const EXPECTED_PAGES: usize = 4_000;

/// Everything that a page shows, except what never changes while the server runs: inputs with the same hash give the
/// same page.
pub(in crate::site) trait PageInput: Hash {
    /// Why the page cannot be shown.
    type Error;

    const MEDIA_TYPE: &'static str = "text/html; charset=utf-8";

    /// Whether browsers may store the page, to show it again when it has not changed.
    fn is_storable(&self) -> bool {
        true
    }

    fn render(&self, context: &RenderContext<'_>) -> Result<String, Self::Error>;
}

/// What a page may be rendered from besides its input.
pub(in crate::site) struct RenderContext<'a> {
    pub(in crate::site) games: &'a Registry,
    pub(in crate::site) base_path: &'a BasePath,
    display: DisplayOptions,
    /// The URL of this server as the reader sees it.
    pub(in crate::site) origin: &'a str,
}

impl RenderContext<'_> {
    pub(in crate::site) fn text(&self) -> &Translations {
        self.games.translations(self.display.language)
    }

    /// The layout of a page without a link preview.
    pub(in crate::site) fn site(&self, section: NavSection) -> SiteContext<'_> {
        SiteContext {
            section,
            assets: self.base_path,
            display: self.display,
            origin: None,
        }
    }

    /// The layout of a page with a link preview.
    pub(in crate::site) fn site_with_preview(&self, section: NavSection) -> SiteContext<'_> {
        SiteContext {
            origin: Some(self.origin),
            ..self.site(section)
        }
    }
}

/// A request for a page.
pub(in crate::site) struct PageRequest {
    pub(in crate::site) app: App,
    pub(in crate::site) display: DisplayOptions,
    origin: String,
    /// The ETags that the reader has.
    known: Option<IfNoneMatch>,
    takes_gzip: bool,
}

impl FromRequestParts<App> for PageRequest {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let RequestDisplayOptions(display) =
            RequestDisplayOptions::from_request_parts(parts, app).await?;
        Ok(PageRequest {
            app: app.clone(),
            display,
            origin: site_url(parts).to_string(),
            known: match parts.method {
                Method::GET | Method::HEAD => parts.headers.typed_get(),
                _ => None,
            },
            takes_gzip: takes_gzip(&parts.headers),
        })
    }
}

impl PageRequest {
    /// Renders a page that is not cached.
    pub(in crate::site) fn render<P: PageInput>(&self, input: &P) -> Result<String, P::Error> {
        input.render(&RenderContext {
            games: &self.app.games,
            base_path: &self.app.base_path,
            display: self.display,
            origin: &self.origin,
        })
    }

    /// The page for this input, cached or rendered now; 304 if the reader has it.
    pub(in crate::site) fn respond<P: PageInput>(&self, input: &P) -> Result<Response, P::Error> {
        let cache = self.app.state::<PageCache>();
        let key = cache.key(self, input);
        let tag = input.is_storable().then(|| tag(key));
        if tag.as_ref().is_some_and(|tag| self.has(tag)) {
            let mut response = StatusCode::NOT_MODIFIED.into_response();
            set_cache_headers(&mut response, tag);
            response.headers_mut().append(header::VARY, PAGE_VARY);
            return Ok(response);
        }
        let body = match cache.pages.get(&key) {
            Some(body) => body,
            None => {
                let page = self.render(input)?;
                let body = if self.takes_gzip {
                    gzip(page.as_bytes())
                } else {
                    // Without the unused capacity of the buffer, which may be as large as the page.
                    page.into_boxed_str().into_boxed_bytes().into()
                };
                cache.pages.insert(key, body.clone());
                body
            }
        };
        let mut response = Response::new(Body::from(body));
        set_cache_headers(&mut response, tag);
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static(P::MEDIA_TYPE);
        headers.insert(header::CONTENT_TYPE, kind);
        if self.takes_gzip {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        Ok(response)
    }

    fn has(&self, tag: &HeaderValue) -> bool {
        self.known.as_ref().is_some_and(|known| {
            let tag = tag.to_str().ok().and_then(|tag| tag.parse::<ETag>().ok());
            tag.is_some_and(|tag| !known.precondition_passes(&tag))
        })
    }
}

/// Two 64-bit hashes of the same value with secrets of this process: unpredictable for clients, and practically free of
/// collisions.
type PageKey = [u64; 2];

/// Weak, because a proxy may compress the page.
fn tag([first, second]: PageKey) -> HeaderValue {
    let tag = format!("W/\"{first:016x}{second:016x}\"");
    HeaderValue::try_from(tag).expect("hexadecimal digits are a header value")
}

/// Only a response with an ETag may be stored, and it must be revalidated.
fn set_cache_headers(response: &mut Response, tag: Option<HeaderValue>) {
    let policy = match tag {
        Some(_) => "private, no-cache",
        None => "no-store",
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(policy));
    if let Some(tag) = tag {
        headers.insert(header::ETAG, tag);
    }
}

fn gzip(page: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(page).and_then(|()| encoder.finish());
    let compressed = written.expect("a vector takes all bytes");
    compressed.into_boxed_slice().into()
}

/// Weighs a page by its size in bytes.
#[derive(Clone)]
struct PageByteWeighter;

impl Weighter<PageKey, Bytes> for PageByteWeighter {
    fn weight(&self, _: &PageKey, body: &Bytes) -> u64 {
        body.len() as u64
    }
}

struct PageCache {
    secrets: [RandomState; 2],
    pages: Cache<PageKey, Bytes, PageByteWeighter>,
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
    fn key<P: PageInput>(&self, request: &PageRequest, input: &P) -> PageKey {
        self.secrets.each_ref().map(|secret| {
            let mut hasher = secret.build_hasher();
            type_name::<P>().hash(&mut hasher);
            (&request.display, &request.origin, request.takes_gzip).hash(&mut hasher);
            input.hash(&mut hasher);
            hasher.finish()
        })
    }
}
