//! The URL at which the client of a request reaches this server, also behind a proxy.
//!
//! `--public-url` sets it for all requests. Without it the host is the request's, or the `X-Forwarded-Host` of a
//! trusted proxy, if the server answers to that name.

use std::fmt;
use std::str::FromStr;

use axum::http::Uri;
use axum::http::uri::Authority;

use super::base_path::{BasePath, BasePathError};
use super::hosts::{HostName, HostNameError, has_valid_port};

/// The value of `--public-url`, such as `https://dice.example/dice`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicUrl {
    pub is_https: bool,
    /// The host, with the port if it has one.
    pub authority: Authority,
    pub base_path: BasePath,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PublicUrlError {
    /// No scheme or another one, a query, or a user name.
    #[error("write an address such as https://dice.example or https://dice.example/dice")]
    Url,
    /// A host name that no request can contain.
    #[error(transparent)]
    Host(#[from] HostNameError),
    /// A path with characters that a base path may not contain.
    #[error(transparent)]
    Path(#[from] BasePathError),
}

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<Self, PublicUrlError> {
        let uri: Uri = text.parse().map_err(|_| PublicUrlError::Url)?;
        let is_https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(PublicUrlError::Url),
        };
        let authority = uri
            .authority()
            .filter(|authority| has_valid_port(authority));
        if uri.query().is_some() || text.contains('#') {
            return Err(PublicUrlError::Url);
        }
        let url = PublicUrl {
            is_https,
            authority: authority.ok_or(PublicUrlError::Url)?.clone(),
            base_path: uri.path().parse()?,
        };
        url.host_name()?;
        Ok(url)
    }
}

impl PublicUrl {
    /// The host without the port.
    ///
    /// # Errors
    /// If it is not a valid host name; never for a parsed value.
    pub fn host_name(&self) -> Result<HostName, HostNameError> {
        self.authority.host().parse()
    }
}

/// The URL at which the client of a request reaches this server; the guard adds it to every request. It is displayed
/// without a trailing slash: `https://dice.example/dice`.
#[derive(Clone, Debug)]
pub(crate) struct SiteUrl {
    pub(crate) is_https: bool,
    pub(crate) authority: Authority,
    pub(crate) base_path: BasePath,
    /// Whether it comes from `--public-url`.
    pub(crate) is_configured: bool,
    /// Whether the request comes from a browser on this machine, without a proxy.
    pub(crate) is_direct: bool,
}

impl SiteUrl {
    /// The URL if nothing is known about the server.
    pub(crate) fn unknown() -> Self {
        SiteUrl {
            is_https: false,
            authority: Authority::from_static("localhost"),
            base_path: BasePath::default(),
            is_configured: false,
            is_direct: false,
        }
    }
}

impl fmt::Display for SiteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_https { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.base_path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_has_a_scheme_a_host_and_perhaps_a_path() {
        for (text, is_https, authority, path) in [
            ("https://dice.example", true, "dice.example", ""),
            ("https://dice.example/", true, "dice.example", ""),
            (
                "http://dice.example:8080/dice/",
                false,
                "dice.example:8080",
                "/dice",
            ),
            ("https://[2001:db8::1]/a/b", true, "[2001:db8::1]", "/a/b"),
        ] {
            let url: PublicUrl = text.parse().unwrap();
            assert_eq!(url.is_https, is_https, "{text}");
            assert_eq!(url.authority, authority, "{text}");
            assert_eq!(url.base_path.as_str(), path, "{text}");
        }
        for text in [
            "",
            "dice.example",
            "/dice",
            "ftp://dice.example",
            "https://",
            "https://dice.example?a=b",
            "https://dice.example/#a",
            "https://me@dice.example",
            "https://dice.example:abc",
            "https://dice_example.*",
            "https://dice.example/a//b",
        ] {
            assert!(text.parse::<PublicUrl>().is_err(), "{text}");
        }
    }
}
