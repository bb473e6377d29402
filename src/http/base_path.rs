//! The path under which a proxy serves this server, such as `/dice` (`--base-path`).
//!
//! Inside the server all URLs start at the root: routes, templates, redirects and cookies do not know the base path.
//! This module removes it from requests before routing, and adds it to the URLs in responses. Some proxies remove the
//! path before forwarding and some do not: requests with and without it are handled alike.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tower::Layer;
use tower::util::MapRequestLayer;

use super::error::HttpError;
use super::headers::is_page;
use super::problem::ProblemKind;

/// A path without trailing slash: empty for the root, or such as `/dice`.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct BasePath(Option<Arc<str>>);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("write a path such as /dice: letters a to z, digits, - . _ ~ and single slashes")]
pub struct BasePathError;

impl FromStr for BasePath {
    type Err = BasePathError;

    fn from_str(text: &str) -> Result<Self, BasePathError> {
        let path = text.strip_suffix('/').unwrap_or(text);
        if path.is_empty() {
            return Ok(BasePath(None));
        }
        let is_segment = |segment: &str| {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            !matches!(segment, "" | "." | "..") && segment.bytes().all(fits)
        };
        match path.strip_prefix('/') {
            Some(rest) if rest.split('/').all(is_segment) => Ok(BasePath(Some(path.into()))),
            _ => Err(BasePathError),
        }
    }
}

impl fmt::Display for BasePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Marker in a response's extensions: the page already contains the base path.
#[derive(Clone, Copy)]
pub(crate) struct HasBasePath;

/// The HTML attributes of this server's pages whose values are URLs.
const ADDRESS_ATTRIBUTES: [&str; 7] = [
    "action",
    "data-record",
    "data-turn",
    "href",
    "formaction",
    "src",
    "srcset",
];

impl BasePath {
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// Whether the server is mounted at the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_none()
    }

    /// Removes the base path from a URL that starts with it.
    pub(crate) fn strip<'a>(&self, address: &'a str) -> Cow<'a, str> {
        match address.strip_prefix(self.as_str()) {
            Some(rest) if rest.starts_with('/') => rest.into(),
            Some("") => "/".into(),
            Some(rest) if rest.starts_with('?') => format!("/{rest}").into(),
            _ => address.into(),
        }
    }

    /// Adds the base path to every absolute path in a page.
    ///
    /// Templates escape `"` in texts and values, so `="` occurs only before attribute values.
    pub(crate) fn put_into_page(&self, page: String) -> String {
        if self.is_root() {
            return page;
        }
        let mut out = String::with_capacity(page.len() + page.len() / 16);
        let mut copied = 0;
        for (at, quote) in page.match_indices("=\"") {
            let value = at + quote.len();
            let name = page[..at].rsplit([' ', '\n']).next().unwrap_or_default();
            let address = match name {
                // <meta http-equiv="refresh" content="1;url=/g/abc">
                "content" => {
                    let rest = page[value..].trim_start_matches(|c: char| c.is_ascii_digit());
                    match rest.strip_prefix(";url=") {
                        Some(address) => page.len() - address.len(),
                        None => continue,
                    }
                }
                _ if ADDRESS_ATTRIBUTES.contains(&name) => value,
                _ => continue,
            };
            if page[address..].starts_with('/') {
                out.push_str(&page[copied..address]);
                out.push_str(self.as_str());
                copied = address;
            }
        }
        out.push_str(&page[copied..]);
        out
    }

    /// Accepts requests with and without the base path.
    pub(crate) fn mount(&self, app: Router) -> Router {
        if self.is_root() {
            return app;
        }
        // A layer of the router itself would run after routing.
        let base = self.clone();
        let strip = MapRequestLayer::new(move |request| base.strip_request(request));
        Router::new().fallback_service(strip.layer(app))
    }

    fn strip_request(&self, mut request: Request) -> Request {
        let stripped = request.uri().path_and_query().and_then(|address| {
            let stripped = self.strip(address.as_str());
            stripped.parse::<PathAndQuery>().ok()
        });
        let mut parts = request.uri().clone().into_parts();
        if stripped.is_some() {
            parts.path_and_query = stripped;
            if let Ok(uri) = Uri::from_parts(parts) {
                *request.uri_mut() = uri;
            }
        }
        let cookies = request.headers().get_all(header::COOKIE).iter();
        let cookies: Vec<_> = cookies.filter_map(unscoped_cookies).collect();
        replace_header(request.headers_mut(), header::COOKIE, cookies);
        request
    }

    /// Adds the base path to all responses of these routes.
    pub(crate) fn layer(&self, router: Router) -> Router {
        if self.is_root() {
            return router;
        }
        router.layer(from_fn_with_state(self.clone(), put_into_response))
    }

    /// Restricts a cookie to this path. `__Host-` requires `Path=/`, so the prefix becomes `__Secure-`.
    fn scoped_cookie(&self, cookie: &HeaderValue) -> Option<HeaderValue> {
        let cookie = cookie.to_str().ok()?;
        let (prefix, cookie) = match cookie.strip_prefix(HOST_PREFIX) {
            Some(rest) => (SECURE_PREFIX, rest),
            None => ("", cookie),
        };
        let path = format!("Path={self}");
        let parts = cookie.split("; ").map(|part| match part {
            "Path=/" => path.as_str(),
            part => part,
        });
        let parts: Vec<_> = parts.collect();
        format!("{prefix}{}", parts.join("; ")).parse().ok()
    }
}

const HOST_PREFIX: &str = "__Host-";
const SECURE_PREFIX: &str = "__Secure-";

/// Restores the cookie names that are used at the root. Cookies with `__Host-` belong to another server at the root of
/// the same host.
fn unscoped_cookies(line: &HeaderValue) -> Option<HeaderValue> {
    let cookies = line.as_bytes().split(|byte| *byte == b';');
    let cookies = cookies.map(<[u8]>::trim_ascii);
    let cookies = cookies.filter(|cookie| !cookie.starts_with(HOST_PREFIX.as_bytes()));
    let cookies = cookies.map(
        |cookie| match cookie.strip_prefix(SECURE_PREFIX.as_bytes()) {
            Some(rest) => [HOST_PREFIX.as_bytes(), rest].concat(),
            None => cookie.to_vec(),
        },
    );
    let cookies: Vec<_> = cookies.collect();
    HeaderValue::from_bytes(&cookies.join(&b"; "[..])).ok()
}

fn replace_header(headers: &mut HeaderMap, name: HeaderName, values: Vec<HeaderValue>) {
    headers.remove(&name);
    for value in values {
        headers.append(name.clone(), value);
    }
}

async fn put_into_response(State(base): State<BasePath>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let location = headers
        .get(header::LOCATION)
        .and_then(|to| to.to_str().ok());
    if let Some(to) = location.filter(|to| to.starts_with('/'))
        && let Ok(to) = format!("{base}{to}").parse()
    {
        headers.insert(header::LOCATION, to);
    }
    let cookies = headers.get_all(header::SET_COOKIE).iter();
    let cookies = cookies.filter_map(|cookie| base.scoped_cookie(cookie));
    let cookies = cookies.collect();
    replace_header(headers, header::SET_COOKIE, cookies);
    if !is_page(headers) || response.extensions().get::<HasBasePath>().is_some() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    let page = to_bytes(body, usize::MAX).await;
    let page = page
        .ok()
        .and_then(|page| String::from_utf8(page.into()).ok());
    match page {
        Some(page) => Response::from_parts(parts, Body::from(base.put_into_page(page))),
        None => HttpError::new(ProblemKind::Internal, "a page could not be read").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> BasePath {
        "/dice/".parse().unwrap()
    }

    #[test]
    fn a_base_path_is_a_plain_path() {
        for (text, path) in [
            ("", ""),
            ("/", ""),
            ("/dice", "/dice"),
            ("/dice/", "/dice"),
            ("/games/dice-2.0/", "/games/dice-2.0"),
        ] {
            assert_eq!(text.parse::<BasePath>().unwrap().as_str(), path);
        }
        for text in [
            "dice",
            "//",
            "//evil.example",
            "/a//b",
            "/../a",
            "/.",
            "/a b",
            "/a?b",
            "/a;b",
            "/\u{fc}",
            "/a\"b",
            "https://dice.example/dice",
            "/a%20b",
        ] {
            assert_eq!(text.parse::<BasePath>(), Err(BasePathError), "{text}");
        }
    }

    #[test]
    fn the_base_path_is_stripped_from_requests() {
        for (address, stripped) in [
            ("/dice", "/"),
            ("/dice/", "/"),
            ("/dice?seed=1", "/?seed=1"),
            ("/dice/g/abc?ply=1", "/g/abc?ply=1"),
            ("/g/abc", "/g/abc"),
            ("/dicey", "/dicey"),
            ("/dice/dice", "/dice"),
            ("/", "/"),
        ] {
            assert_eq!(base().strip(address), stripped, "{address}");
            assert_eq!(BasePath::default().strip(address), address);
        }
    }

    #[test]
    fn only_urls_of_a_page_get_the_base_path() {
        for (page, expect) in [
            (
                r##"<a class="x" href="/games">"##,
                r##"<a class="x" href="/dice/games">"##,
            ),
            (
                r##"<a href="/"><img src="/a.svg">"##,
                r##"<a href="/dice/"><img src="/dice/a.svg">"##,
            ),
            (
                r##"<form action="/g/a">"##,
                r##"<form action="/dice/g/a">"##,
            ),
            (
                r##"<meta http-equiv="refresh" content="10;url=/g/a">"##,
                r##"<meta http-equiv="refresh" content="10;url=/dice/g/a">"##,
            ),
        ] {
            assert_eq!(base().put_into_page(page.to_owned()), expect);
            assert_eq!(BasePath::default().put_into_page(page.to_owned()), page);
        }
        for page in [
            r##"<a href="#main"><use href="#die">"##,
            r##"<a href="?from=3">"##,
            r##"<a href="https://dice.example/g/a">"##,
            r##"<input value="/g/a">"##,
            r##"<meta content="Dice;url=/g/a">"##,
            "<p>href=&quot;/g/a&quot;</p>",
        ] {
            assert_eq!(base().put_into_page(page.to_owned()), page);
        }
    }

    #[test]
    fn cookies_are_restricted_to_the_base_path() {
        for (cookie, expect) in [
            (
                "__Host-dod=a; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=5",
                "__Secure-dod=a; HttpOnly; SameSite=Lax; Secure; Path=/dice; Max-Age=5",
            ),
            ("dod_look=Path=/; Path=/", "dod_look=Path=/; Path=/dice"),
        ] {
            let scoped = base().scoped_cookie(&cookie.parse().unwrap());
            assert_eq!(scoped.unwrap(), expect);
        }
        let sent = HeaderValue::from_bytes(b"dod_look=\xe9; __Host-dod=b;__Secure-dod=a").unwrap();
        assert_eq!(
            unscoped_cookies(&sent).unwrap().as_bytes(),
            b"dod_look=\xe9; __Host-dod=a"
        );
    }
}
