//! The start page: one button, and everything else below it.

use maud::{Markup, html};

use super::form::form;
use super::games::cards;
use super::hexes::picture;
use super::page::{Refresh, Site, page};
use super::text::Text;
use super::view::StartView;

/// The page `/`.
#[must_use]
pub fn start_page(site: &Site<'_>, text: &Text, view: &StartView) -> Markup {
    let main = html! {
        main #main {
            div.start {
                section.hero {
                    p.eyebrow { (with_title(&text.say("start-eyebrow"))) }
                    h1 { (text.say("start-headline")) }
                    p.lead { (text.say("start-lead")) }
                    form.play method="post" action="/games" {
                        input type="hidden" name="game" value="dice";
                        button.btn.main.huge {
                            svg.face.p0 aria-hidden="true" { use href="#f5" {} }
                            span { (text.say("start-play")) }
                        }
                        p.why { (text.say("start-why")) }
                    }
                    form.second method="post" action="/games" {
                        input type="hidden" name="game" value="trilobite";
                        button.btn { (text.say("start-trilobite")) }
                    }
                    (form(text, &view.form))
                    p.learn { (linked(&text.say("start-learn"), "/rules")) }
                }
                div.live { div.bd { (picture(&site.look, &view.hero, &text.say("board-hero"))) } }
                @if !view.games.is_empty() {
                    section.mine {
                        h2 { (text.say("start-games")) }
                        (cards(text, &view.games))
                        p { a href="/games" { (text.say("start-all-games")) } }
                    }
                }
                @if !view.watch.is_empty() {
                    section.mine.watch {
                        h2 { (text.say("start-watch")) }
                        (cards(text, &view.watch))
                    }
                }
            }
        }
    };
    page(site, text, &text.say("start-title"), &Refresh::Never, main)
}

/// A sentence whose part between bars is a title.
fn with_title(sentence: &str) -> Markup {
    html! { @for (i, part) in sentence.split('|').enumerate() { @if i % 2 == 1 { i { (part) } } @else { (part) } } }
}

/// A sentence whose part between bars is a link.
pub(super) fn linked(sentence: &str, href: &str) -> Markup {
    html! { @for (i, part) in sentence.split('|').enumerate() { @if i % 2 == 1 { a href=(href) { (part) } } @else { (part) } } }
}
