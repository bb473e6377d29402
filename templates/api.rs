//! To come.
use maud::{Markup, html};

use super::page::{Site, page};
use super::text::Text;
#[allow(unused_imports)]
use super::view::*;

/// To come.
#[must_use]
pub fn api_page(site: &Site<'_>, text: &Text) -> Markup {
    page(site, text, "api", html! {})
}
