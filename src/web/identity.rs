//! Who asks: the browser's secret cookie and the bearer token of a seat.
//!
//! One random secret a browser, kept only as a hash; the book's page has a second one that never
//! travels with requests from other sites.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum_extra::TypedHeader;
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use axum_extra::headers::Authorization;
use axum_extra::headers::authorization::Bearer;
use std::convert::Infallible;

use super::client::Client;
use crate::secret::{Secret, SecretHash};
use crate::service::Claim;

/// One of the two cookies that hold a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keeper {
    /// Owns seats and "your games".
    Browser,
    /// Owns the game of the book's page.
    Book,
}

impl Keeper {
    fn name(self, secure: bool) -> &'static str {
        match (self, secure) {
            (Keeper::Browser, false) => "dod",
            (Keeper::Browser, true) => "__Host-dod",
            (Keeper::Book, false) => "dod_book",
            (Keeper::Book, true) => "__Host-dod_book",
        }
    }

    fn same_site(self) -> SameSite {
        match self {
            Keeper::Browser => SameSite::Lax,
            Keeper::Book => SameSite::Strict,
        }
    }

    /// The secret that came with a request.
    pub(super) fn read(self, jar: &CookieJar, secure: bool) -> Option<Secret> {
        jar.get(self.name(secure))?.value().parse().ok()
    }

    /// The cookie that keeps a secret for a year.
    pub(super) fn cookie(self, secret: &Secret, secure: bool) -> Cookie<'static> {
        let mut cookie = plain_cookie(self.name(secure), secret.to_text(), secure);
        cookie.set_same_site(self.same_site());
        cookie.make_permanent();
        cookie
    }
}

/// A cookie that scripts cannot read.
pub(super) fn plain_cookie(name: &'static str, value: String, secure: bool) -> Cookie<'static> {
    Cookie::build((name, value))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(secure)
        .build()
}

/// The browser that asks, with the means to keep a new secret in it.
pub(super) struct Browser {
    pub(super) hash: Option<SecretHash>,
    pub(super) secure: bool,
    pub(super) jar: CookieJar,
}

impl Browser {
    /// What the browser may claim.
    pub(super) fn claim(&self) -> Claim {
        Claim {
            browser: self.hash,
            token: None,
        }
    }

    /// The browser's hash; a browser without a secret gets one, in the jar to send back.
    pub(super) fn introduced(self) -> (SecretHash, CookieJar) {
        match self.hash {
            Some(hash) => (hash, self.jar),
            None => {
                let secret = Secret::random();
                let cookie = Keeper::Browser.cookie(&secret, self.secure);
                (secret.hash(), self.jar.add(cookie))
            }
        }
    }
}

/// Whether the request came over TLS, by the trusted proxy's word.
pub(super) fn is_secure(parts: &Parts) -> bool {
    parts
        .extensions
        .get::<Client>()
        .is_some_and(|client| client.secure)
}

impl<S: Send + Sync> FromRequestParts<S> for Browser {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let secure = is_secure(parts);
        let jar = CookieJar::from_headers(&parts.headers);
        let hash = Keeper::Browser
            .read(&jar, secure)
            .map(|secret| secret.hash());
        Ok(Browser { hash, secure, jar })
    }
}

/// The seat token that came with an API request: absent, unreadable, or a hash to compare.
pub(super) enum Token {
    Absent,
    Unreadable,
    Given(SecretHash),
}

impl Token {
    /// The hash to compare with a seat's, if one can be read.
    pub(super) fn hash(&self) -> Option<SecretHash> {
        match self {
            Token::Given(hash) => Some(*hash),
            Token::Absent | Token::Unreadable => None,
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Token {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let bearer =
            <TypedHeader<Authorization<Bearer>> as OptionalFromRequestParts<S>>::from_request_parts(
                parts, state,
            )
            .await;
        Ok(match bearer {
            Ok(None) => Token::Absent,
            Ok(Some(TypedHeader(Authorization(bearer)))) => {
                match bearer.token().parse::<Secret>() {
                    Ok(secret) => Token::Given(secret.hash()),
                    Err(_) => Token::Unreadable,
                }
            }
            // Another scheme brings no token of ours.
            Err(_) => Token::Absent,
        })
    }
}
