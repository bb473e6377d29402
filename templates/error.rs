//! Error pages: one sentence and a link, with the board where there is one.

use maud::{Markup, html};

use super::board::picture;
use super::page::{Refresh, Site, page, titled};
use super::text::Text;
use super::view::{ErrorView, GameView};

/// An error page.
#[must_use]
pub fn error_page(
    site: &Site<'_>,
    text: &Text,
    error: &ErrorView,
    game: Option<&GameView>,
) -> Markup {
    let sentence = text.say(error.key);
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
