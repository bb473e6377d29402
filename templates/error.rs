//! Error pages: one sentence and a link, with the board if the request was for a game.

use maud::{Markup, html};

use super::game::GameView;
use super::localization::Translations;
use super::page::{Refresh, SiteContext, page, page_title};

/// View of an error page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorView {
    /// HTTP status.
    pub status: u16,
    /// Key of the sentence in `templates/text/*.ftl`.
    pub key: &'static str,
    /// The origin of the request and the server's host, if a cross-site request was rejected.
    pub hosts: Option<[String; 2]>,
    /// Identifies the request in the log; shown for status 500 and above.
    pub request_id: Option<String>,
}

/// Renders an error page.
#[must_use]
pub fn error_page(
    site: &SiteContext<'_>,
    text: &Translations,
    error: &ErrorView,
    game: Option<&GameView>,
) -> Markup {
    let sentence = text.get(error.key);
    let main = html! {
        main #main.page data-plain {
            p.eyebrow { (error.status) }
            h1 { (sentence) }
            @if let Some([origin, host]) = &error.hosts {
                p { (text.get_with("error-cross-site-hosts", &[("origin", origin.as_str().into()), ("host", host.as_str().into())])) }
            }
            p.row {
                @if let Some(game) = game {
                    a.btn.main href={ (text.path("/g/")) (game.id) } { (text.get("error-game")) }
                    a.btn href=(text.path("/")) { (text.get("error-home")) }
                } @else { a.btn.main href=(text.path("/")) { (text.get("error-home")) } }
            }
            @if let Some(id) = error.request_id.as_deref().filter(|_| error.status >= 500) {
                p.sub { (text.get_with("error-number", &[("id", id.into())])) }
            }
            @if let Some(game) = game { (game.board.picture(text, &site.display, &text.get("board"))) }
        }
    };
    page(
        site,
        text,
        &page_title(text, &sentence),
        &Refresh::Never,
        main,
    )
}
