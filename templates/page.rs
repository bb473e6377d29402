//! The frame of every page.

use maud::{DOCTYPE, Markup, html};

use super::text::Text;
use super::view::Section;

/// Where the static files are.
pub trait AssetUrls {
    /// The address of the file with this plain name, such as `style.css`.
    fn url(&self, name: &str) -> String;
}

/// What every page needs to know about its surroundings.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// Which entry of the navigation is current.
    pub section: Section,
    /// Where the static files are.
    pub assets: &'a (dyn AssetUrls + Sync),
}

/// A whole page around its content.
pub(super) fn page(site: &Site<'_>, text: &Text, title: &str, main: Markup) -> Markup {
    html! { (DOCTYPE) html lang=(text.language().tag()) { head { title { (title) } link rel="stylesheet" href=(site.assets.url("style.css")); } body { main #main { (main) } } } }
}
