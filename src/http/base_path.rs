//! The path under which a proxy serves this server, such as `/dice` (`--base-path`).
//!
//! Routes and handlers know paths from the root. This module removes the base path from requests before routing; some
//! proxies remove it before forwarding and some do not, and requests with and without it are handled alike. Whatever
//! writes an address adds it: pages with `Translations::path`, redirects with `App::redirect`, cookies with
//! `CookieScope`, and everything else with `BasePath::add_to`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use tower::Layer;
use tower::util::MapRequestLayer;

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

    /// An address of this server: a path as routes know it, with the base path before it.
    pub(crate) fn add_to<'a>(&self, path: &'a str) -> Cow<'a, str> {
        match &self.0 {
            None => path.into(),
            Some(base) => format!("{base}{path}").into(),
        }
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
        request
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
}
