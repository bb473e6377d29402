//! Who makes a request: the browser's secret cookie and the bearer token of a seat.
//!
//! Each browser has one random secret, which is kept only as a hash. The book's page has a second one
//! that browsers do not send with requests from other sites.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum_extra::TypedHeader;
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use axum_extra::headers::Authorization;
use axum_extra::headers::authorization::Bearer;
use std::convert::Infallible;
use std::time::Duration;

use super::client::Client;
use super::reach::Place;
use super::site_url::SiteUrl;
use crate::secret::{Secret, SecretHash};
use crate::service::{Claim, Household};

/// One of the two cookies that hold a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keeper {
    /// The secret that owns seats and "your games".
    Browser,
    /// The secret that owns the game of the book's page.
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
        lasting(cookie)
    }
}

/// The cookie, kept by the browser for a year: longer ones are shortened by some browsers anyway.
pub(super) fn lasting(cookie: Cookie<'static>) -> Cookie<'static> {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    let year = YEAR.try_into().expect("a year is a short time");
    Cookie::build(cookie).max_age(year).build()
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

/// The browser of a request, with its cookie jar, into which a new secret can be put.
pub(super) struct Browser {
    /// The secret in its cookie; links are derived from it.
    pub(super) secret: Option<Secret>,
    /// What the server knows the secret by.
    hash: Option<SecretHash>,
    pub(super) secure: bool,
    pub(super) jar: CookieJar,
    /// A seat's token that came along.
    token: Option<SecretHash>,
    /// From which network the request comes.
    pub(super) household: Household,
    /// Where this server is for the browser, such as `http://localhost:8080`, with the base path.
    pub(super) origin: String,
    /// Whether others find the server there, too.
    pub(super) place: Place,
}

impl Browser {
    /// The claim of the browser when it acts.
    pub(super) fn claim(&self) -> Claim {
        Claim {
            browser: self.hash,
            token: None,
            household: Some(self.household),
        }
    }

    /// The claim of a request that only looks at something; programs may bring a token instead.
    pub(super) fn looks(&self) -> Claim {
        Claim {
            token: self.token,
            ..self.claim()
        }
    }

    /// The browser's secret; a browser without one gets one, in the jar to send back.
    pub(super) fn introduced(self) -> (Secret, CookieJar) {
        match self.secret {
            Some(secret) => (secret, self.jar),
            None => {
                let secret = Secret::random();
                let cookie = Keeper::Browser.cookie(&secret, self.secure);
                (secret, self.jar.add(cookie))
            }
        }
    }
}

/// Where the client of a request finds this server, as the guard has found out.
pub(super) fn site_url(parts: &Parts) -> SiteUrl {
    let url = parts.extensions.get::<SiteUrl>().cloned();
    url.unwrap_or_else(SiteUrl::unknown)
}

/// Whether the request came over TLS, as a trusted proxy says.
pub(super) fn is_secure(parts: &Parts) -> bool {
    parts
        .extensions
        .get::<Client>()
        .is_some_and(|client| client.secure)
}

/// The network that a request comes from.
pub(super) fn household(parts: &Parts) -> Household {
    let client = parts.extensions.get::<Client>();
    client.unwrap_or(&Client::UNKNOWN).household()
}

impl<S: Send + Sync> FromRequestParts<S> for Browser {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let secure = is_secure(parts);
        let jar = CookieJar::from_headers(&parts.headers);
        let token = match Token::from_request_parts(parts, state).await? {
            Token::Given(token) => Some(token),
            Token::Absent | Token::Unreadable => None,
        };
        let secret = Keeper::Browser.read(&jar, secure);
        let url = site_url(parts);
        Ok(Browser {
            hash: secret.as_ref().map(Secret::hash),
            secret,
            secure,
            jar,
            token,
            household: household(parts),
            origin: url.to_string(),
            place: Place::of(parts, &url),
        })
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
            // An authorization of another scheme has no token of ours.
            Err(_) => Token::Absent,
        })
    }
}
