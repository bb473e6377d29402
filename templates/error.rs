//! Something went wrong: one sentence and a way on, with the board where there is one.

use maud::{Markup, html};

use super::board::picture;
use super::page::{Refresh, Site, page, titled};
use super::text::Text;
use super::view::{ErrorView, GameView};

/// An error page. `error.key` is a key below `error-`, with or without that prefix; an unknown one
/// falls back to the sentence of its status.
#[must_use]
pub fn error_page(
    site: &Site<'_>,
    text: &Text,
    error: &ErrorView,
    game: Option<&GameView>,
) -> Markup {
    let sentence = sentence(text, error);
    let main = html! {
        main #main.page data-plain {
            p.eyebrow { (error.status) }
            h1 { (sentence) }
            p.row {
                @if let Some(game) = game {
                    a.btn.main href={ "/g/" (game.id) } { (text.say("error-game")) }
                    a.btn href="/" { (text.say("error-home")) }
                } @else { a.btn.main href="/" { (text.say("error-home")) } }
            }
            @if let Some(id) = error.request_id.as_deref().filter(|_| error.status >= 500) {
                p.sub { (text.say_with("error-number", &[("id", id.into())])) }
            }
            @if let Some(game) = game { (picture(text, &site.look, &game.board, &text.say("board"))) }
        }
    };
    page(site, text, &titled(text, &sentence), &Refresh::Never, main)
}

fn sentence(text: &Text, error: &ErrorView) -> String {
    let name = error.key.strip_prefix("error-").unwrap_or(error.key);
    let key = format!("error-{name}");
    if text.has(&key) {
        return text.say(&key).into_owned();
    }
    text.say(match error.status {
        400 => "error-bad-request",
        401 | 403 => "error-forbidden",
        404 | 410 => "error-not-found",
        405 => "error-method",
        408 | 504 => "error-timeout",
        409 => "error-stale",
        413 | 414 | 431 => "error-too-large",
        415 => "error-unsupported",
        422 => "error-illegal",
        429 => "error-too-many",
        503 => "error-busy",
        _ => "error-internal",
    })
    .into_owned()
}
