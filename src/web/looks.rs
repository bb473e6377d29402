//! The reader's look: read from every request, chosen on one page.
//!
//! One cookie that scripts may read holds what is not as usual, in the words of
//! [`Settings`]; nothing in it is secret, and whatever else stands there is passed over.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum_extra::extract::cookie::CookieJar;

use crate::templates::view::{Drawing, Look, Settings};

/// What the reader chose.
const LOOK: &str = "dod_look";

/// Set by the script on narrow pages, where nobody chose a board.
const NARROW: &str = "dod_narrow";

/// The look that a request asks for: the cookie's, and a flat board on phones where none was chosen.
pub(super) fn asked(headers: &HeaderMap) -> Look {
    let jar = CookieJar::from_headers(headers);
    let phone = headers
        .get("sec-ch-ua-mobile")
        .is_some_and(|mobile| mobile.as_bytes() == b"?1");
    let narrow = jar.get(NARROW).is_some_and(|cookie| cookie.value() == "1");
    let usual = if phone || narrow {
        Drawing::Flat
    } else {
        Drawing::Book
    };
    Look::new(settings(&jar), usual)
}

/// The look of the book's page: the book's board, unless the reader chose another.
pub(super) fn in_the_book(jar: &CookieJar) -> Look {
    Look::new(settings(jar), Drawing::Book)
}

fn settings(jar: &CookieJar) -> Settings {
    jar.get(LOOK)
        .map(|cookie| Settings::read(cookie.value()))
        .unwrap_or_default()
}

impl<S: Send + Sync> FromRequestParts<S> for Look {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(asked(&parts.headers))
    }
}
