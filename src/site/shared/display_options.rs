//! The display options of a request.
//!
//! A cookie that scripts may read holds the settings that differ from the default, in the format of
//! [`UserPreferences`]. It contains no secrets, and unknown parts are ignored.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum_extra::extract::cookie::{CookieJar, SameSite};

use super::accept_language::accepted;
use super::identity::{BrowserSession, cookie_jar, long_lived};
use crate::templates::Language;
use crate::templates::preferences::{BoardDrawing, DisplayOptions, UserPreferences};

/// The cookie with the reader's choices.
pub(in crate::site) const OPTIONS_COOKIE: &str = "dod_look";

/// Cookie set by the script on narrow pages if no board was chosen.
const NARROW_COOKIE: &str = "dod_narrow";

/// Cookie of a reader who has finished or skipped the first lesson.
const LESSON_COOKIE: &str = "dod_lesson";

/// Whether the reader has finished or skipped the first lesson.
pub(in crate::site) fn is_lesson_known(jar: &CookieJar) -> bool {
    jar.get(LESSON_COOKIE).is_some()
}

/// The cookies of a reader who has now finished or skipped the first lesson.
pub(in crate::site) fn with_lesson_known(browser: BrowserSession) -> CookieJar {
    let mut cookie = browser.cookies.cookie(LESSON_COOKIE, "1".to_owned());
    // A link from another site leads to the same start page.
    cookie.set_same_site(SameSite::Lax);
    browser.jar.add(long_lived(cookie))
}

/// The display options of a request: those of the cookie; without a choice, a flat board on phones and the browser's
/// language.
pub(in crate::site) fn requested_options(headers: &HeaderMap) -> DisplayOptions {
    let jar = cookie_jar(headers);
    let phone = headers
        .get("sec-ch-ua-mobile")
        .is_some_and(|mobile| mobile.as_bytes() == b"?1");
    let narrow = jar
        .get(NARROW_COOKIE)
        .is_some_and(|cookie| cookie.value() == "1");
    let default = if phone || narrow {
        BoardDrawing::Flat
    } else {
        BoardDrawing::Book
    };
    display_options(&jar, default, headers)
}

/// The display options of the book's page: the book's board, unless the reader chose another.
pub(in crate::site) fn book_page_options(headers: &HeaderMap) -> DisplayOptions {
    let jar = cookie_jar(headers);
    display_options(&jar, BoardDrawing::Book, headers)
}

/// A fragment uses the language of the page that a script inserts it into, even if another was chosen since.
fn display_options(jar: &CookieJar, default: BoardDrawing, headers: &HeaderMap) -> DisplayOptions {
    let settings = settings(jar);
    let page_language = headers.get("x-language").and_then(|tag| tag.to_str().ok());
    let chosen = page_language
        .and_then(Language::from_tag)
        .or(settings.language);
    DisplayOptions::new(
        settings,
        default,
        chosen.unwrap_or_else(|| accepted(headers)),
    )
}

/// The reader's choices.
pub(in crate::site) fn settings(jar: &CookieJar) -> UserPreferences {
    jar.get(OPTIONS_COOKIE)
        .map(|cookie| UserPreferences::parse(cookie.value()))
        .unwrap_or_default()
}

pub(in crate::site) struct RequestDisplayOptions(pub(in crate::site) DisplayOptions);

impl<S: Send + Sync> FromRequestParts<S> for RequestDisplayOptions {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let known = parts.extensions.get().copied();
        let display = known.unwrap_or_else(|| requested_options(&parts.headers));
        Ok(RequestDisplayOptions(display))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_drawing(headers: &[(&'static str, &'static str)], expect: BoardDrawing) {
        let mut sent = HeaderMap::new();
        for (name, value) in headers {
            sent.append(*name, value.parse().unwrap());
        }
        assert_eq!(requested_options(&sent).drawing, expect, "{headers:?}");
    }

    #[test]
    fn phones_default_to_the_flat_board() {
        use BoardDrawing::{Book, Flat};
        check_drawing(&[], Book);
        check_drawing(&[("sec-ch-ua-mobile", "?1")], Flat);
        check_drawing(&[("sec-ch-ua-mobile", "?0")], Book);
        check_drawing(&[("cookie", "dod_narrow=1")], Flat);
        check_drawing(&[("cookie", "dod_narrow=0")], Book);
        check_drawing(&[("cookie", "dod_look=board-flat")], Flat);
        check_drawing(
            &[
                ("sec-ch-ua-mobile", "?1"),
                ("cookie", "dod_look=board-book"),
            ],
            Book,
        );
        check_drawing(
            &[("cookie", "dod_narrow=1; dod_look=theme-dark.board-book")],
            Book,
        );
    }
}
