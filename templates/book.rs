//! To come.
use maud::{Markup, html};

use super::page::{Site, page};
use super::text::Text;
#[allow(unused_imports)]
use super::view::*;

/// To come.
#[must_use]
pub fn book_page(site: &Site<'_>, text: &Text, _view: &BookView) -> Markup {
    page(site, text, "book", html! {})
}
