//! To come.
use maud::{Markup, html};

use super::page::{Site, page};
use super::text::Text;
#[allow(unused_imports)]
use super::view::*;

/// To come.
#[must_use]
pub fn error_page(
    site: &Site<'_>,
    text: &Text,
    error: &ErrorView,
    _game: Option<&GameView>,
) -> Markup {
    page(site, text, error.key, html! {})
}
