//! The card that chats and other sites show for a link to a page.

use maud::{Markup, html};

use super::localization::Translations;

/// The width of the picture of a card, in pixels.
pub const WIDTH: u32 = 1200;

/// The height of the picture of a card, in pixels.
pub const HEIGHT: u32 = 630;

/// What stands on the card of a page.
pub(super) struct SocialCard {
    /// What the page is.
    pub(super) title: String,
    /// What can be done there.
    pub(super) description: String,
    /// The page's address without the origin; none where it is a secret.
    pub(super) path: Option<String>,
    /// The picture's address without the origin.
    pub(super) picture: String,
}

impl SocialCard {
    /// The tags of the page's head; `origin` is where the server is for whoever asks.
    pub(super) fn tags(&self, text: &Translations, origin: &str) -> Markup {
        let picture = format!("{origin}{}", self.picture);
        let tags = [
            ("og:type", "website"),
            ("og:site_name", &*text.say("site-name")),
            ("og:title", &*self.title),
            ("og:description", &*self.description),
            ("og:image", &*picture),
            ("og:image:type", "image/png"),
            ("og:image:width", &*WIDTH.to_string()),
            ("og:image:height", &*HEIGHT.to_string()),
            ("og:image:alt", &*text.say("board")),
        ]
        .map(|(property, content)| html! { meta property=(property) content=(content); });
        html! {
            @for tag in tags { (tag) }
            @if let Some(path) = &self.path { meta property="og:url" content={ (origin) (path) }; }
            meta name="twitter:card" content="summary_large_image";
        }
    }
}
