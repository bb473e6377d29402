//! Request credentials: the browser's secret cookie and the bearer token of a seat.
//!
//! Each browser has one random secret, of which only the hash is stored. The book's page has a second one that browsers
//! do not send with cross-site requests.
//!
//! Over TLS the cookies have the prefix `__Host-`, so that only this host can set them, and only over TLS. A cookie
//! without the prefix may have been read or set by anyone on the network: over TLS its secret gives no access until the
//! reader confirms it ([`device`](crate::site::device)).

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum_extra::TypedHeader;
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use axum_extra::headers::Authorization;
use axum_extra::headers::authorization::Bearer;
use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use super::app::App;
use super::link_origin::LinkOrigin;
use crate::game::Player;
use crate::http::base_path::BasePath;
use crate::http::client::Client;
use crate::http::error::HttpError;
use crate::http::site_url::SiteUrl;
use crate::seats::Credentials;
use crate::secret::{Secret, SecretHash};
use crate::tables::{ClientNetwork, Snapshot};

/// The query parameter of a URL to which a browser was redirected together with a new cookie. If the cookie is missing
/// there, the browser refuses cookies.
pub(in crate::site) const COOKIE_SENT: &str = "cookie-sent";

/// One of the cookies with a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::site) enum SecretCookie {
    /// The secret of seats and "your games".
    Browser,
    /// The secret that the browser had before, which gives access until everything has moved to the current one. Earlier
    /// releases kept it after a move to HTTPS.
    Former,
    /// The secret of the book page's game.
    Book,
}

impl SecretCookie {
    const ALL: [SecretCookie; 3] = [
        SecretCookie::Browser,
        SecretCookie::Former,
        SecretCookie::Book,
    ];

    fn name(self, scope: &CookieScope) -> &'static str {
        let [plain, host, path] = match self {
            SecretCookie::Browser => ["dod", "__Host-dod", "__Secure-dod"],
            SecretCookie::Former => ["dod_former", "__Host-dod_former", "__Secure-dod_former"],
            SecretCookie::Book => ["dod_book", "__Host-dod_book", "__Secure-dod_book"],
        };
        match (scope.secure, scope.base_path.is_root()) {
            (false, _) => plain,
            (true, true) => host,
            // `__Host-` requires `Path=/`, and such a cookie belongs to another server at the root of the same host.
            (true, false) => path,
        }
    }

    fn same_site(self) -> SameSite {
        match self {
            SecretCookie::Browser | SecretCookie::Former => SameSite::Lax,
            SecretCookie::Book => SameSite::Strict,
        }
    }

    /// The secret that came with a request. A cookie with the prefix is accepted without TLS too: browsers send it only
    /// over TLS, even if the TLS proxy is not trusted here.
    pub(in crate::site) fn read(self, headers: &HeaderMap, scope: &CookieScope) -> Option<Secret> {
        let plain = (!scope.secure).then(|| secrets(headers, self.name(scope)));
        secrets(headers, self.name(&scope.over_tls(true)))
            .chain(plain.into_iter().flatten())
            .next()
    }

    /// The cookie that stores a secret for a year.
    pub(in crate::site) fn cookie(self, secret: &Secret, scope: &CookieScope) -> Cookie<'static> {
        let mut cookie = scope.cookie(self.name(scope), secret.to_text());
        cookie.set_same_site(self.same_site());
        long_lived(cookie)
    }
}

/// Sets the lifetime to one year; some browsers limit it further.
pub(in crate::site) fn long_lived(cookie: Cookie<'static>) -> Cookie<'static> {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    let year = YEAR.try_into().expect("a year fits into the time type");
    Cookie::build(cookie).max_age(year).build()
}

/// The requests to which a browser adds the cookies that it gets.
#[derive(Clone, Debug)]
pub(in crate::site) struct CookieScope {
    /// Only those over TLS.
    pub(in crate::site) secure: bool,
    /// Those below this path.
    base_path: BasePath,
}

impl CookieScope {
    pub(in crate::site) fn of(parts: &Parts) -> Self {
        CookieScope {
            secure: is_secure(parts),
            base_path: site_url(parts).base_path,
        }
    }

    fn over_tls(&self, secure: bool) -> Self {
        CookieScope {
            secure,
            base_path: self.base_path.clone(),
        }
    }

    pub(in crate::site) fn path(&self) -> String {
        match self.base_path.as_str() {
            "" => "/".to_owned(),
            path => path.to_owned(),
        }
    }

    /// A cookie that scripts cannot read.
    pub(in crate::site) fn cookie(
        &self,
        name: impl Into<Cow<'static, str>>,
        value: String,
    ) -> Cookie<'static> {
        Cookie::build((name.into(), value))
            .path(self.path())
            .http_only(true)
            .same_site(SameSite::Strict)
            .secure(self.secure)
            .build()
    }
}

/// The cookies of this program in a request. Those of other programs on the same host are skipped, because they may
/// contain any bytes; of several with the same name the first counts.
pub(in crate::site) fn cookie_jar(headers: &HeaderMap) -> CookieJar {
    let is_own = |name: &[u8]| {
        let prefixes: [&[u8]; 2] = [b"__Host-", b"__Secure-"];
        let mut plain = prefixes
            .iter()
            .filter_map(|prefix| name.strip_prefix(*prefix));
        plain.next().unwrap_or(name).starts_with(b"dod")
    };
    let own_pairs: Vec<_> = cookie_pairs(headers)
        .filter(|(name, _)| is_own(name))
        .collect();
    let mut own_headers = HeaderMap::new();
    // The jar retains the last one of a name.
    for (name, value) in own_pairs.into_iter().rev() {
        let pair = [name, b"=", value].concat();
        if let Ok(pair) = HeaderValue::from_bytes(&pair) {
            own_headers.append(header::COOKIE, pair);
        }
    }
    CookieJar::from_headers(&own_headers)
}

/// The names and values as sent, without the quotes that some clients put around values.
fn cookie_pairs(headers: &HeaderMap) -> impl Iterator<Item = (&[u8], &[u8])> {
    let lines = headers.get_all(header::COOKIE).iter();
    let pairs = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    pairs.filter_map(|pair| {
        let equals = pair.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (pair[..equals].trim_ascii(), pair[equals + 1..].trim_ascii());
        let unquoted = value
            .strip_prefix(b"\"")
            .and_then(|value| value.strip_suffix(b"\""));
        Some((name, unquoted.unwrap_or(value)))
    })
}

/// The secrets in all cookies with this name; other values are skipped.
fn secrets<'h>(headers: &'h HeaderMap, name: &'static str) -> impl Iterator<Item = Secret> + 'h {
    cookie_pairs(headers)
        .filter(move |(cookie, _)| *cookie == name.as_bytes())
        .filter_map(|(_, value)| std::str::from_utf8(value).ok()?.parse().ok())
}

/// The browser of a request, with its cookie jar, to which a new secret can be added.
pub(in crate::site) struct BrowserSession {
    /// The secret with which it takes new seats, and from which links are derived.
    pub(in crate::site) secret: Option<Secret>,
    /// The scope in which the cookie of [`Self::secret`] is renewed: over TLS only, if it came so or only this host can
    /// have set it.
    renewal: CookieScope,
    /// Whether [`Self::secret`] came in the only cookie of its name, which may be set again.
    is_only: bool,
    /// Its other secrets, which own seats that it took earlier.
    pub(in crate::site) other_secrets: Vec<Secret>,
    /// Over TLS, a secret from a cookie that does not require TLS. It gives no access.
    pub(in crate::site) unconfirmed: Option<Secret>,
    /// The hashes of the secrets.
    credentials: Credentials,
    pub(in crate::site) cookies: CookieScope,
    pub(in crate::site) jar: CookieJar,
    /// The bearer token of the request, if any.
    token: Option<SecretHash>,
    /// Whether it accepts HTML, as browsers do and programs do not.
    accepts_html: bool,
    pub(in crate::site) client_network: ClientNetwork,
    /// The URL of this server as the browser sees it, such as `http://localhost:8080`, with the base path.
    pub(in crate::site) origin: String,
    /// Whether other machines can reach the server at that URL.
    pub(in crate::site) link_origin: LinkOrigin,
}

impl BrowserSession {
    /// The credentials for requests that change something.
    pub(in crate::site) fn credentials(&self) -> Credentials {
        self.credentials
    }

    /// The credentials for requests that only read; programs may send a token instead of cookies.
    pub(in crate::site) fn read_credentials(&self) -> Credentials {
        Credentials {
            token: self.token,
            ..self.credentials
        }
    }

    /// The credentials that the browser would have if its reader confirmed the secret that came without TLS.
    pub(in crate::site) fn unconfirmed_credentials(&self) -> Option<Credentials> {
        let secret = self.unconfirmed.as_ref()?;
        Some(Credentials {
            browser: Some(secret.hash()),
            client_network: Some(self.client_network),
            ..Credentials::default()
        })
    }

    /// All secrets of the browser, starting with the one for new seats.
    pub(in crate::site) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        self.secret.iter().chain(&self.other_secrets)
    }

    /// Whether it took a seat of this game, or the role of host, without TLS.
    pub(in crate::site) fn took_without_tls(&self, snapshot: &Snapshot) -> bool {
        self.unconfirmed_credentials().is_some_and(|old| {
            !snapshot.seats_of(&old).is_empty()
                || snapshot.is_host(&old) && !snapshot.is_host(&self.credentials())
        })
    }

    /// Whether the browser took any games without TLS.
    pub(in crate::site) async fn has_games_to_move(&self, app: &App) -> Result<bool, HttpError> {
        match self.unconfirmed_credentials().and_then(|old| old.browser) {
            Some(old) => Ok(!app.service.store().list_games_of(&old, 1).await?.is_empty()),
            None => Ok(false),
        }
    }

    /// Whether the browser has not sent a cookie so far, so that it may refuse them.
    pub(in crate::site) fn may_refuse_cookies(&self) -> bool {
        self.secret.is_none() && self.accepts_html
    }

    /// The browser's secret, created if it has none, and the jar to send back, which renews the cookie for a year.
    pub(in crate::site) fn ensure_secret(self) -> (Secret, CookieJar) {
        match self.secret.clone() {
            Some(secret) => (secret, self.renewed_cookies()),
            None => {
                let secret = Secret::random();
                let cookie = SecretCookie::Browser.cookie(&secret, &self.cookies);
                (secret, self.jar.add(cookie))
            }
        }
    }

    /// The jar that renews the browser's secrets for another year.
    pub(in crate::site) fn renewed_cookies(self) -> CookieJar {
        let (former, scope) = (SecretCookie::Former, &self.renewal);
        let mut jar = self.jar;
        if let Some(secret) = jar
            .get(former.name(scope))
            .and_then(|cookie| cookie.value().parse().ok())
        {
            jar = jar.add(former.cookie(&secret, scope));
        }
        match self.secret.as_ref().filter(|_| self.is_only) {
            Some(secret) => jar.add(SecretCookie::Browser.cookie(secret, scope)),
            None => jar,
        }
    }

    /// The jar with this secret as the only one.
    pub(in crate::site) fn with_only_secret(self, secret: &Secret) -> CookieJar {
        let scope = &self.renewal;
        let former = SecretCookie::Former.name(scope);
        let jar = self.jar.remove(scope.cookie(former, String::new()));
        jar.add(SecretCookie::Browser.cookie(secret, scope))
    }

    /// Gives the browser a new secret, keeps the present one as the former, and redirects its form to the same path, so
    /// that nothing moves to a secret that the browser does not store.
    pub(in crate::site) fn resubmit_with_new_secret(
        mut self,
        present: &Secret,
        uri: &Uri,
    ) -> Response {
        let former = SecretCookie::Former.cookie(present, &self.renewal);
        let current = SecretCookie::Browser.cookie(&Secret::random(), &self.renewal);
        self.jar = self.jar.add(former).add(current);
        resubmit(self.jar, &self.cookies, uri)
    }

    /// The jar without any secret.
    pub(in crate::site) fn without_secrets(self) -> CookieJar {
        let mut jar = self.jar;
        for scope in [false, true].map(|secure| self.cookies.over_tls(secure)) {
            for cookie in SecretCookie::ALL {
                jar = jar.remove(scope.cookie(cookie.name(&scope), String::new()));
            }
        }
        jar
    }

    /// Sets the first cookie and redirects the browser's form to the same path, so that nothing is done for a secret
    /// that the browser does not store. It is an error if this was done already.
    pub(in crate::site) fn resubmit_with_cookie(self, uri: &Uri) -> Result<Response, HttpError> {
        if is_cookie_sent(uri) {
            return Err(HttpError::no_cookies());
        }
        let cookies = self.cookies.clone();
        let (_, jar) = self.ensure_secret();
        Ok(resubmit(jar, &cookies, uri))
    }
}

/// Sets cookies and redirects the browser's form to the same path.
fn resubmit(jar: CookieJar, scope: &CookieScope, uri: &Uri) -> Response {
    let to = format!("{}{}?{COOKIE_SENT}", scope.base_path, uri.path());
    let Ok(to) = HeaderValue::from_str(&to) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let redirect = (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]);
    (jar, redirect).into_response()
}

/// Whether the browser was redirected here together with a new cookie.
pub(in crate::site) fn is_cookie_sent(uri: &Uri) -> bool {
    uri.query() == Some(COOKIE_SENT)
}

/// The server's URL as the client sees it, determined by the guard.
pub(in crate::site) fn site_url(parts: &Parts) -> SiteUrl {
    let url = parts.extensions.get::<SiteUrl>().cloned();
    url.unwrap_or_else(SiteUrl::unknown)
}

/// Whether the request came over TLS, according to a trusted proxy.
pub(in crate::site) fn is_secure(parts: &Parts) -> bool {
    parts
        .extensions
        .get::<Client>()
        .is_some_and(|client| client.secure)
}

/// The network that a request comes from.
pub(in crate::site) fn client_network(parts: &Parts) -> ClientNetwork {
    let client = parts.extensions.get::<Client>();
    client.unwrap_or(&Client::UNKNOWN).client_network()
}

impl<S: Send + Sync> FromRequestParts<S> for BrowserSession {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let token = match BearerToken::from_request_parts(parts, state).await? {
            BearerToken::Present(token) => Some(token),
            BearerToken::Absent | BearerToken::Invalid => None,
        };
        let (headers, cookies) = (&parts.headers, CookieScope::of(parts));
        let [tls, open] = [true, false].map(|secure| cookies.over_tls(secure));
        let secure = cookies.secure;
        let bound: Vec<Secret> = secrets(headers, SecretCookie::Browser.name(&tls)).collect();
        let plain: Vec<Secret> = secrets(headers, SecretCookie::Browser.name(&open)).collect();
        let renewal = cookies.over_tls(secure || !bound.is_empty());
        let (trusted, untrusted) = if secure {
            (Vec::new(), plain)
        } else {
            (plain, Vec::new())
        };
        // If there are two with the same name, setting one could overwrite the other.
        let is_only = bound.len().max(trusted.len()) == 1;
        let mut own = bound.into_iter().chain(trusted);
        let secret = own.next();
        let mut known: Vec<SecretHash> = secret.iter().map(Secret::hash).collect();
        let mut is_another = |secret: &Secret| {
            let hash = secret.hash();
            let is_another = !known.contains(&hash);
            known.push(hash);
            is_another
        };
        let mut credentials = Credentials {
            browser: secret.as_ref().map(Secret::hash),
            client_network: Some(client_network(parts)),
            ..Credentials::default()
        };
        let former = SecretCookie::Former;
        let plain_former = (!secure).then(|| secrets(headers, former.name(&open)));
        let former = secrets(headers, former.name(&tls)).chain(plain_former.into_iter().flatten());
        let also = former.chain(own);
        let also = also
            .filter(&mut is_another)
            .take(credentials.other_browsers.len());
        let also: Vec<Secret> = also.collect();
        for (slot, secret) in credentials.other_browsers.iter_mut().zip(&also) {
            *slot = Some(secret.hash());
        }
        let unconfirmed = untrusted.into_iter().find(&mut is_another);
        let accept_headers = headers.get_all(header::ACCEPT).iter();
        let takes_pages = accept_headers
            .filter_map(|value| value.to_str().ok())
            .any(|value| value.contains("text/html"));
        let url = site_url(parts);
        Ok(BrowserSession {
            secret,
            renewal,
            is_only,
            other_secrets: also,
            unconfirmed,
            credentials,
            cookies,
            jar: cookie_jar(headers),
            token,
            accepts_html: takes_pages,
            client_network: client_network(parts),
            origin: url.to_string(),
            link_origin: LinkOrigin::from_request(parts, &url),
        })
    }
}

/// The bearer token of an API request.
pub(in crate::site) enum BearerToken {
    Absent,
    Invalid,
    Present(SecretHash),
}

impl BearerToken {
    /// The token's hash, if there is a valid token.
    pub(in crate::site) fn hash(&self) -> Option<SecretHash> {
        match self {
            BearerToken::Present(hash) => Some(*hash),
            BearerToken::Absent | BearerToken::Invalid => None,
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for BearerToken {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let bearer =
            <TypedHeader<Authorization<Bearer>> as OptionalFromRequestParts<S>>::from_request_parts(
                parts, state,
            )
            .await;
        Ok(match bearer {
            Ok(None) => BearerToken::Absent,
            Ok(Some(TypedHeader(Authorization(bearer)))) => {
                match bearer.token().parse::<Secret>() {
                    Ok(secret) => BearerToken::Present(secret.hash()),
                    Err(_) => BearerToken::Invalid,
                }
            }
            // An authorization of another scheme.
            Err(_) => BearerToken::Absent,
        })
    }
}

/// Creates a game with the browser's secret, which the browser gets if it has none, and redirects to the game. A browser
/// that may refuse cookies is sent to a seat link, preferably its own: that page reports whether the cookie was stored.
pub(in crate::site) async fn enter_new_game<E>(
    app: &App,
    browser: BrowserSession,
    create: impl AsyncFnOnce(Secret) -> Result<Arc<Snapshot>, E>,
) -> Result<Response, E> {
    let may_refuse_cookies = browser.may_refuse_cookies();
    let (secret, jar) = browser.ensure_secret();
    let snapshot = create(secret.clone()).await?;
    let mut players = Player::all(snapshot.live.players()).filter(|_| may_refuse_cookies);
    let own = players.find_map(|player| snapshot.derive_return_token(&secret, player));
    let table = || snapshot.derive_table_token(&secret);
    let link = own.or_else(|| table().filter(|_| may_refuse_cookies));
    let to = match link {
        Some(link) => format!("/join/{}?{COOKIE_SENT}", link.to_text()),
        None => format!("/g/{}", snapshot.id),
    };
    Ok((jar, app.redirect(&to)).into_response())
}
