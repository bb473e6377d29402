//! To come.
use maud::{Markup, html};

use super::page::{Site, page};
use super::text::Text;
#[allow(unused_imports)]
use super::view::*;

/// To come.
#[must_use]
pub fn games_page(site: &Site<'_>, text: &Text, _cards: &[CardView]) -> Markup {
    page(site, text, "games", html! {})
}
