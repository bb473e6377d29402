//! The Atom feed (RFC 4287) of a browser, and its part of the settings page.

use maud::{Markup, PreEscaped, html};

use super::daily::day_in_words;
use super::games::{CardView, card_title, utc_time};
use super::localization::Translations;
use super::players::PlayerNames;
use super::seats::{LinkReach, copyable_link, link_reach_notice};
use super::xml;

/// A feed.
#[derive(Clone, Debug)]
pub struct FeedView {
    /// The permanent id, an IRI.
    pub id: String,
    /// URL of the feed.
    pub address: String,
    /// URL of the site, without a slash at the end.
    pub origin: String,
    /// Its entries.
    pub entries: Vec<FeedEntryView>,
}

/// An entry of a feed.
#[derive(Clone, Debug)]
pub struct FeedEntryView {
    /// The permanent id, an IRI.
    pub id: String,
    /// Unix time of what it tells, in milliseconds.
    pub updated_ms: i64,
    /// What it tells.
    pub news: FeedNews,
}

/// What an entry tells.
#[derive(Clone, Debug)]
pub enum FeedNews {
    /// It is the owner's turn in this game.
    Turn(Box<CardView>),
    /// The board of this day.
    Daily(String),
}

/// Renders a feed as XML.
#[must_use]
pub fn feed(text: &Translations, view: &FeedView) -> Markup {
    let updated_ms = view.entries.iter().map(|entry| entry.updated_ms).max();
    let name = text.get("site-name");
    // Every element is closed, because maud's void elements are not XML.
    let document = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"))
        feed xmlns="http://www.w3.org/2005/Atom" xml:lang=(text.language().tag()) {
            id { (view.id) }
            title { (name) }
            updated { (utc_time(updated_ms.unwrap_or(0))) }
            author { name { (name) } }
            link rel="self" type="application/atom+xml" href=(view.address) {}
            link rel="alternate" type="text/html" href={ (view.origin) "/" } {}
            @for entry in &view.entries { (entry_element(text, view, entry)) }
        }
    };
    xml::document(document.into_string())
}

fn entry_element(text: &Translations, view: &FeedView, entry: &FeedEntryView) -> Markup {
    let (title, summary, path) = match &entry.news {
        FeedNews::Turn(game) => {
            let title = card_title(text, game);
            let title = text.get_with("feed-turn", &[("what", title.as_str().into())]);
            let names = PlayerNames::new(text, &game.players);
            let stage = game.stage.render(text, &names);
            (title, stage.into(), format!("/g/{}", game.id))
        }
        FeedNews::Daily(day) => (
            text.get_with("daily-title", &[("day", day_in_words(text, day).into())]),
            text.get("daily-headline"),
            format!("/daily/{day}"),
        ),
    };
    html! {
        entry {
            id { (entry.id) }
            title { (title) }
            updated { (utc_time(entry.updated_ms)) }
            link rel="alternate" type="text/html" href={ (view.origin) (path) } {}
            summary { (summary) }
        }
    }
}

/// The part of the settings page: the feed's address, if there is one, and who can open it.
pub(super) fn feed_settings(text: &Translations, address: Option<&(String, LinkReach)>) -> Markup {
    html! {
        section.panel.settings-part #feed {
            h2 { (text.get("feed-title")) }
            p { (text.get("feed-lead")) }
            @if let Some((address, reach)) = address {
                label for="feed-address" { (text.get("feed-address")) }
                (copyable_link(text, "feed-address", address))
                (link_reach_notice(text, reach))
            }
            p.hint { (text.get("feed-secret")) }
            form method="post" action=(text.path("/settings/feed")) {
                button.btn { (text.get(if address.is_some() { "feed-renew" } else { "feed-make" })) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::localization::Language;
    use super::*;

    #[test]
    fn no_text_makes_the_feed_unreadable() {
        let text = Translations::new(Language::English, |_| [""; 0], None);
        let entry = FeedEntryView {
            id: "urn:x".to_owned(),
            updated_ms: 0,
            news: FeedNews::Daily("Ada\u{ffff}\u{1b}".to_owned()),
        };
        let view = FeedView {
            id: "urn:y".to_owned(),
            address: "/feed/x.atom".to_owned(),
            origin: String::new(),
            entries: vec![entry],
        };
        let document = feed(&text, &view).into_string();
        assert!(
            document.contains("/daily/Ada\u{fffd}\u{fffd}"),
            "{document}"
        );
    }
}
