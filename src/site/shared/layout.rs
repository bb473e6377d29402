//! The layout of pages.

use super::app::App;
use crate::http::assets;
use crate::http::base_path::BasePath;
use crate::templates::page::NavSection;
use crate::templates::preferences::DisplayOptions;
use crate::templates::{AssetUrls, SiteContext};

/// The embedded files, as the templates see them.
impl AssetUrls for BasePath {
    fn url(&self, name: &str) -> String {
        assets::url(self, name)
    }
}

impl App {
    /// The context of the page layout.
    pub(in crate::site) fn site(
        &self,
        section: NavSection,
        display: DisplayOptions,
    ) -> SiteContext<'_> {
        SiteContext {
            section,
            assets: &self.base_path,
            display,
            origin: None,
        }
    }
}
