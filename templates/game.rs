//! To come.
use maud::{Markup, html};

use super::page::{Site, page};
use super::text::Text;
#[allow(unused_imports)]
use super::view::*;

/// To come.
#[must_use]
pub fn game_page(site: &Site<'_>, text: &Text, _view: &GameView) -> Markup {
    page(site, text, "game", html! {})
}
/// To come.
#[must_use]
pub fn game_fragment(_site: &Site<'_>, _text: &Text, _view: &GameView) -> Markup {
    html! { main #main {} }
}
