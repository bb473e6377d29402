//! The settings page, which changes the display options.

use axum::Router;
use axum::routing::{get, post};
use std::convert::Infallible;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde::Deserialize;

use super::feed;
use super::shared::app::App;
use super::shared::display_options::{OPTIONS_COOKIE, settings};
use super::shared::identity::{BrowserSession, long_lived, site_url};
use crate::games::FormFields;
use crate::http::error::HttpError;
use crate::http::site_url::SiteUrl;
use crate::site::shared::form::{Form, Query};
use crate::site::shared::limits::RouteLimits;
use crate::site::shared::page_cache::{PageInput, PageRequest, RenderContext};
use crate::templates::page::NavSection;
use crate::templates::preferences::UserPreferences;
use crate::templates::seats::LinkReach;
use crate::templates::settings::SettingsView;
use crate::templates::settings_page;

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new()
        .route("/settings", limits.reading(get(show).post(save)))
        .route("/language", limits.reading(post(save_language)))
}

#[derive(Deserialize, Default)]
pub(super) struct SettingsQuery {
    back: Option<String>,
    saved: Option<String>,
}

/// The path on this server that the reader comes from, as an extractor.
pub(super) struct Referrer(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for Referrer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(Referrer(referring_path(&parts.headers, &site_url(parts))))
    }
}

/// `GET /settings`
async fn show(
    browser: BrowserSession,
    request: PageRequest,
    Referrer(page): Referrer,
    query: Result<Query<SettingsQuery>, HttpError>,
) -> Result<Response, HttpError> {
    let query = query.map_or_else(|_| SettingsQuery::default(), |Query(query)| query);
    let back = match &query.back {
        Some(back) => local_path(back),
        None => page,
    };
    request.respond(&SettingsPageInput {
        saved: query.saved.is_some(),
        back,
        feed: feed::address(&request.app, &browser).await?,
    })
}

#[derive(Hash)]
struct SettingsPageInput {
    saved: bool,
    back: Option<String>,
    feed: Option<(String, LinkReach)>,
}

impl PageInput for SettingsPageInput {
    type Error = HttpError;

    fn render(&self, context: &RenderContext<'_>) -> Result<String, HttpError> {
        let kinds = context.games.game_types();
        let view = SettingsView {
            saved: self.saved,
            back: self.back.clone(),
            feed: self.feed.clone(),
            examples: kinds.filter_map(|kind| kind.settings_example()).collect(),
        };
        let site = context.site(NavSection::Settings);
        Ok(settings_page(&site, context.text(), &view).into_string())
    }
}

/// `POST /settings`: saves the choices, and redirects to the settings page or to where the reader came from.
async fn save(
    State(app): State<App>,
    browser: BrowserSession,
    Form(form): Form<FormFields>,
) -> Result<Response, HttpError> {
    form.has_only(&[UserPreferences::names(), vec!["next", "back"]].concat())?;
    let field = |name: &str| form.first(name).and_then(local_path);
    let to = match (field("next"), field("back")) {
        (Some(next), _) => next,
        (None, Some(back)) => {
            format!("/settings?saved=1&back={}", within_query(&back))
        }
        (None, None) => "/settings?saved=1".to_owned(),
    };
    Ok((merge_preferences(browser, &form), app.redirect(&to)).into_response())
}

/// `POST /language`: saves the language, and redirects to the page on which it was switched.
async fn save_language(
    State(app): State<App>,
    browser: BrowserSession,
    Referrer(page): Referrer,
    Form(form): Form<FormFields>,
) -> Result<Response, HttpError> {
    form.has_only(&["language"])?;
    let to = page.unwrap_or_else(|| "/settings".to_owned());
    Ok((merge_preferences(browser, &form), app.redirect(&to)).into_response())
}

/// Saves the submitted settings; a form may contain only some of them, and the others are unchanged.
fn merge_preferences(browser: BrowserSession, form: &FormFields) -> CookieJar {
    let mut settings = settings(&browser.jar);
    for (name, word) in &form.0 {
        settings.set_by_name(name, word);
    }
    let cookie = Cookie::build((OPTIONS_COOKIE, settings.to_string()))
        .path(browser.cookies.path())
        .same_site(SameSite::Lax)
        .secure(browser.cookies.secure)
        .build();
    if settings == UserPreferences::default() {
        browser.jar.remove(cookie)
    } else {
        browser.jar.add(long_lived(cookie))
    }
}

/// Returns the path if it is one of this server that a browser cannot take for another site's URL.
fn local_path(path: &str) -> Option<String> {
    let plain = path
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let ours = path.starts_with('/') && !path.starts_with("//") && path.len() <= 512;
    (plain && ours).then(|| path.to_owned())
}

/// Encodes a path as a query value.
fn within_query(path: &str) -> PercentEncode<'_> {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'-')
        .remove(b'_')
        .remove(b'.');
    utf8_percent_encode(path, KEPT)
}

/// The path suffixes of a game that accept forms only.
const FORMS: [&str; 9] = [
    "/moves", "/undo", "/resign", "/seats", "/table", "/rematch", "/play-on", "/entropy",
    "/phrases",
];

/// The path on this server that the reader comes from. The path of a form leads to its game, and the query is dropped
/// where it could do more than show a page.
fn referring_path(headers: &HeaderMap, url: &SiteUrl) -> Option<String> {
    let from: Uri = headers.get(header::REFERER)?.to_str().ok()?.parse().ok()?;
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let authority = from.authority()?;
    let path = url.base_path.strip(from.path());
    if (authority != &url.authority && authority.as_str() != host) || path == "/settings" {
        return None;
    }
    match FORMS.iter().find_map(|form| path.strip_suffix(form)) {
        Some(game) => local_path(game),
        None if path == "/game.html" => local_path(&path),
        None if path == "/games" => local_path("/"),
        None if path.starts_with("/tables/") => local_path("/tables"),
        None => local_path(&url.base_path.strip(from.path_and_query()?.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_paths_are_redirect_targets() {
        for path in ["/", "/g/abc?from=3", "/me"] {
            assert_eq!(local_path(path).as_deref(), Some(path));
        }
        let long = format!("/{}", "a".repeat(600));
        for path in [
            "",
            "g",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/a\r\nSet-Cookie: x=y",
            "/a b",
            "/\u{1f3b2}",
            &long,
        ] {
            assert_eq!(local_path(path), None, "{path}");
        }
    }

    fn check_referring_path(referer: &str, expect: Option<&str>) {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "dice.example:8080".parse().unwrap());
        headers.insert(header::REFERER, referer.parse().unwrap());
        let came_from = referring_path(&headers, &SiteUrl::unknown());
        assert_eq!(came_from.as_deref(), expect, "{referer}");
    }

    #[test]
    fn referer_matches_the_public_host_behind_a_proxy() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "127.0.0.1:8080".parse().unwrap());
        let referer = "https://dice.example/dice/g/ab/moves".parse().unwrap();
        headers.insert(header::REFERER, referer);
        let url = SiteUrl {
            authority: "dice.example".parse().unwrap(),
            base_path: "/dice".parse().unwrap(),
            ..SiteUrl::unknown()
        };
        assert_eq!(referring_path(&headers, &url).as_deref(), Some("/g/ab"));
    }

    #[test]
    fn referer_leads_to_a_viewable_page() {
        check_referring_path("http://dice.example:8080/g/ab?from=3", Some("/g/ab?from=3"));
        check_referring_path("http://dice.example:8080/g/ab/moves", Some("/g/ab"));
        check_referring_path("http://dice.example:8080/g/ab/rematch", Some("/g/ab"));
        check_referring_path("http://dice.example:8080/rules?x=1", Some("/rules?x=1"));
        check_referring_path(
            "http://dice.example:8080/game.html?chosen=3&ply=2",
            Some("/game.html"),
        );
        check_referring_path("http://dice.example:8080/games", Some("/"));
        check_referring_path("http://dice.example:8080/settings?saved=1", None);
        check_referring_path("http://evil.example/g/ab", None);
        check_referring_path("nonsense", None);
        assert_eq!(
            within_query("/g/ab?from=3&to=4").to_string(),
            "/g/ab%3Ffrom%3D3%26to%3D4"
        );
    }
}
