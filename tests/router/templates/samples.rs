//! Values written down by hand, from which the pages are drawn. The site and its words stand here, and in the
//! rooms below what a page shows.

use std::sync::LazyLock;

use dice_of_doom::game_adapters::Registry;
use dice_of_doom::templates::view::{Asked, Back, Drawing, Look, Prompt, Said, Section, Settings};
use dice_of_doom::templates::{AssetUrls, Language, Site, Text};

pub(crate) mod boards;
pub(crate) mod chips;
pub(crate) mod dice;
pub(crate) mod over;
pub(crate) mod pages;
pub(crate) mod seats;
pub(crate) mod start;
pub(crate) mod turns;

struct Plain;

impl AssetUrls for Plain {
    fn url(&self, name: &str) -> String {
        name.to_owned()
    }
}

pub(crate) fn site(section: Section) -> Site<'static> {
    Site {
        section,
        assets: &Plain,
        look: Look::default(),
        origin: None,
    }
}

pub(crate) fn site_with(settings: &str, section: Section) -> Site<'static> {
    let look = Look::new(Settings::read(settings), Drawing::Book, Language::English);
    Site {
        look,
        ..site(section)
    }
}

pub(crate) fn text() -> &'static Text {
    text_in(Language::English)
}

pub(crate) fn text_in(language: Language) -> &'static Text {
    static GAMES: LazyLock<Registry> = LazyLock::new(Registry::house);
    GAMES.text(language)
}

fn asked(headline: Said, sub: Said, back: Option<(&str, &'static str)>) -> Prompt {
    Prompt::Move(Asked {
        headline,
        sub,
        sub_without_odds: None,
        back: back.map(|(href, key)| Back {
            href: href.to_owned(),
            key,
        }),
    })
}
