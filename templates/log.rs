//! To come.
use maud::{Markup, html};

use super::page::{Site, page};
use super::text::Text;
#[allow(unused_imports)]
use super::view::*;

/// To come.
#[must_use]
pub fn log_page(
    site: &Site<'_>,
    text: &Text,
    _id: &str,
    _entries: &[LogEntry],
    _players: &[PlayerView],
) -> Markup {
    page(site, text, "log", html! {})
}
