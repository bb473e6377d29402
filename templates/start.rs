//! The start page: one button, and everything else below it.

use std::sync::Arc;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::games::{CardView, card, cards};
use super::localization::Translations;
use super::message::LocalizedMessage;
use super::new_game_form::{NewGameFormView, form};
use super::page::{Refresh, SiteContext, emphasised, linked, page_with_card, sheet};
use super::players::PlayerNames;
use super::preferences::DisplayOptions;
use super::seats;
use super::social_card::SocialCard;

/// The start page.
#[derive(Clone, Debug, Default)]
pub struct StartView {
    /// A board to show in the hero: a position worth looking at.
    pub hero: Option<Arc<dyn BoardComponent>>,
    /// A game of computers that is shown instead, while there is one.
    pub onair: Option<FeaturedGameView>,
    /// The name of the game that one button begins.
    pub game: &'static str,
    /// Other games, each with a button of its own.
    pub others: Vec<OtherGameView>,
    /// The reader has seats from before the page came over TLS, and can take them along.
    pub carry_over: bool,
    /// The reader's newest games, at most four.
    pub games: Vec<CardView>,
    /// Games of others, at most six.
    pub watch: Vec<CardView>,
    /// The form, with what the reader sent if it was refused.
    pub form: NewGameFormView,
}

/// A game of computers that anybody may watch.
#[derive(Clone, Debug)]
pub struct FeaturedGameView {
    /// Public id of the game.
    pub id: String,
    /// Plies played.
    pub ply: u32,
    /// The board as it stands.
    pub board: Arc<dyn BoardComponent>,
    /// How far it has come.
    pub turn: LocalizedMessage,
    /// What happened last.
    pub event: Option<LocalizedMessage>,
    /// Who won, when it is over.
    pub verdict: Option<LocalizedMessage>,
}

/// A game that the start page offers beside the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherGameView {
    /// Its name.
    pub game: &'static str,
    /// Which sentence says what it is called.
    pub title: &'static str,
    /// Which sentence its button says.
    pub play: &'static str,
}

/// The opponents that one press meets: the name in the form, what people call them, what they are for.
/// The first are chosen until others were met.
const OPPONENTS: [(&str, &str, &str); 3] = [
    ("easy", "opponents-easy", "opponents-easy-about"),
    ("medium", "opponents-medium", "opponents-medium-about"),
    ("hard", "opponents-hard", "opponents-hard-about"),
];

/// Which sentence says what people call these opponents.
pub(super) fn opponents_key(name: &str) -> Option<&'static str> {
    let mut named = OPPONENTS.into_iter();
    named.find(|(own, ..)| *own == name).map(|(_, key, _)| key)
}

/// The page `/`.
#[must_use]
pub fn start_page(site: &SiteContext<'_>, text: &Translations, view: &StartView) -> Markup {
    // Whom the reader met last is met again.
    let mut last = view.games.first().map(|game| game.players.iter());
    let last = last
        .as_mut()
        .and_then(|players| players.find_map(|player| player.opponents));
    // One that goes on is continued before another begins.
    let (open, games) = match view.games.split_first() {
        Some((first, games)) if first.goes_on() => (Some(first), games),
        _ => (None, &view.games[..]),
    };
    let main = html! {
        main #main {
            (sheet(site, "start.css"))
            @if view.carry_over { (seats::carry_over(text, None)) }
            div.start {
                section.hero {
                    @match open {
                        Some(game) => { (resume(text, game)) }
                        None => {
                            p.eyebrow { (with_title(&text.say("start-eyebrow"))) }
                            h1 { (text.say("start-headline")) }
                            p.lead { (text.say("start-lead")) }
                        }
                    }
                    form.play method="post" action="/games" {
                        input type="hidden" name="game" value=(view.game);
                        button.btn.huge.main[open.is_none()] {
                            svg.face.p0 aria-hidden="true" { use href="#f5" {} }
                            span { (text.say("start-play")) }
                        }
                        (opponents(text, last))
                        p.why { (pressed(&text.say("start-why"), "meet-book")) }
                    }
                    form #meet-book method="post" action="/games" { input type="hidden" name="game" value=(view.game); }
                    @for other in &view.others {
                        form.second method="post" action="/games" {
                            input type="hidden" name="game" value=(other.game);
                            button.btn { (text.say(other.play)) }
                        }
                    }
                    (form(text, &site.look, &view.form))
                    p.learn { (linked(&text.say("start-learn"), "/rules")) }
                }
                @match (&view.onair, &view.hero) {
                    (Some(onair), _) => { (on_air(text, &site.look, onair)) }
                    (None, hero) => { div.live #live { @if let Some(hero) = hero { (hero.picture(text, &site.look, &text.say("board-hero"))) } } }
                }
                @if !view.games.is_empty() {
                    section.mine {
                        h2 { (text.say("start-games")) }
                        (cards(text, games))
                        p { a href="/games" { (text.say("start-all-games")) } }
                    }
                }
                @if !view.watch.is_empty() {
                    section.mine.watch {
                        h2 { (text.say("start-watch")) }
                        (cards(text, &view.watch))
                    }
                }
            }
        }
    };
    let title = text.say("start-title");
    let card = SocialCard {
        title: title.clone().into_owned(),
        description: text.say("start-lead").into_owned(),
        path: Some("/".to_owned()),
        picture: "/board.png".to_owned(),
    };
    page_with_card(site, text, &title, &Refresh::Never, Some(&card), main)
}

/// The reader's game that goes on, with the button that leads to it.
fn resume(text: &Translations, game: &CardView) -> Markup {
    let headline = if game.your_turn {
        "start-your-turn"
    } else {
        "start-goes-on"
    };
    html! {
        h1 { (text.say(headline)) }
        div.resume {
            (card(text, game))
            a.btn.main.huge href={ "/g/" (game.id) } { (text.say("start-continue")) }
        }
    }
}

/// The part of the start page that a script asks for again and again: the game of computers.
#[must_use]
pub fn on_air(text: &Translations, look: &DisplayOptions, view: &FeaturedGameView) -> Markup {
    let nobody = PlayerNames::nobody(text);
    let sentence = match (&view.verdict, &view.event) {
        (Some(verdict), _) => {
            let verdict = verdict.told(text, &nobody);
            text.say_with("onair-over", &[("verdict", verdict.into())])
        }
        (None, Some(event)) => {
            let turn = view.turn.told(text, &nobody);
            let what = event.told(text, &nobody);
            text.say_with("onair", &[("turn", turn.into()), ("what", what.into())])
        }
        (None, None) => text.say("onair-begins"),
    };
    let watch = text.say(if view.verdict.is_some() {
        "onair-look"
    } else {
        "card-watch"
    });
    html! {
        div.live #live data-ply=(view.ply) {
            (view.board.picture(text, look, &text.say("board-hero")))
            div.onair {
                p { (emphasised(&sentence)) }
                a.btn href={ "/g/" (view.id) } { (watch) }
            }
        }
    }
}

/// The choice of the opponents that the main button meets.
fn opponents(text: &Translations, chosen: Option<&str>) -> Markup {
    let chosen = chosen.filter(|name| opponents_key(name).is_some());
    let chosen = chosen.unwrap_or(OPPONENTS[0].0);
    html! {
        fieldset.levels {
            legend { (text.say("opponents")) }
            @for (name, key, about) in OPPONENTS {
                label {
                    input type="radio" name="opponents" value=(name) checked[name == chosen];
                    span { b { (text.say_with(key, &[("place", "head".into())])) } small { (text.say(about)) } }
                }
            }
        }
    }
}

/// A sentence whose part between bars sends the form with this id.
fn pressed(sentence: &str, form: &str) -> Markup {
    html! { @for (i, part) in sentence.split('|').enumerate() { @if i % 2 == 1 { button.words form=(form) { (part) } } @else { (part) } } }
}

/// A sentence whose part between bars is a title.
fn with_title(sentence: &str) -> Markup {
    html! { @for (i, part) in sentence.split('|').enumerate() { @if i % 2 == 1 { i { (part) } } @else { (part) } } }
}
