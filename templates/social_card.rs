//! Link previews (Open Graph) that chats and other sites show for a page.

use maud::{Markup, html};

use super::localization::Translations;

/// Width of a preview image, in pixels.
pub const WIDTH: u32 = 1200;

/// Height of a preview image, in pixels.
pub const HEIGHT: u32 = 630;

/// The contents of a page's link preview.
pub(super) struct SocialCard {
    pub(super) title: String,
    pub(super) description: String,
    /// Path of the page; `None` if the path is a secret.
    pub(super) path: Option<String>,
    pub(super) picture: String,
}

impl SocialCard {
    /// The `<meta>` tags; `origin` is the server's address as the client sees it, and precedes all paths.
    pub(super) fn tags(&self, text: &Translations, origin: &str) -> Markup {
        let picture = format!("{origin}{}", self.picture);
        let tags = [
            ("og:type", "website"),
            ("og:site_name", &*text.get("site-name")),
            ("og:title", &*self.title),
            ("og:description", &*self.description),
            ("og:image", &*picture),
            ("og:image:type", "image/png"),
            ("og:image:width", &*WIDTH.to_string()),
            ("og:image:height", &*HEIGHT.to_string()),
            ("og:image:alt", &*text.get("board")),
        ]
        .map(|(property, content)| html! { meta property=(property) content=(content); });
        html! {
            @for tag in tags { (tag) }
            @if let Some(path) = &self.path { meta property="og:url" content={ (origin) (path) }; }
            meta name="twitter:card" content="summary_large_image";
        }
    }
}
