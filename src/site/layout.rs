//! The layout of pages.

use crate::http::assets;
use crate::templates::view::{DisplayOptions, NavSection};
use crate::templates::{AssetUrls, SiteContext};

/// The embedded files, as the templates see them.
struct Assets;

impl AssetUrls for Assets {
    fn url(&self, name: &str) -> String {
        assets::url(name)
    }
}

/// The context of the page layout.
pub(super) fn site(section: NavSection, display: DisplayOptions) -> SiteContext<'static> {
    SiteContext {
        section,
        assets: &Assets,
        display,
        origin: None,
    }
}
